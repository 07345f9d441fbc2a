"""Weights as bars to drag, and below them the sums: one SVG."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kschedlab.messages import say
from kschedlab.text.html import Html, element
from kschedlab_lab.views.chart_bars import BarMeasures, Bars, Fixed
from kschedlab_lab.views.layout import Part, column, row, words
from kschedlab_lab.views.lettering import fitted
from kschedlab_lab.views.style import HAIR, PANEL
from kschedlab_lab.views.svg import Room, dragged, label, rect, svg

NAME, VALUE, STEP, SIDE, GRIP = 134, 30, 40, 80, 10
"""Width of a weight's name, of the value's text, of one of its values at most, of the sums' names, and of a grip."""
GAP, LEAST, MOST = 16, 22, 36
"""What parts weights and sums; limits of the height of a row."""


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
    """``weights``: the handles; ``sums``: their bars."""

    weights: Sequence[Weight]
    sums: Bars
    alt: str

    def __call__(self, room: Room) -> Html:
        fair = (room.height - GAP) // (len(self.weights) + len(self.sums.names))
        high = min(max(fair, LEAST), MOST)
        handles = column([_row(weight, high, room.width) for weight in self.weights], 0)
        bars = BarMeasures(self.sums, Room(room.width, 0), Fixed(SIDE, high - 6, 6))
        whole = column([handles, Part(bars.wide, bars.bottom, tuple(bars.shapes()))], GAP)
        return svg(whole.shapes, whole.width, whole.height, self.alt)


def _row(weight: Weight, high: float, width: float) -> Part:
    """The name, the bar with its grip, and the value."""
    step = int(min((width - NAME - VALUE - GRIP) / weight.most, STEP))
    long, most = step * weight.value, step * weight.most + GRIP
    key = f"weight/{weight.name}"
    about = dragged(weight.control, "x", step, say("weight of {name}", name=weight.name))
    track = rect(most, 2, y=high / 2 - 1, fill=HAIR)
    bar = rect(long, high - 10, y=5, fill=weight.fill, stroke=PANEL, stroke_width=1, data_key=f"{key}/box")
    grip = rect(GRIP, high - 6, 4, long - 2, 3, fill="currentColor", data_key=f"{key}/grip")
    catch = rect(24, high, x=long - 9, fill="transparent")
    shapes = (bar, grip, catch) if weight.control else (bar,)
    handle = element("g", *shapes, data_key=key, **(about if weight.control else {}))
    name = label(fitted(weight.name, NAME - 8), NAME - 8, high / 2 + 4.5, "end")
    value = words(weight.written, bold=True)._replace(width=VALUE)
    return row([Part(NAME - 8, high, (name,)), Part(most, high, (track, handle)), value], 6)
