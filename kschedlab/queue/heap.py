"""The heap of the scheduling queue: a tree in an array, and a map from each key to its index.

v1.13: pkg/scheduler/internal/queue/scheduling_queue.go (Heap, heapData); v1.16: pkg/scheduler/util/heap.go; v1.20:
pkg/scheduler/internal/heap/heap.go; v1.37: pkg/scheduler/backend/heap/heap.go. The children of place i are at 2i+1 and
2i+2, and no child comes before its parent. :func:`up` and :func:`down` restore that with the same swaps as Go's
container/heap, so the array is always identical.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

T = TypeVar("T")


class HeapItem(Generic[T]):
    """An object in the heap, and the index of its key in the array."""

    __slots__ = ("index", "obj")

    def __init__(self, obj: T, index: int) -> None:
        self.obj = obj
        self.index = index


class HeapData(Generic[T]):
    """The heap's data (v1.13: heapData).

    ``queue``: the keys, in array order. ``items``: the objects by key. ``key_func``: an object's key.
    ``less_func``: whether the first object comes out before the second.
    """

    __slots__ = ("items", "key_func", "less_func", "queue")

    def __init__(self, key_func: Callable[[T], str], less_func: Callable[[T, T], bool]) -> None:
        self.items: dict[str, HeapItem[T]] = {}
        self.queue: list[str] = []
        self.key_func = key_func
        self.less_func = less_func

    def __len__(self) -> int:
        return len(self.queue)

    def less(self, i: int, j: int) -> bool:
        queue, items = self.queue, self.items
        return self.less_func(items[queue[i]].obj, items[queue[j]].obj)

    def swap(self, i: int, j: int) -> None:
        queue, items = self.queue, self.items
        queue[i], queue[j] = queue[j], queue[i]
        items[queue[i]].index = i
        items[queue[j]].index = j

    def push(self, key: str, obj: T) -> None:
        self.items[key] = HeapItem(obj, len(self.queue))
        self.queue.append(key)

    def pop(self) -> T:
        return self.items.pop(self.queue.pop()).obj


def up(data: HeapData[T], place: int) -> None:
    """Swap with the parent while the parent comes later."""
    while place > 0:
        parent = (place - 1) // 2
        if not data.less(place, parent):
            return
        data.swap(parent, place)
        place = parent


def down(data: HeapData[T], start: int, end: int) -> bool:
    """Swap with the first of the children while it comes earlier; returns whether there was a swap.

    The tree is the array before ``end``.
    """
    place = start
    while (child := 2 * place + 1) < end:
        right = child + 1
        if right < end and data.less(right, child):
            child = right
        if not data.less(child, place):
            break
        data.swap(place, child)
        place = child
    return place > start


class Heap(Generic[T]):
    """A priority queue ordered by ``less_func``. Every operation is O(log length).

    An object whose order changes needs :meth:`update`.
    """

    __slots__ = ("data",)

    def __init__(self, key_func: Callable[[T], str], less_func: Callable[[T, T], bool]) -> None:
        self.data = HeapData(key_func, less_func)

    def __len__(self) -> int:
        return len(self.data.queue)

    def __contains__(self, key: str) -> bool:
        return key in self.data.items

    def __iter__(self) -> Iterator[T]:
        """All objects in insertion order, not in heap order."""
        return (item.obj for item in self.data.items.values())

    def add(self, obj: T) -> None:
        """Add the object, or replace the one with the same key and restore the order."""
        data = self.data
        key = data.key_func(obj)
        item = data.items.get(key)
        if item is None:
            data.push(key, obj)
            up(data, len(data.queue) - 1)
        else:
            item.obj = obj
            if not down(data, item.index, len(data.queue)):
                up(data, item.index)

    def delete(self, key: str) -> T | None:
        data = self.data
        item = data.items.get(key)
        if item is None:
            return None
        place, last = item.index, len(data.queue) - 1
        if place != last:
            data.swap(place, last)
            if not down(data, place, last):
                up(data, place)
        return data.pop()

    def peek(self) -> T | None:
        data = self.data
        return data.items[data.queue[0]].obj if data.queue else None

    def pop(self) -> T:
        """Remove and return the next object. IndexError if the heap is empty."""
        data = self.data
        if not data.queue:
            raise IndexError("pop from an empty heap")
        last = len(data.queue) - 1
        data.swap(0, last)
        down(data, 0, last)
        return data.pop()

    def get_by_key(self, key: str) -> T | None:
        item = self.data.items.get(key)
        return None if item is None else item.obj
