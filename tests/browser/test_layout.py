"""Every panel as a picture, over a grid of its states: nothing overlaps, is cut, or is too small to read."""

from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from inspect import signature
from pkgutil import iter_modules
from typing import Any

import pytest

import kschedlab_lab.panels
from kschedlab.plugins import node_filter
from kschedlab.text.html import Html
from kschedlab_lab.language import language
from kschedlab_lab.panels import (
    devices,
    generations,
    overview_gate,
    overview_path,
    pairs,
    preemption,
    queue_heap,
    queue_parts,
    score,
    select_host,
    selector,
    tosses,
    two_runs,
    your_plugin,
    your_plugin_motion,
)
from kschedlab_lab.panels.base import Panel, View
from kschedlab_lab.panels.settings import Nothing
from kschedlab_lab.views.svg import label, svg
from packages.lab.tests.language.test_untranslated import ALONE
from packages.lab.tests.panels.policies import BOTH, NUMBERS, Three
from packages.lab.tests.panels.test_your_plugin_motion import ALL as COLD
from tests.browser.conftest import Show
from tests.browser.layout import CLASS_SCREEN, WINDOWS, states
from tests.browser.page import PanelPage

STATES = {"800": 4, "1280": 1, "1920": 1, "classroom": 3}
"""By window: how many states of each panel are measured; where there is little room, more."""
MANY = {"800": 24, "1280": 12, "1920": 8, "classroom": 24}
"""The same at night."""
IN_CHINESE = {"800": 8, "1280": 3, "1920": 2, "classroom": 6}
"""The same in Chinese, whose lines end elsewhere; at night."""
FEW = {"800": 3}
"""What is measured in Chinese by day: lines are longest in a narrow window."""


TWO = dict(list(NUMBERS.items())[:2])
GIVEN: dict[str, Callable[..., Any]] = {
    "generations.asked": partial(generations.asked, "a budget"),
    "pairs.panel": partial(pairs.panel, NUMBERS),
    "tosses.panel": partial(tosses.panel, [9.0, -3.0, 0.0, 4.0, 9.0, 12.0, 4.0, 9.0]),
    "two_runs.panel": partial(two_runs.panel, Three(), BOTH),
    "your_plugin.counterexample": partial(your_plugin.counterexample, node_filter("Alone", unresolvable=True)(ALONE)),
    "your_plugin_motion.panel": partial(your_plugin_motion.panel, **COLD),
    "your_plugin.panel": partial(your_plugin.panel, [ALONE], priority=9),
}
"""The panels that need something, with what they are given."""


def panels() -> Iterator[tuple[str, Any]]:
    """Every function of a lesson that makes a panel, by name."""
    for module in iter_modules(kschedlab_lab.panels.__path__, "kschedlab_lab.panels."):
        code = import_module(module.name)
        for name, make in vars(code).items():
            if getattr(make, "__module__", "") != module.name or not callable(make) or name.startswith("_"):
                continue
            back = str(signature(make).return_annotation)
            if back.startswith("Panel[") or back == "YourCluster":
                called = f"{module.name.rpartition('.')[2]}.{name}"
                yield called, GIVEN.get(called, make)


PANELS = dict(panels())


TEXT = label("node-a", 10, 20)
BROKEN = {
    "": [TEXT, label("node-b", 10, 32), label("node-c", 10 + 44, 20)],
    'overlap: "node-a" and "node-b"': [TEXT, label("node-b", 10, 28)],
    'overlap: "node-a" and "node-c"': [TEXT, label("node-c", 45, 18, aria_hidden="true")],
    'cut: "node-b"': [TEXT, label("node-b", 170, 20)],
    'cut: "node-c"': [TEXT, label("node-c", 10, 100.5)],
    'small: "node-a" has': [label("node-a", 10, 20, font_size=10.9)],
}
"""What a measured picture of 200 x 100 pixels is accused of, and its shapes; two lines that only touch are allowed."""


