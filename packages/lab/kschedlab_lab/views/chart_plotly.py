"""The same charts as figures of plotly, to zoom in and to export: only this module knows plotly, and loads it late."""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import Any

from kschedlab.text.html import visible
from kschedlab_lab.views.chart_bars import Bars
from kschedlab_lab.views.chart_grid import Grid
from kschedlab_lab.views.chart_lines import COLOURS, Lines
from kschedlab_lab.views.style import CHOSEN, INK, in_light, ink

GREY = "#808080"
"""Readable on white and on black."""
NOTHING = "rgba(0,0,0,0)"
DASHES = ("solid", "dash", "dot", "dashdot")


def figure(drawing: Grid | Lines | Bars) -> Any:
    """A ``plotly.graph_objects.Figure``. ModuleNotFoundError without plotly, which the extra ``lab`` brings."""
    from plotly.graph_objects import Figure

    make = {Grid: _grid, Lines: _lines, Bars: _bars}[type(drawing)]
    data, layout = make(drawing)  # type: ignore[operator]  # by the drawing's own type
    common = {"template": "none", "paper_bgcolor": NOTHING, "plot_bgcolor": NOTHING, "font": {"color": GREY}}
    return Figure({"data": data, "layout": common | layout})


def _escaped(text: str) -> str:
    """Plotly interprets some HTML; this shows the text literally."""
    return html.escape(visible(text), quote=False)


def _plain(colour: str) -> str:
    """The colour in the light theme: plotly knows no other."""
    return GREY if colour == INK else in_light(colour)


def _names(names: Sequence[str], **more: Any) -> dict[str, Any]:
    """An axis with these names at 0, 1, ..."""
    places = {"tickmode": "array", "tickvals": list(range(len(names))), "ticktext": [_escaped(name) for name in names]}
    return {**places, "showgrid": False, "zeroline": False, "automargin": True, **more}


def _title(text: str) -> dict[str, str]:
    return {"text": _escaped(text)}


def _grid(grid: Grid) -> tuple[list[Any], dict[str, Any]]:
    """A heat map whose values number the colours, and the cells' texts in black or white."""
    colours = list(dict.fromkeys(_plain(cell.fill) for line in grid.cells for cell in line if cell.fill)) or [GREY]
    places = [(r, c) for r in range(len(grid.rows)) for c in range(len(grid.columns))]
    cells = [grid.cells[r][c] for r, c in places]
    bands = [[(i + side) / len(colours), colour] for i, colour in enumerate(colours) for side in (0, 1)]
    boxes = {
        "type": "heatmap",
        "z": [[colours.index(_plain(cell.fill)) if cell.fill else None for cell in line] for line in grid.cells],
        "zmin": -0.5,
        "zmax": len(colours) - 0.5,
        "colorscale": bands,
        "showscale": False,
        "hovertext": [[_escaped(cell.tip) for cell in line] for line in grid.cells],
        "hoverinfo": "text",
        "xgap": 2,
        "ygap": 2,
    }
    words = {
        "type": "scatter",
        "mode": "text",
        "x": [c for _, c in places],
        "y": [r for r, _ in places],
        "text": [_escaped(" ".join(filter(None, (cell.text, cell.note)))) for cell in cells],
        "textfont": {"color": [ink(_plain(cell.fill)) if cell.fill else GREY for cell in cells]},
        "hoverinfo": "skip",
        "showlegend": False,
    }
    columns = [f"★ {name}" if c == grid.chosen else name for c, name in enumerate(grid.columns)]
    frames = [] if grid.chosen is None else [_frame(grid.chosen, -0.5, 1, len(grid.rows), in_light(CHOSEN))]
    if grid.selected is not None:
        frames.append(_frame(grid.selected[1], grid.selected[0] - 0.5, 1, 1, GREY))
    across = _names(columns, range=[-0.5, len(columns) - 0.5], title=_title(grid.titles[0]))
    down = _names(grid.rows, range=[len(grid.rows) - 0.5, -0.5], title=_title(grid.titles[1]))
    return [boxes, words], {"xaxis": across, "yaxis": down, "shapes": frames}


def _frame(column: int, y: float, width: int, height: int, colour: str) -> dict[str, Any]:
    ends = {"x0": column - 0.5, "x1": column - 0.5 + width, "y0": y, "y1": y + height}
    return {"type": "rect", **ends, "line": {"color": colour, "width": 4}}


def _lines(lines: Lines) -> tuple[list[Any], dict[str, Any]]:
    data = []
    for i, (name, ys) in enumerate(lines.series.items()):
        look = {"color": _plain(COLOURS[i % len(COLOURS)]), "dash": DASHES[i % len(DASHES)], "width": 3}
        data.append({"type": "scatter", "name": _escaped(name), "x": list(lines.xs), "y": list(ys), "line": look})
    shapes = []
    if lines.at is not None:
        x = lines.xs[lines.at]
        shapes = [{"type": "line", "x0": x, "x1": x, "yref": "paper", "y0": 0, "y1": 1, "line": {"color": GREY}}]
    across, down = (_title(title) for title in lines.titles)
    return data, {"xaxis": {"title": across}, "yaxis": {"title": down, "rangemode": "tozero"}, "shapes": shapes}


def _bars(bars: Bars) -> tuple[list[Any], dict[str, Any]]:
    places = list(range(len(bars.names)))
    data = [
        {
            "type": "bar",
            "orientation": "h",
            "name": _escaped(part),
            "x": list(values),
            "y": places,
            "marker": {"color": _plain(bars.fill(part))},
            "hovertext": [
                _escaped(f"{name}: {part} {value:g}") for name, value in zip(bars.names, values, strict=True)
            ],
            "hoverinfo": "text",
        }
        for part, values in bars.parts.items()
    ]
    names = [f"★ {name}" if name in bars.marked else name for name in bars.names]
    down = _names(names, range=[len(names) - 0.5, -0.5])
    shapes = []
    if bars.line is not None:
        ends = {"x0": bars.line, "x1": bars.line, "yref": "paper", "y0": 0, "y1": 1}
        shapes = [{"type": "line", **ends, "line": {"color": GREY, "dash": "dash"}}]
    return data, {"barmode": "stack", "yaxis": down, "shapes": shapes, "showlegend": len(bars.parts) > 1}
