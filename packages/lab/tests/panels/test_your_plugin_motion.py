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


EVENTS = [ClusterEvent("Node", frozenset(["Add", "UpdateNodeLabel"]))]
BOTH = {
    "cold": node_filter("ColdNode")(judge),
    "patient": node_filter("ColdNode", events=EVENTS, hint=cools)(judge),
}


def tries(picture, name):
    keys = [each.get("data-key") or "" for each in ElementTree.fromstring(str(picture)).iter()]
    return sum(key.startswith(f"try/{name}/") for key in keys)


def test_a_hint_saves_tries():
    shown = panel(**BOTH)
    for second, cold, patient in ((0, 2, 1), (10, 3, 1), (20, 4, 2)):
        view = shown.move(second=second).view
        assert says(view.sentence, f"cold {cold}", f"patient {patient}")
        picture = view.picture(ROOM)
        assert (tries(picture, "cold"), tries(picture, "patient")) == (cold, patient)
        assert ("runs on rack-b" in str(picture)) == (second == 20)


def test_a_rack_that_the_filter_refuses_is_red_and_the_thermometer_shows_where_that_begins():
    shown = panel(**BOTH)
    hot, cool = (str(shown.move(second=second).view.picture(ROOM)) for second in (0, 20))
    assert hot.count('data-state="refused"') == 4 and cool.count('data-state="refused"') == 2
    assert "your filter refuses cold/rack-a at 60 degrees" in hot and ">60°<" in hot


def test_it_asks_before_anything_was_tried():
    shown = panel(**BOTH)
    before = str(shown.question.before(shown.settings)(ROOM))
    assert not tries(before, "cold") and "75°" in before
    assert says(repr(shown.answer("4 and 2")), "Right", "status")


def test_it_takes_two():
    with pytest.raises(ValueError, match="two plugins"):
        panel(cold=BOTH["cold"])
