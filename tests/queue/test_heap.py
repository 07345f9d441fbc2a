"""The heap: its order, and its array."""

import math

import pytest
from hypothesis import given, settings, strategies as st

from kschedlab.queue.heap import Heap

Thing = tuple[str, int]


def heap_of(*things: Thing) -> Heap[Thing]:
    heap: Heap[Thing] = Heap(lambda thing: thing[0], lambda one, other: one[1] < other[1])
    for thing in things:
        heap.add(thing)
    return heap


def is_heap(heap: Heap[Thing]) -> bool:
    data = heap.data
    in_order = not any(data.less(i, (i - 1) // 2) for i in range(1, len(data)))
    indexed = [data.items[key].index for key in data.queue] == list(range(len(data)))
    return in_order and indexed and len(data.items) == len(data.queue)


def test_the_array_is_a_tree_in_which_no_child_comes_before_its_parent() -> None:
    heap = heap_of(("a", 5), ("b", 3), ("c", 4), ("d", 1))
    assert heap.data.queue == ["d", "b", "c", "a"]
    assert heap.peek() == ("d", 1)
    assert heap.pop() == ("d", 1)
    assert heap.data.queue == ["b", "a", "c"]


def test_the_child_that_comes_first_goes_up_the_left_one_if_they_tie() -> None:
    heap = heap_of(("a", 0), ("left", 1), ("right", 1), ("last", 2))
    heap.pop()
    assert heap.data.queue == ["left", "last", "right"]


def test_adding_an_existing_key_replaces_it_and_restores_the_order() -> None:
    heap = heap_of(("a", 1), ("b", 2), ("c", 3))
    heap.add(("c", 0))
    assert heap.data.queue == ["c", "b", "a"]
    heap.add(("c", 9))
    assert heap.data.queue == ["a", "b", "c"]
    assert (len(heap), heap.get_by_key("c")) == (3, ("c", 9))


def test_deleting_moves_the_last_item_into_the_gap_and_restores_the_order() -> None:
    heap = heap_of(("a", 0), ("b", 5), ("c", 1), ("d", 6), ("e", 7), ("f", 2))
    assert heap.delete("d") == ("d", 6)
    assert heap.data.queue == ["a", "f", "c", "b", "e"]
    assert heap.delete("a") == ("a", 0)
    assert heap.data.queue == ["c", "f", "e", "b"]


def test_missing_keys() -> None:
    heap = heap_of()
    assert heap.peek() is None
    assert heap.delete("a") is None
    assert heap.get_by_key("a") is None
    assert "a" not in heap
    with pytest.raises(IndexError, match="empty heap"):
        heap.pop()


KINDS = st.sampled_from(["add", "delete", "pop"])
OPERATIONS = st.lists(st.tuples(KINDS, st.integers(0, 12), st.integers(0, 6)))


@given(st.lists(st.integers(0, 6), max_size=13), OPERATIONS)
@settings(max_examples=200)
def test_any_operations_leave_a_heap_of_the_added_items(
    values: list[int], operations: list[tuple[str, int, int]]
) -> None:
    model = {f"k{i}": value for i, value in enumerate(values)}
    heap = heap_of(*model.items())
    for operation, name, value in operations:
        key = f"k{name}"
        if operation == "add":
            heap.add((key, value))
            model[key] = value
        elif operation == "delete":
            removed = model.pop(key, None)
            assert heap.delete(key) == (None if removed is None else (key, removed))
        elif model:
            key, value = heap.pop()
            assert value == min(model.values()) == model.pop(key)
        assert is_heap(heap)
        assert dict(heap) == model


def test_ten_thousand_pods_leave_in_order_and_each_operation_compares_few_of_them() -> None:
    compared = 0

    def less(one: Thing, other: Thing) -> bool:
        nonlocal compared
        compared += 1
        return one[1] < other[1]

    heap: Heap[Thing] = Heap(lambda thing: thing[0], less)
    values = [i * 7919 % 10_007 for i in range(10_000)]
    for i, value in enumerate(values):
        heap.add((f"k{i}", value))
    assert [heap.pop()[1] for _ in values] == sorted(values)
    assert compared / 20_000 < 2 * math.log2(10_000)
