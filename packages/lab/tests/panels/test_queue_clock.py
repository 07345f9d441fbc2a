"""The story on a clock: in every generation each pod is somewhere at any time, and as its rules say."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

import pytest

from kschedlab.generations import GENERATIONS
from kschedlab.manifests.loading import loads
from kschedlab.objects.meta import SECOND
from kschedlab.plugins import node_filter
from kschedlab.queue.events import event
from kschedlab_lab.panels.queue_clock import (
    FRAMES,
    LAST,
    TIMES,
    Settings,
    Versions,
    how_often_is_friend_tried,
    panel,
    picture,
    position,
    show,
    show_versions,
    story_of,
    versions,
    versions_panel,
    when_is_web_bound,
    when_is_web_bound_today,
    where,
)
from kschedlab_lab.panels.queue_story import EVENTS, PODS, replay
from kschedlab_lab.panels.queue_waits import Measured, wait_without_event, waits_after_failures
from kschedlab_lab.views.svg import Room

BOTH = [(name, busy) for name in GENERATIONS for busy in (False, True)]


def tries(generation: str, busy: bool, pod: str) -> list[float]:
    return [at / SECOND for at, who in replay(generation, busy).tries if who == pod]


@pytest.mark.parametrize("case", BOTH)
def test_a_pod_is_always_in_one_place(case: tuple[str, bool]) -> None:
    for pod in PODS:
        found = [each for each in replay(*case).entries if each.pod == pod]
        assert [each.at for each in found] == sorted(each.at for each in found)
        popped = [each.at for each in found if each.part == "in flight"]
        assert popped == [at for at, who in replay(*case).tries if who == pod]


@pytest.mark.parametrize("case", BOTH)
def test_the_view_at_every_time(case: tuple[str, bool]) -> None:
    for time in TIMES:
        settings = Settings(time=time, generation=case[0], busy=case[1])
        view, places = show(settings), where(settings)
        assert view.sentence.startswith(f"{case[0]}, {time} s: ")
        assert all(f"{each.pod} " in view.sentence and each.why in view.text for each in places)
        drawn = ElementTree.fromstring(str(picture(settings, Room(640, 330))))
        assert drawn.get("aria-label") == view.sentence
        assert {f"pod/{pod}" for pod in PODS} <= {each.get("data-key") for each in drawn.iter()}


def test_web_is_bound_when_its_generation_lets_it() -> None:
    last = {case: tries(*case, "web")[-1] for case in BOTH}
    at_once = {("v1.13", True), ("v1.13", False), ("v1.37", False)}
    assert last == {case: 6 if case in at_once else 10 for case in BOTH}
    for case in BOTH:
        assert where(Settings(time=360, generation=case[0], busy=case[1]))[0].part == "bound"


def test_only_v1_37_leaves_pods_asleep_that_an_event_can_t_help() -> None:
    assert tries("v1.37", True, "friend") == [0.5, 330] and tries("v1.37", True, "ssd") == [0.25, 8]
    for older in ("v1.13", "v1.16", "v1.20"):
        assert len(tries(older, True, "friend")) > 5 and len(tries(older, True, "ssd")) > 2


def test_waits() -> None:
    backoff = [1.9, 2.9, 4.9, 8.9, 10.9, 10.9]
    assert {name: waits_after_failures(name) for name in GENERATIONS} == {
        "v1.13": [0] * 6,
        "v1.16": backoff,
        "v1.20": backoff,
        "v1.37": backoff,
    }
    assert [wait_without_event(name) for name in GENERATIONS] == [89.9, 89.9, 89.9, 329.9]
    assert all(name in repr(Measured()) and name in Measured()._repr_html_() for name in GENERATIONS)


def test_positions_grow_with_time() -> None:
    assert [position(time) for time in TIMES] == list(range(len(TIMES)))
    assert position(8.5) == 8.5 and position(45) == 30.5


@pytest.mark.parametrize("case", BOTH)
def test_the_story_tells_every_change_and_ends_with_the_picture(case: tuple[str, bool]) -> None:
    settings, room = Settings(time=30, generation=case[0], busy=case[1]), Room(640, 330)
    told = story_of(settings, room)
    assert told[-1] == (picture(settings, room), show(settings).sentence) and len(told) <= FRAMES + 1
    if len(told) <= FRAMES:
        assert all(any(words in frame.caption for frame in told) for _, words, _ in EVENTS)
        assert all(any(f"{pod} is bound" in frame.caption for frame in told) for pod in ("web", "ssd"))


def test_panel_and_yaml() -> None:
    assert panel().move(time=7).view.text == show(Settings(time=7)).text
    assert panel().restore("time: 60 s").settings.time == 60
    assert {pod.metadata.name for pod in loads(panel().yaml()).pods} >= set(PODS)


@pytest.mark.parametrize("case", BOTH)
def test_when_web_is_bound(case: tuple[str, bool]) -> None:
    asked, settings = when_is_web_bound(), Settings(generation=case[0], busy=case[1])
    last = tries(*case, "web")[-1]
    assert asked.right(settings) == f"at {last:g} s" and asked.right(settings) in asked.choices
    assert all(f"{last:g} s" in asked.why(settings, answer) for answer in asked.choices)


def test_it_says_why_a_backoff_of_4_s_takes_5() -> None:
    """The third attempt began at 5 s."""
    for generation in ("v1.16", "v1.20", "v1.37"):
        told = when_is_web_bound().why(Settings(generation=generation), "at 6 s")
        assert "failed at 0, 2, 5 s" in told
        assert "ended at 5.1 s, so its backoff of 4 s is not over at 9 s; the queue looks once a second" in told


@pytest.mark.parametrize("case", BOTH)
def test_how_often_friend_is_tried(case: tuple[str, bool]) -> None:
    asked, settings = how_often_is_friend_tried(), Settings(time=360, generation=case[0], busy=case[1])
    assert asked.right(settings) == str(len(tries(*case, "friend")))
    assert all(f"{at:g}" in asked.why(settings, "0") for at in tries(*case, "friend"))


def test_a_plugin_of_ones_own_joins_and_its_events_wake_the_pod() -> None:
    def cold(pod: Any, node: Any) -> str | None:
        return "cold" if pod.metadata.name == "web" and "disk" not in node.metadata.labels else None

    usual = show(Settings(time=20)).text
    anything = panel([node_filter("Cold")(cold)])
    labels = panel([node_filter("Cold", events=[event("Node", "UpdateNodeLabel")])(cold)])
    assert "web is bound" not in anything.move(time=20).view.sentence
    attempts = [
        each.move(time=20).view.sentence.partition("web is unschedulable (")[2][:1] for each in (anything, labels)
    ]
    assert attempts == ["5", "4"]  # cache starts at 12 s, which is an event, but changes no label
    assert all("Error" not in panel([node_filter("Cold")(cold)], generation=name).view.text for name in GENERATIONS)
    assert show(Settings(time=20)).text == usual


# -- one pod in all versions


@pytest.mark.parametrize("pod", PODS)
def test_each_version_has_a_lane_with_its_attempts(pod: str) -> None:
    for time in range(LAST + 1):
        settings = Versions(pod, time)
        view = show_versions(settings)
        drawn = ElementTree.fromstring(str(versions(settings, Room(640, 330))))
        assert drawn.get("aria-label") == view.sentence
        for name in GENERATIONS:
            seen = where(Settings(generation=name, time=time))[PODS.index(pod)]
            assert f"{name}: " in view.sentence and str(seen.tries) in view.text
            assert any((each.get("data-key") or "").startswith(f"{name}/") for each in drawn.iter()) or time == 0


def test_hints_save_the_attempts_that_are_in_vain() -> None:
    said = versions_panel(pod="friend").view.sentence
    assert "v1.13: 5 attempts" in said and "v1.20: 4 attempts" in said and "v1.37: 1 attempt." in said


def test_v1_37_is_asked_about_before_the_versions_are_seen() -> None:
    question = when_is_web_bound_today()
    assert question.right(Versions()) == "at 10 s" and question.before is not None
    assert 'data-drag="time"' not in str(question.before(Versions())(Room()))
    assert "doubles its backoff" in question.why(Versions(), "at 6 s")
