"""The event of a pod that waits; after the answer, before each reason the colours of the nodes that it counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from kschedlab.decision import Decision
from kschedlab.filter.stage import unavailable
from kschedlab.text.html import Html, element
from kschedlab_lab.views.layout import NOTHING, Part
from kschedlab_lab.views.lettering import text_width
from kschedlab_lab.views.style import INK_2

SQUARE, MANY, LINE = "■", 4, 19
"""What has a node's colour, the most of them before a reason, and the height of a line in pixels."""


def event_line(decision: Decision, fills: Sequence[str], width: float) -> Part:
    """What the filters say in the event. ``fills``: by position, the colour of a node in the map, or none at all.

    Nothing if no node refused the pod.
    """
    verdicts, reasons = decision.verdicts, decision.reasons()
    if verdicts is None or not reasons or len(decision.feasible):
        return NOTHING
    places = _places(decision)
    lines = sorted((f"{number} {reason}", places.get(reason, [])) for reason, number in reasons.items())
    ends = [*[","] * (len(lines) - 1), "."]
    found = [_Run(unavailable(len(decision.cluster.nodes), {}), ink=INK_2)]
    found += [_Run(text + end, _common(where, fills)) for (text, where), end in zip(lines, ends, strict=True)]
    drawn = tuple(_line(line, LINE * (i + 0.75)) for i, line in enumerate(_lines(found, width)))
    return Part(width, LINE * len(drawn), drawn)


class _Run(NamedTuple):
    """Words that are written together, their colour, and the colours of the squares before them."""

    text: str
    fills: Sequence[str] = ()
    ink: str | None = None

    @property
    def width(self) -> float:
        return text_width(self.text) + text_width(SQUARE * len(self.fills), 16) + 6


def _lines(runs: Sequence[_Run], width: float) -> list[list[_Run]]:
    """The runs as one text, broken between words."""
    lines, used = [list[_Run]()], 0.0
    for whole in runs:
        run = whole._replace(text="")
        for word in whole.text.split():
            longer = run._replace(text=f"{run.text} {word}".strip())
            if used + longer.width > width and (lines[-1] or run.text):
                if run.text:
                    lines[-1].append(run)
                lines.append([])
                used, longer = 0, _Run(word, () if run.text else run.fills, run.ink)
            run = longer
        lines[-1].append(run)
        used += run.width
    return lines


def _common(places: Sequence[int], fills: Sequence[str]) -> list[str]:
    """The most frequent colours of these nodes, that of most nodes first."""
    return [fill for fill, _ in Counter(fills[place] for place in places if fills).most_common(MANY)]


def _line(runs: Sequence[_Run], y: float) -> Html:
    """A line as one text, so that the browser puts its words and squares one after the other."""
    spans = list[Html | str]()
    for number, run in enumerate(runs):
        squares = [element("tspan", SQUARE, fill=fill, font_size=16) for fill in run.fills]
        words = element("tspan", run.text, fill=run.ink) if run.ink else run.text
        spans += [*([" "] if number else []), *squares, *([" "] if squares else []), words]
    return element("text", *spans, x=0, y=y)


def _places(decision: Decision) -> dict[str, list[int]]:
    """By reason, the positions of the nodes that the event counts under it."""
    assert decision.verdicts is not None
    found: dict[str, list[int]] = {}
    for number, refused in enumerate(decision.verdicts.refusals):
        here = decision.verdicts.refused_by == number
        for part in refused.parts if refused is not None else ():
            found.setdefault(part.reason, []).extend(np.flatnonzero(part.mask & here).tolist())
    return found
