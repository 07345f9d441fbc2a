"""Lesson 05 in JupyterLab, played as a student plays it: predict in the picture, then move it."""

from playwright.sync_api import Locator, expect

from tests.browser.conftest import Open
from tests.browser.lab import behind_dots

NAME = "05-preemption.ipynb"
BUDGET = "budget allows"


def control(panel: Locator, label: str) -> Locator:
    behind_dots(panel)
    return panel.locator(".ks-control").get_by_label(label, exact=True)


def test_a_prediction_opens_its_own_answer_only_and_a_slider_changes_the_chosen_node(notebook: Open) -> None:
    page = notebook(NAME)
    page.run_all()
    for number in range(5):
        expect(page.stage("Which node is chosen?", number).locator('[data-state="chosen"]')).to_have_count(0)
    panel = page.kept_stage("Which node is chosen?")
    picture, sentence = panel.locator(".ks-picture"), panel.locator(".ks-sentence")
    expect(picture).to_contain_text("waiting")
    expect(picture.locator('[data-state="chosen"]')).to_have_count(0)
    expect(sentence).to_have_text("")
    panel.locator(".ks-question").get_by_role("button", name="node-b").click()
    expect(panel.locator(".ks-question")).to_contain_text("node-b drops out at rule 2: it has 150")
    expect(picture.locator('[data-key="node/node-a"][data-state="chosen"]')).to_have_count(1)
    expect(sentence).to_contain_text("urgent goes to node-a")
    expect(page.stage("Which node is chosen?", 1).locator('[data-state="chosen"]')).to_have_count(0)
    control(panel, BUDGET).press("ArrowLeft")
    expect(picture.locator('[data-key="node/node-c"][data-state="chosen"]')).to_have_count(1)
    expect(picture.locator('[data-key="node/node-a"][data-state="chosen"]')).to_have_count(0)
    expect(sentence).to_contain_text("urgent goes to node-c")
    assert "urgent goes to node-c" in (picture.locator("svg").get_attribute("aria-label") or "")
    control(panel, BUDGET).press("ArrowRight")
    expect(picture.locator('[data-key="node/node-a"][data-state="chosen"]')).to_have_count(1)
    third = page.stage("Which node is chosen?", 2)
    third.locator(".ks-question").get_by_role("button", name="node-b").click()
    expect(third.locator(".ks-question")).to_contain_text("Right. Rule 2")
    typed = page.stage("Which priority must jobs-c have")
    typed.locator(".ks-question input").fill("-2147483648")
    typed.locator(".ks-question input").press("Enter")
    expect(typed.locator(".ks-question")).to_contain_text("Right. -2147483648 + 2³¹ is 0")
