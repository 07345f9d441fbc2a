"""Weights to change: settings -> the generation with these weights -> Decision -> the score map.

The cluster is that of :mod:`kschedlab_lab.panels.score_cluster`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from kschedlab.cluster.cluster import Cluster
from kschedlab.decision import Decision
from kschedlab.generations import Generation
from kschedlab.messages import later, say, sentences
from kschedlab.scheduler import schedule
from kschedlab.text.html import Html
from kschedlab_lab.panels import score, score_cluster
from kschedlab_lab.panels.base import Panel, View
from kschedlab_lab.panels.score_cluster import NEW, NODES, PLUGINS, THREE
from kschedlab_lab.panels.score_sights import cards
from kschedlab_lab.panels.settings import Restorable, slider
from kschedlab_lab.views.cells import Dial
from kschedlab_lab.views.lettering import short
from kschedlab_lab.views.score import STAGES, bare, lead, winners
from kschedlab_lab.views.score_map import ScoreMap

FIELDS = dict(zip(("least", "nodes", "taints"), PLUGINS, strict=True))
"""By name of the setting: the plugin whose weight it is."""
MOST, CAUSE = 3, score_cluster.Cause()
"""The largest weight; the cluster, whose scores stay."""


def _written(weight: int) -> str:
    return str(weight) if weight else later("off")


def _weight(field: str) -> Any:
    usual = next(weight for plugin, weight in THREE.scores if plugin.name == FIELDS[field])
    return slider(short(FIELDS[field]), range(MOST + 1), usual, _written)


@dataclass(frozen=True)
class Weights(Restorable):
    """A weight for each plugin, 0 to drop it."""

    least: int = _weight("least")
    nodes: int = _weight("nodes")
    taints: int = _weight("taints")


def generation(weights: Weights) -> Generation:
    """v1.20's three plugins with these weights."""
    return THREE.weighted(**{plugin: getattr(weights, field) for field, plugin in FIELDS.items()})


@lru_cache(1)
def cluster() -> Cluster:
    """The cluster that all settings share."""
    return score_cluster.cluster(CAUSE)


@lru_cache(1 << 14)
def decide(weights: Weights) -> Decision:
    """The scheduler's decision for the new pod."""
    return schedule(NEW, cluster(), generation(weights))


def reached(weights: Weights, decision: Decision) -> str:
    """That one dial alone has made another node win, which is what the lesson asks for; "" if it hasn't."""
    usual = Weights()
    turned = [field for field in FIELDS if getattr(weights, field) != getattr(usual, field)]
    is_won = len(turned) == 1 and len(decision.best) == 1 and decision.best != decide(usual).best
    return say("Well done: one dial, and {node} wins.", node=decision.node) if is_won else ""


def show(weights: Weights) -> View:
    """The panel's view for these settings."""
    decision = decide(weights)
    said = sentences((reached(weights, decision), lead(bare(decision))))
    values = {plugin: getattr(weights, field) for field, plugin in FIELDS.items()}
    dials = {
        plugin: Dial.among(
            range(MOST + 1), values[plugin], f"×{values[plugin]}" if values[plugin] else say("off"), field
        )
        for field, plugin in FIELDS.items()
    }
    shown = ScoreMap(
        decision,
        PLUGINS,
        NODES,
        STAGES[-1],
        None,
        said,
        most=score.MOST,
        full=MOST * THREE.max_node_score,
        dials=dials,
        cards=cards(CAUSE, decide(Weights()), ""),
    )
    return View(shown, said, Html(), said, names=winners(decision))


def panel(**settings: Any) -> Panel[Weights]:
    """The panel; arguments override its default settings."""
    manifests = score_cluster.manifests(CAUSE)
    return Panel(Weights().changed(**settings), show, lambda _: manifests, "weights.panel()")
