"""Functions in their order as discs on a line: which were called, which one runs, where it ended."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from kschedlab.text.html import element
from kschedlab_lab.views.layout import NOTHING, Part, column, moved, placed, words
from kschedlab_lab.views.lettering import flowed
from kschedlab_lab.views.style import EVICTED, HAIR, INK, INK_2, INK_3, ON_ACCENT, PANEL, TRAY

StopState: TypeAlias = Literal["ahead", "here", "passed", "failed", "not asked"]
RADIUS, SMALL, LEAST = 10, 11.2, 48
"""The size of a disc and of a name; the least width of a stop with its name."""
SIGNS = {"here": "▶", "passed": "✓", "failed": "✕"}


@dataclass(frozen=True)
class Stop:
    """A function. ``tip``: what it does."""

    name: str
    state: StopState = "ahead"
    tip: str = ""


def rail(stops: Sequence[Stop], width: float) -> Part:
    """All stops on a line as wide as this, their names below it, or on two or three if the names need it.

    Where they fit on none, one line has the name of the latest alone.
    """
    for rows in (1, 2, 3):
        row = -(-len(stops) // rows)
        if width / row > LEAST and all(len(_lines(stop, width / row)) <= 2 for stop in stops):
            return column(
                [_rail(stops, range(len(stops))[at : at + row], width / row) for at in range(0, len(stops), row)], 4
            )
    return _rail(stops, range(len(stops)), width / len(stops), named=False)


def _lines(stop: Stop, space: float) -> list[str]:
    return flowed(stop.name, space - 4, SMALL, stop.state in ("here", "failed"))


def _rail(stops: Sequence[Stop], shown: range, space: float, named: bool = True) -> Part:
    """These stops on one line. ``named``: all of them, else the latest."""
    now = max((at for at, stop in enumerate(stops) if stop.state in SIGNS), default=0)
    width = space * len(shown)
    shapes = [element("path", d=f"M{space / 2:g} {RADIUS + 1}H{width - space / 2:g}", stroke=HAIR, stroke_width=2)]
    for place, at in enumerate(shown):
        stop, name = stops[at], NOTHING
        if named or at == now:
            colour = EVICTED if stop.state == "failed" else "currentColor" if at == now else INK_2
            texts = _lines(stop, space) if named else [stop.name]
            name = column([words(text, SMALL if named else 12, at == now, fill=colour) for text in texts], 0, "middle")
        middle = space * (place + 0.5)
        left = min(max(middle - name.width / 2, 0), width - name.width)
        parts = [moved(_disc(stop.state), middle - RADIUS, 1), moved(name, left, 2 * RADIUS + 6)]
        shapes.append(element("g", *parts, data_key=f"function/{at}", data_tip=stop.tip or stop.name))
    return Part(width, 2 * RADIUS + (38 if named else 24), tuple(shapes))


def _disc(state: StopState) -> Part:
    fill = {"here": INK, "failed": EVICTED, "passed": TRAY}.get(state, PANEL)
    stroke = {"here": INK, "failed": EVICTED, "passed": INK}.get(state, INK_3 if state == "ahead" else HAIR)
    circle = element("circle", cx=RADIUS, cy=RADIUS, r=RADIUS - 1, fill=fill, stroke=stroke, stroke_width=1.5)
    ink = {"here": PANEL, "failed": ON_ACCENT}.get(state, INK)
    sign = words(SIGNS.get(state, ""), SMALL, bold=True, fill=ink)
    return Part(2 * RADIUS, 2 * RADIUS, (circle, placed(sign, RADIUS, RADIUS - 7.5)))
