"""What is wrong with a panel as a picture, measured in the browser: overlaps, clipping, text that is too small.

This is the one measurer of all tests. ``WINDOWS`` and ``states`` say where and in which settings a panel is measured.
"""

import random
from collections.abc import Iterator
from typing import Any

from playwright.sync_api import Page

CLASS_SCREEN = 720
"""Pixels: a classroom has the whole window, which no other window here has."""
WINDOWS: dict[str, dict[str, Any]] = {
    "800": {"width": 432, "height": 700},
    "1280": {"width": 880, "height": 720},
    "1920": {"width": 1520, "height": 1000},
    "classroom": {"width": 1280, "height": CLASS_SCREEN, "large": True},
}
"""What a cell's output gets in JupyterLab with its file browser, in windows of 800, 1280 and 1920 pixels."""
CLOSE = ("800", "classroom")
"""The windows with the least room; test_layout.py shows every panel in all."""
SMALLEST = 11.95  # pixels; 12 with rounding
ROUNDING = 1  # pixels
AIR = 4  # pixels that fonts leave above and below letters
NARROW = 80  # pixels; a slider needs more

MEASURE = """([smallest, rounding, air, narrow]) => {
    const root = document.getElementById("panel"), found = [];
    const words = (each) => (each.textContent ?? "").trim().slice(0, 40);
    const visible = (each) => each.checkVisibility() && each.getBoundingClientRect().width > 0;
    const shown = (selector) => [...root.querySelectorAll(selector)].filter(visible);
    const small = (each, scale = 1) => {
        const size = parseFloat(getComputedStyle(each).fontSize) * scale;
        if (size < smallest && words(each)) found.push(`small: "${words(each)}" has ${size.toFixed(1)} px`);
    };
    const common = (a, b, from, to) => Math.min(a[to], b[to]) - Math.max(a[from], b[from]);

    const picture = root.querySelector(".ks-picture"), svg = picture?.querySelector("svg");
    if (svg) {
        const frame = svg.getBoundingClientRect(), [wide, room] = [picture.scrollWidth, picture.clientWidth];
        if (wide > room + rounding) found.push(`the picture is wider than its place: ${wide} > ${room}`);
        const texts = shown(".ks-picture svg text").filter((each) => words(each) && !each.closest("defs"));
        const boxes = texts.map((each) => [words(each), each.getBoundingClientRect()]);
        for (const each of texts) {
            const { a, b } = each.getScreenCTM();  // text can be turned
            small(each, Math.hypot(a, b));
        }
        boxes.forEach(([text, box], i) => {
            const wide = [frame.left - box.left, box.right - frame.right];
            const out = Math.max(...wide, frame.top - box.top, box.bottom - frame.bottom);
            if (out > rounding) found.push(`cut: "${text}"`);
            for (const [other, its] of boxes.slice(i + 1)) {
                const [across, down] = [common(box, its, "left", "right"), common(box, its, "top", "bottom")];
                if (across > rounding && down > air) found.push(`overlap: "${text}" and "${other}"`);
            }
        });
    }
    else if (picture && !words(picture)) found.push("there is no picture");
    const written = ".ks-label, .ks-value, .ks-sentence, td, th, button, small, summary, p, label";
    for (const each of shown(written)) small(each);
    for (const each of shown("input[type=range]")) {
        const { width } = each.getBoundingClientRect();
        if (width < narrow) found.push(`slider ${each.ariaLabel} is ${width} px wide`);
    }
    const page = document.documentElement.scrollWidth;
    if (page > innerWidth + rounding) found.push(`the page scrolls sideways: ${page} > ${innerWidth}`);
    return found;
}"""


def faults(page: Page) -> list[str]:
    """What is wrong with the panel on this page as it is shown now."""
    return list(dict.fromkeys(page.evaluate(MEASURE, [SMALLEST, ROUNDING, AIR, NARROW])))


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
