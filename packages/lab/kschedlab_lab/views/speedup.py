"""How long Map takes with ever more workers: the lanes of one number of workers, and a bar for each number."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from kschedlab.messages import say
from kschedlab.text.html import Html, element
from kschedlab.text.words import count
from kschedlab_lab.views.cards import NUMBER, Piece, draw_card, last_tick
from kschedlab_lab.views.cells import WORKERS, Dial
from kschedlab_lab.views.lettering import text_width
from kschedlab_lab.views.style import ACT, HAIR, INK, INK_2, TRAY
from kschedlab_lab.views.svg import Room, dragged, label, rect, svg

TOP, FOOT, GAP, SHARE, TALLEST, LEAST, TICKS = 34, 36, 22, 0.46, 42, 13, 18
"""Heights: of the line above the lanes and of the one below the bars, between both pictures; the share of the lanes;
a lane at most and at least; of the ticks below the cards in the channel."""

CLOSE, FEW = 18, (1, 2, 4, 6, 8, 10, 12, 14, 16)
"""The least width of a bar with a number below each; the numbers that have one without that room."""


@dataclass(frozen=True)
class Speed:
    """``work``: who does what; ``times``: by number of workers how long Map takes, as far as that is known;
    ``longest``: the ticks of the longest card; ``most``: the ticks that the picture has room for; ``dragged``: the
    node whose card can be dragged; ``asks``: whether the cards are still in the channel."""

    names: Sequence[str]
    work: Sequence[Piece]
    workers: int
    numbers: Sequence[int]
    times: Mapping[int, int]
    longest: int
    most: int
    dragged: int
    asks: bool = False

    @property
    def last(self) -> int:
        """The tick after which Map has ended."""
        return last_tick(self.work)

    @property
    def deciding(self) -> set[int]:
        """The workers that end last."""
        return {piece.worker for piece in self.work if piece.end == self.last}


class _Plan(NamedTuple):
    """Where everything is: how long a tick is, how high a lane; where the bars begin and stand, how wide one is, and
    how high one tick of it."""

    tick: float
    lane: float
    top: float
    foot: float
    bar: float
    unit: float


def draw_speedup(now: Speed, dials: tuple[Dial, ...], room: Room, alt: str) -> Html:
    """Above the lanes, below them the bars. ``dials``: how many workers there are, how long one card is."""
    wide, spare = room.width - NUMBER - 8, max(room.height - TOP - GAP - FOOT, 300)
    started = len({piece.worker for piece in now.work})
    area = SHARE * spare
    top = TOP + area + GAP
    unit = (spare - area - 18) / now.most
    plan = _Plan(
        wide / now.most,
        min(max(area / started, LEAST), TALLEST),
        top,
        top + spare - area,
        wide / len(now.numbers),
        unit,
    )
    shapes = _channel(now, plan) if now.asks else _dialled(dials, room.width)
    shapes += [*_lanes(now, plan), *_bars(now, plan), *_axis(now, plan, room.width)]
    return svg(shapes, room.width, plan.foot + FOOT, alt)


def _dialled(dials: tuple[Dial, ...], wide: float) -> list[Html]:
    """The numbers that can be changed."""
    workers, longest = dials
    return [workers.drawn(NUMBER + 96, 14), longest.drawn(wide - 2, 14)]


def _channel(now: Speed, plan: _Plan) -> list[Html]:
    """All cards in a line, none of them taken, each above its ticks."""
    shapes = []
    for piece in now.work:
        ahead = sum(each.ticks for each in now.work if each.node < piece.node)
        at = NUMBER + ahead * plan.tick, 2.0
        shapes.append(draw_card(piece, now.names[piece.node], at, plan.tick, 24, TRAY, 0))
        middle = at[0] + piece.ticks * plan.tick / 2 - 1
        shapes.append(label(str(piece.ticks), middle, 26 + TICKS - 4, "middle", fill=INK_2))
    end = NUMBER + sum(piece.ticks for piece in now.work) * plan.tick
    return [*shapes, label(say("ticks"), end + 4, 26 + TICKS - 4, fill=INK_2)]


def _lanes(now: Speed, plan: _Plan) -> list[Html]:
    """A lane for each worker that starts: its cards one after the other, its number bold if it ends last."""
    workers = sorted({piece.worker for piece in now.work})
    top = TOP + (TICKS if now.asks else 0)
    bottom = top + plan.lane * len(workers)
    ticks = 0 if now.asks else now.last
    ruler = "".join(f"M{NUMBER + tick * plan.tick:.1f} {top:g}V{bottom:g}" for tick in range(ticks + 1))
    shapes = [element("path", d=ruler, stroke=HAIR)]
    for place, worker in enumerate(workers):
        y, is_last = top + place * plan.lane, worker in now.deciding and not now.asks
        weight = "bold" if is_last else None
        shapes.append(label(str(worker), NUMBER - 8, y + plan.lane / 2 + 4, "end", font_weight=weight))
        shapes += [] if now.asks else _taken(now, plan, worker, y)
    return shapes if now.asks else [*shapes, *_end(now, plan, bottom)]


def _taken(now: Speed, plan: _Plan, worker: int, y: float) -> list[Html]:
    """The cards in a worker's lane, one of which can be dragged."""
    shapes, fill = [], WORKERS[(worker - 1) % len(WORKERS)]
    for piece in now.work:
        if piece.worker == worker:
            at = NUMBER + piece.start * plan.tick, y + 1
            card = draw_card(piece, now.names[piece.node], at, plan.tick, plan.lane, fill, piece.ticks)
            shapes.append(element("g", card, **_grip(now, plan)) if piece.node == now.dragged else card)
    return shapes


