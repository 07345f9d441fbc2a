"""Is a refused pod worth another try after an event? The plugins that refused it say.

v1.37: pkg/scheduler/backend/queue/scheduling_queue.go (isPodWorthRequeuing, isEventOfInterest,
determineSchedulingHintForInFlightPod).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from kschedlab.objects.model import Pod
from kschedlab.objects.selectors import SelectorError
from kschedlab.queue.events import Hint, Registration, is_wildcard, matches
from kschedlab.queue.in_flight import Missed
from kschedlab.queue.interface import ClusterEvent
from kschedlab.queue.queued_pod import WaitingPod

NOTHING, AFTER_BACKOFF, AT_ONCE = 0, 1, 2
"""What an event is worth to a pod."""


class Registrations:
    """Who registered for which events, with which hints."""

    def __init__(self, hints: Iterable[Registration]) -> None:
        self._hints = tuple(hints)
        self._told: dict[ClusterEvent, dict[str, list[Hint]]] = {}

    def told(self, event: ClusterEvent) -> dict[str, list[Hint]]:
        """The plugins that registered for the event, with their hints."""
        told = self._told.get(event)
        if told is None:
            told = self._told[event] = {}
            for plugin, registered, hint in self._hints:
                if matches(registered, event):
                    told.setdefault(plugin, []).append(hint)
        return told

    def worth(self, waiting: WaitingPod, event: ClusterEvent, old: Any, new: Any) -> int:
        """What the event is worth to the pod. One that a pending plugin welcomes spares the pod its backoff.

        An event that helps whatever refused the pod may be meant for one pod alone (``new``).
        """
        refusers, pending = waiting.refusers, waiting.pending_plugins
        if not refusers:
            return AFTER_BACKOFF
        if is_wildcard(event):
            return AFTER_BACKOFF if new is None or _same(new, waiting.pod) else NOTHING
        worth = NOTHING
        for plugin, hints in self.told(event).items():
            if plugin in refusers and any(_welcomes(hint, waiting.pod, old, new) for hint in hints):
                if plugin in pending:
                    return AT_ONCE
                if not pending:
                    return AFTER_BACKOFF
                worth = AFTER_BACKOFF
        return worth

    def worth_of_all(self, waiting: WaitingPod, missed: Iterable[Missed] | None) -> int:
        """What the events that the pod missed in flight are worth to it; None if it was not in flight."""
        if missed is None or not waiting.refusers:
            return AFTER_BACKOFF
        enough = AT_ONCE if waiting.pending_plugins else AFTER_BACKOFF
        worth = NOTHING
        for event, old, new in missed:
            worth = max(worth, self.worth(waiting, event, old, new))
            if worth >= enough:
                break
        return worth


def _same(new: Any, pod: Pod) -> bool:
    return isinstance(new, Pod) and new.metadata.uid == pod.metadata.uid


def _welcomes(hint: Hint, pod: Pod, old: Any, new: Any) -> bool:
    """What the hint says; one that fails says nothing against a try."""
    try:
        return hint(pod, old, new)
    except SelectorError:
        return True
