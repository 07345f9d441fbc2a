"""Tables and text that accompany charts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from kschedlab.text.html import Html, element, join
from kschedlab.text.plain import aligned
from kschedlab_lab.views.style import CELL, DECIDES, EVICTED, HEAD, NUMBER, RIGHT, TABLE, ink

Number: TypeAlias = int | float


def _head(names: Iterable[str]) -> Html:
    first, *others = names
    cells = [element("th", first, scope="col", style=HEAD)]
    cells += [element("th", name, scope="col", style=HEAD + RIGHT) for name in others]
    return element("thead", element("tr", *cells))


def coloured(
    written: list[list[str]],
    fills: list[list[str | None]],
    rows: Sequence[str],
    columns: Sequence[str],
    selected: tuple[int, int] | None,
    corner: str,
) -> Html:
    """Cells coloured as in the figure; the selected cell has a frame and its row a ▶."""
    lines = []
    for r, name in enumerate(rows):
        cells = [_filled(written[r][c], fills[r][c], (r, c) == selected) for c in range(len(columns))]
        lines.append(element("tr", element("th", name, scope="row", style=CELL), *cells))
    return element("table", _head([corner, *columns]), element("tbody", *lines), style=TABLE)


def _filled(text: str, fill: str | None, selected: bool) -> Html:
    colours = "" if fill is None else f"background-color:{fill};color:{ink(fill)};"
    frame = f"outline:4px solid {EVICTED};outline-offset:-4px;" if selected else ""
    return element("td", f"▶ {text}" if selected else text, style=NUMBER + colours + frame)


def cell_lines(
    written: list[list[str]],
    rows: Sequence[str],
    columns: Sequence[str],
    selected: tuple[int, int] | None,
    corner: str,
) -> str:
    """The cells as lines of text, the selected one in brackets."""
    cells = [
        [f"[{text}]" if (r, c) == selected else text for c, text in enumerate(line)] for r, line in enumerate(written)
    ]
    return "\n".join(aligned([[corner, *columns], *([name, *line] for name, line in zip(rows, cells, strict=True))]))


def legend_html(legend: Sequence[str], colours: Sequence[str]) -> Html:
    """A legend: coloured boxes with their meaning."""
    boxes = (
        element("span", each, style=f"background-color:{colour};color:{ink(colour)};padding:0.15em 0.6em;")
        for each, colour in zip(legend, colours, strict=False)
    )
    return element("p", join(boxes, " "), style="margin:0.3em 0")


def row_table(head: Sequence[str], labels: Sequence[str], written: Sequence[Sequence[str]], chosen: int | None) -> Html:
    """A row for each name; the chosen row is highlighted."""
    lines = []
    for i, (name, row) in enumerate(zip(labels, written, strict=True)):
        cells = [element("td", text, style=NUMBER) for text in row]
        style = DECIDES if i == chosen else None
        lines.append(element("tr", element("th", name, scope="row", style=CELL), *cells, style=style))
    return element("table", _head(head), element("tbody", *lines), style=TABLE)
