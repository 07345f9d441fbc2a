"""The legend of a map of nodes: what its colours mean, and how many nodes have each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from kschedlab.decision import Decision
from kschedlab.messages import later, say
from kschedlab.objects.meta import controller_of
from kschedlab.text.html import Html, element
from kschedlab_lab.views.layout import Part, phrase, row, words, wrap
from kschedlab_lab.views.node_kinds import (
    CHOSEN_ONE,
    EVICTS,
    FILLS,
    GOOD,
    MORE,
    ONE,
    OPEN,
    TWO,
    cause_fill,
    kinds,
    one_away,
    siblings,
)
from kschedlab_lab.views.style import INK_2
from kschedlab_lab.views.svg import rect

SWATCH, GAP = 14, 6
"""The size of a sample and the space after it, in pixels."""
NAMES = {
    GOOD: later("fits"),
    EVICTS: later("fits if others leave"),
    ONE: later("only {plugin}"),
    TWO: later("two obstacles"),
    MORE: later("three or more"),
    OPEN: later("not looked at"),
}
"""By kind of node, what the legend calls it."""


def legend(decision: Decision, width: float, each: int, framed: str) -> Part:
    """What the squares mean. ``each``: how many nodes one is, 0 if it has pods; ``framed``: where the pod runs."""
    return wrap(_entries(decision, each, framed), width, 16, 4)


def _entries(decision: Decision, each: int, framed: str) -> Iterator[Part]:
    if decision.verdicts is not None or decision.gates or decision.error:
        yield from _decided(decision)
    if framed:
        dashes: dict[str, Any] = {"stroke": "currentColor", "stroke_width": 2, "stroke_dasharray": "3 2"}
        yield _entry(_square("none", **dashes), say("it runs on {node}", node=framed))
    owner = controller_of(decision.pod.pod.metadata)
    if each and owner is not None and siblings(decision):
        dot = element("circle", cx=7, cy=8, r=2.4, fill="currentColor")
        yield _entry(dot, say("another pod of its {kind}", kind=owner.kind))
    if each > 1:
        yield words(say("a square is up to {each} nodes", each=each))


def _decided(decision: Decision) -> Iterator[Part]:
    """The kinds of nodes after a decision, those that are nearest first."""
    kind_of = kinds(decision)
    found = Counter(kind_of)
    found[EVICTS if decision.node is None else GOOD] += found[CHOSEN_ONE]
    for kind, name in NAMES.items():
        if kind == ONE:
            for plugin, places in one_away(decision, kind_of).items():
                yield _entry(_square(cause_fill(plugin)), say(name, plugin=plugin), len(places))
        elif found[kind]:
            yield _entry(_square(FILLS[kind]), say(name), found[kind])


def _square(fill: str, **look: Any) -> Html:
    return rect(SWATCH, SWATCH, 4, fill=fill, **look)


def _entry(sample: Html, text: str, number: int = 0) -> Part:
    """A sample and its meaning, with how many nodes it is."""
    name = phrase((text, "currentColor", False), *([(f"{number:,}", INK_2, False)] if number else []))
    return row([Part(SWATCH, SWATCH, (sample,)), name], GAP)
