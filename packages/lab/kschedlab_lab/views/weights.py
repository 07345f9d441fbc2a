"""Weights as bars to drag, who wins over all values of two of them, and the sums: one SVG."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from kschedlab.messages import say
from kschedlab.text.html import Html, element
from kschedlab_lab.views.chart_bars import BarMeasures, Bars
from kschedlab_lab.views.chart_grid import Grid, GridMeasures
from kschedlab_lab.views.layout import Part, column, row, words
from kschedlab_lab.views.lettering import fitted
from kschedlab_lab.views.style import HAIR, PANEL
from kschedlab_lab.views.svg import Room, dragged, label, rect, svg

ROW, NAME, STEP, BESIDE, BARS, MAP, LOW = 24, 134, 9, 400, 150, 210, 400
"""Height of a weight's row, width of its name and of one of its values; least width of a room with the map beside the
weights; heights of the sums and of the map; the height below which a narrow room has no map. In pixels."""


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
    """``weights``: the handles; ``sums``: the bars that they give; ``winners``: the map of two of them."""

    weights: Sequence[Weight]
    sums: Bars
    winners: Grid
    alt: str

    def __call__(self, room: Room) -> Html:
        handles = column(map(_row, self.weights), 0)
        beside = room.width >= BESIDE
        wide = room.width - handles.width - 16 if beside else room.width
        drawn = GridMeasures(replace(self.winners, left=80), Room(int(min(wide, 2 * MAP)), MAP))
        winners = Part(drawn.width, drawn.bottom, tuple(drawn.shapes()))
        bars = BarMeasures(self.sums, Room(min(room.width, 720), max(min(BARS, room.height - 190), 100)))
        sums = Part(bars.wide, bars.bottom + 10, tuple(bars.shapes()))
        above = [row([handles, winners], 16, "start"), sums] if beside else [handles, sums]
        below = [] if beside or room.height < LOW else [winners]
        whole = column([*above, *below], 10)
        return svg(whole.shapes, whole.width, whole.height, self.alt)


def _row(weight: Weight) -> Part:
    """The name, the bar with its grip, and the value."""
    long, most = STEP * weight.value, STEP * weight.most + 10
    key = f"weight/{weight.name}"
    about = dragged(weight.control, "x", STEP, say("weight of {name}", name=weight.name))
    track = element("rect", y=ROW / 2 - 1, width=most, height=2, fill=HAIR)
    bar = rect(long, ROW - 8, y=4, fill=weight.fill, stroke=PANEL, stroke_width=1, data_key=f"{key}/box")
    grip = element("rect", x=long - 2, y=2, width=10, height=ROW - 4, rx=4, fill="currentColor", data_key=f"{key}/grip")
    handle = element("g", bar, grip, data_key=key, **about) if weight.control else element("g", bar, data_key=key)
    name = label(fitted(weight.name, NAME - 8), NAME - 8, ROW / 2 + 4.5, "end")
    value = words(weight.written, bold=True)
    return row([Part(NAME - 8, ROW, (name,)), Part(most, ROW, (track, handle)), value], 6)
