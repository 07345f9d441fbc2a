"""scheduleOne as two lanes on which time runs down: one goroutine takes pod after pod from the queue above
them, another binds one meanwhile. What fails goes back into the queue.

v1.16: pkg/scheduler/scheduler.go (scheduleOne). A step has a plain name; its tip has the function of that source.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise, takewhile
from typing import Any, NamedTuple

from kschedlab.messages import later, say
from kschedlab.text.html import Html, element, visible
from kschedlab_lab.views.drawing import Arrangement, Box, Place, shapes
from kschedlab_lab.views.layout import Part, column, moved, placed, words
from kschedlab_lab.views.lettering import flowed, text_width
from kschedlab_lab.views.style import EVICTED, HAIR, INK, INK_2, INK_3, TRAY, ink, priority_fill
from kschedlab_lab.views.svg import Room, label, rect, svg

QUEUE, NEXT, SCHEDULE = "SchedulingQueue", "NextPod", "Schedule"
ASSUME, BIND, POST_BIND = "assume", "bind", "RunPostBindPlugins"
FORGET, RECORD = "ForgetPod", "recordSchedulingFailure"
FOREGROUND, BACKGROUND = frozenset((NEXT, SCHEDULE, ASSUME)), frozenset((BIND, POST_BIND, FORGET))
"""What the loop does, and what a goroutine of the pod's own does."""
FAILURES = frozenset((RECORD, FORGET))
PARTS = {"active": "activeQ", "backoff": "podBackoffQ", "unschedulable": "unschedulableQ"}
"""v1.16's names for the parts of the queue."""

LINE, TOP = 32, 42
"""Heights: of the queue, and with the space below it."""
HEAD, FOOT, LEAST, AIR = 22, 18, 302, 18
"""Heights: of a lane's title and of the axis' name below the steps; the least of the queue and the lanes; the most
space that a step has beyond its letters."""
POD, HIGH, INSIDE, BETWEEN, APART = 45, 20, 5, 10, 16
"""The size of a pod on its way; the space inside lanes, and between them; how far apart two ways are where both pods
are being bound."""
CACHE, ROOMY, STANDING, NAME = 0.19, 400, 58, 38
"""How much of the width the nodes beside the lanes take; the least width of a picture that has room for that, else
their height; the space for a node's name and its ring."""
SIZES = (20, 16, 15, 14, 13, 12)
"""Of the letters, the largest that fits."""
NAMES: Mapping[str, str] = {
    NEXT: later("next pod"),
    SCHEDULE: later("filter, score"),
    ASSUME: "assume",
    BIND: "bind",
    POST_BIND: later("bound"),
    FORGET: later("free the room"),
    RECORD: later("to the queue"),
}
"""What a step is called in the picture."""


class Piece(NamedTuple):
    """A pod. ``size``: milli CPU."""

    name: str
    size: int
    priority: int


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


class Drawn(NamedTuple):
    """A step with its name in lines, and the place of its pod."""

    step: Taken
    lines: tuple[str, ...]
    x: float
    y: float

    @property
    def middle(self) -> tuple[float, float]:
        """Of the pod."""
        return self.x + POD / 2, self.y + HIGH / 2


def rows(steps: Sequence[Taken]) -> list[StepPlace]:
    """The steps in their lanes, none for the queue. What ends later is lower; a goroutine begins beside ``assume``."""
    found, latest, free = list[StepPlace](), dict[str, StepPlace](), [0, 0]
    now = floor = 0
    for step in steps:
        if step.title == QUEUE:
            continue
        before = latest.get(step.pod)
        lane = 0 if step.title in FOREGROUND or before is None else 1 if step.title in BACKGROUND else before.lane
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
    further = [APART * (each.lane == 1 and each.step.pod != way.pods[0].name) for each in whole]
    for size in SIZES:
        line = size * 1.3
        lanes = [[_called(each.step) for each in whole if each.lane == lane] for lane in (0, 1)]
        needs = [around + 1 + max(text_width(each, size, True) for each in names) for names in lanes]
        needs[1] += max(further)
        spare = (width - BETWEEN - sum(needs)) / 2
        first = needs[0] + max(spare, 0)
        wides = [first, width - BETWEEN - first]
        rooms = [wides[each.lane] - around - more for each, more in zip(whole, further, strict=True)]
        names = [flowed(_called(each.step), room, size, bold=True) for each, room in zip(whole, rooms, strict=True)]
        highs = [HIGH + 2.0] * (max(each.row for each in whole) + 1)
        for each, lines in zip(whole, names, strict=True):
            highs[each.row] = max(highs[each.row], line * len(lines) + 4)
        if spare >= 0 and sum(highs) <= most:
            break
    air = min(max((most - sum(highs)) / (len(highs) + 0.5), 0), AIR)
    lefts = (0.0, width - wides[1])
    tops = list(accumulate((high + air for high in highs), initial=TOP + HEAD + INSIDE + air / 2))
    bottom = max(tops[-1] + FOOT, height)
    places = [
        Drawn(each.step, tuple(lines), lefts[each.lane] + INSIDE + more, tops[each.row])
        for each, lines, more in zip(whole, names, further, strict=True)
    ]
    waiting = (width - INSIDE, (LINE - HIGH) / 2)
    done = [each for each in places if each.step in way.steps[: way.taken]]
    shown = (*_axis(lefts[1] - BETWEEN / 2, bottom), *_ways(way, places), *_back(way, done, width))
    pods = _pods(way, done, waiting)
    return Part(
        width, bottom, (*_queue(way, width), *_trays(lefts, wides, bottom), *shown, *_names(way, places, size), *pods)
    )


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
    return PARTS[step.place] if step.place else say(NAMES[step.title])


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


