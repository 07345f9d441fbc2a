"""v1.13's queue: where web goes whenever the node joins, and that a pod is never in two places."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from kschedlab_lab.panels.queue_parts import (
    AFTER,
    BEFORE,
    DURING,
    WHEN,
    Settings,
    calls,
    panel,
    show,
    where_to,
)
from kschedlab_lab.views.svg import Room

ROOM = Room(456, 420)
ENDS = {BEFORE: "unschedulableQ", DURING: "activeQ", AFTER: "activeQ"}
each_moment = pytest.mark.parametrize("when", WHEN)


@each_moment
def test_where_a_failed_pod_ends(when: str) -> None:
    seen = calls(Settings(when))
    assert seen[-1].where == ENDS[when]
    for each in seen:
        places = [*each.pods["activeQ"], *each.pods["unschedulableQ"], *each.pods["being tried"]]
        assert sorted(places) == ["mail", "web"]


@each_moment
def test_the_numbers_decide(when: str) -> None:
    seen = calls(Settings(when))
    decided = next(each for each in reversed(seen) if each.said.startswith("web fits nowhere"))
    event = {BEFORE: "after Pop 1", DURING: "after Pop 2", AFTER: "none"}[when]
    assert decided.note == seen[-1].note == f"Pop 2 took web · last event before it failed: {event}"
    assert decided.where == ("activeQ" if when == DURING else "unschedulableQ")
    assert seen[0].note == "so far: Pop 1 · last event: none yet"


@each_moment
def test_the_story_tells_each_call_and_ends_with_the_picture(when: str) -> None:
    view, seen = show(Settings(when)), calls(Settings(when))
    assert view.story is not None and callable(view.picture)
    told = view.story(ROOM)
    assert [each.caption for each in told] == [each.said for each in seen]
    assert told[-1] == (view.picture(ROOM), view.sentence)
    for before, call, frame in zip(seen[:1] + seen, seen, told, strict=False):
        picture = str(frame.picture)
        assert ElementTree.fromstring(picture).get("aria-label") == frame.caption
        assert picture.count('opacity="0.4"') == 4 - (before.where != call.where)
        assert call.note in picture
        assert ('data-drag="when"' in picture) == (frame is told[-1])


def test_panel_and_yaml() -> None:
    assert "has missed no event" in panel().move(when=BEFORE).view.sentence
    assert "moves mail, web to activeQ" in panel(when=AFTER).view.sentence
    assert "name: mail" in panel().yaml()


def test_the_question_hides_its_answer() -> None:
    asked = where_to()
    assert asked.right(Settings()) == "activeQ" and asked.right(Settings(BEFORE)) == "unschedulableQ"
    assert all(asked.why(Settings(), answer) for answer in asked.choices)
    assert asked.before is not None
    drawn = asked.before(Settings())
    assert callable(drawn)
    picture = str(drawn(ROOM))
    assert picture.count("data-pick=") == 2 and "Being tried" in picture
    assert not any(each in picture for each in ("last event", "event came", "no event", "data-drag", "missed"))
