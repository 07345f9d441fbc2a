"""The preemption panel, moved from the keyboard in JupyterLab."""

import re

from playwright.sync_api import expect

from tests.browser.conftest import Open

NAME = "05-preemption.ipynb"
BUDGET = "PDB disruptionsAllowed"


def test_a_slider_moved_by_keyboard_changes_the_chosen_node(notebook: Open) -> None:
    page = notebook(NAME)
    page.run_all()
    panel = page.page.locator(".kschedlab").first
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
    panel = page.page.locator(".kschedlab").first
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
