"""The course as a map: a card with a picture for each lesson, and arrows to the lessons that build on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from kschedlab.messages import say
from kschedlab.text.html import Html, element
from kschedlab_lab.views.course_scenes import HIGH, WIDE, scene
from kschedlab_lab.views.layout import Part, column, moved, phrase, placed, row, words
from kschedlab_lab.views.style import ACT, CHOSEN, HAIR, INK, INK_2, INK_3, TRAY
from kschedlab_lab.views.svg import Room, rect, svg

Point: TypeAlias = tuple[float, float]
CARD, GAP, DOT, EDGE, MOST = (190, 42), 17, 3, 6, 436
"""The size of a card, the space between two rows, the radius of an exercise's dot, the margin, in which a ring around a
card has room, and the most width of all; in pixels at normal size."""
SMALL, DOTTED = 0.66, 150
"""How large the picture of a narrow card is; from which width on a card has dots."""


@dataclass(frozen=True)
class LessonCard:
    """A lesson. ``place``: its row and, from 0 to 1, how far right; ``after``: the numbers of lessons before it.

    ``set``: the control; ``solved``: how many of how many exercises; ``here``: it is the current one; ``lit``: it leads
    there.
    """

    number: str
    name: str
    minutes: int
    place: Point
    after: tuple[str, ...]
    set: str
    solved: tuple[int, int]
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
    last = max(y for _, y in spots.values())
    teacher = words(say("08 is for the teacher"), width=wide, fill=INK_2)
    beside = placed(teacher, EDGE + pitch + wide / 2, last + (CARD[1] - teacher.height) / 2)
    drawn = [*arrows, *(_card(card, *spots[card.number], wide) for card in cards), beside]
    return svg(drawn, width, last + CARD[1] + EDGE, alt)


def _card(card: LessonCard, x: float, y: float, wide: float) -> Html:
    """A lesson: its picture, its number and name, how long it takes, and a dot for each exercise."""
    is_narrow = wide < CARD[0]
    scale = SMALL if is_narrow else 1
    picture = Part(WIDE * scale, HIGH * scale, (element("g", scene(card.number), transform=f"scale({scale:g})"),))
    number, name = (card.number, INK_2, False), (card.name, INK, True)
    minutes = say("{number} min", number=card.minutes), INK_2, False
    first, second = ([name], [number, minutes]) if is_narrow else ([number, name], [minutes])
    facts = row([phrase(*second), *([_dots(*card.solved)] if wide >= DOTTED else [])], 8)
    inside = row([picture, column([phrase(*first, size=12 if is_narrow else 13), facts], 0)], 7)
    edge = {"stroke": ACT, "stroke_width": 2.5} if card.here else {"stroke": HAIR}
    paper = rect(wide, CARD[1], 10, fill=TRAY, **edge)
    marks: dict[str, Any] = {"data_set": card.set, "aria_label": f"{card.number} {card.name}"}
    marks |= {"data_key": f"lesson/{card.number}", "transform": f"translate({x:.1f},{y:.1f})"}
    return element("g", paper, moved(inside, 6, (CARD[1] - inside.height) / 2), **marks)


def _dots(solved: int, exercises: int) -> Part:
    """A dot for each exercise, those that are solved full."""
    step = 2 * DOT + 3
    looks = [{"fill": CHOSEN, "stroke": CHOSEN}] * solved + [{"fill": "none", "stroke": INK_3}] * (exercises - solved)
    dots = (element("circle", cx=DOT + 1 + step * i, cy=DOT + 1, r=DOT, **look) for i, look in enumerate(looks))
    done = say("{solved} of {exercises} exercises solved", solved=solved, exercises=exercises)
    ground = rect(step * exercises, 2 * DOT + 2, fill="transparent")
    return Part(step * exercises, 2 * DOT + 2, (element("g", ground, *dots, data_tip=done),))


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
