"""Pods at the API server, their copies in the scheduler's informer, and who receives each: its cache or its queue."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from kschedlab.messages import later, say
from kschedlab.text.html import Html, element
from kschedlab_lab.views.lettering import flowed, text_width
from kschedlab_lab.views.pieces import Fact, Piece, bar, draw_badges
from kschedlab_lab.views.style import EVICTED, HAIR, TRAY
from kschedlab_lab.views.svg import Room, label, svg

HEADS = (
    ("API server", later("all pods")),
    ("informer", later("unfinished pods")),
    (later("handed to"), later("by handlers")),
)
PAD, GAP, ROW, TALL, HEAD, BAR, INSIDE, BESIDE, LOW = 8, 8, 32, 56, 44, 24, 5, 6, 70
"""Margins and gaps; height of a row with text beside the pod and with text below it, of a column's head, of a pod;
margin in a column, gap beside a pod; height of the badges below. In pixels."""
PLACES = (("", ""), ("informer", ""), ("handed", "informer"))
"""By column: the copy's place, and the place that it was copied from."""


class Column(NamedTuple):
    """Where a column stands, in pixels."""

    x: float
    wide: float


@dataclass(frozen=True)
class Seen:
    """A pod. ``facts``: what is known of it; ``seen``: by the informer; ``to``: cache, queue or nobody; ``why`` not."""

    name: str
    facts: str
    seen: bool
    to: str
    why: str = ""


def draw_informer(pods: Sequence[Seen], stage: int, badges: Sequence[Fact], alt: str, room: Room) -> Html:
    """The pods after ``stage``: 0 at the API server, 1 in the informer's copy, 2 handed on.

    ``badges``: the facts of the last pod, which can be switched.
    """
    columns, beside = _columns(pods, room.width)
    low = room.height < HEAD + ROW * len(pods) + LOW
    row = (BAR + 5 if low else ROW) if beside else TALL
    rows = HEAD + row * len(pods)
    shapes = [shape for i, column in enumerate(columns) for shape in _column(i, column, rows)]
    for number, each in enumerate(pods):
        shapes += _pod(each, stage, HEAD + 3 + row * number, columns, beside)
    facts, end = draw_badges(badges, f"pod/{pods[-1].name}", PAD, rows + (12 if low else 18), room.width - PAD)
    return svg([*shapes, *facts], room.width, end + 2 if badges else rows + PAD, alt)


def _columns(pods: Sequence[Seen], width: float) -> tuple[list[Column], bool]:
    """The columns, and whether each has room for what is said beside a pod, in two lines at most."""
    needs = [max((_need(each, i) for each in pods), default=0.0) for i in range(3)]
    room = width - 2 * PAD - 2 * GAP
    beside = sum(needs) <= room
    wide = [need + (room - sum(needs)) / 3 for need in needs] if beside else [room / 3] * 3
    return [Column(PAD + sum(wide[:i]) + GAP * i, wide[i]) for i in range(3)], beside


def _need(each: Seen, column: int) -> float:
    """The least width of the pod in that column, with all that may ever be said beside it."""
    why = f"✕ {each.why}" if column == (1 if each.seen else 0) and each.to == "nobody" else ""
    known = (each.facts, "", each.to)[column]
    said = max(_narrowest(known), _narrowest(why))
    return _size(each) + (said + BESIDE if said else 0) + 2 * INSIDE


def _narrowest(text: str) -> float:
    """The least width at which the text takes two lines at most."""
    words = text.split(" ")
    cuts = ((" ".join(words[:i]), " ".join(words[i:])) for i in range(len(words)))
    return min(max(map(text_width, cut)) for cut in cuts)


def _size(each: Seen) -> float:
    return text_width(each.name, 12, True) + 14


def _column(number: int, column: Column, high: float) -> Iterator[Html]:
    title, note = map(say, HEADS[number])
    yield element(
        "rect",
        x=column.x,
        y=PAD,
        width=column.wide,
        height=high - 2,
        rx=11,
        fill=TRAY,
        stroke=HAIR,
    )
    yield label(title, column.x + 8, 24, font_weight="bold", font_size=13)
    room = column.wide - 16 - text_width(title, 13, True) - 8
    if text_width(note) <= room:
        yield label(note, column.x + column.wide - 8, 24, "end", opacity=0.75)
    else:
        yield label(note, column.x + 8, 39, opacity=0.75)


def _pod(each: Seen, stage: int, y: float, columns: Sequence[Column], beside: bool) -> Iterator[Html]:
    """The pod and its copies, with what is known of it, who receives it, or why it goes no further."""
    last = min(stage, 0 if not each.seen else 1 if each.to == "nobody" else 2)
    size = _size(each)
    for number, known in enumerate((each.facts, "", each.to)[: last + 1]):
        stays = number == last < stage
        at = columns[number].x + INSIDE
        yield bar(Piece(each.name, 0, copied=PLACES[number]), (at, y), size, BAR)
        room = columns[number].wide - 2 * INSIDE - (size + BESIDE if beside else 0)
        strong = stays and not beside
        lines = flowed(f"✕ {each.why}" if stays else known, room, 12, strong)
        for i, line in enumerate(lines):
            middle = y + (16 if len(lines) == 1 else 10 + 13 * i)
            place = (at + size + BESIDE, middle) if beside else (at, y + BAR + 13 + 13 * i)
            yield label(
                line, *place, fill=EVICTED if stays else None, font_weight="bold" if stays and not beside else None
            )
