"""A line over a numeric axis as SVG, with a point in question that can be dragged along it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, floor, log10
from typing import Any, TypeAlias

from kschedlab.text.html import Html, element
from kschedlab_lab.views.layout import NOTHING, Part, moved
from kschedlab_lab.views.lettering import text_width
from kschedlab_lab.views.style import ACT, INK_2, INK_3
from kschedlab_lab.views.svg import Room, dragged, label, svg

Number: TypeAlias = int | float
TOP, FOOT, APART = 48, 48, 12
"""The heights above the plot and below it, and the space below what is above both."""


@dataclass(frozen=True)
class Curve:
    """``line``: its points, among them one for each of ``xs``; ``at``: the x in question; ``most``: the highest y.

    ``titles``: of the axes; ``drag``: the control that dragging the point changes, one value for each of ``xs``.
    ``above``: from the left edge of the plot and its width to what is drawn above it; ``pale``: another line to compare
    with, and its name.
    """

    xs: Sequence[int]
    line: Mapping[int, Number]
    titles: tuple[str, str]
    alt: str
    most: Number
    at: int | None = None
    drag: str = ""
    above: Callable[[float, float], Part] | None = None
    pale: tuple[Mapping[int, Number], str] | None = None

    def __call__(self, room: Room) -> Html:
        return _Drawing(self, room).svg()


class _Drawing:
    """The measures of one drawing, and its parts."""

    def __init__(self, curve: Curve, room: Room) -> None:
        self.curve, self.room = curve, room
        self.ticks = ticks(0, max(curve.most, 1))
        self.left = max(text_width(f"{tick:,}", 13) for tick in self.ticks) + 16
        self.width = room.width - self.left - 24
        self.above = NOTHING if curve.above is None else curve.above(self.left, self.width)
        self.top = TOP + (self.above.height + APART if self.above.height else 0)
        self.height = max(min(room.height - self.top - FOOT, room.width * 0.35 + 100), 110)
        self.low, self.high = min(curve.xs), max(curve.xs)

    def x(self, value: Number) -> float:
        return self.left + self.width * (value - self.low) / ((self.high - self.low) or 1)

    def y(self, value: Number) -> float:
        return self.top + self.height * (1 - value / self.ticks[-1])

    def svg(self) -> Html:
        shapes = [moved(self.above, 0, 2), *self._across(), *self._down(), *self._pale(), *self._line()]
        return svg(shapes, self.room.width, self.top + self.height + FOOT, self.curve.alt)

    def _across(self) -> Iterator[Html]:
        bottom = self.top + self.height
        numbers = [tick for tick in ticks(self.low, self.high) if self.low <= tick <= self.high]
        room = max(text_width(f"{tick:,}", 13) for tick in numbers) + 12
        every = max(ceil(room * len(numbers) / self.width), 1)
        for tick in numbers[::every]:
            yield label(f"{tick:,}", self.x(tick), bottom + 18, "middle", font_size=13)
        yield label(f"{self.curve.titles[0]} →", self.left + self.width, bottom + 39, "end", font_size=13)

    def _down(self) -> Iterator[Html]:
        yield label(f"{self.curve.titles[1]} ↑", 4, self.top - TOP + 14, font_size=13)
        for tick in self.ticks:
            y = self.y(tick)
            ends = {"x1": self.left, "x2": self.left + self.width, "y1": y, "y2": y}
            yield element("line", **ends, stroke="currentColor", stroke_opacity=0.2)
            yield label(f"{tick:,}", self.left - 8, y + 4, "end", font_size=13)

    def _path(self, line: Mapping[int, Number], **look: Any) -> Html:
        places = (f"{self.x(x):.1f} {self.y(y):.1f}" for x, y in line.items())
        return element("path", d=f"M{'L'.join(places)}", fill="none", **look)

    def _pale(self) -> Iterator[Html]:
        """The line to compare with, and its name above its end."""
        if self.curve.pale is None:
            return
        line, name = self.curve.pale
        yield self._path(line, stroke=INK_3, stroke_width=2, data_key="pale")
        end = max(line)
        yield label(name, self.x(end), self.y(line[end]) - 6, "end", font_size=13, fill=INK_2)

    def _line(self) -> Iterator[Html]:
        """The line, and the point in question with both of its numbers."""
        curve, at = self.curve, self.curve.at
        if at is None:
            return
        yield self._path(curve.line, stroke=ACT, stroke_width=3, data_key="line")
        x, y = self.x(at), self.y(curve.line[at])
        said = f"{at:,} → {curve.line[at]:,}"
        half = text_width(said, 15, bold=True) / 2
        middle = min(max(x, self.left + half), self.left + self.width - half)
        step = self.width / max(len(curve.xs) - 1, 1)
        yield element(
            "g",
            element(
                "line",
                x1=x,
                x2=x,
                y1=self.top,
                y2=self.top + self.height,
                stroke="currentColor",
                stroke_dasharray="3 4",
            ),
            element("circle", cx=x, cy=y, r=9, fill=ACT, stroke="currentColor"),
            label(said, middle, self.top - 14, "middle", font_size=15, font_weight="bold"),
            data_key="point",
            **(dragged(curve.drag, "x", step, curve.titles[0]) if curve.drag else {}),
        )


def ticks(low: Number, high: Number) -> list[Number]:
    """Round numbers from ``low`` or just below to ``high`` or just above, at most seven steps."""
    rough = (high - low or 1) / 5
    power = 10 ** floor(log10(rough))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= rough)
    first, last = floor(low / step), ceil(high / step)
    found = [i * step for i in range(first, last + 1)]
    return [int(each) if float(each).is_integer() else round(each, 10) for each in found]
