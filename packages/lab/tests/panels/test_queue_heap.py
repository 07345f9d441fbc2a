"""The heap panel: each step is one that container/heap takes, and the result is a heap with the right pods in it."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from kschedlab.manifests.loading import loads
from kschedlab_lab.panels.queue_heap import (
    NEW,
    OPERATIONS,
    PODS,
    Act,
    Settings,
    after_pop,
    manifests,
    name,
    panel,
    picture,
    run,
    show,
    story,
)
from kschedlab_lab.views.svg import Room
from tests.saying import says


def pops(count: int) -> str:
    """So many calls before the last one."""
    return "; ".join(["Pop"] * count) or "none"


def every(operation: str) -> list[Settings]:
    """Settings of an operation; where a setting plays no role, only one of its values."""
    controls = Settings.controls()
    which = tuple(PODS)[::3] if operation in ("Update", "Delete") else ("ant",)
    priorities = controls["priority"].values[::5] if operation in ("Add", "Update") else (50,)
    return [
        Settings(pods=pods, before=pops(popped), operation=operation, which=one, priority=priority)
        for pods in controls["pods"].values
        for popped in range(0, pods, 2)
        for one in which
        for priority in priorities
    ]


def acts(settings: Settings) -> tuple[Act, ...]:
    return run(settings).acts


def is_heap(frame: Act) -> bool:
    ranks = [frame.priorities[key] for key in frame.queue]
    return all(ranks[(i - 1) // 2] >= ranks[i] for i in range(1, len(ranks)))


def expected(settings: Settings) -> dict[str, int]:
    """Names and priorities after the operation."""
    pods = dict(sorted(list(PODS.items())[: settings.pods], key=lambda pod: -pod[1])[settings.before.count("Pop") :])
    if settings.operation == "Add":
        pods[NEW] = settings.priority
    elif settings.operation == "Update":
        pods[settings.which] = settings.priority
    elif settings.operation == "Delete":
        pods.pop(settings.which, None)
    else:
        del pods[next(iter(pods))]
    return pods


@pytest.mark.parametrize("operation", OPERATIONS)
def test_every_operation_leaves_a_heap_of_the_right_pods(operation: str) -> None:
    for settings in every(operation):
        seen = acts(settings)
        assert is_heap(seen[0]) and is_heap(seen[-1])
        assert {name(key): rank for key, rank in seen[-1].priorities.items()} == expected(settings)


@pytest.mark.parametrize("operation", OPERATIONS)
def test_each_step_is_one_comparison_one_swap_or_one_place_more_or_less(operation: str) -> None:
    for settings in every(operation):
        seen = acts(settings)
        for before, after in zip(seen, seen[1:], strict=False):
            array = list(before.queue)
            if after.act == "swap":
                i, j = after.places
                array[i], array[j] = array[j], array[i]
            elif after.act == "push":
                array.append(f"default/{NEW if operation == 'Add' else settings.which}")
            elif after.act == "pop":
                assert array.pop() == after.gone
            elif after.act == "fix":
                assert before.act == "start" and name(after.queue[after.places[0]]) == settings.which
            elif after.act == "absent":
                assert f"default/{settings.which}" not in before.queue
            else:
                i, j = after.places
                ranks = [after.priorities[key] for key in after.queue]
                assert after.answer == (ranks[i] > ranks[j])
            assert array == list(after.queue)


@pytest.mark.parametrize("operation", OPERATIONS)
def test_the_story_tells_each_step_and_ends_with_the_picture(operation: str) -> None:
    room = Room(640, 330)
    for settings in every(operation)[::7]:
        view, seen = show(settings), acts(settings)
        told = story(settings, room)
        assert len(told) == len(seen) + 1
        assert told[-1] == (picture(settings, room), view.sentence)
        assert ElementTree.fromstring(str(told[-1].picture)).get("aria-label") == view.sentence
        for act, frame in zip(seen, told, strict=False):
            sign = {"less": ">? ", "swap": ">⇄ ", "push": ">+ ", "fix": ">+ "}.get(act.act, ">nothing")
            assert str(frame.picture).count(sign) == len(act.places)


def test_a_pop_that_the_lesson_shows() -> None:
    seen = acts(Settings())
    assert [each.act for each in seen] == ["start", "swap", "less", "less", "swap", "less", "pop"]
    assert [name(key) for key in seen[-1].queue] == ["gnu", "elk", "ant", "dog", "bee", "fox"]


def test_pops_come_out_sorted() -> None:
    out = run(Settings(pods=10, before=pops(9))).popped
    assert [each.priority for each in out] == sorted(PODS.values(), reverse=True)
    assert says(show(Settings(pods=10, before=pops(10))).sentence, "empty", "waits")


def test_every_pod_is_a_handle_that_starts_from_what_one_sees() -> None:
    drawn = str(picture(Settings(before=pops(2)), Room()))
    assert 'data-grab="before: Pop; Pop; Pop, operation: Update, which: bee, priority: 300"' in drawn
    assert drawn.count('data-drag="priority"') == 4
    assert all(f'data-set="before: {pops(n)}, operation: Pop"' in drawn for n in range(4))  # back, and on
    for priority in PODS.values():
        assert priority in Settings.controls()["priority"].values


def test_what_was_done_stays_done() -> None:
    """dog was updated before the second Pop, so it comes out; another operation comes after that."""
    updated = Settings(before="Pop; Update dog 900")
    assert [each[:2] for each in run(updated).popped] == [("cat", 900), ("dog", 900)]
    added = updated.at({"operation": OPERATIONS.index("Add")})
    assert added.calls == ("Pop", "Update dog 900", "Pop", "Add new 1050")
    assert added.at({"priority": 0}).calls[-1] == "Add new 50"
    assert 'data-grab="before: Pop; Update dog 900; Pop, operation: Add, priority: 1050"' in str(picture(added, Room()))


def test_an_unknown_call_is_refused() -> None:
    with pytest.raises(ValueError, match="Update nobody 3"):
        panel(before="Pop; Update nobody 3")


@pytest.mark.parametrize("operation", OPERATIONS)
def test_what_is_not_read_is_idle(operation: str) -> None:
    idle = show(Settings(operation=operation)).idle
    assert set(idle) == {"before", "which", "priority"} - {
        "Update": {"which", "priority"},
        "Delete": {"which"},
        "Add": {"priority"},
    }.get(operation, set())


def test_delete_of_an_absent_pod_is_v1_13s_error() -> None:
    assert "object not found" in show(Settings(operation="Delete", which="yak")).sentence


def test_the_yaml_is_the_heap() -> None:
    pods = loads(panel(pods=4).yaml()).pods
    assert [pod.metadata.name for pod in pods] == [each["metadata"]["name"] for each in manifests(Settings(pods=4))]


def test_the_panel_moves_through_the_same_functions() -> None:
    moved = panel().move(operation="Add", priority=50)
    assert moved.view.sentence == show(Settings(operation="Add", priority=50)).sentence
    assert moved.link().startswith("queue_heap.panel().restore(")


def test_the_gap_is_filled_by_the_last_pod() -> None:
    asked, settings = after_pop(), Settings()
    head, *others = (name(key) for key in acts(settings)[0].queue)
    assert head == "cat" and asked.right(settings) == "ant" and set(asked.choices) == {*others}
    assert all(asked.why(settings, answer) for answer in asked.choices)
    assert asked.why(settings, "gnu").startswith("gnu is the head in the end")
    inside = {answer for answer in asked.choices if "is inside the array" in asked.why(settings, answer)}
    assert inside == {*asked.choices} - {"ant", "gnu"}
    before = asked.before
    assert before is not None
    drawn = before(settings)
    assert callable(drawn) and str(drawn(Room())).count("data-pick=") == 6
