"""A waiting pod with its wishes beside the nodes that can take it: an SVG."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from kschedlab.messages import say
from kschedlab.text.html import Html, element
from kschedlab_lab.views.chart_bars import BarMeasures, Bars, Fixed
from kschedlab_lab.views.drawing import INSET, Arrangement, Block, Box, Place, arrange, shapes
from kschedlab_lab.views.layout import NOTHING, Part, column, moved, padded, row, words, wrap
from kschedlab_lab.views.lettering import short, text_width, wrapped
from kschedlab_lab.views.style import INK_2
from kschedlab_lab.views.svg import Room, label, svg

LINE, TOP, NARROW, POD, WISH, BARS, BETWEEN = 17, 24, 500, 96, 130, 92, 5
"""Height of a wish, space above the pod; a narrower room has the pod and its wishes above the nodes; width of the pod
there, and of a wish; height of all bars, and what parts two. In pixels."""
LEFT, NODE, LONG, RING = 160, 104, 480, 5
"""The least width of the pod's column, that of a node if there is room for more, and the greatest one of the sums;
what a node leaves free on each side for rings. In pixels."""
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
        """The pod on the nodes' floor, as wide as on them; in the upper left corner its wishes, then the sums."""
        if room.width < NARROW:
            return self._narrow(room)
        left = min(max(LEFT, room.width - 2 * RING - NODE * len(self.boxes)), LONG)
        plan = self._plan(room.width - left, room.height)
        slim = [each._replace(x=each.x + RING, width=each.width - 2 * RING) for each in plan.places]
        plan = replace(plan, places=tuple(slim))
        sizes = [box.capacity for box in self.boxes]
        first, tallest = slim[0], slim[sizes.index(max(sizes))]
        corner = min(left + tallest.x - 3 * RING, LONG)
        nodes = Part(plan.width, plan.bottom, tuple(self._nodes(plan)))
        own = [moved(nodes, left, 0)]
        if self.sums is None:
            pod = self._waits(first.width - 2 * INSET, first.height / max(sizes))
            liked = self._liked(corner - 8, WISH + 20)
            own += [moved(pod, 8, first.y + first.height - pod.height), moved(liked, 8, 0)]
        else:
            sums = self._sums(corner)
            own += [*sums.shapes, moved(_key(self.sums, LEFT - 8), 8, sums.height + 14)]
        return svg(own, room.width, plan.bottom, self.alt)

    def _narrow(self, room: Room) -> Html:
        """The pod and its wishes above the nodes, the sums below them."""
        above, below = NOTHING, NOTHING
        if self.sums is None:
            pod = self._waits(POD, TALL / max(box.capacity for box in self.boxes))
            above = padded(row([pod, self._liked(room.width - POD - 18, WISH - 14)], 10, "start"), 8)
        else:
            below = column([self._sums(room.width), padded(_key(self.sums, room.width - 8), 8)], 4)
        plan = self._plan(room.width, 0)
        whole = column([above, Part(room.width, plan.bottom, tuple(self._nodes(plan))), below], 4)
        return svg(whole.shapes, room.width, whole.height, self.alt)

    def _nodes(self, plan: Arrangement) -> list[Html]:
        """The nodes. A pod that is dragged follows the hand: a step is 500m to their scale."""
        step = -500 * plan.places[0].height / max(box.capacity for box in self.boxes)

        def to_scale(block: Block) -> Block:
            return replace(block, marks={**block.marks, "data_step": f"{step:.1f}"}) if block.marks else block

        boxes = [replace(box, blocks=tuple(map(to_scale, box.blocks))) for box in self.boxes]
        return shapes(boxes, plan, "cpu")

    def _sums(self, wide: float) -> Part:
        """The bars of the sums."""
        assert self.sums is not None
        high = min(BARS / len(self.boxes) - BETWEEN, 30)
        bars = BarMeasures(self.sums, Room(round(wide), 0), Fixed(44, high, BETWEEN))
        return Part(wide, bars.bottom, tuple(bars.shapes()))

    def _plan(self, width: int, height: int) -> Arrangement:
        """The nodes' places."""
        least = min(max(TALL, height - 120), TALLEST)
        return arrange(self.boxes, Room(width, height), 8, most=LEFT, least=least)

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
