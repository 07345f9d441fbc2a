"""Pods in an order that never ties, so that whoever is put in, the same one comes out first."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cmp_to_key
from heapq import heapify, heappop, heappush
from typing import Any

from kschedlab.queue.waiting import WaitingPod

Less = Callable[[WaitingPod, WaitingPod], bool]
"""A queue sort plugin: whether the one pod comes before the other."""


def by_rank(pod: WaitingPod) -> tuple[int, int, int]:
    """The place of a pod by priority, then by who came first."""
    return pod.rank


def by_less(less: Less) -> Callable[[WaitingPod], Any]:
    """The place of a pod as the plugin has it; where it sees no difference, by who came first."""

    def compare(one: WaitingPod, other: WaitingPod) -> int:
        return -1 if less(one, other) else 1 if less(other, one) else one.turn - other.turn

    return cmp_to_key(compare)


class Line:
    """A heap of waiting pods. ``place``: what they are ordered by, the smallest first; no two have the same.

    Entries are (place, number, pod); one that was removed stays in the heap until it comes out, but is not in
    ``_entries`` any more. Everything is O(log pods).
    """

    def __init__(self, place: Callable[[WaitingPod], Any]) -> None:
        self._place = place
        self._heap: list[tuple[Any, int, WaitingPod]] = []
        self._entries: dict[str, tuple[Any, int, WaitingPod]] = {}
        self._number = 0

    def __len__(self) -> int:
        return len(self._entries)

    def __contains__(self, key: str) -> bool:
        return key in self._entries

    def __iter__(self) -> Iterator[WaitingPod]:
        """The pods, first come first."""
        return (pod for _, _, pod in self._entries.values())

    def get(self, key: str) -> WaitingPod | None:
        """The pod, if it is there."""
        entry = self._entries.get(key)
        return None if entry is None else entry[2]

    def put(self, pod: WaitingPod) -> None:
        """Put the pod in its place, new or changed."""
        self._number += 1
        entry = (self._place(pod), self._number, pod)
        self._entries[pod.key] = entry
        heappush(self._heap, entry)
        if len(self._heap) > 2 * len(self._entries) + 64:
            self._heap = list(self._entries.values())
            heapify(self._heap)

    def remove(self, key: str) -> WaitingPod | None:
        """Take the pod out, if it is there."""
        entry = self._entries.pop(key, None)
        return None if entry is None else entry[2]

    def first(self) -> WaitingPod | None:
        """The pod that comes out next."""
        heap = self._heap
        while heap and self._entries.get(heap[0][2].key) is not heap[0]:
            heappop(heap)
        return heap[0][2] if heap else None

    def pop(self) -> WaitingPod | None:
        """Take the first pod out."""
        pod = self.first()
        if pod is not None:
            heappop(self._heap)
            del self._entries[pod.key]
        return pod
