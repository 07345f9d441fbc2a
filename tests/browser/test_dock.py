"""The stage beside the text: one place for all panels of a lesson, with the one next to what is being read."""

import nbformat
from playwright.sync_api import Locator, expect

from tests.browser.conftest import Lab, Open
from tests.browser.lab import Notebook, behind_dots
from tools.refresh import METADATA

NAME = "05-preemption.ipynb"
TEXT = ".jp-WindowedPanel-outer"
RULE_1 = 3
"""The place of the question about a budget of 0 among the panels."""


def on_stage(page: Notebook) -> Locator:
    """The panel beside the text."""
    return page.page.locator(".ks-dock > .ks")


def lines(page: Notebook) -> Locator:
    return page.page.locator(".jp-OutputArea-output .ks-line")


def test_a_lesson_is_read_and_answered_on_the_stage(notebook: Open) -> None:
    page = notebook(NAME, beside=True)
    page.run_all()
    the_next_picture_is_made_for_the_stage(page)
    what_is_read_or_run_is_on_the_stage(page)
    a_wheel_over_the_stage_scrolls_the_text(page)
    a_live_cluster_does_not_take_a_picture_out_of_ones_hands(page)
    where_no_stage_comes_any_more_text_and_exercises_have_more_width(page)
    an_answer_is_said_in_the_line(page)
    pictures_move_into_the_text(page)


ROOMS = """() => {
    const dock = document.querySelector(".jp-Notebook").ksDock, stages = dock.placed().map(({ stage }) => stage);
    const rooms = [dock.active, stages[stages.indexOf(dock.active) + 1]].map((each) => each?.room.text);
    return rooms[0] && rooms[0] === rooms[1];
}"""
"""Whether the panel after the one on the stage has its room already."""


def the_next_picture_is_made_for_the_stage(page: Notebook) -> None:
    """Else one would see it first as it was drawn for the text's column."""
    lines(page).first.evaluate("(line) => line.scrollIntoView({ block: 'start' })")
    page.page.wait_for_function(ROOMS)


def what_is_read_or_run_is_on_the_stage(page: Notebook) -> None:
    expect(on_stage(page)).to_have_count(1)
    expect(page.page.locator(".jp-OutputArea-output .ks-picture svg:not(.widget-vbox svg)")).to_have_count(0)
    current = page.page.locator(".ks-line.ks-current")
    for place in (0, 1, RULE_1):
        line = lines(page).nth(place)
        line.scroll_into_view_if_needed()
        line.evaluate("(line) => line.scrollIntoView({ block: 'start' })")
        page.page.mouse.move(400, 400)
        page.page.mouse.wheel(0, 4)  # a reader moves on
        expect(line).to_have_class("ks-line ks-current")
        expect(current).to_have_count(1)
        expect(on_stage(page)).to_contain_text(line.locator("span").last.inner_text())
    box, text = on_stage(page).bounding_box(), lines(page).nth(RULE_1).bounding_box()
    assert box and text and box["x"] >= text["x"] + text["width"], "the stage covers the text"
    a_section_brings_its_picture(page)
    run_alone(page)


PLACE = """([heading, line]) => {
    const text = document.querySelector(".jp-WindowedPanel-outer"), { top, height } = text.getBoundingClientRect();
    heading.scrollIntoView({ block: "start" });
    text.scrollTop -= 0.3 * height;
    return (line.getBoundingClientRect().top - top) / height;
}"""
"""Scrolls to the heading, with other text above it; how far down the line is then, as a share of the text in sight."""


def a_section_brings_its_picture(page: Notebook) -> None:
    """Who reads what a heading begins need not scroll to the line of its panel."""
    heading, line = page.page.locator("h2", has_text="Step 1: the victims"), lines(page).nth(1)
    page.page.mouse.move(400, 400)
    page.page.mouse.wheel(0, 4)
    assert page.page.evaluate(PLACE, [heading.element_handle(), line.element_handle()]) > 0.6
    expect(line).to_have_class("ks-line ks-current")


def a_wheel_over_the_stage_scrolls_the_text(page: Notebook) -> None:
    lines(page).first.evaluate("(line) => line.scrollIntoView({ block: 'start' })")
    on_stage(page).hover()
    before = page.page.locator(TEXT).evaluate("(text) => text.scrollTop")
    page.page.mouse.wheel(0, 200)
    page.page.wait_for_function(f"() => document.querySelector('{TEXT}').scrollTop >= {before + 150}")


