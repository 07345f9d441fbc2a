"""Weights as bars to drag, who wins over all values of two of them, and the sums: one SVG."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kschedlab.messages import say
from kschedlab.text.html import Html, element
from kschedlab_lab.views.chart_bars import BarMeasures, Bars, Fixed
from kschedlab_lab.views.chart_grid import Grid, GridMeasures
from kschedlab_lab.views.layout import Part, column, moved, padded, row, words
from kschedlab_lab.views.lettering import fitted
from kschedlab_lab.views.style import HAIR, INK_2, PANEL
from kschedlab_lab.views.svg import Room, dragged, label, rect, svg

NAME, STEP, SLIM, VALUE, SIDE, BESIDE, ALL, MAP = 134, 18, 5, 24, 80, 340, 540, 420
"""Width of a weight's name, of one of its values at most and at least, of the value's text, and of the sums' names;
least width of a room with the map beside the weights, and of one with the widest weights; the map's greatest width.
In pixels."""
GAP, TITLES, FIXED, LEAST, MOST = 12, 47, 84, 20, 32
"""What parts weights and map; height of what is above the map's rows, and of all that is not a row or a bar; limits of
the height of these."""


@dataclass(frozen=True)
class Weight:
    """``name``: on the row; ``control``: its setting, "" if it can't be dragged; ``most``: its largest value."""

    name: str
    control: str
    value: int
    written: str
    fill: str
    most: int


@dataclass(frozen=True)
class WeightStage:
    """``weights``: the handles; ``sums``: their bars; ``winners``: a map of two of the weights, with its ``key``."""

    weights: Sequence[Weight]
    sums: Bars
    winners: Grid
    key: str
    alt: str

    def __call__(self, room: Room) -> Html:
        fair = (room.height - FIXED) // (len(self.weights) + len(self.sums.names))
        high = min(max(fair, LEAST), MOST)
        beside = room.width >= BESIDE
        step = min(max(STEP - (ALL - room.width) // 7, SLIM), STEP) if beside else STEP
        handles = column([_row(weight, high, step) for weight in self.weights], 0)
        wide = room.width - handles.width - GAP if beside else room.width
        grid = GridMeasures(self.winners, Room(min(round(wide), MAP), 0), high)
        key = words(self.key, fill=INK_2)
        drawn = (*grid.shapes(), moved(key, min(grid.left, grid.width - key.width), grid.end + 2))
        winners = Part(grid.width, grid.end + 2 + key.height, drawn)
        bars = BarMeasures(self.sums, Room(room.width, 0), Fixed(SIDE, high - 5, 5))
        sums = Part(bars.wide, bars.bottom, tuple(bars.shapes()))
        above = [row([padded(handles, 0, TITLES / 2), winners], GAP, "start"), sums] if beside else [handles, sums]
        below = [] if beside else [winners]
        whole = column([*above, *below], 8)
        return svg(whole.shapes, whole.width, whole.height, self.alt)


def _row(weight: Weight, high: float, step: int) -> Part:
    """The name, the bar with its grip, and the value."""
    long, most = step * weight.value, step * weight.most + 10
    key = f"weight/{weight.name}"
    about = dragged(weight.control, "x", step, say("weight of {name}", name=weight.name))
    track = rect(most, 2, y=high / 2 - 1, fill=HAIR)
    bar = rect(long, high - 8, y=4, fill=weight.fill, stroke=PANEL, stroke_width=1, data_key=f"{key}/box")
    grip = rect(10, high - 4, 4, long - 2, 2, fill="currentColor", data_key=f"{key}/grip")
    catch = rect(24, high, x=long - 9, fill="transparent")
    shapes = (bar, grip, catch) if weight.control else (bar,)
    handle = element("g", *shapes, data_key=key, **(about if weight.control else {}))
    name = label(fitted(weight.name, NAME - 8), NAME - 8, high / 2 + 4.5, "end")
    value = words(weight.written, bold=True)._replace(width=VALUE)
    return row([Part(NAME - 8, high, (name,)), Part(most, high, (track, handle)), value], 6)
