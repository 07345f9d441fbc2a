"""A run, step by step, forwards and backwards: what the cluster and the queue were at any entry of its log.

replay = Replay(simulation.log)          or of read_log(lines)
replay.forward()
replay.seek_time(Time.parse("2026-01-01T08:00:05Z"))
replay.pods(), replay.places, replay.steps
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from typing import Any, TypeVar

from kschedlab.objects.model import ApiObject, Pod
from kschedlab.queue.interface import GONE
from kschedlab.simulation.log import Changed, Entry, Log, Moved, Step

D = TypeVar("D", bound=ApiObject)

_MISSING: Any = object()
_KIND = Pod.__name__


class Replay:
    """The state after the first ``position`` entries of a log; it begins before the first one.

    ``objects``: by kind and key; ``places``: the part of the queue in which a pod is; ``steps``: the last step that the
    scheduler took with a pod. All three are for reading. A log that grows can be followed.
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
        """The moment of the entry that was applied last (before the first one, of that): microseconds since 1970."""
        entries = self.log.entries
        return entries[max(self.position - 1, 0)].at if entries else 0

    @property
    def entry(self) -> Entry | None:
        """What was applied last."""
        return self.log.entries[self.position - 1] if self.position else None

    def of(self, kind: type[D]) -> list[D]:
        """The objects of that kind, in the order of their keys."""
        found = self.objects.get(kind.__name__, {})
        return [found[key] for key in sorted(found)]

    def pods(self) -> list[Pod]:
        """The pods, in the order of their keys."""
        return self.of(Pod)

    # -- moving

    def forward(self) -> Entry | None:
        """Apply the next entry, and give it; None at the end."""
        if self.position == len(self.log):
            return None
        entry = self.log.entries[self.position]
        self._undo.append(self._apply(entry))
        self.position += 1
        return entry

    def back(self) -> Entry | None:
        """Take back the entry that was applied last, and give it; None at the beginning."""
        if not self.position:
            return None
        self.position -= 1
        for state, key, before in reversed(self._undo.pop()):
            if before is _MISSING:
                state.pop(key, None)
            else:
                state[key] = before
        return self.log.entries[self.position]

    def seek(self, position: int) -> None:
        """Go to that position, from 0 to the length of the log. O(distance). IndexError beyond."""
        if not 0 <= position <= len(self.log):
            raise IndexError(f"there is no position {position}: the log has {len(self.log)} entries")
        while self.position < position:
            self.forward()
        while self.position > position:
            self.back()

    def seek_time(self, at: int) -> None:
        """Go to where everything has happened that happens up to this moment (microseconds since 1970)."""
        self.seek(bisect_right(self.log.entries, at, key=lambda entry: entry.at))

    # -- one entry

    def _apply(self, entry: Entry) -> list[tuple[dict[str, Any], str, Any]]:
        """Apply the entry; what is to be put back, where, to take it back."""
        if isinstance(entry, Changed):
            return list(self._changed(entry))
        if isinstance(entry, Moved):
            return [_set(self.places, entry.pod, _MISSING if entry.to == GONE else entry.to)]
        if isinstance(entry, Step) and entry.pod:
            return [_set(self.steps, entry.pod, entry)]
        return []

    def _changed(self, entry: Changed) -> Iterator[tuple[dict[str, Any], str, Any]]:
        if entry.kind not in self.objects:
            yield _set(self.objects, entry.kind, {})
        yield _set(self.objects[entry.kind], entry.key, _MISSING if entry.new is None else entry.new)
        if entry.new is None and entry.kind == _KIND:
            yield _set(self.steps, entry.key, _MISSING)


def _set(state: dict[str, Any], key: str, value: Any) -> tuple[dict[str, Any], str, Any]:
    """Set or delete the key; where what was before."""
    before = state.get(key, _MISSING)
    if value is not _MISSING:
        state[key] = value
    elif before is not _MISSING:
        del state[key]
    return state, key, before
