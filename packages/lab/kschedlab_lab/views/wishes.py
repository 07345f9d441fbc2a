"""A pod with its wishes beside the nodes that can take it: an SVG."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from kschedlab.messages import say
from kschedlab.text.html import Html, element
from kschedlab_lab.views.chart_bars import BarMeasures, Bars, Fixed
from kschedlab_lab.views.drawing import INSET, PARTED, ROUND, SMALL, Arrangement, Block, Box, arrange, shapes
from kschedlab_lab.views.first import grip
from kschedlab_lab.views.layout import NOTHING, Part, column, moved, padded, phrase, row, words
from kschedlab_lab.views.lettering import fitted, short
from kschedlab_lab.views.style import HAIR, INK_2, LIFT, priority_fill
from kschedlab_lab.views.svg import Room, label, rect, svg

NARROW, POD, WISH, LINE, HEAD, GRIP, BETWEEN = 430, 124, 122, 16, 22, 13, 4
"""A narrower room has the pod and its wishes above the nodes; width of the pod there, and of a wish; height of a wish,
and of what is said above the pod and of half a grip; what parts two bars. In pixels."""
BARS = 0.25
"""The height of all bars, of that of the largest node."""
ABOVE = 106
"""The height above the nodes in a narrow room, in pixels: as much before the answer as after it."""
LEFT, NODE, LONG, RING = 132, 110, 480, 5
"""The least width of the pod's column, that of a node if there is room for more, and the greatest one of the sums;
what a node leaves free on each side for rings. In pixels."""
TALL, TALLEST, AROUND, CAPTION, ROOMY = 230, 400, 50, 15, 38
"""Height of the largest node, at least and at most, of what is above it with its name below it, and of a caption; that
of a pod with its name in it."""


@dataclass(frozen=True)
class Wish:
    """What the pod would like, and how much it counts: messages that are translated in the drawing."""

    text: str
    points: str


@dataclass(frozen=True)
class Wishes:
    """``pod``: what waits beside the ``boxes``, with sizes in millicores of CPU. ``sums``: what the nodes are given,
    once that is known: then the pod, if it has marks, is pulled at its upper edge."""

    pod: Block
    wishes: Sequence[Wish]
    boxes: Sequence[Box]
    alt: str
    sums: Bars | None = None

    def __call__(self, room: Room) -> Html:
        """The pod on the nodes' floor, as wide as on them, and its wishes above it; the sums in the upper left."""
        if room.width < NARROW:
            return self._narrow(room)
        left = min(max(LEFT, room.width - 2 * RING - NODE * len(self.boxes)), LONG)
        around = AROUND + CAPTION * (1 + max(len(box.captions) for box in self.boxes))  # a tie is one more
        plan = self._plan(room.width - left, room.height - around)
        slim = [each._replace(x=each.x + RING, width=each.width - 2 * RING) for each in plan.places]
        plan = replace(plan, places=tuple(slim))
        pod, floor = self._pod(slim[0].width - 2 * INSET, slim[0].height), slim[0].y + slim[0].height
        tallest = next(place for box, place in zip(self.boxes, slim, strict=True) if box.capacity == self._largest)
        sums = self._sums(min(left + tallest.x - 3 * RING, LONG), tallest.height)
        nodes = Part(plan.width, plan.bottom, tuple(shapes(self.boxes, plan, "cpu")))
        own = [*sums.shapes, moved(nodes, left, 0), moved(pod, 8, floor - pod.height)]
        liked = self._liked()
        if sums.height + liked.height <= floor - pod.height:
            own.append(moved(liked, 2, floor - pod.height - liked.height))
        return svg(own, room.width, slim[0].height + around, self.alt)

    def _narrow(self, room: Room) -> Html:
        """The pod with its wishes, or once they are known with the sums, and the nodes."""
        plan = self._plan(room.width, 0)
        pod, wide = self._pod(POD, plan.places[0].height), room.width - POD - 30
        beside = self._liked(above=False) if self.sums is None else self._sums(wide, TALL)
        spare = max(ABOVE - max(pod.height, beside.height), 0)
        above = padded(row([pod, beside], 10, "end"), 8, spare / 2)
        nodes = Part(room.width, plan.bottom, tuple(shapes(self.boxes, plan, "cpu")))
        whole = column([above, nodes], 4)
        return svg(whole.shapes, room.width, whole.height, self.alt)

    def _plan(self, width: int, height: float) -> Arrangement:
        """The nodes' places."""
        return arrange(self.boxes, Room(width, 0), 8, most=LEFT, least=min(max(TALL, height), TALLEST))

    @property
    def _largest(self) -> int:
        return max(box.capacity for box in self.boxes)

    def _sums(self, wide: float, tall: float) -> Part:
        """The bars of the sums, and what their colours mean if there is more than one."""
        if self.sums is None:
            return NOTHING
        high = min(BARS * tall / len(self.boxes), 30)
        bars = BarMeasures(self.sums, Room(round(wide), 0), Fixed(44, high, BETWEEN))
        drawn = Part(wide, bars.bottom, tuple(bars.shapes()))
        return column([drawn, padded(_key(self.sums), 8)], 2) if len(self.sums.parts) > 1 else drawn

    def _pod(self, wide: float, tall: float) -> Part:
        """The pod as high as on a node, with its name and what it requests in it, or above it."""
        pod, scale = self.pod, (tall - 2 * INSET) / self._largest
        high, key = max(pod.size * scale - PARTED, 4), _key_of(pod)
        name, asks = (pod.name, "currentColor", True), (f"{pod.size / 1000:g} CPU", INK_2, False)
        is_inside = high > ROOMY
        head = (0 if is_inside else HEAD) + (GRIP if pod.marks else 0)
        look: dict[str, Any] = {"fill": priority_fill(0), "stroke": HAIR, "data_key": f"{key}/box"}
        drawn = [rect(wide, head + high, fill="transparent"), rect(wide, high, min(ROUND, high / 3), y=head, **look)]
        if is_inside:
            drawn.append(moved(column([phrase(name), phrase(asks)], 0), 8, head + GRIP - 4))
        else:
            drawn.append(moved(phrase(name, asks), 0, 0))
        marks: dict[str, Any] = {"opacity": 0.4} if self.sums is not None else {}
        if pod.marks and self.sums is not None:
            drawn.append(element("g", grip(wide / 2), transform=f"translate(0,{head})"))
            marks = {**pod.marks, "data_step": f"{-500 * scale:.1f}"}
        return Part(wide, head + high, (element("g", *drawn, data_key=key, **marks),))

    def _liked(self, above: bool = True) -> Part:
        """The wishes in a balloon, which points to the pod below it."""
        lines = column([words(say("it would like"), font_style="italic"), *map(_wish, self.wishes)], 1)
        wide, high = WISH + 16, lines.height + 12
        ground = rect(wide, high, 10, fill=LIFT, stroke=HAIR)
        tip = [element("path", d=f"M16 {high - 0.5:g}l6 8l8 -8", fill=LIFT, stroke=HAIR)] if above else []
        return Part(wide, high + 8 * above, (ground, *tip, moved(lines, 8, 5)))


def arriving(pod: Block) -> Block:
    """A copy of the pod on its node, which flies there from where the pod waits; a small one has no name in it."""
    name = pod.name if pod.size >= 1000 else ""
    return Block(name, pod.size, pod.priority, mark="arriving", key=f"{pod.name}/arrives", origin=_key_of(pod))


def _key_of(pod: Block) -> str:
    return f"pod/{pod.name}"


def _wish(wish: Wish) -> Part:
    """A wish, and what it counts at its right end."""
    points = label(say(wish.points), WISH, LINE - 4, "end", font_weight="bold")
    said = label(fitted(say(wish.text), WISH - 24 * bool(wish.points)), 0, LINE - 4)
    return Part(WISH, LINE, (element("g", said, points, data_key=f"wish/{wish.text}"),))


def _key(sums: Bars) -> Part:
    """What the colours of the bars mean."""
    named = [part for part, values in sums.parts.items() if any(values)]
    swatches = [Part(10, 10, (rect(10, 10, 3, fill=sums.fills[part]),)) for part in named]
    names = [words(short(part), SMALL, fill=INK_2) for part in named]
    return column((row(each, 5) for each in zip(swatches, names, strict=True)), -2)
