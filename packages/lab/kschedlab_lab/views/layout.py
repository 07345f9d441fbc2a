"""How pictures are laid out: parts with a size, put beside and below one another.

A part's shapes have their origin at its upper left corner. ``row``, ``column`` and ``wrap`` make one part of
several, so that no picture counts pixels.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal, NamedTuple, TypeAlias

from kschedlab.text.html import Html, element
from kschedlab_lab.views.lettering import fitted, flowed, text_width
from kschedlab_lab.views.svg import label

Align: TypeAlias = Literal["start", "middle", "end"]
SHARE = {"start": 0.0, "middle": 0.5, "end": 1.0}
DESCENT = 0.28
"""How far letters go below the line, in em."""


class Part(NamedTuple):
    """What is drawn, and the space that it takes."""

    width: float
    height: float
    shapes: tuple[Html, ...] = ()
    is_text: bool = False
    """Whether it is text alone, whose width is an estimate: what aligns it leaves that to the browser."""


NOTHING = Part(0, 0)


def moved(part: Part, x: float, y: float, **attributes: str | float | None) -> Html:
    """The part as a group at this place."""
    return element("g", *part.shapes, transform=f"translate({x:g},{y:g})", **attributes)


def placed(part: Part, x: float, y: float, align: Align = "middle") -> Html:
    """The part with its middle, its start or its end at ``x``."""
    if part.is_text:
        return moved(part, x, y, text_anchor=None if align == "start" else align)
    return moved(part, x - part.width * SHARE[align], y)


def words(
    text: str, size: float = 12, bold: bool = False, width: float | None = None, most: float | None = None, **look: Any
) -> Part:
    """Text in one line, cut where it is wider than ``most``; or in as many lines as ``width`` takes."""
    text = text if most is None else fitted(text, most, size, bold)
    lines = [text] if width is None else flowed(text, width, size, bold)
    high = round(size * 1.3, 1)
    look |= {"font_size": size, "font_weight": "bold" if bold else None}
    shapes = [label(line, 0, high * i + high - size * DESCENT, **look) for i, line in enumerate(lines)]
    return Part(max(text_width(line, size, bold) for line in lines), high * len(lines), tuple(shapes), True)


def phrase(*runs: tuple[str, str, bool], size: float = 12, gap: float = 6) -> Part:
    """Texts in one line, each with its colour and whether it is bold; the browser puts one beside the other."""
    high = round(size * 1.3, 1)
    space = size / 4
    spans = [
        element(
            "tspan",
            " " * bool(i) + text,
            fill=fill,
            font_weight="bold" if bold else None,
            dx=(gap - space) * bool(i) or None,
        )
        for i, (text, fill, bold) in enumerate(runs)
    ]
    wide = sum(text_width(text, size, bold) + gap for text, _, bold in runs) - gap
    return Part(wide, high, (element("text", *spans, y=high - size * DESCENT, font_size=size),), True)


def padded(part: Part, across: float, down: float = 0) -> Part:
    """The part with empty space at its sides, and above and below it."""
    return Part(part.width + 2 * across, part.height + 2 * down, (moved(part, across, down),))


def row(parts: Iterable[Part], gap: float = 8, align: Align = "middle") -> Part:
    """The parts from left to right. ``align``: how lower ones stand beside the highest."""
    parts = [part for part in parts if part.width]
    high = max((part.height for part in parts), default=0)
    shapes, x = list[Html](), 0.0
    for part in parts:
        shapes.append(moved(part, x, (high - part.height) * SHARE[align]))
        x += part.width + gap
    return Part(max(x - gap, 0), high, tuple(shapes))


def column(parts: Iterable[Part], gap: float = 4, align: Align = "start") -> Part:
    """The parts from top to bottom. ``align``: how narrower ones stand below the widest."""
    parts = [part for part in parts if part.height]
    wide = max((part.width for part in parts), default=0)
    shapes, y = list[Html](), 0.0
    for part in parts:
        shapes.append(placed(part, wide * SHARE[align], y, align))
        y += part.height + gap
    return Part(wide, max(y - gap, 0), tuple(shapes))


def wrap(parts: Iterable[Part], width: float, gap: float = 8, between: float = 4) -> Part:
    """The parts in rows that are no wider than ``width``; ``between``: the space between rows."""
    return column((row(each, gap) for each in rows_of(parts, width, gap)), between)


def rows_of(parts: Iterable[Part], width: float, gap: float) -> list[list[Part]]:
    """The parts by row, where no row is wider than ``width``."""
    rows: list[list[Part]] = []
    for part in parts:
        used = sum(each.width + gap for each in rows[-1]) if rows else 0
        if not rows or used + part.width > width:
            rows.append([])
        rows[-1].append(part)
    return rows
