"""Equal nodes in turn: pods that wait, a counter that points at the next node, and what each node has got."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kschedlab.messages import say
from kschedlab.text.html import Html, element
from kschedlab_lab.views.cells import pills
from kschedlab_lab.views.lettering import flowed
from kschedlab_lab.views.style import HAIR, INK, TRAY, ink, priority_fill
from kschedlab_lab.views.svg import Room, label, svg

SQUARE, LINE, GAP, HEAD = 26, 30, 12, 26
"""Width of a pod with the gap beside it; height of a line; gap between nodes; height of a node's name."""


@dataclass(frozen=True)
class Turns:
    """Pods (kind, chosen node) in the order of their arrival, of which ``placed`` have arrived.

    ``kinds``: the square kind, then the round one. ``counts``: whether a counter decides; else the nodes are drawn.
    ``numbers``: how many nodes there can be.
    """

    nodes: Sequence[str]
    pods: Sequence[tuple[str, str]]
    placed: int
    kinds: tuple[str, str]
    counts: bool
    numbers: Sequence[int] = ()

    @property
    def following(self) -> int:
        """The place of the node to which the counter points."""
        return self.placed % len(self.nodes)

    def got(self, node: str) -> list[tuple[int, str]]:
        """The pods (number, kind) on this node."""
        arrived = enumerate(self.pods[: self.placed], 1)
        return [(number, kind) for number, (kind, chosen) in arrived if chosen == node]


def draw_turns(turns: Turns, room: Room, alt: str) -> Html:
    """The line of pods, the counter with its pointer, and the nodes."""
    wide = min((room.width - 4 + GAP) / len(turns.nodes), 330)
    each = max(int((wide - GAP - 12) / SQUARE), 1)
    most = max(sum(chosen == node for _, chosen in turns.pods) for node in turns.nodes)
    high = HEAD + max(-(-most // each), 1) * LINE + 22
    top = 3.0 * LINE + 24
    shapes = [label(say("next"), 2, 20, font_weight="bold")]
    step = min(SQUARE, (room.width - 48) / len(turns.pods))
    for place, (kind, _) in enumerate(turns.pods[turns.placed :]):
        number = turns.placed + place + 1
        shapes.append(_pod(number, kind == turns.kinds[0], 46 + place * step, 4))
    if turns.placed == len(turns.pods):
        shapes.append(label(say("all pods have their node"), 46, 20))
    shapes += [*_choices(turns), *_counter(turns, room.width, wide, top)]
    for place, node in enumerate(turns.nodes):
        shapes.append(_node(turns, node, 2 + place * wide, top, wide - GAP, high, each))
    return svg(shapes, room.width, top + high + 2, alt)


def _pod(number: int, square: bool, x: float, y: float) -> Html:
    """A pod: a square of one kind, a disc of the other."""
    size = SQUARE - 4
    look = {"fill": priority_fill(0), "stroke": HAIR}
    if square:
        shape = element("rect", width=size, height=size, rx=3, **look)
    else:
        shape = element("circle", cx=size / 2, cy=size / 2, r=size / 2, **look)
    number_in_it = label(str(number), size / 2, size / 2 + 4.2, "middle", fill=ink(priority_fill(0)))
    return element("g", shape, number_in_it, data_key=f"pod/{number}", transform=f"translate({x:.1f},{y:.1f})")


def _choices(turns: Turns) -> list[Html]:
    """How many nodes there are, and whether jobs arrive between the web pods."""
    numbers = [(str(each), f"equals: {each}", each == len(turns.nodes)) for each in turns.numbers]
    jobs = len(_kinds(turns)) > 1
    shapes = [label(say("equal nodes"), 2, LINE + 20), *pills(numbers, 78, LINE + 4, 36)]
    return [
        *shapes,
        *pills([(say("jobs between"), f"jobs: {'off' if jobs else 'on'}", jobs)], 84 + 36 * 3, LINE + 4, 112),
    ]


def _counter(turns: Turns, room: float, wide: float, top: float) -> list[Html]:
    """v1.13's lastNodeIndex with the node to which it points; later versions draw. ``wide``: of a node, with a gap."""
    if not turns.counts:
        lines = flowed(say("no counter: each of the equal nodes is drawn with the same chance"), room - 4)
        first = 2 * LINE + 22 - 8 * (len(lines) - 1)
        return [label(line, 2, first + 16 * i) for i, line in enumerate(lines)]
    place, number = turns.following, len(turns.nodes)
    value = element("rect", x=2, y=2 * LINE + 6, width=34, height=24, rx=4, fill="none", stroke=INK)
    shapes = [
        element(
            "g", value, label(str(turns.placed), 19, 2 * LINE + 23, "middle", font_weight="bold"), data_key="counter"
        ),
        label(f"lastNodeIndex; {turns.placed} % {number} = {place}", 44, 2 * LINE + 23),
    ]
    x = 2 + place * wide + (wide - GAP) / 2
    pointer = element("path", d="M-9 -12H9L0 0Z", fill=INK)
    return [*shapes, element("g", pointer, transform=f"translate({x:.1f},{top - 3:.1f})", data_key="pointer")]


def _node(turns: Turns, node: str, x: float, y: float, wide: float, high: float, each: int) -> Html:
    """A node with its pods, and how many of each kind it has."""
    box = element("rect", width=wide, height=high, rx=11, fill=TRAY, stroke=HAIR)
    shapes = [box, label(node, wide / 2, 18, "middle", font_weight="bold")]
    got = turns.got(node)
    for place, (number, kind) in enumerate(got):
        across, down = 8 + place % each * SQUARE, HEAD + place // each * LINE
        shapes.append(_pod(number, kind == turns.kinds[0], across, down))
    counted = ", ".join(f"{sum(kind == each for _, kind in got)} {each}" for each in _kinds(turns))
    shapes.append(label(counted, wide / 2, high - 8, "middle"))
    return element("g", *shapes, data_key=f"node/{node}", transform=f"translate({x:.1f},{y:.1f})")


def _kinds(turns: Turns) -> list[str]:
    return [kind for kind in turns.kinds if any(kind == each for each, _ in turns.pods)]
