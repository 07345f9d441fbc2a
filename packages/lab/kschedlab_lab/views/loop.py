"""scheduleOne as two lanes on which time runs down: one goroutine takes pod after pod from the queue above
them, another binds one meanwhile.

v1.16: pkg/scheduler/scheduler.go (scheduleOne). The steps have that source's names.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, NamedTuple

from kschedlab.messages import say
from kschedlab.text.html import Html, element
from kschedlab_lab.views.drawing import Arrangement, Box, Place, shapes
from kschedlab_lab.views.layout import Part, column, moved, placed, words
from kschedlab_lab.views.lettering import flowed, text_width
from kschedlab_lab.views.pieces import Piece, bar
from kschedlab_lab.views.style import EVICTED, HAIR, INK, INK_2, INK_3, TRAY, priority_fill
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

LINE, TOP = 32, 42
"""Heights: of the queue, and with the space below it."""
HEAD, FOOT, LEAST, AIR = 22, 18, 302, 18
"""Heights: of a lane's title and of the axis' name below the steps; the least of the queue and the lanes; the most
space that a step has beyond its letters."""
POD, HIGH, INSIDE, BETWEEN = 45, 20, 5, 10
"""The size of a pod on its way; the space inside lanes, and between them."""
CACHE, ROOMY, STANDING, NAME = 0.19, 400, 58, 38
"""How much of the width the nodes beside the lanes take; the least width of a picture that has room for that, else
their height; the space for a node's name and its ring."""
SIZES = (20, 16, 15, 14, 13, 12)
"""Of the letters, the largest that fits."""
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
    nodes: tuple[Box, ...]


class StepPlace(NamedTuple):
    """A step's row in the lane of the scheduling cycle (0) or of the binding cycle (1)."""

    step: Taken
    lane: int
    row: int


def rows(steps: Sequence[Taken]) -> list[StepPlace]:
    """The steps in their lanes, none for the queue. What ends later is lower; a goroutine begins beside ``assume``."""
    found, latest, free = list[StepPlace](), dict[str, StepPlace](), [0, 0]
    now = floor = 0
    for step in steps:
        if step.title == QUEUE:
            continue
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
    """The queue, the lanes with the steps taken so far, and beside them or below the nodes as the cache knows them."""
    wide, roomy = room.width - 10.0, room.width >= ROOMY
    beside = wide * CACHE if roomy else 0
    lanes = _lanes(way, wide - beside - BETWEEN * roomy, max(room.height - 10, LEAST))
    if roomy:
        x, each = lanes.width + BETWEEN, (lanes.height - HEAD) / len(way.nodes)
        places = [Place(x, HEAD + each * i, beside, each - NAME) for i in range(len(way.nodes))]
        title = [moved(words(say("cache"), 13, bold=True), x + INSIDE, 0)]
    else:
        each, title = (wide + BETWEEN) / len(way.nodes), []
        places = [Place(each * i, lanes.height + BETWEEN, each - BETWEEN, STANDING) for i in range(len(way.nodes))]
    bottom = lanes.height if roomy else places[0].y + STANDING + NAME
    nodes = shapes(way.nodes, Arrangement(tuple(places), wide, bottom), "cpu")
    whole = Part(wide, bottom, (*lanes.shapes, *nodes, *title))
    return svg([moved(whole, 3, 2)], room.width, bottom + 6, alt)


def _lanes(way: Way, width: float, height: float) -> Part:
    """The queue and both lanes, as high as the whole attempt, so that nothing jumps as it goes on."""
    whole, around, most = rows(way.steps), POD + 2 * INSIDE + 2, height - TOP - HEAD - FOOT - INSIDE
    for size in SIZES:
        line = size * 1.3
        needs = [around + 1 + max(text_width(each, size, True) for each in _longest(whole, lane)) for lane in (0, 1)]
        spare = (width - BETWEEN - sum(needs)) / 2
        first = needs[0] + max(spare, 0)
        wides = [first, width - BETWEEN - first]
        names = [flowed(_called(each.step), wides[each.lane] - around, size, bold=True) for each in whole]
        highs = [HIGH + 2.0] * (max(each.row for each in whole) + 1)
        for each, lines in zip(whole, names, strict=True):
            highs[each.row] = max(highs[each.row], line * len(lines) + 4)
        if spare >= 0 and sum(highs) <= most:
            break
    air = min(max((most - sum(highs)) / (len(highs) + 0.5), 0), AIR)
    lefts = (0.0, width - wides[1])
    tops = list(accumulate((high + air for high in highs), initial=TOP + HEAD + INSIDE + air / 2))
    bottom = max(tops[-1] + FOOT, height)
    done = [each for each in whole if each.step in way.steps[: way.taken]]
    places = [(lefts[each.lane] + INSIDE, tops[each.row]) for each in done]
    shown = [*_trays(lefts, wides, bottom), *_axis(lefts[1] - BETWEEN / 2, bottom), *_trails(way, done, places)]
    for (step, _, _), lines, (x, y) in zip(done, names, places, strict=False):
        name = _name(step, lines, size, step == way.steps[way.taken - 1])
        key = f"step/{way.steps.index(step)}"
        shown.append(moved(name, x + POD + INSIDE, y + (HIGH - line) / 2, data_key=key, data_tip=_tip(step)))
    waiting = (width - INSIDE, (LINE - HIGH) / 2)
    return Part(width, bottom, (*_queue(way, width), *shown, *_pods(way, done, places, waiting)))


