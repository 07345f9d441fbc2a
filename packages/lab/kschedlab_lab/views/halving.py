"""How a bisection finds the largest request that fits: each try halves what is left to try."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from kschedlab.messages import listed, say
from kschedlab.text.html import Html, element
from kschedlab_lab.views.style import CHOSEN, EVICTED, HAIR, INK_2
from kschedlab_lab.views.svg import label, svg

WIDE, SIDE, ROW, HEAD = 440, 140, 17, 24
"""The width of the axis and that of what is written beside it, and the heights of a row and of the axis, in pixels."""


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
        """An axis of CPU; in each row what was left to try, and what was tried."""
        ends = [label("0", 0, 12, fill=INK_2), label(f"{self.most}m", WIDE, 12, "end", fill=INK_2)]
        rows = [each for number, row in enumerate(self._left()) for each in self._row(number, *row)]
        return svg([*ends, *rows], WIDE + SIDE, HEAD + ROW * len(self.tries), repr(self))

    def _left(self) -> Iterator[tuple[int, int, Try]]:
        """Before each try, the amounts that were left."""
        low, high = 0, self.most
        for tried in self.tries:
            yield low, high, tried
            low, high = (tried.amount, high) if tried.fits else (low, tried.amount)

    def _row(self, number: int, low: int, high: int, tried: Try) -> Iterator[Html]:
        scale, y, fill = WIDE / self.most, HEAD + ROW * number, CHOSEN if tried.fits else EVICTED
        wide = max(scale * (high - low), 1)
        yield element("rect", x=f"{scale * low:.1f}", y=y + 4, width=f"{wide:.1f}", height=5, fill=HAIR)
        yield element("rect", x=f"{scale * tried.amount - 1.5:.1f}", y=y, width=3, height=13, fill=fill)
        last = number >= len(self.tries) - 2
        yield label(tried.words, WIDE + 14, y + 11, fill=fill, font_weight="bold" if last else None)

    def __repr__(self) -> str:
        return say("Tried: {tries}.", tries=listed(each.words for each in self.tries))
