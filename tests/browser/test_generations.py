"""The stages of lessons 06 and 09 in a browser: what one drags and clicks; nothing overlaps, is cut or too small."""

import re

import pytest
from playwright.sync_api import Browser, expect

from kschedlab.generations.columns import NAMES
from kschedlab.lab.exercises.your_plugin import cold
from kschedlab.lab.panels import generations, your_plugin
from kschedlab.lab.panels.generation_clusters import STORIES
from kschedlab.plugins import node_score
from tests.browser.page import PanelPage

NODES = ("node-a", "node-b", "node-c")
SIZES = pytest.mark.parametrize(
    ("width", "height", "large"), [(800, 600, False), (1280, 720, True), (1920, 1080, False)]
)


@node_score("Cooler")
def cooler(pod, node):
    return 100 - min(int(node.metadata.labels.get("celsius", 0)), 100)


@SIZES
def test_every_cluster_fits_in_every_version(browser: Browser, width: int, height: int, large: bool) -> None:
    shown = PanelPage(browser, generations.panel(), width, height, large=large, dark=width == 1920)
    for cluster in STORIES:
        shown.page.get_by_label("cluster").select_option(cluster)
        for name in NAMES:
            shown.key(f"version/{name}").click()
            shown.settled()
            expect(shown.sentence).to_contain_text(f"{name}: ")
            assert shown.faults() == [], (cluster, name)
            box = shown.sentence.bounding_box()
            assert not large or (box is not None and box["y"] + box["height"] <= height), (cluster, name)
    shown.close()


def test_the_handle_goes_along_the_timeline_and_a_rule_is_switched(browser: Browser) -> None:
    shown = PanelPage(browser, generations.panel())
    expect(shown.sentence).to_contain_text("v1.13: default/urgent")
    first, second = (shown.key(f"version/{name}").locator("circle").bounding_box() for name in NAMES[:2])
    assert first is not None and second is not None
    shown.drag("timeline/knob", 2 * (second["x"] - first["x"]), 0)
    expect(shown.sentence).to_contain_text("v1.20: default/urgent")
    expect(shown.sentence).to_contain_text("on node-c")
    shown.key("rule/sorted_again").click()
    shown.settled()
    expect(shown.sentence).to_contain_text("v1.20 with “victims sorted again” on")
    expect(shown.sentence).to_contain_text("on node-b")
    shown.key("rule/sorted_again").press("Enter")
    expect(shown.sentence).to_contain_text("v1.20: default/urgent")
    shown.close()


def test_a_node_is_picked_and_the_answer_comes(browser: Browser) -> None:
    asked = generations.panel(version="v1.20").ask(generations.question("Which node does v1.20 choose?", NODES))
    shown = PanelPage(browser, asked)
    assert shown.faults() == []
    expect(shown.page.locator(".ks-picture")).not_to_contain_text("★ node-c")
    shown.page.locator('[data-pick="node-a"]').click()
    shown.settled()
    expect(shown.page.locator("#panel")).to_contain_text("node-a loses at rule 2")
    expect(shown.page.locator(".ks-picture")).to_contain_text("★ node-c")
    shown.close()


@SIZES
def test_the_racks_fit_at_every_temperature_and_weight(browser: Browser, width: int, height: int, large: bool) -> None:
    for plugins in ([], [cold], [cold, cooler]):
        for weight in (0, your_plugin.MOST):
            panel = your_plugin.panel(plugins, a=90, b=your_plugin.NO_LABEL, weight=weight)
            shown = PanelPage(browser, panel, width, height, large=large, dark=width == 1920)
            assert shown.faults() == [], (len(plugins), weight)
            shown.close()


def test_a_thermometer_a_label_and_the_weight_are_handles(browser: Browser) -> None:
    shown = PanelPage(browser, your_plugin.panel([cold, cooler]))
    expect(shown.sentence).to_contain_text("web goes to rack-b (rack-b 496, rack-c 486, rack-d 486).")
    step = re.findall('data-drag="a" data-axis="y" data-step="(-[0-9.]+)"', shown.page.content())
    assert len(step) == 1
    shown.drag("tube/rack-a/handle", 0, 80)
    expect(shown.sentence).to_contain_text("web goes to rack-a")
    shown.page.locator('[data-set="a: no label"]').click()
    expect(shown.key("tube/rack-a/degrees")).to_have_text("–")
    shown.page.locator('[data-set="a: 75"]').click()
    expect(shown.sentence).to_contain_text("rack-a: node(s) were too hot.")
    shown.drag("points/weight/rack-d", 60, 0)
    expect(shown.sentence).to_contain_text("web goes to rack-d")
    shown.close()
