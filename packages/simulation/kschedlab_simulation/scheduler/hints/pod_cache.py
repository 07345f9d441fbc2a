"""Caches what hints compute from a queued pod: every event evaluates the same pods."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from kschedlab.objects.model import Pod

T = TypeVar("T")


class PodCache(Generic[T]):
    """Caches the function's value for each pod object; cleared when it holds ``size`` values."""

    def __init__(self, compute: Callable[[Pod], T], size: int = 16384) -> None:
        self._compute = compute
        self._size = size
        self._values: dict[int, tuple[Pod, T]] = {}

    def __call__(self, pod: Pod) -> T:
        """The value. Objects are immutable, and an object in the cache keeps its identity."""
        entry = self._values.get(id(pod))
        if entry is None:
            if len(self._values) >= self._size:
                self._values.clear()
            entry = self._values[id(pod)] = (pod, self._compute(pod))
        return entry[1]
