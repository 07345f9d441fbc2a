"""Charts as plain data for plotly, each with an equivalent table and text for readers without it.

A :class:`Chart` is a pure function of numbers. Its figure has no background, so it works on light and dark pages;
every colour comes with a letter, a number or a pattern. User text is escaped, since plotly interprets some HTML.
"""

from __future__ import annotations

import html
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from string import ascii_uppercase
from typing import Any, TypeAlias

from kschedlab.views.chart_tables import Number, cell_lines, coloured, legend_html, row_table
from kschedlab.views.html import Html, join, visible
from kschedlab.views.style import CHOSEN, EVICTED, KINDS, PRIORITIES, ink
from kschedlab.views.words import aligned

Figure: TypeAlias = dict[str, Any]
"""A figure in plotly's format: ``data`` (traces) and ``layout``."""
Write: TypeAlias = Callable[[Number], str]

TEXT = "#808080"
"""Readable on white and on black; a style sheet may replace it by the page's text colour."""
SIZE, LETTER, ROW, ROOM = 14, 8, 40, 60
"""Letter height, letter width, row height, and the margin above and below the rows, in pixels."""
SIDE, WIDEST = 640, 1000
NOTHING = "–"
LINES = ("#0072B2", "#D55E00", "#009E73", "#CC79A7")
DASHES = ("solid", "dash", "dot", "dashdot")
SYMBOLS = ("circle", "square", "diamond", "triangle-up")


@dataclass(frozen=True)
class Chart:
    """``figure``: for plotly; ``table``: a coloured table where plotly is missing; ``text``: the same as lines."""

    figure: Figure
    table: Html
    text: str


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
) -> Chart:
    """Numbers by row and column, light to dark; None where there is none.

    ``selected``: the highlighted cell; ``chosen``: the winning column; ``corner``: heading of the rows.
    ``shades``: numbers that colour the cells (None: no colour), if other than the numbers in them.
    """
    shades = values if shades is None else shades
    known = [value for row in shades for value in row if value is not None]
    low, high = min(known, default=0), max(known, default=0)
    written = [[NOTHING if value is None else write(value) for value in row] for row in values]
    fills = [[None if value is None else shade(value, low, high) for value in row] for row in shades]
    names = _starred(columns, chosen)
    trace = {
        "type": "heatmap",
        "z": [list(row) for row in shades],
        "zmin": low,
        "zmax": high if high > low else low + 1,
        "colorscale": _scale(PRIORITIES),
        **_cells(_hover_texts(written, rows, columns)),
    }
    shapes = [_around(chosen - 0.5, -0.5, 1, len(rows), CHOSEN)] if chosen is not None else []
    return Chart(
        {"data": [trace, _written(written, fills)], "layout": _grid(rows, names, [*shapes, *_cell_at(selected)])},
        coloured(written, fills, rows, names, selected, corner),
        cell_lines(written, rows, names, selected, corner),
    )


