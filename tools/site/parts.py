"""Markup as parts that are stored once: the states of a panel differ in a few elements and share the others."""

from __future__ import annotations

import re
from typing import Any, TypeAlias

Part: TypeAlias = str | list[int]
"""A text, or the numbers of the parts that it consists of."""

TOKEN = re.compile(r"<[^>]*>|[^<]+")
"""A tag or a text. Views escape ``>`` in attributes."""
VOID = ("<area", "<br", "<col", "<hr", "<img", "<input", "<link", "<meta", "<source", "<wbr", "<!")
SHORT = 120
"""Fewer characters are one text, whatever they consist of."""


class Number(int):
    """The number of a part, wherever it stands in a recording."""


class Parts:
    """The parts of all recordings of a page, ``all``; with :meth:`stored`, those of the next one go to its file."""

    def __init__(self) -> None:
        self.all: list[Part] = []
        self._numbers: dict[str | tuple[int, ...], Number] = {}
        self._stored = 0

    def text(self, text: str) -> Number:
        return self._number(text)

    def markup(self, markup: str) -> Number:
        """The number of this markup, which is taken apart element by element. ValueError if its tags don't match."""
        nested: list[list[str | int]] = [[]]
        for token in TOKEN.findall(markup):
            if token.startswith("</"):
                element = [*nested.pop(), token]
                if not nested:
                    raise ValueError(f"{token} ends nothing in {markup[:80]!r}")
                nested[-1].append(self._element(element))
            elif token.startswith("<") and not token.startswith(VOID) and not token.endswith("/>"):
                nested.append([token])
            else:
                nested[-1].append(token)
        if len(nested) > 1:
            raise ValueError(f"{nested[-1][0]} does not end in {markup[:80]!r}")
        found = self._element(nested[0])
        return found if isinstance(found, Number) else self.text(str(found))

    def whole(self, number: int) -> str:
        part = self.all[number]
        return part if isinstance(part, str) else "".join(map(self.whole, part))

    def stored(self, record: dict[str, Any]) -> dict[str, Any]:
        """The record with the parts that are new in it, in an order that compresses well: texts that begin alike follow
        each other. ``first`` is the number of the first of them.
        """
        first, every = self._stored, self.all
        order = sorted(range(first, len(every)), key=lambda old: (isinstance(every[old], list), str(every[old])))
        places = {old: first + place for place, old in enumerate(order)}
        new = [_renumbered(every[old], places) for old in order]
        self.all = every[:first] + new
        self._numbers = {_key(part): Number(place) for place, part in enumerate(self.all)}
        self._stored = len(self.all)
        return {**_renumbered(record, places), "first": first, "parts": new}

    def _element(self, children: list[str | int]) -> str | int:
        """A short element as its text, a longer one as the number of a part."""
        length = sum(len(each) if isinstance(each, str) else SHORT for each in children)
        if length < SHORT:
            return "".join(map(str, children))
        if all(isinstance(each, str) for each in children):
            return self.text("".join(map(str, children)))
        return self._number([self.text(each) if isinstance(each, str) else each for each in _merged(children)])

    def _number(self, part: Part) -> Number:
        key = _key(part)
        if key not in self._numbers:
            self._numbers[key] = Number(len(self.all))
            self.all.append(part)
        return self._numbers[key]


def _key(part: Part) -> str | tuple[int, ...]:
    """What equal parts have in common."""
    return part if isinstance(part, str) else tuple(part)


def _renumbered(value: Any, places: dict[int, int]) -> Any:
    """The value; the numbers of parts in it are new, but for those that were stored before."""
    if isinstance(value, Number):
        return Number(places.get(value, value))
    if isinstance(value, dict):
        return {name: _renumbered(each, places) for name, each in value.items()}
    return [_renumbered(each, places) for each in value] if isinstance(value, (list, tuple)) else value


def _merged(children: list[str | int]) -> list[str | int]:
    """The same children; texts that follow each other are one."""
    merged: list[str | int] = []
    for each in children:
        if isinstance(each, str) and merged and isinstance(merged[-1], str):
            merged[-1] += each
        else:
            merged.append(each)
    return merged
