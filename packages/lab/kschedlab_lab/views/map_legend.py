"""The legend of a map of nodes; its entries show the nodes that they count alone."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from kschedlab.decision import Decision
from kschedlab.messages import later, say
from kschedlab.text.html import Html, element
from kschedlab_lab.views.glyphs import hatch
from kschedlab_lab.views.layout import Part, phrase, row, wrap
from kschedlab_lab.views.node_map import (
    CHOSEN_ONE,
    EVICTS,
    FILLS,
    GOOD,
    LINES,
    MORE,
    ONE,
    OPEN,
    TWO,
    cause_fill,
    kinds,
    one_away,
)
from kschedlab_lab.views.picture import scarcest
from kschedlab_lab.views.style import CHOSEN, HAIR, INK_2, TRAY

SWATCH = 14
NAMES = {
    CHOSEN_ONE: later("chosen"),
    GOOD: later("fits"),
    EVICTS: later("fits if others leave"),
    ONE: later("only {plugin}"),
    TWO: later("two obstacles"),
    MORE: later("three or more"),
    OPEN: later("not looked at"),
}
"""By kind of node, what the legend calls it."""


class Entry(NamedTuple):
    """``word``: what the panel searches for to show these nodes alone; ``fill``: their colour, if not the kind's."""

    kind: str
    text: str
    number: str = ""
    word: str = ""
    fill: str = ""


def legend(
    decision: Decision, width: float, each: int = 1, changed: bool = False, causes: bool = True
) -> tuple[list[Html], float]:
    """What the squares mean, in as many lines as it takes, and their height; the upper left corner is (0, 0).

    ``each``: how many nodes a square is, 0 for boxes; ``changed``: whether corners mark what has changed;
    ``causes``: whether it names what is in the way, because nothing else does.
    """
    part = wrap([_drawn(entry) for entry in _entries(decision, each, changed, causes)], width, 18, 4)
    return [*part.shapes], part.height + 4


def _entries(decision: Decision, each: int, changed: bool, causes: bool) -> list[Entry]:
    found, entries = Counter(kinds(decision)), list[Entry]()
    for kind, name in NAMES.items():
        if kind == ONE:
            entries += [
                Entry(kind, say(name, plugin=plugin), f"{len(places):,}", f"{kind} {plugin}", cause_fill(turn))
                for turn, (plugin, places) in enumerate(one_away(decision).items() if causes else ())
            ]
        elif found[kind]:
            entries.append(Entry(kind, say(name), f"{found[kind]:,}", kind))
    if decision.verdicts is None:
        entries.append(Entry("free", say("free {resource}", resource=scarcest(decision))))
    if len(decision.best) > 1:
        entries.append(Entry("tie" if each else "tied", say("tie"), f"{len(decision.best):,}"))
    if changed:
        entries.append(Entry("changed", say("changed")))
    return [*entries, *([Entry("", say("a cell is {each} nodes", each=each))] if each > 1 else [])]


def _drawn(entry: Entry) -> Part:
    text = [(entry.text, "currentColor", False), *([(entry.number, INK_2, False)] if entry.number else [])]
    part = row([_sample(entry.kind, entry.fill), phrase(*text)], 6)
    if not entry.word:
        return part
    marks = {"data_set": f"show: {entry.word}", "data_tip": say("show these nodes alone ({text})", text=entry.text)}
    return Part(part.width, part.height, (element("g", *part.shapes, **marks),))


def _sample(kind: str, fill: str) -> Part:
    box = {"width": SWATCH, "height": SWATCH, "rx": 4}
    shapes = {
        "": None,
        "tie": element("path", d=hatch(SWATCH, SWATCH, 6), stroke=CHOSEN),
        "tied": element("rect", **box, fill=TRAY, stroke=CHOSEN, stroke_width=2, stroke_dasharray="4 2"),
        "free": element("rect", **box, fill=TRAY, stroke=HAIR),
        "changed": element("path", d="M4 2H8A4 4 0 0 1 12 6V10Z", fill="currentColor"),
    }
    drawn = shapes[kind] if kind in shapes else element("rect", **box, fill=fill or FILLS[kind], stroke=LINES.get(kind))
    return Part(SWATCH, SWATCH, (drawn,)) if drawn is not None else Part(0, 0)
