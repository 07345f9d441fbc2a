"""The stages of lesson 03 in a plain page: nothing overlaps, and what is dragged, clicked and answered arrives."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from kschedlab_lab.panels import score, score_two as two, select_host, weights
from kschedlab_lab.panels.select_host import LISTS
from tests.browser.conftest import Show
from tests.browser.lab import Notebook
from tests.samples import sampled

STATES = {
    "two nodes": two.panel(),
    "two nodes, a tie": two.panel(room=2),
    "two nodes, asked": two.panel().ask(two.which()),
    "map": score.panel("raw", step=2),
    "map, half built": score.panel("raw", step=1),
    "a tie": weights.panel(least=0, nodes=0),
    "long arithmetic": score.panel(plugin="NodeResourcesLeastAllocated"),
    "turned round": score.panel("normalised", plugin="TaintToleration", node="node-d", step=2),
    "a cell, asked": score.panel("normalised", plugin="NodeAffinity").ask(score.without_the_disk()),
    "weights": weights.panel(),
    "weights, most": weights.panel(**dict.fromkeys(weights.FIELDS, weights.MOST)),
    "weights, off": weights.panel(**dict.fromkeys(weights.FIELDS, 0)),
    "draw, asked": select_host.panel().ask(select_host.first_stays()),
    **{f"draw {scores}": select_host.panel(scores=scores) for scores in LISTS},
}


@pytest.mark.parametrize("state", sampled(STATES, 8))
def test_nothing_overlaps_is_cut_or_too_small(state: str, shown: Show) -> None:
    page = shown(STATES[state], width=800)
    assert page.faults() == []
    page.page.set_viewport_size({"width": 1280, "height": 720})
    page.page.get_by_role("button", name="Classroom").click()
    page.settled()
    assert page.faults() == []
    box = page.sentence.bounding_box()
    assert box is None or box["y"] + box["height"] <= 720


def test_a_cell_is_explained(shown: Show) -> None:
    page = shown(score.panel())
    expect(page.key("bar/node-c")).to_contain_text("★ node-c")
    page.key("cell/NodeResourcesLeastAllocated/node-d").click()
    page.settled()
    expect(page.sentence).to_contain_text("node-d gets (37 + 81) / 2 = 59.")


def test_the_column_is_picked_in_the_map(shown: Show) -> None:
    page = shown(score.panel().ask(score.who_wins()))
    page.key("node/node-d").click()
    expect(page.page.locator(".ks-wrong")).to_contain_text("TaintToleration −100. Together −26.")
    expect(page.key("bar/node-c")).to_contain_text("★ node-c")


def test_rows_are_normalised_one_by_one(shown: Show) -> None:
    page = shown(score.panel("normalised", plugin="NodeAffinity"))
    page.page.get_by_role("slider", name="step").press("Home")
    page.settled()
    expect(page.key("cell/NodeAffinity/node-d")).to_have_text("60")
    page.page.get_by_role("button", name="Next").click()
    page.settled()
    expect(page.key("cell/NodeAffinity/node-d")).to_have_text("100")
    expect(page.sentence).to_contain_text("node-c: 20 × 100 / 60 = 33")
    expect(page.key("cell/TaintToleration/node-c")).to_have_text("0")
    page.page.get_by_role("button", name="Next").click()
    page.settled()
    expect(page.key("cell/TaintToleration/node-c")).to_have_text("100")


def test_the_node_is_picked_in_the_picture_and_the_answer_is_about_it(shown: Show) -> None:
    page = shown(two.panel().ask(two.which()))
    expect(page.page.locator("body")).not_to_contain_text("125")
    page.key("node/node-a/pick").click()
    expect(page.page.locator(".ks-wrong")).to_contain_text("another 100 for the fast disk: 75 against 125.")
    expect(page.key("node/node-b")).to_have_attribute("data-state", "chosen")


def test_a_number_is_typed(shown: Show) -> None:
    page = shown(score.panel("normalised", plugin="NodeAffinity", node="node-c").ask(score.without_the_disk()))
    page.page.get_by_role("textbox").first.fill("33")
    page.page.get_by_role("textbox").first.press("Enter")
    expect(page.page.locator(".ks-wrong")).to_contain_text(
        "33 was with the fast disk. 20 is the largest of the row now"
    )


def test_the_node_with_the_fewest_points_is_picked_by_its_column(shown: Show) -> None:
    page = shown(score.panel("raw", node="node-b", plugin="NodeResourcesLeastAllocated").ask(score.the_least()))
    expect(page.key("cell/NodeResourcesLeastAllocated/node-b")).to_have_text("?")
    page.key("pick/node-b").click()
    expect(page.page.locator(".ks-right")).to_contain_text("node-b gets (37 + 31) / 2 = 34.")
    expect(page.key("cell/NodeResourcesLeastAllocated/node-b")).to_have_text("34")


def test_a_weight_is_changed_in_the_map(shown: Show) -> None:
    page = shown(weights.panel())
    expect(page.key("bar/node-c")).to_contain_text("★ node-c")
    page.page.get_by_role("slider", name="NodeAffinity").first.press("ArrowRight")
    page.settled()
    expect(page.key("cell/NodeAffinity/node-d")).to_have_text("200")
    expect(page.sentence).to_have_text(re.compile("^Well done.*node-d .*259.* 41 .*node-c"))


def test_an_equal_takes_over_with_one_half(shown: Show) -> None:
    page = shown(select_host.panel())
    expect(page.sentence).to_have_text(re.compile("4 best nodes .*1/4"))
    page.page.get_by_role("radio", name="1/2").check(force=True)
    page.settled()
    expect(page.sentence).to_have_text(re.compile("last .*1/2, .*first .*1/8"))


@pytest.mark.parametrize("width", [382, 432])
def test_a_narrow_map_keeps_its_numbers(shown: Show, width: int) -> None:
    page = shown(score.panel(plugin="sum", node="node-c"), width=width)
    expect(page.key("cell/NodeResourcesLeastAllocated/node-a")).to_have_text("65")
    expect(page.key("end/node-a")).to_have_text("165 (−20)")
    assert [fault for fault in page.faults() if "off" not in fault] == []


def digits_after_an_answer_restart_no_kernel(page: Notebook, _: Path) -> None:
    """The field has gone, and 0 0 is a key of JupyterLab."""
    field = page.page.get_by_role("textbox", name="What is it now?").first
    field.fill("100")
    field.press("Enter")
    expect(field).to_have_count(0)
    page.page.keyboard.type("00", delay=50)
    page.page.wait_for_timeout(300)
    expect(page.page.locator(".jp-Dialog")).to_have_count(0)
