"""Which of several equal nodes comes out of a heap first: the list as a tree, swap by swap."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kschedlab.messages import say
from kschedlab.text.html import Html, element
from kschedlab_lab.views.cells import STAR, UNCHANGED
from kschedlab_lab.views.lettering import text_width
from kschedlab_lab.views.style import CHOSEN, HAIR, INK, ink
from kschedlab_lab.views.svg import Room, label, svg

WIDE, HIGH, LEVEL, STEP, LEGEND, INDEX, LIST = 146, 34, 62, 10, 22, 28, 38
"""Size of a node in the tree, height of a level, pixels of a drag for one point, height of the legend; width of the
index in a node; height of the list above the tree."""
PLACES = ((0.5, 0), (0.25, 1), (0.75, 1), (0.15, 2), (0.38, 2), (0.62, 2), (0.88, 2))
"""Where the places of the heap stand: share of the width, level."""


@dataclass(frozen=True)
class Heap:
    """Names and scores in the heap's order. ``swapped``: the two places of the latest swap; ``ready``: Init is done."""

    items: Sequence[tuple[str, int]]
    swapped: tuple[int, int] | None
    ready: bool


def draw_heap(scores: Sequence[int], heap: Heap, controls: dict[str, str], room: Room, alt: str) -> Html:
    """The list with its ``scores``, and below it the tree: children below their parent, each place with its index.

    ``controls``: by name, its score's setting.
    """
    wide = min(room.width, 620)
    edge = WIDE / 2 + 2
    at = ((min(max(share * wide, edge), wide - edge), level) for share, level in PLACES[: len(heap.items)])
    spots = [(x, 4.0 + LIST + level * LEVEL) for x, level in at]
    shapes = _list(scores, sorted(controls), wide)
    for place in range(1, len(spots)):
        (x1, y1), (x2, y2) = spots[(place - 1) // 2], spots[place]
        bold = 3 if heap.swapped == ((place - 1) // 2, place) else 1
        path = f"M{x1:.1f} {y1 + HIGH:.1f}L{x2:.1f} {y2:.1f}"
        shapes.append(element("path", d=path, stroke=INK, stroke_width=bold))
    for place, (name, score) in enumerate(heap.items):
        x, y = spots[place]
        tie = heap.ready and score == heap.items[0][1] and [each for _, each in heap.items].count(score) > 1
        shapes.append(_item(place, name, score, tie, heap.ready, (x - WIDE / 2, y), controls[name]))
    bottom = spots[-1][1] + HIGH
    if heap.swapped:
        shapes.append(label(say("thick line between two nodes: the latest swap"), 0, bottom + 16))
    return svg(shapes, wide, bottom + LEGEND, alt)


def _list(scores: Sequence[int], names: Sequence[str], wide: float) -> list[Html]:
    """The sums in the order of the list."""
    title = say("the list")
    left = text_width(title) + 12
    each = min((wide - left) / len(names), 110)
    shapes = [label(title, 0, 18)]
    for place, (name, score) in enumerate(zip(names, scores, strict=True)):
        box = element("rect", x=left + place * each, y=3, width=each, height=LIST - 14, fill="none", stroke=HAIR)
        shapes += [box, label(f"{name}: {score}", left + (place + 0.5) * each, 18, "middle")]
    return shapes


def _item(place: int, name: str, score: int, tie: bool, ready: bool, at: tuple[float, float], control: str) -> Html:
    """A node with its place in the heap and its score, which is dragged up and down. ``tie``: with the first one."""
    chosen = ready and place == 0
    fill = CHOSEN if chosen else UNCHANGED
    other = tie and not chosen
    line: dict[str, str | float] = {"stroke": CHOSEN if other else HAIR, "stroke_width": 3 if other else 1}
    box = element("rect", width=WIDE, height=HIGH, rx=6, fill=fill, **line)
    words = (
        f"{STAR} {name}: {score}"
        if chosen
        else say("{name}: {score}, tie", name=name, score=score)
        if other
        else f"{name}: {score}"
    )
    colour = ink(fill)
    index = label(f"[{place}]", 9, HIGH / 2 + 4.2, fill=colour)
    text = label(words, (INDEX + WIDE) / 2, HIGH / 2 + 4.2, "middle", fill=colour, font_weight="bold")
    marks = {"data_key": f"item/{name}", "data_pick": name, "aria_label": say("score of {name}", name=name)}
    drag = {"data_drag": control, "data_axis": "y", "data_step": str(-STEP)}
    return element("g", box, index, text, transform=f"translate({at[0]:.1f},{at[1]:.1f})", **marks, **drag)
