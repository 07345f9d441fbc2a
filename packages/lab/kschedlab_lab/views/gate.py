"""A node's gate: predicates in their order, and beside each what the pod wants and what the node has."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from kschedlab.messages import say
from kschedlab.text.html import Html, element
from kschedlab_lab.views.drawing import HEAD, Arrangement, Block, Box, Place, shapes
from kschedlab_lab.views.icons import icon
from kschedlab_lab.views.layout import Part, column, moved, placed, words
from kschedlab_lab.views.lettering import flowed, text_width
from kschedlab_lab.views.picture import WAITING
from kschedlab_lab.views.style import EVICTED, EVICTED_SOFT, HAIR, INK, INK_2, ON_ACCENT, PANEL, TRAY
from kschedlab_lab.views.svg import Room, rect, svg

DISC, EDGE, BADGE = 20, 4, 26
"""The width of a sign; the space between columns and around rows; the height of a badge."""
NODE, MOST_NODE, TITLE = 58, 190, 18
"""The height and the greatest width of the node; the height of the title above the pod that waits."""
CLOSE, APART, MOST, LEFT = 4, 40, 640, 38
"""The least and the greatest gap between rows; the most width of the drawing; where its columns begin."""
BROAD, BROADEST = 740, 800
"""From the first width on the names of the predicates have a column of their own; the most width then."""


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
    """A predicate. ``sign``: ✓ if it lets the pod pass, ✕ if it refuses, "" if it was not asked; ``fixed``: nothing can
    be changed, and what is not there is not drawn."""

    predicate: str
    sign: str
    facts: tuple[Fact, ...]
    fixed: bool


@dataclass(frozen=True)
class Gate:
    """``waiting``: the pod, until it is on the ``node``."""

    locks: tuple[Lock, ...]
    waiting: tuple[Block, ...]
    node: Box


def draw_gate(gate: Gate, alt: str, room: Room) -> Html:
    """The pod and the node as the heads of two columns, and the locks below them."""
    broad = room.width >= BROAD
    width = min(room.width, BROADEST if broad else MOST) - 2 * EDGE
    names = max(text_width(lock.predicate, 13, bold=True) for lock in gate.locks) + 32 if broad else 0
    left = LEFT + names
    wide = (width - left) / 2 - EDGE
    each = min(wide - EDGE, MOST_NODE)
    places = (Place(left, TITLE, each, NODE), Place(left + wide + EDGE, TITLE, each, NODE))
    plan = Arrangement(places, width, TITLE + NODE)
    heads = shapes((Box(WAITING, 0, gate.waiting), gate.node), plan, "cpu", captions=False)
    locks, top = [_lock(each, wide, width, left) for each in gate.locks], TITLE + NODE + HEAD + 4
    spare = (room.height - top - 2 - sum(lock.height for lock in locks)) / len(locks)
    rows = column(locks, min(max(spare, CLOSE), APART))
    ends = locks[0].height / 2, rows.height - locks[-1].height / 2
    order = element("path", d=f"M{DISC / 2} {ends[0]:.1f}V{ends[1]:.1f}", stroke=HAIR, stroke_width=2)
    below = element("g", order, *rows.shapes, transform=f"translate(0,{top})")
    return svg([*heads, below], width + 2 * EDGE, top + rows.height + 2, alt, -EDGE)


def _lock(lock: Lock, wide: float, width: float, left: float) -> Part:
    """The predicate's sign and name, and its facts below it, or beside it where they begin further to the right."""
    refuses = lock.sign == "✕"
    name = words(lock.predicate, 13, refuses, fill=EVICTED if refuses else None)
    facts = [_line(each, wide, lock.fixed) for each in lock.facts]
    beside = left > LEFT
    lines = column(facts if beside else [name, *facts], 1)
    high = lines.height + 4
    ground = rect(width + 2 * EDGE, high, 11, x=-EDGE, fill=EVICTED_SOFT if refuses else "transparent")
    shapes = [ground, moved(_sign(lock.sign), 0, (high - DISC) / 2)]
    if beside:
        shapes.append(moved(name, LEFT, (high - name.height) / 2))
    shapes.append(moved(lines, left, 1))
    return Part(width, high, (element("g", *shapes, data_key=f"lock/{lock.predicate}"),))


def _line(fact: Fact, wide: float, fixed: bool) -> Part:
    """What the pod wants, beside it what the node has: a badge that a click puts there or takes away."""
    wants = column([words(line, 13) for line in flowed(fact.wants, wide - 26, 13)], 0)
    shapes = [icon(fact.kind, 0, 5, INK_2), moved(wants, 22, 4)]
    high = max(wants.height + 8, BADGE)
    if fact.there or not fixed:
        badge, aloud = _badge(fact, wide), say("{fact}: on" if fact.there else "{fact}: off", fact=fact.has)
        high = max(high, badge.height)
        switch = {} if fixed else {"data_set": fact.sets, "aria_label": aloud}
        shapes.append(moved(badge, wide + EDGE, 0, data_key=f"has/{fact.name}", **switch))
    return Part(2 * wide, high, tuple(shapes))


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
