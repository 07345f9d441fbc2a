"""A waiting pod with its wishes beside the nodes that can take it: an SVG."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from kschedlab.messages import say
from kschedlab.text.html import Html, element
from kschedlab_lab.views.chart_bars import BarMeasures, Bars, Fixed
from kschedlab_lab.views.drawing import Arrangement, Block, Box, Place, arrange, shapes
from kschedlab_lab.views.layout import Part, moved, row, words, wrap
from kschedlab_lab.views.lettering import short, text_width, wrapped
from kschedlab_lab.views.style import INK_2
from kschedlab_lab.views.svg import Room, label, svg

LINE, TOP, NARROW, POD, WISH, BAR, BETWEEN, RING = 17, 24, 500, 157, 130, 18, 5, 9
"""Height of a wish, space above the pod; a narrower room has the pod and its wishes above the nodes; width of the pod
and of a wish there; height of a bar, what parts two bars, and the room for a ring around the last node. In pixels."""
LEFT, LEFT_MOST, BOX = 170, 300, 88
"""The least and the greatest width of the pod's column, and the width of a node beside it."""
TALL, TALLEST = 240, 400
"""Height of the largest node, at least and at most: 500m of 8 CPU have room for a name."""


@dataclass(frozen=True)
class Wish:
    """What the pod would like, and how much it counts: messages that are translated in the drawing."""

    text: str
    points: str


@dataclass(frozen=True)
class Wishes:
    """``waiting``: the pod, None if it is on its node; ``boxes``: the nodes, with sizes in millicores of CPU.

    ``sums``: what the nodes are given, once that is known.
    """

    waiting: Block | None
    wishes: Sequence[Wish]
    boxes: Sequence[Box]
    alt: str
    sums: Bars | None = None

    def __call__(self, room: Room) -> Html:
        if room.width < NARROW:
            return self._below(room)
        left = min(max(room.width - RING - BOX * len(self.boxes), LEFT), LEFT_MOST)
        plan = self._plan(room.width - left - RING, room.height)
        places = tuple(place._replace(x=place.x + left) for place in plan.places)
        nodes = self._nodes(replace(plan, places=places))
        own, end = self._pod(left - 13, places[0].height / max(box.capacity for box in self.boxes))
        sums, end = self._sums(end, left - 6)
        return svg([*nodes, *own, *sums], plan.width + left + RING, max(plan.bottom, end), self.alt)

    def _below(self, room: Room) -> Html:
        """The pod and its wishes in lines above the nodes."""
        above, found = self._above(room.width, TALL / max(box.capacity for box in self.boxes))
        plan = self._plan(room.width, room.height - int(above))
        nodes = element("g", *self._nodes(plan), transform=f"translate(0,{above:g})")
        sums, end = self._sums(plan.bottom + above + 4, room.width)
        return svg([nodes, *found, *sums], room.width, end, self.alt)

    def _nodes(self, plan: Arrangement) -> list[Html]:
        """The nodes. A pod that is dragged follows the hand: a step is 500m to their scale."""
        step = -500 * plan.places[0].height / max(box.capacity for box in self.boxes)

        def to_scale(block: Block) -> Block:
            return replace(block, marks={**block.marks, "data_step": f"{step:.1f}"}) if block.marks else block

        boxes = [replace(box, blocks=tuple(map(to_scale, box.blocks))) for box in self.boxes]
        return shapes(boxes, plan, "cpu")

    def _sums(self, top: float, wide: float) -> tuple[list[Html], float]:
        """The bars of the sums below ``top``, what their colours mean, and where that ends."""
        if self.sums is None:
            return [], top
        bars = BarMeasures(self.sums, Room(round(wide), 0), Fixed(78 if wide >= 280 else 44, BAR, BETWEEN))
        drawn = element("g", *bars.shapes(), transform=f"translate(0,{top:g})")
        key, end = _key(self.sums, wide - 8), top + bars.bottom + 4
        return [drawn, moved(key, 8, end)], end + key.height

    def _plan(self, width: int, height: int) -> Arrangement:
        """The nodes' places."""
        return arrange(self.boxes, Room(width, height), 8, least=min(max(TALL, height - 120), TALLEST))

    def _above(self, width: float, scale: float) -> tuple[float, list[Html]]:
        """Where the nodes begin; the pod where it waits, and beside it its wishes in as many columns as fit."""
        found, low = self._waits(POD, scale)
        x = POD + 18.0 if self.waiting else 8.0
        found.append(label(say("it would like"), x, 14, font_style="italic"))
        per, y = max(int((width - x) // WISH), 1), 14
        for first in range(0, len(self.wishes), per):
            row = self.wishes[first : first + per]
            for i, wish in enumerate(row):
                found.append(_wish(wish, x + i * WISH, y, WISH - 14))
            y += LINE * max(len(_lines(wish)) for wish in row)
        return max(y + 10, low + 8), found

    def _pod(self, wide: float, scale: float) -> tuple[list[Html], float]:
        """The pod where it waits, to the nodes' scale, its wishes below, and where they end."""
        found, low = self._waits(wide, scale)
        y = low + 20 if self.waiting else TOP
        found.append(label(say("it would like"), 8, y, font_style="italic"))
        for wish in self.wishes:
            found.append(_wish(wish, 8, y, POD))
            y += LINE * len(_lines(wish))
        return found, y + 12

    def _waits(self, wide: float, scale: float) -> tuple[list[Html], float]:
        """The pod, as wide as this, and where it ends; nothing if it is on its node."""
        if self.waiting is None:
            return [], 0
        place = Place(8, TOP, wide, max(scale * self.waiting.size, 32))
        box = Box("waiting", 0, (self.waiting,), title=say("waits"))
        return shapes([box], Arrangement((place,), LEFT, 0), "cpu"), TOP + place.height


def _wish(wish: Wish, x: float, y: float, wide: float) -> Html:
    """A wish below ``y``, what it counts at its right end."""
    points = label(say(wish.points), x + wide, y + LINE, "end", font_weight="bold")
    said = [label(line, x, y + LINE * i) for i, line in enumerate(_lines(wish), start=1)]
    return element("g", *said, points, data_key=f"wish/{wish.text}")


def _key(sums: Bars, wide: float) -> Part:
    """What the colours of the bars mean."""
    named = [part for part, values in sums.parts.items() if any(values)]
    swatches = [Part(10, 10, (element("rect", width=10, height=10, rx=3, fill=sums.fills[part]),)) for part in named]
    names = [words(short(part), 12, fill=INK_2) for part in named]
    return wrap([row(each, 5) for each in zip(swatches, names, strict=True)], wide, 10, 0)


def _lines(wish: Wish) -> list[str]:
    room = WISH
    text = say(wish.text)
    return [text] if text_width(text) <= room else wrapped(text, room, 2)
