"""Pods that are being scheduled or bound, and the events since their pop.

v1.37: pkg/scheduler/backend/queue/active_queue.go (inFlightPods, inFlightEvents). A pod that returns to the queue
has missed the events since its pop; an event is kept while a pod popped before it is in flight.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from typing import Any, NamedTuple

from kschedlab.objects.model import Pod
from kschedlab.queue.interface import ClusterEvent


class InFlightEvent(NamedTuple):
    event: ClusterEvent
    old: Any
    new: Any


class InFlight:
    """The popped pods by uid, in pop order, and the events since the first pop."""

    def __init__(self) -> None:
        self._pods: OrderedDict[str, tuple[Pod, int]] = OrderedDict()
        self._events: list[InFlightEvent] = []
        self._dropped = 0

    def __contains__(self, uid: str) -> bool:
        return uid in self._pods

    def __len__(self) -> int:
        return len(self._pods)

    def pods(self) -> list[Pod]:
        return [pod for pod, _ in self._pods.values()]

    def add_pod(self, pod: Pod) -> bool:
        """Add a popped pod; False if it is already in flight."""
        uid = pod.metadata.uid
        if uid in self._pods:
            return False
        self._pods[uid] = (pod, self._dropped + len(self._events))
        return True

    def add_event(self, event: ClusterEvent, old: Any, new: Any) -> None:
        if self._pods:
            self._events.append(InFlightEvent(event, old, new))

    def events_since_pop(self, uid: str) -> Iterator[InFlightEvent] | None:
        """The events since the pod's pop; None if it is not in flight."""
        entry = self._pods.get(uid)
        if entry is None:
            return None
        events, first = self._events, entry[1] - self._dropped
        return (events[i] for i in range(first, len(events)))

    def done(self, uid: str) -> Pod | None:
        """Remove and return the pod, None if it is not in flight; forget events that no other pod missed."""
        entry = self._pods.pop(uid, None)
        if entry is None:
            return None
        oldest = next(iter(self._pods.values()), None)
        forgotten = len(self._events) if oldest is None else oldest[1] - self._dropped
        if 2 * forgotten >= len(self._events):  # many at a time, because deleting moves all that remain
            del self._events[:forgotten]
            self._dropped += forgotten
        return entry[0]