IN_SIGHT = "() => ((dock) => dock.shows(dock.active))(document.querySelector('.jp-Notebook').ksDock)"
LIVES = """() => {
    const dock = document.querySelector(".jp-Notebook").ksDock;
    const other = [...dock.stages].find((each) => each !== dock.active && dock.shows(each));
    dock.lives(other);
    return dock.active === other;
}"""
"""Another panel in sight says that its cluster has changed: whether it comes to the stage."""


def a_live_cluster_does_not_take_a_picture_out_of_ones_hands(page: Notebook) -> None:
    lines(page).nth(RULE_1 + 2).evaluate("(line) => line.scrollIntoView({ block: 'end' })")  # and the line before it
    page.page.mouse.move(400, 400)
    page.page.mouse.wheel(0, 4)
    page.page.wait_for_function(IN_SIGHT)
    on_stage(page).hover()
    assert not page.page.evaluate(LIVES)
    page.page.mouse.move(400, 400)
    assert page.page.evaluate(LIVES)


def run_alone(page: Notebook) -> None:
    """A cell that is run alone comes to the stage."""
    line = lines(page).nth(RULE_1)
    asked = line.locator("span").last.inner_text()
    line.scroll_into_view_if_needed()
    page.page.locator(".jp-CodeCell:has(.ks-line)").nth(RULE_1).locator(".jp-InputPrompt:visible").first.click()
    page.page.keyboard.press("Control+Enter")
    expect(lines(page).nth(RULE_1)).to_have_class("ks-line ks-current")
    expect(on_stage(page)).to_contain_text(asked)


SIDES = "(place) => { const { x, width } = place.getBoundingClientRect(); return [x, width] }"
VEILED = """() => {
    const line = document.querySelector(".ks-line"), heads = [...document.querySelectorAll(".jp-Notebook h2")];
    const follows = (one, other) => one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING;
    const next = heads.find((each) => follows(line, each));
    const between = (each) => follows(line, each) && follows(each, next);
    return [...document.querySelectorAll(".jp-RenderedMarkdown > [inert]")].filter(between).length;
}"""
"""How much of the text between the first question and the next heading is veiled."""


def an_answer_is_said_in_the_line(page: Notebook) -> None:
    first, place = lines(page).first, on_stage(page).locator(".ks-picture")
    first.click()
    asked = place.evaluate(SIDES)
    assert page.page.evaluate(VEILED) > 0
    expect(on_stage(page).locator(".ks-choices").get_by_role("button")).to_have_text(["Show the answer"])
    on_stage(page).locator(".ks-picture").get_by_role("button", name="node-b").first.click()
    expect(first).to_contain_text("Which node is chosen? node-a")
    expect(first).to_contain_text("node-b ✕")
    assert asked == place.evaluate(SIDES), "the picture jumps"
    assert page.page.evaluate(VEILED) == 0
    expect(first).to_contain_text("Which node is chosen? node-a")
    other = lines(page).nth(RULE_1)
    other.click()
    expect(other).to_have_attribute("aria-pressed", "true")
    expect(on_stage(page)).to_contain_text("The budget allows 0. Which node now?")
    asked = place.evaluate(SIDES)
    on_stage(page).locator(".ks-picture").get_by_role("button", name="node-c").first.click()
    expect(other).to_contain_text("node-c")
    judged = place.evaluate(SIDES)
    on_stage(page).get_by_role("button", name="Show how").click()
    assert asked == judged == place.evaluate(SIDES), "the picture jumps"
    on_stage(page).get_by_role("button", name="Close the story").click()
    first.click()
    expect(on_stage(page).locator('[data-key="node/node-a"][data-state="chosen"]')).to_have_count(1)


TYPED = """\
from kschedlab_lab.panels import preemption
from kschedlab_lab.panels.question import Question

before = preemption.panel().view.picture
asked = Question("How many victims?", (), lambda _: "1", lambda *_: "", lambda _: before)
preemption.panel().ask(asked)"""


def test_a_number_is_typed_on_the_stage(lab: Lab, notebook: Open) -> None:
    cells = [nbformat.v4.new_code_cell(TYPED), nbformat.v4.new_markdown_cell("And now?")]
    nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata=METADATA), lab.home / "notebooks" / "typed.ipynb")
    page = notebook("typed.ipynb", beside=True)
    page.run_all()
    on_stage(page).locator(".ks-choices input").click()
    page.page.keyboard.type("3")
    page.page.keyboard.press("Enter")
    expect(on_stage(page).locator(".ks-question [role=status]")).to_be_visible()
    runs_on(page)


