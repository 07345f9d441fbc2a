"""What all panels share, in JupyterLab: every kind of control from the keyboard, steps, a chart to click on."""

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Open
from tests.browser.lab import Notebook

NAME = "grammar.ipynb"
BUTTONS = ["First", "Back", "Next", "Reset", "Classroom", "Link", "YAML"]
FOCUSED = "document.activeElement.textContent.trim()"


@pytest.fixture
def opened(notebook: Open) -> Notebook:
    page = notebook(NAME)
    page.run_all()
    return page


def panel(page: Page, number: int) -> Locator:
    return page.locator(".kschedlab").nth(number)


def button(panel: Locator, name: str) -> Locator:
    """By its text; an icon before it counts as a letter."""
    return panel.get_by_role("button", name=name)


def press(page: Page, on: Locator, *keys: str) -> None:
    on.focus()
    for key in keys:
        page.keyboard.press(key)


def test_every_kind_of_control_moves_from_the_keyboard(opened: Notebook) -> None:
    page, walk = opened.page, panel(opened.page, 0)
    sentence = walk.get_by_role("status")
    expect(sentence).to_have_text("urgent of priority 1000 is at queue, 0 more, budget False")
    press(page, walk.get_by_label("pod", exact=True), "Space", "ArrowUp", "Enter")
    expect(sentence).to_contain_text("web with two siblings is")
    press(page, walk.get_by_label("with a budget"), "Space")
    expect(sentence).to_contain_text("budget True")
    opened.press("extra pods", "ArrowRight", 2)
    expect(sentence).to_contain_text("2 more")
    press(page, button(walk, "Next"), "Enter", "Enter", "Enter")
    expect(sentence).to_contain_text("is at bind")
    press(page, walk.get_by_label("refused"), "Space")
    expect(sentence).to_contain_text("is at filter")
    expect(walk.get_by_role("img")).to_contain_text("✕\u00a0filter")
    press(page, button(walk, "First"), "Enter")
    expect(sentence).to_contain_text("is at queue")
    press(page, walk.get_by_label("bound"), "Space")
    opened.press("step", "ArrowRight")
    expect(sentence).to_contain_text("is at filter")
    press(page, button(walk, "Reset"), "Enter")
    expect(sentence).to_have_text("urgent of priority 1000 is at queue, 0 more, budget False")


def test_play_tab_and_what_can_be_copied(opened: Notebook) -> None:
    page, walk = opened.page, panel(opened.page, 0)
    sentence = walk.get_by_role("status")
    press(page, button(walk, "Play"), "Enter")
    expect(sentence).to_contain_text("is at filter")
    press(page, button(walk, "Pause"), "Enter")
    press(page, button(walk, "Play"), "Enter")
    expect(sentence).to_contain_text("is at bind")
    expect(button(walk, "Play")).to_be_visible()

    walk.get_by_label("with a budget").focus()
    seen = []
    for _ in range(12):
        page.keyboard.press("Tab")
        seen.append(page.evaluate(FOCUSED))
    assert [text for text in seen if text in BUTTONS] == BUTTONS

    button(walk, "Link").click()
    expect(walk.get_by_label("Link", exact=True)).to_have_value(
        'lesson.walk().restore("pod: urgent of priority 1000, outcome: bound, extra: 0, budget: off, step: 3")'
    )
    button(walk, "YAML").click()
    expect(walk.get_by_label("YAML", exact=True)).to_have_value("pod: urgent of priority 1000\n")


def cell(chart: Locator, row: int, column: int) -> tuple[float, float]:
    """The middle of a cell of a chart with two rows and three columns."""
    box = chart.locator(".nsewdrag").bounding_box()
    assert box is not None
    return box["x"] + box["width"] * (column + 0.5) / 3, box["y"] + box["height"] * (row + 0.5) / 2


def frame(chart: Locator) -> str | None:
    """Where the selected cell's frame is."""
    return chart.locator(".shapelayer path").last.get_attribute("d")


def test_a_click_and_the_keyboard_reach_the_same_cells_of_a_chart(opened: Notebook) -> None:
    page, chart = opened.page, panel(opened.page, 1)
    sentence, node = chart.get_by_role("status"), chart.get_by_label("node on the chart")
    expect(chart.locator(".shapelayer path")).to_have_count(1)
    chart.scroll_into_view_if_needed()
    first = frame(chart)
    page.mouse.click(*cell(chart, 1, 2))
    expect(sentence).to_have_text("Spread gives node-c 12 points.")
    expect(node).to_have_value("node-c")
    second = frame(chart)
    assert first != second
    press(page, node, "Space", "ArrowUp", "Enter")
    expect(sentence).to_have_text("Spread gives node-b 11 points.")
    opened.press("weight", "ArrowRight")
    expect(sentence).to_have_text("Spread gives node-b 22 points.")
    expect(chart.locator(".textpoint").last).to_have_text("24")
    assert frame(chart) not in (first, second)

    before = chart.locator(".nsewdrag").bounding_box()
    page.get_by_role("button", name="everybody").click()
    for each in (panel(page, 0), chart):
        expect(each.get_by_role("status")).to_have_css("font-size", "20px")
    expect(chart.locator(".textpoint text").first).to_have_css("font-size", "19.6px")
    after = chart.locator(".nsewdrag").bounding_box()
    assert before and after and after["width"] > before["width"]