def decision_map(
    decisions: Sequence[Sequence[str | None]],
    rows: Sequence[str],
    columns: Sequence[str],
    *,
    selected: tuple[int, int] | None = None,
    corner: str = "",
    titles: tuple[str, str] = ("", ""),
    kinds: Sequence[str] = (),
) -> Chart:
    """The decision (None: no node) for each pair of two settings, with a colour and a letter for each kind of answer.

    ``titles``: of the settings across and down; ``kinds``: all possible answers, so that letters stay stable.
    """
    kinds = list(kinds) or sorted({each for row in decisions for each in row if each is not None})
    letters = {kind: letter(i) for i, kind in enumerate(kinds)}
    numbers = {kind: i for i, kind in enumerate(kinds)}
    written = [[NOTHING if each is None else letters[each] for each in row] for row in decisions]
    fills = [[None if each is None else KINDS[numbers[each] % len(KINDS)] for each in row] for row in decisions]
    outcomes = [[each or "none" for each in row] for row in decisions]
    scale = [KINDS[i % len(KINDS)] for i in range(len(kinds))] or [KINDS[0]]
    trace = {
        "type": "heatmap",
        "z": [[None if each is None else numbers[each] for each in row] for row in decisions],
        "zmin": -0.5,
        "zmax": len(scale) - 0.5,
        "colorscale": _bands(scale),
        **_cells(_hover_texts(outcomes, rows, columns)),
    }
    layout = _grid(rows, columns, _cell_at(selected), titles)
    legend = [f"{letters[kind]} {kind}" for kind in kinds]
    layout["margin"] = {**layout["margin"], "t": 40}
    layout["title"] = {"text": " · ".join(map(escaped, legend)), "x": 0, "xref": "container", "font": {"size": SIZE}}
    return Chart(
        {"data": [trace, _written(written, fills)], "layout": layout},
        join([legend_html(legend, scale), coloured(written, fills, rows, columns, selected, corner)]),
        "\n".join([", ".join(legend), cell_lines(written, rows, columns, selected, corner)]),
    )


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
) -> Chart:
    """Lines over ``xs``, each with its colour, dash and marker; ``at``: index of the highlighted point.

    ``titles``: of the axes. The table has at most ``rows`` points, including the first, the last and ``at``.
    """
    traces = [
        {
            "type": "scatter",
            "mode": "lines",
            "name": escaped(name),
            "x": list(xs),
            "y": list(ys),
            "line": {"color": LINES[i % len(LINES)], "dash": DASHES[i % len(DASHES)], "width": 3},
            "hoverinfo": "x+y+name",
        }
        for i, (name, ys) in enumerate(series.items())
    ]
    points = [
        {
            "type": "scatter",
            "mode": "markers",
            "name": escaped(name),
            "x": [] if at is None else [xs[at]],
            "y": [] if at is None else [ys[at]],
            "cliponaxis": False,
            "showlegend": False,
            "hoverinfo": "skip",
            "marker": {"color": LINES[i % len(LINES)], "size": 13, "symbol": SYMBOLS[i % len(SYMBOLS)]},
        }
        for i, (name, ys) in enumerate(series.items())
    ]
    layout = _layout(SIDE, 360) | {
        "showlegend": len(series) > 1,
        "legend": {"orientation": "h", "traceorder": "normal", "y": 1.02, "yanchor": "bottom", "x": 0},
        "xaxis": _measure(titles[0]),
        "yaxis": _measure(titles[1], rangemode="tozero"),
        "annotations": [] if at is None else _numbers(xs[at], [ys[at] for ys in series.values()], write),
    }
    shown = _spread(len(xs), rows, at)
    head = [titles[0], *series]
    written = [[write(ys[i]) for ys in series.values()] for i in shown]
    labels = [f"▶ {write(xs[i])}" if i == at else write(xs[i]) for i in shown]
    table = row_table(head, labels, written, None if at is None else shown.index(at))
    text = "\n".join(aligned([head, *([name, *row] for name, row in zip(labels, written, strict=True))]))
    return Chart({"data": [*traces, *points], "layout": layout}, table, text)


def enlarged(figure: Figure, factor: float) -> Figure:
    """The figure with larger text and margins to match."""
    layout = dict(figure["layout"])
    layout["font"] = {**layout["font"], "size": layout["font"]["size"] * factor}
    layout["height"], layout["width"] = layout["height"] * factor, layout["width"] * factor
    for place in ("title", "xaxis", "yaxis"):
        if place in layout:
            layout[place] = _larger(layout[place], factor)
    return {**figure, "layout": layout}


def _larger(part: Figure, factor: float) -> Figure:
    """The title of a figure or an axis."""
    if "font" in part:
        return {**part, "font": {"size": part["font"]["size"] * factor}}
    return {**part, "title": _larger(part["title"], factor)} if "title" in part else part


def escaped(text: str) -> str:
    """Text escaped so that plotly shows it literally."""
    return html.escape(visible(text), quote=False)


def shade(value: Number, low: Number, high: Number) -> str:
    """The colour (#RRGGBB) of a value in the range from ``low`` to ``high``, light to dark."""
    place = (value - low) / (high - low) * (len(PRIORITIES) - 1) if high > low else 0.0
    left = min(int(place), len(PRIORITIES) - 2)
    pair = [[int(PRIORITIES[left + side][i : i + 2], 16) for i in (1, 3, 5)] for side in (0, 1)]
    mixed = (round(a + (b - a) * (place - left)) for a, b in zip(*pair, strict=True))
    return "#" + "".join(f"{part:02X}" for part in mixed)


def _layout(width: float, height: float) -> Figure:
    return {
        "template": "none",
        "width": min(width, WIDEST),
        "height": height,
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "font": {"size": SIZE, "color": TEXT, "family": "system-ui,sans-serif"},
        "margin": {"l": 20, "r": 10, "t": 15, "b": 10},
        "dragmode": False,
        "hoverlabel": {"font": {"family": "system-ui,sans-serif"}},
    }


