"""Lines of text for a terminal: paragraphs that wrap at words, and short tables."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from textwrap import wrap

from kschedlab.objects.problems import safe_text
from kschedlab.text.words import listing

USUAL, NARROWEST, WIDEST = 80, 40, 100
NAMES = 3
"""How many names of a list are shown."""
FIRST, NUMBER = 26, 8
"""The least characters of a table's first column, and of the others."""


def page_width() -> int:
    """The terminal's width in characters, within what reads well; ``COLUMNS`` counts more."""
    columns = os.environ.get("COLUMNS", "")
    if columns.isascii() and columns.isdigit() and int(columns):
        return min(max(int(columns), NARROWEST), WIDEST)
    try:
        return min(max(os.get_terminal_size(sys.stdout.fileno()).columns or USUAL, NARROWEST), WIDEST)
    except (OSError, ValueError):
        return USUAL


class Page:
    """Lines, each at most ``width`` characters long; a word that is longer is broken. All text is made harmless."""

    def __init__(self, width: int = USUAL, all: bool = False) -> None:
        self.width, self.all = width, all
        self.lines: list[str] = []

    def __str__(self) -> str:
        return "\n".join(self.lines)

    def say(self, text: str, indent: int = 0, mark: str = "") -> None:
        """A paragraph. ``mark``: before its first line; the other lines are indented as far."""
        first, rest = " " * indent + mark, " " * (indent + len(mark))
        self.lines += wrap(
            safe_text(text), self.width, initial_indent=first, subsequent_indent=rest, break_on_hyphens=False
        )

    def head(self, text: str) -> None:
        """An empty line, and the title of a section."""
        self.lines += ["", safe_text(text)]

    def names(self, names: Sequence[str], indent: int) -> None:
        """Some of the names, or all of them."""
        self.say(listing(names, len(names) if self.all else NAMES), indent)

    def table(self, rows: Sequence[Sequence[str]], numbers: bool = True) -> None:
        """The rows below a head, numbers to the right; the first column gives way if the page is narrow."""
        cells = [[safe_text(cell) for cell in row] for row in rows]
        most = max((self.width - 2 - FIRST) // max(len(cells[0]) - 1, 1) - 2, NUMBER)
        cells[0][1:] = short_names(cells[0][1:], most)
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        widths[0] = max(min(widths[0], self.width - 2 - sum(width + 2 for width in widths[1:])), NUMBER)
        for row in cells:
            first = cut(row[0], widths[0]).ljust(widths[0])
            rest = (cell.rjust(w) if numbers else cell.ljust(w) for cell, w in zip(row[1:], widths[1:], strict=True))
            self.lines.append(f"  {'  '.join((first, *rest))}".rstrip()[: self.width])


def cut(name: str, width: int) -> str:
    """The name, shortened in the middle."""
    if len(name) <= width:
        return name
    left = (width - 1) // 2
    return f"{name[:left]}…{name[len(name) - (width - 1 - left) :]}"


def short_names(names: Sequence[str], most: int) -> list[str]:
    """The names of a table's columns, shortened; numbered if two of them became equal."""
    short = [cut(name, most) for name in names]
    if len(set(short)) == len(set(names)):
        return short
    return [f"{i} {cut(name, most - 2)}" for i, name in enumerate(names, start=1)]
