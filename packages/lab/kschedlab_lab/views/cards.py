"""A node as a card: as long as the ticks that Map takes for it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from kschedlab.messages import say
from kschedlab.text.html import Html, element
from kschedlab.text.words import count
from kschedlab_lab.views.lettering import text_width
from kschedlab_lab.views.style import HAIR, INK_2, TRAY, ink
from kschedlab_lab.views.svg import label, rect

NUMBER, LETTER = 24, 12
"""Width of a worker before its lane, and of a letter with what is free beside it, in pixels."""


@dataclass(frozen=True)
class Piece:
    """A worker (1, 2, ...) works on the node with this index, from the end of tick ``start`` to that of ``end``."""

    node: int
    worker: int
    start: int
    end: int

    @property
    def ticks(self) -> int:
        return self.end - self.start


def last_tick(work: Iterable[Piece]) -> int:
    """The tick after which all of the work has ended."""
    return max(piece.end for piece in work)


def draw_card(piece: Piece, name: str, at: tuple[float, float], tick: float, high: float, fill: str, done: int) -> Html:
    """The card of the node with this name. ``tick``: how long a tick is; so many ticks are ``done``, and have the
    fill."""
    long = piece.ticks * tick - 2
    is_done = done >= piece.ticks
    box = rect(round(long, 1), round(high - 2, 1), 4, fill=fill if is_done else TRAY, stroke=HAIR if done else INK_2)
    part = rect(round(done * tick, 1), round(high - 2, 1), 4, fill=fill) if 0 < done < piece.ticks else None
    fits = text_width(name) <= long
    middle, colour = min(max(tick, LETTER), long) / 2, ink(fill) if done * tick >= LETTER else None
    words = label(name, round(middle, 1), round(high / 2 + 3.2, 1), "middle", fill=colour)
    tip = say("node-{node}: {ticks}", node=name, ticks=count(piece.ticks, "tick"))
    marks = {"data_key": f"card/{piece.node}", "data_tip": tip, "transform": f"translate({at[0]:.1f},{at[1]:.1f})"}
    return element("g", box, part, words if fits else None, **marks)
