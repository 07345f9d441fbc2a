"""A node's gate: predicates in their order, and beside each what the pod wants and what the node has."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from kschedlab.messages import say
from kschedlab.text.html import Html, element
from kschedlab.text.words import amount
from kschedlab_lab.views.icons import icon
from kschedlab_lab.views.layout import Part, column, moved, phrase, placed, words
from kschedlab_lab.views.lettering import flowed, folded, text_width
from kschedlab_lab.views.pieces import BADGE, Fact, Piece, bar, draw_badges
from kschedlab_lab.views.style import CHOSEN, EVICTED, EVICTED_SOFT, HAIR, INK, INK_2, INK_3, ON_ACCENT, PANEL, TRAY
from kschedlab_lab.views.svg import Room, rect, svg

State: TypeAlias = Literal["ahead", "passed", "refuses", "not asked"]

DISC, BAR = 23, 30
"""The width of a number; the height of the pods."""
CLOSE, APART = 12, 28
"""The least and the greatest gap between rows."""
MOST, WIDE, NARROW = 640, 500, 400
"""The most width of the drawing. The least widths of rooms with each predicate's name beside its facts, in one line or
in two; else it is above."""


@dataclass(frozen=True)
class Lock:
    """A row. ``number``: the predicate's place, or those of several; ``wants``, ``has``: facts of pod and node."""

    number: str
    predicate: str
    state: State
    wants: Fact | None = None
    has: Fact | None = None
    tip: str = ""


@dataclass(frozen=True)
class Gate:
    """``web``: the pod, a ghost once it is on the node; ``pods``: on the node, of which ``capacity`` is the CPU.
    A pod that asks for no CPU is as wide as its name.

    ``drop``, ``refuses``: what dropping the pod on the node sets, or why not; ``chosen``: the pod is there.
    """

    locks: tuple[Lock, ...]
    web: Piece
    node: str
    capacity: int
    pods: tuple[Piece, ...]
    drop: str = ""
    refuses: str = ""
    chosen: bool = False


def draw_gate(gate: Gate, alt: str, room: Room) -> Html:
    """The pod and the node as the heads of two columns, and the locks below them."""
    room = room._replace(width=min(room.width, MOST))
    name = 212 if room.width >= WIDE else 144 if room.width >= NARROW else DISC + 18
    wide = (room.width - name - 4) / 2 - 8
    lefts = (name, name + wide + 8)
    heads = [moved(_pod(gate, wide), lefts[0], 0), moved(_node(gate, wide), lefts[1], 0)]
    locks, top = [_lock(each, lefts, wide, room.width, gate.node) for each in gate.locks], BAR + 38
    spare = (room.height - top - 2 - sum(lock.height for lock in locks)) / len(locks)
    rows = column(locks, min(max(spare, CLOSE), APART))
    return svg([*heads, moved(rows, 0, top)], room.width, top + rows.height + 2, alt)


def _pod(gate: Gate, wide: float) -> Part:
    size = gate.web.size / gate.capacity * wide
    title = words(say("waiting"), 12, fill=INK_2)
    return column([title, Part(size, BAR, (bar(gate.web, (0, 4), size, BAR, not gate.chosen),))], 2)


def _node(gate: Gate, wide: float) -> Part:
    """The node's name and its tray with its pods; the pod is dropped here."""
    sign = "★ " if gate.chosen else "✕ " if gate.refuses else ""
    named = (sign + gate.node, CHOSEN if gate.chosen else "currentColor", True)
    name = phrase(named, (amount("cpu", gate.capacity), INK_2, False), size=13, gap=8)
    stroke, thick = (CHOSEN, 2.5) if gate.chosen else (HAIR, 1)
    fill = EVICTED_SOFT if gate.refuses else TRAY
    shapes = [rect(wide, BAR + 8, 11, y=18, stroke=stroke, fill=fill, stroke_width=thick)]
    shapes += _bars(gate.pods, gate.capacity, wide)
    marks = {"data_drop": gate.drop or None, "data_refuses": gate.refuses or None, "data_accepts": "node"}
    ground = element("rect", width=wide, height=BAR + 26, fill="transparent")  # all of it takes the pod
    return Part(wide, BAR + 26, (element("g", ground, *name.shapes, *shapes, data_key=f"node/{gate.node}", **marks),))


