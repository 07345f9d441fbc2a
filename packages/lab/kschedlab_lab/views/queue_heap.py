"""The heap of the active queue as a picture: the array on top, the tree that it is below it, popped pods at the bottom.

No meaning depends on colour alone: compared and swapped places have a sign.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from kschedlab.messages import say
from kschedlab.text.html import Html, element
from kschedlab_lab.views.queue_pods import COMPARED, FAINT, PILL, SWAPPED, Handle, Pod, pill, text
from kschedlab_lab.views.style import HAIR
from kschedlab_lab.views.svg import Room, svg

Point: TypeAlias = tuple[float, float]
Mark: TypeAlias = Literal["", "compared", "swapped", "new", "leaving"]

CELL, GAP, EDGE = 62, 6, 8
"""Width of a place, the gap between places, and the margin; in pixels at normal size."""
LEAST = 34
"""A place needs this width, with its gap: many places make a drawing wider than its room, and it is made smaller."""
ARRAY, TREE = 36, 104
"""Where the array and the tree begin."""
SIGNS: Mapping[Mark, str] = {"": "", "compared": "?", "swapped": "⇄", "new": "+", "leaving": "↑"}
COLOURS: Mapping[Mark, str] = {
    "": HAIR,
    "compared": COMPARED,
    "swapped": SWAPPED,
    "new": "currentColor",
    "leaving": "currentColor",
}


@dataclass(frozen=True)
class Place:
    """A place of the heap. ``mark``: the current operation on it; ``handle``: what makes it a control."""

    name: str
    priority: int
    mark: Mark = ""
    handle: Handle = field(default_factory=dict)

    @property
    def pod(self) -> Pod:
        return Pod(self.name, self.priority)


def draw_heap(places: Sequence[Place], alt: str, popped: Sequence[Place], pop: Handle | None, room: Room) -> Html:
    """The heap. ``popped``: pods that came out before, in their order; ``pop``: what makes the popped lane a control.

    ``alt``: the text alternative.
    """
    size = max(len(places), 1)
    levels = size.bit_length()
    room = room._replace(width=max(room.width, LEAST * max(size, len(popped) + 1) + 2 * EDGE))
    wide = min(CELL, (room.width - 2 * EDGE) / max(size, len(popped) + 1, 2 ** (levels - 1)) - GAP)
    # the tree keeps its height when a pod leaves or comes, as long as there is room
    level = min(58, max(44, (room.height - TREE - PILL - 84) / max(levels - 1, 1)))
    spots = [_spot(i, room.width, level) for i in range(len(places))]
    bottom = TREE + 22 + (levels - 1) * level + PILL
    shapes = [
        text(say("array: the index is the place"), EDGE, 14, font_size=12, opacity=0.8),
        *_array(places, wide),
        text(say("tree: the children of index i are at 2i+1 and 2i+2"), EDGE, TREE + 6, font_size=12, opacity=0.8),
        element("g", *(_branch(i, spots, places) for i in range(1, len(places))), stroke="currentColor"),
        element("g", *(_index(i, spots[i], wide) for i in range(len(places))), font_size=12, text_anchor="end"),
        *(_node(each, spots[i], wide) for i, each in enumerate(places)),
        *_lane(popped, wide, bottom + 22, room, pop),
    ]
    return svg(shapes, room.width, bottom + 22 + 20 + PILL + 8, alt, size=13)


def _array(places: Sequence[Place], wide: float) -> list[Html]:
    shapes: list[Html] = []
    indices: list[Html] = []
    for i, each in enumerate(places):
        x = EDGE + i * (wide + GAP)
        frame = {"frame": COLOURS[each.mark], "thick": 3.5 if each.mark else 1.0}
        indices.append(element("text", i, x=x + wide / 2, y=ARRAY - 5))
        shapes.append(pill(each.pod, x, ARRAY, wide, f"array/{each.name}", round_=3, sign=_sign(each), **frame))  # type: ignore[arg-type]
    shapes.append(element("g", *indices, font_size=12, text_anchor="middle"))
    marked = [i for i, each in enumerate(places) if each.mark in ("compared", "swapped")]
    if len(marked) == 2:
        a, b = (EDGE + i * (wide + GAP) + wide / 2 for i in marked)
        colour = COLOURS[places[marked[0]].mark]
        top, deep = ARRAY + PILL + 1, ARRAY + PILL + 20
        arc = f"M{a:.1f} {top}C{a:.1f} {deep} {b:.1f} {deep} {b:.1f} {top}"
        shapes.append(element("path", d=arc, fill="none", stroke=colour, stroke_width=3))
    return shapes


def _sign(each: Place) -> str:
    return SIGNS[each.mark]


def _spot(index: int, width: float, level: float) -> Point:
    """An entry's position in the tree: its centre (x) and its upper edge (y)."""
    row = (index + 1).bit_length() - 1
    return EDGE + (index + 1 - 2**row + 0.5) * (width - 2 * EDGE) / 2**row, TREE + 22 + row * level


def _node(each: Place, spot: Point, wide: float) -> Html:
    x, y = spot
    frame, thick = COLOURS[each.mark], 3.5 if each.mark else 1.0
    dash = {"stroke_dasharray": "4 3"} if each.mark == "leaving" else {}
    return pill(
        Pod(each.name, each.priority, "", {**each.handle, **dash}),
        x - wide / 2,
        y,
        wide,
        f"pod/{each.name}",
        frame=frame,
        thick=thick,
        sign=_sign(each),
    )


def _index(index: int, spot: Point, wide: float) -> Html:
    return element("text", index, x=spot[0] - wide / 2 - 2, y=spot[1] + 5)


def _branch(index: int, spots: Sequence[Point], places: Sequence[Place]) -> Html:
    parent = (index - 1) // 2
    (x0, y0), (x1, y1) = spots[parent], spots[index]
    marks = {places[parent].mark, places[index].mark}
    both = len(marks) == 1 and marks & {"compared", "swapped"}
    colour, thick = (COLOURS[places[index].mark], 4.0) if both else (None, None)
    faint = 0.35 if "leaving" in marks else None
    return element("line", x1=x0, y1=y0 + PILL, x2=x1, y2=y1, stroke=colour, stroke_width=thick, opacity=faint)


def _lane(popped: Sequence[Place], wide: float, y: float, room: Room, pop: Handle | None) -> list[Html]:
    """The pods that came out, in their order, and the place of the next one."""
    title = say("popped, first to last") if popped else say("popped: none yet")
    shapes = [text(title, EDGE, y + 12, font_size=12, opacity=0.8)]
    for i, each in enumerate(popped):
        shapes.append(pill(each.pod, EDGE + i * (wide + GAP), y + 18, wide, f"pod/{each.name}", round_=PILL / 2))
    if pop is not None:
        x = EDGE + len(popped) * (wide + GAP)
        box = element(
            "rect",
            x=x,
            y=y + 18,
            width=wide,
            height=PILL,
            rx=PILL / 2,
            fill="currentColor",
            fill_opacity=FAINT,
            stroke="currentColor",
            stroke_dasharray="5 4",
        )
        word = text("Pop()", x + wide / 2, y + 18 + PILL / 2 + 4, "middle", font_size=12, font_weight="bold")
        shapes.append(element("g", box, word, data_key="pop", **pop))
    return shapes
