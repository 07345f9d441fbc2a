"""What filters say to probes: a row for each filter, and a column for each probe."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kschedlab.text.html import Html, element
from kschedlab_lab.views.layout import Part, moved, placed, words
from kschedlab_lab.views.lettering import fitted
from kschedlab_lab.views.style import EVICTED, EVICTED_SOFT, HAIR, INK_2, TRAY
from kschedlab_lab.views.svg import Room, rect, svg

EDGE, NAME, HEAD, MOST, GAP, SMALL = 8, 62, 26, 64, 6, 11.2
"""The margin, the width of a filter's name, the height of the head, the greatest of a row, the space between cells; the
size of words, in pixels."""


def grid(probes: Sequence[str], said: Mapping[str, Sequence[str]], breaks: str, room: Room, alt: str) -> Html:
    """``said``: by filter, what it says to each probe; ``breaks``: what it says if it fails."""
    wide = (room.width - 2 * EDGE - NAME) / len(probes)
    high = min((room.height - HEAD) / len(said), MOST)
    shapes = [placed(_word(text, wide, INK_2), EDGE + NAME + (i + 0.5) * wide, 4) for i, text in enumerate(probes)]
    for k, (name, texts) in enumerate(said.items()):
        y = HEAD + k * high
        shapes.append(moved(words(fitted(name, NAME - 4, bold=True), bold=True), EDGE, y + high / 2 - 9))
        for i, text in enumerate(texts):
            x, lost = EDGE + NAME + i * wide, text == breaks
            look = {"fill": EVICTED_SOFT if lost else TRAY, "stroke": EVICTED if lost else HAIR}
            cell = rect(wide - GAP, high - GAP, 8, x + GAP / 2, y, **look)
            word = placed(_word(text, wide, EVICTED if lost else "currentColor"), x + wide / 2, y + high / 2 - 10)
            shapes.append(element("g", cell, word, data_key=f"probe/{name}/{i}"))
    return svg(shapes, room.width, HEAD + high * len(said), alt)


def _word(text: str, width: float, fill: str) -> Part:
    return words(fitted(text, width - GAP - 2, SMALL), SMALL, fill=fill)
