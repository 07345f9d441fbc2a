"""The sums of the score stage as stacked bars: a colour for each plugin, and how far each node is behind the best."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kschedlab.decision import Decision
from kschedlab.messages import say
from kschedlab_lab.views.chart_bars import FILLS, Bars
from kschedlab_lab.views.score import STAGES, number, total

VETOES = "NodePreferAvoidPods"
"""Its million points, which all nodes get, are left out of bars and colours."""
KNOWN = (
    "NodeResourcesLeastAllocated",
    "NodeAffinity",
    "TaintToleration",
    "InterPodAffinity",
    "PodTopologySpread",
    "NodeResourcesBalancedAllocation",
    "ImageLocality",
)
"""Plugins that keep their colour everywhere, and the order of their rows."""


def in_order(plugins: Iterable[str]) -> list[str]:
    """The known plugins first, in their order."""
    return sorted(plugins, key=lambda plugin: KNOWN.index(plugin) if plugin in KNOWN else len(KNOWN))


def fills(plugins: Iterable[str]) -> dict[str, str]:
    """By plugin: its colour in rows, bars and weights; one of KNOWN has it wherever it is."""
    pointed = [plugin for plugin in plugins if not plugin.startswith(VETOES)]
    places = {plugin: KNOWN.index(plugin) if plugin in KNOWN else i for i, plugin in enumerate(pointed)}
    return {plugin: FILLS[place % len(FILLS)] for plugin, place in places.items()}


def points(decision: Decision, node: str) -> int | None:
    """The node's sum without the points of VETOES; None if it was not scored."""
    found, plugins = total(decision, node), decision.scores.plugins if decision.scores is not None else ()
    vetoes = sum(number(decision, STAGES[2], each, node) or 0 for each in plugins if each.startswith(VETOES))
    return None if found is None else found - vetoes


def unknown(nodes: Sequence[str], most: float) -> Bars:
    """The bars of sums that are asked for."""
    return Bars(nodes, {}, ["?"] * len(nodes), {}, most)


def sum_bars(
    decision: Decision, nodes: Sequence[str], most: float, behind: bool = True, order: Sequence[str] = ()
) -> Bars:
    """A bar for each node. ``behind``: whether it says how far it is; ``most``: the sum that fills the width;
    ``order``: the plugins from the left, if not as they are in the decision."""
    scored = decision.scores.plugins if decision.scores is not None else ()
    plugins = [plugin for plugin in order or scored if plugin in scored]
    parts = {
        plugin: [float(max(number(decision, STAGES[2], plugin, node) or 0, 0)) for node in nodes]
        for plugin in fills(plugins)
    }
    best = decision.best
    tied = best if len(best) > 1 else ()
    marked = [decision.node] if decision.node else []
    ends = _ends(decision, nodes, behind)
    return Bars(nodes, parts, ends, fills(plugins), most, marked, tied)


def _ends(decision: Decision, nodes: Sequence[str], behind: bool) -> list[str]:
    """Each node's sum, and in brackets how far it is ``behind``."""
    sums = {node: points(decision, node) for node in nodes}
    most = max((found for found in sums.values() if found is not None), default=0)

    def written(node: str) -> str:
        found = sums[node]
        if found is None:
            if decision.verdict(node).plugin:
                return say("refused")
            return say("not scored") if decision.scores is not None else ""
        return f"{found} (−{most - found})" if behind and found < most else str(found)

    return [written(node) for node in nodes]