@pytest.mark.parametrize("fault", BROKEN)
def test_the_measurer_sees_what_is_broken(shown: Show, fault: str) -> None:
    view = View(svg(BROKEN[fault], 200, 100, "broken"), "A sentence.", Html(), "")
    found = shown(Panel(Nothing(), lambda _: view)).faults()
    assert len(found) == bool(fault) and all(each.startswith(fault) for each in found), found


def test_the_measurer_reads_what_stands_around_the_picture_and_misses_none(shown: Show) -> None:
    page = shown(Panel(Nothing(), lambda _: View(svg([TEXT], 900, 100, "a picture"), "A sentence.", Html(), "")))
    for broken, fault in (
        (".ks-picture svg { max-width: none !important; width: 3000px; }", "the picture is wider than its place"),
        (".ks-sentence { font-size: 11.9px; }", 'small: "A sentence." has 11.9 px'),
        ("body { width: 2000px; }", "the page scrolls sideways"),
    ):
        style = page.page.add_style_tag(content=broken)
        assert any(each.startswith(fault) for each in page.faults()), broken
        style.evaluate("(style) => style.remove()")
    assert page.faults() == []
    page.picture.evaluate("(picture) => picture.replaceChildren()")
    assert page.faults() == ["there is no picture"]


each_panel = pytest.mark.parametrize("name", PANELS)
SAMPLE = ("preemption.panel", "queue_heap.panel", "score.panel", "your_cluster.panel")
"""The panels that `make test` shows in Chinese; `make test-all` shows all."""
each_panel_in_chinese = pytest.mark.parametrize(
    "name", [name if name in SAMPLE else pytest.param(name, marks=pytest.mark.nightly) for name in PANELS]
)


@each_panel
def test_nothing_overlaps_is_cut_or_too_small_and_a_classroom_sees_all(shown: Show, name: str) -> None:
    page = shown(PANELS[name]())
    first = page.session.panel.settings
    assert measured(page, STATES) == []
    if page.session.panel.question is not None:
        page.session.panel.predict(None)
    page.put(first)
    page.settled()
    assert page.tall() <= CLASS_SCREEN


@pytest.mark.nightly
@each_panel
def test_nothing_overlaps_is_cut_or_too_small_in_many_states(shown: Show, name: str) -> None:
    assert measured(shown(PANELS[name]()), MANY) == []


def measured(page: PanelPage, numbers: dict[str, int]) -> list[str]:
    """What is wrong with this panel, by window in so many of its states; the page is resized for each window."""
    first, faults = page.session.panel.settings, []
    for window, number in numbers.items():
        page.resize(**WINDOWS[window])
        for settings in states(first, number):
            page.put(settings)
            faults += [f"{window}: {each} | {settings}" for each in page.faults()]
    return faults


PHONE = {"width": 368, "height": 720}
"""What a page of the course has for a panel on a phone, 336 pixels, and the margin of the test's page."""
CROWDED: dict[str, Panel[Any]] = {
    "the last box of the binding cycle": overview_path.panel().move(step=9),
    "eight popped pods": queue_heap.panel(calls=9),
    "a pod in activeQ": queue_parts.panel(),
    "a version without a change": generations.panel(version="v1.37", without="sorted_again"),
    "four equal scores": select_host.panel(),
}


@pytest.mark.parametrize("name", CROWDED)
def test_on_a_phone_nothing_overlaps_or_is_cut(shown: Show, name: str) -> None:
    assert [each for each in shown(CROWDED[name], **PHONE).faults() if not each.startswith("small:")] == []


def answered(name: str) -> Panel[Any]:
    """This panel with its question, if it has one, answered."""
    panel: Panel[Any] = PANELS[name]()
    return panel.answer(None) if panel.question is not None else panel


@pytest.fixture
def chinese() -> Iterator[None]:
    language("zh")
    yield
    language("en")


