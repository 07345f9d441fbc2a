"""The preemption panel, moved from the keyboard in JupyterLab."""

import re

from playwright.sync_api import Locator, expect

from tests.browser.conftest import Open
from tests.browser.lab import Notebook

NAME = "05-preemption.ipynb"
BUDGET = "PDB disruptionsAllowed"


def panels(page: Notebook) -> Locator:
    """What has sliders, without the questions and the exercises."""
    return page.page.locator(".kschedlab").filter(has=page.page.get_by_role("button", name="Classroom"))


def test_a_slider_moved_by_keyboard_changes_the_chosen_node(notebook: Open) -> None:
    page = notebook(NAME)
    page.run_all()
    panel = panels(page).first
    picture, sentence = panel.get_by_role("img"), panel.get_by_role("status")
    expect(picture).to_contain_text("★ node-a")
    expect(sentence).to_contain_text("rule 3 (smallest sum of victim priorities) chooses node-a over node-c.")
    page.press(BUDGET, "ArrowLeft")
    expect(picture).to_contain_text("★ node-c")
    expect(picture).not_to_contain_text("★ node-a")
    expect(sentence).to_contain_text("rule 1 (fewest PodDisruptionBudget violations) chooses node-c")
    expect(panel.get_by_role("row").filter(has_text="▶")).to_contain_text("decides: node-c")
    assert "chooses node-c" in (picture.get_attribute("aria-label") or "")
    page.press(BUDGET, "ArrowRight")
    expect(picture).to_contain_text("★ node-a")


def test_state_reset_yaml_and_classroom(notebook: Open) -> None:
    page = notebook(NAME)
    page.run_all()
    panel = panels(page).first
    state, picture = panel.get_by_role("textbox").first, panel.get_by_role("img")
    state.fill("jobs: 5")
    state.press("Enter")
    expect(panel.get_by_role("alert")).to_contain_text('"5" is not one of -2147483648, 0, 100, 200')
    state.fill("shop_a: 200, allowed: 2")
    state.press("Enter")
    expect(panel.get_by_role("status")).to_contain_text(
        "rule 5 (latest earliest start time) chooses node-c over node-b."
    )
    panel.get_by_role("button", name="Reset").click()
    expect(picture).to_contain_text("★ node-a")
    panel.get_by_role("button", name="YAML").click()
    expect(panel.locator("textarea")).to_have_value(re.compile("disruptionsAllowed: 1"))
    width = picture.bounding_box()
    panel.get_by_role("button", name="Classroom").click()
    label = panel.get_by_text(BUDGET, exact=True)
    expect(label).to_have_css("font-size", "20px")
    larger = picture.bounding_box()
    assert width and larger and larger["width"] > width["width"]


def test_the_map_and_an_exercise_answer(notebook: Open) -> None:
    page = notebook(NAME)
    page.run_all()
    map_ = panels(page).filter(has_text="across")
    sentence = map_.get_by_role("status")
    expect(sentence).to_contain_text("Here node-c is chosen")
    map_.get_by_role("button", name="Reset").click()
    expect(sentence).to_contain_text("Here node-a is chosen; at 5 of 12 places another answer.")
    exercise = page.page.locator(".kschedlab").filter(has_text="On which node does urgent make room?")
    exercise.get_by_role("button", name="Check").click()
    expect(exercise.get_by_role("status")).to_contain_text("There is no answer yet.")
    exercise.get_by_label("node-a").check()
    exercise.get_by_role("button", name="Check").click()
    expect(exercise.get_by_role("status")).to_contain_text("node-a drops out at rule 5")
    exercise.get_by_role("button", name="Hint").click()
    expect(exercise.get_by_role("status")).to_contain_text("Hint 1 of 2")
