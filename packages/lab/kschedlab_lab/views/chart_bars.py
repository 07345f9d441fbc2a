"""Stacked bars as SVG, one for each name, all to one scale."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from kschedlab.messages import say
from kschedlab.text.html import Html, element
from kschedlab_lab.views.lettering import after_hyphen, fitting, name_lines, short, text_width
from kschedlab_lab.views.style import CHOSEN, KINDS, PANEL, ink
from kschedlab_lab.views.svg import Room, label, rect

FILLS = KINDS
"""Parts of bars; green and vermillion are not among them, because they mean the chosen node and what is refused."""
LINE, ENDS, SHORT = 15, 96, 60
"""Height of a line, the room beside the longest bar of those with a fixed scale, and the room for names below which
only what tells them apart is shown."""
AIR = 3
"""What a part leaves beside its name and number, if it is not so short that only the number fits."""


@dataclass(frozen=True)
class Bars:
    """A stacked bar for each name. ``parts``: by part, its length in each bar, in the order of ``names``.

    ``marked``: the winning bars; ``tied``: those that are equally long and best; ``ends``: the text beside each bar;
    ``fills``: by part, its colour; ``most``: the total that fills the
    width, so that other bars have the same scale, 0 if it is the largest.
    """

    names: Sequence[str]
    parts: Mapping[str, Sequence[float]]
    ends: Sequence[str]
    fills: Mapping[str, str]
    most: float
    marked: Sequence[str] = ()
    tied: Sequence[str] = ()

    def end(self, i: int) -> str:
        return say("{ends} tie", ends=self.ends[i]) if self.names[i] in self.tied else self.ends[i]

    def total(self, i: int) -> float:
        return sum(values[i] for values in self.parts.values())


class Fixed(NamedTuple):
    """Where bars begin, how high each is, and what parts them."""

    left: float
    high: float
    gap: float


class BarMeasures:
    """The measures of bars in a room, and their parts; they end at ``bottom``."""

    def __init__(self, bars: Bars, room: Room, fixed: Fixed) -> None:
        self.bars, self.wide = bars, room.width
        self.left, self.high, self.gap = fixed
        longest = max((text_width(bars.end(i), bold=True) for i in range(len(bars.names))), default=0)
        most = max((bars.total(i) for i in range(len(bars.names))), default=0)
        beside = ENDS if most <= bars.most else longest + 18
        self.long = max(room.width - self.left - beside, 60)
        self.scale = self.long / max(most, bars.most, 1)
        self.bottom = 6 + max(len(bars.names), 1) * (self.high + self.gap)

    def shapes(self) -> list[Html]:
        """All bars, with their origin at the upper left corner of the room."""
        return [self._bar(i) for i in range(len(self.bars.names))]

    def _bar(self, i: int) -> Html:
        bars, name = self.bars, self.bars.names[i]
        won, middle = name in bars.marked, self.high / 2 + 4.5
        shapes, x = [], float(self.left)
        for part, values in bars.parts.items():
            if values[i] > 0:
                shapes.append(self._part(name, part, values[i], x))
                x += self.scale * values[i]
        if won or name in bars.tied:
            wide, high = x - self.left + 4, self.high + 4
            line = {"stroke_width": 4} if won else {"stroke_width": 3, "stroke_dasharray": "6 4"}
            key = f"won/{name}" if won else f"tied/{name}"
            shapes.append(rect(wide, high, 3, self.left - 2, -2, fill="none", stroke=CHOSEN, data_key=key, **line))
        named = after_hyphen(bars.names)[i] if self.left < SHORT else name
        words = name_lines(f"★ {named}" if won else named, self.left - 10, bold=won)
        down = LINE / 2 * (len(words) - 1)
        weight = "bold" if won else None
        shapes += [
            label(text, self.left - 8, middle - down + LINE * k, "end", font_weight=weight)
            for k, text in enumerate(words)
        ]
        shapes.append(label(bars.end(i), x + 8, middle, font_weight="bold", data_key=f"end/{name}"))
        place = f"translate(0,{6 + i * (self.high + self.gap):g})"
        return element("g", *shapes, data_key=f"bar/{name}", transform=place)

    def _part(self, name: str, part: str, value: float, x: float) -> Html:
        long, fill = self.scale * value, self.bars.fills[part]
        key = f"bar/{name}/{part}"
        name_of = short(part)
        number, text = f"{value:g}", ""
        if len(self.bars.parts) > 1:
            text = fitting((f"{name_of} {number}", number, ""), long - AIR) or fitting((number, ""), long - 1)
        words = [label(text, x + long / 2, self.high / 2 + 4.5, "middle", fill=ink(fill))] if text else []
        box = rect(long, self.high, x=x, fill=fill, stroke=PANEL, stroke_width=1, data_key=f"{key}/box")
        return element(
            "g",
            box,
            *words,
            data_key=key,
            data_from=f"cell/{part}/{name}",
            data_ref=f"cell/{part}",
            data_tip=say("{name}: {value}", name=name, value=f"{name_of} {value:g}"),
        )
