"""Pods that wait until their backoff ends.

v1.37: pkg/scheduler/backend/queue/backoff_queue.go. Backoff ends at whole seconds, so the pods of one second leave in
the order of the active queue. Pods that returned with an error are kept separately: they are not popped early, and
those of the same second leave in heap order. The same holds for all without the gate
SchedulerPopFromBackoffQ.
"""

from __future__ import annotations

from collections.abc import Iterator

from kschedlab.objects.meta import SECOND
from kschedlab.queue.heap import Heap
from kschedlab.queue.queued_pod import NEVER, Less, QueuedPodInfo, key_func, priority_sort

INITIAL, MAXIMUM = SECOND, 10 * SECOND
"""The first and the longest backoff by default, in microseconds."""


def duration(count: int, initial: int = INITIAL, maximum: int = MAXIMUM) -> int:
    """Microseconds of backoff after ``count`` failures in a row: doubled each time, up to the maximum.

    v1.20: pkg/scheduler/internal/queue/scheduling_queue.go, calculateBackoffDuration.
    """
    doubled = max(count - 1, 0)
    return maximum if initial > maximum >> doubled else initial << doubled


class Backoff:
    """The rejected pods (entityBackoffQ), and those that returned with an error (entityErrorBackoffQ).

    ``initial``, ``maximum``: microseconds; no backoff if the maximum is 0. ``less``: the order of the active queue.
    ``window``: backoff ends at multiples of it, in microseconds; 1 without the gate SchedulerPopFromBackoffQ.
    ``by_attempts``: backoff grows with every attempt, and its last moment is not part of it (v1.32:
    backend/queue/scheduling_queue.go, calculateBackoffDuration, isPodBackingoff).
    """

    def __init__(
        self,
        initial: int,
        maximum: int,
        less: Less = priority_sort,
        window: int = SECOND,
        by_attempts: bool = False,
    ) -> None:
        self._initial, self._maximum = initial, maximum
        self._less = less
        self.window = window
        self._by_attempts = by_attempts
        self._rejected = Heap(key_func, self.ends_before if window > 1 else _ends_before)
        self._with_error = Heap(key_func, _ends_before)

    def __len__(self) -> int:
        return len(self._rejected) + len(self._with_error)

    def __iter__(self) -> Iterator[QueuedPodInfo]:
        yield from self._rejected
        yield from self._with_error

    def ends_before(self, first: QueuedPodInfo, second: QueuedPodInfo) -> bool:
        """Whether the first pod's backoff ends earlier; at the same second, the active queue's order decides."""
        if first.backoff_until != second.backoff_until:
            return first.backoff_until < second.backoff_until
        return self._less(first, second)

    def set(self, pod: QueuedPodInfo) -> None:
        """Set the end of the pod's backoff, which starts at its timestamp."""
        count = pod.attempts if self._by_attempts else pod.error_count or pod.unschedulable_count
        pod.backoff_until = NEVER
        if count and self._maximum:
            pod.backoff_until = self._aligned(pod.timestamp + duration(count, self._initial, self._maximum))

    def get(self, key: str) -> QueuedPodInfo | None:
        return self._rejected.get_by_key(key) or self._with_error.get_by_key(key)

    def add_or_update(self, pod: QueuedPodInfo) -> None:
        (self._rejected if pod.rejector_plugins else self._with_error).add(pod)

    def remove(self, key: str) -> QueuedPodInfo | None:
        return self._rejected.delete(key) or self._with_error.delete(key)

    def pop(self) -> QueuedPodInfo | None:
        """Remove and return the rejected pod whose backoff ends first, although it has not ended yet."""
        return self._rejected.pop() if self._rejected else None

    def pop_completed(self, now: int) -> list[QueuedPodInfo]:
        completed = []
        for heap in (self._rejected, self._with_error):
            while (pod := heap.peek()) is not None and not self.is_waiting(pod, now):
                completed.append(heap.pop())
        return completed

    def is_waiting(self, pod: QueuedPodInfo, now: int) -> bool:
        """Whether the pod's backoff is still running, which includes the second in which it ends (not in v1.32)."""
        return pod.backoff_until > now if self._by_attempts else pod.backoff_until >= self._aligned(now)

    def _aligned(self, moment: int) -> int:
        return moment - moment % self.window


def _ends_before(first: QueuedPodInfo, second: QueuedPodInfo) -> bool:
    return first.backoff_until < second.backoff_until
