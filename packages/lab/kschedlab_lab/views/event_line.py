"""The event of a pod that waits, and under each reason the colours of the nodes that it counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from kschedlab.decision import Decision
from kschedlab.filter.stage import unavailable
from kschedlab.text.html import element
from kschedlab_lab.views.layout import NOTHING, Part, column, words, wrap
from kschedlab_lab.views.style import INK_2

BAR = 4
"""The height of the colours under a reason, in pixels."""


def event_line(decision: Decision, fills: Sequence[str], width: float) -> Part:
    """The event. ``fills``: by position, the colour of a node in the map. Nothing if no node refused the pod."""
    verdicts, reasons = decision.verdicts, decision.reasons()
    if verdicts is None or not reasons or len(decision.feasible):
        return NOTHING
    counted = unavailable(len(decision.cluster.nodes), reasons)
    head = unavailable(len(decision.cluster.nodes), {})
    places = _places(decision)
    lines = sorted((f"{number} {reason}", places.get(reason, [])) for reason, number in reasons.items())
    ends = [*[","] * (len(lines) - 1), "."]
    parts = [_reason(text + end, where, fills, width) for (text, where), end in zip(lines, ends, strict=True)]
    rest = decision.event.removeprefix(counted).strip()
    after = [words(rest, width=width, fill=INK_2)] if rest else []
    first = column([words(head, fill=INK_2), Part(1, BAR)], 1)
    return column([wrap([first, *parts], width, 8, 4), *after], 4)


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
    """The reason, and under it a bar that is divided as its nodes are."""
    part = words(text, width=width)
    bars, x = [], 0.0
    for fill, number in Counter(fills[place] for place in places).most_common():
        wide = part.width * number / len(places)
        bars.append(element("rect", x=f"{x:.1f}", width=f"{wide:.1f}", height=BAR, fill=fill))
        x += wide
    return column([Part(part.width, part.height, part.shapes), Part(part.width, BAR, tuple(bars))], 1)
