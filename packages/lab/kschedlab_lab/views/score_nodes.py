"""The nodes above the columns of a score map: how full each one is, and what else the plugins look at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from kschedlab.text.html import Html, element
from kschedlab_lab.views.lettering import fitted, text_width
from kschedlab_lab.views.style import CHOSEN, EVICTED, EVICTED_SOFT, HAIR, INK_2, PRIORITIES, TICK, TRAY
from kschedlab_lab.views.svg import label, rect

TALL, LINE, INSET = 56, 18, 4
"""The height of what a node holds, of a line below it, and what is left free around; in pixels."""
TAGS = 3
"""How many lines there are: for two labels and a taint."""
HIGH = TALL + LINE * TAGS + 3 * INSET
FILLED = PRIORITIES[0]


class Filled(NamedTuple):
    """One resource of a node. ``pods``: the share that each takes, 0 to 1; ``new``: that of the new pod; ``free``: what
    is left then, in percent."""

    pods: Sequence[tuple[str, float]]
    new: float
    free: str


class Card(NamedTuple):
    """A node. ``tags``: a word for each line, "" for none; the last one is a taint."""

    name: str
    filled: Sequence[Filled]
    tags: Sequence[str]


@dataclass(frozen=True)
class Cards:
    """``words``: what stands beside the nodes, by line: two for what they hold, then one for each tag.

    ``looks``: the part that the plugin in question looks at: "free", "labels", "taints" or ""; ``tint``: its colour.
    """

    nodes: Sequence[Card]
    words: Sequence[str] = ()
    looks: str = ""
    tint: str = TICK

    def drawn(self, left: float, wide: float, top: float, chosen: str | None) -> list[Html]:
        """The nodes, of which the first one begins at ``left``, and the words before it."""
        middles = [top + INSET + 18, top + INSET + 38]
        middles += [top + TALL + INSET * 2 + LINE * (line + 0.5) for line in range(TAGS)]
        said = [(word, y) for word, y in zip(self.words, middles, strict=False) if word]
        words = [label(fitted(word, left - 12), left - 8, y + 4.5, "end", fill=INK_2) for word, y in said]
        cards = [
            element(
                "g",
                *self._card(card, wide - 6, card.name == chosen),
                data_key=f"card/{card.name}",
                transform=f"translate({left + wide * i + 2:.0f},{top:g})",
            )
            for i, card in enumerate(self.nodes)
        ]
        return [*words, *cards]

    def _card(self, card: Card, wide: float, is_chosen: bool) -> list[Html]:
        edge: dict[str, Any] = {"stroke": CHOSEN, "stroke_width": 2.5} if is_chosen else {"stroke": HAIR}
        shapes = [rect(wide, HIGH, 8, fill=TRAY, **edge)]
        room = (wide - INSET * (len(card.filled) + 1)) / len(card.filled)
        for i, filled in enumerate(card.filled):
            inside = self._filled(card.name, filled, room, is_chosen)
            shapes.append(element("g", *inside, transform=f"translate({INSET + (room + INSET) * i:.1f},{INSET})"))
        for line, tag in enumerate(card.tags):
            if tag:
                shapes.append(self._tag(tag, wide, TALL + INSET * 2 + LINE * line, line == TAGS - 1))
        return shapes

    def _filled(self, node: str, filled: Filled, wide: float, is_chosen: bool) -> list[Html]:
        """The pods, one upon the other, the new one on top of them, and the room that is left."""
        looked, y = self.looks == "free", float(TALL)
        shapes = [rect(wide, TALL, 3, fill=self.tint if looked else TICK, fill_opacity=0.55)]
        for name, share in filled.pods:
            y -= TALL * share
            shapes.append(rect(wide, TALL * share - 1, 2, 0, y, fill=FILLED, data_tip=f"{name}, {node}"))
        y -= TALL * filled.new
        new: dict[str, Any] = (
            {"fill": CHOSEN} if is_chosen else {"fill": TRAY, "stroke": INK_2, "stroke_dasharray": "3 2"}
        )
        shapes.append(rect(wide - 1, TALL * filled.new - 1, 2, 0.5, y, **new))
        if looked:
            shapes.append(label(filled.free, wide / 2, y / 2 + 4.5, "middle", font_weight="bold"))
        return shapes

    def _tag(self, tag: str, wide: float, top: float, is_taint: bool) -> Html:
        looked = self.looks == ("taints" if is_taint else "labels")
        long = min(text_width(tag, bold=True) + 12, wide - 4)
        fill = EVICTED_SOFT if is_taint else self.tint if looked else TICK
        edge: dict[str, Any] = {"stroke": EVICTED if is_taint else HAIR}
        text = label(
            fitted(tag, wide, bold=looked), wide / 2, top + 13, "middle", font_weight="bold" if looked else None
        )
        return element("g", rect(long, LINE - 2, 8, (wide - long) / 2, top + 1, fill=fill, **edge), text)
