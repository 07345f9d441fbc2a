"""Pods on a clock: the events, and a lane for each history, in which a stroke is a try."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest

from kschedlab.messages import later, say
from kschedlab.text.html import Html, element
from kschedlab_lab.views.layout import Part, moved, row, words, wrap
from kschedlab_lab.views.lettering import fitting, text_width
from kschedlab_lab.views.queue_pods import Handle
from kschedlab_lab.views.style import ACT, CHOSEN, HAIR, INK, INK_2, INK_3, ON_ACCENT, PANEL, TRAY
from kschedlab_lab.views.svg import Room, label, rect, svg

EDGE, NAMES, TOP = 8, 62, 62
"""The margin, the width of the names at the left, and where the lanes begin."""
THIN = 5
"""The height of a backoff's bar."""
BOLT = "M2 -7L-4 1H0L-2 7L4 -1H0Z"
FILLS: Mapping[str, str] = {
    "active": INK_3,
    "backoff": HAIR,
    "unschedulable": "none",
    "bound": CHOSEN,
}
"""By the place of the pod, the colour of its lane there."""
NAMED = {
    "active": later("ready, others first"),
    "backoff": later("woken: backoff queue"),
    "unschedulable": later("waits: event or timer"),
    "bound": later("bound"),
}
"""What the places are called where one points at a stretch."""


@dataclass(frozen=True)
class Stretch:
    """Where a pod is from ``start`` to ``end`` (steps from the left). ``kind``: a key of ``FILLS``."""

    start: float
    end: float
    kind: str


@dataclass(frozen=True)
class History:
    """What a pod went through. ``tries``: when it was tried; ``backoffs``: from when to when its backoff lasts."""

    name: str
    stretches: tuple[Stretch, ...]
    tries: tuple[float, ...]
    backoffs: tuple[tuple[float, float], ...] = ()


@dataclass(frozen=True)
class Event:
    """What happens in the cluster, in a few words and in many, and when (steps from the left)."""

    at: float
    brief: str
    words: str


@dataclass(frozen=True)
class Clock:
    """The clock. ``steps``: its length; ``now``: the moment, as steps and in words; ``ticks``: (steps, words).

    ``handle``: what makes the moment a control; ``counts``: each backoff that is over is labelled with its seconds.
    """

    steps: float
    now: tuple[float, str]
    ticks: Sequence[tuple[float, str]]
    handle: Handle = field(default_factory=dict)
    counts: bool = False


def draw_clock(histories: Sequence[History], events: Sequence[Event], clock: Clock, alt: str, room: Room) -> Html:
    """The events, and below them the histories up to now; each stretch that has room for it says what it is."""
    step = step_of(clock.steps, room)
    lane = min(max((room.height - 136) / max(len(histories), 1), 40), 150 if len(histories) == 1 else 100)
    shapes = [*_events(events, clock.now[0], step, room)]
    for i, each in enumerate(histories):
        shapes += _lane(each, TOP + lane * i, lane - 10, step, room)
        if clock.counts:
            shapes += _lengths(each, clock.now[0], TOP + lane * i + lane - 22, step)
    bottom = TOP + lane * len(histories)
    for at, said in clock.ticks:
        x = NAMES + at * step
        shapes.append(element("line", x1=x, y1=bottom, x2=x, y2=bottom + 5, stroke="currentColor"))
        shapes.append(label(said, x, bottom + 18, "middle", font_size=12))
    shapes.append(_now(clock, TOP - 4, bottom, step, room))
    kinds = {each.kind for history in histories for each in history.stretches} & {"active", "backoff", "unschedulable"}
    stroke = element("path", d="M3 0V12", stroke="currentColor", stroke_width=3)
    legend = [row([Part(6, 12, (stroke,)), words(say("attempt"), fill=INK_2)], 5)]
    legend += [row([_swatch(kind), words(say(NAMED[kind]), fill=INK_2)], 5) for kind in sorted(kinds)]
    if any(each.backoffs for each in histories):
        thin = Part(18, 12, (_backoff(0, 18, 12),))
        legend.append(row([thin, words(say("backoff"), fill=INK_2)], 5))
    below = wrap(legend, room.width - NAMES, 16, 4)
    shapes.append(moved(below, NAMES, bottom + 46))
    return svg(shapes, room.width, bottom + 48 + below.height, alt, size=13)


def _lengths(history: History, now: float, y: float, step: float) -> Iterator[Html]:
    """How long each backoff was, above its bar if that is long enough."""
    for start, end in history.backoffs:
        said = f"{round(end - start)} s"
        if end < now and text_width(said) <= (end - start) * step + 4:
            yield label(said, NAMES + (start + end) / 2 * step, y, "middle", font_size=12, fill=INK_2)


