"""The event of a pod that waits; after the answer, before each reason the colours of the nodes that it counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from kschedlab.decision import Decision
from kschedlab.filter.stage import unavailable
from kschedlab.text.html import element
from kschedlab_lab.views.layout import NOTHING, Part, row, words, wrap
from kschedlab_lab.views.style import INK_2

SQUARE, MANY = 10, 4
"""The size of a square in a node's colour, in pixels, and the most of them before a reason."""


def event_line(decision: Decision, fills: Sequence[str], width: float) -> Part:
    """What the filters say in the event. ``fills``: by position, the colour of a node in the map, or none at all.

    Nothing if no node refused the pod.
    """
    verdicts, reasons = decision.verdicts, decision.reasons()
    if verdicts is None or not reasons or len(decision.feasible):
        return NOTHING
    head = unavailable(len(decision.cluster.nodes), {})
    places = _places(decision)
    lines = sorted((f"{number} {reason}", places.get(reason, [])) for reason, number in reasons.items())
    ends = [*[","] * (len(lines) - 1), "."]
    parts = [_reason(text + end, where, fills, width) for (text, where), end in zip(lines, ends, strict=True)]
    return wrap([words(head, fill=INK_2), *parts], width, 10, 2)


def _places(decision: Decision) -> dict[str, list[int]]:
    """By reason, the positions of the nodes that the event counts under it."""
    assert decision.verdicts is not None
    found: dict[str, list[int]] = {}
    for number, refused in enumerate(decision.verdicts.refusals):
        here = decision.verdicts.refused_by == number
        for part in refused.parts if refused is not None else ():
            found.setdefault(part.reason, []).extend(np.flatnonzero(part.mask & here).tolist())
    return found


def _reason(text: str, places: Sequence[int], fills: Sequence[str], width: float) -> Part:
    """The reason, behind a square for each colour of its nodes: the most frequent ones, that of most nodes first."""
    common = [fill for fill, _ in Counter(fills[place] for place in places if fills).most_common(MANY)]
    squares = [
        Part(SQUARE, SQUARE, (element("rect", width=SQUARE, height=SQUARE, rx=3, fill=each),)) for each in common
    ]
    room = width - len(squares) * (SQUARE + 4)
    return row([*squares, words(text, width=room)], 4)
