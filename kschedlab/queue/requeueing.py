"""Whether an event requeues a rejected pod: the queueing hints of the plugins that rejected it decide.

v1.37: pkg/scheduler/backend/queue/scheduling_queue.go (isPodWorthRequeuing, isEventOfInterest,
determineSchedulingHintForInFlightPod).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any

from kschedlab.objects.model import Pod
from kschedlab.objects.selectors import SelectorError
from kschedlab.queue.events import Hint, Narrowing, Registration, is_wildcard, matches
from kschedlab.queue.in_flight import InFlightEvent
from kschedlab.queue.interface import ClusterEvent
from kschedlab.queue.queued_pod import QueuedPodInfo

SKIP, AFTER_BACKOFF, IMMEDIATELY = 0, 1, 2
"""Queueing strategies: the effect of an event on a pod (queueSkip, queueAfterBackoff, queueImmediately)."""


class Narrowings:
    """The narrowings of some registrations; None: one does not narrow."""

    def __init__(self, narrowings: Iterable[Narrowing | None]) -> None:
        self._all = tuple(narrowings)

    def concerned(self, old: Any, new: Any) -> set[Hashable] | None:
        """A pod is asked only if it names one of these objects. None: ask every pod."""
        keys: set[Hashable] = set()
        for narrowing in self._all:
            found = narrowing.concerned(old, new) if narrowing is not None else None
            if found is None:
                return None
            keys.update(found)
        return keys

    def names(self, pod: Pod) -> set[Hashable]:
        return {key for narrowing in self._all if narrowing is not None for key in narrowing.names(pod)}


class EventHints:
    """The plugins' registrations for events, with their hints. ``narrowings``: by event, after :meth:`hints_for`."""

    def __init__(self, hints: Iterable[Registration]) -> None:
        self._hints = tuple(hints)
        self._hints_by_event: dict[ClusterEvent, dict[str, list[Hint]]] = {}
        self.narrowings: dict[ClusterEvent, Narrowings] = {}
        self.every_narrowing = Narrowings(each.narrowing for each in self._hints)

    def hints_for(self, event: ClusterEvent) -> dict[str, list[Hint]]:
        hints_by_plugin = self._hints_by_event.get(event)
        if hints_by_plugin is None:
            hints_by_plugin = self._hints_by_event[event] = {}
            matching = [each for each in self._hints if matches(each.event, event)]
            for each in matching:
                hints_by_plugin.setdefault(each.plugin, []).append(each.hint)
            self.narrowings[event] = Narrowings(each.narrowing for each in matching)
        return hints_by_plugin

    def strategy(self, queued: QueuedPodInfo, event: ClusterEvent, old: Any, new: Any) -> int:
        """How the event requeues the pod. If it helps a pending plugin, the pod skips its backoff.

        A wildcard event may concern one pod only (``new``).
        """
        rejector_plugins, pending = queued.rejector_plugins, queued.pending_plugins
        if not rejector_plugins:
            return AFTER_BACKOFF
        if is_wildcard(event):
            is_meant = new is None or (isinstance(new, Pod) and new.metadata.uid == queued.pod.metadata.uid)
            return AFTER_BACKOFF if is_meant else SKIP
        strategy = SKIP
        for plugin, hints in self.hints_for(event).items():
            if plugin in rejector_plugins and any(_hint_queues(hint, queued.pod, old, new) for hint in hints):
                if plugin in pending:
                    return IMMEDIATELY
                if not pending:
                    return AFTER_BACKOFF
                strategy = AFTER_BACKOFF
        return strategy

    def strategy_in_flight(self, queued: QueuedPodInfo, events_since_pop: Iterable[InFlightEvent] | None) -> int:
        """How the events in flight requeue the pod. ``events_since_pop``: None if it was not in flight."""
        if events_since_pop is None or not queued.rejector_plugins:
            return AFTER_BACKOFF
        highest = IMMEDIATELY if queued.pending_plugins else AFTER_BACKOFF
        strategy = SKIP
        for event, old, new in events_since_pop:
            strategy = max(strategy, self.strategy(queued, event, old, new))
            if strategy >= highest:
                break
        return strategy


def _hint_queues(hint: Hint, pod: Pod, old: Any, new: Any) -> bool:
    """The hint's answer; a hint that fails requeues the pod."""
    try:
        return hint(pod, old, new)
    except SelectorError:
        return True
