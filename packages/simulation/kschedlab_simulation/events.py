"""Recording and broadcasting Events about objects.

v1.37: client-go/tools/events (EventRecorder, EventBroadcaster). v1.13: client-go/tools/record.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from kschedlab.objects.kinds import RESOURCES, key_of
from kschedlab.objects.model import ApiObject
from kschedlab.queue.interface import Now
from kschedlab_simulation.log import Log, Recorded

NORMAL, WARNING = "Normal", "Warning"

NOTE_LENGTH = 1024
"""The maximum length of an event's note. v1.37: pkg/apis/core/validation/events.go, NoteLengthLimit."""

Sink = Callable[[Recorded], None]


class Record(Protocol):
    """Records an event about an object."""

    def __call__(self, obj: ApiObject, type: str, reason: str, message: str, by: str, host: str = "") -> None:
        """``type``: Normal or Warning; ``by``: the component that reports it; ``host``: its node, if it has one."""


class Broadcaster:
    """Sends each event to the log and to the ``sinks``. Events recorded before it starts are sent when it starts."""

    def __init__(self, now: Now, log: Log) -> None:
        self._now = now
        self._log = log
        self._sinks: list[Sink] = []
        self._early: list[Recorded] | None = []

    def start(self, *sinks: Sink) -> None:
        """Start sending (StartRecordingToSink); call it again to add sinks."""
        self._sinks.extend(sinks)
        early, self._early = self._early, None
        for event in early or ():
            self._send(event)

    def record(
        self,
        obj: ApiObject,
        type: str,
        reason: str,
        message: str,
        by: str,
        host: str = "",
        action: str = "",
        related: ApiObject | None = None,
    ) -> None:
        """Record an event about the object; the parameters are those of :class:`Recorded`."""
        kind = obj.__class__
        event = Recorded(
            at=self._now(),
            kind=kind.__name__,
            key=RESOURCES[kind].key_of(obj),
            type=type,
            reason=reason,
            message=message,
            by=by,
            host=host,
            action=action,
            related="" if related is None else f"{related.__class__.__name__} {key_of(related)}",
        )
        if self._early is None:
            self._send(event)
        else:
            self._early.append(event)

    def _send(self, event: Recorded) -> None:
        self._log.write(event)
        for sink in self._sinks:
            sink(event)


def silent(obj: ApiObject, type: str, reason: str, message: str, by: str, host: str = "") -> None:
    """A :data:`Record` that discards the event."""


def is_too_long(message: str) -> bool:
    """Whether the note of an event of the group events.k8s.io may not be as long (it is counted in bytes)."""
    return len(message.encode()) > NOTE_LENGTH


def truncated(message: str) -> str:
    """The message, truncated to an event's limit. v1.37: schedule_one.go, truncateMessage."""
    if not is_too_long(message):
        return message
    encoded = message.encode()
    return encoded[: NOTE_LENGTH - 4].decode(errors="ignore") + " ..."
