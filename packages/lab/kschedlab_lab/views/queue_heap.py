"""The heap of the active queue: its array, broken into lines so that it is the tree, and popped pods at the bottom.

No meaning depends on colour alone: compared and swapped places have a sign.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from kschedlab.messages import say
from kschedlab.text.html import Html, element
from kschedlab_lab.views.lettering import fitting
from kschedlab_lab.views.queue_pods import COMPARED, FAINT, PILL, SWAPPED, Handle, Pod, pill, text
from kschedlab_lab.views.style import HAIR, INK_2, INK_3, TRAY
from kschedlab_lab.views.svg import Room, label, rect, svg

Point: TypeAlias = tuple[float, float]
Mark: TypeAlias = Literal["", "compared", "swapped", "new", "leaving"]

CELL, GAP, EDGE, TOP, LEVEL, HEAD = 84, 6, 8, 22, 56, 16
"""The most width of a pod, the gap between pods, the margin; where the tree begins, the least height of a level,
and the height of an index."""
BELOW = 8 + 20 + PILL + 4
"""The height of the lane of popped pods, with the space above and below it."""
LEAST = 34
"""A place needs this width, with its gap: many places make a drawing wider than its room, and it is made smaller."""
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


def draw_heap(
    places: Sequence[Place], alt: str, popped: Sequence[Place], calls: Mapping[str, Handle], room: Room
) -> Html:
    """The heap. ``popped``: pods that came out before, in their order; ``calls``: by name, what can be pressed."""
    pods = max(len(places) + len(popped), 1)
    levels = pods.bit_length()  # as if nothing had come out: the picture keeps its size
    side = max(2 ** (levels - 1), min(pods + 2, int((room.width - 2 * EDGE) / LEAST)))
    room = room._replace(width=max(room.width, LEAST * side + 2 * EDGE))
    wide = min(CELL, (room.width - 2 * EDGE) / side - GAP)
    level = min(max((room.height - TOP - BELOW) / levels, LEVEL), 2 * LEVEL)
    spots = [_spot(i, room.width, level) for i in range(2 ** max(len(places), 1).bit_length() - 1)]
    bottom = TOP + levels * level
    short = say("the array, line by line")
    caption = fitting((say("the array, line by line: below index i are 2i+1 and 2i+2"), short), room.width - 2 * EDGE)
    shapes = [
        label(caption, EDGE, 14, font_size=12, fill=INK_2),
        *(_ground(i, spot, room.width, level, i < len(places)) for i, spot in enumerate(spots)),
        element("g", *(_branch(i, spots, places) for i in range(1, len(places))), stroke=INK_3),
        *(_node(each, spots[i], wide) for i, each in enumerate(places)),
        *_lane(popped, calls, wide, bottom + 8),
    ]
    return svg(shapes, room.width, bottom + BELOW, alt, size=13)


def _spot(index: int, width: float, level: float) -> Point:
    """The place of an index: the middle (x) and the upper edge (y) of its pod."""
    row = (index + 1).bit_length() - 1
    x = EDGE + (index + 1 - 2**row + 0.5) * (width - 2 * EDGE) / 2**row
    return x, TOP + row * level + (level - LEVEL) / 2 + HEAD


def _ground(index: int, spot: Point, width: float, level: float, there: bool) -> Html:
    """A cell of the array with its index; an empty one is beyond the array's end."""
    row = (index + 1).bit_length() - 1
    wide = (width - 2 * EDGE) / 2**row
    left, top = spot[0] - wide / 2, TOP + row * level
    ground = rect(wide, level, None, left, top, fill=TRAY if there else "none", stroke=HAIR)
    if not there:
        return ground
    number = text(str(index), left + 4, top + 11, font_size=11.2, fill=INK_2)
    return element("g", ground, number)


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
        sign=SIGNS[each.mark],
    )


def _branch(index: int, spots: Sequence[Point], places: Sequence[Place]) -> Html:
    parent = (index - 1) // 2
    (x0, y0), (x1, y1) = spots[parent], spots[index]
    marks = {places[parent].mark, places[index].mark}
    both = len(marks) == 1 and marks & {"compared", "swapped"}
    colour, thick = (COLOURS[places[index].mark], 4.0) if both else (None, 1.5)
    faint = 0.35 if "leaving" in marks else None
    return element("line", x1=x0, y1=y0 + PILL, x2=x1, y2=y1, stroke=colour, stroke_width=thick, opacity=faint)


def _lane(popped: Sequence[Place], calls: Mapping[str, Handle], wide: float, y: float) -> list[Html]:
    """What can be called, and the pods that came out, in their order."""
    title = say("popped, first to last") if popped else say("popped: none yet")
    shapes = [text(title, EDGE, y + 12, font_size=12, fill=INK_2)]
    look = {"fill": "currentColor", "fill_opacity": FAINT, "stroke": "currentColor", "stroke_dasharray": "5 4"}
    for i, (call, handle) in enumerate(calls.items()):
        x = EDGE + i * (wide + GAP)
        box = rect(wide, PILL, 8, x, y + 18, **look)
        word = text(call, x + wide / 2, y + 18 + PILL / 2 + 4, "middle", font_size=12, font_weight="bold")
        shapes.append(element("g", box, word, data_key=call, **handle))
    for i, each in enumerate(popped, 2):
        pod = Pod(each.name, each.priority, "", each.handle)
        shapes.append(pill(pod, EDGE + i * (wide + GAP), y + 18, wide, f"pod/{each.name}", round_=PILL / 2))
    return shapes
