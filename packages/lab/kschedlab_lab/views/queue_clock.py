"""Pods that travel between the parts of the queue on a clock: the parts on top, each pod's history below.

Each part has its own colour and its own height in the histories, so that no meaning depends on colour alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from kschedlab.messages import later, say
from kschedlab.text.html import Html, element
from kschedlab_lab.views.lettering import text_width
from kschedlab_lab.views.queue_pods import COUNTS, PILL, Handle, Pod, area, pill, text, titled
from kschedlab_lab.views.style import CHOSEN, HAIR, INK_3, ON_ACCENT, PANEL, TRAY
from kschedlab_lab.views.svg import Room, svg

EDGE, GAP, LANE, HIGH, NAMES = 8, 8, 32, 22, 62
"""Margin, gap between parts, height of a history and of its highest stretch, width of the names at the left."""
BOLT = "M2 -7L-4 1H0L-2 7L4 -1H0Z"
STRETCHES: Mapping[str, tuple[str, float]] = {
    "active": (INK_3, 1.0),
    "in flight": ("currentColor", 1.0),
    "backoff": (INK_3, 0.66),
    "unschedulable": (HAIR, 0.33),
    "bound": (CHOSEN, 1.0),
}
"""Colour and height of a stretch, by the place of the pod."""
LANES: Mapping[str, tuple[str, float]] = {**STRETCHES, "backoff": (HAIR, 0.7), "unschedulable": (HAIR, 0.15)}
"""The same in a large lane."""
NAMED = {
    "active": later("active"),
    "in flight": later("in flight"),
    "backoff": later("backoff"),
    "unschedulable": later("unschedulable"),
    "bound": later("bound"),
}
"""What the places are called where one points at a stretch."""


@dataclass(frozen=True)
class Part:
    """A part of the queue. ``kind``: a key of ``STRETCHES``; ``there``: whether this generation has it."""

    kind: str
    title: str
    pods: tuple[Pod, ...]
    there: bool = True


@dataclass(frozen=True)
class Stretch:
    """Where a pod is from ``start`` to ``end`` (steps from the left). ``kind``: a key of ``STRETCHES``."""

    start: float
    end: float
    kind: str


@dataclass(frozen=True)
class History:
    """What a pod went through. ``tries``: when it was tried."""

    name: str
    stretches: tuple[Stretch, ...]
    tries: tuple[float, ...]


@dataclass(frozen=True)
class Event:
    """What happens in the cluster, and when (steps from the left)."""

    at: float
    words: str


@dataclass(frozen=True)
class Clock:
    """The clock. ``steps``: its length; ``now``: the moment, as steps and in words; ``ticks``: (steps, words).

    ``handle``: what makes the moment a control; ``gap``: where a step begins to take longer.
    """

    steps: float
    now: tuple[float, str]
    ticks: Sequence[tuple[float, str]]
    handle: Handle = field(default_factory=dict)
    gap: float | None = None


def draw_clock(
    parts: Sequence[Part],
    histories: Sequence[History],
    events: Sequence[Event],
    clock: Clock,
    alt: str,
    room: Room,
) -> Html:
    """The parts with their pods, the events, and the histories up to now."""
    columns = len(parts) if room.width >= 500 else 3
    wide = (room.width - 2 * EDGE - (columns - 1) * GAP) / columns
    head = 12 + 14 * max((len(titled(part.title, wide)) for part in parts), default=1)
    low = room.height < 400
    high, lane = (22, 27) if low else (PILL, LANE)
    tall = head + 2 + max(2, len(histories)) * (high + 2) + 12
    shapes = []
    for i, part in enumerate(parts):
        x, y = EDGE + i % columns * (wide + GAP), EDGE + i // columns * (tall + GAP)
        shapes += _part(part, x, y, wide, tall, head, high)
    top = EDGE + -(-len(parts) // columns) * (tall + GAP) + 1.0
    step = step_of(clock.steps, room)
    shapes += _events(events, clock.now[0], top, step, room)
    lanes = top + (24 if low else 30)
    for i, history in enumerate(histories):
        shapes += _history(history, lanes + lane * i, step, room)
        if clock.gap is not None:
            shapes.append(_break(NAMES + clock.gap * step, lanes + lane * i + HIGH + 6))
    bottom = lanes + lane * len(histories)
    shapes += _ticks(clock.ticks, bottom, step)
    shapes.append(_now(clock, lanes - 2, bottom, step, room))
    return svg(shapes, room.width, bottom + 41, alt, size=13)


def draw_versions(histories: Sequence[History], events: Sequence[Event], clock: Clock, alt: str, room: Room) -> Html:
    """The histories one below the other, in large lanes; each stretch that has room for it says what it is."""
    step = step_of(clock.steps, room)
    lane = min(max((room.height - 124) / max(len(histories), 1), 44), 64)
    shapes = _events(events, clock.now[0], 1.0, step, room, below=True)
    top = 54
    for i, each in enumerate(histories):
        shapes += _lane(each, top + lane * i, lane - 12, step, room)
    bottom = top + lane * len(histories)
    shapes += _ticks(clock.ticks, bottom, step)
    shapes.append(_now(clock, top - 6, bottom, step, room))
    return svg(shapes, room.width, bottom + 41, alt, size=13)


def _lane(history: History, y: float, high: float, step: float, room: Room) -> list[Html]:
    """A history: a line while the pod waits for an event, a band in backoff, a full band where it is bound."""
    base = y + high
    shapes = [
        text(history.name, NAMES - 10, base - high / 2 + 5, "end", font_weight="bold", font_size=13),
        element("line", x1=NAMES, y1=base, x2=room.width - EDGE, y2=base, stroke="currentColor", opacity=0.5),
    ]
    for i, each in enumerate(history.stretches):
        fill, share = LANES[each.kind]
        x, wide, tall = NAMES + each.start * step, (each.end - each.start) * step, high * share
        said = say(NAMED[each.kind])
        key, tip = f"{history.name}/{i}", say("{pod}: {part}", pod=history.name, part=said)
        shapes.append(
            element("rect", x=x, y=base - tall, width=wide, height=tall, fill=fill, data_key=key, data_tip=tip)
        )
        if text_width(said) + 12 < wide:
            ink = ON_ACCENT if each.kind == "bound" else "currentColor"
            lower = base - tall / 2 + 4 if share > 0.5 else base - tall - 6
            shapes.append(text(said, x + wide / 2, lower, "middle", font_size=12, fill=ink))
    for at in history.tries:
        x = NAMES + at * step
        line = element("path", d=f"M{x:.1f} {base}V{base - high:.1f}", stroke="currentColor", stroke_width=3)
        shapes.append(element("g", line, data_tip=say("{pod} is tried", pod=history.name)))
    return shapes


def step_of(steps: float, room: Room) -> float:
    """The width of a step: how far the moment is dragged for one value."""
    return (room.width - NAMES - 2 * EDGE) / steps


def _part(part: Part, x: float, y: float, wide: float, tall: float, head: float, pod_high: float) -> list[Html]:
    note = "" if part.there else say("not in this version")
    shapes = [area(part.title, x, y, wide, tall, key=f"part/{part.kind}", note=note, there=part.there)]
    for n, pod in enumerate(part.pods):
        at = y + head + n * (pod_high + 2)
        shapes.append(pill(pod, x + 8, at, wide - 16, f"pod/{pod.name}", height=pod_high))
    return shapes


def _events(
    events: Sequence[Event], now: float, top: float, step: float, room: Room, *, below: bool = False
) -> list[Html]:
    """A bolt for each event, and the words of the last one, at the right or ``below`` it."""
    shapes = [text(say("events"), NAMES - 10, top + 16, "end", font_size=12)]
    past = [each for each in events if each.at <= now]
    for each in events:
        over = each.at <= now
        disc = element("circle", r=9, fill=COUNTS if over else TRAY, stroke=COUNTS if over else HAIR)
        bolt = element("path", d=BOLT, fill=ON_ACCENT if over else INK_3)
        place = f"translate({NAMES + each.at * step:.1f},{top + 12:.1f})"
        shapes.append(element("g", disc, bolt, transform=place, data_tip=each.words, opacity=None if over else 0.5))
    if past and below:
        x = NAMES + past[-1].at * step
        left = x < room.width / 2
        wide = room.width - EDGE - x if left else x - EDGE
        anchor = "start" if left else "end"
        shapes.append(text(past[-1].words, x, top + 38, anchor, font_size=12, limit=int(wide / 6.6)))
    elif past:
        x = NAMES + events[-1].at * step + 16
        limit = int((room.width - x - EDGE) / 6.6)
        shapes.append(text(past[-1].words, room.width - EDGE, top + 16, "end", font_size=12, limit=limit))
    return shapes


def _ticks(ticks: Sequence[tuple[float, str]], y: float, step: float) -> Iterator[Html]:
    """The marks below, with those of their words that do not touch the ones before."""
    free = 0.0
    for at, words in ticks:
        x, wide = NAMES + at * step, text_width(words)
        yield element("line", x1=x, y1=y, x2=x, y2=y + 5, stroke="currentColor")
        if x - wide / 2 > free:
            yield text(words, x, y + 18, "middle", font_size=12)
            free = x + wide / 2


def _history(history: History, y: float, step: float, room: Room) -> list[Html]:
    base = y + HIGH + 6
    shapes = [
        text(history.name, NAMES - 10, base - 6, "end", font_weight="bold", font_size=13),
        element("line", x1=NAMES, y1=base, x2=room.width - EDGE, y2=base, stroke="currentColor", opacity=0.5),
    ]
    for i, each in enumerate(history.stretches):
        fill, part = STRETCHES[each.kind]
        x, wide, high = NAMES + each.start * step, (each.end - each.start) * step, HIGH * part
        key, tip = f"{history.name}/{i}", say("{pod}: {part}", pod=history.name, part=say(NAMED[each.kind]))
        shapes.append(
            element("rect", x=x, y=base - high, width=wide, height=high, fill=fill, data_key=key, data_tip=tip)
        )
    for at in history.tries:
        x = NAMES + at * step
        line = element("path", d=f"M{x:.1f} {base}V{base - HIGH - 4}", stroke="currentColor", stroke_width=2.5)
        shapes.append(element("g", line, data_tip=say("{pod} is tried", pod=history.name)))
    return shapes


def _break(x: float, y: float) -> Html:
    """Two strokes through a line: from here on, a step is longer."""
    strokes = "M-5 5L0 -5M0 5L5 -5"
    place = f"translate({x:.1f},{y:.1f})"
    tip = say("from here on, a step is half a minute")
    return element("path", d=strokes, stroke="currentColor", stroke_width=1.6, transform=place, data_tip=tip)


def _now(clock: Clock, top: float, bottom: float, step: float, room: Room) -> Html:
    """The moment, as a line with a flag at its foot."""
    at, words = clock.now
    x = NAMES + at * step
    wide = 26 + 7 * len(words)
    left = min(max(-wide / 2, EDGE - x), room.width - EDGE - x - wide)
    grip = element("rect", x=-9, y=0, width=18, height=bottom - top, fill="#000000", fill_opacity=0)
    down = f"M0 0V{bottom - top:.1f}"
    line = element("path", d=down, stroke="currentColor", stroke_width=2, stroke_dasharray="6 3")
    flag = element(
        "rect", x=left, y=bottom - top + 20, width=wide, height=20, rx=10, fill="currentColor", stroke="none"
    )
    said = text(words, left + wide / 2, bottom - top + 34, "middle", font_size=12, font_weight="bold", fill=PANEL)
    place = f"translate({x:.1f},{top:.1f})"
    return element("g", grip, line, flag, said, data_key="now", transform=place, **clock.handle)
