"""A waiting pod with its wishes beside the nodes that can take it: an SVG."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from kschedlab.views.drawing import Block, Box, Place, Plan, arrange, shapes
from kschedlab.views.glyphs import SIZE, Badge, badge
from kschedlab.views.html import Html, element
from kschedlab.views.lettering import text_width, wrapped
from kschedlab.views.svg import Room, label, svg

LEFT, LINE, TOP, NARROW, TALL = 182, 18, 24, 560, 288
"""Width of the pod's column, height of a wish, space above the pod; a narrower room has the pod above the
nodes; least height of the largest node, at which 500m of 8 CPU have room for a name."""


@dataclass(frozen=True)
class Wish:
    """What the pod would like, and how much it counts, written."""

    text: str
    points: str


@dataclass(frozen=True)
class Wishes:
    """``waiting``: the pod, None if it is on its node; ``boxes``: the nodes, with sizes in millicores of CPU.

    ``signs``: signs on nodes, each with its meaning.
    """

    waiting: Block | None
    wishes: Sequence[Wish]
    boxes: Sequence[Box]
    alt: str
    signs: Sequence[tuple[Badge, str]] = ()

    def __call__(self, room: Room) -> Html:
        """The drawing for this room."""
        beside = room.width >= NARROW
        lines = sum(len(_lines(wish)) for wish in self.wishes)
        left, above = (LEFT, 0.0) if beside else (0, TOP + 60.0 + LINE * lines + (LINE + 4) * len(self.signs))
        plan = arrange(self.boxes, Room(room.width - left, room.height - int(above)), 8)
        places = tuple(Place(x + left, y + above, width, max(height, TALL)) for x, y, width, height in plan.places)
        grown = places[0].height - plan.places[0].height
        scale = places[0].height / max(box.capacity for box in self.boxes)
        nodes = shapes(self.boxes, replace(plan, places=places), "cpu")
        own, end = self._pod(scale)
        return svg([*nodes, *own], plan.width + left, max(plan.bottom + above + grown, end), self.alt)

    def _pod(self, scale: float) -> tuple[list[Html], float]:
        """The pod where it waits, to the nodes' scale, its wishes below, and where they end."""
        size = self.waiting.size if self.waiting else 0
        place = Place(8, TOP, LEFT - 34, max(scale * size, 32))
        box = Box("waiting", 0, (self.waiting,) if self.waiting else ())
        found = shapes([replace(box, title="waits")], Plan((place,), LEFT, 0), "cpu") if self.waiting else []
        y = TOP + (max(scale * size, 32) + 20 if self.waiting else 0)
        found.append(label("it would like", 8, y, font_style="italic"))
        for wish in self.wishes:
            points = label(wish.points, LEFT - 26, y + LINE, "end", font_weight="bold")
            words = [label(line, 8, y + LINE * i) for i, line in enumerate(_lines(wish), start=1)]
            found.append(element("g", *words, points, data_key=f"wish/{wish.text}"))
            y += LINE * len(words)
        for sign, meaning in self.signs:
            y += LINE + 4
            found += [badge(sign, 8, y - SIZE + 3), label(meaning, 8 + SIZE + 6, y)]
        return found, y + 12


def _lines(wish: Wish) -> list[str]:
    room = LEFT - 60
    return [wish.text] if text_width(wish.text) <= room else wrapped(wish.text, room, 2)
