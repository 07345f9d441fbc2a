"""scheduleOne as two lanes on which time runs down: one goroutine takes pod after pod, another binds one meanwhile.

v1.16: pkg/scheduler/scheduler.go (scheduleOne). The steps have that source's names.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, NamedTuple

from kschedlab.messages import say
from kschedlab.text.html import Html, element
from kschedlab_lab.views.bench import NodeCard
from kschedlab_lab.views.layout import Part, column, moved, row, words
from kschedlab_lab.views.lettering import flowed
from kschedlab_lab.views.pieces import Piece, bar
from kschedlab_lab.views.style import CHOSEN, EVICTED, HAIR, INK, INK_2, TRAY, priority_fill
from kschedlab_lab.views.svg import Room, rect, svg

QUEUE, NEXT, SCHEDULE = "SchedulingQueue", "NextPod", "Schedule"
RESERVE, ASSUME = "RunReservePlugins", "assume"
PERMIT, PRE_BIND, BIND, POST_BIND = "RunPermitPlugins", "RunPreBindPlugins", "bind", "RunPostBindPlugins"
FORGET, RECORD = "ForgetPod", "recordSchedulingFailure"
BACKGROUND = frozenset((PERMIT, PRE_BIND, BIND, POST_BIND, FORGET))
"""What a goroutine of the pod's own does."""
FAILURES = frozenset((RECORD, FORGET))
PARTS = {"active": "activeQ", "backoff": "podBackoffQ", "unschedulable": "unschedulableQ"}
"""v1.16's names for the parts of the queue."""

LINE, PAD, HEAD, LEAST = 17, 4, 22, 256
"""Heights: of a line, of the space between two steps, of a lane's title; the least of the lanes, so that no story has
another scale."""
POD, HIGH, BAR, INSIDE, BETWEEN = 45, 20, 26, 5, 10
"""The size of a pod on its way, and its height on its node; the space beside it, and between lanes and nodes."""
SHARE, ROOMY = 0.58, 400
"""How much of the lanes is the binding cycle's; the least width of lanes with letters of 13 pixels."""
SHORT: Mapping[str, str] = {RESERVE: "Reserve", PERMIT: "Permit", PRE_BIND: "PreBind", POST_BIND: "PostBind"}
"""The extension points, by the function that runs their plugins."""


@dataclass(frozen=True)
class Taken:
    """A step that the scheduler took, ``at`` some microsecond. ``title``: its function in the source.

    ``words``: its outcome; ``pod``: whose step; ``place``: the part of the queue that holds the pod afterwards.
    """

    at: int
    title: str
    words: str
    pod: str = "web"
    place: str = ""


@dataclass(frozen=True)
class Way:
    """An attempt. ``steps``: all of it, of which ``taken`` are done; ``pods``: whose steps these are, the hero first.

    ``nodes``: as the scheduler's cache knows them; a ghost is a pod that is assumed there.
    """

    steps: tuple[Taken, ...]
    taken: int
    pods: tuple[Piece, ...]
    nodes: tuple[NodeCard, ...]


class StepPlace(NamedTuple):
    """A step's row in the lane of the scheduling cycle (0) or of the binding cycle (1)."""

    step: Taken
    lane: int
    row: int


def rows(steps: Sequence[Taken]) -> list[StepPlace]:
    """The steps in their lanes. What ends later is lower; a goroutine begins beside ``assume``."""
    found, latest, free = list[StepPlace](), dict[str, StepPlace](), [0, 0]
    now = floor = 0
    for step in steps:
        before = latest.get(step.pod)
        lane = 1 if step.title in BACKGROUND else before.lane if before else 0
        if step.at != now:
            now, floor = step.at, max((each.row + 1 for each in found), default=0)
        after = before.row + (lane == before.lane) if before else 0
        at = max(free[lane], after, 0 if step.title == SCHEDULE else floor)
        free[lane] = at + 1
        latest[step.pod] = StepPlace(step, lane, at)
        found.append(latest[step.pod])
    return found


def draw_way(way: Way, alt: str, room: Room) -> Html:
    """The nodes, and below them the two lanes with the steps taken so far."""
    nodes = row([_node(card, (room.width - 24) / len(way.nodes)) for card in way.nodes], 20, "start")
    whole = column([nodes, _lanes(way, room.width - 4)], BETWEEN)
    return svg([moved(whole, 2, 2)], room.width, whole.height + 4, alt)


