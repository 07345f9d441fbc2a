"""Pods that wait until their backoff is over.

v1.37: pkg/scheduler/backend/queue/backoff_queue.go. Backoff ends at whole seconds, so that the pods of one second leave
in the order of the active queue. Pods that came back with an error wait apart: they are not popped early.
"""

from __future__ import annotations

from collections.abc import Iterator

from kschedlab.objects.meta import SECOND
from kschedlab.queue.heap import Heap
from kschedlab.queue.queued_pod import NEVER, Less, WaitingPod, comes_first, key_func


class Backoff:
    """The refused pods and those with errors.

    ``initial``, ``maximum``: microseconds; no backoff if the maximum is 0. ``less``: the order of the active queue.
    """

    def __init__(self, initial: int, maximum: int, less: Less = comes_first) -> None:
        self._initial, self._maximum = initial, maximum
        self._less = less
        self._refused = Heap(key_func, self.ends_first)
        self._failed = Heap(key_func, self.ends_first)

    def __len__(self) -> int:
        return len(self._refused) + len(self._failed)

    def __iter__(self) -> Iterator[WaitingPod]:
        """The pods, first come first: the refused ones, then those with errors."""
        yield from self._refused
        yield from self._failed

    def ends_first(self, one: WaitingPod, other: WaitingPod) -> bool:
        """Whether the one's backoff ends before the other's; of those that end together, which is tried first."""
        if one.backoff_until != other.backoff_until:
            return one.backoff_until < other.backoff_until
        return self._less(one, other)

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
        return self._refused.get_by_key(key) or self._failed.get_by_key(key)

    def put(self, pod: WaitingPod) -> None:
        """The pod waits, or has changed while it waits."""
        (self._refused if pod.refusers else self._failed).add(pod)

    def remove(self, key: str) -> WaitingPod | None:
        """Take the pod out, if it is there."""
        return self._refused.delete(key) or self._failed.delete(key)

    def pop(self) -> WaitingPod | None:
        """Take out the refused pod whose backoff ends first, though it has not ended yet."""
        return self._refused.pop() if self._refused else None

    def completed(self, now: int) -> list[WaitingPod]:
        """Take out the pods whose backoff is over."""
        found = []
        for heap in (self._refused, self._failed):
            while (pod := heap.peek()) is not None and not backs_off(pod, now):
                found.append(heap.pop())
        return found


def backs_off(pod: WaitingPod, now: int) -> bool:
    """Whether the pod's backoff is not over. It is not in the second in which it ends."""
    return pod.backoff_until >= _second(now)


def _second(moment: int) -> int:
    return moment - moment % SECOND
