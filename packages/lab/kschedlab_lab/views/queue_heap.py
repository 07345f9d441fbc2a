"""The heap of the active queue: its array, broken into lines so that it is the tree, and popped pods at the bottom.

No meaning depends on colour alone: compared and swapped places have a sign.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from kschedlab.messages import say
from kschedlab.text.html import Html, element
from kschedlab_lab.views.drawing import Marks
from kschedlab_lab.views.lettering import fitting, text_width
from kschedlab_lab.views.queue_pods import PILL, Handle, pill
from kschedlab_lab.views.style import ACT, HAIR, INK, INK_2, INK_3, ON_ACCENT, TRAY
from kschedlab_lab.views.svg import Room, label, rect, svg

Point: TypeAlias = tuple[float, float]
Mark: TypeAlias = Literal["", "compared", "swapped", "new", "leaving", "sunk", "risen"]

CELL, GAP, EDGE, TOP, LEVEL, HEAD = 84, 6, 8, 22, 56, 16
"""The most width of a pod, the gap between pods, the margin; where the tree begins, the least height of a level,
and the height of an index."""
BELOW = 8 + 20 + PILL + 4
"""The height of the lane of popped pods, with the space above and below it."""
LEVELS, MOST = 3, 8
"""The levels of the tree, and the pods that the lane of popped ones has room for."""
SIGNS: Mapping[Mark, tuple[str, str]] = {
    "": ("", HAIR),
    "compared": ("?", INK_2),
    "swapped": ("⇄", INK),
    "new": ("+", INK),
    "leaving": ("→", INK),
    "sunk": ("↓", INK),
    "risen": ("↑", INK),
}
"""By mark, the sign before the name, and the colour of the frame."""


@dataclass(frozen=True)
class Place:
    """A pod in the heap. ``mark``: the current operation on it; ``handle``: its control; ``pulls``: its priority's."""

    name: str
    priority: int
    mark: Mark = ""
    handle: Handle | None = None
    pulls: Marks = field(default_factory=dict)


@dataclass(frozen=True)
class Button:
    """The next call of the queue, which one can press."""

    call: str
    handle: Handle


def draw_heap(
    places: Sequence[Place],
    alt: str,
    popped: Sequence[tuple[str, int]],
    room: Room,
    button: Button | None = None,
    way: Collection[int] = (),
    *,
    ranked: bool = True,
) -> Html:
    """The heap. ``popped``: names and priorities of the pods that came out, in their order.

    ``way``: the lower ends of the branches along which a pod has sunk or risen. ``ranked``: whether a pod has its
    priority below its name.
    """
    slot = (room.width - 2 * EDGE) / MOST
    wide, broad = min(CELL, slot - GAP), min(CELL, 2 * slot - 2 * GAP)
    level = min(max((room.height - TOP - BELOW) / LEVELS, LEVEL), 2 * LEVEL)
    spots = [_spot(i, room.width, level) for i in range(2**LEVELS - 1)]
    bottom = TOP + LEVELS * level
    short = say("the array, line by line")
    caption = fitting((say("the array, line by line: below index i are 2i+1 and 2i+2"), short), room.width - 2 * EDGE)
    title = say("popped, first to last") if popped else say("popped: none yet")
    shapes = [
        label(caption, EDGE, 14, font_size=12, fill=INK_2),
        *(_ground(i, spot, room.width, level, i < len(places)) for i, spot in enumerate(spots)),
        element("g", *(_branch(i, spots, places, i in way) for i in range(1, len(places))), stroke=INK_3),
        *(_node(each, spots[i], broad, ranked) for i, each in enumerate(places)),
        label(title, EDGE, bottom + 20, font_size=12, fill=INK_2),
    ]
    for i, (name, priority) in enumerate(popped):
        shapes.append(pill(name, priority, EDGE + i * slot, bottom + 26, wide, round_=PILL / 2, ranked=ranked))
    if button is not None:
        shapes.append(_button(button, room.width - EDGE - 8, spots[0][1]))
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
    return element("g", ground, label(str(index), left + 4, top + 11, font_size=11.2, fill=INK_2))


def _node(each: Place, spot: Point, wide: float, ranked: bool) -> Html:
    sign, frame = SIGNS[each.mark]
    sign = sign if text_width(f"{sign} {each.name}", 13, bold=True) <= wide else ""  # a phone has the frame alone
    thick, x = 3.5 if each.mark else None, spot[0] - wide / 2
    look: dict[str, Any] = {"frame": frame, "thick": thick, "sign": sign, "ranked": ranked}
    return pill(each.name, each.priority, x, spot[1], wide, **look, handle=each.handle, pulls=each.pulls)


def _branch(index: int, spots: Sequence[Point], places: Sequence[Place], taken: bool) -> Html:
    parent = (index - 1) // 2
    (x0, y0), (x1, y1) = spots[parent], spots[index]
    marks = {places[parent].mark, places[index].mark}
    both = len(marks) == 1 and marks & {"compared", "swapped"}
    colour, thick = (SIGNS[places[index].mark][1], 4.0) if both else (INK, 4.0) if taken else (None, 1.5)
    faint = 0.35 if "leaving" in marks else None
    return element("line", x1=x0, y1=y0 + PILL, x2=x1, y2=y1, stroke=colour, stroke_width=thick, opacity=faint)


def _button(button: Button, right: float, y: float) -> Html:
    """The call, as wide as its words; it ends at ``right``."""
    wide = text_width(button.call, 13, bold=True) + 24
    box = rect(wide, 30, 15, right - wide, y + 2, fill=ACT)
    word = label(button.call, right - wide / 2, y + 22, "middle", font_weight="bold", fill=ON_ACCENT)
    return element("g", box, word, data_key="call", **button.handle)
