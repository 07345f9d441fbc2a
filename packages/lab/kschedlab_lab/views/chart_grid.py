"""A grid of coloured cells as SVG: numbers by row and column, or the answer for each pair of two settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil
from typing import Any

from kschedlab.text.html import Html, element
from kschedlab_lab.views.lettering import after_hyphen, fitted, folded, short, text_width
from kschedlab_lab.views.style import AMOUNTS, INK, NODES, ink
from kschedlab_lab.views.svg import Room, label, rect, svg

LINE, CLOSE = 15, 14
"""Height of a line of text, and of one of two lines, in pixels at normal size."""
BLACK = "#000000"
PALE = (AMOUNTS[0], NODES[5])
"""Fills that a light page would swallow without an outline."""
LOW, HIGH, BROAD, SIDE = 24, 44, 132, 0.36
SWATCH, BELOW = 10, 8
"""Least and greatest height of a cell, greatest width, and the greatest part of the room for the names of rows; width
of a row's colour, and the height below the cells."""


@dataclass(frozen=True)
class GridCell:
    """``text`` in a box of colour ``fill`` (None: only an outline), of which it fills ``share``.

    ``short``: instead of ``text`` in all cells if the room is narrow, its words below each other if need be;
    ``tip``: the cell in words; ``sets``: the settings that a click applies; ``order``: its turn when several cells
    change; ``past``: what it was, struck out before the text; ``pale``: whether it no longer counts.
    """

    text: str
    fill: str | None
    tip: str
    short: str = ""
    sets: str = ""
    order: int | None = None
    share: float = 1
    past: str = ""
    pale: bool = False


@dataclass(frozen=True)
class Grid:
    """Rows of cells. ``selected``: the framed cell; ``framed``: rows in frames, by their names.

    ``refused``: columns with a cross. ``titles``: of the columns and the rows; ``left``: the least width of the names
    of rows; ``notes`` and ``swatches``: by name, what follows a row's name, and its colour; ``between``: what is free
    between the names and the cells; ``picks``: whether a column answers a question; ``parted``: whether a line parts
    cells of different text.
    """

    cells: Sequence[Sequence[GridCell]]
    rows: Sequence[str]
    columns: Sequence[str]
    alt: str
    selected: tuple[int, int] | None = None
    titles: tuple[str, str] = ("", "")
    left: float = 0
    refused: Sequence[int] = ()
    notes: Mapping[str, str] = field(default_factory=dict)
    swatches: Mapping[str, str] = field(default_factory=dict)
    framed: Sequence[str] = ()
    between: float = 0
    picks: bool = False
    parted: bool = False

    def __call__(self, room: Room) -> Html:
        plan = GridMeasures(self, room)
        return svg(plan.shapes(), plan.width, plan.bottom, self.alt)


