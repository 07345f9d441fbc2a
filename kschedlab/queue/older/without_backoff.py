"""The queue of v1.13: pods to be tried, and pods that wait for anything to happen.

v1.13: pkg/scheduler/internal/queue/scheduling_queue.go (PriorityQueue). A pod is in ``active_q``, a heap by priority,
or in ``unschedulable_q`` until something happens or a minute has passed. Where the real queue moves several pods at
once, in the order of a Go map, they move here in the order in which they came.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from kschedlab.objects.meta import SECOND
from kschedlab.objects.model import ObjectMeta, Pod
from kschedlab.queue.events import (
    ASSIGNED_POD_ADD,
    FORCE_ACTIVATE,
    SCHEDULE_ATTEMPT_FAILURE,
    UNSCHEDULABLE_TIMEOUT,
    name_of,
)
from kschedlab.queue.heap import Heap
from kschedlab.queue.interface import (
    ACTIVE,
    BACKOFF,
    GONE,
    IN_FLIGHT,
    UNSCHEDULABLE,
    ClusterEvent,
    Moved,
    Now,
    Place,
    QueuedPod,
    Told,
)
from kschedlab.queue.nominated import NominatedPodMap, NominationRules
from kschedlab.queue.older.queued_pod import QueuedPodInfo, key_func, priority_sort
from kschedlab.queue.older.unschedulable_pods import UnschedulablePodsMap
from kschedlab.queue.order import SCHEDULED, ZERO, pod_timestamp

MAX_WAIT = 60 * SECOND
"""How long a pod stays unschedulable if nothing happens (unschedulableQTimeInterval)."""
PRESENT = {
    ACTIVE: "pod is already present in the activeQ",
    BACKOFF: "pod is already present in the backoffQ",
    UNSCHEDULABLE: "pod is already present in unschedulableQ",
}
POD_ADD, POD_UPDATE, POD_DELETE = "PodAdd", "PodUpdate", "PodDelete"


class WithoutBackoff:
    """The queue.

    ``scheduling_cycle`` counts the pods that were popped; ``move_request_cycle`` is what it was when pods were last
    asked to move: a pod that was being tried then may have been looked at too early, and is tried again.
    ``known``: the newest version of a pod by ``namespace/name``, asked as ``nominations`` says. ``told``, ``moved``:
    called when a pod is nominated, or comes to another part. ``less``: a queue sort plugin in place of PrioritySort.
    ``present``: the errors for a pod that is given back but is here already.
    """

    def __init__(
        self,
        now: Now,
        *,
        known: Callable[[str], Pod | None] | None = None,
        told: Told | None = None,
        moved: Moved | None = None,
        less: Callable[[QueuedPodInfo, QueuedPodInfo], bool] = priority_sort,
        nominations: NominationRules = NominationRules(),  # noqa: B008 (it is frozen)
        present: Mapping[str, str] = PRESENT,
    ) -> None:
        self._now = now
        self._moved = moved
        self._present = present
        self.active_q = Heap(key_func, less)
        self.unschedulable_q = UnschedulablePodsMap()
        self.nominated_pods = NominatedPodMap(nominations, known, told)
        self.scheduling_cycle = 0
        self.move_request_cycle = -1
        self._parts: dict[str, Heap[QueuedPodInfo] | UnschedulablePodsMap] = {
            ACTIVE: self.active_q,
            UNSCHEDULABLE: self.unschedulable_q,
        }

    # -- reading

    @property
    def flushes(self) -> Sequence[tuple[int, Callable[[], None]]]:
        """The period in which each flush is called, in microseconds."""
        return ((30 * SECOND, self.flush_unschedulable),)

    def places(self) -> dict[str, Place]:
        """Where every waiting pod is, by ``namespace/name``."""
        return {queued.key: Place(part, queued.since) for part, pods in self._parts.items() for queued in pods}

    def __len__(self) -> int:
        return sum(map(len, self._parts.values()))

    # -- pods come, change and go

    def add(self, pod: Pod) -> None:
        """A new pod, to the active queue (Add)."""
        queued = self._new(pod)
        part = self._part_of(pod.key)
        if part and part != ACTIVE:
            self._parts[part].delete(pod.key)
        queued.part = part
        self._enter(queued, POD_ADD)
        self.nominated_pods.add(pod)

    def add_if_not_present(self, pod: Pod) -> None:
        """A pod that may be here already (AddIfNotPresent)."""
        if not self._part_of(pod.key):
            self.add(pod)

    def update(self, old: Pod | None, new: Pod) -> None:
        """The pod changed (Update); one that waits may fit now, if more than its status is new. One that is not here
        is added, even one that was popped and is being tried.
        """
        old = new if old is None else old
        if (queued := self.active_q.get_by_key(new.key)) is not None:
            self.nominated_pods.update(old, new)
            queued.update(new, self._timestamp(new, queued))
            self.active_q.update(queued)
        elif (queued := self.unschedulable_q.get(new.key)) is not None:
            self.nominated_pods.update(old, new)
            queued.update(new, self._timestamp(new, queued))
            if is_pod_updated(old, new):
                self._retry(queued)
            else:
                self.unschedulable_q.add_or_update(queued)
        else:
            self._enter(self._new(new), POD_UPDATE)
            self.nominated_pods.add(new)

    def delete(self, pod: Pod) -> None:
        """The pod is gone, or someone else's now (Delete)."""
        self.nominated_pods.delete(pod)
        if part := self._part_of(pod.key):
            self._parts[part].delete(pod.key)
            self._tell(pod, part, GONE, POD_DELETE)

    # -- scheduling

    def pop(self) -> QueuedPodInfo | None:
        """The first active pod (Pop); None where the real queue would wait."""
        if not self.active_q:
            return None
        queued = self.active_q.pop()
        queued.attempts += 1
        self.scheduling_cycle += 1
        self._go(queued, IN_FLIGHT, "Pop")
        return queued

    def add_unschedulable(self, queued: QueuedPod, cycle: int) -> None:
        """Give back a popped pod that was not scheduled (AddUnschedulableIfNotPresent), after
        :meth:`QueuedPodInfo.refused`. ``cycle``: :attr:`scheduling_cycle` just after its pop.

        ValueError, with the real queue's message, if it is here already.
        """
        assert isinstance(queued, QueuedPodInfo), "this queue did not pop it"
        if part := self._part_of(queued.key):
            raise ValueError(self._present[part].format(pod=queued.key))
        queued.update(queued.pod, self._timestamp(queued.pod))
        self._give_back(queued, cycle)
        self.nominated_pods.add(queued.pod)

    def _give_back(self, queued: QueuedPodInfo, cycle: int) -> None:
        """An unschedulable pod waits, unless something happened since it was popped; after an error it is active."""
        if cycle > self.move_request_cycle and is_pod_unschedulable(queued.pod):
            self._shelve(queued, SCHEDULE_ATTEMPT_FAILURE)
        else:
            self._enter(queued, SCHEDULE_ATTEMPT_FAILURE)

    def done(self, pod: Pod) -> None:
        """The popped pod is bound, or gone. The real queue is not told; whoever looks at the moves is."""
        if not self._part_of(pod.key):
            self._tell(pod, IN_FLIGHT, GONE, "Done")

    def activate(self, pods: Iterable[Pod]) -> None:
        """Move these pods to the active queue if they wait elsewhere. No real queue before v1.22 does."""
        for pod in pods:
            part = self._part_of(pod.key)
            if part and part != ACTIVE and (queued := self._parts[part].delete(pod.key)) is not None:
                self._enter(queued, name_of(FORCE_ACTIVATE))

    # -- something happens

    def move(
        self, event: ClusterEvent, old: Any = None, new: Any = None, only: Callable[[Pod], bool] | None = None
    ) -> None:
        """Something happened: move all pods, whatever it was (MoveAllToActiveQueue). ``only``: look at no others."""
        self._move([q for q in self.unschedulable_q if only is None or only(q.pod)], name_of(event))

    def assigned_pod_added(self, pod: Pod) -> None:
        """A pod came to a node: move the pods that require such a neighbour (AssignedPodAdded)."""
        self._move(self.unschedulable_q.with_matching_affinity_term(pod), name_of(ASSIGNED_POD_ADD))

    def assigned_pod_updated(self, old: Pod, new: Pod, event: ClusterEvent) -> None:
        """A pod on a node changed: move the pods that require such a neighbour (AssignedPodUpdated)."""
        self._move(self.unschedulable_q.with_matching_affinity_term(new), name_of(event))

    def flush_unschedulable(self) -> None:
        """Move the pods that have waited for over a minute (flushUnschedulableQLeftover)."""
        now = self._now()
        late = [q for q in self.unschedulable_q if q.timestamp != ZERO and now - q.timestamp > MAX_WAIT]
        if late:
            self._move(late, name_of(UNSCHEDULABLE_TIMEOUT))

    # -- nominations

    def nominate(self, pod: Pod, node: str) -> None:
        """Remember that the pod waits for room on the node (UpdateNominatedPodForNode)."""
        self.nominated_pods.add(pod, node or None)

    def withdraw(self, pod: Pod) -> None:
        """Forget the pod's nomination (DeleteNominatedPodIfExists)."""
        self.nominated_pods.delete(pod)

    def nominated(self, node: str) -> list[Pod]:
        """The pods that are nominated to the node, in the order in which they were (NominatedPodsForNode)."""
        return self.nominated_pods.pods_for_node(node)

    # -- from part to part

    def _new(self, pod: Pod) -> QueuedPodInfo:
        return QueuedPodInfo(pod, self._timestamp(pod))

    def _timestamp(self, pod: Pod, waiting: QueuedPodInfo | None = None) -> int:
        """The timestamp of a pod that comes, or changed while it was waiting: v1.13 reads it from the pod."""
        return pod_timestamp(pod)

    def _move(self, pods: Iterable[QueuedPodInfo], why: str) -> None:
        """(movePodsToActiveQueue.)"""
        for queued in pods:
            self.unschedulable_q.delete(queued.key)
            self._wake(queued, why)
        self.move_request_cycle = self.scheduling_cycle

    def _wake(self, queued: QueuedPodInfo, why: str) -> None:
        self._enter(queued, why)

    def _retry(self, queued: QueuedPodInfo) -> None:
        """The pod itself changed while it was waiting."""
        self.unschedulable_q.delete(queued.key)
        self._enter(queued, POD_UPDATE)

    def _enter(self, queued: QueuedPodInfo, why: str) -> None:
        self.active_q.add(queued)
        self._go(queued, ACTIVE, why)

    def _shelve(self, queued: QueuedPodInfo, why: str) -> None:
        self.unschedulable_q.add_or_update(queued)
        self._go(queued, UNSCHEDULABLE, why)

    def _part_of(self, key: str) -> str:
        return next((part for part, pods in self._parts.items() if key in pods), "")

    def _go(self, queued: QueuedPodInfo, part: str, why: str) -> None:
        origin, queued.part, queued.since = queued.part, part, self._now()
        if origin != part:
            self._tell(queued.pod, origin, part, why)

    def _tell(self, pod: Pod, origin: str, part: str, why: str) -> None:
        if self._moved is not None:
            self._moved(pod, origin, part, why)


def is_pod_unschedulable(pod: Pod) -> bool:
    """Whether its condition says that it fits nowhere, and not that trying it ended with an error."""
    for condition in pod.status.conditions:
        if condition.type == SCHEDULED:
            return condition.status == "False" and condition.reason == "Unschedulable"
    return False


def is_pod_updated(old: Pod, new: Pod) -> bool:
    """Whether more than its status, version and generation changed, so that it may fit now."""
    return old.spec != new.spec or _stripped(old) != _stripped(new)


def _stripped(pod: Pod) -> ObjectMeta:
    return replace(pod.metadata, resourceVersion="", generation=0)
