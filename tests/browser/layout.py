"""Problems of a picture as a picture, measured in the browser: overlaps, clipping, text that is too small."""

import random
from collections.abc import Iterator
from typing import Any

from tests.browser.page import PanelPage

SMALLEST = 11.95  # pixels; 12 with rounding
SLACK = 1.5  # pixels of two boxes that may overlap: fonts leave air around letters

MEASURE = """([smallest, slack]) => {
    const root = document.getElementById("panel"), found = [];
    const visible = (each) => each.checkVisibility() && each.getBoundingClientRect().width > 0;
    const short = (each) => (each.textContent ?? "").trim().slice(0, 40);
    const picture = root.querySelector(".ks-picture"), svg = picture?.querySelector("svg");
    if (svg) {
        const frame = svg.getBoundingClientRect(), scale = svg.getScreenCTM().a;
        const [wide, room] = [picture.scrollWidth, picture.clientWidth];
        if (wide > room + 1) found.push(`the picture is wider than its place: ${wide} > ${room}`);
        const shown = (each) => visible(each) && short(each) && !each.closest("[aria-hidden], defs");
        const texts = [...svg.querySelectorAll("text")].filter(shown);
        const boxes = texts.map((each) => {
            const box = each.getBoundingClientRect(), size = parseFloat(getComputedStyle(each).fontSize) * scale;
            if (size < smallest) found.push(`small: "${short(each)}" has ${size.toFixed(1)} px`);
            const wide = [frame.left - box.left, box.right - frame.right];
            const out = [...wide, frame.top - box.top, box.bottom - frame.bottom];
            if (Math.max(...out) > 2) found.push(`cut: "${short(each)}"`);
            const air = box.height * 0.14 + slack;
            const [left, right, top, bottom] = [box.left + slack, box.right - slack, box.top + air, box.bottom - air];
            return { left, right, top, bottom, text: short(each) };
        });
        const near = (one, other) => Math.hypot(one.left - other.left, one.top - other.top) < 1;
        const same = (one, other) => one.text === other.text && near(one, other);
        const across = (one, other) => one.left < other.right && other.left < one.right;
        const down = (one, other) => one.top < other.bottom && other.top < one.bottom;
        boxes.forEach((one, i) => boxes.slice(i + 1).forEach((other) => {
            if (!same(one, other) && across(one, other) && down(one, other))
                found.push(`overlap: "${one.text}" and "${other.text}"`);
        }));
    }
    const words = ".ks-label, .ks-value, .ks-sentence, td, th, button, small, summary, p, label";
    for (const each of root.querySelectorAll(words)) {
        if (!visible(each)) continue;
        const size = parseFloat(getComputedStyle(each).fontSize);
        if (size < smallest && short(each)) found.push(`small: "${short(each)}" has ${size.toFixed(1)} px`);
    }
    for (const each of root.querySelectorAll("input[type=range]")) {
        const { width } = each.getBoundingClientRect();
        if (visible(each) && width < 80) found.push(`slider ${each.ariaLabel} is ${width} px wide`);
    }
    if (document.documentElement.scrollWidth > innerWidth + 1) found.push("the page scrolls sideways");
    return found;
}"""
SENTENCE = """() => document.querySelector(".ks-sentence").getBoundingClientRect().bottom
    - document.querySelector("#panel").getBoundingClientRect().top"""
SHOW = """([shown]) => { window.model.set("shown", shown); window.tell("change:shown"); }"""


def states(settings: Any, most: int, seed: int = 0) -> Iterator[Any]:
    """The settings, each control at both of its ends, then random ones, ``most`` in all."""
    controls = {name: each for name, each in settings.controls().items() if each.kind != "typed"}
    seen = {settings}
    yield settings
    ends = [settings.at({name: end}) for name, each in controls.items() for end in _ends(each, settings)]
    rng = random.Random(seed)
    rng.shuffle(ends)
    for each in ends:
        if each not in seen and len(seen) < most:
            seen.add(each)
            yield each
    for _ in range(3 * most):
        drawn = settings.at(
            {name: rng.randrange(_count(each, settings)) for name, each in controls.items() if _count(each, settings)}
        )
        if drawn not in seen and len(seen) < most:
            seen.add(drawn)
            yield drawn


def _count(control: Any, settings: Any) -> int:
    return len(control.allowed(settings))


def _ends(control: Any, settings: Any) -> list[int]:
    return [0, _count(control, settings) - 1] if _count(control, settings) else []


def problems(page: PanelPage) -> list[str]:
    """What is wrong with the panel as it is shown now."""
    return list(dict.fromkeys(page.page.evaluate(MEASURE, [SMALLEST, SLACK])))


def put(page: PanelPage, settings: Any) -> None:
    """Show the panel with these settings."""
    page.session.panel.go(settings)
    page.page.evaluate(SHOW, [page.session.look()])


def tall(page: PanelPage) -> float:
    """Pixels from the top of the panel, where a question stands, to the end of the sentence."""
    return float(page.page.evaluate(SENTENCE))
