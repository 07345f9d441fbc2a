"""Pods at the API server, their copies in the scheduler's informer, and who receives each: its cache or its queue."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from kschedlab.messages import later, say
from kschedlab.text.html import Html, element, visible
from kschedlab_lab.views.lettering import flowed, text_width
from kschedlab_lab.views.pieces import BADGE, Fact, Piece, bar, draw_badges
from kschedlab_lab.views.style import EVICTED, HAIR, TRAY
from kschedlab_lab.views.svg import Room, label, rect, svg

HEADS = ("API server", "informer", later("handed to"))
PAD, GAP, HEAD, BAR, INSIDE, LINE = 4, 6, 32, 24, 6, 15
"""Margins and gaps; height of a column's head, of a pod; margin in a column; height of a line. In pixels."""
APART, MOST = 4, 44
"""The gap between rows, and their greatest height."""
NAME, GOES, SAID = 13, 16, 12
"""The font sizes of pods, of who receives them, and of what is known of them."""
BESIDE, WIDE = 150, 180
"""The least width of the text beside the pod, in less it is below; from which width the other columns grow, too."""


@dataclass(frozen=True)
class Seen:
    """A pod. ``facts``: what is known of it; ``seen``: by the informer; ``to``: cache, queue or nobody; ``why`` not.

    ``longest``: the longest facts that it can have; there is always room for them.
    """

    name: str
    facts: str
    seen: bool
    to: str
    why: str = ""
    longest: str = ""


class Columns(NamedTuple):
    """``lefts``, ``ends``: of the columns; ``name``: the greatest width of a pod; ``beside``: facts are beside it."""

    lefts: tuple[float, float, float]
    ends: tuple[float, float, float]
    name: float
    beside: bool

    @property
    def text(self) -> float:
        """The width of the facts."""
        return self.ends[0] - self.lefts[0] - 2 * INSIDE - (self.name + 8 if self.beside else 0)


def draw_informer(pods: Sequence[Seen], handed: bool, badges: Sequence[Fact], alt: str, room: Room) -> Html:
    """The pods at the API server; once they are ``handed`` on, also their copies, and who receives each.

    ``badges``: the facts of the last pod, which can be switched then.
    """
    columns = _columns(pods, room.width)
    heights = [_height(each, columns) for each in pods]
    below = _switches(pods[-1].name, badges, 0, room.width)[1]
    spare = (room.height - HEAD - PAD - below - sum(heights)) / len(pods) - APART
    y, drawn = float(HEAD), list[Html]()
    for each, least in zip(pods, heights, strict=True):
        high = least + max(min(spare, MOST - least), 0)
        drawn += _pod(each, handed, y + high / 2, columns)
        y += high + APART
    grounds = [
        shape
        for title, x, end in zip(HEADS, columns.lefts, columns.ends, strict=True)
        for shape in _column(say(title), x, end - x, y)
    ]
    switches, end = _switches(pods[-1].name, badges, y, room.width)
    return svg([*grounds, *drawn, *(switches if handed else [])], room.width, end, alt, size=NAME)


def _columns(pods: Sequence[Seen], width: float) -> Columns:
    """The second and the third column are as wide as what is in them; the first one has the rest."""
    name = max(_wide(each) for each in pods)
    heads = [text_width(say(title), NAME, True) + 16 for title in HEADS]
    goes = max(heads[2], *(text_width(text, size, True) + 16 for text, size, _ in map(_receiver, pods)))
    copy = max(heads[1], name + 2 * INSIDE)
    spare = width - 2 * PAD - 2 * GAP - goes - copy
    text = spare - name - 2 * INSIDE - 8
    beside = text >= BESIDE
    more = min(max(text - WIDE, 0) / 3, 60)
    first = spare - 2 * more
    second = PAD + first + GAP
    third = second + copy + more + GAP
    return Columns((PAD, second, third), (PAD + first, third - GAP, width - PAD), name, beside)


def _wide(each: Seen) -> float:
    return text_width(visible(each.name), NAME, True) + 14


def _receiver(each: Seen) -> tuple[str, int, str | None]:
    """(text, size, colour) of who receives the pod."""
    return (f"✕ {each.to}", NAME, EVICTED) if each.to == say("nobody") else (each.to, GOES, None)


def _lines(text: str, columns: Columns) -> list[str]:
    return flowed(text, columns.text, SAID)


def _height(each: Seen, columns: Columns) -> float:
    """The least height of the pod's row."""
    most = LINE * max(len(_lines(text, columns)) for text in (each.facts, each.longest, f"✕ {each.why}"))
    return max(BAR, most) if columns.beside else BAR + 2 + most


def _column(title: str, x: float, wide: float, high: float) -> Iterator[Html]:
    yield rect(wide, high - PAD, 11, x, PAD, fill=TRAY, stroke=HAIR)
    yield label(title, x + 8, 22, font_weight="bold")


def _switches(name: str, badges: Sequence[Fact], y: float, width: float) -> tuple[list[Html], float]:
    """The pod's facts, which can be switched, and where they end."""
    whose = f"{visible(name)}:"
    facts, end = draw_badges(badges, f"pod/{name}", PAD + text_width(whose, NAME, True) + 8, y + 8, width - PAD)
    title = label(whose, PAD, y + 8 + BADGE / 2 + 3.5, font_weight="bold")
    return [title, element("g", *facts, font_size=SAID)], end


def _pod(each: Seen, handed: bool, middle: float, columns: Columns) -> Iterator[Html]:
    """The pod with what is known of it, its copy, and who receives it, or why it goes no further."""
    x, wide = columns.lefts[0] + INSIDE, _wide(each)
    is_out = handed and not each.seen
    lines = _lines(f"✕ {each.why}" if is_out else each.facts, columns)
    top = middle - (BAR if columns.beside else _height(each, columns)) / 2
    yield bar(Piece(each.name, 0), (x, top), wide, BAR, size=NAME)
    left = x + columns.name + 8 if columns.beside else x + 2
    first = middle - LINE * len(lines) / 2 + 11 if columns.beside else top + BAR + 13
    for i, line in enumerate(lines):
        yield label(line, left, first + LINE * i, fill=EVICTED if is_out else None, font_size=SAID)
    if not handed or not each.seen:
        return
    yield bar(Piece(each.name, 0, copied=("informer", "")), (columns.lefts[1] + INSIDE, top), wide, BAR, size=NAME)
    receiver, size, fill = _receiver(each)
    text = label(receiver, 0, size / 3, fill=fill, font_size=size, font_weight="bold")
    place = f"translate({columns.lefts[2] + 8:.1f},{top + BAR / 2:.1f})"
    yield element("g", text, transform=place, data_key=f"handed/{each.name}", data_from=f"informer/{each.name}")
