"""How many feasible nodes are enough: from the number of nodes to the numbers found and examined.

v1.16: pkg/scheduler/core/generic_scheduler.go (numFeasibleNodesToFind, findNodesThatFit). v1.13: the same file.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from kschedlab.filter.stage import nodes_to_find, search
from kschedlab.generations import V1_13, V1_16, Generation
from kschedlab.lab.panels.base import View
from kschedlab.lab.panels.chart import ChartPanel, chart_view
from kschedlab.lab.panels.prediction import Prediction
from kschedlab.lab.panels.settings import Restorable, slider
from kschedlab.views.chart import curve

SIZES = (10, 50, 99, 100, 101, 150, 200, 250, 300, 400, 500, *range(750, 8001, 250))
"""Numbers of nodes; 5,000 is the largest cluster that v1.16 is tested with."""
FITS = (1, 2, 4, 10)


@dataclass(frozen=True)
class Settings(Restorable):
    """``percentage``: percentageOfNodesToScore, 0 if unset; ``every``: every n-th node is feasible."""

    nodes: int = slider("nodes in the cluster", SIZES, 1000)
    percentage: int = slider("percentage to score", (0, *range(5, 101, 5)), 0, lambda p: f"{p} %" if p else "not set")
    every: int = slider("feasible", FITS, 1, lambda every: "every node" if every == 1 else f"1 in {every}")


@dataclass(frozen=True)
class Found:
    """``enough``: feasible nodes that end the search; ``found``: those found; ``looked``: nodes examined."""

    enough: int
    found: int
    looked: int


def find(settings: Settings, generation: Generation) -> Found:
    """The search for one pod, beginning at the first node."""
    enough = nodes_to_find(settings.nodes, settings.percentage, generation.sampling)
    passes = np.arange(settings.nodes) % settings.every == settings.every - 1
    found, looked = search(passes, 0, enough)
    return Found(enough, len(found), looked)


def show(settings: Settings) -> View:
    """The panel's view for these settings."""
    series = {
        f"{each.name} finds at most": [nodes_to_find(n, settings.percentage, each.sampling) for n in SIZES]
        for each in (V1_13, V1_16)
    }
    chart = curve(
        SIZES,
        series,
        titles=("nodes in the cluster", "feasible nodes to find"),
        at=SIZES.index(settings.nodes),
        write=lambda value: f"{value:,}",
    )
    sentences = [_sentence(settings, each) for each in (V1_13, V1_16)]
    return chart_view(chart, f"Of {settings.nodes:,} nodes, {'; '.join(sentences)}.")


def _sentence(settings: Settings, generation: Generation) -> str:
    each = find(settings, generation)
    return f"{generation.name} finds {each.found:,} (enough: {each.enough:,}) by looking at {each.looked:,}"


def panel(**settings: Any) -> ChartPanel[Settings]:
    """The panel; arguments override its default settings."""
    return ChartPanel(Settings().changed(**settings), show, None, "sampling.panel()")


def how_many() -> Prediction:
    """The prediction before the panel."""
    return Prediction(
        "5,000 nodes, all of them feasible, nothing configured. How many does v1.16 find before it stops?",
        {
            "5,000": "That would be the best placement, and 5,000 nodes filtered and scored for every pod.",
            "2,500": "Half of them: that was v1.13. In v1.16 the half shrinks as the cluster grows.",
            "500": "Yes: 50 - 5000/125 = 10 per cent.",
            "100": "100 is the least that it looks for, not the most.",
        },
    )
