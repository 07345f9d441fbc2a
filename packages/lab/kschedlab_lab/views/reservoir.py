"""Reservoir sampling as a picture: after each element of the list, a column says how likely each node is held."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from kschedlab.messages import say
from kschedlab.text.html import Html, element
from kschedlab_lab.views.layout import Part, moved, row
from kschedlab_lab.views.lettering import fitting
from kschedlab_lab.views.style import HAIR, INK, INK_2, PANEL, TRAY, ink, themed
from kschedlab_lab.views.svg import Room, label, rect, svg

HEAD, LINE, WIDEST, CARD, LOW, WHEN, FOOT = 82, 15, 150, 38, 130, 24, 60
"""Height of what is above the columns, and of a line; greatest width of a column with what parts it from the next;
height of a card without a count, and of a column, at least; height of the line below, and with the button. In
pixels."""

SHADES = tuple(
    themed(*each)
    for each in (("#DDE1E7", "#39414E"), ("#C3CAD4", "#4A5463"), ("#A7B0BE", "#5E6A7C"), ("#8C97A8", "#78859A"))
)
"""The nodes, one after the other: greys, because colours mean plugins in this lesson."""


@dataclass(frozen=True)
class Held:
    """After one element of the list: the probability that each name is held.

    ``what``: what happens, in words; ``brief``: in a word or two.
    """

    name: str
    score: int
    likely: Mapping[str, Fraction]
    what: str
    brief: str


@dataclass(frozen=True)
class Reservoir:
    """``walk``: the list, element by element; ``come``: how many of them have come up, one more if all are past.

    ``drawn``: the nodes of some draws, the last of which has a star; ``buttons``: what makes more of them.
    """

    walk: Sequence[Held]
    come: int
    alt: str
    drawn: Sequence[str] = ()
    buttons: Sequence[Part] = ()

    def __call__(self, room: Room) -> Html:
        step = min(room.width / len(self.walk), WIDEST)
        high = max(room.height - HEAD - FOOT, LOW)
        columns = [_Column(self, i, step, high) for i in range(len(self.walk))]
        come = columns[: self.come]
        bands = (band for before, now in zip(come, come[1:], strict=False) for band in now.bands(before))
        shapes = [*(each.card() for each in columns), *bands, *(shape for each in columns for shape in each.parts())]
        shapes += [each.when() for each in come]
        shapes.append(moved(row(self.buttons, 8), 4, HEAD + high + WHEN))
        return svg(shapes, max(step * len(columns), min(room.width, 400)), HEAD + high + FOOT, self.alt)


class _Column:
    """An element of the list: its card, and below it a column with the probabilities once it has come up."""

    def __init__(self, picture: Reservoir, i: int, step: float, high: float) -> None:
        self.names, self.drawn = [each.name for each in picture.walk], picture.drawn
        self.held, self.i, self.step, self.high = picture.walk[i], i, step, high
        self.has_come, self.is_now = i < picture.come, i == picture.come - 1
        self.left, self.wide = step * (i + 0.14), step * 0.72

    def _fill(self, name: str) -> str:
        return SHADES[self.names.index(name) % len(SHADES)]

    def card(self) -> Html:
        """The node with its sum, and how often it was drawn."""
        fill, middle = self._fill(self.held.name), (self.step - 8) / 2
        high = CARD + (LINE + 1 if self.drawn else 0)
        colour = ink(fill) if self.has_come else "currentColor"
        wins = self.drawn[-1:] == (self.held.name,)
        look: dict[str, Any] = {"fill": fill if self.has_come else TRAY, "data_key": f"card/{self.held.name}/box"}
        look |= {"stroke": INK, "stroke_width": 2.5} if self.is_now or wins else {"stroke": HAIR}
        name = f"★ {self.held.name}" if wins else self.held.name
        return element(
            "g",
            rect(self.step - 8, high, 8, **look),
            label(name, middle, 16, "middle", fill=colour, font_weight="bold"),
            label(say("sum {sum}", sum=self.held.score), middle, 32, "middle", fill=colour),
            self._count(middle, colour) if self.drawn else None,
            label(self.held.brief if self.has_come else "", middle, high + 17, "middle", font_weight="bold"),
            transform=f"translate({4 + self.step * self.i:g},{HEAD - 26 - high:g})",
            data_key=f"card/{self.held.name}",
            data_tip=self.held.what if self.has_come else None,
        )

    def _count(self, middle: float, colour: str) -> Html:
        """How often it was drawn so far."""
        number, draws = self.drawn.count(self.held.name), len(self.drawn)
        said = say("drawn {number} of {draws}", number=number, draws=draws)
        brief = say("{number} of {draws}", number=number, draws=draws)
        return label(
            fitting((said, brief), self.step - 12, bold=True), middle, 48, "middle", fill=colour, font_weight="bold"
        )

    def when(self) -> Html:
        """What the column tells."""
        said = say("after {node}", node=self.held.name)
        return label(said, self.left + self.wide / 2, HEAD + self.high + 14, "middle", fill=INK_2)

    def ends(self) -> dict[str, tuple[float, float]]:
        """By name: upper and lower end of its part of the column; the first of the list is at the bottom."""
        found, y = {}, HEAD + self.high - 1
        for name in filter(self.held.likely.get, self.names):
            top = y - float(self.held.likely[name]) * (self.high - 2)
            found[name], y = (top, y), top
        return found

    def parts(self) -> Iterable[Html]:
        """The parts of the column, each with its probability; an empty place before it has come up."""
        if not self.has_come:
            look = {"fill": "none", "stroke": HAIR, "stroke_dasharray": "3 4"}
            yield rect(self.wide, self.high - 2, 3, self.left, HEAD, **look)
            return
        for name, (top, low) in self.ends().items():
            fill, key = self._fill(name), f"held/{self.i}/{name}"
            box = rect(
                self.wide, low - top, x=self.left, y=top, fill=fill, stroke=PANEL, stroke_width=1, data_key=f"{key}/box"
            )
            place = self.left + self.wide / 2, (top + low) / 2 + 4.5
            chance = str(self.held.likely[name]) if low - top >= LINE else ""
            said = fitting((f"{name}: {chance}", chance), self.wide - 4) if chance else ""
            words = label(said, *place, "middle", fill=ink(fill))
            yield element("g", box, words, data_key=key)

    def bands(self, before: _Column) -> Iterable[Html]:
        """What each node keeps from the column before, and what the new one takes from all."""
        was, now = before.ends(), self.ends()
        left, right = before.left + before.wide, self.left
        for name in filter(now.get, was):
            (a, b), (c, d) = was[name], now[name]
            path = f"M{left:.1f} {a:.1f}L{right:.1f} {c:.1f}V{d:.1f}L{left:.1f} {b:.1f}Z"
            yield element("path", d=path, fill=self._fill(name), fill_opacity=0.45, data_key=f"band/{self.i}/{name}")