def _longest(places: Sequence[StepPlace], lane: int) -> list[str]:
    """What stays in one line in this lane: the names, but only the longest word of the longest ones."""
    names = (_called(each.step) for each in places if each.lane == lane)
    return ["Scheduling" if name == RECORD else name for name in names]


def _tip(step: Taken) -> str:
    return say("{function}: {result}", function=step.title, result=step.words)


def _queue(way: Way, width: float) -> Iterator[Html]:
    """Where pods wait: the part of the queue that the latest step is about, else the one that the next pod is in."""
    at = max(i for i, step in enumerate(way.steps[: way.taken]) if step.title == QUEUE)
    step, is_current = way.steps[at], at == way.taken - 1
    yield rect(width, LINE, 11, fill=TRAY, stroke=HAIR)
    title = words(say("queue"), 13, bold=True)
    yield moved(title, 2 * INSIDE, (LINE - title.height) / 2)
    name = words(_called(step), 14, bold=is_current, fill=INK if is_current else INK_2)
    x = title.width + 5 * INSIDE
    yield moved(name, x, (LINE - name.height) / 2, data_key=f"step/{at}", data_tip=_tip(step))


def _called(step: Taken) -> str:
    return PARTS.get(step.place, SHORT.get(step.title, step.title))


def _trays(lefts: Sequence[float], wides: Sequence[float], bottom: float) -> Iterator[Html]:
    """The grounds of the two lanes with their titles."""
    for x, wide, title in zip(lefts, wides, (say("scheduling cycle"), say("binding cycle")), strict=True):
        yield rect(wide, bottom - TOP - HEAD, 11, x, TOP + HEAD, fill=TRAY, stroke=HAIR)
        yield moved(words(title, 13, bold=True), x + INSIDE, TOP)


def _axis(x: float, bottom: float) -> Iterator[Html]:
    """Time runs down between the lanes."""
    tip = f"M{x:g} {TOP + HEAD + 4}V{bottom - 5:g}m-4 -5l4 5l4 -5"
    yield element("path", d=tip, fill="none", stroke=INK_3, stroke_width=1.5, stroke_linejoin="round")
    yield placed(words(say("time"), 12, fill=INK_2), x - BETWEEN, bottom - FOOT + 2, "end")


def _trails(way: Way, done: Sequence[StepPlace], places: Sequence[tuple[float, float]]) -> Iterator[Html]:
    """The way of each pod so far: a line with a dot for each step."""
    for piece in way.pods:
        mine = [place for each, place in zip(done, places, strict=True) if each.step.pod == piece.name]
        points = [(x + POD / 2, y + HIGH / 2) for x, y in mine]
        fill = priority_fill(piece.priority)
        line = "".join(f"{'V' if at else f'M{x:g} '}{y:g}H{x:g}" for at, (x, y) in enumerate(points))
        yield element("path", d=line, fill="none", stroke=fill, stroke_width=4, stroke_linejoin="round")
        for x, y in points:
            yield element("circle", cx=x, cy=y, r=5, fill=fill, stroke=TRAY, stroke_width=1.5)


def _name(step: Taken, lines: Sequence[str], size: float, current: bool) -> Part:
    """What the step is called in the source; the way to another lane passes behind it."""
    fill = EVICTED if step.title in FAILURES else INK if current else INK_2
    halo: dict[str, Any] = {"paint_order": "stroke", "stroke": TRAY, "stroke_width": 7}
    return column([words(line, size, bold=current, fill=fill, **halo) for line in lines], 0)


def _pods(
    way: Way, done: Sequence[StepPlace], places: Sequence[tuple[float, float]], waiting: tuple[float, float]
) -> Iterator[Html]:
    """The pods at their latest steps; those that wait are in the queue, up to its right end; a bound one has left."""
    here = {block.name for node in way.nodes for block in node.blocks if not block.mark}
    latest = {each.step.pod: place for each, place in zip(done, places, strict=True)}
    if (last := way.steps[way.taken - 1]).title == QUEUE:
        latest.pop(last.pod, None)
    queued = [piece for piece in way.pods if piece.name not in latest]
    for turn, piece in enumerate(queued):
        yield bar(piece, (waiting[0] - (POD + INSIDE) * (len(queued) - turn) + INSIDE, waiting[1]), POD, HIGH)
    for piece in way.pods:
        if piece.name in latest and piece.name not in here:
            yield bar(piece, latest[piece.name], POD, HIGH)
