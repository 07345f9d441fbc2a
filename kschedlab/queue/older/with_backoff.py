"""The queues of v1.16 and v1.20: a pod that has just failed waits for its backoff.

v1.16, v1.20: pkg/scheduler/internal/queue/scheduling_queue.go (PriorityQueue). In addition to the parts of v1.13,
``pod_backoff_q`` is a heap by the end of backoff: a pod that an event moves waits there for the rest of its backoff.
A pod's timestamp is when it entered the queue.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import takewhile
from typing import Any, ClassVar

from kschedlab.objects.meta import SECOND
from kschedlab.objects.model import Pod
from kschedlab.queue.backoff import MAXIMUM, duration
from kschedlab.queue.events import BACKOFF_COMPLETE, SCHEDULE_ATTEMPT_FAILURE
from kschedlab.queue.heap import Heap
from kschedlab.queue.interface import ACTIVE, BACKOFF, UNSCHEDULABLE
from kschedlab.queue.nominated import NOMINATIONS_1_16, NOMINATIONS_1_20
from kschedlab.queue.older.without_backoff import POD_UPDATE, WithoutBackoff
from kschedlab.queue.order import ZERO
from kschedlab.queue.queued_pod import QueuedPodInfo, key_func


class WithBackoff(WithoutBackoff):
    """The queue of v1.20: backoff follows from a pod's attempts and its timestamp; nothing resets the attempts."""

    nominations: ClassVar = NOMINATIONS_1_20
    already_present: ClassVar[Mapping[str, str]] = {
        ACTIVE: "pod: {pod} is already present in the active queue",
        BACKOFF: "pod {pod} is already present in the backoff queue",
        UNSCHEDULABLE: "pod: {pod} is already present in unschedulable queue",
    }

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.pod_backoff_q = Heap(key_func, self._backoff_ends_before)
        self._parts[BACKOFF] = self.pod_backoff_q

    @property
    def flushes(self) -> Sequence[tuple[int, Callable[[], None]]]:
        return ((SECOND, self.flush_backoff), *super().flushes)

    def update(self, old: Pod | None, new: Pod) -> None:
        """Any change moves a pod from backoff to the active queue."""
        queued = self.pod_backoff_q.delete(new.key)
        if queued is None:
            super().update(old, new)
            return
        self.nominated_pods.update(new if old is None else old, new)
        queued.update(new, queued.timestamp)
        self._to_active(queued, POD_UPDATE)

    def flush_backoff(self) -> None:
        """Move pods whose backoff has ended to the active queue (flushBackoffQCompleted)."""
        while (queued := self.pod_backoff_q.peek()) is not None and not self._is_backing_off(queued):
            self.pod_backoff_q.pop()
            self._to_active(queued, BACKOFF_COMPLETE)

    def backoff_end(self, queued: QueuedPodInfo) -> int:
        """When the pod's backoff ends, in microseconds since 1970 (getBackoffTime)."""
        return queued.timestamp + duration(queued.attempts)

    def _requeue_failed(self, queued: QueuedPodInfo, cycle: int) -> None:
        """The pod waits, even after an error: in backoff if an event occurred since its pop, else as unschedulable."""
        if self.move_request_cycle >= cycle:
            self._to_backoff(queued, SCHEDULE_ATTEMPT_FAILURE)
        else:
            self._to_unschedulable(queued, SCHEDULE_ATTEMPT_FAILURE)

    def _timestamp(self, pod: Pod, queued: QueuedPodInfo | None = None) -> int:
        return self._now() if queued is None else queued.timestamp

    def _move_one(self, queued: QueuedPodInfo, why: str) -> None:
        if self._is_backing_off(queued):
            self._to_backoff(queued, why)
        else:
            self._to_active(queued, why)

    def _to_backoff(self, queued: QueuedPodInfo, why: str) -> None:
        self.pod_backoff_q.add(queued)
        self._set_part(queued, BACKOFF, why)

    def _is_backing_off(self, queued: QueuedPodInfo) -> bool:
        return self.backoff_end(queued) > self._now()

    def _backoff_ends_before(self, first: QueuedPodInfo, second: QueuedPodInfo) -> bool:
        return self.backoff_end(first) < self.backoff_end(second)


class WithBackoffByName(WithBackoff):
    """The queue of v1.16: a pod that is deleted and recreated with the same name keeps its backoff (PodBackoffMap).

    ``pod_attempts``: failures, except those during an earlier backoff. ``pod_last_update_time``: when the last one was
    counted, oldest first. Entries older than twice the maximum are removed when the next pod fails.
    """

    nominations: ClassVar = NOMINATIONS_1_16
    already_present: ClassVar = WithoutBackoff.already_present

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.pod_attempts: dict[str, int] = {}
        self.pod_last_update_time: dict[str, int] = {}

    def delete(self, pod: Pod) -> None:
        """An active pod's backoff stays."""
        if pod.key not in self.active_q:
            self._clear(pod.key)
        super().delete(pod)

    def backoff_end(self, queued: QueuedPodInfo) -> int:
        return self.end_of(queued.key)

    def end_of(self, key: str) -> int:
        """When the backoff of the pod ``namespace/name`` ends; Go's zero time if it has none (GetBackoffTime)."""
        attempts = self.pod_attempts.get(key)
        return ZERO if attempts is None else self.pod_last_update_time[key] + duration(attempts)

    def _requeue_failed(self, queued: QueuedPodInfo, cycle: int) -> None:
        """Count the failure (backoffPod), and forget old ones (CleanupPodsCompletesBackingoff)."""
        key, now = queued.key, self._now()
        times = self.pod_last_update_time
        for old in list(takewhile(lambda name: times[name] < now - 2 * MAXIMUM, times)):
            self._clear(old)
        if self.end_of(key) < now:
            self.pod_attempts[key] = self.pod_attempts.get(key, 0) + 1
            times.pop(key, None)
            times[key] = now
        super()._requeue_failed(queued, cycle)

    def _requeue_updated(self, queued: QueuedPodInfo) -> None:
        self._clear(queued.key)
        super()._requeue_updated(queued)

    def _clear(self, key: str) -> None:
        self.pod_attempts.pop(key, None)
        self.pod_last_update_time.pop(key, None)