class GridMeasures:
    """The measures of a grid in a room, and its parts. The first cell is at (``left``, ``top``).

    ``high``: the height of a row, if the room does not decide it.
    """

    def __init__(self, grid: Grid, room: Room, high: float = 0) -> None:
        self.grid, self.room = grid, room
        longest = max(map(text_width, grid.rows), default=0) + (LINE + 4 if grid.titles[1] else 0)
        self.left = max(min(longest + (10 if grid.titles[1] else 16), SIDE * room.width), grid.left)
        self.names = self.left - grid.between - 8 - (SWATCH + 4 if grid.swatches else 0)
        self.wide = min((room.width - self.left - 6) / max(len(grid.columns), 1), BROAD)
        cells = [cell for line in grid.cells for cell in line]
        self.short = any(text_width(cell.text) + 6 > self.wide for cell in cells) and any(c.short for c in cells)
        folds = self.short and any(" " in c.short and text_width(c.short, bold=True) > self.wide for c in cells)
        self.top = 28 + (LINE + 4 if any(grid.titles) else 0)
        fair = (room.height - self.top - BELOW) / max(len(grid.rows), 1)
        self.high = high or min(max(fair, 2 * CLOSE + 4 if folds else LOW), HIGH)
        self.width = max(self.left + self.wide * len(grid.columns) + 6, min(room.width, 400))
        self.end = self.top + self.high * len(grid.rows)
        self.bottom = self.end + BELOW

    def shapes(self) -> list[Html]:
        """All parts, with their origin at the upper left corner of the room."""
        grid = self.grid
        shapes = [*self._titles(), *self._rows(), *self._columns()]
        cells = [self._cell(r, c) for r in range(len(grid.rows)) for c in range(len(grid.columns))]
        shapes.append(element("g", *cells, text_anchor="middle", fill=BLACK))
        return [*shapes, *self._frames()]

    def _titles(self) -> list[Html]:
        """That of the columns above them, that of the rows along them."""
        across, down = self.grid.titles
        broad, tall = self.wide * len(self.grid.columns), self.high * len(self.grid.rows)
        shapes = []
        if down:
            words = label(fitted(f"← {down}", tall), 0, 0, "middle", font_style="italic")
            place = f"translate({LINE - 3},{self.top + tall / 2:g})rotate(-90)"
            shapes.append(element("g", words, transform=place))
        if across:
            named = fitted(f"{across} →", self.left + broad)
            middle = self.left + broad - max(broad, text_width(named)) / 2
            shapes.append(label(named, middle, 14, "middle", font_style="italic"))
        return shapes

    def _rows(self) -> list[Html]:
        shapes = []
        for r, name in enumerate(self.grid.rows):
            note = f" {self.grid.notes[name]}" if name in self.grid.notes else ""
            room = self.names - 4 - text_width(note)
            title = short(name)
            lines = folded(title, room)
            lines = lines if self.high >= CLOSE * len(lines) else [fitted(title, room)]
            y = self.top + self.high * (r + 0.5) + 4.5 - CLOSE / 2 * (len(lines) - 1)
            shown = [*lines[:-1], lines[-1] + note]
            words = [label(line, self.names, y + CLOSE * i, "end") for i, line in enumerate(shown)]
            if name in self.grid.swatches:
                middle = self.top + self.high * (r + 0.5)
                place = self.names + 6, middle - SWATCH / 2
                words.append(rect(SWATCH, SWATCH, 3, *place, fill=self.grid.swatches[name]))
            shapes.append(element("g", *words, data_key=f"row/{name}", data_tip=_tip(name, lines)))
        return shapes

    def _columns(self) -> list[Html]:
        """Where values don't fit side by side, every second or third, and the selected one."""
        shapes, grid = [], self.grid
        longest = max(map(text_width, grid.columns), default=0)
        every = max(ceil((longest + 4) / self.wide), 1) if grid.titles[0] else 1
        shown = grid.selected[1] % every if grid.selected else 0
        places, names, room = range(shown, len(grid.columns), every), grid.columns, every * self.wide - 2
        signs = ["✕ " if c in grid.refused else "" for c in range(len(names))]
        if any(text_width(signs[c] + names[c]) > room for c in places):
            names = after_hyphen(names)
        for c in places:
            name, sign, x = grid.columns[c], signs[c], self.left + self.wide * (c + 0.5)
            text = fitted(f"{sign}{names[c]}", room)
            x = max(x, self.left + text_width(text) / 2)
            words = [label(text, x, self.top - 9, "middle")]
            about = {"data_key": f"column/{name}", "data_tip": _tip(name, [text.removeprefix(sign)])}
            if grid.picks:
                left = self.left + self.wide * c + 1
                words.insert(0, rect(self.wide - 2, 22, 4, left, self.top - 24, fill="transparent"))
                about |= {"data_pick": name, "aria_label": name}
            shapes.append(element("g", *words, **about))
        return shapes

    def _cell(self, r: int, c: int) -> Html:
        cell = self.grid.cells[r][c]
        key = f"cell/{self.grid.rows[r]}/{self.grid.columns[c]}"
        wide, high = int(self.wide - 2), int(self.high - 2)
        colours: dict[str, Any] = {"fill": cell.fill}
        if cell.fill in PALE:
            colours |= {"stroke": "currentColor", "stroke_opacity": 0.15}
        outline: dict[str, Any] = {"fill": "none", "stroke": "currentColor", "stroke_opacity": 0.25}
        if cell.fill is None:
            colours = outline
        whole = outline | {"fill": "transparent"}  # what is not filled can be clicked, too
        shapes = [element("rect", width=wide, height=high, rx=2, **whole)] if cell.share < 1 else []
        part = round(wide * cell.share, 1)
        shapes.append(element("rect", width=part, height=high, rx=2, data_key=f"{key}/box", **colours))
        place = f"translate({self.left + self.wide * c + 1:.0f},{self.top + self.high * r + 1:.0f})"
        about: dict[str, Any] = {"data_set": cell.sets or None, "aria_label": cell.tip if cell.sets else None}
        about |= {"data_tip": cell.tip, "data_order": cell.order, "opacity": 0.4 if cell.pale else None}
        words = self._words(cell, (r, c) == self.grid.selected)
        return element("g", *shapes, *words, data_key=key, transform=place, **about)

    def _words(self, cell: GridCell, selected: bool) -> list[Html]:
        text = cell.short if self.short else cell.text
        weight = "bold" if selected else None
        parts = text.split() if self.short and text_width(text, bold=True) > self.wide else [text]
        lines = [line for line in parts if line and text_width(line, bold=selected) <= self.wide]
        is_open = cell.fill is None or cell.share < 1
        colour = "currentColor" if is_open else None if ink(cell.fill or "") == BLACK else ink(cell.fill or "")
        y = (self.high - 2) / 2 + 4.5 - CLOSE / 2 * (len(lines) - 1)
        place: dict[str, Any] = {"x": (self.wide - 2) / 2}
        if cell.share < 1:  # behind the bar, or in it, where its edge cuts no digit
            edge, right, long = (self.wide - 2) * cell.share, self.wide - 9, text_width(text, bold=selected) + 3
            is_inside = max(right - long, long) < edge < right + 3
            place = {"x": edge - 4 if is_inside else right, "text_anchor": "end"}
        struck = element("tspan", cell.past, text_decoration="line-through", fill_opacity=0.6)
        past = (struck, " ") if cell.past else ()
        return [
            element("text", *past, line, **place, y=y + CLOSE * i, fill=colour, font_weight=weight)
            for i, line in enumerate(lines)
        ]

    def _borders(self) -> list[Html]:
        """The lines between cells of different text, as one path."""
        grid, path = self.grid, ""
        for r, line in enumerate(grid.cells if grid.parted else ()):
            for c, cell in enumerate(line):
                x, y = self.left + self.wide * c, self.top + self.high * r
                if c and line[c - 1].text != cell.text:
                    path += f"M{x:.1f} {y:.1f}v{self.high:g}"
                if r and grid.cells[r - 1][c].text != cell.text:
                    path += f"M{x:.1f} {y:.1f}h{self.wide:.1f}"
        look: dict[str, Any] = {"stroke": INK, "stroke_width": 2, "stroke_linecap": "round", "pointer_events": "none"}
        return [element("path", d=path, **look)] if path else []

    def _frames(self) -> list[Html]:
        grid, frames = self.grid, [*self._borders()]
        for name in grid.framed:
            y, wide = self.top + self.high * grid.rows.index(name) - 1, self.wide * len(grid.columns) + 2
            frames.append(_frame(f"framed/{name}", self.left - 1, y, wide, self.high + 2, "currentColor", 2.5))
        if grid.selected is not None:
            r, c = grid.selected
            place = self.left + self.wide * c - 1, self.top + self.high * r - 1
            fill = grid.cells[r][c].fill
            whole = fill if grid.cells[r][c].share == 1 else None
            inner = _frame("selected/inside", *place, self.wide + 2, self.high + 2, ink(whole), 5) if whole else ""
            outer = _frame("selected", *place, self.wide + 2, self.high + 2, "currentColor", 2.5)
            frames += [element("g", inner), outer]
        return frames


def _frame(key: str, x: float, y: float, width: float, height: float, colour: str, thick: float) -> Html:
    look: dict[str, Any] = {"fill": "none", "stroke": colour, "stroke_width": thick}
    return rect(width, height, 3, x, y, **look, data_key=key, pointer_events="none")


def _tip(name: str, shown: Sequence[str]) -> str | None:
    """The whole name, if the picture shortens it."""
    return name if any(line.endswith("…") for line in shown) or "".join(shown) != name else None
