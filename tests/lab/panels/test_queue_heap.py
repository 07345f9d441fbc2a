"""The heap panel: each step is one that container/heap takes, and the result is a heap with the right pods in it."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from kschedlab.lab.panels.queue_heap import (
    NEW,
    PODS,
    WHICH,
    Frame,
    Settings,
    after_pop,
    as_yaml,
    frames,
    manifests,
    name,
    panel,
    show,
)
from kschedlab.manifests.loading import loads

OPERATIONS = ("Add", "Update", "Delete", "Pop")


def every(operation: str) -> list[Settings]:
    """All settings of an operation at step 0; where a setting plays no role, only one of its values."""
    controls = Settings.controls()
    which = controls["which"].values if operation in ("Update", "Delete") else ("the head",)
    priorities = controls["priority"].values if operation in ("Add", "Update") else (50,)
    return [
        Settings(pods=pods, operation=operation, which=one, priority=priority)
        for pods in controls["pods"].values
        for one in which
        for priority in priorities
    ]


def is_heap(frame: Frame) -> bool:
    ranks = [frame.priorities[key] for key in frame.queue]
    return all(ranks[(i - 1) // 2] >= ranks[i] for i in range(1, len(ranks)))


def expected(settings: Settings, first: Frame) -> dict[str, int]:
    """Names and priorities after the operation."""
    pods = dict(list(PODS.items())[: settings.pods])
    target = name(first.queue[WHICH[settings.which](settings.pods)])
    if settings.operation == "Add":
        pods[NEW] = settings.priority
    elif settings.operation == "Update":
        pods[target] = settings.priority
    else:
        del pods[target if settings.operation == "Delete" else max(pods, key=pods.__getitem__)]
    return pods


@pytest.mark.parametrize("operation", OPERATIONS)
def test_every_operation_leaves_a_heap_of_the_right_pods(operation: str) -> None:
    for settings in every(operation):
        seen = frames(settings)
        assert is_heap(seen[0]) and is_heap(seen[-1])
        assert {name(key): rank for key, rank in seen[-1].priorities.items()} == expected(settings, seen[0])


@pytest.mark.parametrize("operation", OPERATIONS)
def test_each_step_is_one_comparison_one_swap_or_one_place_more_or_less(operation: str) -> None:
    for settings in every(operation):
        seen = frames(settings)
        for before, after in zip(seen, seen[1:], strict=False):
            array = list(before.queue)
            if after.act == "swap":
                i, j = after.places
                array[i], array[j] = array[j], array[i]
            elif after.act == "push":
                array.append(f"default/{NEW}")
            elif after.act == "pop":
                assert array.pop() == after.gone
            else:
                i, j = after.places
                ranks = [after.priorities[key] for key in after.queue]
                assert after.answer == (ranks[i] > ranks[j])
            assert array == list(after.queue)


@pytest.mark.parametrize("operation", OPERATIONS)
def test_the_view_says_what_the_step_is(operation: str) -> None:
    for settings in every(operation)[::3]:
        seen = frames(settings)
        for step, frame in enumerate(seen):
            view = show(settings.changed(step=step))
            assert ElementTree.fromstring(str(view.picture)).get("aria-label") == view.sentence
            assert all(key in view.text for key in frame.queue)
            assert f"step {step} of {len(seen) - 1}" in view.sentence
            signs = {"less": "? ", "swap": "⇄ ", "push": "+ "}
            marked = str(view.picture).count(f">{signs.get(frame.act, 'nothing')}")
            assert marked == 2 * len(frame.places)  # in the array and in the tree


def test_a_pop_that_the_lesson_shows() -> None:
    seen = frames(Settings())
    assert [each.act for each in seen] == ["start", "swap", "less", "less", "swap", "less", "pop"]
    assert [name(key) for key in seen[-1].queue] == ["g", "e", "a", "d", "b", "f"]


def test_the_yaml_is_the_heap() -> None:
    pods = loads(as_yaml(Settings(pods=4))).pods
    assert [pod.metadata.name for pod in pods] == [each["metadata"]["name"] for each in manifests(Settings(pods=4))]


def test_the_panel_moves_through_the_same_functions() -> None:
    moved = panel().move(operation="Add", step=2)
    assert moved.view == show(Settings(operation="Add", step=2))
    assert moved.link().startswith("queue_heap.panel().restore(")
    assert len(after_pop().remarks) == 3
