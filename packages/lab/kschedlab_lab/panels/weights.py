"""Weights to drag: settings -> the generation with these weights -> Decision -> sums as bars, and a map of winners.

The cluster is that of :mod:`kschedlab_lab.panels.score_cluster`; NodePreferAvoidPods keeps its weight of 10000.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from kschedlab.cluster.cluster import Cluster
from kschedlab.decision import Decision
from kschedlab.generations import V1_20, Generation
from kschedlab.messages import later, listed, say
from kschedlab.scheduler import schedule
from kschedlab.text.tables import folded
from kschedlab.text.words import outcome
from kschedlab_lab.panels import score, score_cluster
from kschedlab_lab.panels.base import Panel, View
from kschedlab_lab.panels.question import Question
from kschedlab_lab.panels.score import NEW, NODES, PLUGINS
from kschedlab_lab.panels.settings import Restorable, choice, slider, switch
from kschedlab_lab.views.chart import Answer, Chart, decision_map
from kschedlab_lab.views.chart_bars import FILLS, Bars
from kschedlab_lab.views.chart_grid import Grid
from kschedlab_lab.views.score import STAGES, lead, score_map, total
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
    return slider(FIELDS[field].removeprefix("NodeResources"), range(MOST + 1), usual, _written)


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


@lru_cache(2)
def cluster(avoided: bool) -> Cluster:
    """The cluster, with the note on node-c or without it."""
    return score_cluster.cluster(score_cluster.Cause(avoided=avoided))


def decide(weights: Weights, plugins: Sequence[object] = ()) -> Decision:
    """The scheduler's decision for the new pod."""
    return schedule(NEW, cluster(weights.avoided), generation(weights, plugins))


def show(weights: Weights, plugins: Sequence[object] = ()) -> View:
    """The panel's view for these settings."""
    decision, winners = decide(weights, plugins), winners_map(weights, plugins)
    sentence = outcome(decision) if decision.scores is None else lead(decision)
    over = say(
        "Who wins over the weights of {down} (down) and {across} (across)",
        down=FIELDS[weights.down],
        across=FIELDS[weights.across],
    )
    numbers = score_map(decision, score.rows(plugins)[:-1], NODES, STAGES[-1])
    table = folded(say("The sums as a table"), numbers.table)
    assert isinstance(winners.picture, Grid)
    picture = WeightStage(handles(weights), sums(decision, sentence), winners.picture, sentence)
    return View(picture, sentence, table, "\n".join([sentence, numbers.text, over, winners.text]))


def handles(weights: Weights) -> list[Weight]:
    """Each weight as a bar."""
    return [
        Weight(
            plugin.removeprefix("NodeResources"),
            field,
            getattr(weights, field),
            say(_written(getattr(weights, field))),
            FILLS[i],
            MOST,
            f"down: {plugin}",
            f"across: {plugin}",
            field == weights.down,
            field == weights.across,
        )
        for i, (field, plugin) in enumerate(FIELDS.items())
    ]


def sums(decision: Decision, alt: str) -> Bars:
    """The weighted scores as a bar for each node; the million of NodePreferAvoidPods is only written."""
    scores = decision.scores
    if scores is None:
        return Bars((), {}, (), alt)
    scored = scores.nodes.tolist()
    nodes = [node for node in NODES if decision.cluster.index[node] in scored]
    places = [scored.index(decision.cluster.index[node]) for node in nodes]
    results: dict[str, list[float]] = dict(zip(scores.plugins, scores.results[:, places].tolist(), strict=True))
    others = [name for name in scores.plugins if name not in PLUGINS]
    nothing = [0.0] * len(nodes)
    parts = {plugin: results.get(plugin, nothing) for plugin in (*FIELDS.values(), *others)}
    million = [round(each) for each in results.get("NodePreferAvoidPods", nothing)]
    ends = [_end(int(scores.total[i]), more) for i, more in zip(places, million, strict=True)]
    vetoed = [node for node, more in zip(nodes, million, strict=True) if more < max(million)]
    won = [decision.node] if decision.node else []
    tied = decision.best if len(decision.best) > 1 else ()
    return Bars(nodes, parts, ends, alt, won, legend=bool(others), tied=tied, vetoed=vetoed)


