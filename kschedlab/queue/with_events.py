"""The queue of v1.37: pods wait for the very events that may help them.

v1.37: pkg/scheduler/backend/queue/scheduling_queue.go (PriorityQueue), without groups of pods. A pod is in one of three
parts: *active* (to be tried, by priority), *backoff* (to be tried when its backoff is over, or when nothing else is to
be done) or *unschedulable* (until an event helps it, or five minutes have passed); or it is in flight.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from kschedlab.objects.meta import SECOND
from kschedlab.objects.model import Pod
from kschedlab.queue.backoff import Backoff, backs_off
from kschedlab.queue.events import (
    ASSIGNED_POD_ADD,
    BACKOFF_COMPLETE,
    FORCE_ACTIVATE,
    POP_FROM_BACKOFF,
    SCHEDULE_ATTEMPT_FAILURE,
    UNSCHEDULABLE_TIMEOUT,
    UNSCHEDULED_POD_ADD,
    UNSCHEDULED_POD_DELETE,
    Registration,
    is_wildcard,
    name_of,
    pod_changes,
)
from kschedlab.queue.heap import Heap
from kschedlab.queue.hints.table import DEFAULT
from kschedlab.queue.in_flight import InFlight
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
from kschedlab.queue.nominated import NOMINATIONS_1_37, NominatedPodMap
from kschedlab.queue.pre_enqueue import GATES, Gate, is_gated
from kschedlab.queue.queued_pod import NEVER, Less, WaitingPod, comes_first, in_order, key_func, never_tying
from kschedlab.queue.requeueing import AFTER_BACKOFF, NOTHING, Registrations
from kschedlab.queue.unschedulable import Unschedulable


class WithEvents:
    """The queue.

    ``hints``: what the plugins register for; ``gates``: the PreEnqueue plugins, asked in that order. ``known``: the
    newest version of a pod by ``namespace/name``, as the informer has it: a pod that it does not know, or that is on a
    node, is not nominated. ``told``, ``moved``: called when a pod is nominated, or comes to another part. ``less``: a
    queue sort plugin in place of PrioritySort. ``initial_backoff``, ``max_backoff``, ``max_wait`` (for an event):
    microseconds.
    """

    def __init__(
        self,
        now: Now,
        hints: Iterable[Registration] = DEFAULT,
        gates: Mapping[str, Gate] = GATES,
        *,
        known: Callable[[str], Pod | None] | None = None,
        told: Told | None = None,
        moved: Moved | None = None,
        less: Less | None = None,
        initial_backoff: int = SECOND,
        max_backoff: int = 10 * SECOND,
        max_wait: int = 300 * SECOND,
    ) -> None:
        self._now = now
        self._registrations = Registrations(hints)
        self._gates = gates
        self._moved = moved
        self._max_wait = max_wait
        self._less = comes_first if less is None else never_tying(less)
        self._active = Heap(key_func, self._less)
        self._backoff = Backoff(initial_backoff, max_backoff, self._less)
        self._unschedulable = Unschedulable()
        self.in_flight = InFlight()
        self._nominated = NominatedPodMap(NOMINATIONS_1_37, known, told)
        self._cycle = 0
        self._turn = 0

    # -- reading

    @property
    def scheduling_cycle(self) -> int:
        """Counts the pods that were popped."""
        return self._cycle

    @property
    def flushes(self) -> Sequence[tuple[int, Callable[[], None]]]:
        """The period in which each flush is called; that of backoff at whole seconds."""
        return ((SECOND, self.flush_backoff), (30 * SECOND, self.flush_unschedulable))

    @property
    def active(self) -> list[WaitingPod]:
        """The pods to be tried, in the order in which they will be."""
        return in_order(self._active, self._less)

    @property
    def backoff(self) -> list[WaitingPod]:
        """The pods that back off, by when it ends."""
        return in_order(self._backoff, self._backoff.ends_first)

    @property
    def unschedulable(self) -> list[WaitingPod]:
        """The pods that wait for an event, in the order in which they came."""
        return list(self._unschedulable)

    def places(self) -> dict[str, Place]:
        """Where every waiting pod is, by ``namespace/name``."""
        waiting = (*self._active, *self._backoff, *self._unschedulable)
        return {pod.key: Place(pod.part, pod.since) for pod in waiting}

    def __len__(self) -> int:
        return len(self._active) + len(self._backoff) + len(self._unschedulable)

    # -- pods come, change and go

    def add(self, pod: Pod) -> None:
        """A new pod that is to be scheduled."""
        self._turn += 1
        waiting = WaitingPod(pod, self._now(), self._turn)
        self._nominated.add(pod)
        self._take(waiting.key)
        self._activate(waiting, name_of(UNSCHEDULED_POD_ADD))

    def update(self, old: Pod | None, new: Pod) -> None:
        """The pod changed. One in flight hears of it when it comes back; one that nobody knows is added."""
        old = new if old is None else old
        events = pod_changes(old, new, itself=True)
        if new.metadata.uid in self.in_flight:
            for event in events:
                self.in_flight.happened(event, old, new)
            return
        waiting = self._find(old.key)
        if waiting is None:
            self.add(new)
            return
        waiting.update(new)
        self._nominated.update(old, new)
        if waiting.part == ACTIVE:
            self._active.add(waiting)
        elif waiting.part == BACKOFF:
            self._backoff.put(waiting)
        else:
            self._helped(waiting, events, old, new)

    def _helped(self, waiting: WaitingPod, events: Iterable[ClusterEvent], old: Pod, new: Pod) -> None:
        """The pod changed while it waited for an event: this may be it."""
        for event in events:
            if (
                self._requeue(waiting, self._registrations.worth(waiting, event, old, new), name_of(event))
                != UNSCHEDULABLE
            ):
                return

    def delete(self, pod: Pod) -> None:
        """The pod is gone, or someone else's now."""
        self._nominated.delete(pod)
        waiting = self._take(pod.key)
        if waiting is not None:
            self._tell(waiting.pod, waiting.part, GONE, name_of(UNSCHEDULED_POD_DELETE))

    # -- scheduling

    def pop(self) -> WaitingPod | None:
        """The next active pod, else the refused one whose backoff ends first. None where the real queue would wait."""
        while True:
            waiting, why = (self._active.pop(), "Pop") if self._active else (self._backoff.pop(), POP_FROM_BACKOFF)
            if waiting is None:
                return None
            waiting.attempts += 1
            if self.in_flight.take_off(waiting.pod):
                self._cycle += 1
                self._go(waiting, IN_FLIGHT, why)
                return waiting
            self._tell(waiting.pod, waiting.part, GONE, why)

    def add_unschedulable(self, queued: QueuedPod, cycle: int) -> None:
        """Give back a popped pod that was not scheduled, after :meth:`WaitingPod.refused`. ``cycle`` plays no role.

        What it missed while in flight may help it at once. ValueError, with the real queue's message, if it is here
        already.
        """
        assert isinstance(queued, WaitingPod), "a pod can only be given back to the queue that it was popped from"
        uid = queued.pod.metadata.uid
        try:
            self._refuse_twice(queued)
            self._turn += 1
            queued.came(self._now(), self._turn)
            if queued.refusers:
                queued.unschedulable_count += 1
                queued.error_count = 0
            else:
                queued.error_count += 1
            queued.flushed, queued.flushed_at = False, NEVER
            self._backoff.set(queued)
            self._requeue(
                queued, self._registrations.worth_of_all(queued, self.in_flight.missed(uid)), SCHEDULE_ATTEMPT_FAILURE
            )
        finally:
            self.in_flight.done(uid)

    def done(self, pod: Pod) -> None:
        """The popped pod is bound, or gone: nothing that happens concerns it any more."""
        if self.in_flight.done(pod.metadata.uid) is not None:
            self._tell(pod, IN_FLIGHT, GONE, "Done")

    def activate(self, pods: Iterable[Pod]) -> None:
        """Move these pods to the active queue if they wait elsewhere, or once they come back if they are in flight."""
        for pod in pods:
            waiting = self._find(pod.key)
            if waiting is not None and waiting.part == BACKOFF:
                self._backoff.remove(waiting.key)
                self._enter(waiting, FORCE_ACTIVATE.label)
            elif waiting is not None and waiting.part == UNSCHEDULABLE:
                self._activate(waiting, FORCE_ACTIVATE.label)
            elif pod.metadata.uid in self.in_flight:
                self.in_flight.happened(FORCE_ACTIVATE, None, pod)

    # -- something happens

    def move(
        self, event: ClusterEvent, old: Any = None, new: Any = None, only: Callable[[Pod], bool] | None = None
    ) -> None:
        """Something happened that may let pods fit: move those that it may help. ``only``: ask only about these pods.

        O(pods that a plugin refused which registers for the event).
        """
        told = self._registrations.told(event)
        if is_wildcard(event):
            candidates = list(self._unschedulable)
        elif told:
            candidates = self._unschedulable.refused_by(told)
        else:
            return
        if only is not None:
            candidates = [waiting for waiting in candidates if only(waiting.pod)]
        self._move(candidates, event, old, new)

    def _move(self, candidates: Iterable[WaitingPod], event: ClusterEvent, old: Any, new: Any) -> None:
        told, name = self._registrations.told(event), name_of(event)
        for waiting in candidates:
            if waiting.gate and not is_wildcard(event) and waiting.gate not in told:
                continue
            worth = self._registrations.worth(waiting, event, old, new)
            if worth != NOTHING:
                self._requeue(waiting, worth, name)
        self.in_flight.happened(event, old, new)

    def assigned_pod_added(self, pod: Pod) -> None:
        """A pod came to a node: move the pods that wait for such a neighbour."""
        self.move(ASSIGNED_POD_ADD, None, pod)

    def assigned_pod_updated(self, old: Pod, new: Pod, event: ClusterEvent) -> None:
        """A pod on a node changed: move the pods that this may help."""
        self.move(event, old, new)

    def flush_backoff(self) -> None:
        """Move the pods whose backoff is over to the active queue. To be called at every whole second."""
        for waiting in self._backoff.completed(self._now()):
            self._enter(waiting, BACKOFF_COMPLETE)

    def flush_unschedulable(self) -> None:
        """Move the pods that have waited for an event too long: perhaps one was missed."""
        now = self._now()
        late = [pod for pod in self._unschedulable if now - max(pod.timestamp, pod.flushed_at) > self._max_wait]
        for waiting in late:
            waiting.flushed, waiting.flushed_at = True, now
        if late:
            self._move(late, UNSCHEDULABLE_TIMEOUT, None, None)

    # -- nominations

    def nominate(self, pod: Pod, node: str) -> None:
        """Remember that the pod waits for room on the node."""
        self._nominated.add(pod, node)

    def withdraw(self, pod: Pod) -> None:
        """Forget the pod's nomination."""
        self._nominated.delete(pod)

    def nominated(self, node: str) -> list[Pod]:
        """The pods that are nominated to the node, in the order in which they were; as they are now if they wait."""
        pods = self._nominated.pods_for_node(node)
        return [pod if (waiting := self._find(pod.key)) is None else waiting.pod for pod in pods]

    # -- from part to part

    def _requeue(self, waiting: WaitingPod, worth: int, why: str) -> str:
        """Put the pod where it belongs now; the part to which it came."""
        if worth == NOTHING:
            self._shelve(waiting, why)
        elif worth == AFTER_BACKOFF and backs_off(waiting, self._now()):
            self._back_off(waiting, why)
        else:
            self._activate(waiting, why)
        return waiting.part

    def _activate(self, waiting: WaitingPod, why: str) -> None:
        if is_gated(waiting, self._gates):
            waiting.flushed = False
            self._shelve(waiting, why)
        else:
            self._unschedulable.remove(waiting.key)
            self._enter(waiting, why)

    def _enter(self, waiting: WaitingPod, why: str) -> None:
        if waiting.first_active < 0:
            waiting.first_active = self._now()
        self._active.add(waiting)
        self._go(waiting, ACTIVE, why)

    def _back_off(self, waiting: WaitingPod, why: str) -> None:
        if is_gated(waiting, self._gates):
            waiting.flushed = False
            self._shelve(waiting, why)
        else:
            self._unschedulable.remove(waiting.key)
            self._backoff.put(waiting)
            self._go(waiting, BACKOFF, why)

    def _shelve(self, waiting: WaitingPod, why: str) -> None:
        self._unschedulable.put(waiting)
        if waiting.part != UNSCHEDULABLE:
            self._go(waiting, UNSCHEDULABLE, why)

    def _refuse_twice(self, queued: WaitingPod) -> None:
        here = self._find(queued.key)
        if here is not None:
            where = {ACTIVE: "the active", BACKOFF: "the backoff", UNSCHEDULABLE: "unschedulable"}[here.part]
            raise ValueError(f"Pod {queued.key} is already present in {where} queue")

    def _find(self, key: str) -> WaitingPod | None:
        return self._active.get_by_key(key) or self._backoff.get(key) or self._unschedulable.get(key)

    def _take(self, key: str) -> WaitingPod | None:
        return self._active.delete(key) or self._backoff.remove(key) or self._unschedulable.remove(key)

    def _go(self, waiting: WaitingPod, part: str, why: str) -> None:
        origin, waiting.part, waiting.since = waiting.part, part, self._now()
        self._tell(waiting.pod, origin, part, why)

    def _tell(self, pod: Pod, origin: str, part: str, why: str) -> None:
        if self._moved is not None:
            self._moved(pod, origin, part, why)
