"""The parts of a queue (v1.13's or v1.37's) with the pods in them, the ways between them, and when an event happens."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import hypot
from typing import TypeAlias

from kschedlab.messages import later, say
from kschedlab.text.html import Html, element
from kschedlab_lab.views.layout import moved, placed, words
from kschedlab_lab.views.lettering import text_width
from kschedlab_lab.views.queue_pods import PILL, Handle, pill
from kschedlab_lab.views.style import ACT, HAIR, INK, INK_2, INK_3, ON_ACCENT, TICK, TRAY
from kschedlab_lab.views.svg import Room, label, svg

Point: TypeAlias = tuple[float, float]
Way: TypeAlias = tuple[str, Point, Point, Point]
"""What leads there, from where to where the arrow goes, and where its words are."""

EDGE, HEAD, APART = 2, 40, 24
"""The margin, the height of a part's title, and the space between the parts at the right."""
LOW = HEAD + PILL + 7
"""The height of a part at the right."""
ACTIVE, TRYING, WAITING = "activeQ", later("being tried"), "unschedulableQ"
BACKOFF, ASLEEP = "backoffQ", "unschedulablePods"
"""Two parts of v1.37: woken pods whose backoff is not over, and those that wait for an event."""
PLAIN = {
    ACTIVE: later("Ready"),
    TRYING: later("Being tried"),
    WAITING: later("Waits"),
    BACKOFF: later("Woken"),
    ASLEEP: later("Waits"),
}
"""What the parts are for."""
BOLT = "M3 -9L-5 2H0L-3 9L5 -2H0Z"


@dataclass(frozen=True)
class Slot:
    """A moment at which the event can happen. ``handle``: what puts it there."""

    words: str
    handle: Handle = field(default_factory=dict)


@dataclass(frozen=True)
class Parts:
    """The queue at one moment.

    ``pods``: names by part, all of one ``priority``; ``notes``: what the queue counts. ``way``: where a pod was and
    where it is now. ``slots``: the moments for the event, of which ``at`` is taken; ``bolt``: what makes it a control.
    ``picks``: whether the parts are answers.
    """

    pods: Mapping[str, Sequence[str]]
    priority: int
    notes: Sequence[str]
    way: tuple[str, str]
    slots: Sequence[Slot]
    at: int
    event: str
    bolt: Handle = field(default_factory=dict)
    picks: bool = False


def draw_parts(parts: Parts, alt: str, room: Room) -> Html:
    """The parts, the attempt as a line with the event on it, and what the queue counts."""
    gap = min(max(room.width * 0.24, 70), 150)
    wide = (room.width - 2 * EDGE - gap) / 2
    right, tall = room.width - EDGE - wide, 2 * LOW + APART
    below = EDGE + LOW + APART
    places = {ACTIVE: (EDGE, EDGE, LOW if BACKOFF in parts.pods else tall), TRYING: (right, EDGE, LOW)}
    places |= {BACKOFF: (EDGE, below, LOW), ASLEEP: (right, below, LOW), WAITING: (right, below, LOW)}
    shapes = [*(_new_ways if BACKOFF in parts.pods else _ways)(parts, wide, right)]
    shapes += [_part(name, parts, *place, wide) for name, place in places.items() if name in parts.pods]
    y = EDGE + tall - 8
    shapes += _attempt(parts, y + 24, room)
    low = y + 116.0
    for i, said in enumerate(parts.notes):
        note = words(said, 12, bold=True, width=room.width - 2 * EDGE)
        shapes.append(moved(note, EDGE, low, data_key=f"note/{i}"))
        low += note.height
    return svg(shapes, room.width, y + (150 if room.width > 411 else 166), alt, size=13)


def _part(name: str, parts: Parts, x: float, y: float, high: float, wide: float) -> Html:
    """A part with its title and its pods: in a high one they are one below the other, elsewhere side by side."""
    pick = {"data_pick": name, "aria_label": name} if parts.picks and name != TRYING else {}
    frame = element("rect", width=wide, height=high, rx=11, fill=TRAY, stroke=HAIR)
    title = words(say(PLAIN[name]), 13, bold=True)
    inside = [frame, moved(title, 8, 6)]
    if name != TRYING:
        small = 12 if text_width(name) <= wide - 16 else 11.2
        inside.append(moved(words(name, small, fill=INK_2), 8, 22))
    broad = min((wide - 26) / 2, 72)
    area = element("g", *inside, data_key=f"part/{name}", transform=f"translate({x:.1f},{y:.1f})")
    pods = []
    for i, pod in enumerate(parts.pods.get(name, ())):
        down = high > LOW
        at = (x + (wide - broad) / 2, y + HEAD + i * (PILL + 8)) if down else (x + 10 + i * (broad + 6), y + HEAD)
        pods.append(pill(pod, parts.priority, *at, broad, ranked=False))
    return element("g", area, *pods, **pick)


def _ways(parts: Parts, wide: float, right: float) -> Iterator[Html]:
    """The four ways of a pod, with what leads there; the one that was just taken is thick.

    While it is asked where a pod that fails goes, the ways of an attempt that failed are not there.
    """
    left, down, lane = EDGE + wide + 4, right + 22, right - EDGE - wide - 8
    high, low = EDGE + LOW / 2, EDGE + LOW + APART + LOW / 2
    pop, back, wait = later("Pop"), later("event came"), later("no event")
    ways = {
        (ACTIVE, TRYING): (pop, (left, high - 12), (right - 4, high - 12), (left + lane / 2, high - 34)),
        (TRYING, ACTIVE): (back, (right - 4, high + 16), (left, high + 16), (left + lane / 2, high + 22)),
        (WAITING, ACTIVE): (later("event"), (right - 4, low), (left, low), (left + lane / 2, low + 6)),
        (TRYING, WAITING): (wait, (down, EDGE + LOW + 4), (down, EDGE + LOW + APART - 4), (down + 42, EDGE + LOW + 7)),
    }
    yield from _drawn(ways, parts, lane)


