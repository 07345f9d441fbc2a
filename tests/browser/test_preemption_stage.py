"""The stage of lesson 05 in a plain page: its handles, its questions, its story, and that everything can be read."""

import re
from typing import Any

import pytest
from playwright.sync_api import expect

from kschedlab_lab.panels import preemption, preemption_questions as ask
from tests.browser.conftest import Show
from tests.browser.page import PanelPage

TIE = {"shop_a": 200, "allowed": 2, "mail_c_start": 540}
STATES: tuple[dict[str, Any], ...] = (
    {},
    {"allowed": 0, "mail_in_shop": True, "shop_b": 0},
    {"jobs": preemption.LOWEST},
    TIE,
    {"preemptor": 0},
    {"preemptor": 1000, "allowed": 0, "mail_in_shop": True},
    {"preemptor": 250, "shop_a": 300, "shop_b": 300},
)
SIZES = ((800, 600, False), (1280, 720, True))


def slider(page: PanelPage, label: str) -> Any:
    return page.page.locator(".ks-control").get_by_label(label, exact=True)


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_nothing_overlaps_is_cut_or_too_small(size: tuple[int, int, bool], shown: Show) -> None:
    width, height, large = size
    page = shown(preemption.panel(), width, height, large=large)
    for state in STATES:
        page.page.evaluate("(text) => window.model.send({state: text, n: 'test'})", str(preemption.Settings(**state)))
        page.settled()
        assert page.faults() == [], state
    assert shown(preemption.panel().ask(ask.which_node()), width, height, large=large).faults() == []


def test_in_a_classroom_the_winner_the_sentence_and_a_control_are_on_one_screen(shown: Show) -> None:
    page = shown(preemption.panel(), 1280, 720, large=True)
    for selector in (".ks-picture svg", ".ks-sentence", ".ks-player button >> nth=0"):
        box = page.page.locator(selector).bounding_box()
        assert box is not None and box["y"] >= 0 and box["y"] + box["height"] <= 720, selector


def test_a_pod_is_dragged_up_for_its_priority_and_the_victims_change(shown: Show) -> None:
    page = shown(preemption.panel())
    page.drag("pod/shop-a/priority", 34, 0)
    expect(slider(page, "shop-a priority")).to_have_value("3")
    expect(page.sentence).to_contain_text("urgent goes to node-c; mail-c and jobs-c have to leave")


def test_the_number_that_was_pulled_keeps_its_ring_where_its_pod_goes(shown: Show) -> None:
    page = shown(preemption.panel(allowed=2))

    def stroke(key: str) -> str:
        return str(page.key(key).locator(".ks-pill").evaluate("pill => getComputedStyle(pill).strokeWidth"))

    page.drag("pod/shop-a/priority", 34, 0)
    expect(page.sentence).to_contain_text("urgent goes to node-c")
    assert (stroke("pod/shop-a/priority"), stroke("pod/mail-c/start")) == ("1.5px", "1px"), (
        "mail-c is under the pointer"
    )
    page.page.mouse.move(*page.middle("pod/mail-c/start"))
    page.settled()
    assert (stroke("pod/shop-a/priority"), stroke("pod/mail-c/start")) == ("1px", "1.5px")


def test_clock_budget_and_shield_are_controls(shown: Show) -> None:
    page = shown(preemption.panel(shop_a=200, allowed=2))
    expect(page.sentence).to_contain_text("urgent goes to node-c")
    page.drag(page.page.locator('[data-drag="mail_c_start"]').first, -50, 0)
    expect(slider(page, "mail-c start")).to_have_value("0")
    expect(page.sentence).to_contain_text("urgent goes to node-b")
    page.drag("budget/shop/allowed", -20, 0)
    expect(page.sentence).to_contain_text("urgent goes to node-c")
    page.drag("budget/shop/allowed", -20, 0)
    page.page.locator('[data-set="mail_in_shop: on"]').click()
    expect(page.page.get_by_label("mail-c in the shop")).to_be_checked()
    expect(page.page.locator('[data-set="mail_in_shop: off"]')).to_have_count(1)


