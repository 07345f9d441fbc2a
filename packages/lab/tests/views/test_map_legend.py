"""The reasons of an event, beside the colours of their nodes."""

import html
import re

import pytest

from kschedlab.scheduler import schedule
from kschedlab.text.html import join
from kschedlab_lab.panels.cluster_source import bundled
from kschedlab_lab.views.cluster_picture import undecided
from kschedlab_lab.views.map_legend import event_list
from kschedlab_lab.views.node_kinds import cause_fill


@pytest.fixture(scope="module")
def world():
    return bundled().cluster("v1.37")


@pytest.mark.parametrize("key", ["ml/train-small-0", "data/postgres-0", "analytics/report-builder-0"])
def test_all_reasons_of_the_event_are_there_with_the_colours_of_their_nodes(world, key):
    decision = schedule(key, world)
    for width in (2000, 300):
        svg = html.unescape(str(join(event_list(decision, decision, width).shapes)))
        text = " ".join(re.sub("<[^>]*>", " ", svg).split())
        first, *reasons = re.split(": |, ", decision.event.partition(" preemption:")[0].rstrip("."))
        assert text.startswith(f"{first}:") and all(reason in text for reason in reasons)
        if key == "data/postgres-0":
            colours = re.findall('fill="([^"]*)"', svg)
            assert {cause_fill("VolumeBinding"), cause_fill("NodeResourcesFit")} < {*colours}
        before = str(join(event_list(decision, undecided(decision), width).shapes))
        assert "<rect" in svg and "<rect" not in before, "before the answer the reasons have no colours"


def test_a_pod_that_goes_somewhere_has_no_event(world):
    decision = schedule("shop/banner-0", world)
    assert event_list(decision, decision, 700).shapes == ()