def _lanes(way: Way, width: float) -> Part:
    """Both lanes, as high as the whole attempt, so that nothing jumps as it goes on."""
    whole, size = rows(way.steps), 13 if width >= ROOMY else 12
    wides = ((width - BETWEEN) * (1 - SHARE), (width - BETWEEN) * SHARE)
    lefts = (0.0, width - wides[1])
    names = [flowed(_called(each.step), wides[each.lane] - POD - 2 * INSIDE - 2, size, bold=True) for each in whole]
    highs = [LINE + PAD] * (max(each.row for each in whole) + 1)
    for each, lines in zip(whole, names, strict=True):
        highs[each.row] = max(highs[each.row], LINE * len(lines) + PAD)
    tops = list(accumulate(highs, initial=HEAD + PAD))
    bottom = max(tops[-1], LEAST)
    places = [(lefts[each.lane] + INSIDE, tops[each.row]) for each in whole[: way.taken]]
    shapes = [*_trays(lefts, wides, bottom), *_trails(way, places)]
    for at, (x, y) in enumerate(places):
        step = way.steps[at]
        tip = say("{function}: {result}", function=step.title, result=step.words)
        name = _name(step, names[at], size, at == way.taken - 1)
        shapes.append(moved(name, x + POD + INSIDE, y, data_key=f"step/{at}", data_tip=tip))
    free = tops[max(each.row for each in whole[: way.taken] if not each.lane) + 1]
    return Part(width, bottom, (*shapes, *_pods(way, places, free)))


def _called(step: Taken) -> str:
    return PARTS.get(step.place, SHORT.get(step.title, step.title))


def _trays(lefts: Sequence[float], wides: Sequence[float], bottom: float) -> Iterator[Html]:
    """The grounds of the two lanes with their titles."""
    for x, wide, title in zip(lefts, wides, (say("scheduling cycle"), say("binding cycle")), strict=True):
        yield element("rect", x=x, y=HEAD, width=wide, height=bottom - HEAD, rx=11, fill=TRAY, stroke=HAIR)
        yield moved(words(title, 13, bold=True), x + INSIDE, 0)


def _trails(way: Way, places: Sequence[tuple[float, float]]) -> Iterator[Html]:
    """The way of each pod so far: a line with a dot for each step."""
    for piece in way.pods:
        mine = [place for step, place in zip(way.steps, places, strict=False) if step.pod == piece.name]
        points = [(x + POD / 2, y + HIGH / 2) for x, y in mine]
        fill = priority_fill(piece.priority)
        line = "L".join(f"{x:g} {y:g}" for x, y in points)
        yield element("path", d=line and f"M{line}", fill="none", stroke=fill, stroke_width=4, stroke_linejoin="round")
        for x, y in points:
            yield element("circle", cx=x, cy=y, r=5, fill=fill, stroke=TRAY, stroke_width=1.5)


def _name(step: Taken, lines: Sequence[str], size: float, current: bool) -> Part:
    """What the step is called in the source; the way to another lane passes behind it."""
    fill = EVICTED if step.title in FAILURES else INK if current else INK_2
    halo: dict[str, Any] = {"paint_order": "stroke", "stroke": TRAY, "stroke_width": 7}
    return column([words(line, size, bold=current, fill=fill, **halo) for line in lines], 0)


def _pods(way: Way, places: Sequence[tuple[float, float]], free: float) -> Iterator[Html]:
    """The pods at their latest steps; one that waits is below what is done, one that is bound has left."""
    here = {piece.name for card in way.nodes for piece in card.pieces if not piece.mark}
    latest = {step.pod: place for step, place in zip(way.steps, places, strict=False)}
    for piece in way.pods:
        if piece.name not in latest:
            yield bar(piece, (INSIDE, free), POD, HIGH)
            yield moved(words(say("waits"), 13, fill=INK_2), POD + 2 * INSIDE, free)
        elif piece.name not in here:
            yield bar(piece, latest[piece.name], POD, HIGH)


def _node(card: NodeCard, width: float) -> Part:
    """A node as a bar with its pods, all to one scale."""
    is_chosen = card.state == "chosen"
    stroke, thick = (CHOSEN, 2.5) if is_chosen else (HAIR, 1)
    x, scale = 3.0, width / card.capacity
    shapes = [rect(width, BAR + 6, 10, fill=TRAY, stroke=stroke, stroke_width=thick)]
    for piece in card.pieces:
        shapes.append(bar(piece, (x, 3), piece.size * scale - 6, BAR))
        x += piece.size * scale
    sign, fill = ("★ ", CHOSEN) if is_chosen else ("", "currentColor")
    part = column([words(sign + card.name, 13, bold=True, fill=fill), Part(width, BAR + 6, tuple(shapes))], 3)
    return Part(width, part.height, (element("g", *part.shapes, data_key=f"node/{card.name}"),))
