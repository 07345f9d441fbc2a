"""What the colours of a map of nodes mean: the legend, which shows nodes alone, and the reasons of the event."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np

from kschedlab.decision import Decision
from kschedlab.filter.stage import unavailable
from kschedlab.messages import later, say
from kschedlab.objects.meta import controller_of
from kschedlab.text.html import Html, element
from kschedlab_lab.views.layout import NOTHING, Part, phrase, row, words, wrap
from kschedlab_lab.views.node_kinds import (
    CHOSEN_ONE,
    EVICTS,
    FILLS,
    FITS,
    GOOD,
    MORE,
    ONE,
    OPEN,
    TWO,
    cause_fill,
    kinds,
    node_fills,
    one_away,
    runners_up,
    siblings,
)
from kschedlab_lab.views.node_map import EDGE
from kschedlab_lab.views.picture import scarcest
from kschedlab_lab.views.style import HAIR, INK_2, TRAY
from kschedlab_lab.views.svg import rect

SWATCH, GAP, COLOURS = 14, 6, 3
"""The size of a sample and the space after it, in pixels; and the most colours before a reason."""
NAMES = {
    GOOD: later("fits"),
    EVICTS: later("fits if others leave"),
    ONE: later("only {plugin}"),
    TWO: later("two obstacles"),
    MORE: later("three or more"),
    OPEN: later("not looked at"),
}
"""By kind of node, what the legend calls it."""


def legend(decision: Decision, width: float, height: float, each: int, framed: str) -> Part:
    """What the squares mean; in a low room, the first entries that fit.

    ``each``: how many nodes a square is, 0 if it shows their pods; ``framed``: where the pod runs.
    """
    entries = [*_entries(decision, each, framed)]
    while (whole := wrap(entries, width, 18, 4)).height > max(height, 0):
        entries.pop()
    return whole


def _entries(decision: Decision, each: int, framed: str) -> Iterator[Part]:
    if framed:
        dashes: dict[str, Any] = {"stroke": "currentColor", "stroke_width": 2, "stroke_dasharray": "3 2"}
        yield _entry([_square("none", **dashes)], say("it runs on {node}", node=framed))
    if decision.verdicts is not None or decision.gates or decision.error:
        yield from _decided(decision)
        if each:
            free = element("path", d="M1.5 8v-4q0 -2.5 2.5 -2.5h6q2.5 0 2.5 2.5v4z", fill=TRAY)
            yield _entry([_square(HAIR), free], say("free {resource}", resource=scarcest(decision)))
    owner = controller_of(decision.pod.pod.metadata)
    if each and owner is not None and siblings(decision):
        dot = element("circle", cx=7, cy=8, r=2.4, fill="currentColor")
        yield _entry([dot], say("another pod of its {kind}", kind=owner.kind))
    if each > 1:
        yield words(say("a square is up to {each} nodes", each=each))


def _decided(decision: Decision) -> Iterator[Part]:
    """The kinds of nodes after a decision, those that are nearest first."""
    kind_of = kinds(decision)
    found, last = Counter(kind_of), len(runners_up(decision))
    found[EVICTS if decision.node is None else GOOD] += found[CHOSEN_ONE]
    for kind, name in NAMES.items():
        if kind == ONE:
            for plugin, places in one_away(decision, kind_of).items():
                square = [_square(cause_fill(plugin))]
                yield _entry(square, say(name, plugin=plugin), len(places), f"{kind} {plugin}")
        elif found[kind]:
            yield _entry([_square(FILLS[kind])], say(name), found[kind], FITS if kind == GOOD else kind)
        if kind == EVICTS and last:
            edge = rect(SWATCH - 2, SWATCH - 2, 3, 1, 1, **EDGE)
            yield _entry([_square(FILLS[EVICTS]), edge], say("loses only at the last rule"), last)


def _square(fill: str, **look: Any) -> Html:
    return rect(SWATCH, SWATCH, 4, fill=fill, **look)


def _entry(sample: list[Html], text: str, number: int = 0, show: str = "") -> Part:
    """A sample and its meaning, with how many nodes it is; a click shows these alone."""
    name = phrase((text, "currentColor", False), *([(f"{number:,}", INK_2, False)] if number else []))
    part = row([Part(SWATCH, SWATCH, tuple(sample)), name], GAP)
    if not show:
        return part
    marks = {"data_set": f"show: {show}", "data_tip": say("show these nodes alone ({text})", text=text)}
    return part._replace(shapes=(element("g", *part.shapes, **marks),))


# -- the event


def event_list(event: Decision, shown: Decision, width: float) -> Part:
    """What the filters say in the event of a pod that waits; each reason after the colours of the nodes that it counts.

    ``shown``: the decision that the map shows; before there is one, its nodes have no colours. Nothing if no node
    refused the pod.
    """
    verdicts, reasons = event.verdicts, event.reasons()
    if verdicts is None or not reasons or len(event.feasible):
        return NOTHING
    fills = node_fills(event) if shown.verdicts is not None else []
    parts = [words(unavailable(len(event.cluster.nodes), {}), fill=INK_2)]
    for text, reason in sorted((f"{number} {reason}", reason) for reason, number in reasons.items()):
        many = Counter(fills[place] for place in _counted(event, reason) if fills).most_common(COLOURS)
        squares = [Part(11, 12, (rect(11, 11, 3, y=1, fill=fill),)) for fill, _ in many]
        room = width - len(squares) * 14
        parts.append(row([*squares, words(text, width=room)], 3))
    return wrap(parts, width, 16, 3)


def _counted(event: Decision, reason: str) -> list[int]:
    """The positions of the nodes that the event counts under this reason."""
    assert event.verdicts is not None
    found = list[int]()
    for number, refused in enumerate(event.verdicts.refusals):
        for part in refused.parts if refused is not None else ():
            if part.reason == reason:
                found += np.flatnonzero(part.mask & (event.verdicts.refused_by == number)).tolist()
    return found
