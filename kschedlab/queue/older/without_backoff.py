"""The queue of v1.13: active pods, and unschedulable pods that any event moves.

v1.13: pkg/scheduler/internal/queue/scheduling_queue.go (PriorityQueue). A pod is in ``active_q``, a heap by priority,
or in ``unschedulable_q`` until an event occurs or a minute has passed. Where the real queue moves several pods at once
in Go's random map order, they move here in insertion order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import compress
from typing import Any, ClassVar

from msgspec.structs import replace

from kschedlab.cluster.terms import AffinityTerm
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
    Now,
    OnMoved,
    OnNominated,
    Place,
    PreCheck,
)
from kschedlab.queue.nominated import NominatedPodMap, NominationRules
from kschedlab.queue.order import SCHEDULED, ZERO, pod_timestamp
from kschedlab.queue.queued_pod import Less, QueuedPodInfo, key_func, priority_sort


class UnschedulablePodsMap:
    """The pods by ``namespace/name``. ``pods``: in insertion order, where the real map has Go's random order.

    Required affinity terms are stored parsed: every newly assigned pod is matched against them.
    """

    def __init__(self) -> None:
        self.pods: dict[str, QueuedPodInfo] = {}
        self._terms: dict[str, tuple[AffinityTerm, ...]] = {}

    def __len__(self) -> int:
        return len(self.pods)

    def __contains__(self, key: str) -> bool:
        return key in self.pods

    def __iter__(self) -> Iterator[QueuedPodInfo]:
        return iter(self.pods.values())

    def add_or_update(self, queued: QueuedPodInfo) -> None:
        self.pods[queued.key] = queued
        self._terms.pop(queued.key, None)
        if terms := _required_affinity(queued.pod):
            self._terms[queued.key] = terms

    def delete(self, key: str) -> QueuedPodInfo | None:
        self._terms.pop(key, None)
        return self.pods.pop(key, None)

    def get(self, key: str) -> QueuedPodInfo | None:
        return self.pods.get(key)

    def with_matching_affinity_term(self, pod: Pod) -> list[QueuedPodInfo]:
        """The pods with a required affinity term that matches this pod."""
        namespace, labels = pod.metadata.namespace, pod.metadata.labels
        matching = (any(each.matches(namespace, labels, {}) for each in terms) for terms in self._terms.values())
        return [self.pods[key] for key in compress(self._terms, matching)]


def _required_affinity(pod: Pod) -> tuple[AffinityTerm, ...]:
    affinity = pod.spec.affinity
    if affinity is None or affinity.podAffinity is None:
        return ()
    terms = affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution
    return tuple(AffinityTerm.of(term, pod.metadata.namespace) for term in terms)


MAX_WAIT = 60 * SECOND
"""Microseconds after which an unschedulable pod moves without an event (unschedulableQTimeInterval)."""
POD_ADD, POD_UPDATE, POD_DELETE = "PodAdd", "PodUpdate", "PodDelete"


class WithoutBackoff:
    """The scheduling queue of v1.13 (PriorityQueue).

    ``scheduling_cycle`` counts pops; ``move_request_cycle`` is its value at the last move request: a pod in flight at
    that time may have missed the event, and becomes active again.
    The arguments are those of :class:`~kschedlab.queue.with_events.WithEvents`. ``already_present``: the errors for a
    returned pod that is already in the queue, by part.
    """

    nominations: ClassVar = NominationRules()
    already_present: ClassVar[Mapping[str, str]] = {
        ACTIVE: "pod is already present in the activeQ",
        BACKOFF: "pod is already present in the backoffQ",
        UNSCHEDULABLE: "pod is already present in unschedulableQ",
    }

    def __init__(
        self,
        now: Now,
        *,
        get_pod: Callable[[str], Pod | None] | None = None,
        on_nominated: OnNominated | None = None,
        on_moved: OnMoved | None = None,
        less: Less = priority_sort,
        max_wait: int = MAX_WAIT,
    ) -> None:
        self._now = now
        self._on_moved = on_moved
        self._max_wait = max_wait
        self.active_q = Heap(key_func, less)
        self.unschedulable_q = UnschedulablePodsMap()
        self.nominated_pods = NominatedPodMap(self.nominations, get_pod, on_nominated)
        self.scheduling_cycle = 0
        self.move_request_cycle = -1
        self._parts: dict[str, Heap[QueuedPodInfo] | UnschedulablePodsMap] = {
            ACTIVE: self.active_q,
            UNSCHEDULABLE: self.unschedulable_q,
        }

    # -- reading

    @property
    def flushes(self) -> Sequence[tuple[int, Callable[[], None]]]:
        return ((30 * SECOND, self.flush_unschedulable),)

    def places(self) -> dict[str, Place]:
        return {queued.key: Place(part, queued.since) for part, pods in self._parts.items() for queued in pods}

    def __len__(self) -> int:
        return sum(map(len, self._parts.values()))

    # -- adding, updating and deleting pods

    def add(self, pod: Pod) -> None:
        queued = self._new(pod)
        part = self._part_of(pod.key)
        if part and part != ACTIVE:
            self._parts[part].delete(pod.key)
        queued.part = part
        self._to_active(queued, POD_ADD)
        self.nominated_pods.add(pod)

    def update(self, old: Pod | None, new: Pod) -> None:
        """An unschedulable pod becomes active if more than its status changed. Even a pod in flight is added."""
        old = new if old is None else old
        if (queued := self.active_q.get_by_key(new.key)) is not None:
            self.nominated_pods.update(old, new)
            queued.update(new, self._timestamp(new, queued))
            self.active_q.add(queued)
        elif (queued := self.unschedulable_q.get(new.key)) is not None:
            self.nominated_pods.update(old, new)
            queued.update(new, self._timestamp(new, queued))
            if self._is_updated(old, new):
                self._requeue_updated(queued)
            else:
                self.unschedulable_q.add_or_update(queued)
        else:
            self._to_active(self._new(new), POD_UPDATE)
            self.nominated_pods.add(new)

    def delete(self, pod: Pod) -> None:
        self.nominated_pods.delete(pod)
        if part := self._part_of(pod.key):
            self._parts[part].delete(pod.key)
            self._notify(pod, part, GONE, POD_DELETE)

    def _is_updated(self, old: Pod, new: Pod) -> bool:
        return old.spec != new.spec or _stripped(old) != _stripped(new)

    # -- scheduling

    def pop(self) -> QueuedPodInfo | None:
        if not self.active_q:
            return None
        queued = self.active_q.pop()
        queued.attempts += 1
        self.scheduling_cycle += 1
        self._set_part(queued, IN_FLIGHT, "Pop")
        return queued

    def add_unschedulable(self, queued: QueuedPodInfo, cycle: int) -> None:
        if part := self._part_of(queued.key):
            raise ValueError(self.already_present[part].format(pod=queued.key))
        queued.update(queued.pod, self._timestamp(queued.pod))
        self._requeue_failed(queued, cycle)
        self.nominated_pods.add(queued.pod)

    def _requeue_failed(self, queued: QueuedPodInfo, cycle: int) -> None:
        """An unschedulable pod waits, unless an event occurred since its pop; after an error it becomes active."""
        if cycle > self.move_request_cycle and is_pod_unschedulable(queued.pod):
            self._to_unschedulable(queued, SCHEDULE_ATTEMPT_FAILURE)
        else:
            self._to_active(queued, SCHEDULE_ATTEMPT_FAILURE)

    def done(self, pod: Pod) -> None:
        """The real queue has no such call; here it reports the move."""
        if not self._part_of(pod.key):
            self._notify(pod, IN_FLIGHT, GONE, "Done")

    def activate(self, pods: Iterable[Pod]) -> None:
        """No real queue before v1.22 can."""
        for pod in pods:
            part = self._part_of(pod.key)
            if part and part != ACTIVE and (queued := self._parts[part].delete(pod.key)) is not None:
                self._to_active(queued, name_of(FORCE_ACTIVATE))

    # -- events

    def move(self, event: ClusterEvent, old: Any = None, new: Any = None, pre_check: PreCheck | None = None) -> None:
        """Any event moves all pods (MoveAllToActiveQueue). ``pre_check``: only pods that pass it."""
        self._move([q for q in self.unschedulable_q if pre_check is None or pre_check(q.pod)], name_of(event))

    def assigned_pod_added(self, pod: Pod) -> None:
        self._move(self.unschedulable_q.with_matching_affinity_term(pod), name_of(ASSIGNED_POD_ADD))

    def assigned_pod_updated(self, old: Pod, new: Pod, event: ClusterEvent) -> None:
        self._move(self.unschedulable_q.with_matching_affinity_term(new), name_of(event))

    def flush_unschedulable(self) -> None:
        """v1.13: flushUnschedulableQLeftover."""
        now = self._now()
        stale = [q for q in self.unschedulable_q if q.timestamp != ZERO and now - q.timestamp > self._max_wait]
        if stale:
            self._move(stale, name_of(UNSCHEDULABLE_TIMEOUT))

    # -- nominations

    def nominate(self, pod: Pod, node: str) -> None:
        self.nominated_pods.add(pod, node or None)

    def remove_nomination(self, pod: Pod) -> None:
        self.nominated_pods.delete(pod)

    def nominated(self, node: str) -> list[Pod]:
        return self.nominated_pods.pods_for_node(node)

    # -- moving between parts

    def _new(self, pod: Pod) -> QueuedPodInfo:
        return QueuedPodInfo(pod, self._timestamp(pod))

    def _timestamp(self, pod: Pod, queued: QueuedPodInfo | None = None) -> int:
        """The timestamp of a new or updated pod: v1.13 reads it from the pod itself."""
        return pod_timestamp(pod)

    def _move(self, pods: Iterable[QueuedPodInfo], why: str) -> None:
        for queued in pods:
            self.unschedulable_q.delete(queued.key)
            self._move_one(queued, why)
        self.move_request_cycle = self.scheduling_cycle

    def _move_one(self, queued: QueuedPodInfo, why: str) -> None:
        self._to_active(queued, why)

    def _requeue_updated(self, queued: QueuedPodInfo) -> None:
        """The pod itself changed while it was unschedulable."""
        self.unschedulable_q.delete(queued.key)
        self._to_active(queued, POD_UPDATE)

    def _to_active(self, queued: QueuedPodInfo, why: str) -> None:
        self.active_q.add(queued)
        self._set_part(queued, ACTIVE, why)

    def _to_unschedulable(self, queued: QueuedPodInfo, why: str) -> None:
        self.unschedulable_q.add_or_update(queued)
        self._set_part(queued, UNSCHEDULABLE, why)

    def _part_of(self, key: str) -> str:
        return next((part for part, pods in self._parts.items() if key in pods), "")

    def _set_part(self, queued: QueuedPodInfo, part: str, why: str) -> None:
        origin, queued.part, queued.since = queued.part, part, self._now()
        if origin != part:
            self._notify(queued.pod, origin, part, why)

    def _notify(self, pod: Pod, origin: str, part: str, why: str) -> None:
        if self._on_moved is not None:
            self._on_moved(pod, origin, part, why)


def is_pod_unschedulable(pod: Pod) -> bool:
    """Whether its PodScheduled condition has the reason Unschedulable, not an error."""
    condition = next((each for each in pod.status.conditions if each.type == SCHEDULED), None)
    return condition is not None and condition.status == "False" and condition.reason == "Unschedulable"


def _stripped(pod: Pod) -> ObjectMeta:
    """What an update of the pod's status leaves as it is."""
    return replace(pod.metadata, resourceVersion="", generation=0)