def _bars(pods: Sequence[Piece], capacity: int, wide: float) -> Iterator[Html]:
    """The pods of the tray. Those without a request leave room for the others' names; their own all fit, or none."""
    needs = {piece.name: text_width(piece.name, 12, True) + 14 for piece in pods}
    small = sum(needs[piece.name] for piece in pods if not piece.size)
    least = max((needs[piece.name] * capacity / piece.size for piece in pods if piece.size), default=0.0)
    share = min(1, (wide - 8 - least) / (small or 1))
    scale, x = (wide - 8 - share * small) / capacity, 4.0
    for piece in pods:
        long = piece.size * scale or needs[piece.name] * share
        yield bar(piece, (x, 22), long - 2, BAR, named=bool(piece.size) or share == 1)
        x += long


def _lock(lock: Lock, lefts: Sequence[float], wide: float, width: float, node: str) -> Part:
    pale = lock.state == "not asked"
    beside = lefts[0] > 3 * DISC
    bold = lock.state == "refuses"
    space = lefts[0] - DISC - 24 if beside else width - lefts[0]
    lines = folded(lock.predicate, space) if lock.predicate else []
    name = column([words(each, 12, bold, fill=EVICTED if bold else None) for each in lines], 0)
    top = 0 if beside else name.height
    cells = [*_facts(lock, lefts, wide, node)]
    high = (
        max(top + max((bottom for _, bottom in cells), default=0), top + 3 + BADGE, name.height) + 2
    )  # as high as with a badge
    ground = EVICTED_SOFT if lock.state == "refuses" else "transparent"
    shapes = [element("rect", x=-4, width=width + 4, height=high, rx=11, fill=ground)]
    shapes.append(moved(_number(lock), 0, (high - DISC) / 2))
    shapes.append(moved(name, DISC + 14, (high - name.height) / 2) if beside else moved(name, lefts[0], 1))
    shapes += [moved(Part(width, bottom, (html,)), 0, top) for html, bottom in cells]
    drawn = element("g", *shapes, opacity=0.55 if pale else None)
    key = f"lock/{lock.has.key if lock.has else lock.number}"
    return Part(width, high, (element("g", drawn, data_key=key, data_tip=lock.tip or None),))


def _facts(lock: Lock, lefts: Sequence[float], wide: float, node: str) -> Iterator[tuple[Html, float]]:
    """What the pod wants and the node has, and where each ends."""
    for fact, x, owner in zip((lock.wants, lock.has), lefts, ("pod/web", f"node/{node}"), strict=True):
        if fact is not None and not fact.sets:
            lines = column([words(each) for each in flowed(fact.text, wide - 24)], 0)
            yield element("g", icon(fact.kind, x, 6, INK_2), moved(lines, x + 22, 6.5)), lines.height + 8
        elif fact is not None:
            shapes, bottom = draw_badges([fact], owner, x, 3, x + wide)
            yield element("g", *shapes), bottom - 3


def _number(lock: Lock) -> Part:
    """The predicate's number on a disc: full if it was asked, with a cross if it refuses."""
    fill, ink = {"passed": (INK, PANEL), "refuses": (EVICTED, ON_ACCENT)}.get(lock.state, ("none", INK_3))
    sign = "✕" if lock.state == "refuses" else lock.number
    text = words(sign, 11.2, bold=True, fill=ink)
    wide = max(DISC, text.width + 8)
    rect = element("rect", width=wide, height=DISC, rx=DISC / 2, fill=fill, stroke=HAIR if fill == "none" else None)
    return Part(wide, DISC, (rect, placed(text, wide / 2, (DISC - text.height) / 2)))