def _new_ways(parts: Parts, wide: float, right: float) -> Iterator[Html]:
    """The five ways of a pod in v1.37."""
    left, down, up, lane = EDGE + wide + 4, right + 22, EDGE + 22, right - EDGE - wide - 8
    high, low, gap = EDGE + LOW / 2, EDGE + LOW + APART + LOW / 2, EDGE + LOW
    pop, helps, none, over, wakes = (
        later("Pop"),
        later("may help"),
        later("no help"),
        later("backoff over"),
        later("event"),
    )
    ways = {
        (ACTIVE, TRYING): (pop, (left, high - 12), (right - 4, high - 12), (left + lane / 2, high - 34)),
        (TRYING, BACKOFF): (helps, (right - 4, high + 22), (left, low - 4), (left + max(lane * 0.34, 32), high + 2)),
        (ASLEEP, BACKOFF): (wakes, (right - 4, low + 16), (left, low + 16), (left + lane / 2, low + 20)),
        (TRYING, ASLEEP): (none, (down, gap + 4), (down, gap + APART - 4), (down + 42, gap + 7)),
        (BACKOFF, ACTIVE): (over, (up, gap + APART - 4), (up, gap + 4), (up + 54, gap + 7)),
    }
    yield from _drawn(ways, parts, lane)


def _drawn(ways: Mapping[tuple[str, str], Way], parts: Parts, lane: float) -> Iterator[Html]:
    """The ways; without those of an attempt that failed while it is asked about them."""
    for each, (said, start, end, (x, y)) in ways.items():
        if parts.picks and each[0] == TRYING:
            continue
        taken = each == parts.way
        yield element("g", _arrow(start, end, 3.6 if taken else 1.4), opacity=None if taken else 0.4)
        wide = 90 if BACKOFF in each and ASLEEP not in each else lane
        yield placed(words(say(said), bold=taken, width=wide, fill=None if taken else INK_2), x, y)


def _arrow(start: Point, end: Point, thick: float) -> Html:
    """A straight line with a head at its end."""
    (x0, y0), (x1, y1) = start, end
    size, length = 6 + thick, hypot(x1 - x0, y1 - y0)
    dx, dy = (x1 - x0) / length, (y1 - y0) / length
    foot = (x1 - size * dx, y1 - size * dy)
    wing = size * 0.55
    line = element("path", d=f"M{x0:.1f} {y0:.1f}L{foot[0]:.1f} {foot[1]:.1f}", stroke=INK, stroke_width=thick)
    ends = (f"{foot[0] - sign * wing * dy:.1f} {foot[1] + sign * wing * dx:.1f}" for sign in (1, -1))
    return element("g", line, element("path", d=f"M{x1:.1f} {y1:.1f}L{'L'.join(ends)}Z", fill=INK))


def _attempt(parts: Parts, y: float, room: Room) -> Iterator[Html]:
    """The attempt on a line, with what comes before and after it; the event is a bolt on that line."""
    wide, line = slot_width(len(parts.slots), room), y + 36
    yield element("rect", x=EDGE + wide, y=line - 20, width=wide, height=40, rx=8, fill=TICK)
    yield element("g", _arrow((EDGE, line), (room.width - EDGE, line), 1.4), opacity=0.6)
    for i, said in enumerate((say("web arrives"), say("Pop 1: web"), say("web fails"))):
        x = EDGE + max(i * wide, 1)
        yield element("line", x1=x, y1=line - 20, x2=x, y2=line + 20, stroke=INK, stroke_width=2)
        yield label(said, x, y + 10, font_size=12)
    for i, slot in enumerate(parts.slots):
        x, taken = EDGE + (i + 0.5) * wide, i == parts.at
        spot = element("circle", cx=x, cy=line, r=15, stroke=INK_3, stroke_dasharray="3 3", fill=TRAY)
        low, bold = (50, "bold") if taken else (34, None)
        name = label(slot.words, x, line + low, "middle", font_size=12, font_weight=bold)
        yield element("g", *([] if taken else [spot]), name, **slot.handle)
    x = EDGE + (parts.at + 0.5) * wide
    yield label(parts.event, x, line + 34, "middle", font_size=12, font_weight="bold")
    disc = element("rect", x=-34, y=-15, width=68, height=30, rx=15, fill=ACT)
    arrows = element("path", d="M-21 -6L-27 0L-21 6M21 -6L27 0L21 6", stroke=ON_ACCENT, stroke_width=2, fill="none")
    bolt = element("path", d=BOLT, fill=ON_ACCENT)
    shapes = (disc, arrows, bolt) if parts.bolt else (element("circle", r=15, fill=ACT), bolt)
    yield element("g", *shapes, data_key="event", transform=f"translate({x:.1f},{line:.1f})", **parts.bolt)


def slot_width(slots: int, room: Room) -> float:
    """How far the event is dragged for one value."""
    return (room.width - 2 * EDGE) / slots
