"""Builds plain data from a parser's events, within limits that keep hostile input harmless.

Maps, lists and scalars arrive one by one, so deep nesting cannot exhaust the stack. An alias yields the same object
again; the composer counts the values that aliases would add if they were expanded. It records positions only on
request: loading does without them, and reads an input with errors again to locate them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from kschedlab.messages import later
from kschedlab.objects.problems import Path, shortened

MAX_DEPTH = 100
MAX_ALIASED = 200_000
"""The most values to which the aliases of one document may expand."""


class UnreadableError(Exception):
    """The input cannot be parsed beyond this line (counted from 1)."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line
        self.message = message


MERGE = object()
"""The key ``<<``: the map takes over its value's fields, except those that the map defines itself."""


@dataclass(slots=True)
class _Open:
    """``start``: its line. ``size``: its values and itself. ``key``: the next value's. ``merged``: values of ``<<``."""

    container: dict[str, Any] | list[Any]
    anchor: str | None
    start: int
    size: int = 1
    key: Any = None
    merged: list[Any] = field(default_factory=list)


class Composer:
    """Builds documents. ``roots``: (data, first line) of each document. ``faults``: (line, message)."""

    def __init__(self, positions: bool) -> None:
        self.roots: list[tuple[Any, int]] = []
        self.faults: list[tuple[int, str]] = []
        self._marks: dict[tuple[int, str | int], tuple[int, str | None]] | None = {} if positions else None
        self._alive: list[object] = []  # marks refer to containers by id, so their ids must not be reused
        self._open: list[_Open] = []
        self._anchors: dict[str, tuple[Any, int]] = {}
        self._aliased = 0

    @property
    def wants_key(self) -> bool:
        return bool(self._open) and isinstance(self._open[-1].container, dict) and self._open[-1].key is None

    def begin(self, container: dict[str, Any] | list[Any], line: int, anchor: str | None = None) -> None:
        if len(self._open) >= MAX_DEPTH:
            raise UnreadableError(line, later("nested deeper than {most} levels", most=MAX_DEPTH))
        if self.wants_key:
            raise UnreadableError(line, "a map's key must be text, not a map or a list")
        if anchor is not None:
            self._anchors[anchor] = (container, 0)
        if self._marks is not None:
            self._alive.append(container)
        self._put(container, line, None)
        self._open.append(_Open(container, anchor, start=line))

    def end(self) -> None:
        closed = self._open.pop()
        if isinstance(closed.container, dict):
            for value in closed.merged:
                self._merge(value, closed.container, closed.start)
        if closed.anchor is not None:
            self._anchors[closed.anchor] = (closed.container, closed.size)
        if self._open:
            self._open[-1].size += closed.size
        else:
            self._finish()

    def key(self, key: Any, line: int) -> None:
        inner = self._open[-1]
        if key is not MERGE and key in inner.container:
            self.faults.append((line, later('the key "{key}" appears twice in the same map', key=shortened(key))))
        inner.key = key
        if self._marks is not None and key is not MERGE:
            self._marks.setdefault((id(inner.container), key), (line, None))

    def scalar(self, value: Any, line: int, text: str, anchor: str | None = None) -> None:
        """Add a scalar. ``text``: its spelling in the input."""
        if anchor is not None:
            self._anchors[anchor] = (value, 1)
        self._put(value, line, text)
        if self._open:
            self._open[-1].size += 1
        else:
            self._finish()

    def alias(self, anchor: str, line: int) -> None:
        if anchor not in self._anchors:
            raise UnreadableError(line, later("the alias *{anchor} has no anchor &{anchor} before it", anchor=anchor))
        value, size = self._anchors[anchor]
        if size == 0:
            raise UnreadableError(line, later("the anchor &{anchor} contains itself", anchor=anchor))
        self._aliased += size
        if self._aliased > MAX_ALIASED:
            raise UnreadableError(line, later("aliases expand to more than {most} values", most=MAX_ALIASED))
        self._put(value, line, None)
        if self._open:
            self._open[-1].size += size

    def locate(self, root: int, path: Path) -> tuple[int, str | None]:
        """(line, the scalar's spelling) of a field. If it does not exist: the line of the nearest parent, and None."""
        data, line = self.roots[root]
        assert self._marks is not None, "positions were not kept"
        text = None
        for step in path:
            mark = self._marks.get((id(data), step))
            if mark is None:
                return line, None
            (line, text), data = mark, data[step]
        return line, text

    def _put(self, value: Any, line: int, text: str | None) -> None:
        if not self._open:
            self.roots.append((value, line))
            return
        inner = self._open[-1]
        if isinstance(inner.container, list):
            if self._marks is not None:
                self._marks[id(inner.container), len(inner.container)] = (line, text)
            inner.container.append(value)
        elif inner.key is MERGE:
            inner.merged.append(value)
            inner.key = None
        else:
            if self._marks is not None and inner.key not in inner.container:
                self._marks[id(inner.container), inner.key] = (self._marks[id(inner.container), inner.key][0], text)
            inner.container[inner.key] = value
            inner.key = None

    def _merge(self, value: Any, container: dict[str, Any], line: int) -> None:
        for fields in value if isinstance(value, list) else [value]:
            if not isinstance(fields, dict):
                raise UnreadableError(line, "<< needs an alias of a map, or a list of such aliases")
            for key in [key for key in fields if key not in container]:
                container[key] = fields[key]
                if self._marks is not None:
                    self._marks[id(container), key] = self._marks[id(fields), key]

    def _finish(self) -> None:
        self._anchors.clear()
        self._aliased = 0
