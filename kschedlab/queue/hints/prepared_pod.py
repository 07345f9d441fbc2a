"""What a hint needs of a waiting pod, prepared once: the same pods are asked about at every event."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from kschedlab.objects.model import Pod

T = TypeVar("T")


class Prepared(Generic[T]):
    """The function's value for a pod object, kept while there are fewer than ``size`` of them."""

    def __init__(self, compute: Callable[[Pod], T], size: int = 16384) -> None:
        self._compute = compute
        self._size = size
        self._known: dict[int, tuple[Pod, T]] = {}

    def __call__(self, pod: Pod) -> T:
        """The value. Objects never change, and one that is kept here keeps its identity."""
        found = self._known.get(id(pod))
        if found is None:
            if len(self._known) >= self._size:
                self._known.clear()
            found = self._known[id(pod)] = (pod, self._compute(pod))
        return found[1]
