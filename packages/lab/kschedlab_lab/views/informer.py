"""Pods at the API server, their copies in the scheduler's informer, and who receives each: its cache or its queue."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kschedlab.messages import later, say
from kschedlab.text.html import Html
from kschedlab_lab.views.lettering import flowed, text_width
from kschedlab_lab.views.pieces import Fact, Piece, bar, draw_badges
from kschedlab_lab.views.style import EVICTED, HAIR, TRAY
from kschedlab_lab.views.svg import Room, label, rect, svg

HEADS = ("API server", "informer", later("handed to"))
PAD, GAP, HEAD, BAR, INSIDE, LINE, SMALL = 4, 6, 34, 22, 5, 13, 11.2
"""Margins and gaps; height of a column's head, of a pod; margin in a column; height and size of the text below a pod.
In pixels."""
BESIDE = 88
"""The least width of the text beside the pod; in less it is below."""
PLACES = (("", ""), ("informer", ""), ("handed", "informer"))
"""By column: the copy's place, and the place that it was copied from."""


@dataclass(frozen=True)
class Seen:
    """A pod. ``facts``: what is known of it; ``seen``: by the informer; ``to``: cache, queue or nobody; ``why`` not."""

    name: str
    facts: str
    seen: bool
    to: str
    why: str = ""


def draw_informer(pods: Sequence[Seen], handed: bool, badges: Sequence[Fact], alt: str, room: Room) -> Html:
    """The pods at the API server; once they are ``handed`` on, also their copies, and who receives each.

    ``badges``: the facts of the last pod, which can be switched then.
    """
    wide = (room.width - 2 * PAD - 2 * GAP) / 3
    lefts = [PAD + (wide + GAP) * i for i in range(3)]
    names = max(_name(each) for each in pods) + 6
    aside = names if wide - 2 * INSIDE - names > BESIDE else 0
    y, drawn = float(HEAD), list[Html]()
    for each in pods:
        drawn += _pod(each, handed, y, lefts, wide - 2 * INSIDE, aside)
        y += _height(each, wide - 2 * INSIDE, aside)
    grounds = [shape for title, x in zip(HEADS, lefts, strict=True) for shape in _column(say(title), x, wide, y)]
    whose = f"{pods[-1].name}:"
    facts, end = draw_badges(
        badges, f"pod/{pods[-1].name}", PAD + text_width(whose, 12, True) + 8, y + 10, room.width - PAD
    )
    switches = [label(whose, PAD, y + 25.5, font_weight="bold"), *facts] if handed else []
    return svg([*grounds, *drawn, *switches], room.width, end + 2, alt)


def _last(each: Seen) -> int:
    """The number of the last column that the pod comes to."""
    return 0 if not each.seen else 1 if each.to == say("nobody") else 2


def _said(each: Seen, column: int, stays: bool) -> str:
    """What there is to say of the pod in that column."""
    return f"✕ {each.why}" if stays else (each.facts, "", each.to)[column]


def _lines(each: Seen, wide: float) -> int:
    """How many lines are below the pod, at the most."""
    last = _last(each)
    texts = [_said(each, at, at == last < 2) for at in range(last + 1)]
    return max(len(flowed(text, wide, SMALL)) for text in texts if text)


def _column(title: str, x: float, wide: float, high: float) -> Iterator[Html]:
    yield rect(wide, high - PAD + 2, 11, x, PAD, fill=TRAY, stroke=HAIR)
    yield label(title, x + 8, 22, font_weight="bold", font_size=13)


def _height(each: Seen, wide: float, aside: float) -> float:
    """The height of the pod's row."""
    lines = LINE * _lines(each, wide - aside)
    return max(BAR, lines) + 6 if aside else BAR + 3 + lines


def _name(each: Seen) -> float:
    return text_width(each.name, 12, True) + 14


def _pod(each: Seen, handed: bool, y: float, lefts: Sequence[float], wide: float, aside: float) -> Iterator[Html]:
    """The pod and its copies, with what is known of it, who receives it, or why it goes no further.

    ``aside``: where the text begins beside the pod, 0 for below it.
    """
    last = _last(each) if handed else 0
    middle = (_height(each, wide, aside) - 6) / 2
    for number in range(last + 1):
        stays, at = handed and number == last < 2, lefts[number] + INSIDE
        top = y + middle - BAR / 2 if aside else y
        yield bar(Piece(each.name, 0, copied=PLACES[number]), (at, top), min(_name(each), wide), BAR)
        lines = flowed(_said(each, number, stays), wide - aside, SMALL)
        first = y + 10 + (middle - LINE * len(lines) / 2 if aside else BAR + 1)
        for i, line in enumerate(lines):
            fill = EVICTED if stays else None
            yield label(line, at + (aside or 2), first + LINE * i, fill=fill, font_size=SMALL)
