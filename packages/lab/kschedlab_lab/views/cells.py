"""Tables of numbers as drawings: cells that keep their key, workers as numbered badges."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from kschedlab.text.html import Html, element
from kschedlab_lab.language import ENGLISH, language
from kschedlab_lab.views.drawing import Number, pill
from kschedlab_lab.views.layout import placed
from kschedlab_lab.views.lettering import after_hyphen, fitted, folded, text_width
from kschedlab_lab.views.style import ACT, ACT_SOFT, CHOSEN, EVICTED, HAIR, INK, KINDS, PANEL, TICK, TRAY, ink
from kschedlab_lab.views.svg import label, rect

Look: TypeAlias = dict[str, str | float | None]
"""Attributes of a shape."""
UNCHANGED = TICK
WORKERS = KINDS
"""A worker's colour. Neither the green of the chosen node nor the orange of a failure is among them."""
STAR, CROSS = "★", "✕"
LEGIBLE = 18
"""The least height of a cell in which a number has room beside a thick ring."""


@dataclass(frozen=True)
class Cell:
    """``text``: its content; ``fill``: its colour, "" if it is empty.

    ``ring``: the colour of an inner border; ``frame``: that of an outer one; ``hatched``: a tie. ``marks``: attributes
    of the drawing.
    """

    text: str = ""
    fill: str = ""
    ring: str = ""
    frame: str = ""
    hatched: bool = False
    marks: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class ScoreRow:
    """A row of the table. ``strong``: its name is bold; ``marks``: attributes of its name's drawing."""

    name: str
    cells: Sequence[Cell]
    strong: bool = False
    marks: Mapping[str, str] = field(default_factory=dict)


class Box(NamedTuple):
    """A place in a drawing, in pixels."""

    x: float
    y: float
    wide: float
    high: float


# -- workers


def worker_cell(text: str, worker: int, marks: Mapping[str, str]) -> Cell:
    """A cell that this worker has written: filled up to worker 8, ringed from worker 9 on."""
    colour = WORKERS[(worker - 1) % len(WORKERS)]
    ringed = worker > len(WORKERS)
    return Cell(text, fill=TRAY if ringed else colour, ring=colour if ringed else "", marks=marks)


def token(worker: int, x: float, y: float, size: float = 9, **marks: str) -> Html:
    """A worker: a dark badge with its number, edged in its colour, unlike any score. (x, y): its middle."""
    edge: Look = {"stroke": WORKERS[(worker - 1) % len(WORKERS)], "stroke_width": 2.5}
    half = max(size, text_width(str(worker), bold=True) / 2 + 2)
    badge = rect(2 * half, 2 * size, 4, -half, -size, fill=INK, **edge)
    number = label(str(worker), 0, 4.2, "middle", fill=PANEL, font_weight="bold")
    return element("g", badge, number, transform=f"translate({x:.1f},{y:.1f})", **marks)


# -- cells


def middle(shapes: Iterable[Html]) -> Html:
    """A group whose texts are centred: said once, not for each of a hundred cells."""
    return element("g", *shapes, text_anchor="middle")


def draw_cell(cell: Cell, box: Box) -> Html:
    """One cell, for :func:`middle`."""
    wide, high = round(box.wide) - 2, round(box.high) - 2
    line: Look = {"stroke": cell.frame, "stroke_width": 3} if cell.frame else {}
    if not cell.fill:
        line = {"stroke": HAIR, **line}
    shapes = [rect(wide, high, None, None, None, fill=cell.fill or "none", **line)]
    if cell.ring:
        thick = 3 if box.high >= LEGIBLE else 1.5
        inside: Look = {"fill": "none", "stroke": cell.ring, "stroke_width": thick}
        shapes.append(rect(wide - thick, high - thick, None, thick / 2, thick / 2, **inside))
    if cell.hatched:
        shapes.append(_hatching(box))
    x, y = round(box.wide / 2) - 1, round(box.high / 2 + 3)
    bold = "bold" if cell.frame or cell.hatched else None
    halo: Look = {"stroke": TRAY, "stroke_width": 4, "paint_order": "stroke"} if cell.hatched else {}
    if cell.text:
        shapes.append(element("text", cell.text, x=x, y=y, font_weight=bold, **halo))
    colour = ink(cell.fill) if cell.fill else None
    return element("g", *shapes, transform=f"translate({box.x + 1:.0f},{box.y + 1:.0f})", fill=colour, **cell.marks)


