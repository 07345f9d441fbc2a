"""A search through the nodes as SVG: a bar, filled as far as it comes, and above it the scores of some nodes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from kschedlab.messages import say
from kschedlab.text.html import Html, element
from kschedlab_lab.views.layout import Part
from kschedlab_lab.views.lettering import fitting, text_width
from kschedlab_lab.views.style import ACT_SOFT, CHOSEN, HAIR, INK_2, INK_3, ON_ACCENT, TRAY
from kschedlab_lab.views.svg import label, rect

PILL, BAR, STEM = 22, 18, 8
"""The heights of a score and of the bar, and the space between them."""
TOP = PILL + STEM
"""Where the bar begins."""
BELOW = 24
"""The height of what is said below it."""


@dataclass(frozen=True)
class Sample:
    """``share``: how much of the nodes the search sees, None before it begins; ``words``: what is said where it ends;
    ``scores``: of some nodes, by their places in its order (a share, too)."""

    share: float | None
    words: str
    scores: Mapping[float, int]

    @property
    def best(self) -> int | None:
        """The highest score that the search sees."""
        return None if self.share is None else max(self.scores[at] for at in self.scores if at < self.share)


def draw_sample(sample: Sample, left: float, width: float) -> Part:
    """The bar has this width, and begins at ``left``."""
    titles = [(say("nodes"), TOP + BAR / 2 + 4), *([(say("score"), PILL / 2 + 4)] if sample.scores else [])]
    shapes = [label(title, left - 11, y, "end", font_size=13) for title, y in titles]
    shapes.append(rect(width, BAR, 6, left, TOP, fill=TRAY, stroke=HAIR))
    if sample.share is not None:
        shapes += _searched(sample, sample.share * width, left, width)
    shapes += [_pin(score, left + at * width, left, score == sample.best) for at, score in sample.scores.items()]
    return Part(left + width, TOP + BAR + BELOW, tuple(shapes))


def _searched(sample: Sample, end: float, left: float, width: float) -> Iterator[Html]:
    """What the search sees, and what it does not."""
    yield rect(end, BAR, min(6, end / 2), left, TOP, fill=ACT_SOFT, stroke=INK_3, data_key="searched")
    rest = fitting((say("not looked at"), ""), width - end - 12)
    yield label(rest, left + (end + width) / 2, TOP + BAR / 2 + 4, "middle", font_size=12, fill=INK_2)
    half = text_width(sample.words, 13) / 2
    middle = min(max(left + end, left + half), left + width - half)
    yield label(sample.words, middle, TOP + BAR + 16, "middle", font_size=13, data_key="end")


def _pin(score: int, x: float, left: float, is_best: bool) -> Html:
    """A node's score above its place; with a star if it is chosen."""
    said = f"★ {score}" if is_best else str(score)
    look: dict[str, Any] = {"fill": CHOSEN if is_best else TRAY, "stroke": CHOSEN if is_best else HAIR}
    wide, start = text_width(said, 13, bold=True) + 8, max(x - 8, left - 8) - x
    return element(
        "g",
        element("path", d=f"M0 {PILL}V{TOP + BAR}", stroke=CHOSEN if is_best else INK_3, stroke_width=2),
        rect(wide, PILL, PILL / 2, start, 0, **look),
        label(
            said,
            start + wide / 2,
            PILL / 2 + 4.5,
            "middle",
            font_size=13,
            font_weight="bold",
            fill=ON_ACCENT if is_best else INK_2,
        ),
        transform=f"translate({x:.1f},0)",
        data_key=f"score/{score}",
    )
