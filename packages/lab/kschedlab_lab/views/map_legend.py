"""The legend of a map of nodes; its entries show the nodes that they count alone."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import NamedTuple

from kschedlab.decision import Decision
from kschedlab.messages import later, say
from kschedlab.text.html import element
from kschedlab_lab.views.layout import Part, phrase, row, wrap
from kschedlab_lab.views.node_map import (
    CHOSEN_ONE,
    EDGE,
    EVICTS,
    FILLS,
    FITS,
    GOOD,
    MORE,
    ONE,
    OPEN,
    TWO,
    cause_fill,
    disk,
    kinds,
    one_away,
    runners_up,
    star_path,
)
from kschedlab_lab.views.picture import scarcest
from kschedlab_lab.views.style import CHOSEN, HAIR, INK_2, INK_3, TICK, TRAY

SWATCH, GAP = 14, 6
NAMES = {
    GOOD: later("fits"),
    EVICTS: later("fits if others leave"),
    ONE: later("only {plugin}"),
    TWO: later("two obstacles"),
    MORE: later("three or more"),
    OPEN: later("not looked at"),
}
"""By kind of node, what the legend calls it."""


class LegendEntry(NamedTuple):
    """``word``: what the panel searches for to show these nodes alone; ``fill``: their colour, if not the kind's."""

    kind: str
    text: str
    number: str = ""
    word: str = ""
    fill: str = ""


@dataclass(frozen=True)
class Drawn:
    """What a map has besides its squares. ``each``: how many nodes a square is, 0 for boxes.

    ``closed``: how many of the nodes are cordoned or have a taint of their own; ``owner``: the kind of the controller
    whose pods are dots; ``volume``: whether a zone has the sign of the pod's volume; ``framed``: where the pod runs.
    """

    each: int = 1
    closed: int = 0
    owner: str = ""
    volume: bool = False
    framed: str = ""


def legend(decision: Decision, width: float, height: float, drawn: Drawn) -> Part:
    """What the squares mean; in a low room, the first entries that fit."""
    entries = [_drawn(entry) for entry in _entries(decision, drawn)]
    while (whole := wrap(entries, width, 18, 4)).height > max(height, 0):
        entries.pop()
    return whole


def _entries(decision: Decision, drawn: Drawn) -> list[LegendEntry]:
    entries = [
        *([LegendEntry("frame", say("it runs on {node}", node=drawn.framed))] if drawn.framed else []),
        *([] if is_open(decision) else _decided(decision, drawn.each)),
    ]
    if drawn.each and drawn.owner:
        entries.append(LegendEntry("pod", say("another pod of its {kind}", kind=drawn.owner)))
    if drawn.volume:
        entries.append(LegendEntry("disk", say("its volume is in this zone")))
    if drawn.each and drawn.closed:
        entries.append(LegendEntry("closed", say("closed: a cordon or taint of its own"), f"{drawn.closed:,}"))
    return [*entries, *([LegendEntry("", say("a cell is {each} nodes", each=drawn.each))] if drawn.each > 1 else [])]


def is_open(decision: Decision) -> bool:
    """Whether nothing is decided yet, and nothing keeps the pod from being looked at."""
    return decision.verdicts is None and not decision.gates and not decision.error


def _decided(decision: Decision, each: int) -> list[LegendEntry]:
    """The kinds of nodes after a decision, and what else tells them apart."""
    kind_of = kinds(decision)
    found, entries = Counter(kind_of), list[LegendEntry]()
    found[EVICTS if decision.node is None else GOOD] += found[CHOSEN_ONE]
    for kind, name in NAMES.items():
        if kind == ONE:
            entries += [
                LegendEntry(kind, say(name, plugin=plugin), f"{len(places):,}", f"{kind} {plugin}", cause_fill(plugin))
                for plugin, places in one_away(decision, kind_of).items()
            ]
        elif found[kind] and (each or kind != GOOD or len(decision.best) < found[kind]):
            entries.append(LegendEntry(kind, say(name), f"{found[kind]:,}", FITS if kind == GOOD else kind))
    if last := runners_up(decision):
        entries.insert(1, LegendEntry("last", say("loses only at the last rule"), f"{len(last):,}"))
    if len(decision.best) > 1:
        all_tied = not each and len(decision.best) == found[GOOD]
        entries.append(
            LegendEntry("tie" if each else "tied", say("tie"), f"{len(decision.best):,}", FITS if all_tied else "")
        )
    return [*entries, *([LegendEntry("free", say("free {resource}", resource=scarcest(decision)))] if each else [])]


def _drawn(entry: LegendEntry) -> Part:
    return _marked(entry, row([_sample(entry.kind, entry.fill), _name(entry)], GAP))


def _name(entry: LegendEntry) -> Part:
    return phrase((entry.text, "currentColor", False), *([(entry.number, INK_2, False)] if entry.number else []))


def _marked(entry: LegendEntry, part: Part) -> Part:
    if not entry.word:
        return part
    marks = {"data_set": f"show: {entry.word}", "data_tip": say("show these nodes alone ({text})", text=entry.text)}
    return Part(part.width, part.height, (element("g", *part.shapes, **marks),))


def _sample(kind: str, fill: str) -> Part:
    box = {"width": SWATCH, "height": SWATCH, "rx": 4}
    shapes = {
        "": [],
        "tie": [element("path", d=star_path(7, 7, 6), fill="none", stroke=CHOSEN)],
        "tied": [element("rect", **box, fill=TRAY, stroke=CHOSEN, stroke_width=2, stroke_dasharray="4 2")],
        "free": [
            element("rect", **box, fill=HAIR),
            element("path", d="M1.5 8v-4q0 -2.5 2.5 -2.5h6q2.5 0 2.5 2.5v4z", fill=TRAY),
        ],
        "frame": [element("rect", **box, fill="none", stroke="currentColor", stroke_width=2, stroke_dasharray="3 2")],
        "last": [
            element("rect", **box, fill=FILLS[EVICTS]),
            element("rect", x=1, y=1, width=12, height=12, rx=3, **EDGE),
        ],
        "disk": [*disk().shapes],
        "pod": [element("circle", cx=7, cy=8, r=2.4, fill="currentColor")],
        "closed": [
            element("rect", **box, fill=TICK),
            element("path", d="M3 11L11 3", stroke=INK_3, stroke_width=1.5, stroke_linecap="round"),
        ],
    }
    if kind in FILLS:
        shapes[kind] = [element("rect", **box, fill=fill or FILLS[kind])]
    return Part(SWATCH, SWATCH, tuple(shapes[kind])) if shapes[kind] else Part(0, 0)
