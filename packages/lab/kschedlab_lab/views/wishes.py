"""A waiting pod with its wishes beside the nodes that can take it: an SVG."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from kschedlab.messages import say
from kschedlab.text.html import Html, element
from kschedlab_lab.views.chart_bars import BarMeasures, Bars, Fixed
from kschedlab_lab.views.drawing import Arrangement, Block, Box, Place, arrange, shapes
from kschedlab_lab.views.layout import NOTHING, Part, column, moved, padded, row, words, wrap
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
        """The pod, its wishes and the sums in a column beside the nodes; in a narrow room above and below them."""
        largest = max(box.capacity for box in self.boxes)
        if room.width < NARROW:
            pod = self._waits(POD, TALL / largest)
            wide = room.width - (pod.width + 18 if self.waiting else 8)
            above = row([pod, self._liked(wide, WISH - 14)], 10, "start")
            plan = self._plan(room.width, room.height - int(above.height))
            parts = [padded(above, 8), Part(room.width, plan.bottom, tuple(self._nodes(plan))), self._sums(room.width)]
            whole = column(parts, 4)
            return svg(whole.shapes, room.width, whole.height, self.alt)
        left = min(max(room.width - RING - BOX * len(self.boxes), LEFT), LEFT_MOST)
        plan = self._plan(room.width - left - RING, room.height)
        nodes = Part(plan.width, plan.bottom, tuple(self._nodes(plan)))
        pod = self._waits(left - 13, plan.places[0].height / largest)
        own = column([padded(column([pod, self._liked(POD, POD)], 8), 8), self._sums(left - 6)], 12)
        high = max(plan.bottom, own.height)
        return svg([moved(nodes, left, 0), *own.shapes], plan.width + left + RING, high, self.alt)

    def _nodes(self, plan: Arrangement) -> list[Html]:
        """The nodes. A pod that is dragged follows the hand: a step is 500m to their scale."""
        step = -500 * plan.places[0].height / max(box.capacity for box in self.boxes)

        def to_scale(block: Block) -> Block:
            return replace(block, marks={**block.marks, "data_step": f"{step:.1f}"}) if block.marks else block

        boxes = [replace(box, blocks=tuple(map(to_scale, box.blocks))) for box in self.boxes]
        return shapes(boxes, plan, "cpu")

    def _sums(self, wide: float) -> Part:
        """The bars of the sums, and what their colours mean."""
        if self.sums is None:
            return NOTHING
        bars = BarMeasures(self.sums, Room(round(wide), 0), Fixed(78 if wide >= 280 else 44, BAR, BETWEEN))
        return column([Part(wide, bars.bottom, tuple(bars.shapes())), padded(_key(self.sums, wide - 8), 8)], 4)

    def _plan(self, width: int, height: int) -> Arrangement:
        """The nodes' places."""
        return arrange(self.boxes, Room(width, height), 8, least=min(max(TALL, height - 120), TALLEST))

    def _liked(self, width: float, each: float) -> Part:
        """The wishes, in as many columns of this width as there is room for."""
        wishes = wrap((_wish(wish, each) for wish in self.wishes), width, 14, 0)
        return column([words(say("it would like"), font_style="italic"), wishes], 0)

    def _waits(self, wide: float, scale: float) -> Part:
        """The pod, as wide as this; nothing if it is on its node."""
        if self.waiting is None:
            return NOTHING
        place = Place(0, TOP, wide, max(scale * self.waiting.size, 32))
        box = Box("waiting", 0, (self.waiting,), title=say("waits"))
        return Part(wide, TOP + place.height, tuple(shapes([box], Arrangement((place,), LEFT, 0), "cpu")))


def _wish(wish: Wish, wide: float) -> Part:
    """A wish, and what it counts at its right end."""
    text = say(wish.text)
    lines = [text] if text_width(text) <= WISH else wrapped(text, WISH, 2)
    said = [label(line, 0, LINE * i - 4) for i, line in enumerate(lines, start=1)]
    points = label(say(wish.points), wide, LINE - 4, "end", font_weight="bold")
    return Part(wide, LINE * len(lines), (element("g", *said, points, data_key=f"wish/{wish.text}"),))


def _key(sums: Bars, wide: float) -> Part:
    """What the colours of the bars mean."""
    named = [part for part, values in sums.parts.items() if any(values)]
    swatches = [Part(10, 10, (element("rect", width=10, height=10, rx=3, fill=sums.fills[part]),)) for part in named]
    names = [words(short(part), 12, fill=INK_2) for part in named]
    return wrap([row(each, 5) for each in zip(swatches, names, strict=True)], wide, 10, 0)
