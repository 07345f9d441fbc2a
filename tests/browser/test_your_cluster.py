"""Lesson 07 in JupyterLab: a pod chosen by keyboard, a cluster uploaded and pasted, wrong input told."""

from pathlib import Path

from playwright.sync_api import expect

from kschedlab.testing import as_yaml, node, pod
from tests.browser.conftest import Open

NAME = "07-your-cluster.ipynb"
SMALL = as_yaml([node("node-a"), pod("first", "node-a", 1), pod("second", "", 9)])


def test_a_pod_and_a_question_chosen_by_keyboard(notebook: Open) -> None:
    page = notebook(NAME)
    page.run_all()
    panel = page.page.locator(".kschedlab").filter(has_text="Another cluster").first
    asked = panel.locator(".kschedlab").first
    sentence = asked.get_by_role("status")
    picture = asked.get_by_role("img")
    find = panel.get_by_placeholder("part of a name, then Enter")
    find.scroll_into_view_if_needed()
    find.fill("kafka-3")
    find.press("Enter")
    expect(sentence).to_contain_text("data/kafka-3 runs on data-")
    chosen = picture.get_attribute("aria-label")
    question = asked.get_by_label("question")
    question.focus()
    for key in ("Space", "ArrowUp", "ArrowUp", "Enter"):
        page.page.keyboard.press(key)
    expect(sentence).to_contain_text("So it would land on the node where it runs.")
    for key in ("Space", "ArrowDown", "Enter"):
        page.page.keyboard.press(key)
    expect(sentence).to_contain_text("What would change it: asking for")
    find.fill("postgres")
    find.press("Enter")
    expect(sentence).to_contain_text("data/postgres-0 fits on none of 200 nodes")
    expect(picture).to_contain_text("refused by VolumeBinding: 16 nodes")
    assert picture.get_attribute("aria-label") != chosen


def test_another_cluster_by_upload_and_by_text(notebook: Open, tmp_path: Path) -> None:
    page = notebook(NAME)
    page.run_all()
    panel = page.page.locator(".kschedlab").filter(has_text="Another cluster").first
    panel.get_by_role("button", name="Another cluster").click()
    text = panel.locator("textarea").first
    text.fill("kind: Node\nmetadata: {name: '<script>alert(1)</script>'}\n")
    panel.get_by_role("button", name="Load text").click()
    expect(panel.get_by_role("alert").first).to_contain_text("pasted:2: Node <script>")
    expect(panel.get_by_role("status").first).to_contain_text("200 nodes")
    path = tmp_path / "small.yaml"
    path.write_text(SMALL)
    with page.page.expect_file_chooser() as chooser:
        panel.get_by_role("button", name="Upload files").click()
    chooser.value.set_files(path)
    expect(panel.get_by_role("status").first).to_contain_text("small.yaml: 1 node, 1 running pod, 1 pending.")
    expect(panel).to_contain_text("default/second fits on none of 1 node")
    panel.get_by_role("button", name="Back to the bundled cluster").click()
    expect(panel.get_by_role("status").first).to_contain_text("the bundled cluster: 200 nodes")
