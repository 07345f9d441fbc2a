"""A node's gate: predicates in their order, and beside each what the pod wants and what the node has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from kschedlab.messages import say
from kschedlab.text.html import Html, element
from kschedlab.text.words import amount
from kschedlab_lab.views.icons import icon
from kschedlab_lab.views.layout import Part, column, moved, phrase, placed, words
from kschedlab_lab.views.lettering import flowed, folded
from kschedlab_lab.views.pieces import BADGE, Fact, Piece, bar, draw_badge
from kschedlab_lab.views.style import CHOSEN, EVICTED, EVICTED_SOFT, HAIR, INK, INK_2, ON_ACCENT, PANEL, TICK, TRAY
from kschedlab_lab.views.svg import Room, rect, svg

State: TypeAlias = Literal["ahead", "passed", "refuses", "not asked"]

DISC, BAR, EDGE = 20, 34, 4
"""The width of a sign; the height of the pods, and the edge of the tray around them."""
CLOSE, APART = 8, 40
"""The least and the greatest gap between rows."""
MOST, WIDE, NARROW = 640, 600, 400
"""The most width of the drawing. The least widths of rooms with each predicate's name beside its facts, in one line or
in two; else it is above."""


@dataclass(frozen=True)
class Lock:
    """A predicate, and in each line what pod and node have for it. ``now``: the line that it looks at; ``pick``: the
    row is an answer."""

    predicate: str
    state: State
    lines: tuple[tuple[Fact | None, Fact | None], ...]
    now: int | None = None
    pick: bool = False


@dataclass(frozen=True)
class Gate:
    """``web``: the pod, a ghost once it is on the node; ``pods``: on the node, to the scale of its ``capacity``.

    ``refuses``: why the node does not take the pod; ``chosen``: the pod is there.
    """

    locks: tuple[Lock, ...]
    web: Piece
    node: str
    capacity: int
    pods: tuple[Piece, ...]
    refuses: str = ""
    chosen: bool = False


def draw_gate(gate: Gate, alt: str, room: Room) -> Html:
    """The pod and the node as the heads of two columns, and the locks below them."""
    width = min(room.width, MOST) - 2 * EDGE
    name = 204 if width >= WIDE else 140 if width >= NARROW else DISC + 18
    wide = (width - name - 4) / 2 - 8
    lefts = (name, name + wide + 8)
    heads = [moved(_pod(gate, wide), lefts[0], 0), moved(_node(gate, wide), lefts[1], 0)]
    locks, top = [_lock(each, lefts, wide, width, gate.node) for each in gate.locks], BAR + 38
    spare = (room.height - top - 2 - sum(lock.height for lock in locks)) / len(locks)
    rows = column(locks, min(max(spare, CLOSE), APART))
    ends = locks[0].height / 2, rows.height - locks[-1].height / 2
    order = element("path", d=f"M{DISC / 2} {ends[0]:.1f}V{ends[1]:.1f}", stroke=HAIR, stroke_width=2)
    below = element("g", order, *rows.shapes, transform=f"translate(0,{top})")
    return svg([*heads, below], width + 2 * EDGE, top + rows.height + 2, alt, -EDGE)


def _pod(gate: Gate, wide: float) -> Part:
    size = gate.web.size / gate.capacity * (wide - 2 * EDGE)
    title = words(say("waiting"), 12, fill=INK_2)
    return column([title, Part(size, BAR, (bar(gate.web, (0, 4), size, BAR, not gate.chosen),))], 2)


def _node(gate: Gate, wide: float) -> Part:
    """The node's name and its tray with its pods; the pod is dropped here."""
    sign = "★ " if gate.chosen else "✕ " if gate.refuses else ""
    named = (sign + gate.node, CHOSEN if gate.chosen else "currentColor", True)
    name = phrase(named, (amount("cpu", gate.capacity), INK_2, False), size=13, gap=8)
    stroke, thick = (CHOSEN, 2.5) if gate.chosen else (HAIR, 1)
    fill = EVICTED_SOFT if gate.refuses else TRAY
    shapes = [rect(wide, BAR + 2 * EDGE, 11, y=18, stroke=stroke, fill=fill, stroke_width=thick)]
    x = float(EDGE)
    for piece in gate.pods:
        size = piece.size / gate.capacity * (wide - 2 * EDGE)
        shapes.append(bar(piece, (x, 18 + EDGE), size, BAR))
        x += size
    marks = {"data_refuses": gate.refuses or None, "data_accepts": "node"}
    ground = element("rect", width=wide, height=BAR + 26, fill="transparent")  # all of it takes the pod
    return Part(wide, BAR + 26, (element("g", ground, *name.shapes, *shapes, data_key=f"node/{gate.node}", **marks),))


def _lock(lock: Lock, lefts: Sequence[float], wide: float, width: float, node: str) -> Part:
    beside, refuses = lefts[0] > 3 * DISC, lock.state == "refuses"
    space = lefts[0] - DISC - 24 if beside else width - lefts[0]
    lines = folded(lock.predicate, space)
    name = column([words(each, 12, refuses, fill=EVICTED if refuses else None) for each in lines], 0)
    facts = [_line(each, lefts, wide, width, node, at == lock.now) for at, each in enumerate(lock.lines)]
    cells = column(facts, 2)
    top = 0 if beside else name.height
    high = max(top + cells.height, name.height) + 4
    ground = rect(width + 2 * EDGE, high, 11, x=-EDGE, fill=EVICTED_SOFT if refuses else "transparent")
    title = (DISC + 14, (high - name.height) / 2) if beside else (lefts[0], 1)
    said = element(
        "g", moved(name, *title), moved(cells, 0, top + 2), opacity=0.55 if lock.state == "not asked" else None
    )
    drawn = element("g", ground, moved(_sign(lock.state), 0, (high - DISC) / 2), said)
    marks = {"data_key": f"lock/{lock.predicate}", "data_pick": lock.predicate if lock.pick else None}
    return Part(width, high, (element("g", drawn, **marks),))


def _line(
    facts: tuple[Fact | None, Fact | None], lefts: Sequence[float], wide: float, width: float, node: str, now: bool
) -> Part:
    """What the pod wants beside what the node has."""
    shapes, high = list[Html](), BADGE + 2.0
    for fact, x, owner in zip(facts, lefts, ("pod/web", f"node/{node}"), strict=True):
        if fact is not None and not fact.sets:
            lines = column([words(each) for each in flowed(fact.text, wide - 24)], 0)
            shapes += [icon(fact.kind, x, 5, INK_2), moved(lines, x + 22, 5.5)]
            high = max(high, lines.height + 8)
        elif fact is not None:
            drawn, bottom = draw_badge(fact, owner, x, 2, x + wide)
            shapes.append(drawn)
            high = max(high, bottom - 3)
    band = [rect(width - lefts[0] + 8, high, 11, x=lefts[0] - 8, fill=TICK)] if now else []
    return Part(width, high, (*band, *shapes))


def _sign(state: State) -> Part:
    """What became of the predicate: a disc on the line that gives the order."""
    fill, ink, sign = {"passed": (INK, PANEL, "✓"), "refuses": (EVICTED, ON_ACCENT, "✕")}.get(state, (PANEL, INK, ""))
    disc = element(
        "circle", cx=DISC / 2, cy=DISC / 2, r=DISC / 2 - 1, fill=fill, stroke=HAIR if not sign else fill, stroke_width=2
    )
    text = words(sign, 11.2, bold=True, fill=ink)
    return Part(DISC, DISC, (disc, *([placed(text, DISC / 2, (DISC - text.height) / 2)] if sign else [])))
