"""The story on a clock: each pod is somewhere at any time, and as the rules of v1.37 say."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from kschedlab.manifests.loading import loads
from kschedlab.objects.meta import SECOND
from kschedlab_lab.panels.queue_clock import (
    ALL,
    LANES,
    Settings,
    drawn,
    history,
    how_often_beside_web,
    panel,
    seen,
    show,
    when_is_web_tried,
)
from kschedlab_lab.panels.queue_story import LAST, PODS, ROOMS, replay
from kschedlab_lab.views.svg import Room
from tests.saying import says


def tries(pod: str) -> list[float]:
    return [at / SECOND for at, who in replay().tries if who == pod]


def test_a_pod_is_always_in_one_place() -> None:
    for pod in PODS:
        found = [each for each in replay().entries if each.pod == pod]
        assert [each.at for each in found] == sorted(each.at for each in found)
        popped = [each.at for each in found if each.part == "in flight"]
        assert popped == [at for at, who in replay().tries if who == pod]


@pytest.mark.parametrize("lanes", LANES)
def test_each_lane_has_its_attempts_at_every_time(lanes: str) -> None:
    for pod in PODS:
        for time in range(LAST + 1):
            settings = Settings(lanes, pod, time=time)
            view = show(settings)
            picture = ElementTree.fromstring(str(drawn(settings, Room(640, 330))))
            assert picture.get("aria-label") == view.sentence
            tips = [each.get("data-tip") for each in picture.iter()]
            drawn_tries = dict.fromkeys(PODS, 0)
            for each in settings.shown:
                count = len([at for at in tries(each) if at <= time])
                assert f"({count} attempt" in view.sentence or f"(attempt {count})" in view.sentence
                assert each in view.sentence
                drawn_tries[each] += count
            assert all(tips.count(f"{each} is tried") == count for each, count in drawn_tries.items())


def test_it_is_seen_at_once_when_web_is_bound_if_there_is_room_earlier_or_later() -> None:
    """After attempt 3 at 5 s, backoff decides up to 10 s."""
    bound = {room: panel(room=room).view.sentence.partition("bound at ")[2].split()[0] for room in ROOMS}
    assert [*bound.items()] == [
        *((room, "5.1") for room in (4, 5)),
        *((room, "10.1") for room in range(6, 11)),
        *((room, f"{room}.1") for room in (11, 12, 13)),
    ]


@pytest.mark.parametrize("lanes", LANES)
@pytest.mark.parametrize("room", ROOMS)
def test_the_event_is_dragged_wherever_it_is(lanes: str, room: int) -> None:
    for wide in (328, 640):
        drawing = str(drawn(Settings(lanes, "web", room), Room(wide, 330)))
        assert drawing.count('data-drag="room"') == 1 and re.search("3 (CPU )?free<", drawing)


def test_the_headline_speaks_of_the_pod_that_was_asked_about() -> None:
    assert panel(lanes=ALL, pod="ssd").view.sentence.startswith("ssd is tried at 8 s and bound at 8.1 s (2 attempts).")


def test_it_leaves_pods_asleep_that_an_event_can_t_help() -> None:
    assert len(tries("friend")) == 1
    assert tries("ssd") == [0.1, 8]
    assert panel(pod="friend").view.sentence == "friend waits (1 attempt)."


def test_panel_and_yaml() -> None:
    assert panel().move(time=7).view.text == show(Settings(time=7)).text
    assert panel().restore("time: 9 s").settings.time == 9 and "pod" in panel(lanes=ALL).view.idle
    assert {pod.metadata.name for pod in loads(panel().yaml()).pods} >= set(PODS)


def test_it_says_why_a_backoff_of_4_s_takes_5() -> None:
    """The third attempt began at 5 s."""
    told = when_is_web_tried().why(Settings(), "at 7 s")
    assert says(told, "5.1 s", "backoff of 4 s ends at 9.1 s", "next full second is 10 s")
    assert says(when_is_web_tried().why(Settings(), "at 11 s"), "from the failure")


def test_each_wrong_answer_hears_why_it_is_wrong() -> None:
    question = when_is_web_tried()
    whys = {answer: question.why(Settings(), answer) for answer in question.choices}
    right = whys.pop(question.right(Settings()))
    assert len({*whys.values()}) == 3 and all(why.endswith(right) and why != right for why in whys.values())


def test_v1_37_is_asked_about_with_one_lane_of_attempts_and_backoffs() -> None:
    question = when_is_web_tried()
    assert question.right(Settings()) == "at 10 s" in question.choices and question.before is not None
    drawn = str(question.before(Settings())(Room()))  # type: ignore[operator]
    assert 'data-drag="time"' not in drawn
    assert drawn.count(": woken") == 1 and "bound" not in drawn  # before the second try; nothing from 7 s on
    assert [drawn.count(f">{n} s<") for n in (1, 2, 4)] == [1, 1, 1], "a backoff is shown up to its end"
    assert drawn.count("web is tried") == 3 and ">attempt<" in drawn


def test_an_event_wakes_only_whom_it_may_help() -> None:
    question = how_often_beside_web()
    assert question.right(Settings(ALL)) == "2" in question.choices and question.before is not None
    before = str(question.before(Settings(ALL))(Room()))  # type: ignore[operator]
    assert all(before.count(f"{pod} is tried") == 1 for pod in PODS)
    assert says(question.why(Settings(ALL), "4"), "at 8 s", "label")


def test_beside_one_pod_are_the_events_that_wake_it() -> None:
    assert {pod: [each.second for each in seen(Settings(pod=pod))] for pod in PODS} == {
        "web": [2, 3, 7],
        "ssd": [8],
        "friend": [],
    }


def test_backoff_lasts_from_the_failure_on_and_an_event_does_not_prolong_it() -> None:
    """The third attempt of web ends at 5.1 s, the event comes at 7 s."""
    shown = history("web", 14).backoffs
    assert shown[-1] == (pytest.approx(5.1), pytest.approx(9.1))
    assert history("web", 6).backoffs == shown, "known from its beginning on"