def _expected(way: Way, places: Sequence[Drawn]) -> list[Drawn]:
    """The steps of the first pod up to its end, if nothing fails."""
    mine = (each for each in places if each.step.pod == way.pods[0].name)
    return list(takewhile(lambda each: each.step.title not in FAILURES, mine))


def _attempts(steps: Sequence[Drawn]) -> Iterator[Sequence[Drawn]]:
    """A pod's steps, apart where it was in the queue again."""
    starts = [at for at, each in enumerate(steps) if each.step.title == NEXT]
    return (steps[start:end] for start, end in pairwise([*starts, len(steps)]))


def _ways(way: Way, places: Sequence[Drawn]) -> Iterator[Html]:
    """The way that the first pod has before it, and that of each pod so far: a line with a dot for each step."""
    yield from _way(_expected(way, places), HAIR)
    for piece in way.pods:
        mine = [each for each in places if each.step.pod == piece.name and each.step in way.steps[: way.taken]]
        for attempt in _attempts(mine):
            yield from _way(attempt, priority_fill(piece.priority))


def _way(steps: Sequence[Drawn], fill: str) -> Iterator[Html]:
    """A line through these steps, with a dot for each."""
    points = [each.middle for each in steps]
    line = "".join(f"{'V' if at else f'M{x:g} '}{y:g}H{x:g}" for at, (x, y) in enumerate(points))
    yield element("path", d=line, fill="none", stroke=fill, stroke_width=4, stroke_linejoin="round")
    for x, y in points:
        yield element("circle", cx=x, cy=y, r=5, fill=fill, stroke=TRAY, stroke_width=1.5)


def _back(way: Way, done: Sequence[Drawn], width: float) -> Iterator[Html]:
    """The way of a failed pod, from its last step up into the queue."""
    queued = [step for step in way.steps[: way.taken] if step.title == QUEUE]
    if len(queued) < 2:
        return
    before = [*takewhile(lambda step: step is not queued[1], way.steps)]
    x, y = [each for each in done if each.step in before][-1].middle
    side = width - 8
    d = f"M{x:g} {y:g}v{HIGH / 2 + 7:g}H{side:g}V{LINE + 3:g}m-4 5l4 -5l4 5"
    yield element("path", d=d, fill="none", stroke=EVICTED, stroke_width=2, stroke_linejoin="round", data_key="back")


def _names(way: Way, places: Sequence[Drawn], size: float) -> Iterator[Html]:
    """Beside each step that was taken or is expected its name; a way to another lane passes behind it."""
    expected, latest = _expected(way, places), way.steps[way.taken - 1]
    halo: dict[str, Any] = {"paint_order": "stroke", "stroke": TRAY, "stroke_width": 7}
    for each in places:
        at, current = way.steps.index(each.step), each.step == latest
        if at >= way.taken and each not in expected:
            continue
        fill = EVICTED if each.step.title in FAILURES else INK if at < way.taken else INK_2
        name = column([words(line, size, bold=current, fill=fill, **halo) for line in each.lines], 0)
        y = each.y + (HIGH - size * 1.3) / 2
        yield moved(name, each.x + POD + INSIDE, y, data_key=f"step/{at}", data_tip=_tip(each.step))


def _pods(way: Way, done: Sequence[Drawn], waiting: tuple[float, float]) -> Iterator[Html]:
    """The pods at their latest steps; those that wait are in the queue, up to its right end; a bound one has left."""
    here = {block.name for node in way.nodes for block in node.blocks if not block.mark}
    latest = {each.step.pod: (each.x, each.y) for each in done}
    if (last := way.steps[way.taken - 1]).title == QUEUE:
        latest.pop(last.pod, None)
    queued = [piece for piece in way.pods if piece.name not in latest]
    for turn, piece in enumerate(queued):
        yield _bar(piece, (waiting[0] - (POD + INSIDE) * (len(queued) - turn) + INSIDE, waiting[1]), POD, HIGH)
    for piece in way.pods:
        if piece.name in latest and piece.name not in here:
            yield _bar(piece, latest[piece.name], POD, HIGH)


def _bar(piece: Piece, at: tuple[float, float], wide: float, high: float) -> Html:
    """A pod as a bar at (x, y)."""
    fill, key = priority_fill(piece.priority), f"pod/{piece.name}"
    return element(
        "g",
        rect(wide, high, 8, fill=fill, stroke=HAIR, data_key=f"{key}/box"),
        label(visible(piece.name), 6, high / 2 + 4.5, fill=ink(fill), font_weight="bold"),
        transform=f"translate({at[0]:.1f},{at[1]:.1f})",
        data_key=key,
        data_tip=visible(piece.name),
    )
