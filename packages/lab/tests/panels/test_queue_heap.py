"""The heap panel: each step is one that container/heap takes, and the result is a heap with the right pods in it."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from kschedlab.manifests.loading import loads
from kschedlab_lab.panels.queue_heap import (
    NEW,
    NONE,
    PODS,
    Act,
    Settings,
    after_pop,
    manifests,
    panel,
    picture,
    run,
    show,
    told,
)
from kschedlab_lab.views.svg import Room

GRID = [*Settings.grid()]
some = GRID[::5]


def acts(settings: Settings) -> tuple[Act, ...]:
    return run(settings).acts


def is_heap(frame: Act) -> bool:
    ranks = [frame.priorities[key] for key in frame.queue]
    return all(ranks[(i - 1) // 2] >= ranks[i] for i in range(1, len(ranks)))


def expected(settings: Settings) -> dict[str, int]:
    """Names and priorities after the last call."""
    pods = dict(PODS)
    if settings.which != NONE:
        pods[settings.which] = settings.priority
    return dict(sorted(pods.items(), key=lambda pod: -pod[1])[settings.pops :])


def test_every_call_leaves_a_heap_of_the_right_pods() -> None:
    for settings in some:
        seen = acts(settings)
        assert is_heap(seen[0]) and is_heap(seen[-1])
        assert sorted(seen[-1].priorities.values()) == sorted(expected(settings).values())
        assert {*seen[-1].priorities} | {*run(settings).popped} == {*PODS} | {settings.which} - {NONE}


def test_each_step_is_one_comparison_one_swap_or_one_place_more_or_less() -> None:
    for settings in some:
        seen = acts(settings)
        for before, after in zip(seen, seen[1:], strict=False):
            array = list(before.queue)
            if after.act == "swap":
                i, j = after.places
                array[i], array[j] = array[j], array[i]
            elif after.act == "push":
                array.append(NEW)
            elif after.act == "pop":
                assert array.pop() == after.gone
            elif after.act == "fix":
                assert before.act == "start" and after.queue[after.places[0]] == settings.which
            else:
                i, j = after.places
                ranks = [after.priorities[pod] for pod in after.queue]
                assert after.answer == (ranks[i] > ranks[j])
            assert array == list(after.queue)


def test_the_story_tells_each_step_and_ends_with_the_picture() -> None:
    room = Room(640, 330)
    for settings in GRID[::23]:
        view, seen = show(settings), acts(settings)
        frames = told(settings, room)
        assert (view.story is None) == (settings.operation == "")
        assert len(frames) == len(seen) + 1
        assert frames[-1] == (picture(settings, room), view.sentence)
        assert ElementTree.fromstring(str(frames[-1].picture)).get("aria-label") == view.sentence
        for act, frame in zip(seen, frames, strict=False):
            sign = {"less": ">? ", "swap": ">⇄ ", "push": ">+ ", "fix": ">+ "}.get(act.act, ">nothing")
            assert str(frame.picture).count(sign) == len({*act.places})  # one pod is swapped with itself


def test_a_pop_that_the_lesson_shows() -> None:
    seen = acts(Settings())
    assert [each.act for each in seen] == ["start", "swap", "less", "less", "swap", "less", "pop"]
    assert [*seen[-1].queue] == ["gnu", "elk", "ant", "dog", "bee", "fox"]


def test_pops_come_out_sorted() -> None:
    out = run(Settings(pops=7)).popped
    assert [*out.values()] == sorted(PODS.values(), reverse=True)
    assert "the heap is empty now" in show(Settings(pops=7)).sentence


def test_every_pod_is_a_handle_that_starts_from_what_one_sees() -> None:
    drawn = str(picture(Settings(pops=3), Room()))
    assert 'data-grab="pops: 0, which: bee, priority: 300"' in drawn
    assert drawn.count('data-drag="priority"') == 4
    assert all(f'data-set="pops: {n}"' in drawn for n in range(1, 5))  # back, and on
    for priority in PODS.values():
        assert priority in Settings.controls()["priority"].values


def test_an_updated_or_added_pod_is_popped_in_its_turn() -> None:
    assert [*run(Settings("dog", 850, 3)).popped.items()] == [("cat", 900), ("dog", 850), ("gnu", 800)]
    assert [*run(Settings(NEW, 1000, 1)).popped] == [NEW]
    assert f'data-set="pops: 0, which: {NEW}, priority: 1000"' in str(picture(Settings(), Room()))


def test_an_unknown_pod_is_refused() -> None:
    with pytest.raises(ValueError, match="nobody"):
        panel(which="nobody")


def test_the_yaml_is_the_heap() -> None:
    pods = loads(panel().yaml()).pods
    assert [pod.metadata.name for pod in pods] == [each["metadata"]["name"] for each in manifests(Settings())]


def test_the_panel_moves_through_the_same_functions() -> None:
    moved = panel().move(which=NEW, priority=50, pops=0)
    assert moved.view.sentence == show(Settings(NEW, 50, 0)).sentence
    assert moved.link().startswith("queue_heap.panel().restore(") and "priority" in show(Settings()).idle


def test_the_gap_is_filled_by_the_last_pod() -> None:
    asked, settings = after_pop(), Settings()
    head, *others = acts(settings)[0].queue
    assert head == "cat" and asked.right(settings) == "ant" and set(asked.choices) == {*others}
    assert all(asked.why(settings, answer) for answer in asked.choices)
    assert asked.why(settings, "gnu").startswith("gnu is the head in the end")
    inside = {answer for answer in asked.choices if "is inside the array" in asked.why(settings, answer)}
    assert inside == {*asked.choices} - {"ant", "gnu"}
    before = asked.before
    assert before is not None
    drawn = before(settings)
    assert callable(drawn) and str(drawn(Room())).count("data-pick=") == 6
