"""Plain data out of what a parser reads, with a guard against everything that would explode later.

Maps, lists and scalars arrive one after the other, so no depth of nesting can exhaust the stack. An alias is the same
object again; what aliases would add if they were written out is counted. Positions are kept on request: loading does
without, and an input with faults is read once more to say where they are.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from kschedlab.objects.problems import Path, quoted

MAX_DEPTH = 100
MAX_BORROWED = 200_000
"""How many values aliases may repeat in one document."""


class UnreadableError(Exception):
    """An input that cannot be read on from this line (counted from 1)."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(message)
        self.line = line
        self.message = message


MERGE = object()
"""The key ``<<``: its value's fields are taken over, unless they are given."""


@dataclass(slots=True)
class _Open:
    """A map or list that is not complete. ``key``: in a map, the key whose value is next."""

    container: dict[str, Any] | list[Any]
    anchor: str | None
    start: int = 0
    size: int = 1
    key: Any = None
    merged: list[Any] = field(default_factory=list)


class Composer:
    """Builds documents. ``roots``: the data of each, and the line on which it starts; ``faults``: (line, message)."""

    def __init__(self, positions: bool = False) -> None:
        self.roots: list[tuple[Any, int]] = []
        self.faults: list[tuple[int, str]] = []
        self._marks: dict[tuple[int, str | int], tuple[int, str | None]] | None = {} if positions else None
        self._kept: list[object] = []  # a mark knows its map by its id, which must not be given to another
        self._open: list[_Open] = []
        self._anchors: dict[str, tuple[Any, int]] = {}
        self._borrowed = 0

    @property
    def wants_key(self) -> bool:
        """Whether a map's key is next."""
        return bool(self._open) and isinstance(self._open[-1].container, dict) and self._open[-1].key is None

    def begin(self, container: dict[str, Any] | list[Any], line: int, anchor: str | None = None) -> None:
        """A map or a list starts; what comes next goes into it until :meth:`end`."""
        if len(self._open) >= MAX_DEPTH:
            raise UnreadableError(line, f"nested deeper than {MAX_DEPTH} levels")
        if self.wants_key:
            raise UnreadableError(line, "a map's key must be text, not a map or a list")
        if anchor is not None:
            self._anchors[anchor] = (container, 0)
        if self._marks is not None:
            self._kept.append(container)
        self._put(container, line, None)
        self._open.append(_Open(container, anchor, start=line))

    def end(self) -> None:
        """The innermost map or list is complete."""
        done = self._open.pop()
        if isinstance(done.container, dict):
            for value in done.merged:
                self._take_over(value, done.container, done.start)
        if done.anchor is not None:
            self._anchors[done.anchor] = (done.container, done.size)
        if self._open:
            self._open[-1].size += done.size
        else:
            self._finish()

    def key(self, key: Any, line: int) -> None:
        """A map's key."""
        inner = self._open[-1]
        if key is not MERGE and key in inner.container:
            self.faults.append((line, f"{quoted(key)} is given twice in the same map"))
        inner.key = key
        if self._marks is not None and key is not MERGE:
            self._marks.setdefault((id(inner.container), key), (line, None))

    def scalar(self, value: Any, line: int, text: str, anchor: str | None = None) -> None:
        """A value that is no map and no list. ``text``: as it is written."""
        if anchor is not None:
            self._anchors[anchor] = (value, 1)
        self._put(value, line, text)
        if self._open:
            self._open[-1].size += 1
        else:
            self._finish()

    def alias(self, anchor: str, line: int) -> None:
        """A value that was given before."""
        if anchor not in self._anchors:
            raise UnreadableError(line, f"the alias *{anchor} has no anchor &{anchor} before it")
        value, size = self._anchors[anchor]
        if size == 0:
            raise UnreadableError(line, f"the anchor &{anchor} contains itself")
        self._borrowed += size
        if self._borrowed > MAX_BORROWED:
            raise UnreadableError(line, f"aliases repeat more than {MAX_BORROWED} values")
        self._put(value, line, None)
        if self._open:
            self._open[-1].size += size

    def locate(self, root: int, path: Path) -> tuple[int, str | None]:
        """(line, the scalar as it is written) of a field; without text, of the nearest around it that exists."""
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

    def _take_over(self, value: Any, container: dict[str, Any], line: int) -> None:
        """Add the fields of a map, or of a list of maps, that are not given."""
        for fields in value if isinstance(value, list) else [value]:
            if not isinstance(fields, dict):
                raise UnreadableError(line, "<< takes an alias of a map, or a list of them")
            for key in [key for key in fields if key not in container]:
                container[key] = fields[key]
                if self._marks is not None:
                    self._marks[id(container), key] = self._marks[id(fields), key]

    def _finish(self) -> None:
        self._anchors.clear()
        self._borrowed = 0
