"""Every notebook runs from top to bottom in JupyterLab; the fixture sees to the console and to requests.

One that was run, saved and closed shows its last pictures when it is opened again, and after a restart.
"""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.conftest import IN_THE_TEXT, NOTEBOOKS, ROOT, Lab, Open, reopened
from tests.browser.lab import Notebook
from tests.browser.test_contents import the_map_leads_to_a_lesson
from tests.browser.test_map_reduce import an_exercise_is_answered_in_its_box
from tests.browser.test_score import digits_after_an_answer_restart_no_kernel
from tests.browser.test_teacher import sheets_are_downloaded_and_files_of_a_class_become_a_table
from tests.browser.test_your_cluster import changes_are_applied_and_other_clusters_loaded

LIVE = ".jp-OutputArea-output .kschedlab:not(.kschedlab .kschedlab)"
FIRST = "Type kubectl in a terminal"
"""What a cluster for kubectl says once it lives; its saved picture says what it is."""
LIVE_AND_SAVED = """() => [...document.querySelectorAll(".jp-OutputArea-child .ks:has(.ks-sentence)")].map((stage) => {
    const saved = stage.closest(".jp-OutputArea-child").previousElementSibling?.querySelector(".ks-still");
    const live = stage.querySelector(".ks-sentence").textContent.trim();
    return [live, saved?.textContent.includes(live) ?? false];
})"""


def test_saved_pictures_show_in_a_notebook_that_is_not_trusted(lab: Lab, notebook: Open) -> None:
    name = "06-generations.ipynb"
    shutil.copy(ROOT / "notebooks" / name, lab.home / "notebooks")
    page = notebook(name).page
    page.wait_for_function(
        """() => {
            const pictures = [...document.querySelectorAll('.jp-OutputArea-output img[src^="data:image/svg+xml,"]')];
            return pictures.length > 1 && pictures.every((each) => each.complete && each.naturalWidth > 0);
        }"""
    )


PLAYED = "05-preemption.ipynb"
"""The lesson that test_preemption.py plays, saves and opens again."""
REOPENED = ("01-overview.ipynb", "09-your-plugin.ipynb")
"""The others that `make test` opens again after it ran them; `make test-all` does it with all."""
OTHERS = [each for each in NOTEBOOKS if each not in (PLAYED, *REOPENED)]
Visit = Callable[[Notebook, Path], None]
VISITS: dict[str, Visit] = {
    "00-contents.ipynb": the_map_leads_to_a_lesson,
    "03-score.ipynb": digits_after_an_answer_restart_no_kernel,
    "04-map-reduce.ipynb": an_exercise_is_answered_in_its_box,
    "07-your-cluster.ipynb": changes_are_applied_and_other_clusters_loaded,
    "08-teacher.ipynb": sheets_are_downloaded_and_files_of_a_class_become_a_table,
}
"""What a reader does in a lesson that has run, with a folder of their own."""


@pytest.mark.parametrize("name", OTHERS)
def test_every_panel_shows_what_is_saved_and_answers_a_reader(notebook: Open, name: str, tmp_path: Path) -> None:
    page = notebook(name)
    panels_of(page, name)
    if name in VISITS:
        VISITS[name](page, tmp_path)


@pytest.mark.parametrize("name", [*REOPENED, *(pytest.param(each, marks=pytest.mark.nightly) for each in OTHERS)])
def test_every_panel_shows_what_is_saved_and_is_a_still_picture_when_reopened(
    lab: Lab, notebook: Open, name: str
) -> None:
    """Reopened, there is no kernel."""
    page = notebook(name)
    panels = panels_of(page, name)
    stills_of(reopened(lab, notebook, page, name), panels)


def panels_of(page: Notebook, name: str) -> int:
    """How many panels live after all cells have run. Each shows its own state: no later cell has moved it."""
    page.run_all()
    panels = (ROOT / "notebooks" / name).read_text(encoding="utf-8").count('class=\\"ks-still\\"')
    expect(page.page.locator(LIVE)).to_have_count(panels)
    page.page.wait_for_function(
        f"() => ({LIVE_AND_SAVED})().every(([live, saved]) => saved || live.startsWith('{FIRST}'))"
    )
    expect(page.page.locator(".ks-still").locator("visible=true")).to_have_count(0)
    return panels


def stills_of(page: Notebook, panels: int) -> None:
    """Each panel of a notebook without a kernel is a picture that says how it comes to life."""
    stills = page.page.locator(".ks-still").locator("visible=true")
    expect(stills).to_have_count(panels)
    for each in range(panels):
        expect(stills.nth(each)).to_contain_text("run this cell (Shift+Enter)")


def test_the_saved_picture_is_the_last_state_and_a_restart_leaves_it_there(lab: Lab, notebook: Open) -> None:
    name = "grammar.ipynb"
    page = notebook(name)
    page.run_all()
    page.press("extra pods", "End")
    expect(page.page.locator(".ks-still").first).to_contain_text("3 more")
    saved_by_its_key_while_a_panel_has_the_focus(page)
    page.page.get_by_role("menuitem", name="Kernel", exact=True).click()
    page.page.get_by_text("Restart Kernel…", exact=True).click()
    page.page.locator(".jp-Dialog").get_by_text("Restart", exact=True).click()
    expect(page.page.locator(".ks-lost").first).to_contain_text("Run the cell again")
    expect(page.page.locator(".ks-sentence").first).to_contain_text("3 more")
    expect(page.page.locator(".jp-StatusBar-TextItem", has_text="| Idle")).to_be_visible()
    again = reopened(lab, notebook, page, name)
    expect(again.page.locator(".ks-still").first).to_contain_text("3 more")


def saved_by_its_key_while_a_panel_has_the_focus(page: Notebook) -> None:
    """The panel keeps the focus, and its keys."""
    expect(page.page.locator(".jp-mod-dirty")).not_to_have_count(0)
    page.save()
    expect(page.slider("extra pods")).to_be_focused()
    page.page.keyboard.press("Home")
    expect(page.page.locator(".ks-sentence").first).not_to_contain_text("3 more")
    page.page.keyboard.press("End")
    expect(page.page.locator(".ks-still").first).to_contain_text("3 more")


IMPATIENT = """AbortSignal.timeout = () => {
    const limit = new AbortController();
    setTimeout(() => limit.abort());
    return limit.signal;
}"""


def test_in_a_slow_browser_every_panel_comes_to_life(lab: Lab, browser: Browser) -> None:
    """Slow: every time limit that its scripts set has passed at once."""
    context = browser.new_context(viewport={"width": 1400, "height": 1000})
    context.add_init_script(IMPATIENT)
    context.add_init_script(IN_THE_TEXT)
    lab.new_notebooks()
    page = Notebook(context.new_page())
    page.open(lab.page("grammar.ipynb"))
    page.run_all()
    page.press("extra pods", "End")
    expect(page.page.locator(".ks-sentence").first).to_contain_text("3 more")
    assert page.problems == []
    context.close()
    lab.end_kernels()
