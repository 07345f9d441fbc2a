"""Charts as SVG, each with an equivalent table and text.

A :class:`Chart` is a pure function of numbers. Every colour comes with a name, a letter, a number or stripes, and
text outside coloured boxes has the page's colour, so a chart works on light and dark pages.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from string import ascii_uppercase
from typing import TypeAlias

from kschedlab.messages import later, listed, say
from kschedlab.text.html import Html, element, join
from kschedlab.text.plain import aligned
from kschedlab_lab.views.chart_bars import Bars
from kschedlab_lab.views.chart_grid import Cell, Grid
from kschedlab_lab.views.chart_lines import Lines
from kschedlab_lab.views.chart_tables import Number, cell_lines, coloured, legend_html, row_table
from kschedlab_lab.views.image import image
from kschedlab_lab.views.style import GREYS, NODES, mixed, themed
from kschedlab_lab.views.svg import Room

Write: TypeAlias = Callable[[Number], str]
Sets: TypeAlias = Callable[[int, int], str]
"""From a cell's row and column to the settings that a click on it applies, as :class:`str` of settings writes them."""
Answer: TypeAlias = str | tuple[str, ...] | None
"""A decision: one name, several that are equal, or none."""

NOTHING, TIE = "–", later("tie")
PAPER = "max-width:min(100%,56em);background-color:#ffffff;"


@dataclass(frozen=True)
class Chart:
    """``picture``: draws it for a room; ``table``: the same as a coloured table; ``text``: the same as lines.

    As the last line of a cell it shows itself.
    """

    picture: Grid | Lines | Bars
    table: Html
    text: str

    def html(self) -> Html:
        """The picture on white, and the table folded below it."""
        drawing = image(self.picture(Room()), self.picture.alt, PAPER)
        return element("div", drawing, element("details", element("summary", say("as a table")), self.table))

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return str(self.html())


def heat_map(
    values: Sequence[Sequence[Number | None]],
    rows: Sequence[str],
    columns: Sequence[str],
    *,
    selected: tuple[int, int] | None = None,
    chosen: int | None = None,
    write: Write = str,
    corner: str = "",
    shades: Sequence[Sequence[Number | None]] | None = None,
    sets: Sets | None = None,
    alt: str = "",
) -> Chart:
    """Numbers by row and column, light to dark; None where there is none.

    ``selected``: the framed cell; ``chosen``: the winning column; ``corner``: heading of the rows.
    ``shades``: numbers that colour the cells (None: no colour), if other than the numbers in them.
    """
    shades = values if shades is None else shades
    known = [value for row in shades for value in row if value is not None]
    low, high = min(known, default=0), max(known, default=0)
    written = [[NOTHING if value is None else write(value) for value in row] for row in values]
    fills = [[None if value is None else shade(value, low, high) for value in row] for row in shades]
    cells = [
        [
            Cell(
                text,
                fills[r][c],
                say("{place}: {value}", place=listed((row, columns[c])), value=text),
                sets=sets(r, c) if sets else "",
            )
            for c, text in enumerate(written[r])
        ]
        for r, row in enumerate(rows)
    ]
    names = [f"★ {name}" if i == chosen else name for i, name in enumerate(columns)]
    return Chart(
        Grid(cells, rows, columns, alt or corner, selected, chosen),
        coloured(written, fills, rows, names, selected, corner),
        cell_lines(written, rows, names, selected, corner),
    )


def decision_map(
    decisions: Sequence[Sequence[Answer]],
    rows: Sequence[str],
    columns: Sequence[str],
    *,
    selected: tuple[int, int] | None = None,
    corner: str = "",
    titles: tuple[str, str] = ("", ""),
    kinds: Sequence[str] = (),
    notes: Sequence[Sequence[str]] | None = None,
    remark: str = "",
    sets: Sets | None = None,
    alt: str = "",
) -> Chart:
    """The answer for each pair of two settings, with a colour and a letter for each kind of answer; a tie is hatched.

    ``titles``: of the settings across and down; ``kinds``: all possible answers, so that letters stay stable;
    ``notes``: a word in each cell, e.g. the rule that decided; ``remark``: what the notes mean.
    """
    kinds = list(kinds) or sorted({name for line in decisions for each in line for name in _names(each)})
    letters = {kind: letter(i) for i, kind in enumerate(kinds)}
    colours = {kind: NODES[i % len(NODES)] for i, kind in enumerate(kinds)}
    cells = [
        [
            _answer(each, letters, colours, notes[r][c] if notes else "", listed((rows[r], columns[c])), sets, (r, c))
            for c, each in enumerate(line)
        ]
        for r, line in enumerate(decisions)
    ]
    written = [[f"{cell.short} {cell.note}".strip() for cell in line] for line in cells]
    fills = [[cell.fill for cell in line] for line in cells]
    legend = [f"{letters[kind]} {kind}" for kind in kinds]
    meanings = [*legend, *([f"= {say(TIE)}"] if any(cell.hatch for line in cells for cell in line) else [])]
    shown: list[tuple[str, Sequence[str], str]] = [
        (colours[kind], (), words) for kind, words in zip(kinds, legend, strict=True)
    ]
    if len(meanings) > len(legend):
        shown.append((NODES[0], NODES[3:4], f"= {say(TIE)}"))
    remarks = [remark] if remark else []
    return Chart(
        Grid(cells, rows, columns, alt or corner, selected, None, titles, shown, remark),
        join(
            [legend_html(meanings, list(colours.values())), coloured(written, fills, rows, columns, selected, corner)]
        ),
        "\n".join([listed(meanings), *remarks, cell_lines(written, rows, columns, selected, corner)]),
    )