def _end(total: int, million: int) -> str:
    return f"{total - million} + 1M" if million else say("{sum}, vetoed: no 1M", sum=total)


def winners_map(weights: Weights, plugins: Sequence[object] = ()) -> Chart:
    """The winner for every value of two weights; the others stay. A click on a cell sets the two."""
    controls = weights.controls()
    down, across = controls[weights.down].values, controls[weights.across].values
    winners = [[_winner(weights.changed(**_at(weights, y, x)), plugins) for x in across] for y in down]
    at = down.index(getattr(weights, weights.down)), across.index(getattr(weights, weights.across))
    write = controls[weights.down].write

    def sets(r: int, c: int) -> str:
        return ", ".join(f"{name}: {write(value)}" for name, value in _at(weights, down[r], across[c]).items())

    return decision_map(
        winners,
        [say(write(y)) for y in down],
        [say(write(x)) for x in across],
        selected=at,
        corner=f"{FIELDS[weights.down]} \\ {FIELDS[weights.across]}",
        titles=(_short(weights.across), _short(weights.down)),
        kinds=NODES,
        sets=sets,
    )


def _short(field: str) -> str:
    return FIELDS[field].removeprefix("NodeResources")


def _at(weights: Weights, y: Any, x: Any) -> dict[str, Any]:
    """The two weights of a cell of the map; where both axes are one weight, that across counts."""
    return {weights.down: y} | {weights.across: x}


def _winner(weights: Weights, plugins: Sequence[object]) -> Answer:
    if plugins:
        return _best(decide(weights, plugins))
    usual = Weights()
    return _known(weights.changed(down=usual.down, across=usual.across))


@lru_cache(1 << 14)
def _known(weights: Weights) -> Answer:
    """The winner without plugins of the user's own; a drag along an axis asks for the same map again and again."""
    return _best(decide(weights))


def _best(decision: Decision) -> Answer:
    best = decision.best
    return None if not best else best[0] if len(best) == 1 else tuple(best)


def panel(plugins: Sequence[object] = (), **settings: Any) -> Panel[Weights]:
    """The panel; arguments override its default settings. ``plugins``: your own, which join the generation."""
    return Panel(
        Weights().changed(**settings),
        lambda weights: show(weights, plugins),
        lambda weights: score_cluster.manifests(score_cluster.Cause(avoided=weights.avoided)),
        "weights.panel()",
    )


def who_wins(field: str, old: int, new: int) -> Question[Weights]:
    """Who wins once this weight has changed? Asked of a panel with the new one; until then, the old sums show.

    ValueError for a weight or a number that the panel does not have.
    """
    Weights().changed(**{field: old}).changed(**{field: new})

    def before(weights: Weights) -> Bars:
        decision = decide(weights.changed(**{field: old}))
        drawn = sums(decision, say("The sums before the change"))
        return replace(drawn, picks=NODES, legend=True)

    def right(weights: Weights) -> str:
        return decide(weights).best[0]

    def why(weights: Weights, answer: str) -> str:
        then, now = decide(weights.changed(**{field: old})), decide(weights)
        best = right(weights)
        gains = {node: (total(now, node) or 0) - (total(then, node) or 0) for node in (answer, best)}
        told = listed(_change(node, gain) for node, gain in gains.items())
        return say("The change: {told}. Now {best} leads with {total}.", told=told, best=best, total=total(now, best))

    asked = say(
        "{plugin}'s weight goes from {old} to {new}. Who wins then?",
        plugin=FIELDS[field],
        old=say(_written(old)),
        new=say(_written(new)),
    )
    return Question(asked, NODES, right, why, before)


def _change(node: str, gain: int) -> str:
    return say("{node} gains {points}" if gain >= 0 else "{node} loses {points}", node=node, points=abs(gain))
