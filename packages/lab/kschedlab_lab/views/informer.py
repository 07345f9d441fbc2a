"""Pods at the API server, their copies in the scheduler's informer, and who receives each: its cache or its queue."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from kschedlab.messages import later, say
from kschedlab.text.html import Html
from kschedlab_lab.views.lettering import flowed, text_width
from kschedlab_lab.views.pieces import Fact, Piece, bar, draw_badges
from kschedlab_lab.views.style import EVICTED, HAIR, INK_2, TRAY
from kschedlab_lab.views.svg import Room, label, rect, svg

HEADS = (
    ("API server", later("all pods")),
    ("informer", later("unfinished pods")),
    (later("handed to"), later("by handlers")),
)
PAD, GAP, HEAD, BAR, INSIDE, BESIDE, LINE, SMALL = 4, 6, 34, 22, 5, 6, 13, 11.2
"""Margins and gaps; height of a column's head, of a pod; margin in a column, gap beside a pod; height and size of the
text below a pod. In pixels."""
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
    y, drawn = float(HEAD), list[Html]()
    for each in pods:
        drawn += _pod(each, stage, y, columns, beside)
        y += BAR + 3 + (0 if beside else LINE * _lines(each, columns))
    grounds = [shape for i, column in enumerate(columns) for shape in _column(i, column, y, beside)]
    whose = f"{pods[-1].name}:"
    facts, end = draw_badges(
        badges, f"pod/{pods[-1].name}", PAD + text_width(whose, 12, True) + 8, y + 10, room.width - PAD
    )
    named = label(whose, PAD, y + 25.5, font_weight="bold")
    return svg([*grounds, *drawn, named, *facts], room.width, end + 2, alt)


def _said(each: Seen, column: int, stays: bool) -> str:
    """What there is to say of the pod in that column."""
    if stays:
        return f"✕ {each.why}"
    return (each.facts, "", each.to)[column]


def _lines(each: Seen, columns: Sequence[Column]) -> int:
    """How many lines are below the pod, at the most."""
    last = 0 if not each.seen else 1 if each.to == say("nobody") else 2
    texts = [_said(each, at, at == last < 2) for at in range(last + 1)]
    wide = columns[0].wide - 2 * INSIDE
    return max(len(flowed(text, wide, SMALL)) for text in texts if text)


def _columns(pods: Sequence[Seen], width: float) -> tuple[list[Column], bool]:
    """The columns, and whether each has room for what is said beside a pod."""
    needs = [max((_need(each, i) for each in pods), default=0.0) for i in range(3)]
    room = width - 2 * PAD - 2 * GAP
    beside = sum(needs) <= room
    wide = [need + (room - sum(needs)) / 3 for need in needs] if beside else [room / 3] * 3
    return [Column(PAD + sum(wide[:i]) + GAP * i, wide[i]) for i in range(3)], beside


def _need(each: Seen, column: int) -> float:
    """The least width of the pod in that column, with all that may ever be said beside it."""
    why = f"✕ {each.why}" if column == (1 if each.seen else 0) and each.to == say("nobody") else ""
    said = max(text_width(_said(each, column, stays=False)), text_width(why))
    return _size(each) + (said + BESIDE if said else 0) + 2 * INSIDE


def _size(each: Seen) -> float:
    return text_width(each.name, 12, True) + 14


def _column(number: int, column: Column, high: float, beside: bool) -> Iterator[Html]:
    title, note = map(say, HEADS[number])
    yield rect(column.wide, high - PAD + 2, 11, column.x, PAD, fill=TRAY, stroke=HAIR)
    yield label(title, column.x + 8, 22, font_weight="bold", font_size=13)
    if beside:
        yield label(note, column.x + column.wide - 8, 22, "end", fill=INK_2)


def _pod(each: Seen, stage: int, y: float, columns: Sequence[Column], beside: bool) -> Iterator[Html]:
    """The pod and its copies, with what is known of it, who receives it, or why it goes no further."""
    last = min(stage, 0 if not each.seen else 1 if each.to == say("nobody") else 2)
    for number in range(last + 1):
        stays = number == last < stage
        at, wide = columns[number].x + INSIDE, columns[number].wide - 2 * INSIDE
        size = min(_size(each), wide)
        yield bar(Piece(each.name, 0, copied=PLACES[number]), (at, y), size, BAR)
        text = _said(each, number, stays)
        for i, line in enumerate([text] if beside else flowed(text, wide, SMALL)):
            place = (at + size + BESIDE, y + 15.5) if beside else (at + 2, y + BAR + 11 + LINE * i)
            yield label(line, *place, fill=EVICTED if stays else None, font_size=12 if beside else SMALL)
