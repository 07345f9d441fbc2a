"""When a waiting pod is tried while racks cool down: a lane for each plugin, with the racks' thermometers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from kschedlab.messages import say
from kschedlab.text.html import Html, element
from kschedlab_lab.views.drawing import EDGE, Arrangement, Block, Box, Place, shapes
from kschedlab_lab.views.layout import moved, words
from kschedlab_lab.views.picture import WAITING
from kschedlab_lab.views.racks import NARROW, SLIM, STEP, TUBE, Rack, tube
from kschedlab_lab.views.style import CHOSEN, INK_2
from kschedlab_lab.views.svg import Room, svg

HEAD, BELOW, LEAST, MOST, DOT, GAP = 44, 40, 70, 120, 5, 14
"""Heights above a lane's racks and below them, limits of their own; the radius of a try; the space between racks."""
CAPACITY = 4000
"""Milli CPU of a rack."""


@dataclass(frozen=True)
class Lane:
    """What a plugin makes of a moment. ``tries``: how many so far; ``node``: where web runs, or "".

    ``remark``: what has just happened; ``celsius``: by rack; ``refused``: degrees at which the plugin refuses a rack.
    """

    name: str
    tries: int
    node: str
    remark: str
    celsius: Mapping[str, int]
    refused: tuple[int, ...] = ()


def draw_tries(lanes: Sequence[Lane], room: Room, alt: str) -> Html:
    """One lane above the other."""
    tall = min(max(room.height / len(lanes) - HEAD - BELOW, LEAST), MOST)
    step = HEAD + tall + BELOW
    drawn = [shape for i, lane in enumerate(lanes) for shape in _lane(lane, i * step, tall, room)]
    return svg(drawn, room.width, step * len(lanes), alt)


def _lane(lane: Lane, y: float, tall: float, room: Room) -> Iterator[Html]:
    """The plugin's name with a dot for each try, what happens, and below that the pod and its racks."""
    name = words(lane.name, 15, bold=True)
    yield moved(name, EDGE, y)
    for k in range(lane.tries):
        fill = CHOSEN if lane.node and k == lane.tries - 1 else "currentColor"
        at = f"translate({EDGE + name.width + 14 + k * 15:g},{y + name.height / 2:g})"
        tip = say("try {number}", number=k + 1)
        yield element("circle", r=DOT, fill=fill, transform=at, data_key=f"try/{lane.name}/{k}", data_tip=tip)
    if lane.remark:
        remark = words(lane.remark, width=room.width - 2 * EDGE, fill=CHOSEN if lane.node else INK_2)
        yield moved(remark, EDGE, y + name.height + 1)
    wide = min((room.width - 2 * EDGE + GAP) / (len(lane.celsius) + 1) - GAP, 170)
    top = y + HEAD
    places = [Place(EDGE + i * (wide + GAP), top, wide, tall) for i in range(len(lane.celsius) + 1)]
    side = TUBE if room.width >= NARROW else SLIM
    trays = [place._replace(x=place.x + side, width=wide - side) for place in places[1:]]
    boxes = [Box(f"{lane.name}/{WAITING}", 0, _web(lane, ""), title=WAITING)]
    boxes += [
        Box(
            f"{lane.name}/{rack}",
            CAPACITY,
            _web(lane, rack),
            chosen=lane.node == rack,
            refused=say("too hot") if celsius // STEP * STEP in lane.refused else "",
            title=rack,
        )
        for rack, celsius in lane.celsius.items()
    ]
    plan = Arrangement((places[0], *trays), room.width, top + tall)
    yield from shapes(boxes, plan, "cpu", captions=False)
    for (rack, celsius), place in zip(lane.celsius.items(), places[1:], strict=True):
        yield from tube(f"{lane.name}/{rack}", Rack(celsius, "", STEP, 90, lane.refused), place, side)


def _web(lane: Lane, rack: str) -> tuple[Block, ...]:
    mark = "placed" if rack else ""
    return (Block("web", CAPACITY // 4, 0, mark=mark, key=f"{lane.name}/web"),) if lane.node == rack else ()
