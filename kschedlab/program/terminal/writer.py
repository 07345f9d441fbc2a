"""Sections on a terminal: within its width, with long names shortened and long lists folded."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator

from rich.console import Group, RenderableType
from rich.text import Text

from kschedlab.program.terminal.screen import Screen, ShortNames, grid, indented, text
from kschedlab.text.sections import (
    BAD,
    DECIDES,
    GOOD,
    REFUSES,
    WARNING,
    WEAK,
    Cell,
    Limits,
    Lines,
    Names,
    Part,
    Section,
    Strong,
    Table,
)

LISTED = 3
"""Number of names in a list."""
BEST, TOTALS, CANDIDATES, PODS, RUNGS, GROUPS = 4, 4, 3, 4, 6, 6
"""The limits without ``--all`` (:class:`~kschedlab.text.sections.Limits`)."""
STYLES = {GOOD: "green", WARNING: "yellow", BAD: "red"}
ROWS = {DECIDES: "bold", REFUSES: "bold", WEAK: "dim"}
RULE, NODE = 58, 15
"""Width in characters of the rules of the ladder with their results, and of each candidate."""
SCORE = 24
"""Width in characters of a node's scores beside the names of plugins."""
FIXED = 24
"""Columns of single words up to this width never wrap."""


def limits(screen: Screen) -> Limits:
    rungs = max(2, (screen.width - RULE) // NODE)
    nodes = min(BEST, max(1, (screen.width - 34) // SCORE))
    if screen.all:
        most = sys.maxsize
        return Limits(nodes, most, most, most, rungs, most)
    return Limits(nodes, TOTALS, CANDIDATES, PODS, min(RUNGS, rungs), GROUPS)


def written(sections: Iterable[Section], screen: Screen, among: Iterable[str] = ()) -> Iterator[RenderableType]:
    """The sections, with empty lines between them. ``among``: names from which shortened ones must differ."""
    names = ShortNames(screen, among)
    for number, section in enumerate(sections):
        if number:
            yield ""
        screen.folded = screen.folded or section.cut
        if section.title:
            yield title(section)
        for part in section.parts:
            yield indented(_part(part, names))


def title(section: Section) -> Text:
    """The first line of a section. The outcome's colour says whether the pod gets a node."""
    line = text(f"{section.title} {section.aside}".rstrip(), "bold")
    if section.mark:
        line.stylize(STYLES[section.mark], max(section.title.find(" "), 0))
    return line


def _part(part: Part, names: ShortNames) -> RenderableType:
    return _table(part, names) if isinstance(part, Table) else _cell(part, names)


def _table(table: Table, names: ShortNames) -> RenderableType:
    rows = [(list(table.head), "")] + [(list(row.cells), row.mark) for row in table.rows]
    if table.turned:
        rows = [(list(column), "") for column in zip(*(cells for cells, _ in rows), strict=True)]
    (head, _), *body = rows
    if not body:
        return ""
    columns = list(zip(*(cells for cells, _ in body), strict=True))
    numbers = [i for i, column in enumerate(columns) if all(isinstance(cell, int) or cell == "" for cell in column)]
    fixed = [i for i, column in enumerate(columns) if all(map(_is_word, column))]
    grid_ = grid(*(_cell(cell, names) for cell in head), numbers=numbers, fixed=fixed)
    for column, values in zip(grid_.columns, columns, strict=True):
        column.min_width = min(FIXED, max(map(_longest_word, values)))
    for cells, mark in body:
        grid_.add_row(*(_cell(cell, names) for cell in cells), style=ROWS.get(mark, ""))
    return grid_


def _is_word(cell: Cell) -> bool:
    return isinstance(cell, int) or (isinstance(cell, str) and len(cell) <= FIXED and cell.count(" ") < 2)


def _longest_word(cell: Cell) -> int:
    return max(map(len, cell.split()), default=0) if isinstance(cell, str) else 0


def _cell(cell: Cell, names: ShortNames) -> RenderableType:
    if isinstance(cell, Lines):
        return Group(*(_cell(line, names) for line in cell.lines))
    if isinstance(cell, Names):
        return names.first(cell.names, LISTED, before=cell.before)
    return f"{cell:,}" if isinstance(cell, int) else text(cell, "bold" if isinstance(cell, Strong) else "")
