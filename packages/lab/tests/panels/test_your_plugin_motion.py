"""A pod that waits for a cool rack: how often it is tried, and what is drawn of that."""

from xml.etree import ElementTree

import pytest

from kschedlab.plugins import ClusterEvent, node_filter
from kschedlab_lab.panels.your_plugin_motion import panel
from kschedlab_lab.views.svg import Room
from tests.saying import says

ROOM = Room(640, 400)


def judge(pod, node):
    return None if int(node.metadata.labels.get("celsius", 0)) < 60 else "node(s) were too hot"


def cools(pod, old, new):
    return int(new.metadata.labels.get("celsius", 0)) < 60


EVENTS = [ClusterEvent("Node", ["Add", "UpdateNodeLabel"])]
ALL = {
    "cold": node_filter("ColdNode")(judge),
    "choosy": node_filter("ColdNode", events=EVENTS)(judge),
    "patient": node_filter("ColdNode", events=EVENTS, hint=cools)(judge),
}


def tries(picture, name):
    keys = [each.get("data-key") or "" for each in ElementTree.fromstring(str(picture)).iter()]
    return sum(key.startswith(f"try/{name}/") for key in keys)


def test_events_and_a_hint_save_tries():
    view = panel(**ALL).view
    assert says(view.sentence, "4 with cold", "3 with choosy", "2 with patient")
    picture = view.picture(ROOM)
    assert [tries(picture, name) for name in ALL] == [4, 3, 2]
    assert says(str(picture), "2 tries in vain", "not tried again") and str(picture).count("runs on rack-b") == 3


def test_each_moment_has_its_thermometers_with_what_the_filter_refuses():
    picture = str(panel(**ALL).view.picture(ROOM))
    assert [picture.count(f">{degrees}°<") for degrees in (75, 70, 80, 40)] == [1, 2, 2, 1]
    assert "your filter refuses 20/rack-b at 60 degrees" in picture


def test_a_rack_that_is_dragged_cool_takes_web_earlier():
    shown = panel(**ALL)
    assert 'data-drag="a"' in str(shown.view.picture(ROOM))
    cooled = shown.move(a=50).view
    assert str(cooled.picture(ROOM)).count("runs on rack-a") == str(cooled.picture(ROOM)).count("still runs") == 3
    assert says(cooled.sentence, "3 with cold", "2 with choosy", "2 with patient")


def test_it_asks_before_anything_was_tried():
    shown = panel(**ALL)
    before = str(shown.question.before(shown.settings)(ROOM))
    assert not tries(before, "cold") and "75°" in before and "vain" not in before
    assert says(repr(shown.answer("4 and 2")), "Right", "status")


def test_it_takes_two_at_least():
    with pytest.raises(ValueError, match="two plugins"):
        panel(cold=ALL["cold"])
