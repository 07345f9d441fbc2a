"""Weights to drag: settings -> the generation with these weights -> Decision -> sums as bars.

The cluster is that of :mod:`kschedlab_lab.panels.score_cluster`. NodePreferAvoidPods keeps its
weight of 10000: all nodes get its million.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from kschedlab.cluster.cluster import Cluster
from kschedlab.decision import Decision
from kschedlab.generations import V1_20, Generation
from kschedlab.messages import later, say
from kschedlab.scheduler import schedule
from kschedlab.text.html import Html
from kschedlab_lab.panels import score_cluster
from kschedlab_lab.panels.base import Panel, View
from kschedlab_lab.panels.score_cluster import NEW, NODES
from kschedlab_lab.panels.settings import Restorable, slider
from kschedlab_lab.views.chart_bars import Bars
from kschedlab_lab.views.lettering import short
from kschedlab_lab.views.score import bare, lead, winners
from kschedlab_lab.views.score_bars import fills, sum_bars
from kschedlab_lab.views.weights import Weight, WeightStage

FIELDS = {
    "balanced": "NodeResourcesBalancedAllocation",
    "image": "ImageLocality",
    "pods": "InterPodAffinity",
    "least": "NodeResourcesLeastAllocated",
    "nodes": "NodeAffinity",
    "spread": "PodTopologySpread",
    "taints": "TaintToleration",
}
"""By name of the setting: the plugin whose weight it is."""
MOST = 6


def _written(weight: int) -> str:
    return str(weight) if weight else later("off")


def _weight(field: str) -> Any:
    usual = next(weight for plugin, weight in V1_20.scores if plugin.name == FIELDS[field])
    return slider(short(FIELDS[field]), range(MOST + 1), usual, _written)


@dataclass(frozen=True)
class Weights(Restorable):
    """A weight for each plugin, 0 to drop it."""

    balanced: int = _weight("balanced")
    image: int = _weight("image")
    pods: int = _weight("pods")
    least: int = _weight("least")
    nodes: int = _weight("nodes")
    spread: int = _weight("spread")
    taints: int = _weight("taints")


def generation(weights: Weights) -> Generation:
    """v1.20 with these weights."""
    return V1_20.weighted(**{plugin: getattr(weights, field) for field, plugin in FIELDS.items()})


@lru_cache(1)
def cluster() -> Cluster:
    """The cluster that all settings share."""
    return score_cluster.cluster(score_cluster.Cause())


@lru_cache(1 << 14)
def decide(weights: Weights) -> Decision:
    """The scheduler's decision for the new pod, without the points that all nodes get."""
    return bare(schedule(NEW, cluster(), generation(weights)))


def show(weights: Weights) -> View:
    """The panel's view for these settings."""
    decision = decide(weights)
    sentence = lead(decision)
    return View(
        WeightStage(handles(weights), sums(weights), sentence), sentence, Html(), sentence, names=winners(decision)
    )


def sums(weights: Weights) -> Bars:
    """The nodes' sums; also a plugin that is off has its place."""
    bars = sum_bars(decide(weights), NODES)
    return replace(bars, parts={**dict.fromkeys(FIELDS.values(), [0.0] * len(NODES)), **bars.parts})


def handles(weights: Weights) -> list[Weight]:
    """Each weight as a bar."""
    colour = fills(FIELDS.values())
    return [
        Weight(
            short(plugin),
            field,
            getattr(weights, field),
            say(_written(getattr(weights, field))),
            colour[plugin],
            MOST,
        )
        for field, plugin in FIELDS.items()
    ]


def panel(**settings: Any) -> Panel[Weights]:
    """The panel; arguments override its default settings."""
    manifests = score_cluster.manifests(score_cluster.Cause())
    return Panel(Weights().changed(**settings), show, lambda _: manifests, "weights.panel()")
