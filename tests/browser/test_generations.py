"""The stages of lessons 06 and 09 in a browser: what one drags and clicks; nothing overlaps, is cut or too small."""

import re

import pytest
from playwright.sync_api import expect

from kschedlab.generations import COURSE as NAMES, GENERATIONS
from kschedlab.plugins import node_score
from kschedlab_lab.exercises.your_plugin import cold
from kschedlab_lab.panels import generations, your_plugin
from kschedlab_lab.panels.generation_clusters import STORIES
from tests.browser.conftest import Show

SIZES = pytest.mark.parametrize(("width", "height", "large"), [(800, 600, False), (1280, 720, True)])


@node_score("Cooler")
def cooler(pod, node):
    return 100 - min(int(node.metadata.labels.get("celsius", 0)), 100)


@SIZES
def test_every_cluster_fits_in_every_version(shown: Show, width: int, height: int, large: bool) -> None:
    for cluster in STORIES:
        page = shown(generations.panel(cluster=cluster), width, height, large=large, dark=large)
        for name in GENERATIONS:
            page.key(f"version/{name}").click()
            page.settled()
            expect(page.sentence).to_contain_text(f"{name}: ")
            assert page.faults() == [], (cluster, name)
            box = page.sentence.bounding_box()
            assert not large or (box is not None and box["y"] + box["height"] <= height), (cluster, name)


def test_the_handle_goes_along_the_timeline_and_a_change_is_taken_out(shown: Show) -> None:
    page = shown(generations.panel())
    expect(page.sentence).to_contain_text("v1.13: ")
    first, second = (page.key(f"version/{name}").locator("circle").bounding_box() for name in NAMES[:2])
    assert first is not None and second is not None
    page.drag("timeline/knob", 2 * (second["x"] - first["x"]), 0)
    expect(page.sentence).to_contain_text("v1.20: ")
    expect(page.sentence).to_contain_text("goes to node-c")
    page.key("flag/counted_down").click()
    page.settled()
    expect(page.sentence).to_contain_text("v1.20, changed")
    expect(page.sentence).to_contain_text("goes to node-b")
    page.key("flag/counted_down").press("Enter")
    expect(page.sentence).to_contain_text("v1.20: ")


def test_the_end_of_a_bar_is_pulled_until_the_nodes_are_equal(shown: Show) -> None:
    page = shown(generations.panel(cluster="one percent", version="v1.16"))
    expect(page.sentence).to_contain_text("goes to node-b")
    page.drag("steps/grip", 12, 0)
    expect(page.sentence).to_contain_text("node-a and node-b tie")
    assert page.faults() == []
    page.drag("steps/grip", -600, 0)
    expect(page.sentence).to_contain_text("goes to node-b")
    assert page.faults() == []
    page.key("steps/grip").press("End")
    expect(page.sentence).to_contain_text("goes to node-a")
    assert page.faults() == []


def test_the_budget_is_dragged_and_the_answers_on_the_timeline_change(shown: Show) -> None:
    page = shown(generations.panel(version="v1.20"))
    expect(page.sentence).to_contain_text("goes to node-c")
    page.drag("budget/shop/allowed", 16, 0)
    expect(page.sentence).to_contain_text("goes to node-b")
    assert page.faults() == []


def test_a_node_is_picked_and_the_answer_comes(shown: Show) -> None:
    page = shown(generations.asked("a budget"))
    assert page.faults() == []
    expect(page.picture.locator('[data-key="node/node-c"][data-state="chosen"]')).to_have_count(0)
    page.page.locator('[data-pick="node-a"]').click()
    page.settled()
    expect(page.page.locator("#panel")).to_contain_text("Not quite.")
    expect(page.page.locator("#panel")).to_contain_text("Your answer: node-a")
    expect(page.picture.locator('[data-key="node/node-c"][data-state="chosen"]')).to_have_count(1)


@SIZES
def test_the_racks_fit_at_every_temperature_and_weight(shown: Show, width: int, height: int, large: bool) -> None:
    for plugins in ([], [cold], [cold, cooler]):
        for weight in (0, your_plugin.MOST):
            panel = your_plugin.panel(plugins, a=90, b=your_plugin.NO_LABEL, weight=weight)
            page = shown(panel, width, height, large=large, dark=large)
            assert page.faults() == [], (len(plugins), weight)


def test_a_thermometer_a_label_and_the_weight_are_handles(shown: Show) -> None:
    page = shown(your_plugin.panel([cold, cooler]))
    expect(page.key("points/total/rack-b")).to_have_text("75")
    step = re.findall('data-drag="a" data-axis="y" data-step="(-[0-9.]+)"', page.page.content())
    assert len(step) == 1
    page.drag("tube/rack-a/handle", 0, 80)
    expect(page.sentence).to_contain_text("web goes to rack-a")
    page.drag("tube/rack-a/handle", 0, 400)
    expect(page.key("tube/rack-a/degrees")).to_have_text("20°")
    page.key("tube/rack-a/handle").press("Home")
    expect(page.key("tube/rack-a/degrees")).to_have_text("20°")
    page.page.locator('[data-set="a: no label"]').click()
    expect(page.key("tube/rack-a/degrees")).to_have_text("–")
    page.page.locator('[data-set="a: 75"]').click()
    expect(page.sentence).to_contain_text("rack-a: node(s) were too hot.")
    page.drag("points/weight/rack-d", 160, 0)
    expect(page.sentence).to_contain_text("web goes to rack-d")
