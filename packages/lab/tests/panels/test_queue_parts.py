"""The parts of v1.13's queue at every setting: where web goes, and that it is never in two places."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from kschedlab_lab.panels.queue_parts import (
    AFTERWARDS,
    BEFORE,
    CHANGED,
    DURING,
    ERROR,
    NEVER,
    UNSCHEDULABLE,
    Call,
    Settings,
    calls,
    panel,
    picture,
    show,
    story,
    where_to,
)
from kschedlab_lab.views.svg import Room
from tests.saying import says

ALL = [
    (meanwhile, reason, then)
    for meanwhile in (NEVER, BEFORE, DURING, CHANGED)
    for reason in (UNSCHEDULABLE, ERROR)
    for then in AFTERWARDS
]
BRINGS_BACK = {"MoveAllToActiveQueue", "Update of its labels", "AssignedPodAdded: db", "flush 61 s later"}


def given_back(seen: tuple[Call, ...]) -> Call:
    return next(each for each in seen if each.call.startswith("AddUnschedulable"))


@pytest.mark.parametrize("case", ALL)
def test_where_a_failed_pod_goes_and_what_brings_it_back(case: tuple[str, str, str]) -> None:
    meanwhile, reason, then = case
    seen = calls(*case)
    waits = reason == UNSCHEDULABLE and meanwhile in (NEVER, BEFORE)
    assert given_back(seen).where == ("unschedulableQ" if waits else "activeQ")
    if then != "nothing":
        assert seen[-1].where == ("unschedulableQ" if waits and then not in BRINGS_BACK else "activeQ")
    for each in seen:
        assert not {"web", "mail"} <= set(each.unschedulable)
        assert not set(each.active) & set(each.unschedulable)


def test_an_update_during_the_attempt_is_the_one_way_to_be_refused() -> None:
    for case in ALL:
        assert ("already present in the activeQ" in given_back(calls(*case)).said) == (case[0] == CHANGED)


def test_the_story_of_every_setting() -> None:
    room = Room(640, 330)
    for settings in Settings.grid():
        view, seen = show(settings), calls(settings.meanwhile, settings.reason, settings.then)
        assert seen[-1].where in view.sentence and seen[-1].call in view.sentence
        assert view.text.count("\n") == len(seen) + 1
        told = story(settings, room)
        assert len(told) == len(seen) and told[-1] == (picture(settings, room), view.sentence)
        for call, frame in zip(seen, told, strict=True):
            assert f"moveRequestCycle {call.cycles[1]}" in str(frame.picture)
            assert ElementTree.fromstring(str(frame.picture)).get("aria-label") == frame.caption
            assert str(frame.picture).count('data-key="pod/web') >= 1


def test_the_way_that_web_just_took_is_not_pale() -> None:
    for settings in Settings.grid():
        seen, told = calls(settings.meanwhile, settings.reason, settings.then), story(settings, Room(640, 330))
        for before, call, frame in zip(seen, seen[1:], told[1:], strict=False):
            took = before.where != call.where and not any(" and " in each.where for each in (before, call))
            assert str(frame.picture).count('opacity="0.4"') == 4 - took


def test_a_failed_check_is_red_with_a_cross() -> None:
    drawn = str(picture(Settings(meanwhile=DURING), Room()))
    assert "✕ podSchedulingCycle 1 &gt; moveRequestCycle 1: no" in drawn and "✓ reason Unschedulable" in drawn
    assert "✕ reason Unschedulable: no" in str(picture(Settings(reason=ERROR), Room()))
    assert "✕ pod is already present in the activeQ" in str(picture(Settings(meanwhile=CHANGED), Room()))


def test_panel_and_yaml() -> None:
    moved = panel().move(meanwhile=DURING)
    assert says(moved.view.sentence, "web is in activeQ")
    assert "podAffinity" in panel().yaml()


def test_where_the_failed_pod_goes() -> None:
    asked = where_to()
    assert asked.right(Settings(DURING)) == "activeQ"
    for settings in Settings.grid():
        assert asked.right(settings) == given_back(calls(settings.meanwhile, settings.reason, settings.then)).where
        assert all(asked.why(settings, answer) for answer in asked.choices)
        assert asked.before is not None
        drawn = asked.before(settings)
        assert (
            callable(drawn) and "being tried" in str(drawn(Room())) and "podSchedulingCycle" not in str(drawn(Room()))
        )
