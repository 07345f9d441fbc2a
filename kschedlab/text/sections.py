"""A text about a result as data: sections of sentences, names and tables.

Three writers know how it looks: :mod:`kschedlab.text.plain`, :mod:`kschedlab.text.tables` (HTML) and
:mod:`kschedlab.program.terminal.writer`. They fold long lists, so that what matters stays in sight.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

DECIDES, REFUSES, WEAK = "decides", "refuses", "weak"
"""Marks of a row: what was chosen or decided; what kept the pod out; what did not count."""
GOOD, WARNING, BAD = "good", "warning", "bad"
"""Marks of a title."""


class Strong(str):
    """Emphasised text."""


class Names(NamedTuple):
    """Names of nodes or pods, of which a writer lists as many as it has room for. ``before``: a text before them."""

    names: Sequence[str]
    before: str = ""


Line: TypeAlias = str | Names


class Lines(NamedTuple):
    """Lines below each other in one cell."""

    lines: Sequence[Line]


Cell: TypeAlias = str | int | Names | Lines


class Row(NamedTuple):
    """A row of a table. ``mark``: DECIDES, REFUSES, WEAK or "" """

    cells: Sequence[Cell]
    mark: str = ""


@dataclass(frozen=True)
class Table:
    """Rows below a head. ``turned``: rows are wide, so plain text swaps rows and columns."""

    head: Sequence[Line]
    rows: Sequence[Row]
    turned: bool = False


Part: TypeAlias = str | Names | Table


@dataclass(frozen=True)
class Section:
    """A title, an ``aside`` in its line, and what follows below it.

    ``folded``: HTML opens it on a click. ``cut``: limits left something out.
    """

    title: str
    parts: Sequence[Part] = ()
    aside: str = ""
    mark: str = ""
    folded: bool = False
    cut: bool = False


class Limits(NamedTuple):
    """The most that is shown: nodes with scores, other totals, candidates, pods of each, rungs, groups of nodes."""

    nodes: int
    totals: int
    candidates: int
    pods: int
    rungs: int
    groups: int
