"""The scheduling queue as drawings: the heap as array and tree, the parts as boxes, pods on a timeline.

No meaning depends on colour alone: compared and swapped entries have a sign, and each part of the queue has its
own height.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal, TypeAlias

from kschedlab.views.html import Html, element
from kschedlab.views.style import CHOSEN, EVICTED, KINDS, fills, ink
from kschedlab.views.svg import label, svg

Point: TypeAlias = tuple[float, float]
Mark: TypeAlias = Literal["", "compared", "swapped", "new"]

CELL, TALL, GAP = 64, 36, 8
"""Size of a heap entry, and the gap between entries; in pixels at normal size."""
LEVEL = 62
SIGNS: Mapping[Mark, str] = {"": "", "compared": "?", "swapped": "⇄", "new": "+"}
COLOURS: Mapping[Mark, str] = {"": "currentColor", "compared": KINDS[4], "swapped": EVICTED, "new": CHOSEN}
_text = partial(label, limit=44)


@dataclass(frozen=True)
class Place:
    """An entry of the heap. ``mark``: the current operation on it."""

    name: str
    priority: int
    mark: Mark = ""


def draw_heap(places: Sequence[Place], alt: str) -> Html:
    """The array with its indices on top, and the tree that it represents below. ``alt``: the text alternative."""
    colour = fills({each.priority for each in places})
    levels = max(len(places).bit_length(), 1)
    width = max(len(places) * (CELL + GAP), 2 ** (levels - 1) * (CELL + GAP), 5 * (CELL + GAP)) + 2 * GAP
    shapes = [_text("array: the index is the place", GAP, 14, "start", font_size=12, opacity=0.75)]
    marked = [i for i, each in enumerate(places) if each.mark]
    if len(marked) == 2:
        shapes.append(_arc(marked, places[marked[0]].mark))
    left = [GAP + i * (CELL + GAP) + CELL / 2 for i in range(len(places))]
    for i, (each, x) in enumerate(zip(places, left, strict=True)):
        shapes += [_text(str(i), x, 66, "middle", font_size=12), _place(each, x, 72, colour[each.priority], round_=0)]
    top = 72 + TALL + 46
    shapes.append(
        _text("tree: the children of i are 2i+1 and 2i+2", GAP, top - 18, "start", font_size=12, opacity=0.75)
    )
    spots = [_spot(i, width, top) for i in range(len(places))]
    shapes += [_branch(spots[(i - 1) // 2], spot, places[i], places[(i - 1) // 2]) for i, spot in enumerate(spots) if i]
    for i, (each, (x, y)) in enumerate(zip(places, spots, strict=True)):
        shapes.append(_place(each, x, y, colour[each.priority], round_=TALL / 2))
        shapes.append(_text(str(i), x - CELL / 2 - 6, y + TALL / 2 + 4, "end", font_size=11, opacity=0.75))
    return svg(shapes, width, top + (levels - 1) * LEVEL + TALL + 8, alt, size=14)


def _spot(index: int, width: float, top: float) -> Point:
    """An entry's position in the tree: its centre (x) and its upper edge (y)."""
    level = (index + 1).bit_length() - 1
    return (index + 1 - 2**level + 0.5) * width / 2**level, top + level * LEVEL


def _place(each: Place, x: float, y: float, fill: str, round_: float) -> Html:
    frame, thick = COLOURS[each.mark], 4 if each.mark else 1
    rect = element(
        "rect",
        x=x - CELL / 2,
        y=y,
        width=CELL,
        height=TALL,
        rx=round_,
        fill=fill,
        stroke=frame,
        stroke_width=thick,
    )
    sign = f"{SIGNS[each.mark]} " if each.mark else ""
    name = _text(sign + each.name, x, y + 15, "middle", fill=ink(fill), font_weight="bold", font_size=13)
    return element("g", rect, name, _text(str(each.priority), x, y + 30, "middle", fill=ink(fill), font_size=12))


