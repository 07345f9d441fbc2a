"""scheduleOne as two lanes on which time runs down: one goroutine takes pod after pod, others bind them meanwhile.

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
from kschedlab_lab.views.svg import Room, label, rect, svg

QUEUE, NEXT, SCHEDULE = "SchedulingQueue", "NextPod", "Schedule"
RESERVE, ASSUME = "RunReservePlugins", "assume"
PERMIT, PRE_BIND, BIND, POST_BIND = "RunPermitPlugins", "RunPreBindPlugins", "bind", "RunPostBindPlugins"
FORGET, RECORD = "ForgetPod", "recordSchedulingFailure"
PREEMPT, NOMINATE, DELETE = "Preempt", "SetNominatedNodeName", "DeletePod"
BACKGROUND = frozenset((PERMIT, PRE_BIND, BIND, POST_BIND, FORGET))
"""What a goroutine of the pod's own does."""
FAILURES = frozenset((RECORD, FORGET))
PARTS = {"active": "activeQ", "backoff": "podBackoffQ", "unschedulable": "unschedulableQ"}
"""v1.16's names for the parts of the queue."""

LINE, PAD, HEAD = 17, 5, 40
"""Heights: of a line, of the space between two steps, of a lane's title."""
CLOCK, POD, HIGH, BAR, INSIDE, BETWEEN, ASIDE = 48, 46, 20, 28, 6, 10, 66
"""The width of the times; the size of a pod on its way, and its height on its node; the space beside it, and between
the lanes; the width of the track of another pod that is bound meanwhile."""
WIDE, LOWEST = 520, 316
"""Rooms of this width have the nodes beside the lanes, others above them; the least height of the lanes there, so that
no story has another scale."""
ROOMY, SHARE, SHARE_IN_LITTLE = 400, 0.6, 0.55
"""The least width of lanes with times; how much of the lanes is the binding cycle's, with times and without."""
SHORT: Mapping[str, str] = {RESERVE: "Reserve", PERMIT: "Permit", PRE_BIND: "PreBind", POST_BIND: "PostBind"}
"""The extension points, by the function that runs their plugins."""


@dataclass(frozen=True)
class Taken:
    """A step that the scheduler took. ``seconds``: since the start; ``title``: its function in the source.

    ``words``: its outcome; ``pod``: whose step; ``place``: the part of the queue that holds the pod afterwards.
    ``raw``: the scheduler's own message, where that is long.
    """

    seconds: str
    title: str
    words: str
    pod: str = "web"
    place: str = ""
    raw: str = ""


@dataclass(frozen=True)
class Way:
    """An attempt. ``steps``: all of it, of which ``taken`` are done; ``pods``: whose steps these are, the hero first.

    ``nodes``: as the scheduler's cache knows them; a ghost is a pod that is assumed there, or does not fit.
    """

    steps: tuple[Taken, ...]
    taken: int
    pods: tuple[Piece, ...]
    nodes: tuple[NodeCard, ...]


class StepPlace(NamedTuple):
    """A step's place: rows ``first`` to ``last`` in the scheduling cycle's lane (0) or the binding cycle's (1)."""

    step: Taken
    lane: int
    first: int
    last: int


def rows(steps: Sequence[Taken]) -> list[StepPlace]:
    """The steps of an attempt in their lanes. What ends later is lower; a goroutine begins beside ``assume``.

    In the lane of the scheduling cycle there is one pod at a time, in the other each pod has a track of its own.
    """
    found, latest, free = list[StepPlace](), dict[str, int](), dict[str, int]()
    now, floor = "", 0
    for step in steps:
        before = latest.get(step.pod)
        was = 0 if before is None else found[before].lane
        lane = 1 if step.title in BACKGROUND else was
        track = step.pod if lane else ""
        if step.seconds != now:
            now, floor = step.seconds, max((each.first + 1 for each in found), default=0)
        after = 0 if before is None else found[before].first + (lane == was)
        at = max(free.get(track, 0), after, 0 if step.title == SCHEDULE else floor)
        if before is not None and lane == was:
            found[before] = found[before]._replace(last=at - 1)
        free[track], latest[step.pod] = at + 1, len(found)
        found.append(StepPlace(step, lane, at, at))
    return found


