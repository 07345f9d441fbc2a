"""Lesson 07 in JupyterLab, as an engineer uses it: nodes clicked, changes applied, files of any size loaded."""

import json
from pathlib import Path

from playwright.sync_api import Locator, expect

from kschedlab.build import as_yaml, node, pod
from tests.browser.lab import Notebook, behind_dots

SMALL = as_yaml([node("node-a"), pod("first", "node-a", 1), pod("second", "", 9)])


def field(panel: Locator, label: str) -> Locator:
    behind_dots(panel)
    return panel.locator(".ks-control").get_by_label(label, exact=True)


def changes_are_applied_and_other_clusters_loaded(page: Notebook, folder: Path) -> None:
    a_node_is_clicked_a_change_applied_and_a_prediction_opens_its_answer(page)
    another_cluster_by_file_and_by_path(page, folder)


def a_node_is_clicked_a_change_applied_and_a_prediction_opens_its_answer(page: Notebook) -> None:
    page.stage("In which zone?").get_by_role("button", name="eu-1a").click()
    waits = page.page.locator(".kschedlab:has(.ks-sentence)", has_text="postgres-0 waits")
    waits.evaluate("(panel) => (panel.id = 'one')")
    panel = page.page.locator("#one")
    picture, sentence = panel.locator(".ks-picture"), panel.locator(".ks-sentence")
    expect(picture).to_contain_text("only VolumeBinding")
    panel.locator('[data-key="node/data-01"]').press("Enter")
    expect(picture).to_contain_text("asks for 2 CPU, 1.685 free")
    expect(sentence).to_contain_text("postgres-0 waits")
    expect(field(panel, "why not this node?")).to_have_value("data-01")
    picture.get_by_role("button", name="close").click()
    expect(picture).not_to_contain_text("1.685 free")
    picture.get_by_role("button", name="what would change it").click()
    picture.get_by_role("button", name="one more data node in eu-1a").click()
    expect(sentence).to_contain_text("postgres-0 goes to data-01-new.")
    expect(picture.locator('[data-key="node/data-01-new"]')).to_have_count(1)
    picture.get_by_role("button", name="show all nodes").click()
    expect(picture.locator('[data-key="star"]')).to_have_count(1)
    expect(picture.get_by_role("button", name="show all nodes")).to_have_count(0)
    picture.get_by_role("button", name="what would change it").click()
    expect(sentence).to_contain_text("postgres-0 waits")
    field(panel, "pod").fill("kafka-3")
    field(panel, "pod").press("Enter")
    expect(sentence).to_contain_text("kafka-3 goes to data-06, where it runs.")
    field(panel, "pod").fill("no-such-pod")
    field(panel, "pod").press("Enter")
    expect(panel.locator(".ks-alert")).to_contain_text('no pod "no-such-pod" among 2,060 pods')
    expect(sentence).to_contain_text("kafka-3")
    asked = page.stage("What counts most?")
    expect(asked.locator(".ks-picture")).not_to_contain_text("PodTopologySpread")
    asked.get_by_role("button", name="its image").click()
    expect(asked.locator(".ks-question")).to_contain_text(
        "✕ Not quite. ImageLocality, the image, gives both the same. PodTopologySpread, the distance, gives ★ 44"
    )


def another_cluster_by_file_and_by_path(page: Notebook, tmp_path: Path) -> None:
    panel = page.page.locator(".widget-vbox.kschedlab:has(.ks-files)").first
    status = panel.locator('p[role="status"]').first
    expect(panel.locator(".ks-files")).to_contain_text("up to 256 MiB")
    wrong = tmp_path / "wrong.yaml"
    wrong.write_text("kind: Node\nmetadata: {name: '<script>alert(1)</script>'}\n")
    panel.get_by_role("button", name="Load path").click()
    expect(panel.locator(".ks-files")).to_contain_text("Type a path.")
    panel.get_by_label("path", exact=True).fill(str(wrong))
    panel.get_by_role("button", name="Load path").click()
    refused = panel.locator(".ks-files").get_by_role("alert")
    expect(refused).to_contain_text("wrong.yaml:2: Node <script>")
    expect(refused).to_be_in_viewport()
    expect(status).to_contain_text("200 nodes")
    path = tmp_path / "small.yaml"
    path.write_text(SMALL)
    with page.page.expect_file_chooser() as chooser:
        panel.get_by_role("button", name="Choose files, or drop them here").click()
    chooser.value.set_files(path)
    expect(status).to_contain_text("small.yaml: 1 node, 1 running pod, 1 pending.")
    expect(panel.locator(".ks-sentence")).to_contain_text(
        "second waits: on 1 of 1 node, only one filter is in its way."
    )
    large = tmp_path / "large.json"
    notes = {"a": "x" * 15_000}
    pods = [pod(f"p{i}", "node-a", "1m") for i in range(1000)]
    for each in pods:
        each["metadata"]["annotations"] = notes
    large.write_text(
        json.dumps({"apiVersion": "v1", "kind": "List", "items": [node("node-a"), *pods, pod("new", "", 1)]})
    )
    assert large.stat().st_size > 15_000_000, "more than one message may have"
    with page.page.expect_file_chooser() as chooser:
        panel.get_by_role("button", name="Choose files, or drop them here").click()
    chooser.value.set_files(large)
    expect(status).to_contain_text("large.json: 1 node, 1,000 running pods, 1 pending.")
    panel.get_by_label("path", exact=True).fill(str(path))
    panel.get_by_role("button", name="Load path").click()
    expect(status).to_contain_text("small.yaml: 1 node")
    panel.get_by_role("button", name="Back to the bundled cluster").click()
    expect(status).to_contain_text("the bundled cluster: 200 nodes")
