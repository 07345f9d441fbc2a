"""Pods on their way from the API server through the scheduler's informer to its cache or its queue."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kschedlab.views.html import Html, element
from kschedlab.views.lettering import flowed, text_width
from kschedlab.views.pieces import Badge, Piece, bar, draw_badge
from kschedlab.views.style import EVICTED
from kschedlab.views.svg import Room, label, svg

HEADS = (
    ("API server", "all pods"),
    ("informer", "phase not Succeeded, not Failed"),
    ("handed to", "by the event handlers"),
)
PAD, GAP, ROW, HEAD, BAR = 8, 12, 32, 44, 24


@dataclass(frozen=True)
class Seen:
    """A pod. ``facts``: what is known of it; ``seen``: by the informer; ``to``: cache, queue or nobody; ``why`` not."""

    name: str
    facts: str
    seen: bool
    to: str
    why: str = ""


def draw_informer(pods: Sequence[Seen], stage: int, badges: Sequence[Badge], alt: str, room: Room) -> Html:
    """The pods after ``stage``: 0 at the API server, 1 in the informer's copy, 2 handed on.

    ``badges``: the facts of the last pod, which can be switched.
    """
    wide = (room.width - 2 * PAD - 2 * GAP) / 3
    rows = HEAD + ROW * len(pods)
    shapes = [shape for i in range(3) for shape in _column(i, PAD + i * (wide + GAP), wide, rows)]
    for row, each in enumerate(pods):
        shapes += _pod(each, stage, PAD, HEAD + 4 + ROW * row, wide)
    x, y = float(PAD), rows + 18.0
    for badge in badges:
        long = text_width(badge.text) + 38
        if x + long > room.width - PAD:
            x, y = float(PAD), y + 27
        shapes.append(draw_badge(badge, f"pod/{pods[-1].name}", x, y, long))
        x += long + 6
    return svg(shapes, room.width, y + 30 if badges else rows + PAD, alt)


def _column(number: int, x: float, wide: float, high: float) -> Iterator[Html]:
    title, note = HEADS[number]
    yield element(
        "rect",
        x=x,
        y=PAD,
        width=wide,
        height=high - 2,
        rx=7,
        fill="currentColor",
        fill_opacity=0.04,
        stroke="currentColor",
    )
    yield label(title, x + 8, 24, font_weight="bold", font_size=13)
    room = wide - 16 - text_width(title, 13, True) - 8
    if text_width(note) <= room:
        yield label(note, x + wide - 8, 24, "end", opacity=0.75)
    else:
        yield label(flowed(note, wide - 16)[0], x + 8, 39, opacity=0.75)


def _pod(each: Seen, stage: int, left: float, y: float, wide: float) -> Iterator[Html]:
    """The pod in its column, and at its first place what is known of it or why it stays."""
    column = min(stage, 0 if not each.seen else 1 if each.to == "nobody" else 2)
    stays = column < stage
    size = text_width(each.name, 12, True) + 16
    at = left + column * (wide + GAP) + 6
    yield bar(Piece(each.name, 0), (at, y), size, BAR)
    if column:
        yield label(each.name, left + 14, y + 16, opacity=0.45)
    text = f"✕ {each.why}" if stays else each.to if column == 2 else each.facts if column == 0 else ""
    fill = EVICTED if stays else None
    lines = flowed(text, wide - size - 16)
    for i, line in enumerate(lines[:2]):
        yield label(
            line,
            at + size + 6,
            y + (16 if len(lines) == 1 else 10 + 13 * i),
            fill=fill,
            font_weight="bold" if stays else None,
        )
