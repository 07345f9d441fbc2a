"""Two schedulers get the same pods: the picture goes from arrival to arrival, and says which pods make a difference."""

from dataclasses import replace
from xml.etree import ElementTree

import pytest

from kschedlab_lab.panels.session import Session
from kschedlab_lab.panels.two_runs import panel
from kschedlab_lab.views.svg import Room
from kschedlab_lab.views.two_runs import Moment, Placed, Size, draw_runs
from packages.lab.tests.panels.policies import BOTH, Three
from tests.saying import says

ROOM = Room(640, 400)


def keys(picture):
    return {each.get("data-key"): each for each in ElementTree.fromstring(str(picture)).iter()}


def test_the_same_pods_fill_both_and_one_waits_in_one_of_them():
    shown = panel(Three(), BOTH)
    assert says(shown.view.sentence, "default: 25.0 %", "packing: 75.0 %", "large-2 waits only with default")
    drawn = keys(shown.view.picture(ROOM))
    assert {f"pod/{row}/{name}" for row in ("default", "packing") for name in ("small-0", "large-2")} <= {*drawn}


def test_pods_come_one_after_the_other():
    shown = panel(Three(), BOTH)
    for count in range(1, 4):
        drawn = keys(shown.move(pods=count).view.picture(ROOM))
        assert sum(str(key).count("/") == 2 and str(key).startswith("pod/default") for key in drawn) >= count
    assert says(shown.move(pods=1).view.sentence, "small-0", "1 CPU", "Both: node-a")
    assert says(shown.move(pods=2).view.sentence, "small-1", "default: node-b", "packing: node-a")
    assert "pod/default/large-2" not in keys(shown.move(pods=2).view.picture(ROOM))


def test_the_memory_of_a_node_is_divided_by_its_pods():
    drawn = keys(panel(Three(), BOTH).view.picture(ROOM))
    pieces = [each for key, each in drawn.items() if str(key).startswith("memory/")]
    sizes = [float(each.get("data-tip").partition(": ")[2].partition("Gi")[0]) for each in pieces]
    longs = [float(each.get("width")) + 1.5 for each in pieces]
    assert len(pieces) > 2
    assert [long / max(longs) for long in longs] == pytest.approx([size / max(sizes) for size in sizes], abs=0.02)


def test_a_node_with_the_cpu_but_not_the_memory_for_a_waiting_pod_says_so():
    gibi = 2**30
    wants = Placed("large", Size(4000, 6 * gibi), "")
    has = Placed("small", Size(1000, 11 * gibi), "node-a")
    nodes = {"node-a": Size(8000, 16 * gibi), "node-b": Size(2000, 2 * gibi)}
    here, there = Moment("here", nodes, (has, wants)), Moment("there", nodes, (has, replace(wants, node="node-b")))
    drawn = str(draw_runs([here, there], ROOM, ""))
    assert "5Gi &lt; 6Gi" in drawn and drawn.count("Gi &lt; ") == 1


def test_one_run_is_no_reason_to_deploy():
    shown = panel(Three(), BOTH)
    assert says(shown.question.text, "packing")
    assert says(str(shown.question.before(shown.settings)(ROOM)), "75.0 %", "25.0 %")
    assert says(repr(shown.answer("wait")), "Right", "other pods")
    assert says(repr(shown.answer("deploy it")), "Not quite", "50 points are a lot")


def test_the_answer_is_about_the_end_alone():
    shown = panel(Three(), BOTH)
    (reply,) = Session(shown).receive({"answer": "wait"})
    assert reply["shown"]["verdict"]["mark"] == "Right."
    (reply,) = Session(shown).receive({"set": {"pods": 0}})
    assert reply["shown"]["verdict"] is None


def test_it_takes_two():
    with pytest.raises(ValueError, match="two schedulers"):
        panel(Three(), BOTH[:1])