def _branch(parent: Point, child: Point, *ends: Place) -> Html:
    both = all(end.mark in ("compared", "swapped") for end in ends)
    stroke, thick = (COLOURS[ends[0].mark], 4) if both else ("currentColor", 1.2)
    return element(
        "line", x1=parent[0], y1=parent[1] + TALL, x2=child[0], y2=child[1], stroke=stroke, stroke_width=thick
    )


def _arc(ends: Sequence[int], mark: Mark) -> Html:
    """An arc above the array from one entry to another."""
    a, b = (GAP + i * (CELL + GAP) + CELL / 2 for i in ends)
    return element("path", d=f"M{a} 54C{a} 18 {b} 18 {b} 54", fill="none", stroke=COLOURS[mark], stroke_width=3)


# -- parts of the queue

PART, CHIP = 200, 26
MOST = 6
"""Maximum number of pods that a part shows; it counts the rest."""


@dataclass(frozen=True)
class Part:
    """A part of the queue. ``pods``: in its order; ``lit``: those that just arrived; ``note``: a line below."""

    title: str
    pods: tuple[str, ...]
    lit: tuple[str, ...] = ()
    note: str = ""


def draw_parts(parts: Sequence[Part], alt: str) -> Html:
    """The parts side by side, with their pods."""
    height = 34 + max(2, *(min(len(part.pods), MOST + 1) for part in parts)) * (CHIP + 6) + 6
    shapes = []
    for i, part in enumerate(parts):
        x = GAP + i * (PART + GAP)
        shapes.append(_text(part.title, x + PART / 2, 16, "middle", font_weight="bold"))
        frame = element(
            "rect",
            x=x,
            y=26,
            width=PART,
            height=height - 26,
            rx=6,
            fill="none",
            stroke="currentColor",
            stroke_width=1.5,
        )
        more = len(part.pods) - MOST
        rows = [*part.pods[:MOST], *([f"and {more} more"] if more > 0 else [])] or ["(none)"]
        chips = (_chip(name, x + 8, 34 + n * (CHIP + 6), name in part.lit) for n, name in enumerate(rows))
        shapes += [frame, *chips, _text(part.note, x + PART / 2, height + 18, "middle", font_size=12)]
    return svg(shapes, len(parts) * (PART + GAP) + GAP, height + 28, alt, size=14)


def _chip(name: str, x: float, y: float, lit: bool) -> Html:
    if name == "(none)":
        return _text("–", x + PART / 2 - 8, y + 18, "middle", opacity=0.6)
    fill = "#B3E2D1" if lit else "#FFFFFF"
    rect = element(
        "rect",
        x=x,
        y=y,
        width=PART - 16,
        height=CHIP,
        rx=4,
        fill=fill,
        stroke=CHOSEN if lit else "#000000",
        stroke_width=3 if lit else 1,
    )
    return element("g", rect, _text(f"▶ {name}" if lit else name, x + 8, y + 18, "start", fill="#000000", limit=22))


# -- timelines

LANE, HIGH, TICK, NAMES = 46, 30, 21, 84
"""Height of a lane and of its highest stretch, width of a time step and of the names at the left."""


@dataclass(frozen=True)
class Stretch:
    """Where a pod is from ``start`` to ``end`` (steps from the left). ``kind``: a key of ``KINDS_OF``."""

    start: float
    end: float
    kind: str


@dataclass(frozen=True)
class Moment:
    """An event at time ``at``. ``sign``: one or two letters; ``lit``: highlighted; ``words``: its description."""

    at: float
    sign: str
    words: str
    lit: bool = False


@dataclass(frozen=True)
class Lane:
    """A pod on the timeline."""

    name: str
    stretches: tuple[Stretch, ...] = ()
    moments: tuple[Moment, ...] = ()
    lit: bool = False


KINDS_OF: Mapping[str, tuple[str, float]] = {
    "active": (KINDS[0], 1.0),
    "backoff": (KINDS[1], 0.66),
    "unschedulable": (KINDS[7], 0.33),
    "bound": (CHOSEN, 1.0),
}
"""Colour and height of a stretch, by the place of the pod."""


