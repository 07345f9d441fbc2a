"""The teacher's forms in JupyterLab: sheets are shown, printed and downloaded; a class's files become a table."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, expect

from kschedlab_lab.exercises import RosterForm, sheets
from kschedlab_lab.exercises.exercise import State
from kschedlab_lab.exercises.lesson import LESSONS
from kschedlab_lab.exercises.progress import Record, handed_in
from kschedlab_lab.language import LANGUAGES
from kschedlab_lab.panels import class_vote
from tests.browser.conftest import Show
from tests.browser.lab import Notebook
from tests.samples import sampled

EXPORT = handed_in([Record("queue", 1, 1, "The array", State.RIGHT, 1)])


def sheets_are_downloaded_and_files_of_a_class_become_a_table(page: Notebook, tmp_path: Path) -> None:
    form = page.page.locator(".ks-desk").filter(has_text="seeds")
    form.get_by_label("lesson").select_option("queue")
    form.get_by_label("seeds").fill("1-2")
    form.get_by_role("button", name="Show").click()
    sheets = form.frame_locator("iframe")
    expect(sheets.get_by_role("heading", name="02 queue")).to_have_count(2)
    expect(sheets.get_by_text("Name", exact=True)).to_have_count(2)
    form.get_by_label("contents").select_option("answers at a glance")
    with page.page.expect_download() as download:
        form.get_by_role("button", name="Download").click()
    assert download.value.suggested_filename == "queue-answers-1-2.html"
    assert Path(download.value.path()).read_text(encoding="utf-8").startswith("<!doctype html>")
    form.get_by_label("seeds").fill("one")
    form.get_by_role("button", name="Show").click()
    expect(form.get_by_role("status")).to_contain_text('"one" is neither a number nor a range')
    a_class = page.page.locator(".ks-desk").filter(has_text="Drop the files")
    a_mark_opens_the_answer_and_closes_it(a_class)
    a_mark_stays_where_it_is_clicked(a_class)
    save = a_class.get_by_role("button", name="Download as CSV")
    expect(save).to_be_hidden()
    for name, text in (("li-na.json", EXPORT), ("otto.json", EXPORT.replace("right", "not yet")), ("x.json", "no")):
        (tmp_path / name).write_text(text, encoding="utf-8")
    a_class.get_by_label("files of the class").set_input_files(sorted(tmp_path.iterdir()))
    expect(a_class.get_by_role("row").filter(has_text="li-na")).to_contain_text("1 of 3")
    expect(a_class.get_by_role("row").filter(has_text="otto")).to_contain_text("✗ 1")
    expect(a_class.get_by_role("alert")).to_contain_text("x.json: can't be read")
    with page.page.expect_download() as download:
        save.click()
    assert "li-na,queue,1,1,The array,right" in Path(download.value.path()).read_text(encoding="utf-8")
    a_class.get_by_role("button", name="Start over").click()
    expect(a_class.get_by_text("A class that is made up, until you drop files")).to_be_in_viewport()
    expect(a_class.get_by_label("files of the class")).to_be_in_viewport()
    expect(save).to_be_hidden()


OPEN = """async ([code, traits]) => {
    const url = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
    const model = { comm_live: true, get: (name) => traits[name], on: () => {}, off: () => {}, send: () => {} };
    (await import(url)).default.render({ model, el: document.body });
}"""


def test_a_page_that_is_loaded_again_shows_the_class(browser: Browser) -> None:
    form, page = RosterForm(), browser.new_page()
    form.obey({"files": {"li-na.json": EXPORT}})
    traits = {name: getattr(form, name) for name in ("form", "merged", "large", "spoken")}
    page.evaluate(OPEN, [form._esm, traits])
    expect(page.get_by_role("row").filter(has_text="li-na")).to_contain_text("1 of 3")
    expect(page.get_by_text("A class that is made up")).to_have_count(0)
    for name in ("Start over", "Download as CSV"):
        expect(page.get_by_role("button", name=name)).to_be_visible()
    page.close()


def test_one_click_lets_a_class_vote(shown: Show) -> None:
    page = shown(class_vote.three_in_the_way()).page
    page.get_by_role("button", name="Let a class vote").click()
    expect(page.locator(".ks")).to_have_class(re.compile("ks-large"))
    page.keyboard.press("2")
    page.keyboard.press("Enter")
    expect(page.locator(".ks-right")).to_contain_text("Most votes: GeneralPredicates.")


def a_mark_opens_the_answer_and_closes_it(a_class: Locator) -> None:
    mark = a_class.get_by_role("row").filter(has_text="li-na").get_by_role("button").nth(1)
    for press in (mark.click, lambda: mark.press("Enter")):
        press()
        expect(a_class.get_by_role("row").filter(has_text="Last answer")).to_contain_text("node-a is still chosen")
        press()
        expect(a_class.get_by_text("Last answer")).to_have_count(0)


def a_mark_stays_where_it_is_clicked(a_class: Locator) -> None:
    above, below = (a_class.get_by_role("row").filter(has_text=name).get_by_role("button") for name in ("mei", "sam"))
    above.nth(1).click()
    expect(a_class.get_by_text("Last answer")).to_be_visible()
    below.nth(2).scroll_into_view_if_needed()
    before = below.nth(2).bounding_box() or {}
    below.nth(2).click()
    expect(a_class.get_by_text("goes wrong")).to_be_visible()
    assert (below.nth(2).bounding_box() or {})["y"] == pytest.approx(before["y"], abs=2)
    below.nth(2).click()


WIDTH = 703
"""Of a printed page between its margins, in pixels."""
SEEDS = "1, 7, 27"
"""With 7 and 27, rule 5 of preemption decides: the sheet needs every start time."""


@pytest.mark.parametrize("language", sampled(LANGUAGES, 1))
def test_a_sheet_takes_one_page(browser: Browser, language: str) -> None:
    page = browser.new_page()
    for lesson in LESSONS:
        page.set_content(sheets(lesson, SEEDS, language=language))
        data = page.pdf(prefer_css_page_size=True)
        assert len(re.findall(rb"/Type\s*/Page\b", data)) == 3, lesson
    page.close()


@pytest.mark.parametrize("language", sampled(LANGUAGES, 1))
def test_nothing_is_wider_than_a_printed_page(browser: Browser, language: str) -> None:
    page = browser.new_page(viewport={"width": WIDTH, "height": 1000})
    page.emulate_media(media="print")
    for lesson in LESSONS:
        page.set_content(sheets(lesson, "1", solutions=True, language=language))
        assert page.evaluate("document.documentElement.scrollWidth") <= WIDTH, lesson
    page.close()
