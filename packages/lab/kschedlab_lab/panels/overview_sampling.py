"""How many feasible nodes are enough: the curve of numFeasibleNodesToFind.

v1.16: pkg/scheduler/core/generic_scheduler.go.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from kschedlab.filter.stage import nodes_to_find
from kschedlab.generations import V1_16
from kschedlab.messages import later, say
from kschedlab.text.html import Html
from kschedlab_lab.panels.base import Panel, View
from kschedlab_lab.panels.question import Question
from kschedlab_lab.panels.settings import Restorable, slider
from kschedlab_lab.views.chart_lines import Curve

SIZES = (50, *range(250, 10_001, 250))
"""Numbers of nodes, in even steps that a hand can follow; 5,000 is the largest cluster that v1.16 is tested with."""
STEPS = (50, 99, 100, 200, 205, *(size for step in range(125, 10_001, 125) for size in (step - 1, step)))
"""Where a line bends if the percentage is not set: it falls at each full 125 nodes, and at first 100 are the least."""
UNSET = later("not set")


@dataclass(frozen=True)
class Settings(Restorable):
    """``percentage``: percentageOfNodesToScore, 0 if unset."""

    nodes: int = slider("nodes in the cluster", SIZES, 1000)
    percentage: int = slider(
        "percentage to score",
        (0, *range(5, 101, 5)),
        0,
        lambda p: f"{p} %" if p else UNSET,
    )


def bends(percentage: int) -> list[int]:
    """Numbers of nodes between which every line is straight."""
    return sorted({*SIZES, *STEPS, *([10_000 // percentage] if percentage else [])})


def find(settings: Settings, nodes: int = 0) -> int:
    """How many feasible nodes are enough. ``nodes``: in a cluster of another size."""
    return nodes_to_find(nodes or settings.nodes, settings.percentage, V1_16.sampling)


def show(settings: Settings) -> View:
    """The panel's view for these settings."""
    line = {size: find(settings, size) for size in bends(settings.percentage)}
    said, titles = _sentence(settings), (say("nodes in the cluster"), say("nodes found"))
    picture = Curve(SIZES, line, titles, said, max(line.values()), settings.nodes, "nodes")
    return View(picture, said, Html(), said)


def _sentence(settings: Settings) -> str:
    found = find(settings)
    if found == settings.nodes:
        return say("v1.16 looks at all {nodes:,} nodes.", nodes=settings.nodes)
    return say("v1.16 stops after {found:,} feasible nodes of {nodes:,}.", found=found, nodes=settings.nodes)


def panel(**settings: Any) -> Panel[Settings]:
    """The panel; arguments override its default settings."""
    return Panel(Settings().changed(**settings), show, None, "sampling.panel()")


def how_many() -> Question[Settings]:
    asked = say(
        "5,000 nodes, all feasible, nothing configured. How many feasible nodes does v1.16 find before it stops?"
    )
    empty = Curve(SIZES, {}, (say("nodes in the cluster"), say("nodes found")), asked, 5000)
    return Question(asked, (), lambda settings: str(find(settings)), _why, lambda _: empty, most=5000)


def _why(settings: Settings, answer: str) -> str:
    share = say("50 - 5000/125 = 10 per cent of 5,000 are enough")
    remarks = {
        "5000": say(
            "That would give the best placement, but filter and score 5,000 nodes for every pod: {share}.", share=share
        ),
        "2500": say(
            "The share begins at a half, but shrinks as the cluster grows: {share}.",
            share=share,
        ),
        "100": say("100 is the least that it looks for, not the most: {share}.", share=share),
    }
    return remarks.get(answer, say("{share}.", share=share))
