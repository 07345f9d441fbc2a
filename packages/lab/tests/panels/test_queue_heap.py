"""The heap panel: each step is one that container/heap takes, and the result is a heap with the right pods in it."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from kschedlab.manifests.loading import loads
from kschedlab_lab.panels.queue_heap import (
    ADD,
    CALLS,
    NEW,
    PODS,
    PRIORITIES,
    Act,
    Settings,
    after_pop,
    panel,
    run,
    show,
)
from kschedlab_lab.views.svg import Room
from tests.saying import says

ALL = range(len(CALLS) + 1)
each_number = pytest.mark.parametrize("calls", ALL)


def picture(settings: Settings) -> str:
    drawn = show(settings).picture
    assert callable(drawn)
    return str(drawn(Room()))


def is_heap(act: Act) -> bool:
    ranks = [PRIORITIES[pod] for pod in act.queue]
    return all(ranks[(i - 1) // 2] >= ranks[i] for i in range(1, len(ranks)))


@each_number
def test_every_call_leaves_a_heap_of_the_right_pods(calls: int) -> None:
    acts, popped, _ = run(Settings(calls))
    there = {*PODS, *([NEW] if ADD in CALLS[:calls] else [])}
    assert is_heap(acts[0]) and is_heap(acts[-1])
    assert sorted([*acts[-1].queue, *popped]) == sorted(there)
    assert all(PRIORITIES[pod] >= PRIORITIES[popped[-1]] for pod in popped if pod != NEW)


@each_number
def test_each_step_is_one_comparison_one_swap_or_one_place_more_or_less(calls: int) -> None:
    acts = run(Settings(calls)).acts
    for before, after in zip(acts, acts[1:], strict=False):
        array = list(before.queue)
        if after.act == "swap":
            i, j = after.places
            array[i], array[j] = array[j], array[i]
        elif after.act == "push":
            array.append(NEW)
        elif after.act == "pop":
            assert array.pop() == after.gone
        else:
            i, j = after.places
            assert after.answer == (PRIORITIES[after.queue[i]] > PRIORITIES[after.queue[j]])
        assert array == list(after.queue)


@each_number
def test_the_story_tells_each_step_and_ends_with_the_picture(calls: int) -> None:
    room, settings = Room(640, 330), Settings(calls)
    view, acts = show(settings), run(settings).acts
    if view.story is None:
        assert calls == 0
        return
    frames = view.story(room)
    shown = [act for act in acts if not act.gone]  # the last picture shows what is out
    assert len(frames) == len(shown) + 1 and callable(view.picture)
    assert frames[-1] == (view.picture(room), view.sentence)
    assert ElementTree.fromstring(str(frames[-1].picture)).get("aria-label") == view.sentence
    for act, frame in zip(shown, frames, strict=False):
        sign = {"less": ">? ", "swap": ">⇄ ", "push": ">+ "}.get(act.act, ">nothing")
        assert str(frame.picture).count(sign) == len({*act.places})  # one pod is swapped with itself


def test_the_calls_that_the_lesson_speaks_of() -> None:
    acts = run(Settings()).acts
    assert [each.act for each in acts] == ["start", "swap", "less", "less", "swap", "less", "pop"]
    assert [*acts[-1].queue] == ["gnu", "elk", "ant", "dog", "bee", "fox"]
    assert CALLS[2] == ADD and show(Settings(3)).sentence == "Add(web): 2 swaps; web is the head now."
    assert run(Settings(4)).popped == ("cat", "gnu", "web")
    assert "the heap is empty now" in show(Settings(len(CALLS))).sentence
    assert show(Settings(0)).sentence == "7 pods; the head, cat (900), is next."


def test_among_equals_the_pod_that_came_earlier_stays_above() -> None:
    """elk has 700 and ant 500; web came after both."""
    said = {priority: show(Settings(3, priority)).sentence for priority in (900, 700, 500)}
    assert says(said[900], "2 swaps", "web is the head")
    assert says(said[700], "1 swap;", "elk is the head")
    assert says(said[500], "0 swaps", "elk is the head")
    assert picture(Settings(3, 700)).count('data-drag="web"') == 1 and "data-drag" not in picture(Settings(2))


def test_the_answer_comes_swap_by_swap() -> None:
    """The first picture is what was asked about: ant is on top."""
    asked, room = after_pop(), Room(640, 330)
    first, then = asked.leads(Settings(), room)
    assert says(first, ">⇄ ant<", ">⇄ cat<") and says(then, ">⇄ gnu<", ">⇄ ant<", ">→ cat<")


def test_the_picture_shows_by_which_way_a_pod_has_come_to_its_place() -> None:
    """ant sinks from index 0 to 2; web rises from 5 past ant (2) to 0."""
    assert [run(Settings(calls)).way for calls in (0, 1, 3)] == [[], [(0, 2)], [(2, 5), (0, 2)]]
    assert ">↓ ant<" in picture(Settings(1)) and ">↑ web<" in picture(Settings(3))
    assert not any(sign in picture(Settings(len(CALLS))) for sign in [">↓ ", ">↑ "])


@each_number
def test_a_button_makes_the_next_call(calls: int) -> None:
    drawn = picture(Settings(calls))
    following = (calls + 1) % (len(CALLS) + 1)
    (button,) = (each for each in ElementTree.fromstring(drawn).iter() if each.get("data-set"))
    assert button.get("data-set") == f"calls: {following}"
    assert button.get("aria-label") == ("Start again" if following == 0 else CALLS[calls])


def test_a_wrong_number_is_refused_and_the_yaml_is_the_heap() -> None:
    with pytest.raises(ValueError, match="99"):
        panel(calls=99)
    assert [pod.metadata.name for pod in loads(panel().yaml()).pods] == [*PODS]
    assert panel().move(calls=3).link() == 'queue_heap.panel().restore("calls: 3, web: 800")'


def test_the_gap_is_filled_by_the_last_pod() -> None:
    asked, settings = after_pop(), Settings()
    head, *others = run(settings).acts[0].queue
    assert head == "cat" and asked.right(settings) == "ant" and set(asked.choices) == {*others}
    assert all(asked.why(settings, answer) for answer in asked.choices)
    assert asked.why(settings, "gnu").startswith("gnu is the head in the end")
    inside = {answer for answer in asked.choices if "is inside the array" in asked.why(settings, answer)}
    assert inside == {*asked.choices} - {"ant", "gnu"}
    assert asked.fixed(settings) == ["calls"], "what is said of the answer goes when one goes on"
    assert asked.before is not None
    drawn = asked.before(settings)
    assert callable(drawn) and str(drawn(Room())).count("data-pick=") == 6


@each_number
def test_on_a_phone_the_button_is_beside_the_head(calls: int) -> None:
    drawn = show(Settings(calls)).picture
    assert callable(drawn)
    shapes = [*ElementTree.fromstring(str(drawn(Room(296, 400)))).iter()]
    (button,) = (each for each in shapes if each.get("data-key") == "call")
    left = float(next(iter(button)).get("x", ""))
    for head in run(Settings(calls)).acts[-1].queue[:1]:
        (place,) = (each for each in shapes if each.get("data-key") == f"pod/{head}")
        (box,) = (each for each in shapes if each.get("data-key") == f"pod/{head}/box")
        assert float(place.get("transform", "")[10:].partition(",")[0]) + float(box.get("width", "")) + 4 <= left
