"""Lines over a numeric axis as SVG, each with a colour and a dash, and one point of each in question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil, floor, log10
from typing import Any, TypeAlias

from kschedlab.messages import say
from kschedlab.text.html import Html, element, join
from kschedlab_lab.views.lettering import text_width
from kschedlab_lab.views.style import ACT, INK, INK_3, KINDS
from kschedlab_lab.views.svg import Room, dragged, label, svg

Number: TypeAlias = int | float
COLOURS = (ACT, INK, INK_3, KINDS[1])
DASHES = (None, "9 6", "2 5", "12 5 2 5")
LINE, TOP, FOOT = 15, 14, 44
"""Height of a line, the margin above the plot, and the room for the axis below it."""


@dataclass(frozen=True)
class Lines:
    """``series``: by name, the points of a line, among them one for each of ``xs``; ``at``: the x in question.

    ``titles``: of the axes; ``drag``: the control that dragging the marked point changes, one value for each of
    ``xs``; ``most``: where the vertical axis ends, at or above all points.
    """

    xs: Sequence[int]
    series: Mapping[str, Mapping[int, Number]]
    titles: tuple[str, str]
    alt: str
    at: int | None = None
    drag: str = ""
    most: Number | None = None

    def __call__(self, room: Room) -> Html:
        return _Drawing(self, room).svg()


class _Drawing:
    """The measures of one drawing, and its parts."""

    def __init__(self, lines: Lines, room: Room) -> None:
        self.lines, self.room = lines, room
        ys = [y for each in lines.series.values() for y in each.values()]
        self.ticks = ticks(0, max([*ys, 1]) if lines.most is None else lines.most)
        self.left = max(text_width(f"{tick:,}") for tick in self.ticks) + 16
        self.top = TOP + LINE * (2 + len(lines.series)) + 8
        self.width = room.width - self.left - 24
        self.height = max(min(room.height - self.top - FOOT, room.width * 0.35 + 80), 110)
        self.low, self.high = min(lines.xs), max(lines.xs)

    def x(self, value: Number) -> float:
        return self.left + self.width * (value - self.low) / ((self.high - self.low) or 1)

    def y(self, value: Number) -> float:
        return self.top + self.height * (1 - value / self.ticks[-1])

    def svg(self) -> Html:
        shapes = [*self._names(), *self._across(), *self._down(), *self._curves(), *self._points()]
        return svg(shapes, self.room.width, self.top + self.height + FOOT, self.lines.alt)

    def _names(self) -> list[Html]:
        """The title of the numbers; each line's name, with its number at the point in question."""
        lines = self.lines
        shapes = [label(f"{lines.titles[1]} ↑", 4, TOP, font_style="italic")]
        for i, (name, line) in enumerate(lines.series.items()):
            y = TOP + LINE * (i + 1) + 4
            sample = element("line", x1=self.left, x2=self.left + 40, y1=y - 4, y2=y - 4, **_stroke(i))
            words = name
            if lines.at is not None:
                words = say("{name}: {value}", name=name, value=f"{line[lines.at]:,}")
            shapes += [sample, label(words, self.left + 48, y, font_weight="bold")]
        return shapes

    def _across(self) -> list[Html]:
        bottom = self.top + self.height
        numbers = [tick for tick in ticks(self.low, self.high) if self.low <= tick <= self.high]
        room = max(text_width(f"{tick:,}") for tick in numbers) + 12
        every = max(ceil(room * len(numbers) / self.width), 1)
        shapes = [label(f"{tick:,}", self.x(tick), bottom + 17, "middle") for tick in numbers[::every]]
        title = label(f"{self.lines.titles[0]} →", self.left + self.width, bottom + 36, "end", font_style="italic")
        return [*shapes, title]

    def _down(self) -> list[Html]:
        shapes = []
        for tick in self.ticks:
            y = self.y(tick)
            ends = {"x1": self.left, "x2": self.left + self.width, "y1": y, "y2": y}
            shapes.append(element("line", **ends, stroke="currentColor", stroke_opacity=0.2))
            shapes.append(label(f"{tick:,}", self.left - 8, y + 4, "end"))
        return shapes

    def _curves(self) -> list[Html]:
        shapes = []
        for i, (name, line) in enumerate(self.lines.series.items()):
            places = (f"{self.x(x):.1f} {self.y(y):.1f}" for x, y in line.items())
            shapes.append(element("path", d=f"M{'L'.join(places)}", data_key=f"line/{name}", fill="none", **_stroke(i)))
        return shapes

    def _points(self) -> list[Html]:
        lines, at = self.lines, self.lines.at
        if at is None:
            return []
        x, values = self.x(at), [each[at] for each in lines.series.values()]
        rule = {"x1": x, "x2": x, "y1": self.top, "y2": self.top + self.height}
        shapes = [element("line", **rule, stroke="currentColor", stroke_dasharray="3 4", stroke_opacity=0.6)]
        for i, (name, value) in enumerate(zip(lines.series, values, strict=True)):
            mark: dict[str, Any] = {"cx": x, "cy": self.y(value), "r": 7, "fill": COLOURS[i % len(COLOURS)]}
            shapes.append(element("circle", **mark, stroke="currentColor", data_key=f"point/{name}"))
        written = f"{at:,}"
        beside = x - text_width(written, bold=True) / 2 < self.left - 7  # the highest tick is there
        shapes.append(label(written, x, self.top - 5, "start" if beside else "middle", font_weight="bold"))
        if not lines.drag:
            return shapes
        step = self.width / max(len(lines.xs) - 1, 1)
        return [element("g", join(shapes), data_key="point", **dragged(lines.drag, "x", step, lines.titles[0]))]


def _stroke(i: int) -> dict[str, str | float | None]:
    return {"stroke": COLOURS[i % len(COLOURS)], "stroke_width": 3, "stroke_dasharray": DASHES[i % len(DASHES)]}


def ticks(low: Number, high: Number) -> list[Number]:
    """Round numbers from ``low`` or just below to ``high`` or just above, at most seven steps."""
    rough = (high - low or 1) / 5
    power = 10 ** floor(log10(rough))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= rough)
    first, last = floor(low / step), ceil(high / step)
    found = [i * step for i in range(first, last + 1)]
    return [int(each) if float(each).is_integer() else round(each, 10) for each in found]
