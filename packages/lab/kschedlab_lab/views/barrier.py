"""Reduce, the sums, and what is wrong if Reduce does not wait for every node: a table of the rows that it changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from kschedlab.messages import say
from kschedlab.text.html import Html, element
from kschedlab_lab.views.cells import CROSS, STAR, UNCHANGED, WORKERS, middle, pills, token
from kschedlab_lab.views.lettering import fitted, fitting, text_width
from kschedlab_lab.views.style import ACT, CHOSEN, EVICTED, EVICTED_SOFT, INK, INK_2, TRAY, ink
from kschedlab_lab.views.svg import Room, label, rect, svg

MAPPED, REDUCED, FILLED, SUMMED = range(4)
"""The stages: some or all nodes are mapped; Reduce has run; Map has filled the rest; the sums."""
PILLS, HEAD, LOWEST, HIGHEST, GAP, AIR, LINE, MOST = 58, 44, 40, 76, 14, 10, 14, 0.4
"""Heights of the buttons with their name, of the nodes' names, of a row at least and at most, and between the rows of
Reduce and the others; what is free beside a cell's text, the height of one of two lines, in pixels; the share of the
width that names have at most."""


@dataclass(frozen=True)
class Score:
    """One cell: what Map has given, and what stands there ``now``, None before the node is mapped."""

    raw: int
    now: int | None
    is_reduced: bool
    is_wrong: bool


@dataclass(frozen=True)
class Row:
    """One algorithm: its name, what Reduce makes of a number n, its cells."""

    name: str
    formula: str
    cells: Sequence[Score]


@dataclass(frozen=True)
class Sheet:
    """The whole table at a stage. ``writers``: by node the worker; ``mapped``: how many of the nodes are mapped;
    ``rest``: the other algorithms; ``others``: by node, what they give; ``best``: the nodes that should win; ``asked``:
    the row and the column of the number that a question is about."""

    names: Sequence[str]
    writers: Sequence[int]
    mapped: int
    rows: Sequence[Row]
    rest: Sequence[str]
    others: Sequence[int]
    best: Sequence[str]
    stage: int
    asked: tuple[int, int] | None = None

    @property
    def sums(self) -> list[int]:
        """By node, what the columns add up to as they are."""
        columns = zip(*([cell.now or 0 for cell in row.cells] for row in self.rows), strict=True)
        return [sum(column) + other for column, other in zip(columns, self.others, strict=True)]

    @property
    def winners(self) -> list[str]:
        """The nodes with the highest sum, rightly or wrongly."""
        sums = self.sums
        return [name for name, each in zip(self.names, sums, strict=True) if each == max(sums)]

    @property
    def wrong(self) -> int:
        """How many cells are wrong."""
        return sum(cell.is_wrong for row in self.rows for cell in row.cells)


class Begins(NamedTuple):
    """After how many nodes Reduce can begin, each with what a click on it sets; and after how many it does."""

    choices: Mapping[int, str]
    chosen: int


class _Grid(NamedTuple):
    """Where the cells stand: their left edge, the first row's top, the width and height of a cell."""

    left: float
    top: float
    wide: float
    high: float

    def at(self, column: int) -> float:
        return self.left + column * self.wide


def draw_barrier(now: Sheet, begins: Begins | None, room: Room, alt: str) -> Html:
    """The table: the rows of Reduce, below them the others and, at the end, the sums. ``begins``: None: nothing can be
    chosen."""
    above = PILLS if begins is not None else 0
    lines = len(now.rows) + (2 if begins is not None else 0)
    named = max(max(text_width(row.name, bold=True), text_width(row.formula)) for row in now.rows)
    left = min(named + 14, MOST * room.width)
    high = min(max((room.height - above - HEAD - GAP - 4) / lines, LOWEST), HIGHEST)
    grid = _Grid(left, above + HEAD, (room.width - left - 4) / len(now.names), high)
    below = grid.top + high * len(now.rows) + GAP
    shapes = [*_choices(begins, left, room.width), *_heads(now, grid)]
    shapes += [part for place, row in enumerate(now.rows) for part in _row(now, row, grid, place)]
    if begins is None:
        return svg(shapes, room.width, below, alt)
    shapes += _others(now, grid, below)
    if now.stage == SUMMED:
        shapes += _sums(now, grid, below + high)
    return svg(shapes, room.width, below + 2 * high + 4, alt)


def _choices(begins: Begins | None, left: float, wide: float) -> list[Html]:
    """When Reduce begins, to be chosen."""
    if begins is None:
        return []
    last = max(begins.choices)
    each = min(96, wide / len(begins.choices))
    made = [
        (say("all {last}", last=last) if number == last else str(number), sets, number == begins.chosen)
        for number, sets in begins.choices.items()
    ]
    asked = say("Reduce begins after so many nodes:")
    left = min(left, wide - each * len(made))
    return [label(asked, min(left + 2, wide - text_width(asked)), 14), *pills(made, left, 24, each)]


