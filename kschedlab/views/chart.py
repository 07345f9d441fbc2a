"""Charts as plain data for plotly, each with a table and lines of text that say the same without it.

A :class:`Chart` is a pure function of numbers. Its figure has no background of its own, so that it stands on a light
page and on a dark one; every colour comes with a letter, a number or a pattern. User text is escaped, since plotly
reads some HTML.
"""

from __future__ import annotations

import html
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from string import ascii_uppercase
from typing import Any, TypeAlias

from kschedlab.views.html import Html, element, join, visible
from kschedlab.views.style import CELL, CHOSEN, DECIDES, EVICTED, HEAD, KINDS, NUMBER, PRIORITIES, RIGHT, TABLE, ink
from kschedlab.views.words import aligned

Figure: TypeAlias = dict[str, Any]
"""A figure as plotly reads it: ``data`` (traces) and ``layout``."""
Number: TypeAlias = int | float
Write: TypeAlias = Callable[[Number], str]

TEXT = "#808080"
"""Readable on white and on black; where a style sheet may, it gives the text the page's own colour."""
SIZE, ROW, ROOM = 14, 40, 60
"""Of letters, of a row of cells and of the room below and above it, in pixels."""
NOTHING = "–"
PATTERNS = ("", "/", "x", ".", "\\", "+", "-", "|")
LINES = ("#0072B2", "#D55E00", "#009E73", "#CC79A7")
DASHES = ("solid", "dash", "dot", "dashdot")
SYMBOLS = ("circle", "square", "diamond", "triangle-up")