def test_a_click_on_a_number_is_a_step_to_that_side_and_stops_at_the_end(shown: Show) -> None:
    page = shown(preemption.panel(shop_a=200, allowed=2))
    start, number = slider(page, "mail-c start"), page.page.locator('[data-drag="mail_c_start"] .ks-pill')

    def click(share: float) -> None:
        box = number.bounding_box()
        assert box is not None
        page.page.mouse.click(box["x"] + share * box["width"], box["y"] + box["height"] / 2)
        page.settled()

    began = int(start.input_value())
    click(0.15)
    expect(start).to_have_value(str(began - 1))
    click(0.85)
    expect(start).to_have_value(str(began))
    for _ in range(began + 1):
        click(0.15)
    expect(start).to_have_value("0")


def test_the_node_is_predicted_in_the_picture(shown: Show) -> None:
    page = shown(preemption.panel().ask(ask.which_node()))
    expect(page.sentence).to_have_text("")
    expect(page.picture.locator('[data-state="chosen"]')).to_have_count(0)
    page.key("pod/logs-b").click(force=True)
    expect(page.question).to_contain_text("On node-a, only 1 pod has to leave")
    expect(page.sentence).to_contain_text("goes to node-a; shop-a has to leave")
    expect(page.picture.locator('[data-key="node/node-a"][data-state="chosen"]')).to_have_count(1)


def test_the_story_is_played_and_ends_with_the_picture(shown: Show) -> None:
    page = shown(preemption.panel())
    before = page.picture.inner_html()
    page.page.get_by_role("button", name="Show how").click()
    moment = page.page.get_by_label("Moment of the story")
    expect(moment).to_have_attribute("max", "4")
    page.page.get_by_role("button", name="Pause").click()
    moment.press("End")
    expect(page.sentence).to_contain_text("urgent goes to node-a")
    moment.press("ArrowLeft")
    expect(page.sentence).to_contain_text("Rule 3, sum: node-b, node-c drop out")
    page.page.get_by_role("button", name="Close the story").click()
    page.settled()
    assert page.page.locator(".ks-picture svg text").all_inner_texts() and 'data-state="chosen"' in before
    expect(page.picture.locator('[data-key="node/node-a"][data-state="chosen"]')).to_have_count(1)


def test_state_reset_yaml_and_classroom(shown: Show) -> None:
    page = shown(preemption.panel().ask(ask.which_node()))
    page.page.get_by_role("button", name="Show the answer").click()
    page.page.get_by_text("State, code").click()
    expect(page.page.get_by_label("YAML", exact=True)).to_have_value(re.compile("disruptionsAllowed: 2"))
    state = page.page.get_by_label("State", exact=True)
    state.fill("jobs: 5")
    state.press("Enter")
    expect(page.page.get_by_role("alert")).to_contain_text('"5" is not one of -2147483648, -100, 0, 200')
    state.fill("shop_a: 200, allowed: 2")
    state.press("Enter")
    expect(page.sentence).to_contain_text("urgent goes to node-c")
    page.page.get_by_role("button", name="Start again").click()
    expect(page.picture.locator('[data-key="node/node-a"][data-state="chosen"]')).to_have_count(1)
    page.page.get_by_role("button", name="Classroom").click()
    expect(page.page.locator(".ks-because")).to_have_css("font-size", "20px")


@pytest.mark.parametrize("width", [382, 432])
def test_the_sums_of_rule_3_are_not_cut_in_a_narrow_window(shown: Show, width: int) -> None:
    page = shown(preemption.panel(), width=width)
    expect(page.key("rung/3/node-a")).to_have_text(re.compile("100 ?[+] ?2³¹"))
    expect(page.key("rung/3/node-c")).to_have_text(re.compile("100 ?[+] ?2·2³¹"))
    assert page.faults() == []
