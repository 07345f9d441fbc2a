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
from kschedlab_lab.views.style import CHOSEN, EVICTED, HAIR, INK, INK_2, INK_3, TRAY, ink, priority_fill
from kschedlab_lab.views.svg import Room, label, rect, svg

QUEUE, NEXT, SCHEDULE = "SchedulingQueue", "NextPod", "Schedule"
VOLUMES, RESERVE, ASSUME, BIND_VOLUMES = "assumeVolumes", "RunReservePlugins", "assume", "bindVolumes"
PERMIT, PRE_BIND, BIND, POST_BIND = "RunPermitPlugins", "RunPreBindPlugins", "bind", "RunPostBindPlugins"
FORGET, RECORD = "ForgetPod", "recordSchedulingFailure"
PREEMPT, NOMINATE, DELETE = "Preempt", "SetNominatedNodeName", "DeletePod"
BACKGROUND = frozenset((BIND_VOLUMES, PERMIT, PRE_BIND, BIND, POST_BIND, FORGET))
"""What a goroutine of the pod's own does."""
FAILURES = frozenset((RECORD, FORGET))
PARTS = {"active": "activeQ", "backoff": "podBackoffQ", "unschedulable": "unschedulableQ"}
"""v1.16's names for the parts of the queue."""

LINE, PAD, GAP, HEAD = 15, 3, 3, 40
"""Heights: of a line, of the space above and below it, between two steps, of a lane's title."""
CLOCK, BESIDE, NARROW, BAR = 54, 86, 54, 28
"""The width of the times; the least of the track of another pod that is bound meanwhile, and that in narrow lanes; the
height of a pod on its node."""
WIDE, LOWEST, SHARE = 520, 316, 0.55
"""Rooms of this width have the nodes beside the lanes, others above them; the least height of the lanes there, so that
no story has another scale; how much of the lanes is the binding cycle's."""
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
    """Both lanes with the times at their left; as high as the whole attempt, so that nothing jumps as it goes on."""
    wide = (width - CLOCK - 14) * SHARE
    narrow = width - CLOCK - 14 - wide
    left, hero = (CLOCK, CLOCK + narrow + 14), way.pods[0].name
    track = max(BESIDE, wide * 0.38) if wide > 2 * BESIDE else NARROW
    widths = {False: narrow - 10, True: track - 5}
    whole = [(each, each.lane == 1 and each.step.pod != hero) for each in rows(way.steps)]
    before = track * any(aside for _, aside in whole)
    own = wide - 10 - before
    texts = [_text(each, hero, (widths[aside] if aside or not each.lane else own) - 14) for each, aside in whole]
    highs = [1] * (max(each.last for each, _ in whole) + 1)
    for (each, _), text in zip(whole, texts, strict=True):
        highs[each.first] = max(highs[each.first], len(text))
    tops = list(accumulate((LINE * lines + 2 * PAD + GAP for lines in highs), initial=HEAD + PAD))
    taken = so_far(way)
    bottom = max(tops[-1] + PAD, least)
    shapes = [*_trays(left, (narrow, wide), bottom), *_times(taken, tops), *_waiting(way, taken, narrow, tops)]
    here = {piece.name for card in way.nodes for piece in card.pieces if not piece.mark}
    latest = {each.step.pod: at for at, each in enumerate(taken)}
    pods = {piece.name: piece for piece in way.pods}
    tracks = {pod: left[1] + 5 + (before if pod == hero else 0) for pod in pods}
    ends = {pod: x - 1 for pod, x in tracks.items()}
    shapes += _crossings(taken, left[0] + narrow - 3, ends, tops)
    for at, each in enumerate(taken):
        aside, pod = whole[at][1], each.step.pod
        wide_ = widths[aside] if aside or not each.lane else own
        size = (wide_, tops[each.last + 1] - tops[each.first] - GAP)
        is_pod = latest[pod] == at and pod not in here
        shapes.append(
            moved(
                _step(each.step, pods[pod], texts[at], size, at == len(taken) - 1),
                tracks[pod] if each.lane else left[0] + 5,
                tops[each.first],
                data_key=f"pod/{pod}" if is_pod else f"step/{at}",
                data_tip=say("{function}: {result}", function=each.step.title, result=each.step.words),
            )
        )
    return Part(width, bottom, tuple(shapes))


def so_far(way: Way) -> list[StepPlace]:
    """The rows of the steps that are taken; what the API server or a volume is asked for lasts until now."""
    taken = rows(way.steps[: way.taken])
    bottom = max(each.first for each in taken)
    latest = {each.step.pod: at for at, each in enumerate(taken)}
    for at in latest.values():
        if taken[at].step.title in (BIND, BIND_VOLUMES):
            taken[at] = taken[at]._replace(last=max(bottom, taken[at].last))
    return taken


def _text(each: StepPlace, hero: str, width: float) -> list[str]:
    """The step's name; another pod's with that pod's name."""
    title, pod = PARTS.get(each.step.place, called(each.step.title)), each.step.pod
    return flowed(f"{pod}: {title}" if pod != hero or each.step.place else title, width, bold=True)


def called(title: str) -> str:
    """The step's name in pictures and sentences."""
    return SHORT.get(title, title)


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
            yield label(f"{each.step.seconds} s", 0, tops[each.first] + PAD + 11.5, fill=INK_2, font_size=11.2)


def _waiting(way: Way, taken: Sequence[StepPlace], wide: float, tops: Sequence[float]) -> Iterator[Html]:
    """Below what the scheduling cycle has done: the pods that wait in the queue."""
    at = max(each.first for each in taken if not each.lane) + 1
    begun = {each.step.pod for each in taken}
    for i, piece in enumerate(piece for piece in way.pods if piece.name not in begun):
        text = words(say("{pod} waits", pod=piece.name), fill=INK_2)
        look: dict[str, Any] = {"stroke": INK_3, "stroke_dasharray": "5 4", "fill": priority_fill(piece.priority)}
        box = rect(wide - 10, LINE + 2 * PAD, 8, **look, fill_opacity=0.25)
        yield moved(Part(0, 0, (box, moved(text, 9, PAD))), CLOCK + 5, tops[at + i], data_key=f"pod/{piece.name}")


def _step(step: Taken, piece: Piece, text: Sequence[str], size: tuple[float, float], current: bool) -> Part:
    """A step as a bar in the colour of its pod; the current one has a ring."""
    failed, (wide, high) = step.title in FAILURES, size
    frame: dict[str, Any] = {
        "stroke": EVICTED if failed else INK if current else HAIR,
        "stroke_width": 2.5 if current or failed else 1,
    }
    rect = element("rect", width=wide, height=high, rx=8, fill=priority_fill(piece.priority), **frame)
    lines = [words(line, bold=current, fill=ink(priority_fill(piece.priority))) for line in text]
    return Part(wide, high, (rect, moved(column(lines, 0), 9, PAD - 0.5)))


def _crossings(
    taken: Sequence[StepPlace], start: float, ends: Mapping[str, float], tops: Sequence[float]
) -> Iterator[Html]:
    """An arrow from the scheduling cycle to each goroutine that begins."""
    lanes = dict[str, int]()
    for each in taken:
        if each.lane and not lanes[each.step.pod]:
            line = f"M{start:g} {tops[each.first] + LINE / 2 + PAD:g}H{ends[each.step.pod]:g}m-6 -4l6 4l-6 4"
            yield element(
                "path", d=line, fill="none", stroke=INK, stroke_width=1.5, data_key=f"goroutine/{each.step.pod}"
            )
        lanes[each.step.pod] = each.lane


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
