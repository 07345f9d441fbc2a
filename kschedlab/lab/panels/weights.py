"""Weights on sliders: settings -> the generation with these weights -> Decision -> sums as bars, and a map of winners.

The cluster is that of :mod:`kschedlab.lab.panels.score`; NodePreferAvoidPods keeps its weight of 10000.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from kschedlab.cluster.cluster import Cluster
from kschedlab.decision import Decision
from kschedlab.generations import V1_20, Generation
from kschedlab.lab.panels import score
from kschedlab.lab.panels.base import Panel, View
from kschedlab.lab.panels.score import NEW, NODES, PLUGINS
from kschedlab.lab.panels.settings import Restorable, choice, slider, switch
from kschedlab.scheduler import schedule
from kschedlab.views.chart import Answer, Chart, decision_map
from kschedlab.views.chart_bars import Bars
from kschedlab.views.html import Html, element, join
from kschedlab.views.score import STAGES, lead, score_map
from kschedlab.views.svg import Room
from kschedlab.views.words import outcome

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


def _written(weight: int) -> str:
    return str(weight) if weight else "off"


def _weight(field: str) -> Any:
    usual = next(weight for plugin, weight in V1_20.scores if plugin.name == FIELDS[field])
    return slider(FIELDS[field].removeprefix("NodeResources"), range(7), usual, _written)


@dataclass(frozen=True)
class Weights(Restorable):
    """A weight for each plugin, 0 to drop it; ``avoided``: an annotation on node-c asks to avoid the shop's pods.

    ``down`` and ``across``: the two weights on the map's axes.
    """

    balanced: int = _weight("balanced")
    image: int = _weight("image")
    pods: int = _weight("pods")
    least: int = _weight("least")
    nodes: int = _weight("nodes")
    spread: int = _weight("spread")
    taints: int = _weight("taints")
    avoided: bool = switch("node-c avoids the shop")
    down: str = choice("down", FIELDS, "spread", FIELDS.__getitem__)
    across: str = choice("across", FIELDS, "nodes", FIELDS.__getitem__)


def generation(weights: Weights, plugins: Sequence[object] = ()) -> Generation:
    """v1.20 with these weights, and these plugins."""
    given = {plugin: getattr(weights, field) for field, plugin in FIELDS.items()}
    scores = ((plugin, given.get(plugin.name, weight)) for plugin, weight in V1_20.scores)
    return replace(V1_20, scores=tuple((plugin, weight) for plugin, weight in scores if weight)).plus(*plugins)


def cluster(weights: Weights) -> Cluster:
    """The cluster."""
    return score.cluster(score.Cause(avoided=weights.avoided))


def decide(weights: Weights, given: Cluster | None = None, plugins: Sequence[object] = ()) -> Decision:
    """The scheduler's decision for the new pod. ``given``: the cluster, if it already exists."""
    return schedule(NEW, given or cluster(weights), generation(weights, plugins))


def as_yaml(weights: Weights) -> str:
    """The manifests as YAML documents."""
    return score.as_yaml(score.Cause(avoided=weights.avoided))


def show(weights: Weights, plugins: Sequence[object] = ()) -> View:
    """The panel's view for these settings."""
    world = cluster(weights)
    decision, winners = decide(weights, world, plugins), winners_map(weights, world, plugins)
    sentence = outcome(decision) if decision.scores is None else lead(decision)
    over = f"Who wins over the weights of {FIELDS[weights.down]} (down) and {FIELDS[weights.across]} (across)"
    table = join([element("p", over, style="margin:0.6em 0 0"), winners.table])
    numbers = score_map(decision, score.rows(plugins)[:-1], NODES, STAGES[-1]).text
    picture = bars(decision, sentence) if decision.scores is not None else Html()
    return View(picture, sentence, table, "\n".join([sentence, numbers, over, winners.text]))


def bars(decision: Decision, alt: str) -> Html:
    """The weighted scores as a bar for each node, without the huge ones of NodePreferAvoidPods."""
    scores = decision.scores
    assert scores is not None
    scored = scores.nodes.tolist()
    nodes = [node for node in NODES if decision.cluster.index[node] in scored]
    places = [scored.index(decision.cluster.index[node]) for node in nodes]
    results: Mapping[str, list[int]] = dict(zip(scores.plugins, scores.results[:, places].tolist(), strict=True))
    others = (name for name in scores.plugins if name not in PLUGINS)
    parts = {plugin: results.get(plugin, [0] * len(nodes)) for plugin in (*FIELDS.values(), *others)}
    return Bars(nodes, parts, [str(scores.total[i]) for i in places], alt, decision.best)(Room())


def winners_map(weights: Weights, world: Cluster, plugins: Sequence[object] = ()) -> Chart:
    """The winner for every value of two weights; the others stay."""
    controls = weights.controls()
    down, across = controls[weights.down].values, controls[weights.across].values
    winners = [[_winner(weights, world, plugins, **{weights.down: y, weights.across: x}) for x in across] for y in down]
    at = down.index(getattr(weights, weights.down)), across.index(getattr(weights, weights.across))
    return decision_map(
        winners,
        [controls[weights.down].write(y) for y in down],
        [controls[weights.across].write(x) for x in across],
        selected=at,
        corner=f"{FIELDS[weights.down]} \\ {FIELDS[weights.across]}",
        kinds=NODES,
    )


def _winner(weights: Weights, world: Cluster, plugins: Sequence[object], **changes: Any) -> Answer:
    best = decide(weights.changed(**changes), world, plugins).best
    return None if not best else best[0] if len(best) == 1 else tuple(best)


def panel(plugins: Sequence[object] = (), **settings: Any) -> Panel[Weights]:
    """The panel; arguments override its default settings. ``plugins``: your own, which join the generation."""
    return Panel(Weights().changed(**settings), lambda weights: show(weights, plugins), as_yaml, "weights.panel()")