def _heads(now: Sheet, grid: _Grid) -> list[Html]:
    """The nodes, each with the worker that has written its column."""
    shapes, names = list[Html](), list[Html]()
    for place, name in enumerate(now.names):
        x = grid.at(place) + grid.wide / 2
        if place < now.mapped:
            shapes.append(token(now.writers[place], x, grid.top - 32, 9, data_key=f"worker/{place}"))
        is_best = now.stage == SUMMED and name in now.winners
        sign = "" if not is_best else STAR if name in now.best else f"{CROSS} "
        shown = fitting((f"{sign}{name}", name), grid.wide - 2)
        names.append(element("text", shown, x=round(x), y=round(grid.top - 8)))
    return [*shapes, middle(names)]


def _row(now: Sheet, row: Row, grid: _Grid, place: int) -> list[Html]:
    """One row of Reduce; in a frame while its goroutine writes it."""
    x, y = grid.left - 8, grid.top + place * grid.high
    formula = fitting((row.formula, row.formula.replace(" ", "")), x - 2)
    shapes = [
        label(fitted(row.name, x - 2, bold=True), x, y + grid.high / 2 - 3, "end", font_weight="bold"),
        label(formula, x, y + grid.high / 2 + 13, "end", fill=INK_2),
    ]
    for column, cell in enumerate(row.cells):
        key = f"cell/{place}/{column}"
        if (place, column) == now.asked:
            shapes.append(_box((f"{cell.raw}→?",), TRAY, grid, column, y, key, edge=ACT))
        else:
            shapes.append(_score(cell, now.writers[column], grid, column, y, key))
    if now.stage == REDUCED:
        look: dict[str, Any] = {"fill": "none", "stroke": INK, "stroke_width": 2, "data_key": f"row/{place}"}
        shapes.append(rect(grid.wide * len(row.cells), grid.high - 2, 8, grid.left, y, **look))
    return shapes


def _score(cell: Score, worker: int, grid: _Grid, column: int, y: float, key: str) -> Html:
    """A cell: its writer's colour until Reduce has changed it, orange if its number is wrong."""
    if cell.now is None:
        return _box((), TRAY, grid, column, y, key)
    fill = EVICTED_SOFT if cell.is_wrong else UNCHANGED if cell.is_reduced else WORKERS[worker - 1]
    mark = f" {CROSS}" if cell.is_wrong else ""
    came = f"{cell.raw}→" if cell.is_reduced else ""
    whole = f"{came}{cell.now}{mark}"
    lines = (whole,) if text_width(whole, bold=True) <= grid.wide - AIR else (came, f"{cell.now}{mark}")
    return _box(lines, fill, grid, column, y, key, edge=EVICTED if cell.is_wrong else None)


def _box(
    lines: tuple[str, ...], fill: str, grid: _Grid, column: int, y: float, key: str, edge: str | None = None
) -> Html:
    """A cell of these lines. ``edge``: its colour if it is wrong or asked about."""
    box = rect(round(grid.wide) - 6, round(grid.high) - 8, 5, fill=fill, stroke=edge)
    top = round(grid.high / 2 - LINE / 2 * (len(lines) - 1))
    words = [
        label(line, round(grid.wide / 2) - 3, top + LINE * i, "middle", font_weight="bold")
        for i, line in enumerate(lines)
    ]
    place = f"translate({grid.at(column) + 3:.0f},{y + 3:.0f})"
    return element("g", box, *words, transform=place, fill=edge or ink(fill), data_key=key)


def _others(now: Sheet, grid: _Grid, y: float) -> list[Html]:
    """What the algorithms without a Reduce give to each mapped node, added up."""
    name = say("{number} others", number=len(now.rest))
    shapes = [label(name, grid.left - 8, y + grid.high / 2 + 4, "end", data_tip=" + ".join(now.rest))]
    for column, value in enumerate(now.others):
        lines = (str(value),) if column < now.mapped else ()
        shapes.append(_box(lines, UNCHANGED if lines else TRAY, grid, column, y, f"others/{column}"))
    return shapes


def _sums(now: Sheet, grid: _Grid, y: float) -> list[Html]:
    """The sums; the highest is green, or orange if that node should not win."""
    shapes = [label(say("sum"), grid.left - 8, y + grid.high / 2 + 4, "end", font_weight="bold")]
    for column, (name, value) in enumerate(zip(now.names, now.sums, strict=True)):
        fill = TRAY if name not in now.winners else CHOSEN if name in now.best else EVICTED
        shapes.append(_box((str(value),), fill, grid, column, y, f"sum/{column}"))
    return shapes
