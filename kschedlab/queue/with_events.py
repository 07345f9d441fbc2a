"""The queue of v1.37: a rejected pod waits for the events that may help it.

v1.37: pkg/scheduler/backend/queue/scheduling_queue.go (PriorityQueue), without pod groups. A pod is in one of three
parts: *active* (ready, by priority), *backoff* (until its backoff ends or the active queue is empty) or
*unschedulable* (until an event helps it, or for five minutes); or it is in flight.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence, Set
from typing import Any

from kschedlab.objects.meta import SECOND
from kschedlab.objects.model import Pod
from kschedlab.queue.backoff import INITIAL, MAXIMUM, Backoff
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
from kschedlab.queue.in_flight import InFlight
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
from kschedlab.queue.nominated import NOMINATIONS_1_22, NominatedPodMap
from kschedlab.queue.pre_enqueue import GATES, Gate, is_gated
from kschedlab.queue.queued_pod import NEVER, Less, QueuedPodInfo, key_func, priority_sort, sorted_pods, with_tie_break
from kschedlab.queue.requeueing import AFTER_BACKOFF, SKIP, EventHints

NO_PLUGIN = ""
"""The index key of pods that no plugin rejected."""


class Unschedulable:
    """The pods by ``namespace/name``, in insertion order, with indices by who rejected them and what they name.

    ``names``: the keys of the objects that a pod names (:class:`~kschedlab.queue.events.Narrowing`).
    """

    def __init__(self, names: Callable[[Pod], Set[Hashable]]) -> None:
        self._names = names
        self._pods: dict[str, QueuedPodInfo] = {}
        self._plugins_of_pod: dict[str, tuple[str, ...]] = {}
        self._pods_by_plugin: dict[str, dict[str, QueuedPodInfo]] = {}
        self._names_of_pod: dict[str, Set[Hashable]] = {}
        self._pods_by_name: dict[Hashable, dict[str, QueuedPodInfo]] = {}
        self._order: dict[str, int] = {}
        self._count = 0

    def __len__(self) -> int:
        return len(self._pods)

    def __contains__(self, key: str) -> bool:
        return key in self._pods

    def __iter__(self) -> Iterator[QueuedPodInfo]:
        return iter(self._pods.values())

    def get(self, key: str) -> QueuedPodInfo | None:
        return self._pods.get(key)

    def add_or_update(self, pod: QueuedPodInfo) -> None:
        key = pod.key
        if key not in self._pods:
            self._count += 1
            self._order[key] = self._count
        else:
            self._unindex(key)
        plugins = tuple(pod.rejector_plugins) or (NO_PLUGIN,)
        self._pods[key], self._plugins_of_pod[key] = pod, plugins
        for plugin in plugins:
            self._pods_by_plugin.setdefault(plugin, {})[key] = pod
        if plugins != (NO_PLUGIN,):
            self._names_of_pod[key] = self._names(pod.pod)
            for name in self._names_of_pod[key]:
                self._pods_by_name.setdefault(name, {})[key] = pod

    def remove(self, key: str) -> QueuedPodInfo | None:
        pod = self._pods.pop(key, None)
        if pod is not None:
            self._unindex(key)
            del self._plugins_of_pod[key], self._order[key]
        return pod

    def rejected_by(self, plugins: Iterable[str], names: Set[Hashable] | None) -> list[QueuedPodInfo]:
        """The pods that any of these plugins rejected, and those that none did, in insertion order.

        ``names``: of the rejected ones, only those that name one of these objects.
        """
        groups = [pods for plugin in (NO_PLUGIN, *plugins) if (pods := self._pods_by_plugin.get(plugin))]
        if names is not None:
            naming = {key: pod for name in names for key, pod in self._pods_by_name.get(name, {}).items()}
            unasked = self._pods_by_plugin.get(NO_PLUGIN)
            groups = [pods if pods is unasked else _common(pods, naming) for pods in groups]
        if len(groups) <= 1:
            return [pod for pods in groups for pod in pods.values()]
        merged = {key: pod for pods in groups for key, pod in pods.items()}
        return sorted(merged.values(), key=lambda pod: self._order[pod.key])

    def _unindex(self, key: str) -> None:
        for plugin in self._plugins_of_pod[key]:
            del self._pods_by_plugin[plugin][key]
        for name in self._names_of_pod.pop(key, ()):
            del self._pods_by_name[name][key]
            if not self._pods_by_name[name]:
                del self._pods_by_name[name]


def _common(pods: dict[str, QueuedPodInfo], naming: dict[str, QueuedPodInfo]) -> dict[str, QueuedPodInfo]:
    return {key: pod for key, pod in naming.items() if key in pods}


class WithEvents:
    """The scheduling queue of v1.37 (PriorityQueue).

    ``hints``: the plugins' registrations; without them, no event of an object moves a pod that a plugin rejected.
    ``gates``: the PreEnqueue plugins, in order. ``get_pod``: looks up a pod in the informer by ``namespace/name``: a
    pod that it does not have, or that is assigned, is not nominated.
    ``on_nominated``, ``on_moved``: called when a pod is nominated, or moves to a different part. ``less``: a queue sort
    plugin in place of PrioritySort. ``initial_backoff``, ``max_backoff``, ``max_wait`` (for an event): microseconds.
    ``pops_backoff``: the gate SchedulerPopFromBackoffQ: a pod in backoff is popped where no pod is active.
    ``backs_off_by_attempts``: every attempt makes the backoff longer, not only failures in a row (v1.32).
    """

    def __init__(
        self,
        now: Now,
        hints: Iterable[Registration] = (),
        gates: Mapping[str, Gate] = GATES,
        *,
        get_pod: Callable[[str], Pod | None] | None = None,
        on_nominated: OnNominated | None = None,
        on_moved: OnMoved | None = None,
        less: Less | None = None,
        initial_backoff: int = INITIAL,
        max_backoff: int = MAXIMUM,
        max_wait: int = 300 * SECOND,
        pops_backoff: bool = True,
        backs_off_by_attempts: bool = False,
    ) -> None:
        self._now = now
        self._registrations = EventHints(hints)
        self._gates = gates
        self._on_moved = on_moved
        self._max_wait = max_wait
        self._less = priority_sort if less is None else with_tie_break(less)
        self._active = Heap(key_func, self._less)
        self._pops_backoff = pops_backoff
        window = SECOND if pops_backoff else 1
        self._backoff = Backoff(initial_backoff, max_backoff, self._less, window, backs_off_by_attempts)
        self._unschedulable = Unschedulable(self._registrations.every_narrowing.names)
        self.in_flight = InFlight()
        self._nominated = NominatedPodMap(NOMINATIONS_1_22, get_pod, on_nominated)
        self._cycle = 0
        self._sequence = 0

    # -- reading

    @property
    def scheduling_cycle(self) -> int:
        return self._cycle

    @property
    def flushes(self) -> Sequence[tuple[int, Callable[[], None]]]:
        """The period of each flush in microseconds; the backoff flush runs at whole seconds."""
        return ((SECOND, self.flush_backoff), (30 * SECOND, self.flush_unschedulable))

    @property
    def active(self) -> list[QueuedPodInfo]:
        """The active pods, in the order in which they will be popped."""
        return sorted_pods(self._active, self._less)

    @property
    def backoff(self) -> list[QueuedPodInfo]:
        """The pods in backoff, by its end."""
        return sorted_pods(self._backoff, self._backoff.ends_before)

    @property
    def unschedulable(self) -> list[QueuedPodInfo]:
        """The pods that wait for an event, in insertion order."""
        return list(self._unschedulable)

    def places(self) -> dict[str, Place]:
        queued = (*self._active, *self._backoff, *self._unschedulable)
        return {pod.key: Place(pod.part, pod.since) for pod in queued}

    def __len__(self) -> int:
        return len(self._active) + len(self._backoff) + len(self._unschedulable)

    # -- adding, updating and deleting pods

    def add(self, pod: Pod) -> None:
        self._sequence += 1
        queued = QueuedPodInfo(pod, self._now(), self._sequence)
        self._nominated.add(pod)
        self._remove(queued.key)
        self._to_active_unless_gated(queued, name_of(UNSCHEDULED_POD_ADD))

    def update(self, old: Pod | None, new: Pod) -> None:
        old = new if old is None else old
        events = pod_changes(old, new, target=True)
        if new.metadata.uid in self.in_flight:
            for event in events:
                self.in_flight.add_event(event, old, new)
            return
        queued = self._find(old.key)
        if queued is None:
            self.add(new)
            return
        queued.update(new)
        self._nominated.update(old, new)
        if queued.part == ACTIVE:
            self._active.add(queued)
        elif queued.part == BACKOFF:
            self._backoff.add_or_update(queued)
        else:
            for event in events:  # the change itself may requeue it
                if self._requeue(queued, self._strategy(queued, event, old, new), name_of(event)) != UNSCHEDULABLE:
                    return

    def delete(self, pod: Pod) -> None:
        self._nominated.delete(pod)
        queued = self._remove(pod.key)
        if queued is not None:
            self._notify(queued.pod, queued.part, GONE, name_of(UNSCHEDULED_POD_DELETE))

    # -- scheduling

    def pop(self) -> QueuedPodInfo | None:
        """The next active pod, else the rejected pod whose backoff ends first. None where the real queue blocks."""
        while True:
            queued, why = self._active.pop() if self._active else None, "Pop"
            if queued is None and self._pops_backoff:
                queued, why = self._backoff.pop(), POP_FROM_BACKOFF
            if queued is None:
                return None
            if self._track(queued):
                self._cycle += 1
                self._set_part(queued, IN_FLIGHT, why)
                return queued
            self._notify(queued.pod, queued.part, GONE, why)

    def _track(self, queued: QueuedPodInfo) -> bool:
        """Count the attempt, and keep the events that follow. False if the pod is in flight already."""
        queued.attempts += 1
        return self.in_flight.add_pod(queued.pod)

    def add_unschedulable(self, queued: QueuedPodInfo, cycle: int) -> None:
        """Events that the pod missed in flight may requeue it at once. ``cycle`` is unused."""
        uid = queued.pod.metadata.uid
        try:
            if (present := self._find(queued.key)) is not None:
                name = {ACTIVE: "the active", BACKOFF: "the backoff", UNSCHEDULABLE: "unschedulable"}[present.part]
                raise ValueError(f"Pod {queued.key} is already present in {name} queue")
            self._count_failure(queued)
            self._backoff.set(queued)
            strategy = self._registrations.strategy_in_flight(queued, self.in_flight.events_since_pop(uid))
            self._requeue(queued, strategy, SCHEDULE_ATTEMPT_FAILURE)
        finally:
            self.in_flight.done(uid)

    def _count_failure(self, queued: QueuedPodInfo) -> None:
        self._sequence += 1
        queued.set_timestamp(self._now(), self._sequence)
        if queued.rejector_plugins:
            queued.unschedulable_count += 1
            queued.error_count = 0
        else:
            queued.error_count += 1
        queued.flushed, queued.flushed_at = False, NEVER

    def done(self, pod: Pod) -> None:
        if self.in_flight.done(pod.metadata.uid) is not None:
            self._notify(pod, IN_FLIGHT, GONE, "Done")

    def activate(self, pods: Iterable[Pod]) -> None:
        """Move these pods to the active queue; those in flight follow when they return."""
        for pod in pods:
            queued = self._find(self._entry_key(pod))
            if queued is not None and queued.part == BACKOFF:
                self._backoff.remove(queued.key)
                self._leave_backoff(queued, FORCE_ACTIVATE.label)
            elif queued is not None and queued.part == UNSCHEDULABLE:
                self._to_active_unless_gated(queued, FORCE_ACTIVATE.label)
            elif pod.metadata.uid in self.in_flight:
                self.in_flight.add_event(FORCE_ACTIVATE, None, pod)

    # -- events

    def move(self, event: ClusterEvent, old: Any = None, new: Any = None, pre_check: PreCheck | None = None) -> None:
        """Move the pods that the event may help. ``pre_check``: consider only pods that pass it.

        O(pods rejected by a plugin that registered for the event), or only those that name what it concerns.
        """
        hints = self._registrations.hints_for(event)
        if is_wildcard(event):
            candidates = list(self._unschedulable)
        elif hints:
            named = self._registrations.narrowings[event].concerned(old, new)
            candidates = self._unschedulable.rejected_by(hints, named)
        else:
            return
        if pre_check is not None:
            candidates = [queued for queued in candidates if pre_check(queued.pod)]
        self._move(candidates, event, old, new)

    def _move(self, candidates: Iterable[QueuedPodInfo], event: ClusterEvent, old: Any, new: Any) -> None:
        hints, name = self._registrations.hints_for(event), name_of(event)
        for queued in candidates:
            if queued.gate and not is_wildcard(event) and queued.gate not in hints:
                continue
            strategy = self._strategy(queued, event, old, new)
            if strategy != SKIP:
                self._requeue(queued, strategy, name)
        self.in_flight.add_event(event, old, new)

    def _strategy(self, queued: QueuedPodInfo, event: ClusterEvent, old: Any, new: Any) -> int:
        return self._registrations.strategy(queued, event, old, new)

    def assigned_pod_added(self, pod: Pod) -> None:
        self.move(ASSIGNED_POD_ADD, None, pod)

    def assigned_pod_updated(self, old: Pod, new: Pod, event: ClusterEvent) -> None:
        self.move(event, old, new)

    def flush_backoff(self) -> None:
        """Move pods whose backoff has ended to the active queue. Call this at every whole second."""
        for queued in self._backoff.pop_completed(self._now()):
            self._leave_backoff(queued, BACKOFF_COMPLETE)

    def flush_unschedulable(self) -> None:
        now = self._now()
        stale = [pod for pod in self._unschedulable if now - max(pod.timestamp, pod.flushed_at) > self._max_wait]
        for queued in stale:
            queued.flushed, queued.flushed_at = True, now
        if stale:
            self._move(stale, UNSCHEDULABLE_TIMEOUT, None, None)

    # -- nominations

    def nominate(self, pod: Pod, node: str) -> None:
        self._nominated.add(pod, node)

    def remove_nomination(self, pod: Pod) -> None:
        self._nominated.delete(pod)

    def nominated(self, node: str) -> list[Pod]:
        pods = self._nominated.pods_for_node(node)
        return [pod if (queued := self._find(pod.key)) is None else queued.pod for pod in pods]

    # -- moving between parts

    def _requeue(self, queued: QueuedPodInfo, strategy: int, why: str) -> str:
        """Move the pod as the strategy says; returns its new part."""
        if strategy == SKIP:
            self._to_unschedulable(queued, why)
        elif strategy == AFTER_BACKOFF and self._backoff.is_waiting(queued, self._now()):
            self._to_backoff_unless_gated(queued, why)
        else:
            self._to_active_unless_gated(queued, why)
        return queued.part

    def _to_active_unless_gated(self, queued: QueuedPodInfo, why: str) -> None:
        if not self._stops_at_gate(queued, why):
            self._unschedulable.remove(queued.key)
            self._to_active(queued, why)

    def _to_active(self, queued: QueuedPodInfo, why: str) -> None:
        self._active.add(queued)
        self._set_part(queued, ACTIVE, why)

    def _to_backoff_unless_gated(self, queued: QueuedPodInfo, why: str) -> None:
        if not (self._pops_backoff and self._stops_at_gate(queued, why)):
            self._unschedulable.remove(queued.key)
            self._backoff.add_or_update(queued)
            self._set_part(queued, BACKOFF, why)

    def _leave_backoff(self, queued: QueuedPodInfo, why: str) -> None:
        """PreEnqueue runs before backoff where pods can be popped from there, and otherwise after it."""
        (self._to_active if self._pops_backoff else self._to_active_unless_gated)(queued, why)

    def _stops_at_gate(self, queued: QueuedPodInfo, why: str) -> bool:
        """Whether a PreEnqueue plugin blocks the pod; if so, move it to the unschedulable pods."""
        if not is_gated(queued, self._gates):
            return False
        queued.flushed = False
        self._to_unschedulable(queued, why)
        return True

    def _to_unschedulable(self, queued: QueuedPodInfo, why: str) -> None:
        self._unschedulable.add_or_update(queued)
        if queued.part != UNSCHEDULABLE:
            self._set_part(queued, UNSCHEDULABLE, why)

    def _entry_key(self, pod: Pod) -> str:
        """The key of the queue's entry for the pod."""
        return pod.key

    def _find(self, key: str) -> QueuedPodInfo | None:
        return self._active.get_by_key(key) or self._backoff.get(key) or self._unschedulable.get(key)

    def _remove(self, key: str) -> QueuedPodInfo | None:
        return self._active.delete(key) or self._backoff.remove(key) or self._unschedulable.remove(key)

    def _set_part(self, queued: QueuedPodInfo, part: str, why: str) -> None:
        origin, queued.part, queued.since = queued.part, part, self._now()
        self._notify(queued.pod, origin, part, why)

    def _notify(self, pod: Pod, origin: str, part: str, why: str) -> None:
        if self._on_moved is not None:
            self._on_moved(pod, origin, part, why)