def runs_on(page: Notebook) -> None:
    """What was answered with is gone; Shift+Enter still runs the active cell and goes to the next."""
    expect(page.page.locator(".ks :is(button, input):focus")).to_have_count(0)
    active = page.page.locator(".jp-Notebook .jp-Cell.jp-mod-active").element_handle()
    page.page.keyboard.press("Shift+Enter")
    page.page.wait_for_function("(cell) => !cell.classList.contains('jp-mod-active')", arg=active)


WIDTH = "(each) => each.getBoundingClientRect().width"


WHOLE = """() => {
    const edges = (each) => document.querySelector(each).getBoundingClientRect();
    const [stage, page] = [".ks-dock", ".jp-Notebook"].map(edges);
    return Math.abs(stage.top - page.top) < 2 && Math.abs(stage.bottom - page.bottom) < 2;
}"""
"""Whether all of the stage is in sight."""


def test_the_last_panel_stays_whole_beside_its_text(notebook: Open) -> None:
    """However short the text is: the first exercise pushes the stage away no sooner."""
    page = notebook("10-devices.ipynb", beside=True)
    page.run_all()
    last = lines(page).last
    last.evaluate("(line) => line.scrollIntoView({ block: 'start' })")
    page.page.locator(TEXT).evaluate("(text) => (text.scrollTop -= text.clientHeight / 4)")
    expect(last).to_have_class("ks-line ks-current")
    page.page.wait_for_function(WHOLE)


APART = """(heading) => {
    const stage = document.querySelector(".ks-dock").getBoundingClientRect();
    return Math.abs(stage.bottom - heading.getBoundingClientRect().top) < 2;
}"""
"""Whether the stage ends where this heading begins."""


def where_no_stage_comes_any_more_text_and_exercises_have_more_width(page: Notebook) -> None:
    """From their heading on, already before one scrolls there: nothing jumps as one reads on."""
    expect(on_stage(page)).to_be_visible()
    heading, exercise = page.page.locator("h2", has_text="Exercises"), page.page.locator(".ks-exercise").first
    column = page.page.locator(".jp-MarkdownCell p:visible").first.evaluate(WIDTH)
    text = page.page.locator(".jp-MarkdownCell:has(h2:text-is('Exercises')) h2 ~ p").first
    heading.evaluate("(each) => each.scrollIntoView({ block: 'end' })")
    page.page.wait_for_function(APART, arg=heading.element_handle())
    expect(on_stage(page)).to_be_visible()
    begins = [each.evaluate(WIDTH) for each in (text, exercise)]
    heading.evaluate("(each) => each.scrollIntoView()")
    expect(on_stage(page)).to_be_hidden()
    assert column < begins[0] and column < begins[1]
    assert [each.evaluate(WIDTH) for each in (text, exercise)] == begins
    lines(page).nth(RULE_1).evaluate("(line) => line.scrollIntoView()")
    expect(on_stage(page)).to_be_visible()


def pictures_move_into_the_text(page: Notebook) -> None:
    """Where there is no room beside the text they are there, too."""
    drawer = behind_dots(on_stage(page))
    on_stage(page).locator(".ks-headline").first.click()
    expect(drawer).to_be_hidden()
    behind_dots(on_stage(page)).get_by_role("button", name="Put the pictures into the text").click()
    expect(page.page.locator(".ks-drawer:visible")).to_have_count(0)
    expect(on_stage(page)).to_have_count(0)
    expect(lines(page)).to_have_count(0)
    asks = page.page.locator(".jp-OutputArea-output .ks-question:has(.ks-choices)").first
    asks.get_by_role("button").first.click()
    runs_on(page)
    panel = page.page.locator(".jp-OutputArea-output .ks").first
    behind_dots(panel).get_by_role("button", name="Keep the picture in sight").click()
    expect(on_stage(page)).to_have_count(1)
    page.page.set_viewport_size({"width": 900, "height": 800})
    expect(on_stage(page)).to_have_count(0)
    expect(page.page.locator(".jp-OutputArea-output .ks-picture svg").first).to_be_visible()
