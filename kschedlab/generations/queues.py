"""The scheduling queue of each generation, imported when the first one is created."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kschedlab.queue.interface import Now, SchedulingQueue


@dataclass(frozen=True)
class QueueMaker:
    """Creates a scheduling queue.

    ``make``: takes the clock and the queue's options. ``hints``: queueing hints decide which pods an event moves;
    otherwise every event moves all pods.
    """

    name: str
    make: Callable[..., SchedulingQueue]
    hints: bool = False

    def __call__(self, now: Now, **options: Any) -> SchedulingQueue:
        """A new, empty queue."""
        return self.make(now, **options)


def _without_backoff(now: Now, **options: Any) -> SchedulingQueue:
    from kschedlab.queue.older.without_backoff import WithoutBackoff

    return WithoutBackoff(now, **options)


def _with_backoff_1_16(now: Now, **options: Any) -> SchedulingQueue:
    from kschedlab.queue.older.with_backoff import RULES_1_16, WithBackoff

    return WithBackoff(now, RULES_1_16, **options)


def _with_backoff(now: Now, **options: Any) -> SchedulingQueue:
    from kschedlab.queue.older.with_backoff import WithBackoff

    return WithBackoff(now, **options)


def _with_events(now: Now, **options: Any) -> SchedulingQueue:
    from kschedlab.queue.with_events import WithEvents

    return WithEvents(now, **options)


def _with_hints(now: Now, **options: Any) -> SchedulingQueue:
    from kschedlab.queue.with_events import WithEvents

    return WithEvents(now, **{"pops_backoff": False, **options})


WITHOUT_BACKOFF = QueueMaker("without backoff", _without_backoff)
"""v1.13."""
WITH_BACKOFF_1_16 = QueueMaker("with backoff by name", _with_backoff_1_16)
"""v1.16: backoff counts failures by the pod's name."""
WITH_BACKOFF = QueueMaker("with backoff", _with_backoff)
"""v1.20 to v1.30."""
WITH_HINTS = QueueMaker("with hints", _with_hints, hints=True)
"""v1.32: no pod leaves its backoff early."""
WITH_EVENTS = QueueMaker("with events", _with_events, hints=True)
"""v1.34 and later."""