def draw_way(way: Way, alt: str, room: Room) -> Html:
    """The two lanes with the steps taken so far, and the nodes beside or above them."""
    beside = room.width >= WIDE
    lanes = _lanes(way, room.width * 0.72, LOWEST) if beside else _lanes(way, room.width, 0)
    nodes = _nodes(way.nodes, room.width - lanes.width - 24 if beside else room.width, down=beside)
    lower = Part(nodes.width, nodes.height + HEAD, (moved(nodes, 0, HEAD),))
    whole = row([lanes, lower], 24, "start") if beside else column([nodes, lanes], 8)
    return svg(whole.shapes, room.width, whole.height + 4, alt)


# -- the lanes


def _lanes(way: Way, width: float, least: float) -> Part:
    """Both lanes, with the times at their left if there is room.

    They are as high as the whole attempt, so that nothing jumps as it goes on.
    """
    hero, whole = way.pods[0].name, rows(way.steps)
    clock, share = (CLOCK, SHARE) if width >= ROOMY else (0, SHARE_IN_LITTLE)
    wide = (width - clock - BETWEEN) * share
    narrow, left = width - clock - BETWEEN - wide, (clock, width - wide)
    aside = ASIDE * any(each.lane and each.step.pod != hero for each in whole)
    beside = [narrow - INSIDE - POD, wide - aside - INSIDE - POD]
    names = [flowed(_called(each.step), beside[each.lane], bold=True) for each in whole]
    highs = [LINE + PAD] * (max(each.last for each in whole) + 1)
    for each, lines in zip(whole, names, strict=True):
        below = HIGH if _is_aside(each, hero) else 0
        highs[each.first] = max(highs[each.first], below + LINE * len(lines) + PAD)
    tops = list(accumulate(highs, initial=HEAD + PAD))
    bottom = max(tops[-1], least)
    tracks = {piece.name: (clock + PAD, left[1] + PAD + (aside if piece.name == hero else 0)) for piece in way.pods}
    taken = so_far(way)
    shapes = [*_trays(left, (narrow, wide), bottom), *(_times(taken, tops) if clock else ())]
    shapes += _trails(way, taken, tracks, tops)
    for at, each in enumerate(taken):
        x, y = tracks[each.step.pod][each.lane], tops[each.first]
        place = (x, y + HIGH) if _is_aside(each, hero) else (x + POD + INSIDE, y + 1)
        tip = say("{function}: {result}", function=each.step.title, result=each.step.words)
        shapes.append(moved(_name(each, names[at], at == len(taken) - 1), *place, data_key=f"step/{at}", data_tip=tip))
    return Part(width, bottom, (*shapes, *_pods(way, taken, tracks, tops)))


def _is_aside(each: StepPlace, hero: str) -> bool:
    """Whether the step has the narrow track of another pod that is bound meanwhile."""
    return each.lane == 1 and each.step.pod != hero


def so_far(way: Way) -> list[StepPlace]:
    """The rows of the steps that are taken; what the API server is asked for lasts until now."""
    taken = rows(way.steps[: way.taken])
    bottom = max(each.first for each in taken)
    latest = {each.step.pod: at for at, each in enumerate(taken)}
    for at in latest.values():
        if taken[at].step.title == BIND:
            taken[at] = taken[at]._replace(last=max(bottom, taken[at].last))
    return taken


def _called(step: Taken) -> str:
    return PARTS.get(step.place, SHORT.get(step.title, step.title))


def _trays(left: Sequence[float], wides: Sequence[float], bottom: float) -> Iterator[Html]:
    """The grounds of the two lanes with their titles."""
    titles = ((say("scheduling cycle"), say("one pod at a time")), (say("binding cycle"), say("a goroutine each")))
    for x, wide, (name, how) in zip(left, wides, titles, strict=True):
        yield element("rect", x=x, y=HEAD, width=wide, height=bottom - HEAD, rx=11, fill=TRAY, stroke=HAIR)
        yield moved(column([words(name, 13, bold=True), words(how, fill=INK_2)], 0), x + 6, 0)


def _times(taken: Sequence[StepPlace], tops: Sequence[float]) -> Iterator[Html]:
    """Each time once, beside the first step that ends then."""
    seen = set[str]()
    for each in taken:
        if each.step.seconds not in seen and each.step.title != SCHEDULE:
            seen.add(each.step.seconds)
            yield label(f"{each.step.seconds} s", 0, tops[each.first] + LINE - 1, fill=INK_2, font_size=11.2)


