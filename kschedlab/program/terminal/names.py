"""Shortens long names in the middle: ``gke-prod-pool…-x7k2``. Different names stay different."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from os.path import commonprefix

GAP = "…"
COMMON = 8
"""A common ending longer than this is cut off first."""
SHORTEST = 8
"""Names are never cut to fewer characters than this."""


def shortened(names: Iterable[str], width: int) -> dict[str, str]:
    """Each name cut to at most ``width`` characters, or in full if the cut name would not be unique.

    All long names are cut in the same place, as near to the middle as keeps them distinct. If there is no such place,
    each name is cut in a place of its own.
    """
    width = max(width, SHORTEST)
    distinct = list(dict.fromkeys(names))
    long = [name for name in distinct if len(name) > width]
    short = {name: name for name in distinct if len(name) <= width}
    end = len(commonprefix([name[::-1] for name in long])) if len(long) > 1 else 0
    for cuts in zip(*(_cuts(name, width, end) for name in long), strict=True):
        if len({*cuts, *short}) == len(distinct):
            return short | dict(zip(long, cuts, strict=True))
    cutter = Cutter(width, end, short)
    return short | {name: cutter(name) for name in long}


class Cutter:
    """Shortens names to ``width`` characters one by one; a repeated name gets the same result."""

    def __init__(self, width: int, end: int = 0, short: Iterable[str] = ()) -> None:
        self._width = max(width, SHORTEST)
        self._end = end
        self._short: dict[str, str] = {}
        self._taken = set(short)

    def __call__(self, name: str) -> str:
        if name not in self._short:
            cuts = _cuts(name, self._width, self._end)
            self._short[name] = next((cut for cut in cuts if cut not in self._taken), name)
            self._taken.add(self._short[name])
        return self._short[name]


def _cuts(name: str, width: int, end: int) -> Iterator[str]:
    """Possible cuts, from the middle towards either end.

    ``end``: length of the names' common ending. Some cuts drop it; they come first if it is long, as in cloud nodes:
    ``ip-10-0-3-17.eu-west-1.compute.internal``.
    """
    without = (cut + GAP for cut in _cut_once(name[: len(name) - end], width - len(GAP)))
    if end > COMMON:
        yield from without
    yield from _cut_once(name, width)
    if 0 < end <= COMMON:
        yield from without


def _cut_once(name: str, width: int) -> Iterator[str]:
    room = width - len(GAP)
    for head in _heads(room):
        yield name[:head] + GAP + name[len(name) - (room - head) :] if len(name) > width else name


@cache
def _heads(room: int) -> list[int]:
    """Lengths of the part before the gap, from the middle outwards."""
    return sorted(range(1, room), key=lambda head: abs(2 * head - room))
