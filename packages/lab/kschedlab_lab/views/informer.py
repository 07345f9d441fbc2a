"""Pods at the API server, and their copies in the scheduler's informer by who receives them: its cache or its queue."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kschedlab.messages import later, say
from kschedlab.text.html import Html, element, visible
from kschedlab_lab.views.layout import moved, words
from kschedlab_lab.views.lettering import text_width
from kschedlab_lab.views.pieces import BADGE, Fact, Piece, bar, draw_badges
from kschedlab_lab.views.style import EVICTED, HAIR, TRAY
from kschedlab_lab.views.svg import Room, label, rect, svg

CACHE, QUEUE, NOBODY = RECEIVERS = later("cache"), later("queue"), later("nobody")
PAD, GAP, HEAD, INSIDE = 4, 6, 30, 8
"""Margin, gap between the columns, height of a column's head, margin in a column; in pixels."""
BAR, SLOT, TITLE, ROW, TALLEST = 24, 27, 21, 36, 48
"""Height of a pod, of a copy with its gap, of a receiver's name; the least and the greatest height of a row."""
NAME = 13
"""The font size of names."""


@dataclass(frozen=True)
class Seen:
    """A pod. ``facts``: what is known of it; ``to``: who receives it, "" if the informer does not see it."""

    name: str
    facts: str
    to: str


def draw_informer(pods: Sequence[Seen], handed: bool, badges: Sequence[Fact], alt: str, room: Room) -> Html:
    """The pods at the API server; once they are ``handed`` on, also their copies.

    ``badges``: the facts of the last pod, which can be switched then. Each receiver has room for that pod.
    """
    below = _switches(pods[-1].name, badges, 0, room.width)[1]
    step = min(max((room.height - HEAD - PAD - below) / len(pods), ROW), TALLEST)
    names = max(text_width(visible(each.name), NAME, True) for each in pods) + 14
    copies = max(names + 2 * INSIDE, room.width * 0.3)
    middle, high = room.width - PAD - copies, HEAD + step * len(pods)
    shapes = [*_tray("API server", PAD, middle - GAP - PAD, high), *_tray("informer", middle, copies, high)]
    for i, each in enumerate(pods):
        shapes += _pod(each, handed, HEAD + step * (i + 0.5), names, middle)
    y = float(HEAD)
    for receiver in RECEIVERS:
        shapes += _received(receiver, [each for each in pods if handed and each.to == receiver], middle + INSIDE, y)
        slots = 1 + sum(each.to == receiver for each in pods[:-1])
        y += (TITLE + SLOT * slots) * step / ROW
    switches, end = _switches(pods[-1].name, badges, high + PAD, room.width)
    return svg([*shapes, *(switches if handed else [])], room.width, end, alt, size=NAME)


def _tray(title: str, x: float, wide: float, high: float) -> Iterator[Html]:
    yield rect(wide, high, 11, x, PAD, fill=TRAY, stroke=HAIR)
    yield label(title, x + INSIDE, 22, font_weight="bold")


def _pod(each: Seen, handed: bool, y: float, names: float, right: float) -> Iterator[Html]:
    """A pod at the API server, and beside it what is known of it; a cross where the informer leaves it out."""
    yield _bar(Piece(each.name, 0), PAD + INSIDE, y - BAR / 2)
    is_out = handed and not each.to
    left = PAD + INSIDE + names + 8
    facts = words(
        f"✕ {each.facts}" if is_out else each.facts, width=right - GAP - left, fill=EVICTED if is_out else None
    )
    yield moved(facts, left, y - facts.height / 2)


def _received(receiver: str, pods: Sequence[Seen], x: float, y: float) -> Iterator[Html]:
    """Who receives pods, and the copies of these."""
    yield label(f"→ {say(receiver)}", x, y + 15, data_key=f"receiver/{receiver}")
    for i, each in enumerate(pods):
        yield _bar(Piece(each.name, 0, copied=("informer", "")), x, y + TITLE + SLOT * i)


def _bar(piece: Piece, x: float, y: float) -> Html:
    return bar(piece, (x, y), text_width(visible(piece.name), NAME, True) + 14, BAR, size=NAME)


def _switches(name: str, badges: Sequence[Fact], y: float, width: float) -> tuple[list[Html], float]:
    """The pod's facts, which can be switched, and where they end."""
    whose = f"{visible(name)}:"
    facts, end = draw_badges(badges, f"pod/{name}", PAD + text_width(whose, NAME, True) + 8, y + 8, width - PAD)
    title = label(whose, PAD, y + 8 + BADGE / 2 + 3.5, font_weight="bold")
    return [title, element("g", *facts, font_size=12)], end