def _axis(labels: Sequence[str], **more: Any) -> Figure:
    """An axis with these names at positions 0, 1, ..."""
    return {
        "tickmode": "array",
        "tickvals": list(range(len(labels))),
        "ticktext": [escaped(label) for label in labels],
        "showgrid": False,
        "zeroline": False,
        "fixedrange": True,
        "automargin": True,
        **more,
    }


def _grid(
    rows: Sequence[str], columns: Sequence[str], shapes: list[Figure], titles: tuple[str, str] = ("", "")
) -> Figure:
    """The first row on top."""
    across = _axis(columns, range=[-0.5, len(columns) - 0.5], title=_title(titles[0]))
    down = _axis(rows, range=[len(rows) - 0.5, -0.5], title=_title(titles[1]))
    cell = max(ROW + 8, LETTER * _longest(columns) + 12)
    width = 2 * ROOM + LETTER * _longest(rows) + cell * len(columns)
    return _layout(width, ROW * len(rows) + 2 * ROOM) | {"xaxis": across, "yaxis": down, "shapes": shapes}


def _title(text: str) -> Figure:
    return {"text": escaped(text), "font": {"size": SIZE}, "standoff": SIZE}


def _longest(names: Sequence[str]) -> int:
    return max(map(len, names), default=0)


def _measure(title: str = "", **more: Any) -> Figure:
    """A numeric axis."""
    grid = {"fixedrange": True, "gridcolor": "rgba(128,128,128,0.3)", "zeroline": False, "automargin": True}
    return {**grid, "title": _title(title), **more}


def _cells(hover_texts: list[list[str]]) -> Figure:
    return {"hovertext": hover_texts, "hoverinfo": "text", "showscale": False, "xgap": 2, "ygap": 2}


def _written(written: list[list[str]], fills: list[list[str | None]]) -> Figure:
    """The text in the cells, black or white; plotly would use grey."""
    places = [(r, c) for r, row in enumerate(written) for c in range(len(row))]
    inks = [TEXT if (fill := fills[r][c]) is None else ink(fill) for r, c in places]
    return {
        "type": "scatter",
        "mode": "text",
        "x": [c for _, c in places],
        "y": [r for r, _ in places],
        "text": [escaped(written[r][c]) for r, c in places],
        "textfont": {"color": inks},
        "hoverinfo": "skip",
        "showlegend": False,
    }


def _hover_texts(written: list[list[str]], rows: Sequence[str], columns: Sequence[str]) -> list[list[str]]:
    return [
        [escaped(f"{row}, {column}: {text}") for column, text in zip(columns, line, strict=True)]
        for row, line in zip(rows, written, strict=True)
    ]


def _numbers(x: Number, ys: Sequence[Number], write: Write) -> list[Figure]:
    """Labels at ``x``: above the highest point, below the others."""
    return [
        {"x": x, "y": y, "text": escaped(write(y)), "showarrow": False, "yshift": 20 if y == max(ys) else -20}
        for y in dict.fromkeys(ys)
    ]


def _around(x: float, y: float, width: float, height: float, colour: str) -> Figure:
    ends = {"x0": x, "x1": x + width, "y0": y, "y1": y + height}
    return {"type": "rect", **ends, "line": {"color": colour, "width": 5}, "fillcolor": "rgba(0,0,0,0)"}


def _cell_at(selected: tuple[int, int] | None) -> list[Figure]:
    return [] if selected is None else [_around(selected[1] - 0.5, selected[0] - 0.5, 1, 1, EVICTED)]


def _scale(colours: Sequence[str]) -> list[list[Any]]:
    return [[i / (len(colours) - 1), colour] for i, colour in enumerate(colours)]


def _bands(colours: Sequence[str]) -> list[list[Any]]:
    """One solid band of colour for each integer."""
    ends = ((i, colour) for i, colour in enumerate(colours))
    return [[(i + side) / len(colours), colour] for i, colour in ends for side in (0, 1)]


def _starred(names: Sequence[str], chosen: int | None) -> list[str]:
    return [f"★ {name}" if i == chosen else name for i, name in enumerate(names)]


def _spread(number: int, rows: int, at: int | None) -> list[int]:
    """At most ``rows`` evenly spaced indices."""
    if number <= rows:
        return list(range(number))
    even = {round(i * (number - 1) / (rows - 2)) for i in range(rows - 1)}
    return sorted(even if at is None else even | {at})
