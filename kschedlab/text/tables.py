"""Sections as HTML for a notebook or a page. Long lists are folded into ``<details>``; everything is escaped.

Styles are inline: untrusted notebooks and GitHub remove style sheets. Text inherits the page's colours.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from kschedlab.messages import listed
from kschedlab.text.html import Child, Html, element, join
from kschedlab.text.sections import DECIDES, REFUSES, WEAK, Cell, Limits, Lines, Names, Section, Strong, Table
from kschedlab.text.words import listing

LIMITS = Limits(nodes=10, totals=10, candidates=6, pods=10, rungs=6, groups=20)
LISTED = 10
"""Maximum number of names in a list before the fold."""

TABLE = "border-collapse:collapse;margin:0.3em 0;font-size:1em;"
CELL = "padding:0.15em 0.6em;text-align:left;vertical-align:top;"
NOWRAP = "white-space:nowrap;"
NUMBER = "padding:0.15em 0.6em;text-align:right;vertical-align:top;" + NOWRAP
HEAD = "padding:0.15em 0.6em;border-bottom:1px solid;text-align:left;"
MARKS = {
    DECIDES: "background-color:rgba(0,158,115,0.22);",
    REFUSES: "background-color:rgba(213,94,0,0.16);",
    WEAK: "opacity:0.55;",
}
SHORT = 40
"""Text below this length does not wrap."""


def html(sections: Iterable[Section]) -> Html:
    return element("div", *(part for section in sections for part in _section(section)))


def _section(section: Section) -> Iterator[Html]:
    below = [_part(part) for part in section.parts]
    if section.folded:
        yield folded(f"{section.title} {section.aside}".rstrip(), *below)
        return
    if section.title:
        yield element("p", element("b", section.title), f" {section.aside}" if section.aside else None)
    yield from below


def _part(part: str | Names | Table) -> Html:
    return table_html(part) if isinstance(part, Table) else element("p", _cell(part))


def table_html(data: Table) -> Html:
    if not data.rows:
        return Html()
    head = [_cell(cell) for cell in data.head]
    return table(head, (row(*map(_cell, cells), style=MARKS.get(mark, "")) for cells, mark in data.rows))


def _cell(cell: Cell) -> Child:
    if isinstance(cell, Lines):
        return join(element("div", _cell(line)) for line in cell.lines)
    if isinstance(cell, Names):
        few = len(cell.names) <= LISTED
        names = listed(cell.names)
        return f"{cell.before}{names}" if few else folded(f"{cell.before}{listing(cell.names, 3)}", names)
    return element("b", cell) if isinstance(cell, Strong) else cell


def table(head: Sequence[Child], rows: Iterable[Html]) -> Html:
    cells = [element("th", text, scope="col", style=HEAD) for text in head]
    return element("table", element("thead", element("tr", *cells)), element("tbody", *rows), style=TABLE)


def row(*cells: Child, style: str = "") -> Html:
    """A table row: numbers are right-aligned, everything else left; short text does not wrap."""
    return element("tr", *(element("td", cell, style=_style(cell)) for cell in cells), style=style or None)


def _style(cell: Child) -> str:
    if isinstance(cell, int):
        return NUMBER
    return CELL + NOWRAP if isinstance(cell, str) and len(cell) < SHORT else CELL


def folded(summary: str, *inside: Child) -> Html:
    return element("details", element("summary", summary), *inside)
