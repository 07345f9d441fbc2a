"""The parts of v1.13's queue at every setting: where web goes, and that it is never in two places."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from kschedlab_lab.panels.queue_parts import (
    AFTER,
    BEFORE,
    CACHE,
    CALLS,
    DURING,
    ERROR,
    FLUSH,
    LABELS,
    MOVE,
    NEVER,
    OFFERED,
    STATUS,
    UNSCHEDULABLE,
    WHY,
    Call,
    Settings,
    calls,
    panel,
    show,
    what_leaves_it,
    where_to,
)
from kschedlab_lab.views.svg import Room
from tests.saying import says

ALL = [*Settings.grid()]


def given_back(seen: list[Call]) -> Call:
    return next(each for each in seen if each.call.startswith("AddUnschedulable"))


@pytest.mark.parametrize("settings", ALL, ids=str)
def test_where_a_failed_pod_goes(settings: Settings) -> None:
    seen = calls(settings)
    added = settings.when == DURING and settings.event in (LABELS, STATUS)
    noted = settings.when == DURING and settings.event not in (LABELS, STATUS, FLUSH)
    waits = settings.reason == UNSCHEDULABLE and not added and not noted
    assert given_back(seen).where == ("unschedulableQ" if waits else "activeQ")
    assert ("already present in the activeQ" in given_back(seen).said) == added == ("reason" in show(settings).idle)
    stays = waits and (settings.when != AFTER or settings.event in (STATUS, CACHE))
    assert seen[-1].where == ("unschedulableQ" if stays else "activeQ")
    for each in seen:
        assert not {"web", "mail"} <= set(each.unschedulable)
        assert not set(each.active) & set(each.unschedulable)


@pytest.mark.parametrize("settings", ALL, ids=str)
def test_the_story_of_every_setting(settings: Settings) -> None:
    room, view, seen = Room(640, 330), show(settings), calls(settings)
    assert seen[-1].where in view.sentence and seen[-1].call in view.sentence
    assert view.story is not None and callable(view.picture)
    told = view.story(room)
    assert len(told) == len(seen) and told[-1] == (view.picture(room), view.sentence)
    for call, frame in zip(seen, told, strict=True):
        assert f"moveRequestCycle {call.cycles[1]}" in str(frame.picture)
        assert ElementTree.fromstring(str(frame.picture)).get("aria-label") == frame.caption
        assert str(frame.picture).count('data-key="pod/web') >= 1


def picture(settings: Settings) -> str:
    drawn = show(settings).picture
    return str(drawn(Room()) if callable(drawn) else drawn)


def test_the_way_that_web_just_took_is_not_pale() -> None:
    for settings in ALL:
        story = show(settings).story
        assert story is not None
        seen, told = calls(settings), story(Room(640, 330))
        for before, call, frame in zip(seen, seen[1:], told[1:], strict=False):
            took = before.where != call.where and not (call.trying and "web" in call.active)
            assert str(frame.picture).count('opacity="0.4"') == 4 - took


def test_a_failed_check_is_red_with_a_cross() -> None:
    drawn = picture(Settings(DURING))
    assert "✕ podSchedulingCycle 1 &gt; moveRequestCycle 1" in drawn and "✓ reason Unschedulable" in drawn
    assert "✕ reason Unschedulable" in picture(Settings(reason=ERROR))
    assert "✕ pod is already present in the activeQ" in picture(Settings(DURING, LABELS))


def test_panel_and_yaml() -> None:
    moved = panel().move(when=DURING)
    assert says(moved.view.sentence, "web is in activeQ")
    assert "podAffinity" in panel().yaml()


def test_where_the_failed_pod_goes() -> None:
    asked, settings = where_to(), Settings(DURING)
    assert asked.right(settings) == "activeQ" == given_back(calls(settings)).where
    assert all(asked.why(settings, answer) for answer in asked.choices)
    assert asked.before is not None
    drawn = asked.before(settings)
    assert callable(drawn) and "being tried" in str(drawn(Room())) and "podSchedulingCycle" not in str(drawn(Room()))


def test_which_event_leaves_it() -> None:
    asked, settings = what_leaves_it(), Settings(AFTER)
    assert asked.right(settings) == CACHE in asked.choices and asked.shows(settings).event == CACHE
    left = [event for event in CALLS if calls(Settings(AFTER, event))[-1].where == "unschedulableQ"]
    assert left == [STATUS, CACHE]
    for event in OFFERED:
        assert asked.why(settings, event) == (
            "" if event == CACHE else f"{event}: {WHY[event]}."
        )  # the sentence says it
        assert WHY[event] in show(Settings(AFTER, event)).sentence
    assert asked.before is not None
    drawn = asked.before(settings)
    assert callable(drawn) and not any(event in str(drawn(Room())) for event in CALLS)


def test_an_event_before_the_attempt_is_known_to_it_and_is_not_missed() -> None:
    assert says(show(Settings(BEFORE, MOVE)).sentence, "web is in unschedulableQ", "moveRequestCycle 0")
    assert "event" in show(Settings(NEVER)).idle
