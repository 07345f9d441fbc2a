"""A node's gate: predicates in their order, and beside each what the pod wants and what the node has."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from kschedlab.messages import say
from kschedlab.text.html import Html, element
from kschedlab_lab.views.icons import icon
from kschedlab_lab.views.layout import Part, column, moved, placed, words
from kschedlab_lab.views.lettering import flowed, text_width
from kschedlab_lab.views.pieces import Piece, bar
from kschedlab_lab.views.style import CHOSEN, EVICTED, EVICTED_SOFT, HAIR, INK, INK_2, ON_ACCENT, PANEL, TRAY
from kschedlab_lab.views.svg import Room, rect, svg

DISC, BAR, EDGE, BADGE = 20, 34, 4, 26
"""The width of a sign; the heights of the pods, of the edge of the tray around them, and of a badge."""
CLOSE, APART, MOST, LEFT = 4, 40, 640, 38
"""The least and the greatest gap between rows; the most width of the drawing; where its columns begin."""


@dataclass(frozen=True)
class Fact:
    """What the pod ``wants``, and what the node ``has`` if the obstacle is ``there``; a click on it sets ``sets``."""

    name: str
    kind: str
    wants: str
    has: str
    there: bool
    refuses: bool
    sets: str


@dataclass(frozen=True)
class Lock:
    """A predicate. ``sign``: ✓ if it lets the pod pass, ✕ if it refuses, "" if it was not asked; ``pick``: the row is
    an answer, and what is not there is not drawn."""

    predicate: str
    sign: str
    facts: tuple[Fact, ...]
    pick: bool


@dataclass(frozen=True)
class Gate:
    """``web``: the pod, a ghost once it is on the node; ``pods``: on the node, to the scale of its ``capacity``."""

    locks: tuple[Lock, ...]
    web: Piece
    node: str
    capacity: int
    pods: tuple[Piece, ...]


def draw_gate(gate: Gate, alt: str, room: Room) -> Html:
    """The pod and the node as the heads of two columns, and the locks below them."""
    width = min(room.width, MOST) - 2 * EDGE
    wide = (width - LEFT) / 2 - EDGE
    heads = [moved(_pod(gate, wide), LEFT, 0), moved(_node(gate, wide), LEFT + wide + EDGE, 0)]
    locks, top = [_lock(each, wide, width) for each in gate.locks], BAR + 34
    spare = (room.height - top - 2 - sum(lock.height for lock in locks)) / len(locks)
    rows = column(locks, min(max(spare, CLOSE), APART))
    ends = locks[0].height / 2, rows.height - locks[-1].height / 2
    order = element("path", d=f"M{DISC / 2} {ends[0]:.1f}V{ends[1]:.1f}", stroke=HAIR, stroke_width=2)
    below = element("g", order, *rows.shapes, transform=f"translate(0,{top})")
    return svg([*heads, below], width + 2 * EDGE, top + rows.height + 2, alt, -EDGE)


def _pod(gate: Gate, wide: float) -> Part:
    size = gate.web.size / gate.capacity * (wide - 2 * EDGE)
    return column([words(say("waiting"), 13, fill=INK_2), Part(size, BAR, (bar(gate.web, (0, 4), size, BAR),))], 1)


def _node(gate: Gate, wide: float) -> Part:
    """The node's name and its tray with its pods."""
    there = any(piece.name == gate.web.name for piece in gate.pods)
    refused = any(lock.sign == "✕" for lock in gate.locks)
    sign, fill, stroke = ("★ ", CHOSEN, CHOSEN) if there else ("✕ " if refused else "", "currentColor", HAIR)
    name = words(sign + gate.node, 13, bold=True, fill=fill)
    look: dict[str, Any] = {"fill": EVICTED_SOFT if refused else TRAY, "stroke": stroke}
    shapes = [rect(wide, BAR + 2 * EDGE, 11, y=18, **look, stroke_width=2.5 if there else 1)]
    x = float(EDGE)
    for piece in gate.pods:
        size = piece.size / gate.capacity * (wide - 2 * EDGE)
        shapes.append(bar(piece, (x, 18 + EDGE), size, BAR))
        x += size
    return Part(wide, BAR + 26, (element("g", *name.shapes, *shapes, data_key=f"node/{gate.node}"),))


def _lock(lock: Lock, wide: float, width: float) -> Part:
    """The predicate's sign and name, and its facts below it."""
    refuses = lock.sign == "✕"
    name = words(lock.predicate, 13, refuses, fill=EVICTED if refuses else None)
    lines = column([name, *(_line(each, wide, lock.pick) for each in lock.facts)], 1)
    high = lines.height + 4
    ground = rect(width + 2 * EDGE, high, 11, x=-EDGE, fill=EVICTED_SOFT if refuses else "transparent")
    shapes = [ground, moved(_sign(lock.sign), 0, (high - DISC) / 2), moved(lines, LEFT, 1)]
    marks = {"data_key": f"lock/{lock.predicate}", "data_pick": lock.predicate if lock.pick else None}
    return Part(width, high, (element("g", *shapes, **marks),))


def _line(fact: Fact, wide: float, asks: bool) -> Part:
    """What the pod wants, beside it what the node has: a badge that a click puts there or takes away."""
    wants = column([words(line, 13) for line in flowed(fact.wants, wide - 26, 13)], 0)
    shapes = [icon(fact.kind, 0, 5, INK_2), moved(wants, 22, 4)]
    high = max(wants.height + 8, BADGE)
    if fact.there or not asks:
        badge = _badge(fact, wide)
        high = max(high, badge.height)
        switch = {} if asks else {"data_set": fact.sets, "aria_label": _aloud(fact)}
        shapes.append(moved(badge, wide + EDGE, 0, data_key=f"has/{fact.name}", **switch))
    return Part(2 * wide, high, tuple(shapes))


def _aloud(fact: Fact) -> str:
    return say("{fact}: on" if fact.there else "{fact}: off", fact=fact.has)


def _badge(fact: Fact, most: float) -> Part:
    """The node's side of the obstacle; a plus invites to put it there."""
    sign = "✕ " if fact.refuses else "" if fact.there else "+ "
    wide = min(text_width(sign + fact.has, 13) + 20, most)
    text = column([words(line, 13) for line in flowed(sign + fact.has, wide - 16, 13)], 0)
    stroke, thick = (EVICTED, 1.5) if fact.refuses else (HAIR, 1)
    look: dict[str, Any] = {"stroke": stroke, "stroke_width": thick, "stroke_dasharray": None if fact.there else "4 3"}
    high = text.height + 7
    box = rect(wide, high, 11, fill=TRAY if fact.there else "transparent", **look)
    return Part(wide, high + 2, (box, moved(text, 10, 3)))


def _sign(sign: str) -> Part:
    """What became of the predicate: a disc on the line that gives the order."""
    fill, ink = {"✓": (INK, PANEL), "✕": (EVICTED, ON_ACCENT)}.get(sign, (PANEL, INK))
    look: dict[str, Any] = {"r": DISC / 2 - 1, "fill": fill, "stroke": fill if sign else HAIR, "stroke_width": 2}
    disc = element("circle", cx=DISC / 2, cy=DISC / 2, **look)
    text = words(sign, 11.2, bold=True, fill=ink)
    return Part(DISC, DISC, (disc, placed(text, DISC / 2, (DISC - text.height) / 2)))
