"""Pods that wait until their backoff is over.

v1.37: pkg/scheduler/backend/queue/backoff_queue.go. Backoff ends at whole seconds, so that the pods of one second leave
in the order of the active queue. Pods that came back with an error wait apart: they are not popped early.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kschedlab.queue.line import Line, by_rank
from kschedlab.queue.waiting import NEVER, WaitingPod

SECOND = 1_000_000
"""Microseconds; also the window to which ends are cut off."""


class Backoff:
    """The refused pods and those with errors.

    ``initial``, ``maximum``: microseconds; no backoff if the maximum is 0. ``order``: that of the active queue.
    """

    def __init__(self, initial: int, maximum: int, order: Callable[[WaitingPod], Any] = by_rank) -> None:
        self._initial, self._maximum = initial, maximum
        self._refused = Line(lambda pod: (pod.backoff_until, order(pod)))
        self._failed = Line(lambda pod: (pod.backoff_until, order(pod)))

    def __len__(self) -> int:
        return len(self._refused) + len(self._failed)

    def pods(self) -> list[WaitingPod]:
        """The pods, first come first: the refused ones, then those with errors."""
        return [*self._refused, *self._failed]

    def set(self, pod: WaitingPod) -> None:
        """Set the end of the pod's backoff, which begins when it came to the queue."""
        count = pod.error_count or pod.unschedulable_count
        pod.backoff_until = NEVER
        if count and self._maximum:
            pod.backoff_until = _second(pod.timestamp + self.duration(count))

    def duration(self, count: int) -> int:
        """Microseconds after so many failures in a row: doubled each time, up to the maximum."""
        if self._initial > self._maximum >> (count - 1):
            return self._maximum
        return self._initial << (count - 1)

    def get(self, key: str) -> WaitingPod | None:
        """The pod, if it is there."""
        return self._refused.get(key) or self._failed.get(key)

    def put(self, pod: WaitingPod) -> None:
        """The pod waits, or has changed while it waits."""
        (self._refused if pod.refusers else self._failed).put(pod)

    def remove(self, key: str) -> WaitingPod | None:
        """Take the pod out, if it is there."""
        return self._refused.remove(key) or self._failed.remove(key)

    def pop(self) -> WaitingPod | None:
        """Take out the refused pod whose backoff ends first, though it has not ended yet."""
        return self._refused.pop()

    def completed(self, now: int) -> list[WaitingPod]:
        """Take out the pods whose backoff is over."""
        found = []
        for line in (self._refused, self._failed):
            while (pod := line.first()) is not None and not backs_off(pod, now):
                line.pop()
                found.append(pod)
        return found


def backs_off(pod: WaitingPod, now: int) -> bool:
    """Whether the pod's backoff is not over. It is not in the second in which it ends."""
    return pod.backoff_until >= _second(now)


def _second(moment: int) -> int:
    return moment - moment % SECOND