def draw_lanes(
    lanes: Sequence[Lane],
    ticks: Sequence[tuple[float, str]],
    alt: str,
    *,
    steps: float,
    events: Sequence[Moment] = (),
    now: float | None = None,
    legend: Sequence[str] = (),
) -> Html:
    """The lanes, one below another. ``ticks``: (step, label); ``steps``: length of the timeline."""
    top = 16 + 15 * len(events)
    bottom = top + LANE * len(lanes)
    right = NAMES + steps * TICK
    shapes = [_event(event, 12 + 15 * i, bottom) for i, event in enumerate(events)]
    for i, lane in enumerate(lanes):
        shapes += _lane(lane, top + LANE * i, right)
    for at, text in ticks:
        x = NAMES + at * TICK
        shapes.append(element("line", x1=x, y1=bottom, x2=x, y2=bottom + 5, stroke="currentColor"))
        shapes.append(_text(text, x, bottom + 19, "middle", font_size=12))
    if now is not None:
        x = NAMES + now * TICK
        shapes.append(
            element("line", x1=x, y1=top - 4, x2=x, y2=bottom, stroke=EVICTED, stroke_width=3, stroke_dasharray="6 3")
        )
        shapes.append(_text("▲ now", x, bottom + 36, "middle", fill=EVICTED, font_weight="bold"))
    x = float(NAMES)
    for name in legend:
        fill, part = KINDS_OF[name]
        high = 14 * part
        shapes.append(
            element("rect", x=x, y=bottom + 60 - high, width=22, height=high, fill=fill, stroke="currentColor")
        )
        shapes.append(_text(name, x + 28, bottom + 59, "start", font_size=13))
        x += 50 + 8 * len(name)
    if legend:
        shapes += [
            _moment(Moment((x - NAMES) / TICK, "", ""), bottom + 62),
            _text("attempt", x + 8, bottom + 59, "start", font_size=13),
        ]
    return svg(shapes, right + 30, bottom + (72 if legend else 44 if now is not None else 28), alt, size=14)


def _lane(lane: Lane, y: float, right: float) -> list[Html]:
    name = f"★ {lane.name}" if lane.lit else lane.name
    base = y + HIGH + 6
    shapes = [
        _text(name, NAMES - 10, base - 8, "end", font_weight="bold"),
        element("line", x1=NAMES, y1=base, x2=right, y2=base, stroke="currentColor", stroke_width=1),
    ]
    for each in lane.stretches:
        fill, part = KINDS_OF[each.kind]
        x, wide, high = NAMES + each.start * TICK, (each.end - each.start) * TICK, HIGH * part
        title = element("title", f"{lane.name}: {each.kind}")
        shapes.append(
            element(
                "g",
                title,
                element(
                    "rect", x=x, y=base - high, width=wide, height=high, fill=fill, stroke="#000000", stroke_width=0.5
                ),
            )
        )
        if each.kind == "bound" and wide > 60:
            shapes.append(_text("bound", x + 8, base - 10, "start", fill="#FFFFFF", font_weight="bold"))
    return shapes + [_moment(each, base) for each in lane.moments]


def _moment(each: Moment, base: float) -> Html:
    x = NAMES + each.at * TICK
    if not each.sign:
        return element("path", d=f"M{x} {base}V{base - HIGH - 3}", stroke="currentColor", stroke_width=3)
    fill, colour = (CHOSEN, "#FFFFFF") if each.lit else ("#FFFFFF", "#000000")
    mark = element("circle", cx=x, cy=base - 13, r=12, fill=fill, stroke="#000000", stroke_width=2.5 if each.lit else 1)
    weight = "bold" if each.lit else None
    letters = _text(each.sign, x, base - 9, "middle", fill=colour, font_weight=weight, font_size=12)
    return element("g", element("title", each.words), mark, letters)


def _event(event: Moment, y: float, bottom: float) -> Html:
    x = NAMES + event.at * TICK
    line = element("line", x1=x, y1=y + 3, x2=x, y2=bottom, stroke="currentColor", stroke_width=1, opacity=0.45)
    return element("g", line, _text(event.words, x + 4, y, "start", font_size=12, limit=60))
