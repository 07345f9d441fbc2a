"""The stages of lesson 01 in a plain page: pods travel, are pulled, and facts are switched on the spot."""

from typing import Any

import pytest
from playwright.sync_api import expect

from kschedlab_lab.panels import (
    overview_gate as gate,
    overview_inside as inside,
    overview_path as path,
    overview_sampling as sampling,
    overview_watch as watch,
)
from tests.browser.conftest import Show
from tests.browser.lab import behind_dots
from tests.browser.layout import CLOSE, WINDOWS


def test_the_pod_travels_step_by_step_to_its_node(shown: Show) -> None:
    page = shown(path.panel())
    slider = page.page.get_by_role("slider", name="step")
    before = page.key("pod/web").bounding_box()
    slider.press("ArrowRight")
    page.settled()
    after = page.key("pod/web").bounding_box()
    assert before and after and after["y"] > before["y"]
    expect(page.sentence).to_contain_text("takes web from the activeQ")
    slider.press("End")
    page.settled()
    arrived, node = page.key("pod/web").bounding_box(), page.key("node/node-b").bounding_box()
    assert (
        arrived
        and node
        and node["x"] <= arrived["x"]
        and arrived["x"] + arrived["width"] <= node["x"] + node["width"] + 2
    )
    behind_dots(page.page.locator(".kschedlab").first).get_by_role("radio", name="bind failure").click()
    expect(page.page.get_by_text("1 of 14")).to_be_visible()


def test_after_the_answer_the_next_pod_is_taken_while_the_first_is_bound(shown: Show) -> None:
    page = shown(path.panel(step=4).ask(path.what_next()))
    expect(page.sentence).to_have_text("")
    page.page.get_by_role("button", name="assume").click()
    expect(page.question).to_contain_text("Right.")
    expect(page.sentence).to_contain_text("The scheduler takes shop")


def test_the_pod_s_request_grows_until_no_node_fits(shown: Show) -> None:
    page = shown(inside.panel())
    expect(page.key("node/node-a")).to_have_attribute("data-state", "chosen")
    page.key("ask").focus()
    for _ in range(4):
        page.page.keyboard.press("ArrowRight")
    page.settled()
    expect(page.key("node/node-a")).to_have_attribute("data-state", "refused")
    expect(page.sentence).to_contain_text("0/3 nodes are available: 3 Insufficient cpu.")
    high = page.key("ask/box").bounding_box()["height"]
    page.drag("ask", 0, high * 0.8)
    expect(page.sentence).to_contain_text("web goes to node-a")


def test_a_node_refuses_the_pod_until_the_way_is_clear(shown: Show) -> None:
    page = shown(gate.panel(busy=False, taint=True))
    expect(page.key("node/node-a")).to_have_attribute("data-state", "refused")
    page.key("has/taint").click()
    page.settled()
    expect(page.sentence).to_have_text("All 11 predicates let web onto node-a.")
    expect(page.key("node/node-a")).to_have_attribute("data-state", "chosen")
    page.key("has/disk").click()
    page.settled()
    expect(page.sentence).to_contain_text("NoDiskConflict refuses node-a")


@pytest.mark.parametrize(
    "panel",
    [
        path.panel(step=10),
        path.panel(story="bind failure", step=13),
        inside.panel(cpu=4),
        gate.panel(**dict.fromkeys(("cordon", "port", "disk", "taint"), True)),
        gate.panel(busy=False),
        sampling.panel(nodes=10_000, percentage=10),
        watch.panel(story="a more important pod comes", change=8),
    ],
    ids=lambda panel: f"{type(panel.settings).__module__.rpartition('_')[2]} {panel.settings}",
)
def test_nothing_is_cut_overlaps_or_is_too_small(shown: Show, panel: Any) -> None:
    page = shown(panel)
    for window in CLOSE:
        page.resize(**WINDOWS[window])
        assert page.faults() == [], window
