"""Sections as plain text, for a terminal. Long lists are folded: what matters first, then how many follow."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest

from kschedlab.text.html import visible
from kschedlab.text.sections import Cell, Limits, Lines, Names, Part, Section, Table
from kschedlab.text.words import broken, columns_of, listing

LIMITS = Limits(nodes=4, totals=8, candidates=6, pods=4, rungs=6, groups=20)
LISTED = 5
"""Maximum number of names in a list."""
WIDTH = 60
"""Maximum width of a column, in characters."""


def plain(sections: Iterable[Section]) -> str:
    return "\n\n".join("\n".join(map(visible, _section(section))) for section in sections)


def _section(section: Section) -> Iterator[str]:
    if section.title:
        yield f"{section.title} {section.aside}".rstrip()
    for part in section.parts:
        yield from _part(part)


def _part(part: Part) -> list[str]:
    return table_lines(part) if isinstance(part, Table) else [f"  {_text(part)}"]


def table_lines(table: Table) -> list[str]:
    rows: list[list[Cell]] = [list(table.head), *(list(row.cells) for row in table.rows)]
    if table.turned:
        rows = [list(column) for column in zip(*rows, strict=True)]
    numbers = [all(isinstance(cell, int) or cell == "" for cell in column[1:]) for column in zip(*rows, strict=True)]
    lines = [line for row in rows for line in below([_lines(cell) for cell in row])]
    return aligned(lines, numbers=numbers) if table.rows else []


def below(cells: Sequence[Sequence[str]]) -> list[list[str]]:
    return [list(line) for line in zip_longest(*cells, fillvalue="")]


def _lines(cell: Cell) -> list[str]:
    if isinstance(cell, Lines):
        return [line for part in cell.lines for line in _lines(part)]
    return [_text(cell)] if isinstance(cell, Names) else broken(_text(cell), WIDTH)


def _text(cell: str | int | Names) -> str:
    if isinstance(cell, Names):
        return f"{cell.before}{listing(cell.names, LISTED)}"
    return f"{cell:,}" if isinstance(cell, int) else cell


def aligned(rows: Sequence[Sequence[str]], indent: str = "  ", numbers: Sequence[bool] = ()) -> list[str]:
    """The rows as lines, with columns as wide as their widest cell; ``numbers``: which ones end at the right."""
    widths = [max(map(columns_of, column)) for column in zip(*rows, strict=True)]
    right = numbers or [False] * len(widths)
    return [f"{indent}{'  '.join(map(_padded, row, widths, right))}".rstrip() for row in rows]


def _padded(cell: str, width: int, right: bool) -> str:
    space = " " * (width - columns_of(cell))
    return space + cell if right else cell + space
