"""The scheduling queue of each generation, imported when the first one is created."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any

from kschedlab.objects.meta import SECOND

if TYPE_CHECKING:
    from kschedlab.queue.interface import Now, SchedulingQueue


@dataclass(frozen=True)
class QueueMaker:
    """Creates a scheduling queue.

    ``made_by``: ``module:name`` of what takes the clock and the queue's options; ``options``: those that it always
    gets. ``hints``: queueing hints decide which pods an event moves; otherwise every event moves all pods.
    ``gates``: PreEnqueue plugins may keep a pod out of the active queue.
    """

    name: str
    made_by: str
    hints: bool = False
    gates: bool = False
    options: Mapping[str, Any] = field(default_factory=dict, hash=False)

    def __call__(self, now: Now, **options: Any) -> SchedulingQueue:
        queue: SchedulingQueue = resolve_name(self.made_by)(now, **{**self.options, **options})
        return queue


_OLDER, _WITH_EVENTS = "kschedlab.queue.older", "kschedlab.queue.with_events:WithEvents"
_KEPT = f"{_OLDER}.with_kept_backoff:WithKeptBackoff"

WITHOUT_BACKOFF = QueueMaker("without backoff", f"{_OLDER}.without_backoff:WithoutBackoff")
"""v1.13."""
WITH_BACKOFF_1_16 = QueueMaker("with backoff by name", f"{_OLDER}.with_backoff:WithBackoffByName")
"""v1.16: backoff counts failures by the pod's name."""
WITH_BACKOFF = QueueMaker("with backoff", f"{_OLDER}.with_backoff:WithBackoff")
"""v1.20: an update of a pod ends its backoff."""
WITH_BACKOFF_1_22 = QueueMaker("with kept backoff", _KEPT, options={"max_wait": 60 * SECOND})
"""v1.22."""
WITH_BACKOFF_1_24 = QueueMaker("with five minutes", _KEPT)
"""v1.24: a pod waits five minutes for an event."""
WITH_BACKOFF_1_28 = QueueMaker("with gates", _KEPT, gates=True)
"""v1.28: PreEnqueue keeps a pod out."""
WITH_BACKOFF_1_30 = QueueMaker("with retries", _KEPT, gates=True, options={"retries_errors": True})
"""v1.30: a pod is retried after an error without an event."""
_BY_ATTEMPTS = {"pops_backoff": False, "backs_off_by_attempts": True}
WITH_HINTS = QueueMaker("with hints", _WITH_EVENTS, hints=True, gates=True, options=_BY_ATTEMPTS)
"""v1.32: no pod leaves its backoff early, and each attempt makes it longer."""
WITH_EVENTS = QueueMaker("with events", _WITH_EVENTS, hints=True, gates=True)
"""v1.34 and later."""
