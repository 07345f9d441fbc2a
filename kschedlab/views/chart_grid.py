"""A grid of coloured cells as SVG: numbers by row and column, or the answer for each pair of two settings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any

from kschedlab.views.html import Html, element
from kschedlab.views.style import CHOSEN, ink
from kschedlab.views.svg import Room, folded, label, stripes, svg

LETTER, LINE, CLOSE = 7.2, 15, 14
"""Width of a letter, height of a line of text, and of one of two lines, in pixels at normal size."""
LOW, HIGH, BROAD, SIDE = 24, 44, 132, 0.36
"""Least and greatest height of a cell, greatest width, and the greatest part of the room for the names of rows."""


@dataclass(frozen=True)
class Cell:
    """``text`` in a box of colour ``fill`` (None: only an outline).

    ``short``: instead of ``text`` in all cells if the room is narrow; ``hatch``: colours of stripes over it;
    ``note``: a second line; ``tip``: the cell in words; ``sets``: the settings that a click applies.
    """

    text: str
    fill: str | None
    tip: str
    short: str = ""
    hatch: Sequence[str] = ()
    note: str = ""
    sets: str = ""


@dataclass(frozen=True)
class Grid:
    """Rows of cells. ``selected``: the framed cell; ``chosen``: the winning column, by its name.

    ``titles``: of the columns and the rows; ``legend``: (colour, stripes, meaning), shown if cells are ``short``;
    ``remark``: a line below the grid.
    """

    cells: Sequence[Sequence[Cell]]
    rows: Sequence[str]
    columns: Sequence[str]
    alt: str
    selected: tuple[int, int] | None = None
    chosen: int | None = None
    titles: tuple[str, str] = ("", "")
    legend: Sequence[tuple[str | None, Sequence[str], str]] = ()
    remark: str = ""

    def __call__(self, room: Room) -> Html:
        """The drawing for this room."""
        return _Drawing(self, room).svg()


class _Drawing:
    """The measures of one drawing, and its parts."""

    def __init__(self, grid: Grid, room: Room) -> None:
        self.grid, self.room = grid, room
        longest = max(map(len, (*grid.rows, grid.titles[1])), default=0)
        self.left = min(LETTER * longest + 16, SIDE * room.width)
        self.wide = min((room.width - self.left - 6) / max(len(grid.columns), 1), BROAD)
        cells = [cell for line in grid.cells for cell in line]
        self.short = any(LETTER * len(cell.text) + 6 > self.wide for cell in cells) and any(c.short for c in cells)
        self.noted = any(cell.note for cell in cells)
        self.top = 28 + (LINE + 4 if any(grid.titles) else 0)
        self.marks = self._legend() if self.short else []
        below = (LINE + 3) * (len(self.marks) + bool(grid.remark)) + 8
        fair = (room.height - self.top - below) / max(len(grid.rows), 1)
        self.high = min(max(fair, 2 * CLOSE + 4 if self.noted else LOW), HIGH)

    def svg(self) -> Html:
        grid, bottom = self.grid, self.top + self.high * len(self.grid.rows)
        shapes = [*self._titles(), *self._rows(), *self._columns()]
        shapes += [self._cell(r, c) for r in range(len(grid.rows)) for c in range(len(grid.columns))]
        shapes += self._frames()
        for line in [*self.marks, *([[label(grid.remark, 0, 0)]] if grid.remark else [])]:
            bottom += LINE + 3
            shapes.append(element("g", *line, transform=f"translate(6,{bottom:g})"))
        width = max(self.left + self.wide * len(grid.columns) + 6, min(self.room.width, 400))
        return svg(shapes, width, bottom + 8, grid.alt)

    def _titles(self) -> list[Html]:
        across, down = self.grid.titles
        middle = self.left + self.wide * len(self.grid.columns) / 2
        room = int(self.wide * len(self.grid.columns) / LETTER)
        words = [(f"{across} →", middle, "middle", room), (f"{down} ↓", self.left - 8, "end", int(self.left / LETTER))]
        parts = (across, down)
        return [
            label(text, x, 14 if anchor == "middle" else self.top - 9, anchor, limit, font_style="italic")
            for (text, x, anchor, limit), part in zip(words, parts, strict=True)
            if part
        ]

    def _rows(self) -> list[Html]:
        shapes = []
        for r, name in enumerate(self.grid.rows):
            lines = folded(name, int((self.left - 12) / LETTER))
            lines = lines if self.high >= CLOSE * len(lines) else [f"{name[: int(self.left / LETTER) - 3]}…"]
            y = self.top + self.high * (r + 0.5) + 4.5 - CLOSE / 2 * (len(lines) - 1)
            words = [label(line, self.left - 8, y + CLOSE * i, "end") for i, line in enumerate(lines)]
            shapes.append(element("g", *words, data_key=f"row/{name}", data_tip=_tip(name, lines)))
        return shapes

    def _columns(self) -> list[Html]:
        """Where values don't fit side by side, every second or third, and the selected one."""
        shapes, grid = [], self.grid
        longest = max(map(len, grid.columns), default=0)
        every = max(ceil((LETTER * longest + 4) / self.wide), 1) if grid.titles[0] else 1
        shown = grid.selected[1] % every if grid.selected else 0
        for c, name in list(enumerate(grid.columns))[shown::every]:
            won, x = c == grid.chosen, self.left + self.wide * (c + 0.5)
            text = f"★ {name}" if won else name
            limit = max(int(every * (self.wide - 2) / LETTER), 1)
            words = label(text, x, self.top - 9, "middle", limit, font_weight="bold" if won else None)
            shapes.append(element("g", words, data_key=f"column/{name}", data_tip=_tip(name, [text[:limit]])))
        return shapes

    def _cell(self, r: int, c: int) -> Html:
        cell = self.grid.cells[r][c]
        key = f"cell/{self.grid.rows[r]}/{self.grid.columns[c]}"
        wide, high = self.wide - 2, self.high - 2
        colours: dict[str, Any] = {"fill": cell.fill, "stroke": "none"}
        if cell.fill is None:
            colours = {"fill": "none", "stroke": "currentColor", "stroke_opacity": 0.25}
        shapes = [element("rect", width=wide, height=high, rx=2, data_key=f"{key}/box", **colours)]
        if cell.hatch:
            stroke: dict[str, Any] = {"stroke": cell.hatch[0], "stroke_width": 6, "fill": "none"}
            shapes.append(element("path", d=stripes(wide, high), **stroke))
        place = f"translate({self.left + self.wide * c + 1:g},{self.top + self.high * r + 1:g})"
        about: dict[str, Any] = {"data_set": cell.sets or None, "aria_label": cell.tip if cell.sets else None}
        words = self._words(cell, (r, c) == self.grid.selected)
        return element("g", *shapes, *words, data_key=key, transform=place, data_tip=cell.tip, **about)

    def _words(self, cell: Cell, selected: bool) -> list[Html]:
        text = cell.short if self.short else cell.text
        text = "=" if cell.hatch and LETTER * len(text) > self.wide else text
        lines = [line for line in (text, cell.note) if line and LETTER * len(line) <= self.wide]
        colour = "currentColor" if cell.fill is None else ink(cell.fill)
        y = (self.high - 2) / 2 + 4.5 - CLOSE / 2 * (len(lines) - 1)
        halo: dict[str, Any] = {"paint_order": "stroke", "stroke": cell.fill, "stroke_width": 5} if cell.hatch else {}
        weight = "bold" if selected else None
        return [
            label(line, (self.wide - 2) / 2, y + CLOSE * i, "middle", fill=colour, font_weight=weight, **halo)
            for i, line in enumerate(lines)
        ]

    def _frames(self) -> list[Html]:
        grid, frames = self.grid, []
        if grid.chosen is not None:
            box = (self.left + self.wide * grid.chosen - 1, self.top - 24.0, self.wide + 2)
            frames.append(_frame("chosen", *box, self.high * len(grid.rows) + 26, CHOSEN, 3.5))
        if grid.selected is not None:
            r, c = grid.selected
            place = self.left + self.wide * c - 1, self.top + self.high * r - 1
            fill = grid.cells[r][c].fill
            inner = _frame("selected/inside", *place, self.wide + 2, self.high + 2, ink(fill), 6) if fill else ""
            outer = _frame("selected", *place, self.wide + 2, self.high + 2, "currentColor", 3)
            frames += [element("g", inner), outer]
        return frames

    def _legend(self) -> list[list[Html]]:
        """The meanings in as many lines as they need."""
        lines: list[list[Html]] = [[]]
        x = 0.0
        for fill, hatch, meaning in self.grid.legend:
            long = 22 + LETTER * len(meaning) + 14
            if lines[-1] and x + long > self.room.width:
                lines.append([])
                x = 0.0
            box = element("rect", x=x, y=-11, width=14, height=13, fill=fill or "none", stroke="currentColor")
            lines[-1].append(box)
            if hatch:
                path = element("path", d=stripes(14, 13, 7), stroke=hatch[0], stroke_width=3)
                lines[-1].append(element("g", path, transform=f"translate({x:g},-11)"))
            lines[-1].append(label(meaning, x + 20, 0))
            x += long
        return lines if lines[-1] else []


def _frame(key: str, x: float, y: float, width: float, height: float, colour: str, thick: float) -> Html:
    ends = {"x": x, "y": y, "width": width, "height": height, "rx": 3}
    return element("rect", **ends, fill="none", stroke=colour, stroke_width=thick, data_key=key, pointer_events="none")


def _tip(name: str, shown: Sequence[str]) -> str | None:
    """The whole name, if the picture shortens it."""
    return name if any(line.endswith("…") for line in shown) or "".join(shown) != name else None
