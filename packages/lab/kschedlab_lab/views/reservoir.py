"""Reservoir sampling as a picture: after each element of the list, a column says how likely each node is held."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from kschedlab.messages import say
from kschedlab.text.html import Html, element
from kschedlab_lab.views.lettering import fitted, text_width
from kschedlab_lab.views.style import CHOSEN, HAIR, NODES, PANEL, TRAY, ink
from kschedlab_lab.views.svg import Room, label, rect, svg

HEAD, FOOT, LINE, WIDEST = 66, 8, 15, 132
"""Height of a card above a column, of the space below the columns, and of a line; greatest width of a column."""
ROOMY, TOKEN = 30, 19
"""Least height of a part of a column that has the way of one draw below its words, and the room for its ball on their
left; in pixels."""


@dataclass(frozen=True)
class Held:
    """After one element of the list: its ``chance`` of being taken, and the probability that each name is held.

    ``what``: what happens, in words; ``brief``: in a word or two.
    """

    name: str
    score: int
    what: str
    chance: Fraction
    likely: Mapping[str, Fraction]
    brief: str


@dataclass(frozen=True)
class Reservoir:
    """``walk``: the list, element by element; ``held``: the node held after each, in one draw.

    ``counts``: how often each node was drawn, and ``draws`` how often in all; ``shown``: how many elements have come.
    """

    walk: Sequence[Held]
    held: Sequence[str]
    counts: Mapping[str, int]
    alt: str
    shown: int | None = None

    @property
    def draws(self) -> int:
        return sum(self.counts.values())

    def __call__(self, room: Room) -> Html:
        return _Drawing(self, room).svg()


class _Drawing:
    """The measures of one drawing, and its parts."""

    def __init__(self, picture: Reservoir, room: Room) -> None:
        self.picture, self.room = picture, room
        self.names = [step.name for step in picture.walk]
        self.come = len(self.names) if picture.shown is None else picture.shown
        self.step = min((room.width - 8) / (len(self.names) + 1), WIDEST)
        self.wide = self.step * 0.72
        self.words: list[Html] = []
        self.high = max(room.height - HEAD - FOOT, 130)
        self.bottom = HEAD + self.high

    def x(self, column: int) -> float:
        return 4 + self.step * column + (self.step - self.wide) / 2

    def svg(self) -> Html:
        shapes: list[Html] = []
        for i, step in enumerate(self.picture.walk):
            shapes.append(self._card(i, step))
            if i >= self.come:
                shapes.append(self._empty(i))
                continue
            if i:
                shapes += self._bands(i)
            shapes.append(self._column(i, self._shares(step)))
        if self.picture.shown is None:
            shapes += self._counted()
        shapes += [*self._way(), *self.words, *self._token()]
        width = max(8 + self.step * (len(self.names) + 1), min(self.room.width, 400))
        return svg(shapes, width, self.bottom + FOOT, self.picture.alt)

    def _shares(self, step: Held) -> dict[str, tuple[float, str]]:
        """By name: its share and how it is written."""
        return {name: (float(chance), str(chance)) for name in self.names if (chance := step.likely.get(name))}

    def _card(self, i: int, step: Held) -> Html:
        """An element of the list: it waits, then comes up and draws."""
        come, now = i < self.come, i == self.come - 1 and self.picture.shown is not None
        held = come and step.name == self.picture.held[self.come - 1]
        name = step.name if text_width(step.name, bold=True) + 4 <= self.step - 6 else step.name.removeprefix("node-")
        fill, middle = self._fill(step.name), (self.step - 6) / 2
        colour = ink(fill) if come else "currentColor"
        look: dict[str, Any] = {"fill": fill if come else "none", "stroke": CHOSEN if held else "currentColor"}
        look |= {"stroke_width": 3 if held or now else 0.75, "data_key": f"card/{step.name}/box"}
        brief = say(step.brief) if come else ""
        if text_width(brief, bold=True) > self.step - 4:
            brief = fitted(brief.split(": ")[-1], self.step - 4)
        shapes = [
            element("rect", width=self.step - 6, height=38, rx=5, **look),
            label(name, middle, 16, "middle", fill=colour, font_weight="bold"),
            label(str(step.score), middle, 32, "middle", fill=colour),
            label(brief, middle, 54, "middle", font_weight="bold"),
        ]
        about: dict[str, Any] = {"data_key": f"card/{step.name}", "data_tip": step.what if come else None}
        return element("g", *shapes, transform=f"translate({7 + self.step * i:g},2)", **about)

    def _fill(self, name: str) -> str:
        return NODES[self.names.index(name) % len(NODES)]

    def _stack(self, shares: Mapping[str, tuple[float, str]]) -> dict[str, tuple[float, float]]:
        """By name: upper and lower end of its part of a column; the first of the list is at the bottom."""
        ends, y = {}, float(self.bottom)
        for name, (share, _) in shares.items():
            ends[name] = (y - share * self.high, y)
            y -= share * self.high
        return ends

    def _column(self, i: int, shares: Mapping[str, tuple[float, str]], key: str = "held") -> Html:
        shapes, ball = [], TOKEN if key == "held" else 4
        for name, (top, low) in self._stack(shares).items():
            fill, text = self._fill(name), shares[name][1]
            look: dict[str, Any] = {"fill": fill, "stroke": PANEL, "data_key": f"{key}/{i}/{name}/box"}
            shapes.append(rect(self.wide, low - top, None, self.x(i), top, **look, stroke_width=1))
            if low - top >= LINE - 1 and text_width(text) <= self.wide - ball + 1:
                halo: dict[str, Any] = {"paint_order": "stroke", "stroke": fill, "stroke_width": 4}
                x = self.x(i) + max(self.wide / 2, ball + text_width(text) / 2)
                place = x, (top + low) / 2 + 4.5
                words = label(text, *place, "middle", fill=ink(fill), **halo)
                self.words.append(element("g", words, data_key=f"{key}/{i}/{name}/words"))
        return element("g", *shapes, data_key=f"{key}/{i}")

    def _empty(self, i: int) -> Html:
        """Where the column of an element that has not come up will be."""
        place = self.x(i), self.bottom - self.high
        return rect(self.wide, self.high, 3, *place, fill="none", stroke=HAIR, stroke_dasharray="3 4")

    def _bands(self, i: int) -> Iterable[Html]:
        """What each node keeps from one column to the next, and what the new one takes from all."""
        before, now = (self._stack(self._shares(self.picture.walk[j])) for j in (i - 1, i))
        left, right = self.x(i - 1) + self.wide, self.x(i)
        for name in filter(now.get, before):
            (a, b), (c, d) = before[name], now[name]
            path = f"M{left:.1f} {a:.1f}L{right:.1f} {c:.1f}V{d:.1f}L{left:.1f} {b:.1f}Z"
            yield element("path", d=path, fill=self._fill(name), fill_opacity=0.45, data_key=f"band/{i}/{name}")

    def _counted(self) -> Iterable[Html]:
        """The last column: what came out of many draws."""
        i, draws = len(self.names), max(self.picture.draws, 1)
        shares = {
            name: (self.picture.counts[name] / draws, f"{self.picture.counts[name]:,}")
            for name in self.names
            if self.picture.counts.get(name)
        }
        middle = self.x(i) + self.wide / 2
        yield label(f"{draws:,}", middle, 30, "middle", font_weight="bold" if self.step > 40 else None)
        yield label(say("draws"), middle, 46, "middle")
        yield self._column(i, shares, "counted")

    def _places(self) -> list[tuple[float, float]]:
        """Where the held node of one draw is in each column."""
        stacks = [self._stack(self._shares(step)) for step in self.picture.walk[: self.come]]
        ends = [stack[held] for stack, held in zip(stacks, self.picture.held, strict=False)]
        down = [low - 8 if low - top >= ROOMY else (top + low) / 2 for top, low in ends]
        return [(self.x(i) + 9, y) for i, y in enumerate(down)]

    def _way(self) -> Iterable[Html]:
        places = self._places()
        if len(places) > 1:
            # Level across a column, below its words; it rises and falls between columns.
            level = [f"{x:.1f} {y:.1f}H{x - 9 + self.wide:.1f}" for x, y in places[:-1]]
            way = "L".join([*level, "{:.1f} {:.1f}".format(*places[-1])])
            dots: dict[str, Any] = {"stroke_width": 2, "stroke_dasharray": "2 4", "fill": "none"}
            yield element("path", d=f"M{way}", stroke=PANEL, stroke_width=5, stroke_opacity=0.6, fill="none")
            yield element("path", d=f"M{way}", stroke="currentColor", **dots, data_key="way")

    def _token(self) -> Iterable[Html]:
        places = self._places()
        if not places or not self.picture.draws:
            return
        x, y = places[-1]
        ring = element("circle", r=7, fill=TRAY, stroke="currentColor", stroke_width=3)
        tip = say("one draw: {held} is held", held=self.picture.held[self.come - 1])
        yield element("g", ring, data_key="token", transform=f"translate({x:g},{y:g})", data_tip=tip)


def story(shown: Reservoir, room: Room, captions: Sequence[str]) -> list[tuple[Html, str]]:
    """One element after the other comes up, in one draw; then many draws."""
    frames = [(replace(shown, shown=i)(room), caption) for i, caption in enumerate(captions, start=1)]
    return [*frames, (shown(room), shown.alt)]
