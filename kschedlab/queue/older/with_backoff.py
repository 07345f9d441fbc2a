"""The queues of v1.16 and v1.20: a pod that has just failed waits for its backoff.

v1.16, v1.20: pkg/scheduler/internal/queue/scheduling_queue.go (PriorityQueue). In addition to the parts of v1.13,
``pod_backoff_q`` is a heap by the end of backoff: a pod that an event moves waits there for the rest of its backoff.
A pod's timestamp is when it entered the queue.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Protocol

from kschedlab.objects.meta import SECOND
from kschedlab.objects.model import Pod
from kschedlab.queue.backoff import MAXIMUM, duration
from kschedlab.queue.events import BACKOFF_COMPLETE, SCHEDULE_ATTEMPT_FAILURE
from kschedlab.queue.heap import Heap
from kschedlab.queue.interface import ACTIVE, BACKOFF, UNSCHEDULABLE, Now, OnMoved, OnNominated
from kschedlab.queue.nominated import NOMINATIONS_1_16, NOMINATIONS_1_20, NominationRules
from kschedlab.queue.older.without_backoff import ALREADY_PRESENT, POD_UPDATE, WithoutBackoff
from kschedlab.queue.order import ZERO
from kschedlab.queue.queued_pod import QueuedPodInfo, key_func, priority_sort


class PodBackoff(Protocol):
    """Computes when a pod's backoff ends."""

    def failed(self, queued: QueuedPodInfo) -> None:
        """The pod's attempt has just failed."""

    def end(self, queued: QueuedPodInfo) -> int:
        """When its backoff ends, in microseconds since 1970."""

    def clear(self, key: str) -> None:
        """Clear the backoff of the pod ``namespace/name``: it is deleted or has changed."""


class PodBackoffMap:
    """Backoff by name (v1.16): a pod that is deleted and recreated with the same name keeps its backoff.

    ``pod_attempts``: failures, except those during an earlier backoff. ``pod_last_update_time``: when the last one was
    counted, oldest first. Entries older than twice the maximum are removed when the next pod fails.
    """

    def __init__(self, now: Now) -> None:
        self._now = now
        self.pod_attempts: dict[str, int] = {}
        self.pod_last_update_time: dict[str, int] = {}

    def failed(self, queued: QueuedPodInfo) -> None:
        """Count the failure (backoffPod)."""
        self._cleanup()
        key, now = queued.key, self._now()
        if self.end(queued) < now:
            self.pod_attempts[key] = self.pod_attempts.get(key, 0) + 1
            self.pod_last_update_time.pop(key, None)
            self.pod_last_update_time[key] = now

    def end(self, queued: QueuedPodInfo) -> int:
        """When the pod's backoff ends; Go's zero time if it has none."""
        return self.end_of(queued.key)

    def end_of(self, key: str) -> int:
        """When the backoff of the pod ``namespace/name`` ends; Go's zero time if it has none (GetBackoffTime)."""
        attempts = self.pod_attempts.get(key)
        if attempts is None:
            return ZERO
        return self.pod_last_update_time[key] + duration(attempts)

    def clear(self, key: str) -> None:
        """Forget the pod's failures (ClearPodBackoff)."""
        self.pod_attempts.pop(key, None)
        self.pod_last_update_time.pop(key, None)

    def _cleanup(self) -> None:
        """Remove old entries (CleanupPodsCompletesBackingoff)."""
        oldest = self._now() - 2 * MAXIMUM
        stale = []
        for key, updated in self.pod_last_update_time.items():
            if updated >= oldest:
                break
            stale.append(key)
        for key in stale:
            self.clear(key)


class AttemptsBackoff:
    """Backoff from the queued pod's attempts and timestamp (v1.20); nothing resets the attempts."""

    def __init__(self, now: Now) -> None:
        pass

    def failed(self, queued: QueuedPodInfo) -> None:
        """Nothing to do: the attempt was counted when the pod was popped."""

    def end(self, queued: QueuedPodInfo) -> int:
        """When the pod's backoff ends (getBackoffTime)."""
        return queued.timestamp + duration(queued.attempts)

    def clear(self, key: str) -> None:
        """A changed pod keeps its attempts."""


