"""Which of several equal nodes comes out of a heap first: the list as a tree, swap by swap."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kschedlab.views.cells import INK, STAR, UNCHANGED
from kschedlab.views.html import Html, element
from kschedlab.views.style import CHOSEN, ink
from kschedlab.views.svg import Room, label, svg

WIDE, HIGH, LEVEL, STEP, LEGEND = 120, 34, 62, 10, 22
"""Size of a node in the tree, height of a level, pixels of a drag for one point, height of the legend."""
PLACES = ((0.5, 0), (0.25, 1), (0.75, 1), (0.15, 2), (0.38, 2), (0.62, 2), (0.88, 2))
"""Where the places of the heap stand: share of the width, level."""


@dataclass(frozen=True)
class Heap:
    """Names and scores in the heap's order. ``swapped``: the two places of the latest swap; ``ready``: Init is done."""

    items: Sequence[tuple[str, int]]
    swapped: tuple[int, int] | None
    ready: bool


def draw_heap(heap: Heap, controls: dict[str, str], room: Room, alt: str) -> Html:
    """The tree: children below their parent, each place with its index. ``controls``: by name, its score's setting."""
    wide = min(room.width, 620)
    spots = [(share * wide, 4.0 + level * LEVEL) for share, level in PLACES[: len(heap.items)]]
    shapes = []
    for place in range(1, len(spots)):
        (x1, y1), (x2, y2) = spots[(place - 1) // 2], spots[place]
        bold = 3 if heap.swapped == ((place - 1) // 2, place) else 1
        path = f"M{x1:.1f} {y1 + HIGH:.1f}L{x2:.1f} {y2:.1f}"
        shapes.append(element("path", d=path, stroke=INK, stroke_width=bold))
    for place, (name, score) in enumerate(heap.items):
        x, y = spots[place]
        shapes.append(label(f"[{place}]", x - WIDE / 2 - 5, y + HIGH / 2 + 4, "end"))
        tie = heap.ready and score == heap.items[0][1] and [each for _, each in heap.items].count(score) > 1
        shapes.append(_item(name, score, (heap.ready and place == 0, tie), x - WIDE / 2, y, controls[name]))
    bottom = spots[-1][1] + HIGH
    if heap.swapped:
        shapes.append(label("thick line between two nodes: the latest swap", 0, bottom + 16))
    return svg(shapes, wide, bottom + LEGEND, alt)


def _item(name: str, score: int, state: tuple[bool, bool], x: float, y: float, control: str) -> Html:
    """A node with its score, which is dragged up and down. ``state``: whether it is chosen, whether it ties."""
    chosen, tie = state
    fill = CHOSEN if chosen else UNCHANGED
    other = tie and not chosen
    line: dict[str, str | float] = {"stroke": CHOSEN if other else "#000000", "stroke_width": 3 if other else 1}
    box = element("rect", width=WIDE, height=HIGH, rx=6, fill=fill, **line)
    words = f"{STAR} {name}: {score}" if chosen else f"{name}: {score}, tie" if other else f"{name}: {score}"
    text = label(words, WIDE / 2, HIGH / 2 + 4.2, "middle", fill=ink(fill), font_weight="bold")
    marks = {"data_key": f"item/{name}", "data_pick": name, "aria_label": f"score of {name}"}
    drag = {"data_drag": control, "data_axis": "y", "data_step": str(-STEP)}
    return element("g", box, text, transform=f"translate({x:.1f},{y:.1f})", **marks, **drag)
