"""The story on a clock: in every generation each pod is somewhere at any time, and as its rules say."""

from __future__ import annotations

from itertools import pairwise
from xml.etree import ElementTree

import pytest

from kschedlab.manifests.loading import loads
from kschedlab.objects.meta import SECOND
from kschedlab_lab.panels.queue_clock import (
    LAST,
    TIMES,
    Settings,
    Versions,
    drawn,
    friend_panel,
    history,
    how_often_is_friend_tried,
    how_often_is_ssd_tried,
    panel,
    position,
    show,
    show_versions,
    versions,
    versions_panel,
    when_is_web_tried,
    where,
)
from kschedlab_lab.panels.queue_story import PODS, replay
from kschedlab_lab.views.svg import Room
from tests.course import GENERATIONS
from tests.saying import says

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
        assert all(f"{each.pod} " in view.sentence for each in places)
        picture = ElementTree.fromstring(str(drawn(settings, Room(640, 330))))
        assert picture.get("aria-label") == view.sentence
        assert {*PODS} <= {*picture.itertext()}


def test_web_is_bound_when_its_generation_lets_it() -> None:
    last = {case: tries(*case, "web")[-1] for case in BOTH}
    at_once = {("v1.13", True), ("v1.13", False), ("v1.37", False)}
    assert last == {case: 7 if case in at_once else 10 for case in BOTH}
    for case in BOTH:
        assert where(Settings(time=350, generation=case[0], busy=case[1]))[0].part == "bound"


def test_only_v1_37_leaves_pods_asleep_that_an_event_can_t_help() -> None:
    assert tries("v1.37", True, "friend") == [0.5, 330] and tries("v1.37", True, "ssd") == [0.25, 8]
    for older in ("v1.13", "v1.16", "v1.20"):
        assert len(tries(older, True, "friend")) > 5 and len(tries(older, True, "ssd")) > 2


def test_positions_grow_with_time() -> None:
    assert [position(time) for time in TIMES] == list(range(len(TIMES)))
    assert position(8.5) == 8.5 and position(40) == 30.5


def test_panel_and_yaml() -> None:
    assert panel().move(time=7).view.text == show(Settings(time=7)).text
    assert panel().restore("time: 50 s").settings.time == 50
    assert {pod.metadata.name for pod in loads(panel().yaml()).pods} >= set(PODS)


def test_it_says_why_a_backoff_of_4_s_takes_5() -> None:
    """The third attempt began at 5 s."""
    told = when_is_web_tried().why(Versions(), "at 7 s")
    assert says(told, "5.1 s", "backoff of 4 s ends at 9.1 s", "first full second", "10 s")
    assert says(when_is_web_tried().why(Versions(), "at 11 s"), "from the failure")


@pytest.mark.parametrize("case", BOTH)
def test_how_often_friend_is_tried(case: tuple[str, bool]) -> None:
    settings = Settings(time=350, generation=case[0], busy=case[1])
    asked = how_often_is_friend_tried(settings)
    assert asked.right(settings) == str(len(tries(*case, "friend"))) and says(asked.text, case[0], "350 s")
    assert all(f"{at:g}" in asked.why(settings, "0") for at in tries(*case, "friend"))


def test_friend_costs_v1_13_eight_attempts_and_v1_37_two() -> None:
    assert {name: len(tries(name, True, "friend")) for name in ("v1.13", "v1.37")} == {"v1.13": 8, "v1.37": 2}
    asked = friend_panel().question
    assert asked is not None and asked.right(friend_panel().settings) == "2"


@pytest.mark.parametrize("pod", PODS)
def test_each_version_has_a_lane_with_its_attempts(pod: str) -> None:
    for time in range(LAST + 1):
        settings = Versions(pod, True, time)
        view = show_versions(settings)
        drawn = ElementTree.fromstring(str(versions(settings, Room(640, 330))))
        assert drawn.get("aria-label") == view.sentence
        for name in GENERATIONS:
            seen = where(Settings(generation=name, time=time))[PODS.index(pod)]
            assert says(view.sentence, name) and str(seen.tries) in view.sentence
            assert any((each.get("data-key") or "").startswith(f"{name}/") for each in drawn.iter()) or time == 0


def test_hints_save_the_attempts_that_are_in_vain() -> None:
    said = versions_panel(pod="friend", older=True).view.sentence

    assert says(said, "v1.13, friend waits (5 attempts", "v1.16, v1.20, friend waits (4 attempts", "1 attempt")


def test_v1_37_is_asked_about_with_one_lane_of_attempts_and_backoffs() -> None:
    question = when_is_web_tried()
    assert question.right(Versions()) == "at 10 s" in question.choices and question.before is not None
    drawn = str(question.before(Versions())(Room()))  # type: ignore[operator]
    assert 'data-drag="time"' not in drawn and "v1.37" in drawn and "v1.13" not in drawn
    assert "backoff queue" not in drawn
    assert [drawn.count(f">{n} s<") for n in (1, 2, 4)] == [1, 2, 1]  # beside the ticks at 2 and 4 s


def test_the_version_without_hints_tries_at_each_event_and_its_picture_does_not_tell_before_the_answer() -> None:
    question = how_often_is_ssd_tried()
    assert question.right(Versions(older=True)) == "5" and question.before is not None
    before, after = question.before(Versions(older=True))(Room()), versions(Versions(pod="ssd", older=True), Room())  # type: ignore[operator]
    assert all(name in str(before) for name in GENERATIONS)
    assert "is tried" not in str(before) and str(after).count("v1.13 is tried") == 5


def test_a_backoff_ends_in_the_picture_when_the_pod_is_popped_early() -> None:
    """The scheduler has nothing else to do: it takes web out of the backoff queue."""
    seen = history(Settings(14, busy=False), "web")
    assert all(end <= start for (_, end), (start, _) in pairwise(seen.backoffs))


def test_backoff_lasts_from_the_failure_on_and_an_event_does_not_prolong_it() -> None:
    """The third attempt of web ends at 5.1 s, the event comes at 7 s."""
    for name in ("v1.16", "v1.20", "v1.37"):
        shown = history(Settings(14, name), "web").backoffs
        assert shown[-1] == (pytest.approx(5.1), pytest.approx(9.1))
        assert history(Settings(6, name), "web").backoffs[-1][1] == 6
    assert history(Settings(14, "v1.13"), "web").backoffs == ()
