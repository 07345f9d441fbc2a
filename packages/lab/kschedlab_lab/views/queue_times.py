"""The times of waiting pods below each other: by which of them a queue orders the pods."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kschedlab.build import clock_time
from kschedlab.messages import say
from kschedlab.objects.meta import SECOND
from kschedlab.text.html import Html, element
from kschedlab_lab.views.lettering import text_width
from kschedlab_lab.views.style import CHOSEN, HAIR, INK_2, INK_3, PANEL
from kschedlab_lab.views.svg import Room, label, svg

EDGE, LINE, RADIUS, CLOCK = 8, 24, 6, 46
"""The margin, the height of a line, the radius of a dot, and the width of its time."""


@dataclass(frozen=True)
class Time:
    """A time of a pod, in microseconds. ``counts``: whether the queue reads it."""

    pod: str
    field: str
    at: int
    counts: bool


def draw_times(times: Sequence[Time], caption: str, room: Room) -> Html:
    """A line for each time, with a dot at it, full if it counts; below, what comes of it."""
    names = max(text_width(each.pod, 12, bold=True) for each in times) + 10
    left = EDGE + names + max(text_width(each.field, 12) for each in times) + 16
    first, last = min(each.at for each in times), max(each.at for each in times)
    step = (room.width - EDGE - CLOCK - RADIUS - left) / max(last - first, 1)
    shapes = []
    for i, each in enumerate(times):
        x, y = left + (each.at - first) * step, LINE * (i + 0.5)
        look = {"fill": CHOSEN if each.counts else PANEL, "stroke": CHOSEN if each.counts else INK_3}
        ink = CHOSEN if each.counts else INK_2
        if i == 0 or each.pod != times[i - 1].pod:
            shapes.append(label(each.pod, EDGE, y + 4, font_size=12, font_weight="bold"))
        shapes += [
            label(each.field, EDGE + names, y + 4, font_size=12, fill=ink),
            element("path", d=f"M{left:.1f} {y}H{room.width - EDGE}", stroke=HAIR),
            element("circle", cx=round(x, 1), cy=y, r=RADIUS, stroke_width=2, **look),
            label(clock(each.at), x + RADIUS + 4, y - 2, font_size=12, fill=ink),
        ]
    bottom = LINE * len(times)
    key = say("full: v1.13 compares it")
    shapes += [
        label(caption, EDGE, bottom + 16, font_size=13, font_weight="bold"),
        label(key, room.width - EDGE, bottom + 16, "end", font_size=12, fill=INK_2),
    ]
    return svg(shapes, room.width, bottom + LINE, caption, size=13)


def clock(at: int) -> str:
    """The time of the day."""
    return clock_time(at // SECOND // 60 % (24 * 60))
