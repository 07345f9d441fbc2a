"""What all panels share, in JupyterLab: every kind of control from the keyboard, steps, a chart to click on."""

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Open
from tests.browser.lab import Notebook, behind_dots

NAME = "grammar.ipynb"
BUTTONS = ["Start again", "Classroom", "State, code"]
HEIGHT = "panel => panel.querySelector('svg').getBoundingClientRect().height"
FOCUSED = "document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent.trim()"


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
    behind_dots(walk)
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
    expect(walk.get_by_role("img")).to_contain_text("filter✕")
    opened.press("step", "Home")
    expect(sentence).to_contain_text("is at queue")
    press(page, walk.get_by_label("bound"), "Space")
    opened.press("step", "ArrowRight")
    expect(sentence).to_contain_text("is at filter")
    press(page, button(walk, "Start again"), "Enter")
    expect(sentence).to_have_text("urgent of priority 1000 is at queue, 0 more, budget False")


def test_play_tab_and_what_can_be_copied(opened: Notebook) -> None:
    page, walk = opened.page, panel(opened.page, 0)
    sentence = walk.get_by_role("status")
    behind_dots(walk)
    press(page, button(walk, "Play"), "Enter")
    expect(sentence).to_contain_text("is at filter")
    press(page, button(walk, "Pause"), "Enter")
    press(page, button(walk, "Play"), "Enter")
    expect(sentence).to_contain_text("is at bind")
    expect(button(walk, "Play")).to_be_visible()

    walk.get_by_label("with a budget").focus()
    seen = []
    opened.press("step", "Home")
    walk.get_by_label("step", exact=True).last.focus()
    page.keyboard.press("Shift+Tab")
    assert page.evaluate(FOCUSED) == "Next"
    for _ in range(12):
        page.keyboard.press("Tab")
        seen.append(page.evaluate(FOCUSED))
    assert [text for text in seen if text in BUTTONS] == BUTTONS
    button(walk, "Next").click(click_count=3)
    expect(sentence).to_contain_text("is at bind")

    behind_dots(walk).get_by_text("State, code").click()
    expect(walk.get_by_label("Python", exact=True)).to_have_value(
        'lesson.walk().restore("pod: urgent of priority 1000, outcome: bound, extra: 0, budget: off, step: 3")'
    )
    expect(walk.get_by_label("YAML", exact=True)).to_have_value("pod: urgent of priority 1000\n")


def test_a_click_and_the_keyboard_reach_the_same_cells_of_a_chart(opened: Notebook) -> None:
    page, chart = opened.page, panel(opened.page, 1)
    behind_dots(chart)
    sentence, node = chart.get_by_role("status"), chart.get_by_role("radio", name="node-c")
    chart.scroll_into_view_if_needed()
    cells = chart.locator("[data-set]")
    expect(cells).to_have_count(6)
    cells.nth(5).click()
    expect(sentence).to_have_text("Spread gives node-c 12 points.")
    expect(node).to_be_checked()
    press(page, node, "ArrowLeft")
    expect(sentence).to_have_text("Spread gives node-b 11 points.")
    opened.press("weight", "ArrowRight")
    expect(sentence).to_have_text("Spread gives node-b 22 points.")
    press(page, cells.nth(0), "Enter")
    expect(sentence).to_have_text("Fit gives node-a 0 points.")

    before = chart.evaluate(HEIGHT)
    page.get_by_role("button", name="everybody").click()
    for each in (panel(page, 0), chart):
        expect(each.get_by_role("status")).to_have_css("font-size", "20px")
    page.wait_for_function(f"([panel, before]) => ({HEIGHT})(panel) > before", arg=[chart.element_handle(), before])
