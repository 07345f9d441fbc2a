"""Pods at the API server, their copies in the scheduler's informer, and who receives each: its cache or its queue."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kschedlab.views.html import Html, element
from kschedlab.views.lettering import flowed, text_width
from kschedlab.views.pieces import Badge, Piece, bar, draw_badges
from kschedlab.views.style import EVICTED
from kschedlab.views.svg import Room, label, svg

HEADS = (
    ("API server", "all pods"),
    ("informer", "unfinished pods"),
    ("handed to", "by handlers"),
)
PAD, GAP, ROW, TALL, HEAD, BAR = 8, 12, 32, 56, 44, 24
PLACES = (("", ""), ("informer", ""), ("handed", "informer"))
"""By column: the copy's place, and the place that it was copied from."""
NARROW = 195
"""Columns below this width have text below the pods, in rows that are ``TALL``."""


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
    row = TALL if wide < NARROW else ROW
    rows = HEAD + row * len(pods)
    shapes = [shape for i in range(3) for shape in _column(i, PAD + i * (wide + GAP), wide, rows)]
    for number, each in enumerate(pods):
        shapes += _pod(each, stage, PAD, HEAD + 4 + row * number, wide)
    facts, end = draw_badges(badges, f"pod/{pods[-1].name}", PAD, rows + 18, room.width - PAD)
    return svg([*shapes, *facts], room.width, end + 2 if badges else rows + PAD, alt)


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
        yield label(note, x + 8, 39, opacity=0.75)


def _pod(each: Seen, stage: int, left: float, y: float, wide: float) -> Iterator[Html]:
    """The pod and its copies, with what is known of it, who receives it, or why it goes no further."""
    last = min(stage, 0 if not each.seen else 1 if each.to == "nobody" else 2)
    size = text_width(each.name, 12, True) + 16
    for column, known in enumerate((each.facts, "", each.to)[: last + 1]):
        stays = column == last < stage
        at = left + column * (wide + GAP) + 6
        yield bar(Piece(each.name, 0, copied=PLACES[column]), (at, y), size, BAR)
        beside, below = at + size + 6, y + BAR + 13
        lines = flowed(f"✕ {each.why}" if stays else known, wide - 8 if wide < NARROW else wide - size - 16)
        for i, line in enumerate(lines):
            place = (at, below + 13 * i) if wide < NARROW else (beside, y + (16 if len(lines) == 1 else 10 + 13 * i))
            yield label(line, *place, fill=EVICTED if stays else None, font_weight="bold" if stays else None)