def _trails(
    way: Way, taken: Sequence[StepPlace], tracks: Mapping[str, Sequence[float]], tops: Sequence[float]
) -> Iterator[Html]:
    """The way of each pod so far: a line with a dot for each step, and an arrow where its goroutine begins."""
    for piece in way.pods:
        steps = [each for each in taken if each.step.pod == piece.name]
        points = [(tracks[piece.name][each.lane] + POD / 2, tops[each.first] + HIGH / 2) for each in steps]
        if not points:
            continue
        end = (points[-1][0], tops[steps[-1].last] + HIGH / 2)
        line = "".join(f"{'L' if at else 'M'}{x:g} {y:g}" for at, (x, y) in enumerate([*points, end]))
        fill = priority_fill(piece.priority)
        yield element("path", d=line, fill="none", stroke=fill, stroke_width=4, stroke_linejoin="round")
        for x, y in points:
            yield element("circle", cx=x, cy=y, r=5, fill=fill, stroke=TRAY, stroke_width=1.5)


def _name(each: StepPlace, lines: Sequence[str], current: bool) -> Part:
    """What the step is called in the source; the way to another lane passes behind it."""
    fill = EVICTED if each.step.title in FAILURES else INK if current else INK_2
    halo: dict[str, Any] = {"paint_order": "stroke", "stroke": TRAY, "stroke_width": 7}
    return column([words(line, bold=current, fill=fill, **halo) for line in lines], 0)


def _pods(
    way: Way, taken: Sequence[StepPlace], tracks: Mapping[str, Sequence[float]], tops: Sequence[float]
) -> Iterator[Html]:
    """The pods where they are now: at the end of their way, or below it in the queue; one that is bound has left."""
    here = {piece.name for card in way.nodes for piece in card.pieces if not piece.mark}
    latest = {each.step.pod: each for each in taken}
    free = max(each.first for each in taken if not each.lane) + 1
    for piece in way.pods:
        each = latest.get(piece.name)
        if each is None:
            yield bar(piece, (tracks[piece.name][0], tops[free] + 1), POD, HIGH)
            yield moved(words(say("waits"), fill=INK_2), tracks[piece.name][0] + POD + INSIDE, tops[free] + 2)
            free += 1
        elif piece.name not in here:
            yield bar(piece, (tracks[piece.name][each.lane], tops[each.last]), POD, HIGH)


# -- the nodes


def _nodes(cards: Sequence[NodeCard], width: float, down: bool) -> Part:
    """Each node as a bar with its pods, all to one scale; what does not fit sticks out of it."""
    gap = 20
    room = width - 4 if down else (width - gap * (len(cards) - 1)) / max(len(cards), 1) - 4
    scale = room / max(max(card.capacity, sum(piece.size for piece in card.pieces)) for card in cards)
    parts = [_node(card, scale, room) for card in cards]
    return column(parts, 14) if down else row(parts, gap, "start")


def _node(card: NodeCard, scale: float, room: float) -> Part:
    stroke, thick = (CHOSEN, 2.5) if card.state == "chosen" else (HAIR, 1)
    colour = {"chosen": CHOSEN, "refused": INK_2}.get(card.state, "currentColor")
    sign = {"chosen": "★ ", "refused": "✕ "}.get(card.state, "")
    tray = rect(card.capacity * scale, BAR + 6, 10, fill=TRAY, stroke=stroke, stroke_width=thick)
    x, shapes = 3.0, [tray]
    for piece in card.pieces:
        shapes.append(bar(piece, (x, 3), max(piece.size * scale - 6, 4), BAR))
        x += piece.size * scale
    if card.state == "refused":
        edge = f"M{card.capacity * scale:g} -4V{BAR + 10}"
        shapes.append(element("path", d=edge, stroke=EVICTED, stroke_width=2.5))
    name = words(f"{sign}{card.name}", 13, bold=True, fill=colour)
    says = [words(card.says, 12, width=room, fill=EVICTED)] if card.says else []
    bars = Part(room, BAR + 6, tuple(shapes))
    part = column([bars, name, *says], 3)
    return Part(room, part.height, (element("g", *part.shapes, data_key=f"node/{card.name}"),))
