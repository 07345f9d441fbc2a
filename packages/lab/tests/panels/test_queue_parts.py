"""The queue of v1.13 and v1.37: where web goes whenever an event happens, and that a pod is never in two places."""

from __future__ import annotations

import html
from xml.etree import ElementTree

import pytest

from kschedlab_lab.panels.queue_parts import (
    AFTER,
    BEFORE,
    DURING,
    ENDS,
    EVENTS,
    LABEL,
    NEW,
    OLD,
    VERSIONS,
    WHEN,
    Settings,
    calls,
    panel,
    show,
    where_to,
)
from kschedlab_lab.views.svg import Room

ROOM = Room(456, 420)
LAST = {BEFORE: "unschedulableQ", DURING: "activeQ", AFTER: "activeQ"}
each_moment = pytest.mark.parametrize("when", WHEN)


@each_moment
@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("event", EVENTS)
def test_a_pod_is_always_in_one_place(version: str, event: str, when: str) -> None:
    for each in calls(Settings(version, event, when)):
        assert sorted(name for names in each.pods.values() for name in names) == ["web"]


@each_moment
@pytest.mark.parametrize("event", EVENTS)
def test_v1_13_moves_a_failed_pod_whatever_the_event_was(event: str, when: str) -> None:
    assert calls(Settings(OLD, event, when))[-1].where == LAST[when]


@each_moment
def test_v1_37_wakes_a_failed_pod_only_if_the_event_may_help_it(when: str) -> None:
    woken = "unschedulablePods" if when == BEFORE else "backoffQ"
    assert calls(Settings(NEW, ENDS, when))[-1].where == woken
    assert calls(Settings(NEW, LABEL, when))[-1].where == "unschedulablePods"


def test_v1_37_keeps_the_events_of_an_attempt_and_asks_the_plugin() -> None:
    answers = {event: calls(Settings(NEW, event, DURING))[-1].notes for event in EVENTS}
    assert answers == {
        ENDS: ("inFlightEvents: a pod ends · plugin: may help",),
        LABEL: ("inFlightEvents: a new label · plugin: can't help",),
    }
    assert calls(Settings(NEW, ENDS, BEFORE))[-1].notes == ("inFlightEvents: none since the Pop",)


@each_moment
def test_the_numbers_decide(when: str) -> None:
    seen = calls(Settings(when=when))
    decided = next(each for each in reversed(seen) if each.said.startswith("web fits nowhere"))
    event, compared = {
        BEFORE: ("Pops before the event: 0", "Popped after the event (1 > 0)? Yes: to unschedulableQ"),
        DURING: ("Pops before the event: 1", "Popped after the event (1 > 1)? No: to activeQ"),
        AFTER: ("no event before it failed: −1", "Popped after the event (1 > −1)? Yes: to unschedulableQ"),
    }[when]
    assert decided.notes == (f"web: Pop 1 · {event}", compared)
    assert decided.where == ("activeQ" if when == DURING else "unschedulableQ")
    assert seen[0].notes == ("no event so far: −1",)


@each_moment
def test_the_last_line_ends_where_the_pod_is(when: str) -> None:
    last = calls(Settings(when=when))[-1]
    ends = {"activeQ": ("to activeQ", "then the event moved it"), "unschedulableQ": ("to unschedulableQ",)}
    assert last.notes[-1].endswith(ends[last.where])


@each_moment
@pytest.mark.parametrize(("version", "ways"), [(OLD, 4), (NEW, 5)])
def test_the_story_tells_each_call_and_ends_with_the_picture(version: str, ways: int, when: str) -> None:
    settings = Settings(version, when=when)
    view, seen = show(settings), calls(settings)
    assert view.story is not None and callable(view.picture)
    told = view.story(ROOM)
    assert [each.caption for each in told] == [each.said for each in seen]
    assert told[-1] == (view.picture(ROOM), view.sentence)
    for before, call, frame in zip(seen[:1] + seen, seen, told, strict=False):
        picture = str(frame.picture)
        assert ElementTree.fromstring(picture).get("aria-label") == frame.caption
        assert picture.count('opacity="0.4"') == ways - (before.where != call.where)
        assert all(html.escape(note) in picture for note in call.notes)
        assert ('data-drag="when"' in picture) == (frame is told[-1])


def test_panel_and_yaml() -> None:
    assert "has missed no event" in panel().move(when=BEFORE).view.sentence
    assert "moves web to activeQ" in panel(when=AFTER).view.sentence
    assert "name: web" in panel().yaml()


def test_the_question_hides_its_answer() -> None:
    asked = where_to()
    assert asked.right(Settings()) == "activeQ" and asked.right(Settings(when=BEFORE)) == "unschedulableQ"
    assert all(asked.why(Settings(), answer) for answer in asked.choices)
    assert asked.before is not None
    drawn = asked.before(Settings())
    assert callable(drawn)
    picture = str(drawn(ROOM))
    assert picture.count("data-pick=") == 2 and "Being tried" in picture
    assert not any(each in picture for each in ("Popped", "event came", "no event", "data-drag", "missed"))
