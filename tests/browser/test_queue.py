"""The panels of the queue, moved from the keyboard in JupyterLab."""

from playwright.sync_api import Locator, expect

from tests.browser.conftest import Open
from tests.browser.lab import Notebook

NAME = "02-queue.ipynb"


def panel(page: Notebook, label: str) -> Locator:
    """The first panel that has a control with this label."""
    return page.page.locator(".kschedlab").filter(has=page.page.get_by_text(label, exact=True)).first


def test_the_heap_is_walked_step_by_step(notebook: Open) -> None:
    page = notebook(NAME)
    page.run_all()
    heap = panel(page, "pods in the heap")
    picture, sentence = heap.get_by_role("img"), heap.get_by_role("status")
    expect(sentence).to_contain_text("Pop, step 0 of 6. 7 pods; the head, c (900), is next.")
    expect(picture).not_to_contain_text("⇄")
    heap.get_by_role("button", name="Next").click()
    expect(sentence).to_contain_text("Swap(0, 6)")
    expect(picture).to_contain_text("⇄ a")
    page.press("pods in the heap", "ArrowLeft")
    expect(sentence).to_contain_text("Swap(0, 5)")


def test_the_other_field_decides(notebook: Open) -> None:
    page = notebook(NAME)
    page.run_all()
    order = panel(page, "mail: lastProbeTime")
    picture, sentence = order.get_by_role("img"), order.get_by_role("status")
    expect(picture).to_contain_text("★ web")
    page.press("mail: lastProbeTime", "Home")
    expect(sentence).to_contain_text("mail is next: the priorities are equal, and its creationTimestamp 08:00")
    expect(picture).to_contain_text("★ mail")


def test_a_failed_pod_goes_elsewhere(notebook: Open) -> None:
    page = notebook(NAME)
    page.run_all()
    parts = panel(page, "it fails with")
    picture, sentence = parts.get_by_role("img"), parts.get_by_role("status")
    expect(sentence).to_contain_text("web is in activeQ.")
    parts.get_by_role("combobox").first.select_option("MoveAll before the pop")
    expect(sentence).to_contain_text("web is in unschedulableQ.")
    expect(picture).to_contain_text("moveRequestCycle 0")


def test_a_nomination_is_forgotten(notebook: Open) -> None:
    page = notebook(NAME)
    page.run_all()
    nominated = panel(page, "with v1.16's rule for update")
    picture, sentence = nominated.get_by_role("img"), nominated.get_by_role("status")
    expect(picture).to_contain_text("▶ urgent")
    nominated.get_by_role("button", name="Next").click()
    expect(sentence).to_contain_text("podsForNode gives node-a: batch.")
    nominated.get_by_role("checkbox").check()
    expect(sentence).to_contain_text("node-b: urgent")


def test_the_clock_is_dragged(notebook: Open) -> None:
    page = notebook(NAME)
    page.run_all()
    clock = panel(page, "time")
    picture, sentence = clock.get_by_role("img"), clock.get_by_role("status")
    expect(sentence).to_contain_text("v1.37, 7 s: web backs off (3 tries)")
    before = picture.inner_html()
    page.press("time", "ArrowRight", 4)
    expect(sentence).to_contain_text("v1.37, 11 s: web is bound (4 tries), ssd is bound (2 tries)")
    assert "web is bound" in (picture.get_attribute("aria-label") or "")
    assert picture.inner_html() != before