def _swatch(kind: str) -> Part:
    frame = HAIR if FILLS[kind] == "none" else None
    return Part(12, 12, (element("rect", width=12, height=12, rx=3, fill=FILLS[kind], stroke=frame),))


def _backoff(x: float, wide: float, bottom: float) -> Html:
    """A thin bar, with its lower edge at ``bottom``."""
    return element("rect", x=x, y=bottom - THIN, width=wide, height=THIN, rx=THIN / 2, fill=INK_2)


def _lane(history: History, y: float, high: float, step: float, room: Room) -> list[Html]:
    """A history: empty while the pod waits for an event, a band in the backoff queue, green where it is bound.

    A stroke is a try, and the thin bar that begins after it the backoff of its failure.
    """
    shapes = [
        label(history.name, NAMES - 10, y + high / 2 + 5, "end", font_weight="bold", font_size=13),
        rect(room.width - EDGE - NAMES, high, 8, NAMES, y, fill=TRAY, stroke=HAIR),
    ]
    for i, each in enumerate(history.stretches):
        x, wide = NAMES + each.start * step, (each.end - each.start) * step
        said = say(NAMED[each.kind])
        tip = say("{pod}: {part}", pod=history.name, part=said)
        look = {"fill": FILLS[each.kind], "data_key": f"{history.name}/{i}", "data_tip": tip}
        shapes.append(rect(wide, high - 2, min(6, wide / 2), x, y + 1, **look))
        if text_width(said) + 12 < wide:
            ink = ON_ACCENT if each.kind == "bound" else "currentColor" if each.kind == "backoff" else INK_2
            shapes.append(label(said, x + wide / 2, y + high / 2 + 4, "middle", font_size=12, fill=ink))
    for start, end in history.backoffs:
        bar = _backoff(NAMES + start * step, (end - start) * step, y + high - 4)
        shapes.append(element("g", bar, data_tip=say("the backoff of {pod}", pod=history.name)))
    for at in history.tries:
        x = NAMES + at * step
        line = element("path", d=f"M{x:.1f} {y + high}V{y:.1f}", stroke="currentColor", stroke_width=3)
        shapes.append(element("g", line, data_tip=say("{pod} is tried", pod=history.name)))
    return shapes


def step_of(steps: float, room: Room) -> float:
    """The width of a step: how far the moment is dragged for one value."""
    return (room.width - NAMES - 2 * EDGE) / steps


def _events(events: Sequence[Event], now: float, step: float, room: Room) -> Iterator[Html]:
    """A bolt for each event, and below it its words; they stand lower where the next event is a step away."""
    yield label(say("events"), NAMES - 10, 17, "end", font_size=12, fill=INK_2)
    ends = dict.fromkeys((True, False), float(room.width - EDGE))
    for each, after in reversed([*zip_longest(events, events[1:])]):
        over, x = each.at <= now, NAMES + each.at * step
        disc = element("circle", r=9, fill=ACT if over else TRAY, stroke=ACT if over else HAIR)
        bolt = element("path", d=BOLT, fill=ON_ACCENT if over else INK_3)
        place = f"translate({x:.1f},13) scale({min(step / 2 - 0.5, 9) / 9:.3g})"
        yield element("g", disc, bolt, transform=place, data_tip=each.words)
        low = after is not None and after.at - each.at <= 1
        said = fitting((each.words, each.brief), ends[low] - x - 8)
        ends[low] = x
        if low:
            yield element("path", d=f"M{x:.1f} 24V52", stroke=HAIR)
        yield label(said, x + 4 if low else x - 4, 52 if low else 36, font_size=12, fill=INK if over else INK_2)


def _now(clock: Clock, top: float, bottom: float, step: float, room: Room) -> Html:
    """The moment, as a line with a flag at its foot."""
    at, words = clock.now
    x = NAMES + at * step
    wide = 26 + 7 * len(words)
    left = min(max(-wide / 2, EDGE - x), room.width - EDGE - x - wide)
    grip = element("rect", x=-9, y=0, width=18, height=bottom - top, fill="#000000", fill_opacity=0)
    down = f"M0 0V{bottom - top:.1f}"
    line = element("path", d=down, stroke="currentColor", stroke_width=2, stroke_dasharray="6 3")
    flag = rect(wide, 20, 10, left, bottom - top + 20, fill="currentColor", stroke="none")
    said = label(words, left + wide / 2, bottom - top + 34, "middle", font_size=12, font_weight="bold", fill=PANEL)
    place = f"translate({x:.1f},{top:.1f})"
    return element("g", grip, line, flag, said, data_key="now", transform=place, **clock.handle)
