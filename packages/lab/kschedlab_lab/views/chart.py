"""A chart of lines with an equivalent table and text; and the colours of numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from kschedlab.messages import later, say
from kschedlab.text.html import Html, element
from kschedlab.text.plain import aligned
from kschedlab_lab.views.chart_lines import Lines, Number
from kschedlab_lab.views.style import CELL, DECIDES, GREYS, HEAD, NUMBER, RIGHT, TABLE, mixed, themed

Write: TypeAlias = Callable[[Number], str]

NOTHING, TIE = "–", later("tie")
ROWS = 12
PAPER = "max-width:min(100%,56em);background-color:#ffffff;"


@dataclass(frozen=True)
class Chart:
    """``picture``: draws it for a room; ``table``: its numbers as a table; ``text``: the same as lines."""

    picture: Lines
    table: Html
    text: str


def curve(
    xs: Sequence[Number],
    series: Mapping[str, Sequence[Number]],
    *,
    titles: tuple[str, str],
    at: int | None = None,
    write: Write = str,
    sets: Callable[[int], str] | None = None,
    drag: str = "",
    most: Number | None = None,
    bends: Mapping[str, Sequence[tuple[Number, Number]]] | None = None,
) -> Chart:
    """Lines over ``xs``, each with its colour and dash; ``at``: index of the point in question.

    ``titles``: of the axes. ``sets``: the settings that a click near an x applies, by its index; ``drag``: the control
    that dragging the point changes; ``most``: where the axis may end, though a line goes on; ``bends``: the points of a
    line that bends between ``xs``. The table has at most ROWS points, including the first, the last and ``at``.
    """
    shown = _spread(len(xs), ROWS, at)
    head = [titles[0], *series]
    written = [[write(ys[i]) for ys in series.values()] for i in shown]
    labels = [f"▶ {write(xs[i])}" if i == at else write(xs[i]) for i in shown]
    table = _table(head, labels, written, None if at is None else shown.index(at))
    text = "\n".join(aligned([head, *([name, *row] for name, row in zip(labels, written, strict=True))]))
    alt = say("{y} by {x}", y=titles[1], x=titles[0])
    return Chart(Lines(xs, series, titles, alt, write, at, sets, drag, most, bends or {}), table, text)


def _table(head: Sequence[str], labels: Sequence[str], written: Sequence[Sequence[str]], chosen: int | None) -> Html:
    """A row for each point; the chosen one is highlighted."""
    first, *others = head
    heads = [element("th", first, scope="col", style=HEAD)]
    heads += [element("th", name, scope="col", style=HEAD + RIGHT) for name in others]
    lines = []
    for i, (name, row) in enumerate(zip(labels, written, strict=True)):
        cells = [element("td", text, style=NUMBER) for text in row]
        style = DECIDES if i == chosen else None
        lines.append(element("tr", element("th", name, scope="row", style=CELL), *cells, style=style))
    return element("table", element("thead", element("tr", *heads)), element("tbody", *lines), style=TABLE)


def shade(value: Number, low: Number, high: Number) -> str:
    """The colour of a value in the range from ``low`` to ``high``: the larger, the more it stands out."""
    place = (value - low) / (high - low) * (len(GREYS[0]) - 1) if high > low else 0.0
    left = min(int(place), len(GREYS[0]) - 2)
    return themed(*(mixed(ramp[left], ramp[left + 1], place - left) for ramp in GREYS))


def _spread(number: int, rows: int, at: int | None) -> list[int]:
    """At most ``rows`` evenly spaced indices."""
    if number <= rows:
        return list(range(number))
    even = {round(i * (number - 1) / (rows - 2)) for i in range(rows - 1)}
    return sorted(even if at is None else even | {at})