def _grip(now: Speed, plan: _Plan) -> dict[str, Any]:
    """What makes a card longer or shorter."""
    said = say("ticks of node-{node}", node=now.names[now.dragged])
    return {**dragged("ticks", "x", round(plan.tick, 1), said), "data_key": "grip"}


def _end(now: Speed, plan: _Plan, bottom: float) -> list[Html]:
    """A line where Map has ended, and after how many ticks that is: beside it or, without room, below."""
    x, words = NUMBER + now.last * plan.tick, say("{ticks} ticks", ticks=now.last)
    line = element("path", d=f"M{x:.1f} {TOP - 4}V{bottom + 4:.1f}", stroke=INK, stroke_width=2, data_key="end")
    has_room = x + 1.6 * text_width(words, bold=True) + 8 < NUMBER + now.most * plan.tick
    place = (x + 8, (TOP + bottom) / 2 + 6, "start") if has_room else (x, bottom + 22, "end")
    return [line, label(words, *place, font_weight="bold", font_size=18, data_key="ticks")]


def _bars(now: Speed, plan: _Plan) -> list[Html]:
    """A bar for each number of workers, as high as Map takes ticks, to be clicked."""
    shapes = list[Html]()
    for place, number in enumerate(now.numbers):
        mine, ticks = number == now.workers, now.times.get(number)
        high, weight = (ticks or 0) * plan.unit, "bold" if mine else None
        bar = rect(round(plan.bar - 4, 1), round(high, 1), 3, 2, round(-high, 1), fill=ACT if mine else HAIR)
        value = str(ticks) if ticks is not None else "?" if mine else ""
        is_named = plan.bar >= CLOSE or mine or number in FEW
        inside = [
            bar if ticks is not None else None,
            label(value, plan.bar / 2, -high - 5, "middle", font_weight=weight) if value else None,
            label(str(number), plan.bar / 2, 16, "middle", font_weight=weight) if is_named else None,
        ]
        marks = {"data_key": f"time/{number}"}
        if not now.asks:
            marks |= {"data_set": f"workers: {number}", "aria_label": say("workers: {number}", number=number)}
        at = f"translate({NUMBER + place * plan.bar:.1f},{plan.foot:.1f})"
        shapes.append(element("g", *inside, transform=at, **marks))
    return shapes


def _axis(now: Speed, plan: _Plan, wide: float) -> list[Html]:
    """What the bars are; the longest card as a line that no bar goes below."""
    foot = element("path", d=f"M{NUMBER} {plan.foot:.1f}H{wide - 8}", stroke=INK_2)
    shapes = [foot, label(say("workers"), wide - 8, plan.foot + 31, "end", fill=INK_2)]
    if now.asks:
        return shapes
    y = plan.foot - now.longest * plan.unit
    line = element("path", d=f"M{NUMBER} {y:.1f}H{wide - 8}", stroke=INK_2, stroke_width=1.5, stroke_dasharray="4 3")
    words = say("longest card: {ticks}", ticks=count(now.longest, "tick"))
    return [*shapes, element("g", line, label(words, wide - 8, y - 24, "end", fill=INK_2), data_key="longest")]
