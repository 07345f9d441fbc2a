"""Steps through a run, forwards and backwards: the state of the cluster and the queue at any log entry.

replay = Replay(simulation.log)          or of read_log(lines)
replay.forward()
replay.seek_time(Time.parse("2026-01-01T08:00:05Z"))
replay.pods(), replay.places, replay.steps
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from typing import Any, TypeVar

from kschedlab.messages import say
from kschedlab.objects.model import ApiObject, Pod
from kschedlab.queue.interface import GONE
from kschedlab_simulation.log import Changed, Log, LogEntry, Moved, Step

D = TypeVar("D", bound=ApiObject)

_ABSENT: Any = object()
_POD = Pod.__name__


class Replay:
    """The state after the first ``position`` entries of a log, initially 0.

    ``objects``: by kind and key; ``places``: each pod's part of the queue; ``steps``: the scheduler's last step with
    each pod. Do not modify them. The log may grow meanwhile.
    """

    def __init__(self, log: Log) -> None:
        self.log = log
        self.position = 0
        self.objects: dict[str, dict[str, Any]] = {}
        self.places: dict[str, str] = {}
        self.steps: dict[str, Step] = {}
        self._undo: list[list[tuple[dict[str, Any], str, Any]]] = []

    def __len__(self) -> int:
        return len(self.log)

    @property
    def now(self) -> int:
        """The time of the last applied entry, or of the first entry at position 0: microseconds since 1970."""
        entries = self.log.entries
        return entries[max(self.position - 1, 0)].at if entries else 0

    @property
    def entry(self) -> LogEntry | None:
        """The last applied entry, or None."""
        return self.log.entries[self.position - 1] if self.position else None

    def of(self, kind: type[D]) -> list[D]:
        """The objects of that kind, in key order."""
        objects = self.objects.get(kind.__name__, {})
        return [objects[key] for key in sorted(objects)]

    def pods(self) -> list[Pod]:
        """The pods, in key order."""
        return self.of(Pod)

    # -- moving

    def forward(self) -> LogEntry | None:
        """Apply and return the next entry; None at the end."""
        if self.position == len(self.log):
            return None
        entry = self.log.entries[self.position]
        self._undo.append(self._apply(entry))
        self.position += 1
        return entry

    def back(self) -> LogEntry | None:
        """Undo and return the last applied entry; None at the beginning."""
        if not self.position:
            return None
        self.position -= 1
        for state, key, previous in reversed(self._undo.pop()):
            if previous is _ABSENT:
                state.pop(key, None)
            else:
                state[key] = previous
        return self.log.entries[self.position]

    def seek(self, position: int) -> None:
        """Go to a position from 0 to the length of the log. O(distance). IndexError beyond."""
        if not 0 <= position <= len(self.log):
            raise IndexError(
                say(
                    "position {position} does not exist: the log ends at {number}",
                    position=position,
                    number=len(self.log),
                )
            )
        while self.position < position:
            self.forward()
        while self.position > position:
            self.back()

    def seek_time(self, at: int) -> None:
        """Go to the position after all entries up to this time (microseconds since 1970)."""
        self.seek(bisect_right(self.log.entries, at, key=lambda entry: entry.at))

    # -- one entry

    def _apply(self, entry: LogEntry) -> list[tuple[dict[str, Any], str, Any]]:
        """Apply the entry; returns how to undo it: (dictionary, key, previous value)."""
        if isinstance(entry, Changed):
            return list(self._changed(entry))
        if isinstance(entry, Moved):
            return [_set(self.places, entry.pod, _ABSENT if entry.to == GONE else entry.to)]
        if isinstance(entry, Step) and entry.pod:
            return [_set(self.steps, entry.pod, entry)]
        return []

    def _changed(self, entry: Changed) -> Iterator[tuple[dict[str, Any], str, Any]]:
        if entry.kind not in self.objects:
            yield _set(self.objects, entry.kind, {})
        yield _set(self.objects[entry.kind], entry.key, _ABSENT if entry.new is None else entry.new)
        if entry.new is None and entry.kind == _POD:
            yield _set(self.steps, entry.key, _ABSENT)


def _set(state: dict[str, Any], key: str, value: Any) -> tuple[dict[str, Any], str, Any]:
    """Set or delete the key; returns (dictionary, key, previous value)."""
    previous = state.get(key, _ABSENT)
    if value is not _ABSENT:
        state[key] = value
    elif previous is not _ABSENT:
        del state[key]
    return state, key, previous
