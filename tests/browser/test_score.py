"""The stages of lesson 03 in a plain page: nothing overlaps, and what is dragged, clicked and answered arrives."""

import re

import pytest
from playwright.sync_api import expect

from kschedlab_lab.panels import score, score_questions as questions, select_host, weights
from kschedlab_lab.panels.select_host import LISTS
from tests.browser.conftest import Show
from tests.samples import sampled

STATES = {
    "map": score.panel(),
    "a tie": score.panel(stage="summed", cpu=250, plugin="sum", node="node-d"),
    "long arithmetic": score.panel(plugin="NodeResourcesBalancedAllocation"),
    "stretched": score.panel(plugin="InterPodAffinity", node="node-c", stage="normalised"),
    "cluster": score.shop(),
    "cluster, a tie": score.shop(cpu=250),
    "cluster, asked": score.shop().ask(questions.which_node()),
    "a cell, asked": score.panel(stage="normalised", plugin="NodeAffinity", node="node-c").ask(
        questions.without_the_disk()
    ),
    "weights": weights.panel(),
    "weights, most": weights.panel(**dict.fromkeys(weights.FIELDS, 6)),
    "weights, off": weights.panel(**dict.fromkeys(weights.FIELDS, 0)),
    "weights, asked": weights.panel(nodes=2).ask(weights.who_wins("nodes", 1, 2)),
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


def test_a_stage_a_cell_and_its_arithmetic(shown: Show) -> None:
    page = shown(score.panel())
    page.key("stage/summed").click()
    page.settled()
    expect(page.key("bar/node-c")).to_contain_text("★ node-c")
    page.key("cell/NodeResourcesLeastAllocated/node-d").click()
    page.settled()
    expect(page.sentence).to_contain_text("LeastAllocated gives node-d 59 (59 × 1 = 59).")
    expect(page.page.get_by_role("row").filter(has_text="cpu")).to_contain_text("(4000m - 2500m) × 100 / 4000m = 37")
    page.key("stage/summed").click()
    page.settled()
    page.page.locator('table [data-ref="cell/PodTopologySpread/node-c"]').hover()
    expect(page.page.locator('.ks-picture [data-key="cell/PodTopologySpread/node-c"]')).to_have_class("ks-lit")


def test_the_request_is_dragged_and_the_taint_is_clicked(shown: Show) -> None:
    page = shown(score.panel(stage="summed"))
    x, _ = page.middle("asked/grip")
    for right in (40, 80, 120):
        page.drag("asked/grip", x + right - page.middle("asked/grip")[0], 0)
        assert abs(page.middle("asked/grip")[0] - x - right) <= 22, "the handle is under the hand"
    page.drag("asked/grip", x - 40 - page.middle("asked/grip")[0], 0)
    expect(page.sentence).to_contain_text("node-a and node-d share 461")
    assert ["tie" in (page.key(f"end/{node}").text_content() or "") for node in score.NODES] == [
        True,
        False,
        False,
        True,
    ]
    page.page.get_by_role("checkbox", name="taint on node-d").click()
    page.settled()
    expect(page.key("bar/node-d")).to_contain_text("★ node-d")


def test_the_map_fills_cell_by_cell(shown: Show) -> None:
    page = shown(score.panel(stage="raw"))
    end = page.picture.inner_html()
    page.page.get_by_role("button", name="Show how").click()
    moment = page.page.get_by_role("slider", name="Moment of the story")
    moment.press("Home")
    page.settled()
    expect(page.sentence).to_contain_text("4 workers, one for each node")
    expect(page.key("cell/NodeAffinity/node-a")).to_have_text("")
    moment.press("ArrowRight")
    page.settled()
    expect(page.key("cell/NodeAffinity/node-a")).to_have_text("0")
    expect(page.key("cell/NodeAffinity/node-d")).to_have_text("")
    moment.press("End")
    page.settled()
    assert page.picture.inner_html() == end


def test_the_pod_follows_the_hand(shown: Show) -> None:
    page = shown(score.shop())

    def top() -> float:
        box = page.key("pod/shop-new/box").bounding_box()
        assert box is not None
        return box["y"]

    began, tall = top(), page.key("pod/shop-new/box").bounding_box()
    assert tall is not None
    page.drag("pod/shop-new", 0, -tall["height"])
    expect(page.sentence).to_contain_text("shop-new goes to node-c")
    assert top() == pytest.approx(began - tall["height"], abs=4), "500m more are as high as 500m"


def test_the_node_is_picked_in_the_picture_and_the_answer_is_about_it(shown: Show) -> None:
    page = shown(score.shop().ask(questions.which_node()))
    expect(page.page.locator("body")).not_to_contain_text("453")
    page.key("node/node-a/pick").click()
    expect(page.page.locator(".ks-wrong")).to_contain_text(
        "node-a is 2 points behind node-c: PodTopologySpread alone gives node-c 150 more."
    )
    expect(page.key("node/node-c")).to_have_attribute("data-state", "chosen")


def test_a_number_is_typed(shown: Show) -> None:
    page = shown(score.panel(node="node-b", plugin="NodeResourcesLeastAllocated").ask(questions.the_number()))
    page.page.get_by_role("textbox").first.fill("35")
    page.page.get_by_role("textbox").first.press("Enter")
    expect(page.page.locator(".ks-wrong")).to_contain_text("Every division is rounded down. (4000m - 2500m) × 100")


def test_a_weight_is_dragged_and_a_place_on_the_map_is_clicked(shown: Show) -> None:
    page = shown(weights.panel())
    expect(page.key("bar/node-c")).to_contain_text("★ node-c")
    page.drag("weight/NodeAffinity/grip", 19, 0)
    expect(page.sentence).to_have_text(re.compile("^node-d .*552.* 66 .*node-c"))
    page.key("cell/off/1").click()
    page.settled()
    expect(page.sentence).to_contain_text("node-a has the highest sum, 401")


def test_another_list_is_drawn_from(shown: Show) -> None:
    page = shown(select_host.panel())
    expect(page.sentence).to_have_text(re.compile("4 best nodes .*1/4"))
    page.page.get_by_role("combobox").select_option("9 5 9 7 9")
    page.settled()
    expect(page.sentence).to_have_text(re.compile("3 best nodes .*1/3"))


@pytest.mark.parametrize("width", [382, 432])
def test_a_narrow_map_keeps_its_numbers(shown: Show, width: int) -> None:
    page = shown(score.panel(stage="summed", plugin="sum", node="node-c"), width=width)
    expect(page.key("cell/NodeResourcesLeastAllocated/node-a")).to_have_text("65")
    expect(page.key("cell/NodePreferAvoidPods/node-a")).to_have_text("✓")
    expect(page.key("end/node-a")).to_have_text("451 (−2)")
    assert [fault for fault in page.faults() if "off" not in fault] == []
