"""A whole cluster in tables."""

import html
import re

import pytest

from kschedlab.scheduler import schedule
from kschedlab.text.html import join
from kschedlab.text.plain import LIMITS, plain
from kschedlab_lab.panels.cluster_source import bundled
from kschedlab_lab.views import your_cluster as view
from kschedlab_lab.views.cluster_picture import undecided
from kschedlab_lab.views.map_legend import event_list
from kschedlab_lab.views.node_kinds import cause_fill

ROOM = {"cpu": "4", "memory": "8Gi", "pods": "10"}
TAINT = {"key": "dedicated", "value": "db", "effect": "NoSchedule"}


@pytest.fixture(scope="module")
def world():
    return bundled().cluster("v1.37")


def test_refusals_are_told_by_pool(world):
    rows = view.refusal_rows(schedule("data/postgres-0", world))
    assert sum(int(row[0]) for row in rows) == 200
    told = {row[1]: row for row in rows}
    assert told["VolumeBinding"][3] == "data 16" and told["NodeResourcesFit"][3] == "data 8"
    assert [told[name][4] for name in ("VolumeBinding", "NodeResourcesFit")] == ["does not help", "tried: no victims"]
    burst = {row[1]: row[4] for row in view.refusal_rows(schedule("shop/payment-burst-0", world))}
    assert burst["NodeResourcesFit"] == "may help"


def test_why_in_tables(world):
    decision = schedule("shop/banner-0", world)
    (scores, refusals) = (part for section in view.why_sections(decision, "general-07") for part in section.parts)
    assert scores.head[1:] == ["★ general-60", "general-03", "difference", "general-07 (it runs here)", "difference"]
    assert list(scores.rows[-1].cells) == ["total", 606, 605, "+1", 599, "+7"]
    assert sum(int(row.cells[0]) for row in refusals.rows) == 105


def test_whom_as_text(world):
    decision = schedule("shop/payment-burst-0", world)
    text = plain(view.whom_sections(decision.preemption, LIMITS))
    assert text.startswith("95 candidates") and decision.nominated_node in text and "decides: " in text


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
