"""How a bisection finds the largest request that fits: each try halves what is left to try."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from kschedlab.messages import listed, say
from kschedlab.text.html import Html, element
from kschedlab_lab.views.style import CHOSEN, EVICTED, INK_2, INK_3, LIFT
from kschedlab_lab.views.svg import label, svg

WIDE, SIDE, ROW = 150, 46, 18
"""The width of a row's bar and of what is written on either side of it, and the height of a row, in pixels."""
TRIED = 106
"""The width of a try in words, in pixels."""
LAST = 2
"""The tries that show where the limit is."""


class Try(NamedTuple):
    """An amount in milli CPU, and whether the pod fits somewhere with it."""

    amount: int
    fits: bool

    @property
    def words(self) -> str:
        return say("{amount}m fits" if self.fits else "{amount}m: no node", amount=self.amount)


@dataclass(frozen=True, repr=False)
class Halving:
    """The tries in order, between 0 and ``most``."""

    tries: tuple[Try, ...]
    most: int

    def html(self) -> Html:
        """A row for each try: what was open, the amount in its middle, and the half that it decides."""
        rows = [each for number, row in enumerate(self._left()) for each in self._row(number, *row)]
        return svg(rows, 2 * SIDE + WIDE + TRIED, ROW * len(self.tries) + 4, repr(self))

    def _left(self) -> Iterator[tuple[int, int, Try]]:
        """Before each try, the amounts that were left."""
        low, high = 0, self.most
        for tried in self.tries:
            yield low, high, tried
            low, high = (tried.amount, high) if tried.fits else (low, tried.amount)

    def _row(self, number: int, low: int, high: int, tried: Try) -> Iterator[Html]:
        y, fill = ROW * number, CHOSEN if tried.fits else EVICTED
        middle = SIDE + WIDE * (tried.amount - low) / max(high - low, 1)
        start, end = (SIDE, middle) if tried.fits else (middle, SIDE + WIDE)
        box: dict[str, Any] = {"y": y + 3, "height": 11, "rx": 2}
        yield element("rect", x=SIDE, width=WIDE, fill=LIFT, stroke=INK_3, stroke_dasharray="3 2", **box)
        yield element(
            "rect", x=f"{start:.1f}", width=f"{end - start:.1f}", fill=fill, fill_opacity=0.4, stroke=fill, **box
        )
        yield element("rect", x=f"{middle - 1.5:.1f}", y=y + 1, width=3, height=15, fill=fill)
        yield label(str(low), SIDE - 6, y + 13, "end", fill=INK_2)
        yield label(str(high), SIDE + WIDE + 6, y + 13, fill=INK_2)
        bold = "bold" if number >= len(self.tries) - LAST else None
        yield label(tried.words, 2 * SIDE + WIDE + 2, y + 13, fill=fill, font_weight=bold)

    def __repr__(self) -> str:
        return say("Tried: {tries}.", tries=listed(each.words for each in self.tries))
