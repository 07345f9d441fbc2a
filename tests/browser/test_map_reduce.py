"""The panels of lesson 04, moved from the keyboard in JupyterLab."""

from playwright.sync_api import Locator, expect

from tests.browser.conftest import Open
from tests.browser.lab import Notebook

NAME = "04-map-reduce.ipynb"


def panel(page: Notebook, label: str) -> Locator:
    """The first panel that has this text beside a control."""
    return page.page.locator(".kschedlab").filter(has=page.page.get_by_text(label, exact=True)).first


def test_each_panel_once(notebook: Open) -> None:
    page = notebook(NAME)
    page.run_all()

    work = panel(page, "seed of the times")
    sentence, picture = work.get_by_role("status"), work.get_by_role("img")
    expect(sentence).to_contain_text("After the last Map, Reduce has changed 3 rows")
    work.get_by_role("button", name="First").click()
    expect(sentence).to_contain_text("The channel holds the indices 0 to 11 and is closed; 4 workers will take them.")
    work.get_by_role("button", name="Next").click()
    expect(sentence).to_contain_text("Tick 1: W1 takes 0, W2 takes 1, W3 takes 2, W4 takes 3")
    expect(picture).to_contain_text("time in ticks: 1 of 8")
    page.press("workers", "End")
    expect(sentence).to_contain_text("W12 takes 11")
    expect(picture).to_contain_text("time in ticks: 1 of 4")

    race = panel(page, "seed of the order")
    sentence, picture = race.get_by_role("status"), race.get_by_role("img")
    expect(sentence).to_contain_text("takes the lock")
    race.get_by_role("button", name="Next").click()
    expect(sentence).to_contain_text("Step 8: G2 reads the total of node-a, 0.")
    expect(picture).to_contain_text("has 0")
    page.press("goroutines", "ArrowLeft")
    expect(picture).not_to_contain_text("G3")

    sums = panel(page, "weight of NodeAffinity")
    sentence, picture = sums.get_by_role("status"), sums.get_by_role("img")
    expect(sentence).to_contain_text("Each score is for one node alone")
    page.press("stage", "End")
    expect(sentence).to_contain_text("node-a has the highest sum, 100035")
    page.press("weight of NodeAffinity", "ArrowRight")
    expect(sentence).to_contain_text("node-c has the highest sum, 100042")
    expect(picture).to_contain_text("100042")

    equals = panel(page, "seed of the draws")
    sentence = equals.get_by_role("status")
    expect(sentence).to_contain_text("node-a 6, node-b 0")
    equals.get_by_text("a job after each web pod", exact=True).click()
    expect(sentence).to_contain_text("the 12 web pods went to: node-a 6, node-b 6")


def test_exercises_answered_in_their_boxes(notebook: Open) -> None:
    page = notebook(NAME)
    page.run_all()
    box = page.page.locator(".kschedlab").filter(has_text="The total of a node").first
    box.get_by_role("textbox").fill("28")
    box.get_by_role("textbox").press("Enter")
    box.get_by_role("button", name="Check").click()
    expect(box.get_by_role("status")).to_contain_text("The sum is 7 + 14 + 7 = 28.")
