"""Weights as bars to drag, the sums that they give, and who wins over all values of two of them: one SVG."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from kschedlab.messages import say
from kschedlab.text.html import Html, element
from kschedlab_lab.views.chart_bars import Bars, Plan as BarPlan
from kschedlab_lab.views.chart_grid import Grid, Plan as GridPlan
from kschedlab_lab.views.lettering import fitted
from kschedlab_lab.views.style import PANEL
from kschedlab_lab.views.svg import Room, label, svg

ROW, NAME, STEP, LEFT, BESIDE, GAP = 22, 138, 14, 312, 520, 16
"""Height of a weight's row, width of its name and of one of its values; of the left half; least width of a room with
the map beside it; a gap. In pixels."""


@dataclass(frozen=True)
class Weight:
    """``name``: on the row; ``control``: its setting; ``axes``: settings that make it the map's rows or columns."""

    name: str
    control: str
    value: int
    written: str
    fill: str
    most: int
    down: str
    across: str
    is_down: bool
    is_across: bool


@dataclass(frozen=True)
class WeightStage:
    """``weights``: the handles; ``sums``: the bars that they give; ``winners``: the map, with its axes."""

    weights: Sequence[Weight]
    sums: Bars
    winners: Grid
    alt: str

    def __call__(self, room: Room) -> Html:
        beside = room.width >= BESIDE
        left = LEFT if beside else room.width
        handles = 22 + ROW * len(self.weights)
        bars = BarPlan(self.sums, Room(left, max(room.height - handles - GAP, 120)))
        place = (left + GAP, 0) if beside else (0, handles + GAP + bars.end + GAP)
        map_room = Room(room.width - left - GAP, room.height) if beside else Room(room.width, 300)
        winners = GridPlan(self.winners, map_room)
        shapes = [
            *self._handles(),
            element("g", *bars.shapes(), transform=f"translate(0,{handles + GAP})"),
            element("g", *winners.shapes(), transform=f"translate({place[0]:g},{place[1]:g})"),
        ]
        end = max(handles + GAP + bars.end, place[1] + winners.bottom)
        return svg(shapes, max(left, place[0] + winners.width), end, self.alt)

    def _handles(self) -> Iterable[Html]:
        yield label(say("weight"), NAME + 4, 14, font_style="italic")
        yield label(say("map"), LEFT - 40, 14, font_style="italic")
        for i, each in enumerate(self.weights):
            yield element("g", *_row(each), data_key=f"weight/{each.name}", transform=f"translate(0,{22 + ROW * i})")


def _row(weight: Weight) -> Iterable[Html]:
    """The name, the bar with its grip, the value, and the two axes that the weight can be."""
    long, middle = STEP * weight.value, ROW / 2 + 4.5
    yield label(fitted(weight.name, NAME - 8), NAME - 4, middle, "end")
    track = {"x": NAME, "y": ROW / 2 - 1, "width": STEP * weight.most + 10, "height": 2}
    yield element("rect", **track, fill="currentColor", fill_opacity=0.25)
    box: dict[str, Any] = {"x": NAME, "y": 3, "width": long, "height": ROW - 6, "fill": weight.fill}
    bar = element("rect", **box, stroke=PANEL, stroke_width=1, data_key=f"weight/{weight.name}/box")
    grip = {"x": NAME + long - 2, "y": 1, "width": 10, "height": ROW - 2, "rx": 4}
    key = f"weight/{weight.name}/grip"
    handle = element("rect", **grip, fill="currentColor", data_key=key)
    about: dict[str, Any] = {"data_drag": weight.control, "data_axis": "x", "data_step": STEP}
    yield element("g", bar, handle, **about, aria_label=say("weight of {name}", name=weight.name))
    yield label(weight.written, NAME + STEP * weight.most + 16, middle, font_weight="bold")
    for sign, x, sets, on, tip in (
        ("↓", LEFT - 48, weight.down, weight.is_down, say("{name} down on the map", name=weight.name)),
        ("→", LEFT - 24, weight.across, weight.is_across, say("{name} across on the map", name=weight.name)),
    ):
        mark = element(
            "rect", x=x, y=2, width=20, height=ROW - 4, rx=3, fill="currentColor", fill_opacity=0.3 if on else 0.06
        )
        words = label(sign, x + 10, middle, "middle", font_weight="bold" if on else None, opacity=None if on else 0.6)
        yield element("g", mark, words, data_set=sets, data_tip=tip, aria_label=tip)
