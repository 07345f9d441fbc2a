"""Lesson 05 in JupyterLab, as a student plays it: predicted, moved, answered, saved, and opened again."""

from playwright.sync_api import Locator, expect

from tests.browser.conftest import Lab, Open, reopened
from tests.browser.lab import Notebook, behind_dots
from tests.browser.test_exercises import check_runs_the_cell_above
from tests.browser.test_notebooks import panels_of, stills_of

NAME = "05-preemption.ipynb"
BUDGET = "budget allows"
LATER = (
    "The budget allows 0. Which node now?",
    "Rule 1 drops nobody. Which node now?",
)


def control(panel: Locator, label: str) -> Locator:
    behind_dots(panel)
    return panel.locator(".ks-control").get_by_label(label, exact=True)


def test_the_lesson_is_played_saved_and_opened_again(lab: Lab, notebook: Open) -> None:
    page = notebook(NAME, expected="Could not send widget sync message")
    panels = panels_of(page, NAME)
    a_prediction_opens_its_own_answer_only_and_a_slider_changes_the_chosen_node(page)
    what_was_answered_stays_answered_when_the_cells_run_again(page)
    an_exercise_is_answered(page)
    again = reopened(lab, notebook, page, NAME)
    stills_of(again, panels)
    its_answer_is_still_there(again)
    check_runs_the_cell_above(again)
    a_kernel_that_was_shut_down_is_noticed_by_panels_and_exercises(again)


def a_prediction_opens_its_own_answer_only_and_a_slider_changes_the_chosen_node(page: Notebook) -> None:
    for asked in ("Which node is chosen?", *LATER):
        expect(page.stage(asked).locator('[data-state="chosen"]')).to_have_count(0)
    panel = page.kept_stage("Which node is chosen?")
    picture, sentence = panel.locator(".ks-picture"), panel.locator(".ks-sentence")
    expect(picture).to_contain_text("waiting")
    expect(picture.locator('[data-state="chosen"]')).to_have_count(0)
    expect(sentence).to_have_text("")
    picture.locator("[data-pick=node-b]").first.click()
    expect(panel.locator(".ks-question")).to_contain_text("On node-a, only 1 pod has to leave; on node-b, 2.")
    expect(picture.locator('[data-key="node/node-a"][data-state="chosen"]')).to_have_count(1)
    expect(sentence).to_contain_text("urgent goes to node-a")
    expect(page.stage(LATER[0]).locator('[data-state="chosen"]')).to_have_count(0)
    for _ in range(2):
        control(panel, BUDGET).press("ArrowLeft")
    expect(picture.locator('[data-key="node/node-c"][data-state="chosen"]')).to_have_count(1)
    expect(picture.locator('[data-key="node/node-a"][data-state="chosen"]')).to_have_count(0)
    expect(sentence).to_contain_text("urgent goes to node-c")
    assert "urgent goes to node-c" in (picture.locator("svg").get_attribute("aria-label") or "")
    for _ in range(2):
        control(panel, BUDGET).press("ArrowRight")
    expect(picture.locator('[data-key="node/node-a"][data-state="chosen"]')).to_have_count(1)
    third = page.stage(LATER[1])
    third.locator(".ks-picture [data-pick=node-b]").first.click()
    expect(third.locator(".ks-question")).to_contain_text("Right.")
    expect(third.locator(".ks-question")).to_contain_text("node-a, node-c drop out at rule 2")


def what_was_answered_stays_answered_when_the_cells_run_again(page: Notebook) -> None:
    page.run_all()
    panel = page.stage("Which node is chosen?")
    expect(panel.locator(".ks-question")).to_contain_text("On node-a, only 1 pod has to leave; on node-b, 2.")
    behind_dots(panel).get_by_role("button", name="Ask again").click()
    expect(panel.locator(".ks-picture")).to_contain_text("waiting")
    expect(panel.locator(".ks-sentence")).to_have_text("")


ASKED = "On which node does urgent make room?"
REPLY = "node-b drops out at rule 1"


def an_exercise_is_answered(page: Notebook) -> None:
    card = page.page.locator(".ks-exercise").filter(has_text=ASKED)
    card.get_by_role("radio", name="node-b").check()
    card.get_by_role("button", name="Check").click()
    expect(card.get_by_role("status")).to_contain_text(REPLY)
    expect(page.page.locator(".ks-still").filter(has_text=ASKED)).to_contain_text("● node-b")


def its_answer_is_still_there(page: Notebook) -> None:
    """In the saved picture, and in the exercise after all cells have run."""
    still = page.page.locator(".ks-still").filter(has_text=ASKED)
    expect(still).to_contain_text("● node-b")
    expect(still).to_contain_text(REPLY)
    page.run_all()
    card = page.page.locator(".ks-exercise").filter(has_text=ASKED)
    expect(card.get_by_role("radio", name="node-b")).to_be_checked()
    expect(card.get_by_role("status")).to_contain_text(REPLY)


def a_kernel_that_was_shut_down_is_noticed_by_panels_and_exercises(page: Notebook) -> None:
    page.page.get_by_role("menuitem", name="Kernel", exact=True).click()
    page.page.get_by_text("Shut Down Kernel", exact=True).click()
    expect(page.page.get_by_text("No Kernel", exact=True)).to_be_visible()
    panel = page.page.locator(".ks-asking:has([data-pick=node-c])").first
    panel.locator("[data-pick=node-c]").first.click()
    expect(panel.locator(".ks-lost")).to_contain_text("Run the cell again")
    card = page.page.locator(".ks-exercise").first
    card.get_by_role("button", name="Hint").click()
    expect(card.locator(".ks-lost")).to_contain_text("Run the cell again")
