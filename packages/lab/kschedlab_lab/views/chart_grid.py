"""A grid of coloured cells as SVG: numbers by row and column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any

from kschedlab.text.html import Html, element
from kschedlab_lab.views.cells import Dial
from kschedlab_lab.views.lettering import after_hyphen, fitted, fitting, name_lines, short, text_width
from kschedlab_lab.views.style import ACT, TICK, TRAY
from kschedlab_lab.views.svg import Room, label, rect

CLOSE = 14
"""Height of one of two lines, in pixels at normal size."""
BROAD, DIAL = 132, 52
"""The greatest width of a cell; the width of a dial."""
BESIDE, SHORTEST = 6, 30
"""The space beside a number, and the shortest tray of bars that has its numbers beside it and not on it, in pixels."""


@dataclass(frozen=True)
class GridCell:
    """``text`` on a bar of colour ``fill`` that fills this ``share`` of its box, or alone in a box (None).

    ``tip``: the cell in words; ``sets``: the settings that a click applies.
    """

    text: str
    fill: str | None
    tip: str
    sets: str = ""
    share: float = 1


@dataclass(frozen=True)
class Grid:
    """Rows of cells. ``left``: the width of the names of rows; ``selected``: the framed cell.

    ``refused``: columns with a cross; ``notes``: by name, what follows a row's name; ``dials``: by name of a row, a
    number that can be changed; ``tips`` and ``sets``: by name of a row, what it means, and the settings that a click on
    its name applies; ``head``: the height above the names of columns; ``below``: what is left free below them.
    """

    cells: Sequence[Sequence[GridCell]]
    rows: Sequence[str]
    columns: Sequence[str]
    left: float
    selected: tuple[int, int] | None = None
    refused: Sequence[int] = ()
    notes: Mapping[str, str] = field(default_factory=dict)
    dials: Mapping[str, Dial] = field(default_factory=dict)
    tips: Mapping[str, str] = field(default_factory=dict)
    sets: Mapping[str, str] = field(default_factory=dict)
    head: int = 0
    below: int = 0

    @property
    def above(self) -> int:
        """The height of all but the names of columns."""
        return self.head + self.below


class GridMeasures:
    """The measures of a grid in a room, with rows of this height, and its parts."""

    def __init__(self, grid: Grid, room: Room, high: float) -> None:
        self.grid, self.left, self.top, self.high = grid, grid.left, 28 + grid.above, high
        self.names = self.left - 8
        self.wide = min((room.width - self.left - 6) / max(len(grid.columns), 1), BROAD)
        self.width = max(self.left + self.wide * len(grid.columns) + 6, min(room.width, 400))
        self.end = self.top + self.high * len(grid.rows)
        number = max((text_width(cell.text) for row in grid.cells for cell in row if cell.fill is not None), default=0)
        beside = self.wide - 2 - number - 2 * BESIDE
        self.tray = beside if beside >= SHORTEST else self.wide - 2

    def shapes(self) -> list[Html]:
        """All parts, with their origin at the upper left corner of the room."""
        grid = self.grid
        cells = [self._cell(r, c) for r in range(len(grid.rows)) for c in range(len(grid.columns))]
        return [
            *self._columns(),
            element("g", *cells, text_anchor="middle"),
            *self._rows(),
            *self._frame_of_selected(),
        ]

    def empty(self, rows: int) -> list[Html]:
        """Boxes of so many rows that are still to come."""
        wide, high = int(self.wide - 2), int(self.high - 2)
        places = product(range(rows), range(len(self.grid.columns)))
        corners = ((self.left + self.wide * c + 1, self.end + self.high * r + 1) for r, c in places)
        path = "".join(f"M{x:.0f} {y:.0f}h{wide}v{high}h{-wide}z" for x, y in corners)
        return [element("path", d=path, fill=TICK, fill_opacity=0.6)] if path else []

    def picks(self, asked: Sequence[str], key: str) -> list[Html]:
        """A frame around each of these columns, for an answer by a click. ``key``: what its key begins with."""
        look: dict[str, Any] = {"fill": "transparent", "stroke": ACT, "stroke_width": 1.5}
        places = [(name, self.left + self.wide * c) for c, name in enumerate(self.grid.columns) if name in asked]
        top = self.grid.head + 3
        picks = [({"data_pick": name, "data_key": f"{key}/{name}"}, x) for name, x in places]
        return [rect(self.wide - 2, self.end - top, 6, x + 1, top, **look, **pick) for pick, x in picks]

    def _rows(self) -> list[Html]:
        shapes, grid = [], self.grid
        for r, name in enumerate(grid.rows):
            note = f" {grid.notes[name]}" if name in grid.notes else ""
            right = self.names - (DIAL if name in grid.dials else 0)
            room = right - 4 - text_width(note)
            title = short(name)
            lines = name_lines(title, room)
            lines = lines if self.high >= CLOSE * len(lines) else [fitted(title, room)]
            y = self.top + self.high * (r + 0.5) + 4.5 - CLOSE / 2 * (len(lines) - 1)
            shown = [*lines[:-1], lines[-1] + note]
            words = [label(line, right, y + CLOSE * i, "end") for i, line in enumerate(shown)]
            tip = grid.tips.get(name) or _tip(name, lines)
            about = {"data_key": f"row/{name}", "data_tip": tip, "data_set": grid.sets.get(name)}
            shapes.append(element("g", *words, **about))
            if name in grid.dials:
                shapes.append(grid.dials[name].drawn(self.names, self.top + self.high * (r + 0.5)))
        return shapes

    def _columns(self) -> list[Html]:
        shapes, grid, room = [], self.grid, self.wide - 2
        signs, ends = ["✕ " if c in grid.refused else "" for c in range(len(grid.columns))], after_hyphen(grid.columns)
        names = ends if any(text_width(name, bold=True) > room for name in grid.columns) else grid.columns
        for c, name in enumerate(grid.columns):
            signed = [f"{signs[c]}{each}" for each in (names[c], ends[c])]
            text = fitted(fitting(signed, room, bold=True), room, bold=True)
            middle = self.left + self.wide * (c + 0.5)
            words = label(text, middle, grid.head + 19, "middle", font_weight="bold")
            shapes.append(
                element("g", words, data_key=f"column/{name}", data_tip=_tip(name, [text.removeprefix(signs[c])]))
            )
        return shapes

    def _cell(self, r: int, c: int) -> Html:
        cell = self.grid.cells[r][c]
        key = f"cell/{self.grid.rows[r]}/{self.grid.columns[c]}"
        wide, high = int(self.wide - 2), int(self.high - 2)
        shapes = [rect(wide, high, 4, fill=TRAY)]
        if cell.fill is not None:
            tray = self.tray
            shapes = [rect(wide, high, fill="transparent"), rect(int(tray), high, 4, fill=TRAY)]
            long = round(tray * cell.share, 1)
            shapes.append(rect(long, high, min(4, long / 2), fill=cell.fill, data_key=f"{key}/box"))
        corner = f"translate({self.left + self.wide * c + 1:.0f},{self.top + self.high * r + 1:.0f})"
        about: dict[str, Any] = {"data_set": cell.sets or None, "aria_label": cell.tip if cell.sets else None}
        about |= {"data_tip": cell.tip}
        words = self._words(cell, (r, c) == self.grid.selected)
        return element("g", *shapes, words, data_key=key, transform=corner, **about)

    def _words(self, cell: GridCell, selected: bool) -> Html:
        place: dict[str, Any] = {"x": (self.wide - 2) / 2, "y": (self.high - 2) / 2 + 4.5}
        if cell.fill is not None:  # numbers below each other
            place |= {"x": self.wide - 8, "text_anchor": "end"}
        return element("text", cell.text, **place, fill="currentColor", font_weight="bold" if selected else None)

    def _frame_of_selected(self) -> list[Html]:
        if self.grid.selected is None:
            return []
        r, c = self.grid.selected
        x, y = self.left + self.wide * c - 1, self.top + self.high * r - 1
        look: dict[str, Any] = {"fill": "none", "stroke": "currentColor", "stroke_width": 2.5}
        frame = rect(self.wide + 2, self.high + 2, 6, x, y, **look, data_key="selected", pointer_events="none")
        return [frame]


def _tip(name: str, shown: Sequence[str]) -> str | None:
    """The whole name, if the picture shortens it."""
    return name if any(line.endswith("…") for line in shown) or "".join(shown) != name else None
