"""The event log: everything that happened, typed, in order, as JSON lines.

Whoever makes something happen writes it here; replaying, reports and views only read.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec


class Entry(msgspec.Struct, frozen=True, tag_field="entry", tag=True, omit_defaults=True, kw_only=True):
    """Something that happened ``at`` a moment of the virtual clock (microseconds since 1970)."""

    at: int


class Changed(Entry, frozen=True):
    """An object of the API server was ADDED, MODIFIED or DELETED. ``old``, ``new``: the object before and after it.

    ``by``: who asked for it: timeline, scheduler, kubelet, the name of a controller.
    """

    type: str
    kind: str
    key: str
    old: Any = None
    new: Any = None
    by: str = ""


class Step(Entry, frozen=True):
    """The scheduler took a named step with a pod: pop, schedule, preempt, reserve, assume, permit, bind, ..."""

    pod: str
    step: str
    node: str = ""
    detail: str = ""


class Moved(Entry, frozen=True):
    """A pod came to another part of the queue (active, backoff, unschedulable, in flight, gone), and what moved it."""

    pod: str
    origin: str
    to: str
    event: str = ""


class Recorded(Entry, frozen=True):
    """The broadcaster sent an Event about an object: what ``kubectl describe`` lists."""

    kind: str
    key: str
    type: str
    reason: str
    message: str


class Log:
    """Entries in the order in which they were written."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []

    def write(self, entry: Entry) -> None:
        """Put the entry at the end."""
        self.entries.append(entry)

    def __iter__(self) -> Iterator[Entry]:
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.entries)

    def lines(self) -> Iterator[str]:
        """One JSON text an entry, with the name of its type under ``entry``."""
        encoder = msgspec.json.Encoder(enc_hook=str)
        return (encoder.encode(entry).decode() for entry in self.entries)
