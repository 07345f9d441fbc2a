"""A square for each setting in which two versions differ; green and named is the one that changes the answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from kschedlab.messages import say
from kschedlab.text.html import Html
from kschedlab_lab.views.layout import Part, column, row, words
from kschedlab_lab.views.style import CHOSEN, HAIR, INK_2, TRAY
from kschedlab_lab.views.svg import Room, rect, svg

EDGE, GAP, LEAST, MOST, APART, HEAD = 10, 4, 9, 26, 18, 20
"""The margin; the space between squares, the least and the greatest width of one; between the lines, and the height of
the words above one; in pixels."""


class Line(NamedTuple):
    """The settings in which two versions differ. ``alone``: by name, the titles of those that change the answer."""

    title: str
    rules: Sequence[str]
    alone: Mapping[str, str]


def squares(lines: Sequence[Line], known: bool, room: Room, alt: str) -> Html:
    """The lines below each other, as large as there is room. ``known``: whether it shows which change the answer."""
    wide = room.width - 2 * EDGE
    side = next((side for side in range(MOST, LEAST, -1) if _height(lines, wide, side) <= room.height), LEAST)
    drawn = column([_line(each, known, wide, side) for each in lines], APART)
    return svg([*row([Part(EDGE, 0), drawn], 0, "start").shapes], room.width, drawn.height + 4, alt)


def _height(lines: Sequence[Line], width: float, side: float) -> float:
    across = (width + GAP) // (side + GAP)
    return sum(HEAD + -(-len(each.rules) // across) * (side + GAP) + APART for each in lines)


def _line(line: Line, known: bool, width: float, side: float) -> Part:
    """Its versions, how many settings, and the name of the one; below that the squares."""
    head = [words(line.title, 14, bold=True), words(say("{number} settings", number=len(line.rules)), fill=INK_2)]
    head += [words(f"★ {say(title)}", 13, bold=True, fill=CHOSEN) for title in line.alone.values() if known]
    across = int((width + GAP) // (side + GAP))
    rows = -(-len(line.rules) // across)
    drawn = Part(width, rows * (side + GAP), tuple(_squares(line, known, across, side)))
    return column([row(head, 10), drawn], 4)


def _squares(line: Line, known: bool, across: int, side: float) -> Iterator[Html]:
    for i, rule in enumerate(line.rules):
        lit = known and rule in line.alone
        look = {"fill": CHOSEN if lit else TRAY, "stroke": CHOSEN if lit else HAIR}
        x, y = i % across * (side + GAP), i // across * (side + GAP)
        yield rect(side, side, 3, x, y, data_key=f"setting/{line.title}/{rule}", data_tip=rule, **look)
