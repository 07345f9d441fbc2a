"""The course as a map: a card for each lesson, from the top down, and arrows to the lessons that build on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from kschedlab.messages import say
from kschedlab.text.html import Html, element
from kschedlab_lab.views.layout import Part, column, moved, row, words
from kschedlab_lab.views.style import ACT, ACT_SOFT, HAIR, INK, INK_2, INK_3, ON_ACCENT, TRAY
from kschedlab_lab.views.svg import Room, rect, svg

Point: TypeAlias = tuple[float, float]
CARD, GAP, DISC, EDGE, MOST = (176, 42), 17, 14, 3, 430
"""The size of a card, the space between two rows, the radius of a card's disc, the margin, and the most width of all;
in pixels at normal size."""


@dataclass(frozen=True)
class LessonCard:
    """A lesson. ``place``: its row and, from 0 to 1, how far right; ``after``: the numbers of lessons before it.

    ``set``: the control; ``here``: it is the current one; ``lit``: it leads there.
    """

    number: str
    name: str
    minutes: int
    place: Point
    after: tuple[str, ...]
    set: str
    here: bool
    lit: bool


def draw_course(cards: Sequence[LessonCard], alt: str, room: Room) -> Html:
    """The cards and their arrows."""
    width = min(room.width, MOST)
    wide = min(CARD[0], (width - 2 * EDGE - GAP) / 2)
    pitch = width - 2 * EDGE - wide
    spots = {card.number: (EDGE + card.place[1] * pitch, EDGE + card.place[0] * (CARD[1] + GAP)) for card in cards}
    lit = {card.number for card in cards if card.lit or card.here}
    arrows = [
        _arrow(spots[before], spots[card.number], wide, is_lit=before in lit and card.number in lit)
        for card in cards
        for before in card.after
    ]
    bottom = max(y for _, y in spots.values()) + CARD[1] + EDGE
    return svg([*arrows, *(_card(card, *spots[card.number], wide) for card in cards)], width, bottom, alt)


def _card(card: LessonCard, x: float, y: float, wide: float) -> Html:
    """A lesson: its number in a disc, its name, and how long it takes."""
    number = words(card.number, bold=True, fill=ON_ACCENT if card.here else INK)
    disc = [
        element("circle", cx=DISC, cy=DISC, r=DISC, fill=ACT if card.here else ACT_SOFT),
        moved(number, DISC - number.width / 2, DISC - number.height / 2),
    ]
    minutes = say("{number} min", number=card.minutes)
    said = column([words(card.name, 13, bold=True), words(minutes, fill=INK_2)], 0)
    inside = row([Part(2 * DISC, 2 * DISC, tuple(disc)), said], 6)
    edge = {"stroke": ACT, "stroke_width": 2.5} if card.here else {"stroke": HAIR}
    paper = rect(wide, CARD[1], 10, fill=TRAY, **edge)
    marks: dict[str, Any] = {"data_set": card.set, "aria_label": f"{card.number} {card.name}"}
    marks |= {"data_key": f"lesson/{card.number}", "transform": f"translate({x:.1f},{y:.1f})"}
    return element("g", paper, moved(inside, 7, (CARD[1] - inside.height) / 2), **marks)


def _arrow(start: Point, end: Point, wide: float, *, is_lit: bool) -> Html:
    """From the lower edge of one card to the upper edge of the next."""
    x0, y0, x1, y1 = start[0] + wide / 2, start[1] + CARD[1], end[0] + wide / 2, end[1]
    look: dict[str, Any] = {"stroke": INK if is_lit else INK_3, "stroke_width": 3 if is_lit else 1.5}
    line = element(
        "path",
        d=f"M{x0:.1f} {y0:.1f}C{x0:.1f} {y1 - 4:.1f} {x1:.1f} {y0:.1f} {x1:.1f} {y1 - 5:.1f}",
        fill="none",
        **look,
    )
    return element("g", line, element("path", d=f"M{x1:.1f} {y1:.1f}l-4.5 -8h9Z", fill=look["stroke"]))
