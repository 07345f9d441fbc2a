"""Pods on a clock: the events, and a lane for each history, in which a stroke is a try."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from kschedlab.messages import later, say
from kschedlab.text.html import Html, element
from kschedlab_lab.views.lettering import fitting, text_width
from kschedlab_lab.views.queue_pods import Handle
from kschedlab_lab.views.style import ACT, CHOSEN, HAIR, INK, INK_2, INK_3, ON_ACCENT, PANEL, TRAY
from kschedlab_lab.views.svg import Room, label, rect, svg

EDGE, NAMES, TOP = 8, 72, 62
"""The margin, the width of the names at the left, and where the lanes begin."""
BELOW = 54
"""The height of the seconds, and of the flag of the moment."""
SMALL, LOW, ROOMY = 6, 62, 120
"""The radius of a bolt in a lane; below which height it has one line of words, and above which it names its marks."""
GRIP, AIR = 44, 6
"""The width of an event that is dragged; what is free beside a name in its stretch."""
BOLT = "M2 -7L-4 1H0L-2 7L4 -1H0Z"
FILLS: Mapping[str, str] = {
    "active": "none",
    "backoff": HAIR,
    "unschedulable": "none",
    "bound": CHOSEN,
}
"""By the place of the pod, the colour of its lane there."""
NAMED: Mapping[str, tuple[str, ...]] = {
    "active": (later("ready, others first"), later("ready")),
    "backoff": (later("woken"),),
    "unschedulable": (later("waits for an event"), later("waits")),
    "bound": (later("bound"), later("bound")),
}
"""What the places are called, where there is room for it and where there is less."""


@dataclass(frozen=True)
class Stretch:
    """Where a pod is from ``start`` to ``end`` (steps from the left). ``kind``: a key of ``FILLS``."""

    start: float
    end: float
    kind: str


@dataclass(frozen=True)
class History:
    """What a pod went through. ``tries``: when it was tried; ``backoffs``: from when to when its backoff lasts, which
    is known from its beginning on; ``woken``: when an event woke it; ``notes``: the lines beside its lane, two at most.
    """

    pod: str
    stretches: tuple[Stretch, ...]
    tries: tuple[float, ...]
    backoffs: tuple[tuple[float, float], ...] = ()
    woken: tuple[float, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Event:
    """What happens in the cluster, in few words and in many, and when (steps from the left).

    ``moves``: whether it has a row of its own; ``handle``: what makes it a control there.
    """

    at: float
    brief: str
    words: str
    moves: bool = False
    handle: Handle = field(default_factory=dict)


@dataclass(frozen=True)
class Clock:
    """The clock. ``steps``: its length; ``now``: the moment, as steps and in words, without which
    it has no flag; ``ticks``: (steps, words).

    ``handle``: what makes the moment a control.
    """

    steps: float
    now: tuple[float, str]
    ticks: Sequence[tuple[float, str]]
    handle: Handle = field(default_factory=dict)


def draw_clock(histories: Sequence[History], events: Sequence[Event], clock: Clock, alt: str, room: Room) -> Html:
    """The events, and below them the histories up to now; each part says what it is if it has room for that."""
    step = step_of(clock.steps, room)
    lane = min(max((room.height - TOP - BELOW) / max(len(histories), 1), 46), 240 if len(histories) == 1 else 110)
    shapes = [*_events(events, clock.now[0], step, room)]
    for i, each in enumerate(histories):
        shapes += _lane(each, clock.now[0], TOP + lane * i, lane - 8, step, room)
    bottom = TOP + lane * len(histories) - 4
    shapes.append(label(say("seconds"), NAMES - 10, bottom + 18, "end", font_size=12, fill=INK_2))
    for second in range(int(clock.steps) + 1):  # backoffQ is looked into at these
        x = NAMES + second * step
        shapes.append(element("line", x1=x, y1=bottom, x2=x, y2=bottom + 4, stroke=INK_3))
    for at, said in clock.ticks:
        x = NAMES + at * step
        shapes.append(element("line", x1=x, y1=bottom, x2=x, y2=bottom + 5, stroke="currentColor"))
        shapes.append(label(said, x, bottom + 18, "middle", font_size=12))
    if clock.now[1]:
        shapes.append(_now(clock, TOP - 4, bottom, step, room))
    return svg(shapes, room.width, bottom + BELOW, alt, size=13)


def _lane(history: History, now: float, y: float, high: float, step: float, room: Room) -> Iterator[Html]:
    """A history: empty while the pod waits for an event, a band while it is woken and backs off, green when bound.

    A stroke is a try, and the dark bar that begins after it is the backoff of its failure. A low lane has one line of
    words: the numbers of the tries stand before what the stretches are.
    """
    is_low = high < LOW
    bar = min(max(high * 0.27, 16), 24)
    low, middle = y + high - bar - 3, y + high / 2 + 2 - (0 if is_low else bar / 2)
    yield from _beside(history, middle, is_low)
    yield rect(room.width - EDGE - NAMES, high, 8, NAMES, y, fill=TRAY, stroke=HAIR)
    for i, each in enumerate(history.stretches):
        x, wide = NAMES + each.start * step, (each.end - each.start) * step
        names = [say(name) for name in NAMED[each.kind]]
        look = {"fill": FILLS[each.kind], "data_key": f"{history.pod}/{i}"}
        tip = say("{pod}: {part}", pod=history.pod, part=names[0])
        yield rect(wide, high - 2, min(6, wide / 2), x, y + 1, **look, data_tip=tip)
        before = 14 if is_low else 0
        said = fitting((*names, ""), wide - before)
        ink = ON_ACCENT if each.kind == "bound" else "currentColor"
        base = y + 15 if is_low else (y + 18 + low) / 2 + 4
        yield label(said, x + (wide + before) / 2, base, "middle", font_size=12, fill=ink)
        if each.kind == "backoff" and high > ROOMY and wide > text_width("backoffQ", 12) + AIR:
            yield label("backoffQ", x + wide / 2, base + 16, "middle", font_size=12, fill=ink)
    if history.backoffs and not is_low:
        yield label(say("backoff"), NAMES - 10, low + bar / 2 + 4, "end", font_size=12, fill=INK_2)
    if high > ROOMY:
        yield label(say("wakes"), NAMES - 10, y + 1, "end", font_size=12, fill=INK_2)
        yield label(say("attempt"), NAMES - 10, y + 15, "end", font_size=12, fill=INK_2)
    for start, end in history.backoffs:
        x, wide = NAMES + start * step, (end - start) * step
        over = min((now - start) * step, wide)
        rest: dict[str, Any] = {"fill": TRAY, "stroke": INK_2, "stroke_dasharray": "3 3"}
        shapes = [rect(wide, bar, 4, x, low, **rest)] if over < wide else []
        seconds = f"{round(end - start)} s"
        if is_low:
            seconds = fitting((say("backoff: {seconds}", seconds=seconds), seconds), wide - 6)
        middle, ink = (x + over / 2, PANEL) if over > wide / 2 else (x + (over + wide) / 2, INK_2)
        length = label(seconds, middle, low + bar / 2 + 4, "middle", font_size=12, fill=ink)
        shapes += [rect(over, bar, 4, x, low, fill=INK_2), length]
        yield element("g", *shapes, data_tip=say("the backoff of {pod}", pod=history.pod))
    yield from _tries(history, now, y, high, step)
    for at in history.woken:
        place = f"translate({NAMES + at * step:.1f},{y:.1f})"  # on the edge, where it hides no words
        yield element("g", *_bolt(SMALL, True), data_tip=say("an event wakes {pod}", pod=history.pod), transform=place)


def _beside(history: History, middle: float, is_low: bool) -> Iterator[Html]:
    """The lines beside a lane, around its middle; smaller in a low one."""
    lines = [history.pod, *history.notes]
    apart, size = (13, 12) if is_low and len(lines) > 2 else (15, 14)
    for i, line in enumerate(lines):
        look: dict[str, Any] = {"font_size": 12, "fill": INK_2} if i else {"font_weight": "bold", "font_size": size}
        yield label(line, NAMES - 10, middle + 2.5 + apart * (i - (len(lines) - 1) / 2), "end", **look)


def _tries(history: History, now: float, y: float, high: float, step: float) -> Iterator[Html]:
    """A stroke for each try, with its number beside it."""
    is_bound = any(each.kind == "bound" for each in history.stretches)
    ends = [*history.tries[1:], now]
    for number, (at, end) in enumerate(zip(history.tries, ends, strict=False), 1):
        x, is_last = NAMES + at * step, number == len(history.tries)
        line = element("path", d=f"M{x:.1f} {y + high}V{y:.1f}", stroke="currentColor", stroke_width=3)
        yield element("g", line, data_tip=say("{pod} is tried", pod=history.pod))
        said = fitting((str(number), ""), (end - at) * step - 7)
        yield label(said, x + 6, y + 15, font_size=12, fill=ON_ACCENT if is_bound and is_last else INK_2)


def step_of(steps: float, room: Room) -> float:
    """The width of a step: how far the moment is dragged for one value."""
    return (room.width - NAMES - 2 * EDGE) / steps


def _events(events: Sequence[Event], now: float, step: float, room: Room) -> Iterator[Html]:
    """A bolt for each event on a pole, with its words at its right; at its left if there is room only there.

    One that moves is above the others, with its words at its left: they are in nobody's way, wherever it is.
    """
    yield label(say("events"), NAMES - 10, 17, "end", font_size=12, fill=INK_2)
    for each in events:
        x = NAMES + each.at * step
        yield element("path", d=f"M{x:.1f} {_height(each)}V{TOP}", stroke=HAIR)
    small, end = min(step / 2 - 0.5, 9), room.width - 2.0
    for each in reversed(events):
        over, x, y, wide = each.at <= now, NAMES + each.at * step, _height(each), text_width(each.brief)
        size = GRIP / 2 if each.handle else small
        right, left = size + 3, -size - 3 - wide
        if each.moves:
            start = left if x + left > NAMES - 8 else right
        else:
            start = right if x + right + wide <= end else left
            end = x - size - 4 if start == right else x + left - 4
        before = max((NAMES + one.at * step for one in events if not one.moves and one.at < each.at), default=0.0)
        fits = each.moves or start == right or x + left > before + size
        words = label(each.brief if fits else "", start, 4, font_size=12, fill=INK if over else INK_2)
        shapes = (_grip if each.handle else _bolt)(size, over)
        look = {"data_tip": each.words, "transform": f"translate({x:.1f},{y})", **_key(each)}
        yield element("g", *shapes, words, **look)


def _key(event: Event) -> dict[str, Any]:
    """What makes an event a control."""
    return {"data_key": "event", **event.handle} if event.handle else {}


def _height(event: Event) -> int:
    """Where the middle of its bolt is."""
    return 13 if event.moves else 39


def _bolt(size: float, over: bool) -> tuple[Html, ...]:
    """An event, in a disc of this radius; pale until it is over."""
    disc = element("circle", r=round(size, 1), fill=ACT if over else TRAY, stroke=ACT if over else HAIR)
    bolt = element("path", d=BOLT, fill=ON_ACCENT if over else INK_3, transform=f"scale({size / 9:.3g})")
    return disc, bolt


def _grip(size: float, over: bool) -> tuple[Html, ...]:
    """An event that is dragged, between two arrows; pale until it is over."""
    ink = ON_ACCENT if over else INK_3
    return (
        rect(2 * size, 24, 12, -size, -12, fill=ACT if over else TRAY, stroke=ACT),
        element("path", d=BOLT, fill=ink),
        element("path", d="M-12 -4L-16 0L-12 4M12 -4L16 0L12 4", stroke=ink, stroke_width=1.8, fill="none"),
    )


def _now(clock: Clock, top: float, bottom: float, step: float, room: Room) -> Html:
    """The moment, as a line with a flag at its foot; arrows in the flag say that it is dragged."""
    at, words = clock.now
    x, said = NAMES + at * step, f"‹  {words}  ›" if clock.handle else words
    wide = 26 + 7 * len(said)
    left = min(max(-wide / 2, EDGE - x), room.width - EDGE - x - wide)
    grip = element("rect", x=-12, y=0, width=24, height=bottom - top, fill="#000000", fill_opacity=0)
    down = f"M0 0V{bottom - top + 4:.1f}"
    line = element("path", d=down, stroke="currentColor", stroke_width=2, stroke_dasharray="6 3")
    flag = rect(wide, 26, 13, left, bottom - top + 24, fill="currentColor", stroke="none")
    text = label(said, left + wide / 2, bottom - top + 41.5, "middle", font_size=13, font_weight="bold", fill=PANEL)
    place = f"translate({x:.1f},{top:.1f})"
    return element("g", grip, line, flag, text, data_key="now", transform=place, **clock.handle)
