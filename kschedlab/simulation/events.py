"""Events about objects: who records them, and who hears of them.

v1.37: client-go/tools/events (EventRecorder, EventBroadcaster). v1.13: client-go/tools/record.
"""

from __future__ import annotations

from collections.abc import Callable

from kschedlab.objects.model import Pod
from kschedlab.queue.interface import Now
from kschedlab.simulation.log import Log, Recorded
from kschedlab.simulation.words import truncated

NORMAL, WARNING = "Normal", "Warning"

Sink = Callable[[Recorded], None]


class Broadcaster:
    """Sends every event to the log and to the ``sinks``. What is recorded before it starts waits until it does."""

    def __init__(self, now: Now, log: Log) -> None:
        self._now = now
        self._log = log
        self._sinks: list[Sink] = []
        self._early: list[Recorded] | None = []

    def start(self, *sinks: Sink) -> None:
        """Begin to send (StartRecordingToSink); further sinks can be added by starting again."""
        self._sinks.extend(sinks)
        early, self._early = self._early, None
        for event in early or ():
            self._send(event)

    def record(self, pod: Pod, type: str, reason: str, message: str) -> None:
        """Something happened to the pod that its owner should know."""
        event = Recorded(at=self._now(), kind="Pod", key=pod.key, type=type, reason=reason, message=truncated(message))
        if self._early is None:
            self._send(event)
        else:
            self._early.append(event)

    def _send(self, event: Recorded) -> None:
        self._log.write(event)
        for sink in self._sinks:
            sink(event)
