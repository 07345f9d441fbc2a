"""Tables of numbers as drawings: cells that keep their key, workers as numbered badges."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from kschedlab.text.html import Html, element
from kschedlab_lab.language import ENGLISH, language
from kschedlab_lab.views.drawing import Number, pill
from kschedlab_lab.views.layout import placed
from kschedlab_lab.views.lettering import fitted, text_width
from kschedlab_lab.views.style import ACT, ACT_SOFT, HAIR, INK, KINDS, PANEL, TICK, TRAY, ink
from kschedlab_lab.views.svg import label, rect

Look: TypeAlias = dict[str, str | float | None]
"""Attributes of a shape."""
UNCHANGED = TICK
WORKERS = KINDS
"""A worker's colour. Neither the green of the chosen node nor the orange of a failure is among them."""
STAR, CROSS = "★", "✕"
EDGE = 2.5
"""How thick the edge of a worker's badge is."""


@dataclass(frozen=True)
class Cell:
    """``text``: its content; ``fill``: its colour; ``marks``: attributes of the drawing."""

    text: str
    fill: str
    marks: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class ScoreRow:
    """A row of the table. ``strong``: its name is bold."""

    name: str
    cells: Sequence[Cell]
    strong: bool = False


class Box(NamedTuple):
    """A place in a drawing, in pixels."""

    x: float
    y: float
    wide: float
    high: float


# -- workers


def token(worker: int, x: float, y: float, size: float = 9, *, most: float = math.inf, **marks: str) -> Html:
    """A worker: a dark round badge with its number, edged in its colour, unlike any score. (x, y): its middle.

    ``most``: its greatest width; the number is as small as that asks for.
    """
    edge: Look = {"stroke": WORKERS[(worker - 1) % len(WORKERS)], "stroke_width": EDGE}
    written, room = text_width(str(worker), bold=True), (most - EDGE) / 2
    size, half = min(size, room), min(max(size, written / 2 + 2), room)
    small = min(1, 2 * half / written)
    badge = rect(2 * half, 2 * size, size, -half, -size, fill=INK, **edge)
    fitting = {"font_size": round(12 * small, 1)} if small < 1 else {}
    number = label(str(worker), 0, 4.2 * small, "middle", fill=PANEL, font_weight="bold", **fitting)
    return element("g", badge, number, transform=f"translate({x:.1f},{y:.1f})", **marks)


# -- cells


def middle(shapes: Iterable[Html]) -> Html:
    """A group whose texts are centred: said once, not for each of a hundred cells."""
    return element("g", *shapes, text_anchor="middle")


def draw_cell(cell: Cell, box: Box) -> Html:
    """One cell, for :func:`middle`."""
    wide, high = round(box.wide) - 2, round(box.high) - 2
    text = element("text", cell.text, x=round(box.wide / 2) - 1, y=round(box.high / 2 + 3))
    place = f"translate({box.x + 1:.0f},{box.y + 1:.0f})"
    return element("g", rect(wide, high, fill=cell.fill), text, transform=place, fill=ink(cell.fill), **cell.marks)


# -- choices


class Dial(NamedTuple):
    """A number that a drag or a click on an arrow changes. ``field``: its setting, "" if it is fixed.

    ``low``, ``high``: it is the least one, the greatest one.
    """

    text: str
    field: str = ""
    low: bool = False
    high: bool = False

    @classmethod
    def among(cls, values: Sequence[int], value: int, text: str, field: str) -> Dial:
        return cls(text, field, value == values[0], value == values[-1])

    def drawn(self, right: float, y: float) -> Html:
        """Its right edge and its middle are here; an arrow that leads nowhere is pale."""
        if not self.field:
            return label(self.text, right - 15, y + 4.2, "end")
        marks = {"data_drag": self.field, "data_axis": "x", "data_step": "16"}
        drawn = pill(Number(self.text, marks, name=self.field), "dial", colour=ACT, ends=(self.low, self.high))
        return placed(drawn, right, y - drawn.height / 2, "end")


def pills(choices: Sequence[tuple[str, str, bool]], x: float, y: float, wide: float) -> list[Html]:
    """Buttons of this width, side by side: their words, what a click sets, and whether that is so already."""
    shapes = []
    for place, (words, sets, mine) in enumerate(choices):
        look = {"fill": ACT_SOFT if mine else TRAY, "stroke": ACT if mine else HAIR}
        pill = rect(wide - 8, 22, 10, x + place * wide + 2, y, **look)
        bold = {"font_weight": "bold"} if mine else {}
        text = label(fitted(words, wide - 14, bold=mine), x + (place + 0.5) * wide - 2, y + 15.5, "middle", **bold)
        shapes.append(element("g", pill, text, data_set=sets, aria_label=sets if language() == ENGLISH else words))
    return shapes


# -- tables


SHORTENED = 100
"""The least width of names that are shortened, in pixels."""


class Columns(NamedTuple):
    """Where columns stand: the width of the names, and that of a column."""

    left: float
    wide: float

    def x(self, column: int) -> float:
        """The left edge of the column."""
        return self.left + column * self.wide


def columns(
    room: float, names: Iterable[str], number: int, least: float, most: float, strong: Iterable[str] = ()
) -> Columns:
    """Columns between ``least`` and ``most`` wide beside these names, which are shortened if the columns need it.

    ``strong``: names in bold.
    """
    widths = [*map(text_width, names), *(text_width(name, bold=True) for name in strong)]
    left = min(max(widths, default=0) + 12, max(room - 2 - number * least, SHORTENED))
    return Columns(left, min(most, (room - left - 2) / number))


def named(text: str, at: Columns, y: float, strong: bool = False) -> Html:
    """The name of a row; a tip has the whole of one that is cut."""
    shown = fitted(text, at.left - 10, bold=strong)
    tip = text if shown != text else None
    return label(shown, at.left - 8, y, "end", font_weight="bold" if strong else None, data_tip=tip)


def draw_rows(rows: Sequence[ScoreRow], at: Columns, y: float, high: float) -> list[Html]:
    """The rows from ``y`` down."""
    names, cells = [], []
    for row, each in enumerate(rows):
        top = y + row * high
        names.append(named(each.name, at, top + high / 2 + 4.2, each.strong))
        cells += [draw_cell(cell, Box(at.x(i), top, at.wide, high)) for i, cell in enumerate(each.cells)]
    return [*names, middle(cells)]
