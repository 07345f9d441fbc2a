"""The queues of v1.16 and v1.20: a pod that failed a moment ago is not tried again at once.

v1.16, v1.20: pkg/scheduler/internal/queue/scheduling_queue.go (PriorityQueue). Beside the parts of v1.13 there is
``pod_backoff_q``, a heap by when backoff ends: a pod that something may have helped waits there for the rest of its
backoff. Time is the queue's own: a pod is ordered by when it came to the queue.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from kschedlab.objects.meta import SECOND
from kschedlab.objects.model import Pod
from kschedlab.queue.events import BACKOFF_COMPLETE, SCHEDULE_ATTEMPT_FAILURE
from kschedlab.queue.heap import Heap
from kschedlab.queue.interface import ACTIVE, BACKOFF, UNSCHEDULABLE, Moved, Now, Told
from kschedlab.queue.nominated import NOMINATIONS_1_16, NOMINATIONS_1_20, NominationRules
from kschedlab.queue.older.pod_backoff import AttemptsBackoff, PodBackoff, PodBackoffMap
from kschedlab.queue.older.queued_pod import QueuedPodInfo, key_func, priority_sort
from kschedlab.queue.older.without_backoff import POD_UPDATE, PRESENT, WithoutBackoff


@dataclass(frozen=True)
class BackoffRules:
    """What differs between generations. The defaults are those of v1.20.

    ``backoff``: how backoff is reckoned: by the failures counted under the pod's name, or by the attempts remembered
    with the pod. ``initial``, ``maximum``: microseconds of the first backoff, and of the longest.
    ``nominations``: see :class:`~kschedlab.queue.nominated.NominationRules`.
    ``present``: the errors for a pod that is given back but is here already, by the part where it is.
    """

    backoff: Callable[[Now, int, int], PodBackoff] = AttemptsBackoff
    initial: int = SECOND
    maximum: int = 10 * SECOND
    nominations: NominationRules = NOMINATIONS_1_20
    present: Mapping[str, str] = field(
        default_factory=lambda: {
            ACTIVE: "pod: {pod} is already present in the active queue",
            BACKOFF: "pod {pod} is already present in the backoff queue",
            UNSCHEDULABLE: "pod: {pod} is already present in unschedulable queue",
        }
    )


RULES_1_20 = BackoffRules()
RULES_1_16 = BackoffRules(backoff=PodBackoffMap, nominations=NOMINATIONS_1_16, present=PRESENT)


class WithBackoff(WithoutBackoff):
    """The queue. ``backoff``: when each pod's backoff ends. Other arguments as those of :class:`WithoutBackoff`."""

    def __init__(
        self,
        now: Now,
        rules: BackoffRules = RULES_1_20,
        *,
        known: Callable[[str], Pod | None] | None = None,
        told: Told | None = None,
        moved: Moved | None = None,
        less: Callable[[QueuedPodInfo, QueuedPodInfo], bool] = priority_sort,
    ) -> None:
        super().__init__(
            now,
            known=known,
            told=told,
            moved=moved,
            less=less,
            nominations=rules.nominations,
            present=rules.present,
        )
        self.backoff = rules.backoff(now, rules.initial, rules.maximum)
        self.pod_backoff_q = Heap(key_func, self._backs_off_shorter)
        self._parts[BACKOFF] = self.pod_backoff_q

    @property
    def flushes(self) -> Sequence[tuple[int, Callable[[], None]]]:
        """The period in which each flush is called, in microseconds."""
        return ((SECOND, self.flush_backoff), *super().flushes)

    def update(self, old: Pod | None, new: Pod) -> None:
        """The pod changed (Update). One in backoff is tried at once, whatever is new."""
        queued = self.pod_backoff_q.delete(new.key)
        if queued is None:
            super().update(old, new)
            return
        self.nominated_pods.update(new if old is None else old, new)
        queued.update(new, queued.timestamp)
        self._enter(queued, POD_UPDATE)

    def delete(self, pod: Pod) -> None:
        """The pod is gone, or someone else's now (Delete). An active one's backoff is not cleared."""
        if pod.key not in self.active_q:
            self.backoff.clear(pod.key)
        super().delete(pod)

    def flush_backoff(self) -> None:
        """Move the pods whose backoff is over to the active queue (flushBackoffQCompleted)."""
        while (queued := self.pod_backoff_q.peek()) is not None and not self._backs_off(queued):
            self.pod_backoff_q.pop()
            self._enter(queued, BACKOFF_COMPLETE)

    def _give_back(self, queued: QueuedPodInfo, cycle: int) -> None:
        """The pod waits, even after an error; only for its backoff if something happened since it was popped."""
        self.backoff.failed(queued)
        if self.move_request_cycle >= cycle:
            self._back_off(queued, SCHEDULE_ATTEMPT_FAILURE)
        else:
            self._shelve(queued, SCHEDULE_ATTEMPT_FAILURE)

    def _timestamp(self, pod: Pod, waiting: QueuedPodInfo | None = None) -> int:
        return self._now() if waiting is None else waiting.timestamp

    def _wake(self, queued: QueuedPodInfo, why: str) -> None:
        if self._backs_off(queued):
            self._back_off(queued, why)
        else:
            self._enter(queued, why)

    def _retry(self, queued: QueuedPodInfo) -> None:
        self.backoff.clear(queued.key)
        super()._retry(queued)

    def _back_off(self, queued: QueuedPodInfo, why: str) -> None:
        self.pod_backoff_q.add(queued)
        self._go(queued, BACKOFF, why)

    def _backs_off(self, queued: QueuedPodInfo) -> bool:
        return self.backoff.end(queued) > self._now()

    def _backs_off_shorter(self, one: QueuedPodInfo, other: QueuedPodInfo) -> bool:
        return self.backoff.end(one) < self.backoff.end(other)
