"""The event log: typed entries in order, as JSON lines.

Every part of the simulation writes to it; replay, reports and views read it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any, Union

import msgspec
from msgspec.structs import force_setattr

from kschedlab.manifests.decoding import KINDS
from kschedlab.manifests.schema import decode_value
from kschedlab.messages import say
from kschedlab.objects.problems import ManifestError, Problem
from kschedlab_simulation.status import Status

_ENCODER = msgspec.json.Encoder(enc_hook=str)


class LogEntry(msgspec.Struct, frozen=True, tag_field="entry", tag=True, omit_defaults=True, kw_only=True):
    """An entry of the log. ``at``: the virtual time, in microseconds since 1970."""

    at: int


class Changed(LogEntry, frozen=True):
    """An object in the API server was ADDED, MODIFIED or DELETED. ``old``, ``new``: the object before and after.

    ``by``: the client: timeline, scheduler, kubelet, or a controller's name.
    """

    type: str
    kind: str
    key: str
    old: Any = None
    new: Any = None
    by: str = ""


class Step(LogEntry, frozen=True):
    """A step of the scheduler with a pod: pop, schedule, preempt, reserve, assume, permit, bind, ..."""

    pod: str
    step: str
    node: str = ""
    detail: str = ""


class Moved(LogEntry, frozen=True):
    """A pod moved to a different part of the queue (active, backoff, unschedulable, in flight, gone), and why."""

    pod: str
    origin: str
    to: str
    event: str = ""


class Recorded(LogEntry, frozen=True):
    """An Event about an object, as ``kubectl describe`` lists them.

    ``by``: the component that reports it; ``host``: its node, if it has one. Only events of the newer API
    (events.k8s.io), which a scheduler records since v1.16, have an ``action``: Scheduling, Binding or Preempting.
    ``related``: the other object concerned, such as ``Pod default/web``.
    """

    kind: str
    key: str
    type: str
    reason: str
    message: str
    by: str = ""
    host: str = ""
    action: str = ""
    related: str = ""


class Began(LogEntry, frozen=True):
    """The simulation started, with this generation (or several, by schedulerName) and seed."""

    generation: str
    seed: int = 0


class Acted(LogEntry, frozen=True):
    """A timeline entry succeeded or failed. ``act``: ``delete pod default/web``; ``place``: file and line.

    ``error``: why it failed; ``status``: the API server's answer, if the server rejected it.
    """

    act: str
    place: str = ""
    error: str = ""
    status: Status | None = None


class Measured(LogEntry, frozen=True):
    """A measurement of the pods in these namespaces with these labels starts (``on``) or stops."""

    name: str
    on: bool
    namespaces: tuple[str, ...] = ()
    labels: dict[str, str] = {}


class Log:
    """The entries in the order in which they were written."""

    def __init__(self) -> None:
        self.entries: list[LogEntry] = []

    def write(self, entry: LogEntry) -> None:
        self.entries.append(entry)

    def __iter__(self) -> Iterator[LogEntry]:
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.entries)

    def lines(self) -> Iterator[str]:
        """One JSON text per entry, with the name of its type in ``entry``."""
        return (_ENCODER.encode(entry).decode() for entry in self.entries)


# -- reading


class _Changed(LogEntry, frozen=True, tag="Changed"):
    """A change as it is decoded: its objects are still text."""

    type: str
    kind: str
    key: str
    old: msgspec.Raw = msgspec.Raw(b"null")
    new: msgspec.Raw = msgspec.Raw(b"null")
    by: str = ""


_ENTRIES = msgspec.json.Decoder(_Changed | Step | Moved | Recorded | Began | Acted | Measured, dec_hook=decode_value)
_OBJECTS = msgspec.json.Decoder(Union[(*KINDS.values(), None)], dec_hook=decode_value)  # noqa: UP007  # from a table


def read_log(lines: Iterable[str], name: str = "<log>") -> Log:
    """Read the lines of :meth:`Log.lines`: the same entries, with typed objects.

    ``name``: the input's name in messages. ManifestError with the line that is not an entry, or is older than the
    entry before it.
    """
    log, latest, sharing = Log(), None, _Sharing()
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            entry = sharing.entry(_ENTRIES.decode(line))
        except (NotImplementedError, RecursionError, ValueError) as error:
            raise ManifestError(
                [Problem(0, number, name, say("is not an entry of a log: {error}", error=error))]
            ) from None
        if latest is not None and entry.at < latest:
            raise ManifestError([Problem(0, number, name, "is earlier than the entry before it")])
        log.write(entry)
        latest = entry.at
    return log


class _Sharing:
    """Makes entries share their equal parts, as those of a running simulation do: a long log then fits into memory.

    ``texts``: each text once. ``objects``: the newest object of each key, with its JSON. ``models``: of each kind, the
    newest object: the first pod of a workload is like the next one.
    """

    def __init__(self) -> None:
        self.texts: dict[str, str] = {}
        self.objects: dict[tuple[str, str], tuple[bytes, Any]] = {}
        self.models: dict[str, Any] = {}

    def entry(self, entry: Any) -> LogEntry:
        """The entry, with shared texts and objects."""
        for name in entry.__struct_fields__:
            text = getattr(entry, name)
            if type(text) is str:
                force_setattr(entry, name, self.texts.setdefault(text, text))
        if not isinstance(entry, _Changed):
            return entry
        key = entry.kind, entry.key
        known, before = self.objects.pop(key, (b"null", None))
        old = before if bytes(entry.old) == known else _OBJECTS.decode(entry.old)
        new = _OBJECTS.decode(entry.new)
        if new is not None:
            _share(new, self.models.get(entry.kind))
            _share(new, old)
            self.objects[key], self.models[entry.kind] = (bytes(entry.new), new), new
        return Changed(at=entry.at, type=entry.type, kind=entry.kind, key=entry.key, old=old, new=new, by=entry.by)


def _share(new: msgspec.Struct, old: Any) -> None:
    """Replace the parts of a struct that are written like those of another one by these.

    A default is not written, but a part that only equals it is.
    """
    if type(new) is not type(old):
        return
    defaults = _defaults(type(new))
    for name in new.__struct_fields__:
        part, known = getattr(new, name), getattr(old, name)
        if part is known or id(part) in defaults or id(known) in defaults:
            continue
        if part == known and _ENCODER.encode(part) == _ENCODER.encode(known):  # "1Gi" equals "1024Mi"
            force_setattr(new, name, known)
        elif isinstance(part, msgspec.Struct):
            _share(part, known)


@cache
def _defaults(kind: type[msgspec.Struct]) -> frozenset[int]:
    """The identities of its defaults, which decide what is written."""
    return frozenset(map(id, kind.__struct_defaults__))