@dataclass(frozen=True)
class Chart:
    """``figure`` for plotly; ``table``: the same, coloured, for where no plotly is; ``text``: the same as lines."""

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
) -> Chart:
    """Numbers by row and column, light to dark; None where there is none.

    ``selected``: the cell that is talked about; ``chosen``: the column that has won; ``corner``: what the rows are.
    """
    known = [value for row in values for value in row if value is not None]
    low, high = min(known, default=0), max(known, default=0)
    written = [[NOTHING if value is None else write(value) for value in row] for row in values]
    fills = [[None if value is None else shade(value, low, high) for value in row] for row in values]
    names = _starred(columns, chosen)
    trace = {
        "type": "heatmap",
        "z": [list(row) for row in values],
        "zmin": low,
        "zmax": high if high > low else low + 1,
        "colorscale": _scale(PRIORITIES),
        **_cells(written, _told(written, rows, columns)),
    }
    shapes = [_around(chosen - 0.5, -0.5, 1, len(rows), CHOSEN)] if chosen is not None else []
    return Chart(
        {"data": [trace], "layout": _grid(rows, names, [*shapes, *_cell_at(selected)])},
        _coloured(written, fills, rows, names, selected, corner),
        _lines(written, rows, names, selected, corner),
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
    """What is chosen (None: nothing) over two settings: a colour and a letter for each kind of answer.

    ``titles``: of the settings across and down; ``kinds``: all answers there may be, so that a letter stays the same.
    """
    kinds = list(kinds) or sorted({each for row in decisions for each in row if each is not None})
    letters = {kind: letter(i) for i, kind in enumerate(kinds)}
    numbers = {kind: i for i, kind in enumerate(kinds)}
    written = [[NOTHING if each is None else letters[each] for each in row] for row in decisions]
    fills = [[None if each is None else KINDS[numbers[each] % len(KINDS)] for each in row] for row in decisions]
    told = [[each or "none" for each in row] for row in decisions]
    scale = [KINDS[i % len(KINDS)] for i in range(len(kinds))] or [KINDS[0]]
    trace = {
        "type": "heatmap",
        "z": [[None if each is None else numbers[each] for each in row] for row in decisions],
        "zmin": -0.5,
        "zmax": len(scale) - 0.5,
        "colorscale": _bands(scale),
        **_cells(written, _told(told, rows, columns)),
    }
    layout = _grid(rows, columns, _cell_at(selected), titles)
    legend = [f"{letters[kind]} {kind}" for kind in kinds]
    layout["title"] = {"text": " · ".join(map(escaped, legend)), "x": 0, "xref": "container", "font": {"size": SIZE}}
    return Chart(
        {"data": [trace], "layout": layout},
        join([_legend(legend, scale), _coloured(written, fills, rows, columns, selected, corner)]),
        "\n".join([", ".join(legend), _lines(written, rows, columns, selected, corner)]),
    )


def letter(number: int) -> str:
    """A, B, ..., Z, A1, B1, ..."""
    turn, place = divmod(number, len(ascii_uppercase))
    return ascii_uppercase[place] + (str(turn) if turn else "")


def bars(
    names: Sequence[str],
    series: Mapping[str, Sequence[Number]],
    *,
    chosen: int | None = None,
    write: Write = str,
    corner: str = "",
    expected: Number | None = None,
) -> Chart:
    """A bar for each name; several series are stacked, each with its colour and pattern.

    ``expected``: a line across, to compare with. The table has a row for each name, with the sum of several series.
    """
    labels = _starred(names, chosen)
    traces = [
        {
            "type": "bar",
            "name": escaped(name),
            "x": list(range(len(names))),
            "y": list(values),
            "text": [write(value) if value else "" for value in values],
            "textposition": "inside" if len(series) > 1 else "outside",
            "textangle": 0,
            "cliponaxis": False,
            "hoverinfo": "text",
            "hovertext": [escaped(f"{each}: {name} {write(value)}") for each, value in zip(names, values, strict=True)],
            "marker": {
                "color": KINDS[i % len(KINDS)],
                "pattern": {"shape": PATTERNS[i % len(PATTERNS)], "fgopacity": 0.35, "size": 8},
                "line": {"color": TEXT, "width": 1},
            },
        }
        for i, (name, values) in enumerate(series.items())
    ]
    layout = _layout(height=320) | {
        "barmode": "stack",
        "showlegend": len(series) > 1,
        "legend": {"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0},
        "xaxis": _axis(labels, range=[-0.5, len(names) - 0.5]),
        "yaxis": {"fixedrange": True, "gridcolor": "rgba(128,128,128,0.3)", "rangemode": "tozero", "zeroline": False},
        "shapes": [] if expected is None else [_across(expected)],
    }
    sums = [sum(values[i] for values in series.values()) for i in range(len(names))]
    head = [corner, *series, *(["sum"] if len(series) > 1 else [])]
    cells = [[write(values[i]) for values in series.values()] for i in range(len(names))]
    written = [[*row, write(total)] if len(series) > 1 else row for row, total in zip(cells, sums, strict=True)]
    lines = aligned([head, *([name, *row] for name, row in zip(labels, written, strict=True))])
    if expected is not None:
        lines.append(f"  expected: {write(expected)}")
    table = _barred(head, labels, written, sums, chosen)
    return Chart({"data": traces, "layout": layout}, table, "\n".join(lines))


def distribution(counts: Mapping[str, int], *, corner: str = "", word: str = "times") -> Chart:
    """How often each name came up, beside the line that all would reach if they were equally likely."""
    each = sum(counts.values()) / max(len(counts), 1)
    return bars(
        list(counts), {word: list(counts.values())}, corner=corner, expected=each, write=lambda value: f"{value:,.0f}"
    )


def curve(
    xs: Sequence[Number],
    series: Mapping[str, Sequence[Number]],
    *,
    titles: tuple[str, str],
    at: int | None = None,
    write: Write = str,
    rows: int = 12,
) -> Chart:
    """Lines over ``xs``, each with its colour, dash and marker; ``at``: the point that is talked about.

    ``titles``: of the axes. The table has at most ``rows`` of the points, the first, the last and ``at`` among them.
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
            "mode": "markers+text",
            "name": escaped(name),
            "x": [] if at is None else [xs[at]],
            "y": [] if at is None else [ys[at]],
            "text": [] if at is None else [write(ys[at])],
            "textposition": "top center",
            "cliponaxis": False,
            "showlegend": False,
            "hoverinfo": "skip",
            "marker": {"color": LINES[i % len(LINES)], "size": 13, "symbol": SYMBOLS[i % len(SYMBOLS)]},
        }
        for i, (name, ys) in enumerate(series.items())
    ]
    grid = {"fixedrange": True, "gridcolor": "rgba(128,128,128,0.3)", "zeroline": False}
    layout = _layout(height=360) | {
        "showlegend": len(series) > 1,
        "legend": {"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0},
        "xaxis": {**grid, "title": {"text": escaped(titles[0])}},
        "yaxis": {**grid, "title": {"text": escaped(titles[1])}, "rangemode": "tozero"},
    }
    shown = _spread(len(xs), rows, at)
    head = [titles[0], *series]
    written = [[write(ys[i]) for ys in series.values()] for i in shown]
    labels = [f"▶ {write(xs[i])}" if i == at else write(xs[i]) for i in shown]
    table = _barred(head, labels, written, [0 for _ in shown], None if at is None else shown.index(at))
    text = "\n".join(aligned([head, *([name, *row] for name, row in zip(labels, written, strict=True))]))
    return Chart({"data": [*traces, *points], "layout": layout}, table, text)


def enlarged(figure: Figure, factor: float) -> Figure:
    """The figure with larger letters and more room for them."""
    layout = dict(figure["layout"])
    layout["font"] = {**layout["font"], "size": layout["font"]["size"] * factor}
    layout["height"] = layout["height"] * factor
    if "title" in layout:
        layout["title"] = {**layout["title"], "font": {"size": SIZE * factor}}
    return {**figure, "layout": layout}


def escaped(text: str) -> str:
    """Text as plotly shows it letter by letter."""
    return html.escape(visible(text), quote=False)


def shade(value: Number, low: Number, high: Number) -> str:
    """The colour (#RRGGBB) of a value between these two, light to dark."""
    place = (value - low) / (high - low) * (len(PRIORITIES) - 1) if high > low else 0.0
    left = min(int(place), len(PRIORITIES) - 2)
    pair = [[int(PRIORITIES[left + side][i : i + 2], 16) for i in (1, 3, 5)] for side in (0, 1)]
    mixed = (round(a + (b - a) * (place - left)) for a, b in zip(*pair, strict=True))
    return "#" + "".join(f"{part:02X}" for part in mixed)


def _layout(height: float) -> Figure:
    return {
        "template": "none",
        "autosize": True,
        "height": height,
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "font": {"size": SIZE, "color": TEXT, "family": "system-ui,sans-serif"},
        "margin": {"l": 10, "r": 10, "t": 40, "b": 10},
        "dragmode": False,
        "hoverlabel": {"font": {"family": "system-ui,sans-serif"}},
    }


def _axis(labels: Sequence[str], **more: Any) -> Figure:
    """An axis of places 0, 1, ... that has these names written beside them."""
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
    across = _axis(columns, range=[-0.5, len(columns) - 0.5], title={"text": escaped(titles[0])})
    down = _axis(rows, range=[len(rows) - 0.5, -0.5], title={"text": escaped(titles[1])})
    return _layout(ROW * len(rows) + 2 * ROOM) | {"xaxis": across, "yaxis": down, "shapes": shapes}


def _cells(written: list[list[str]], told: list[list[str]]) -> Figure:
    return {
        "text": [[escaped(text) for text in row] for row in written],
        "texttemplate": "%{text}",
        "hovertext": told,
        "hoverinfo": "text",
        "showscale": False,
        "xgap": 2,
        "ygap": 2,
    }


def _told(written: list[list[str]], rows: Sequence[str], columns: Sequence[str]) -> list[list[str]]:
    return [
        [escaped(f"{row}, {column}: {text}") for column, text in zip(columns, line, strict=True)]
        for row, line in zip(rows, written, strict=True)
    ]


def _around(x: float, y: float, width: float, height: float, colour: str) -> Figure:
    ends = {"x0": x, "x1": x + width, "y0": y, "y1": y + height}
    return {"type": "rect", **ends, "line": {"color": colour, "width": 5}, "fillcolor": "rgba(0,0,0,0)"}


def _cell_at(selected: tuple[int, int] | None) -> list[Figure]:
    return [] if selected is None else [_around(selected[1] - 0.5, selected[0] - 0.5, 1, 1, EVICTED)]


def _across(height: Number) -> Figure:
    ends = {"x0": 0, "x1": 1, "y0": height, "y1": height}
    return {"type": "line", "xref": "paper", **ends, "line": {"color": EVICTED, "width": 3, "dash": "dash"}}


def _scale(colours: Sequence[str]) -> list[list[Any]]:
    return [[i / (len(colours) - 1), colour] for i, colour in enumerate(colours)]


def _bands(colours: Sequence[str]) -> list[list[Any]]:
    """A colour for each whole number, with hard edges."""
    ends = ((i, colour) for i, colour in enumerate(colours))
    return [[(i + side) / len(colours), colour] for i, colour in ends for side in (0, 1)]


def _starred(names: Sequence[str], chosen: int | None) -> list[str]:
    return [f"★ {name}" if i == chosen else name for i, name in enumerate(names)]


def _spread(number: int, rows: int, at: int | None) -> list[int]:
    """At most ``rows`` places out of so many, evenly."""
    if number <= rows:
        return list(range(number))
    even = {round(i * (number - 1) / (rows - 2)) for i in range(rows - 1)}
    return sorted(even if at is None else even | {at})


def _head(names: Iterable[str]) -> Html:
    first, *others = names
    cells = [element("th", first, scope="col", style=HEAD)]
    cells += [element("th", name, scope="col", style=HEAD + RIGHT) for name in others]
    return element("thead", element("tr", *cells))


def _coloured(
    written: list[list[str]],
    fills: list[list[str | None]],
    rows: Sequence[str],
    columns: Sequence[str],
    selected: tuple[int, int] | None,
    corner: str,
) -> Html:
    """Cells filled as in the figure; the selected one has a frame and its row a ▶."""
    lines = []
    for r, name in enumerate(rows):
        cells = [_filled(written[r][c], fills[r][c], (r, c) == selected) for c in range(len(columns))]
        lines.append(element("tr", element("th", name, scope="row", style=CELL), *cells))
    return element("table", _head([corner, *columns]), element("tbody", *lines), style=TABLE)


def _filled(text: str, fill: str | None, selected: bool) -> Html:
    colours = "" if fill is None else f"background-color:{fill};color:{ink(fill)};"
    frame = f"outline:4px solid {EVICTED};outline-offset:-4px;" if selected else ""
    return element("td", f"▶ {text}" if selected else text, style=NUMBER + colours + frame)


def _lines(
    written: list[list[str]],
    rows: Sequence[str],
    columns: Sequence[str],
    selected: tuple[int, int] | None,
    corner: str,
) -> str:
    cells = [
        [f"[{text}]" if (r, c) == selected else text for c, text in enumerate(line)] for r, line in enumerate(written)
    ]
    return "\n".join(aligned([[corner, *columns], *([name, *line] for name, line in zip(rows, cells, strict=True))]))


def _legend(legend: Sequence[str], colours: Sequence[str]) -> Html:
    boxes = (
        element("span", each, style=f"background-color:{colour};color:{ink(colour)};padding:0.15em 0.6em;")
        for each, colour in zip(legend, colours, strict=False)
    )
    return element("p", join(boxes, " "), style="margin:0.3em 0")


def _barred(
    head: Sequence[str],
    labels: Sequence[str],
    written: Sequence[Sequence[str]],
    sums: Sequence[Number],
    chosen: int | None,
) -> Html:
    """A row for each name, and a bar as long as its sum if there are any."""
    longest = max(sums, default=0)
    lines = []
    for i, (name, row) in enumerate(zip(labels, written, strict=True)):
        cells = [element("td", text, style=NUMBER) for text in row]
        part = f"width:{8 * sums[i] / longest:.1f}em;" if longest > 0 else ""
        bar = element("div", style=f"background-color:{KINDS[0]};height:1em;{part}") if longest > 0 else None
        last = [element("td", bar, style="min-width:8em")] if longest > 0 else []
        style = DECIDES if i == chosen else None
        lines.append(element("tr", element("th", name, scope="row", style=CELL), *cells, *last, style=style))
    return element("table", _head(head), element("tbody", *lines), style=TABLE)