def _hatching(box: Box) -> Html:
    """Diagonal lines over the whole cell."""
    high, wide = box.high - 2, box.wide - 2
    lines = []
    for start in range(-int(high), int(wide), 10):
        low, top = max(start, 0), min(start + high, wide)
        if top > low:
            lines.append(f"M{low} {high - (low - start):.0f}L{top:.0f} {high - (top - start):.0f}")
    return element("path", d="".join(lines), stroke=CHOSEN, stroke_width=2, opacity=0.6)


def best_cell(text: str, tie: bool, marks: Mapping[str, str]) -> Cell:
    """The highest sum: green, or hatched if several nodes have it."""
    tied = Cell(text, fill=TRAY, frame=CHOSEN, hatched=True, marks=marks)
    return tied if tie else Cell(text, fill=CHOSEN, marks=marks)


def failed_cell(marks: Mapping[str, str]) -> Cell:
    """A cell whose score could not be computed."""
    return Cell(CROSS, fill=EVICTED, marks=marks)


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


SHORTENED, CLOSE = 100, 14
"""The least width of names that are shortened, and the height of one of two lines; in pixels."""


class Columns(NamedTuple):
    """Where columns stand: the width of the names, that of a column, and how many fit into a band."""

    left: float
    wide: float
    per: int

    def bands(self, number: int) -> list[range]:
        return [range(number)[start : start + self.per] for start in range(0, number, self.per)]

    def x(self, column: int) -> float:
        """The left edge of the column in its band."""
        return self.left + column % self.per * self.wide


def columns(room: float, names: Iterable[str], number: int, least: float, most: float) -> Columns:
    """Columns between ``least`` and ``most`` wide beside these names; those that do not fit begin a new band.

    Names are shortened if that saves a band.
    """
    left = min(max(map(text_width, names), default=0) + 12, room * 0.4)
    spared = room - 2 - number * least
    left = min(left, spared) if spared >= SHORTENED else left
    bands = max(1, -(-int(number * least) // int(room - left - 2)))
    per = -(-number // bands)
    return Columns(left, min(most, (room - left - 2) / per), per)


def brief(names: Sequence[str], wide: float, more: str = f"{STAR} ") -> Sequence[str]:
    """The names, or if one of them with ``more`` is wider than this, without the words that all of them begin with."""
    if all(text_width(f"{name}{more}", bold=True) <= wide for name in names):
        return names
    return after_hyphen(names)


def named(
    text: str, at: Columns, y: float, strong: bool = False, high: float = 0, after: float = 0, **marks: str
) -> Html:
    """The name of a row, in two lines if it is ``high`` enough; a tip has the whole of one that is cut off.

    ``y``: the base line of one line; ``after``: what is to stay free between it and the cells.
    """
    right, width = at.left - 8 - after, at.left - 10 - after
    look: Look = {"font_weight": "bold" if strong else None}
    two = high >= 2 * CLOSE and text_width(text, bold=strong) > width
    lines = folded(text, width, bold=strong) if two else [fitted(text, width, bold=strong)]
    y -= CLOSE / 2 * (len(lines) - 1)
    tip = {"data_tip": text} if any("…" in line for line in lines) else {}
    about = {**tip, **marks}
    if len(lines) == 1:
        return label(lines[0], right, y, "end", **look, **about)
    words = (label(line, right, y + CLOSE * i, "end", **look) for i, line in enumerate(lines))
    return element("g", *words, **about)


def draw_rows(
    rows: Sequence[ScoreRow], part: range, at: Columns, y: float, high: float, after: float = 0
) -> tuple[list[Html], float]:
    """One band of the rows from ``y`` down, and the ``y`` below them. Cells that do nothing yet share one outline.

    ``after``: what stays free between the rows' names and their cells.
    """
    names, cells, outline = [], [], []
    for each in rows:
        names.append(named(each.name, at, y + high / 2 + 4.2, each.strong, high, after, **each.marks))
        for i in part:
            if each.cells[i] == Cell(marks=each.cells[i].marks):
                outline.append(f"M{at.x(i) + 1:.0f} {y + 1:.0f}h{at.wide - 2:.0f}v{high - 2:.0f}h{2 - at.wide:.0f}z")
            else:
                cells.append(draw_cell(each.cells[i], Box(at.x(i), y, at.wide, high)))
        y += high
    empty = element("path", d="".join(outline), fill="none", stroke=INK, opacity=0.3)
    return [*([empty] if outline else []), *names, middle(cells)], y