@dataclass(frozen=True)
class BackoffRules:
    """What differs between generations. The defaults are those of v1.20.

    ``backoff``: how backoff is computed: from failures counted by the pod's name, or from the queued pod's attempts.
    ``nominations``: see :class:`~kschedlab.queue.nominated.NominationRules`.
    ``already_present``: the errors for a returned pod that is already in the queue, by part.
    """

    backoff: Callable[[Now], PodBackoff] = AttemptsBackoff
    nominations: NominationRules = NOMINATIONS_1_20
    already_present: Mapping[str, str] = field(
        default_factory=lambda: {
            ACTIVE: "pod: {pod} is already present in the active queue",
            BACKOFF: "pod {pod} is already present in the backoff queue",
            UNSCHEDULABLE: "pod: {pod} is already present in unschedulable queue",
        }
    )


RULES_1_20 = BackoffRules()
RULES_1_16 = BackoffRules(PodBackoffMap, NOMINATIONS_1_16, ALREADY_PRESENT)


class WithBackoff(WithoutBackoff):
    """``backoff``: computes when each pod's backoff ends. Other arguments as in :class:`WithoutBackoff`."""

    def __init__(
        self,
        now: Now,
        rules: BackoffRules = RULES_1_20,
        *,
        get_pod: Callable[[str], Pod | None] | None = None,
        on_nominated: OnNominated | None = None,
        on_moved: OnMoved | None = None,
        less: Callable[[QueuedPodInfo, QueuedPodInfo], bool] = priority_sort,
    ) -> None:
        super().__init__(
            now,
            get_pod=get_pod,
            on_nominated=on_nominated,
            on_moved=on_moved,
            less=less,
            nominations=rules.nominations,
            already_present=rules.already_present,
        )
        self.backoff = rules.backoff(now)
        self.pod_backoff_q = Heap(key_func, self._backoff_ends_before)
        self._parts[BACKOFF] = self.pod_backoff_q

    @property
    def flushes(self) -> Sequence[tuple[int, Callable[[], None]]]:
        return ((SECOND, self.flush_backoff), *super().flushes)

    def update(self, old: Pod | None, new: Pod) -> None:
        """The pod changed (Update). Any change moves a pod from backoff to the active queue."""
        queued = self.pod_backoff_q.delete(new.key)
        if queued is None:
            super().update(old, new)
            return
        self.nominated_pods.update(new if old is None else old, new)
        queued.update(new, queued.timestamp)
        self._to_active(queued, POD_UPDATE)

    def delete(self, pod: Pod) -> None:
        """Remove a pod that is deleted, or no longer this scheduler's (Delete). An active pod's backoff stays."""
        if pod.key not in self.active_q:
            self.backoff.clear(pod.key)
        super().delete(pod)

    def flush_backoff(self) -> None:
        """Move pods whose backoff has ended to the active queue (flushBackoffQCompleted)."""
        while (queued := self.pod_backoff_q.peek()) is not None and not self._is_backing_off(queued):
            self.pod_backoff_q.pop()
            self._to_active(queued, BACKOFF_COMPLETE)

    def requeue_failed(self, queued: QueuedPodInfo, cycle: int) -> None:
        """The pod waits, even after an error: in backoff if an event occurred since its pop, else as unschedulable."""
        self.backoff.failed(queued)
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

    def _requeue_updated(self, queued: QueuedPodInfo) -> None:
        self.backoff.clear(queued.key)
        super()._requeue_updated(queued)

    def _to_backoff(self, queued: QueuedPodInfo, why: str) -> None:
        self.pod_backoff_q.add(queued)
        self._set_part(queued, BACKOFF, why)

    def _is_backing_off(self, queued: QueuedPodInfo) -> bool:
        return self.backoff.end(queued) > self._now()

    def _backoff_ends_before(self, first: QueuedPodInfo, second: QueuedPodInfo) -> bool:
        return self.backoff.end(first) < self.backoff.end(second)


with_backoff_by_name = partial(WithBackoff, rules=RULES_1_16)
"""The queue of v1.16."""
