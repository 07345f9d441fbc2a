"""How long Map takes with more and more workers: a lane for each worker, its cards in it, and grey where it is idle."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from kschedlab.messages import say
from kschedlab.text.html import Html, element
from kschedlab.text.words import count
from kschedlab_lab.views.cells import WORKERS
from kschedlab_lab.views.lettering import text_width
from kschedlab_lab.views.map_reduce import Piece
from kschedlab_lab.views.style import PANEL, TICK
from kschedlab_lab.views.svg import Room, label, rect, svg

GAP, LOWEST, HIGHEST = 10, 34, 120
"""What parts two blocks of lanes, and the least and the greatest height of one."""


class Lanes(NamedTuple):
    """``pieces``: what so many ``workers`` do; () if it is not known yet."""

    workers: int
    pieces: Sequence[Piece]


def draw_times(lanes: Sequence[Lanes], room: Room, alt: str) -> Html:
    """A block for each number of workers, all to one scale; an area of colour is work."""
    left = max(text_width(count(each.workers, "worker")) for each in lanes) + 14
    longest = max(_end(each) for each in lanes)
    tick = (room.width - left - text_width(count(longest, "tick"), bold=True) - 12) / longest
    high = min(max(room.height / len(lanes) - GAP, LOWEST), HIGHEST)
    shapes = [
        element("g", *_block(each, left, tick, high), transform=f"translate(0,{(high + GAP) * place:g})")
        for place, each in enumerate(lanes)
    ]
    return svg(shapes, room.width, (high + GAP) * len(lanes), alt)


def _end(lanes: Lanes) -> int:
    return max((piece.end for piece in lanes.pieces), default=0)


def _block(lanes: Lanes, left: float, tick: float, high: float) -> list[Html]:
    """One number of workers: its lanes below one another, and the ticks that they take."""
    end, lane, middle = _end(lanes), high / lanes.workers, high / 2 + 4.5
    shapes = [label(count(lanes.workers, "worker"), left - 8, middle, "end")]
    if end:
        shapes.append(rect(end * tick, high, None, left, fill=TICK, data_tip=say("grey: idle")))
    for piece in lanes.pieces:
        x, y, wide = left + piece.start * tick, (piece.worker - 1) * lane, (piece.end - piece.start) * tick
        fill, edge = WORKERS[(piece.worker - 1) % len(WORKERS)], min(1, lane / 5)
        shapes.append(rect(wide, lane, None, x, y, fill=fill, stroke=PANEL, stroke_width=edge))
    text = count(end, "tick") if end else "?"
    key = f"ticks/{lanes.workers}"
    return [*shapes, label(text, left + end * tick + 8, middle, font_weight="bold", data_key=key)]