def _names(answer: Answer) -> tuple[str, ...]:
    return () if answer is None else (answer,) if isinstance(answer, str) else answer


def _answer(
    answer: Answer,
    letters: Mapping[str, str],
    colours: Mapping[str, str],
    note: str,
    place: str,
    sets: Sets | None,
    at: tuple[int, int],
) -> Cell:
    names = _names(answer)
    goes = sets(*at) if sets else ""
    after = say(", ") + note if note else ""
    if not names:
        return Cell(NOTHING, None, say("{place}: none{after}", place=place, after=after), NOTHING, note=note, sets=goes)
    first, *others = names
    short = "=".join(letters[name] for name in names)
    if not others:
        return Cell(
            first,
            colours[first],
            say("{place}: {value}{after}", place=place, value=first, after=after),
            short,
            note=note,
            sets=goes,
        )
    tip = say("{place}: tie of {names}{after}", place=place, names=say(" and ").join(names), after=after)
    return Cell(say(TIE), colours[first], tip, short, [colours[name] for name in others], note, goes)


def letter(number: int) -> str:
    """A, B, ..., Z, A1, B1, ..."""
    turn, place = divmod(number, len(ascii_uppercase))
    return ascii_uppercase[place] + (str(turn) if turn else "")


def curve(
    xs: Sequence[Number],
    series: Mapping[str, Sequence[Number]],
    *,
    titles: tuple[str, str],
    at: int | None = None,
    write: Write = str,
    rows: int = 12,
    sets: Callable[[int], str] | None = None,
    drag: str = "",
    alt: str = "",
    most: Number | None = None,
    bends: Mapping[str, Sequence[tuple[Number, Number]]] | None = None,
) -> Chart:
    """Lines over ``xs``, each with its colour and dash; ``at``: index of the point in question.

    ``titles``: of the axes. ``sets``: the settings that a click near an x applies, by its index; ``drag``: the control
    that dragging the point changes; ``most``: where the axis may end, though a line goes on; ``bends``: the points of a
    line that bends between ``xs``. The table has at most ``rows`` points, including the first, the last and ``at``.
    """
    shown = _spread(len(xs), rows, at)
    head = [titles[0], *series]
    written = [[write(ys[i]) for ys in series.values()] for i in shown]
    labels = [f"▶ {write(xs[i])}" if i == at else write(xs[i]) for i in shown]
    table = row_table(head, labels, written, None if at is None else shown.index(at))
    text = "\n".join(aligned([head, *([name, *row] for name, row in zip(labels, written, strict=True))]))
    return Chart(
        Lines(
            xs,
            series,
            titles,
            alt or say("{y} by {x}", y=titles[1], x=titles[0]),
            write,
            at,
            sets,
            drag,
            most,
            bends or {},
        ),
        table,
        text,
    )


def bars(drawing: Bars, corner: str = "") -> Chart:
    """Stacked bars with their numbers; ``corner``: heading of the names."""
    head = [corner, *drawing.parts, ""]
    names = [f"★ {name}" if name in drawing.marked else name for name in drawing.names]
    written = [[*(f"{values[i]:g}" for values in drawing.parts.values()), end] for i, end in enumerate(drawing.ends)]
    won = next((i for i, name in enumerate(drawing.names) if name in drawing.marked), None)
    text = "\n".join(aligned([head, *([name, *row] for name, row in zip(names, written, strict=True))]))
    return Chart(drawing, row_table(head, names, written, won), text)


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
