"""How many feasible nodes are enough: the curve of numFeasibleNodesToFind, and whether the best node is among them.

v1.16: pkg/scheduler/core/generic_scheduler.go; v1.37: pkg/scheduler/schedule_one.go, which counts the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

from kschedlab.filter.stage import nodes_to_find
from kschedlab.generations import V1_16
from kschedlab.messages import later, say
from kschedlab.text.html import Html
from kschedlab_lab.panels.base import Panel, View
from kschedlab_lab.panels.question import Question
from kschedlab_lab.panels.settings import Restorable, slider
from kschedlab_lab.views.chart_lines import Curve
from kschedlab_lab.views.sample import Sample, draw_sample

SIZES = tuple(range(50, 10_050, 50))
"""Numbers of nodes, in steps so small that the point follows the hand; 5,000 is the most that v1.16 is tested with."""
STEPS = (50, 99, 100, 200, 205, *(size for step in range(125, 10_125, 125) for size in (step - 1, step)))
"""Where a line bends if the percentage is not set: it falls at each full 125 nodes, and at first 100 are the least."""
BEST = 0.2
"""How much of the nodes the search sees before the best one."""
SCORES = {0.02: 31, BEST: 38}
"""The two highest, by their places in the order of the search."""
ASKED = (1000, 3000, 5650)
"""The clusters of the question: of the last one, too few nodes are enough to see the best."""
UNSET = later("not set")


@dataclass(frozen=True)
class Settings(Restorable):
    """``percentage``: percentageOfNodesToScore, 0 if unset."""

    nodes: int = slider("nodes in the cluster", SIZES, 1000)
    percentage: int = slider("percentage to score", (0, *range(5, 105, 5)), 0, lambda p: f"{p} %" if p else UNSET)


def bends(percentage: int) -> list[int]:
    """Numbers of nodes between which every line is straight."""
    return sorted({*SIZES, *STEPS, *([10_000 // percentage] if percentage else [])})


def find(settings: Settings, nodes: int = 0) -> int:
    """How many feasible nodes are enough. ``nodes``: in a cluster of another size."""
    return nodes_to_find(nodes or settings.nodes, settings.percentage, V1_16.sampling)


def show(settings: Settings) -> View:
    """The panel's view for these settings."""
    line = {size: find(settings, size) for size in bends(settings.percentage)}
    said, found, nodes = _sentence(settings), find(settings), settings.nodes
    above = partial(draw_sample, Sample(found / nodes, say("{found:,} found", found=found), SCORES))
    unset = {size: nodes_to_find(size, 0, V1_16.sampling) for size in bends(0)}
    pale = (unset, say(UNSET)) if settings.percentage else None
    most = max(*line.values(), *unset.values())
    picture = Curve(SIZES, line, titles(), said, most, nodes, "nodes", above, pale)
    return View(picture, said, Html(), said)


def titles() -> tuple[str, str]:
    """Of the axes."""
    return say("nodes in the cluster"), say("nodes found")


def _sentence(settings: Settings) -> str:
    found, nodes = find(settings), settings.nodes
    if found == nodes:
        return say("v1.16 looks at all {nodes:,} nodes.", nodes=nodes)
    misses = later("v1.16 stops after {found:,} feasible nodes of {nodes:,}, and misses the best.")
    finds = later("v1.16 stops after {found:,} feasible nodes of {nodes:,}, and finds the best.")
    return say(finds if found / nodes > BEST else misses, found=found, nodes=nodes)


def panel(**settings: Any) -> Panel[Settings]:
    """The panel; arguments override its default settings."""
    return Panel(Settings().changed(**settings), show, None, "sampling.panel()")


def how_many() -> Question[Settings]:
    """The question before the panel: where is so little enough that the best node is not seen?"""
    asked = say("This many nodes are enough. In which cluster does the search miss the best one?")
    line = {size: find(Settings(), size) for size in bends(0)}, ""
    before = Curve(
        SIZES,
        {},
        titles(),
        asked,
        max(line[0].values()),
        None,
        "",
        partial(draw_sample, Sample(None, "", SCORES)),
        line,
    )
    answers = {_share(nodes): find(Settings(), nodes) / nodes for nodes in ASKED}
    return Question(asked, tuple(answers), lambda _: min(answers, key=answers.__getitem__), _why, lambda _: before)


def _share(nodes: int) -> str:
    """How much of a cluster of this size is enough, if no percentage is set."""
    return say("{share} % of {nodes:,}", share=round(find(Settings(), nodes) * 100 / nodes), nodes=nodes)


def _why(_: Settings, answer: str) -> str:
    if answer == _share(ASKED[-1]):
        return say("20 % of the nodes come before the best one, and 5 % are enough. So web gets the node with 31.")
    return say("20 % of the nodes come before the best one, and the search here sees more. With 5 % it doesn't.")
