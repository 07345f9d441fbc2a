"""The queue of v1.22 to v1.30: an update of a pod does not shorten its backoff, and PreEnqueue may keep a pod out.

v1.24, v1.28, v1.30: pkg/scheduler/internal/queue/scheduling_queue.go (PriorityQueue). Theirs moves a pod only by events
that the plugins that rejected it registered for; this one moves it by any event, as that of v1.20.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

from msgspec.structs import replace

from kschedlab.objects.meta import SECOND
from kschedlab.objects.model import Pod
from kschedlab.queue.events import SCHEDULE_ATTEMPT_FAILURE
from kschedlab.queue.interface import ACTIVE, BACKOFF, UNSCHEDULABLE
from kschedlab.queue.nominated import NOMINATIONS_1_22
from kschedlab.queue.older.with_backoff import WithBackoff
from kschedlab.queue.older.without_backoff import POD_UPDATE
from kschedlab.queue.pre_enqueue import SCHEDULING_GATES, Gate, is_gated
from kschedlab.queue.queued_pod import QueuedPodInfo


class WithKeptBackoff(WithBackoff):
    """``gates``: the PreEnqueue plugins, in order (since v1.26). ``max_wait``: for an event, in microseconds.

    ``retries_errors``: after an error a pod waits in backoff, not for an event (since v1.29).
    """

    nominations: ClassVar = NOMINATIONS_1_22
    already_present: ClassVar[Mapping[str, str]] = {
        ACTIVE: "Pod {pod} is already present in the active queue",
        BACKOFF: "Pod {pod} is already present in the backoff queue",
        UNSCHEDULABLE: "Pod {pod} is already present in unschedulable queue",
    }

    def __init__(
        self,
        *arguments: Any,
        gates: Mapping[str, Gate] | None = None,
        max_wait: int = 300 * SECOND,
        retries_errors: bool = False,
        **options: Any,
    ) -> None:
        super().__init__(*arguments, max_wait=max_wait, **options)
        self._gates = gates or {}
        self._retries_errors = retries_errors

    def update(self, old: Pod | None, new: Pod) -> None:
        """A pod in backoff stays there."""
        queued = self.pod_backoff_q.get_by_key(new.key)
        if queued is None:
            super().update(old, new)
            return
        self.nominated_pods.update(new if old is None else old, new)
        queued.update(new)
        self.pod_backoff_q.add(queued)

    def _is_updated(self, old: Pod, new: Pod) -> bool:
        """Finalizers do not count."""
        kept = replace(new, metadata=replace(new.metadata, finalizers=old.metadata.finalizers))
        return super()._is_updated(old, kept)

    def _requeue_updated(self, queued: QueuedPodInfo) -> None:
        self.unschedulable_q.delete(queued.key)
        self._move_one(queued, POD_UPDATE)

    def _requeue_failed(self, queued: QueuedPodInfo, cycle: int) -> None:
        if self._retries_errors and not queued.rejector_plugins:
            self._to_backoff(queued, SCHEDULE_ATTEMPT_FAILURE)
        else:
            super()._requeue_failed(queued, cycle)

    def _move(self, pods: Iterable[QueuedPodInfo], why: str) -> None:
        """No event helps a pod with scheduling gates."""
        super()._move([queued for queued in pods if queued.gate != SCHEDULING_GATES], why)

    def _to_active(self, queued: QueuedPodInfo, why: str) -> None:
        if is_gated(queued, self._gates):
            self._to_unschedulable(queued, why)
        else:
            super()._to_active(queued, why)

    def _is_backing_off(self, queued: QueuedPodInfo) -> bool:
        return not queued.gate and super()._is_backing_off(queued)