@pytest.mark.usefixtures("chinese")
@each_panel_in_chinese
def test_a_narrow_window_holds_the_chinese_lines(shown: Show, name: str) -> None:
    assert measured(shown(answered(name)), FEW) == []


@pytest.mark.nightly
@pytest.mark.usefixtures("chinese")
@each_panel
def test_nothing_overlaps_is_cut_or_too_small_in_chinese(shown: Show, name: str) -> None:
    assert measured(shown(answered(name)), IN_CHINESE) == []


@pytest.mark.usefixtures("chinese")
@each_panel_in_chinese
def test_in_a_chinese_classroom_question_picture_and_sentence_are_on_one_screen(shown: Show, name: str) -> None:
    page = shown(PANELS[name]().answer(None), **WINDOWS["classroom"])
    page.settled()
    assert page.tall() <= CLASS_SCREEN


@pytest.mark.usefixtures("chinese")
def test_buttons_and_controls_are_chinese(shown: Show) -> None:
    page = shown(preemption.panel()).page
    for button in ("演示过程", "重新开始", "课堂模式"):
        assert page.get_by_role("button", name=button, exact=True).is_visible()
    assert page.get_by_role("slider", name="预算允许").first.is_visible()
    assert page.locator("#panel").get_attribute("lang") == "zh"


ASKED: dict[str, Any] = {
    "gate": lambda: overview_gate.panel(port=True, taint=True).ask(overview_gate.how_many_reasons()),
    "generations": lambda: generations.asked("a budget"),
    "heap": lambda: queue_heap.panel().ask(queue_heap.after_pop()),
    "largest": lambda: score.panel().ask(score.who_wins()),
    "plugins": lambda: your_plugin.panel().ask(your_plugin.where()),
    "devices": lambda: devices.panel(count=2, together=True, model="any", memory=0).ask(devices.pair()),
    "selector": lambda: selector.panel().ask(selector.question()),
}


@pytest.mark.parametrize("name", ASKED)
def test_in_a_classroom_a_question_and_its_verdict_are_on_one_screen(shown: Show, name: str) -> None:
    panel: Panel[Any] = ASKED[name]()
    page = shown(panel, **WINDOWS["classroom"])
    page.settled()
    asked = page.page.locator(".ks-picture").bounding_box()
    assert asked is not None and asked["y"] + asked["height"] <= CLASS_SCREEN + 16
    assert panel.question is not None
    wrong = (each for each in panel.question.choices if each != panel.question.right(panel.settings))
    panel.predict(next(wrong, "1"))
    page.put(panel.settings)
    page.settled()
    assert page.tall() <= CLASS_SCREEN and page.faults() == []


SCROLLS = "() => document.querySelector('.ks-table').scrollWidth - document.querySelector('.ks-table').clientWidth"
CUT = """() => [...document.querySelectorAll("#panel select")].filter((each) => {
    const whole = each.cloneNode(true);
    whole.style.cssText = "position: absolute; max-width: none; flex: none; width: auto";
    each.after(whole);
    const cut = each.checkVisibility() && whole.offsetWidth > each.offsetWidth + 1;
    whole.remove();
    return cut;
}).map((each) => each.ariaLabel)"""
"""The menus that are too narrow for their longest choice."""


@pytest.mark.usefixtures("chinese")
@each_panel_in_chinese
def test_in_a_narrow_window_tables_and_menus_show_all_they_have(shown: Show, name: str) -> None:
    panel = answered(name)
    page = shown(panel, **WINDOWS["800"])
    for settings in states(panel.settings, 6):
        page.put(settings)
        assert page.page.evaluate(SCROLLS) <= 1, settings
        assert page.page.evaluate(CUT) == [], settings


@pytest.mark.parametrize(
    "name",
    ["overview_inside.panel", "map_reduce.panel", "your_cluster.panel", "selector.panel"],
)
def test_the_same_in_english(shown: Show, name: str) -> None:
    test_in_a_narrow_window_tables_and_menus_show_all_they_have(shown, name)
