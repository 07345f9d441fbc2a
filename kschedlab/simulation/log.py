"""The event log: everything that happened, typed, in order, as JSON lines.

Whoever makes something happen writes it here; replaying, reports and views only read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Union

import msgspec

from kschedlab.manifests.decoding import KINDS
from kschedlab.manifests.schema import decode_value
from kschedlab.objects.problems import ManifestError, Problem
from kschedlab.simulation.server.status import Status


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


class Began(Entry, frozen=True):
    """A simulation began, with this generation (or those, by schedulerName) and seed."""

    generation: str
    seed: int = 0


class Acted(Entry, frozen=True):
    """An entry of the timeline took effect, or did not. ``act``: ``delete pod default/web``; ``place``: file and line.

    ``error``: why it did not; ``status``: what the API server answered, if it was the server that refused.
    """

    act: str
    place: str = ""
    error: str = ""
    status: Status | None = None


class Measured(Entry, frozen=True):
    """A measurement begins or ends (``on``): of the pods of these namespaces with these labels."""

    name: str
    on: bool
    namespaces: tuple[str, ...] = ()
    labels: dict[str, str] = {}


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


# -- reading


class _Changed(Entry, frozen=True, tag="Changed"):
    """A change as it is read: with objects of the model."""

    type: str
    kind: str
    key: str
    old: Union[(*KINDS.values(), None)] = None  # type: ignore[valid-type]  # noqa: UP007  # made of a table
    new: Union[(*KINDS.values(), None)] = None  # type: ignore[valid-type]  # noqa: UP007
    by: str = ""


_ENTRIES = msgspec.json.Decoder(
    _Changed | Step | Moved | Recorded | Began | Acted | Measured, dec_hook=decode_value, strict=True
)


def read_log(lines: Iterable[str], name: str = "<log>") -> Log:
    """The log that :meth:`Log.lines` wrote: the same entries, with typed objects.

    ``name``: what messages call the input. ManifestError with the line that is no entry, or is older than the one
    before it.
    """
    log, latest = Log(), None
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            entry = _typed(_ENTRIES.decode(line))
        except (msgspec.MsgspecError, NotImplementedError, RecursionError, UnicodeEncodeError, ValueError) as error:
            raise ManifestError([Problem(0, number, name, f"is not an entry of a log: {error}")]) from None
        if latest is not None and entry.at < latest:
            raise ManifestError([Problem(0, number, name, "happened before the entry before it")])
        log.write(entry)
        latest = entry.at
    return log


def _typed(entry: Any) -> Entry:
    if not isinstance(entry, _Changed):
        return entry
    return Changed(
        at=entry.at, type=entry.type, kind=entry.kind, key=entry.key, old=entry.old, new=entry.new, by=entry.by
    )
