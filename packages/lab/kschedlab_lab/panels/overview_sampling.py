"""How many feasible nodes are enough: from the number of nodes to the numbers found and examined.

v1.16: pkg/scheduler/core/generic_scheduler.go (numFeasibleNodesToFind, findNodesThatFit).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from kschedlab.filter.stage import nodes_to_find, search
from kschedlab.generations import V1_16
from kschedlab.messages import later, say
from kschedlab.text.html import Html
from kschedlab_lab.panels.base import Panel, View
from kschedlab_lab.panels.question import Question
from kschedlab_lab.panels.settings import Restorable, slider
from kschedlab_lab.views.chart_lines import Lines

SIZES = (50, *range(250, 10_001, 250))
"""Numbers of nodes, in even steps that a hand can follow; 5,000 is the largest cluster that v1.16 is tested with."""
STEPS = (50, 99, 100, 200, 205, *(size for step in range(125, 10_001, 125) for size in (step - 1, step)))
"""Where a line bends if the percentage is not set: it falls at each full 125 nodes, and at first 100 are the least."""
FITS = (1, 2, 4, 10)
UNSET, EVERY = later("not set"), later("every node")


@dataclass(frozen=True)
class Settings(Restorable):
    """``percentage``: percentageOfNodesToScore, 0 if unset; ``every``: every n-th node is feasible."""

    nodes: int = slider("nodes in the cluster", SIZES, 1000)
    percentage: int = slider(
        "percentage to score",
        (0, *range(5, 101, 5)),
        0,
        lambda p: f"{p} %" if p else UNSET,
    )
    every: int = slider("feasible", FITS, 1, lambda every: EVERY if every == 1 else f"1/{every}")


def bends(percentage: int) -> list[int]:
    """Numbers of nodes between which every line is straight."""
    return sorted({*SIZES, *STEPS, *([10_000 // percentage] if percentage else [])})


@dataclass(frozen=True)
class Found:
    """``enough``: feasible nodes that end the search; ``found``: those found; ``looked``: nodes examined."""

    enough: int
    found: int
    looked: int


def find(settings: Settings, nodes: int = 0) -> Found:
    """The search for one pod, beginning at the first node. ``nodes``: in a cluster of another size."""
    nodes = nodes or settings.nodes
    enough = nodes_to_find(nodes, settings.percentage, V1_16.sampling)
    passes = np.arange(nodes) % settings.every == settings.every - 1
    found, looked = search(passes, 0, enough)
    return Found(enough, len(found), looked)


def show(settings: Settings) -> View:
    """The panel's view for these settings."""
    places = bends(settings.percentage)
    lines = {say("v1.16 finds"): {size: find(settings, size).found for size in places}}
    looked = {size: find(settings, size).looked for size in places}
    if settings.every > 1:
        lines[say("v1.16 looks at")] = looked
    found = say("nodes found") if settings.every == 1 else say("nodes found, looked at")
    said, titles = _sentence(settings), (say("nodes in the cluster"), found)
    picture = Lines(SIZES, lines, titles, said, settings.nodes, "nodes", max(looked.values()))
    return View(picture, said, Html(), said)


def _sentence(settings: Settings) -> str:
    there = find(settings)
    if there.found < there.enough:
        message = later("v1.16 finds all {found:,} feasible nodes of {nodes:,}, and looks at {looked:,}.")
    else:
        message = later("v1.16 stops after {found:,} feasible nodes of {nodes:,}, and looks at {looked:,}.")
    return say(message, found=there.found, nodes=settings.nodes, looked=there.looked)


def panel(**settings: Any) -> Panel[Settings]:
    """The panel; arguments override its default settings."""
    return Panel(Settings().changed(**settings), show, None, "sampling.panel()")


def how_many() -> Question[Settings]:
    asked = say(
        "5,000 nodes, all feasible, nothing configured. How many feasible nodes does v1.16 find before it stops?"
    )
    empty = Lines(SIZES, {}, (say("nodes in the cluster"), say("nodes found")), asked, most=5000)
    return Question(asked, (), lambda settings: str(find(settings).found), _why, lambda _: empty, most=5000)


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
