"""Over which weights of each plugin a node stays chosen, while the other weights stay as they are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kschedlab.messages import listed, say
from kschedlab.text.html import Html, element
from kschedlab_lab.views.layout import Part, column, words
from kschedlab_lab.views.lettering import text_width
from kschedlab_lab.views.style import CHOSEN, CHOSEN_SOFT, EVICTED, HAIR, INK_2
from kschedlab_lab.views.svg import label, svg

WIDE, BAR, ROW = 340, 12, 64
"""The width of the axis, the height of a bar and that of a row with its texts, in pixels."""


@dataclass(frozen=True)
class Range:
    """The weights ``low`` to ``high`` of a plugin; ``below``, ``above``: the nodes that win beyond them, or ""."""

    plugin: str
    now: int
    low: int
    high: int
    below: str = ""
    above: str = ""


@dataclass(frozen=True, repr=False)
class Ranges:
    """``ranges``: of the plugins whose weight matters; ``others``: those with which ``node`` stays at any weight."""

    node: str
    ranges: Sequence[Range]
    others: Sequence[str]
    most: int

    def html(self) -> Html:
        """A line from 0 to the highest weight for each plugin, with the part in which the node stays."""
        rows = column((Part(WIDE, ROW, tuple(self._row(each))) for each in self.ranges), 0)
        rest = say("at any weight up to {most}: {plugins}", most=self.most, plugins=listed(self.others))
        whole = column([rows, words(rest, width=WIDE, fill=INK_2)], 6)
        return svg(whole.shapes, WIDE, whole.height + 4, repr(self))

    def _row(self, each: Range) -> Iterator[Html]:
        scale = WIDE / self.most
        low, now, high = (scale * weight for weight in (each.low, each.now, each.high))
        yield label(each.plugin, 0, 13, font_weight="bold")
        yield label(say("weight {now}", now=each.now), text_width(each.plugin, bold=True) + 8, 13, fill=INK_2)
        yield element("rect", y=22, width=WIDE, height=BAR, fill=HAIR, rx=3)
        look = {"fill": CHOSEN_SOFT, "stroke": CHOSEN}
        yield element("rect", x=f"{low:.1f}", y=22, width=f"{max(high - low, 2):.1f}", height=BAR, rx=3, **look)
        yield element("rect", x=f"{now - 1.5:.1f}", y=19, width=3, height=BAR + 6, fill=CHOSEN)
        below = (
            say("0: {node}", node=each.below)
            if each.low == 1
            else say("to {low}: {node}", low=each.low - 1, node=each.below)
        )
        if each.below:
            yield label(below, 0, 49, fill=EVICTED)
        if each.above:
            yield label(say("from {high}: {node}", high=each.high + 1, node=each.above), high + 6, 49, fill=EVICTED)

    def __repr__(self) -> str:
        kept = listed(f"{each.plugin} {each.low} to {each.high}" for each in self.ranges)
        return say("{node} stays with these weights: {kept}.", node=self.node, kept=kept)
