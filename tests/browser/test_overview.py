"""Lesson 01 in JupyterLab: each of its panels is moved once, and what it shows changes."""

from playwright.sync_api import Locator, expect

from tests.browser.conftest import Open
from tests.browser.lab import Notebook

NAME = "01-overview.ipynb"


def panel_with(page: Notebook, label: str) -> Locator:
    """The first panel that has a control with this label."""
    return page.page.locator(".kschedlab").filter(has=page.page.get_by_text(label, exact=True)).first


def test_every_panel_is_moved(notebook: Open) -> None:
    page = notebook(NAME)
    page.run_all()

    walk = panel_with(page, "story")
    picture, sentence = walk.get_by_role("img"), walk.get_by_role("status")
    expect(picture).to_contain_text("▶\u00a0SchedulingQueue")
    walk.get_by_role("button", name="Next").click()
    expect(picture).to_contain_text("▶\u00a0NextPod")
    expect(sentence).to_contain_text("Step 1 of 9, at 1.000 s: NextPod")
    walk.get_by_label("story", exact=True).select_option("bind failure")
    expect(sentence).to_contain_text("Step 1 of 21")

    page.press("web asks for", "End")
    inside = panel_with(page, "web asks for")
    expect(inside.get_by_role("img")).to_contain_text("✕\u00a0FitError")
    expect(inside.get_by_role("status")).to_contain_text("0/3 nodes are available: 3 Insufficient cpu.")

    predicate = panel_with(page, "way out")
    predicate.get_by_label("way out").check()
    expect(predicate.get_by_role("status")).to_contain_text("lets web onto node-a")
    expect(predicate.get_by_role("img")).to_contain_text("★ node-a")
    predicate.get_by_label("predicate", exact=True).select_option("NoDiskConflict")
    expect(predicate.get_by_role("status")).to_contain_text("NoDiskConflict lets web")

    priority = panel_with(page, "counterweight")
    priority.get_by_label("priority", exact=True).select_option("InterPodAffinityPriority")
    expect(priority.get_by_role("status")).to_contain_text("InterPodAffinityPriority gives node-a 10, node-b 0")
    expect(priority.get_by_role("img")).to_contain_text("★ node-a")

    watch = panel_with(page, "change of a pod")
    watch.get_by_role("button", name="Back").click()
    expect(watch.get_by_role("status")).to_contain_text("NOMINATED NODE node-a.")
    expect(watch.get_by_role("img")).not_to_contain_text("evicted")


def test_the_curve_follows_its_sliders(notebook: Open) -> None:
    page = notebook(NAME)
    page.run_all()
    panel = panel_with(page, "nodes in the cluster")
    panel.scroll_into_view_if_needed()
    expect(panel.locator(".js-plotly-plot")).to_contain_text("420")
    page.press("nodes in the cluster", "End")
    expect(panel.get_by_role("status")).to_contain_text("Of 8,000 nodes, v1.13 finds 4,000")
    expect(panel.locator(".js-plotly-plot")).not_to_contain_text("420")
