"""The legend of a map of nodes; its entries show the nodes that they stand for alone."""

from __future__ import annotations

from typing import Any, NamedTuple

from kschedlab.decision import Decision
from kschedlab.messages import say
from kschedlab.text.html import Html, element
from kschedlab_lab.views.glyphs import OUTLINES, hatch
from kschedlab_lab.views.lettering import text_width
from kschedlab_lab.views.node_map import FITS, REFUSED, UNASKED, UNDECIDED, numbers, outline, sign_for, verdict_of
from kschedlab_lab.views.picture import scarcest
from kschedlab_lab.views.style import CHOSEN, EVICTED
from kschedlab_lab.views.svg import label

LINE = 19
"""Height of a line, in pixels."""


class Entry(NamedTuple):
    """``word``: what the panel searches for to show these nodes alone."""

    sign: str
    text: str
    word: str = ""


def legend(decision: Decision, width: float, each: int = 1, changed: bool = False) -> tuple[list[Html], float]:
    """What the cells mean, in as many lines as it takes, and their height; the upper left corner is (0, 0).

    ``each``: how many nodes a cell is, 0 for boxes; ``changed``: whether corners mark what has changed.
    """
    shapes, x, y = [], 0.0, 0.0
    for entry in _entries(decision, each, changed):
        wide = text_width(entry.text) + (20 if entry.sign else 0) + 12
        if x and x + wide > width:
            x, y = 0.0, y + LINE
        shapes.append(_entry(entry, x, y))
        x += wide
    return shapes, y + LINE


def _entries(decision: Decision, each: int, changed: bool) -> list[Entry]:
    found, preemption = numbers(decision), decision.preemption
    entries = [Entry("feasible", say("feasible: {nodes:,}", nodes=found[FITS]), FITS)] if FITS in found else []
    entries += [_refusal(decision, v, number) for v, number in found.most_common() if v.startswith(REFUSED)]
    entries += [
        Entry("unasked", say("{verdict}: {nodes:,}", verdict=say(each), nodes=found[each]))
        for each in (UNASKED, UNDECIDED)
        if each in found
    ]
    if each and len(decision.best) > 1:
        entries.append(Entry("tie", say("tie: {nodes:,}", nodes=len(decision.best))))
    if each and preemption is not None and len(preemption.positions):
        entries.append(Entry("dashed", say("evicting would help: {nodes:,}", nodes=len(preemption.positions))))
    if changed:
        entries.append(Entry("changed", say("changed")))
    entries += [Entry("gauge", say("{resource} asked for", resource=scarcest(decision)))] if each else []
    return [*entries, *([Entry("", say("a cell is {each} nodes", each=each))] if each > 1 else [])]


def _refusal(decision: Decision, verdict: str, number: int) -> Entry:
    places = range(len(decision.cluster.nodes))
    first = next(place for place in places if verdict_of(decision, place) == verdict)
    plugin, sign = verdict.removeprefix(REFUSED), sign_for(decision, first)
    return Entry(sign if sign in OUTLINES else "", say("✕ {plugin}: {nodes:,}", plugin=plugin, nodes=number), plugin)


def _entry(entry: Entry, x: float, y: float) -> Html:
    marks = {}
    if entry.word:
        marks = {"data_set": f"show: {entry.word}", "data_tip": say("show these nodes alone ({text})", text=entry.text)}
    words = label(entry.text, 20 if entry.sign else 0, 13, text_decoration="underline" if marks else None)
    return element("g", _sample(entry.sign), words, transform=f"translate({x:g},{y:g})", **marks)


def _sample(sign: str) -> Html | None:
    box: dict[str, Any] = {"x": 0, "y": 2, "width": 14, "height": 14}
    samples = {
        "": None,
        "feasible": element("rect", **box, fill="currentColor", fill_opacity=0.12, stroke="currentColor"),
        "unasked": element("rect", **box, fill="none", stroke="currentColor"),
        "tie": element("path", d=hatch(14, 14, 6), stroke=CHOSEN, transform="translate(0,2)"),
        "dashed": element("rect", **box, fill="none", stroke=EVICTED, stroke_dasharray="3 2"),
        "changed": element("path", d="M4 4H12V12Z", fill="currentColor"),
        "gauge": element("path", d="M0 12.5h13", stroke="currentColor", stroke_width=3),
    }
    if sign in samples:
        return samples[sign]
    look: dict[str, Any] = {"fill": "none", "stroke": EVICTED, "stroke_width": 1.6}
    return element("path", d=outline(sign), transform="translate(1,3) scale(0.8)", **look)
