"""Creates the scheduling queue of a generation."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from kschedlab.generations import Generation
from kschedlab.generations.rules import Queue
from kschedlab_simulation.queue.interface import Now, SchedulingQueue
from kschedlab_simulation.queue.older.with_backoff import RULES_1_16, WithBackoff
from kschedlab_simulation.queue.older.without_backoff import WithoutBackoff
from kschedlab_simulation.queue.with_events import WithEvents

QUEUES: Mapping[Queue, Callable[..., SchedulingQueue]] = {
    Queue.WITHOUT_BACKOFF: WithoutBackoff,
    Queue.BACKOFF_BY_NAME: partial(WithBackoff, rules=RULES_1_16),
    Queue.BACKOFF_BY_ATTEMPTS: WithBackoff,
    Queue.WITH_HINTS: WithEvents,
}


def new_queue(generation: Generation, now: Now, **options: Any) -> SchedulingQueue:
    """A new, empty queue. ``options``: those of its class."""
    return QUEUES[generation.loop.queue](now, **gated_options(generation), **options)


def gated_options(generation: Generation) -> Mapping[str, Any]:
    """The options that feature gates set.

    SchedulerPopFromBackoffQ: off, a pod stays in backoff to its end, to the nanosecond, and passes PreEnqueue
    afterwards.
    """
    pops = dict(generation.feature_gates).get("SchedulerPopFromBackoffQ", True)
    return {} if pops else {"pops_backoff": False}
