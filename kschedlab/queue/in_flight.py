"""Pods that are being scheduled or bound, and what happened meanwhile.

v1.37: pkg/scheduler/backend/queue/active_queue.go (inFlightPods, inFlightEvents). A pod that comes back has missed the
events since its pop; an event is kept while there is a pod that was popped before it.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from typing import Any, NamedTuple

from kschedlab.objects.model import Pod
from kschedlab.queue.interface import ClusterEvent


class Missed(NamedTuple):
    """Something that happened while pods were in flight."""

    event: ClusterEvent
    old: Any
    new: Any


class InFlight:
    """The popped pods by uid, in the order of their pops, and the events since the first of them."""

    def __init__(self) -> None:
        self._pods: OrderedDict[str, tuple[Pod, int]] = OrderedDict()
        self._events: list[Missed] = []
        self._dropped = 0

    def __contains__(self, uid: str) -> bool:
        return uid in self._pods

    def __len__(self) -> int:
        return len(self._pods)

    def pods(self) -> list[Pod]:
        """The pods, as they were when they were popped."""
        return [pod for pod, _ in self._pods.values()]

    def take_off(self, pod: Pod) -> bool:
        """The pod is popped; False if it is in flight already."""
        uid = pod.metadata.uid
        if uid in self._pods:
            return False
        self._pods[uid] = (pod, self._dropped + len(self._events))
        return True

    def happened(self, event: ClusterEvent, old: Any, new: Any) -> None:
        """Keep the event if any pod is in flight."""
        if self._pods:
            self._events.append(Missed(event, old, new))

    def missed(self, uid: str) -> Iterator[Missed] | None:
        """What happened since the pod's pop; None if it is not in flight."""
        found = self._pods.get(uid)
        if found is None:
            return None
        events, first = self._events, found[1] - self._dropped
        return (events[i] for i in range(first, len(events)))

    def done(self, uid: str) -> Pod | None:
        """The pod is not in flight any more; it is returned if it was. Forgets the events that no other pod missed."""
        found = self._pods.pop(uid, None)
        if found is None:
            return None
        oldest = next(iter(self._pods.values()), None)
        stale = len(self._events) if oldest is None else oldest[1] - self._dropped
        if 2 * stale >= len(self._events):
            del self._events[:stale]
            self._dropped += stale
        return found[0]
