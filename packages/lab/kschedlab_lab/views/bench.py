"""Nodes below the pods that wait for one, and below them what kubectl prints about these pods."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate
from typing import Any

from kschedlab.messages import say
from kschedlab.text.html import Html
from kschedlab_lab.views.drawing import EDGE, LINE, TOP, Block, Box, Place, arrange, shapes
from kschedlab_lab.views.layout import Part, moved
from kschedlab_lab.views.lettering import text_width
from kschedlab_lab.views.picture import WAITING
from kschedlab_lab.views.style import CHOSEN, INK_2
from kschedlab_lab.views.svg import Room, label, rect, svg

HIGH, LONG, GAP, TALLEST = 62, 240, 14, 300
"""The height and the greatest width of a pod that waits; the space between columns; the greatest height of a node."""


@dataclass(frozen=True)
class Bench:
    """``waiting``: the pods without a node, of at most ``heroes``; ``printed``: rows of a table, first its head;
    ``widest``: the longest cell that each column ever has; ``kept``: by node the pod for which its room is kept."""

    waiting: tuple[Block, ...]
    heroes: int
    nodes: tuple[Box, ...]
    printed: tuple[tuple[str, ...], ...]
    widest: tuple[str, ...]
    kept: Mapping[str, Block] = field(default_factory=dict)


def draw_bench(bench: Bench, alt: str, room: Room) -> Html:
    """The pods that wait, the nodes and the table; nothing jumps when a pod comes or goes."""
    wide, above = room.width - 2 * EDGE, LINE + HIGH + GAP
    table = _printed(bench, wide)
    inner = Room(room.width, int(room.height - above - table.height - GAP))
    plan = arrange(bench.nodes, inner, 0, captions=False, most=wide / 2, tallest=TALLEST)
    slot = min(LONG, wide / bench.heroes)
    bar = Place(EDGE, TOP + LINE, slot * max(len(bench.waiting), 1), HIGH, bar=True)
    places = (bar, *(place._replace(y=place.y + above) for place in plan.places))
    nodes = keeping(bench.nodes, bench.kept)
    drawn = shapes([Box(WAITING, 0, bench.waiting), *nodes], replace(plan, places=places), "cpu", captions=False)
    frames = kept_frames(nodes, bench.kept, places[1:])
    bottom = plan.bottom + above + GAP
    return svg([*drawn, *frames, moved(table, EDGE, bottom)], room.width, bottom + table.height, alt)


def keeping(nodes: Sequence[Box], kept: Mapping[str, Block]) -> list[Box]:
    """The nodes; of one whose room is kept, the pods that end are on top, and its free space is said to be kept."""
    found = []
    for node in nodes:
        if (pod := kept.get(node.name)) is not None:
            blocks = tuple(sorted(node.blocks, key=lambda each: each.mark == "leaving"))
            node = replace(node, blocks=blocks, free=say("kept for {pod}", pod=pod.name))
        found.append(node)
    return found


def kept_frames(nodes: Sequence[Box], kept: Mapping[str, Block], places: Sequence[Place]) -> list[Html]:
    """The room that is kept on each of these nodes."""
    most = max((node.capacity for node in nodes), default=0)
    there = [(kept[node.name], node, place) for node, place in zip(nodes, places, strict=True) if node.name in kept]
    return [_frame(pod, node, place, place.height / most) for pod, node, place in there if most]


def _frame(pod: Block, node: Box, place: Place, scale: float) -> Html:
    """The room that is kept for the pod: above the pods that stay, around what is free and those that end."""
    stays = sum(each.size for each in node.blocks if each.mark != "leaving")
    size = max(min(pod.size, node.capacity - stays), 0)
    high, bottom = size * scale + 4, place.y + place.height - stays * scale
    look: dict[str, Any] = {"fill": "none", "stroke": CHOSEN, "stroke_width": 2.5, "stroke_dasharray": "6 4"}
    about: dict[str, Any] = {"data_key": f"kept/{pod.key or pod.name}", "pointer_events": "none"}
    return rect(place.width + 8, high, 13, place.x - 4, bottom - high, **look, **about)


def _printed(bench: Bench, most: float) -> Part:
    """The table, without the columns after the first that have no room."""
    wide = [max(text_width(cell) for cell in each) + GAP for each in zip(bench.widest, *bench.printed, strict=True)]
    last = next((at for at in range(len(wide)) if sum(wide[:1] + wide[at + 1 :]) <= most), 0)
    kept = [at for at in range(len(wide)) if not 0 < at <= last]
    lefts = accumulate((wide[at] for at in kept), initial=0.0)
    cells = [
        label(row[at], x, LINE * (n + 1), fill=None if n else INK_2)
        for at, x in zip(kept, lefts, strict=False)
        for n, row in enumerate(bench.printed)
    ]
    return Part(most, LINE * len(bench.printed) + 5, tuple(cells))
