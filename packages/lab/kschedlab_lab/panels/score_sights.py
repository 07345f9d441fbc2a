"""What each plugin of lesson 03 looks at, so that a raw score has its cause in the picture."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from kschedlab.decision import Decision
from kschedlab.messages import later, say
from kschedlab_lab.panels.score_cluster import NODES, Cause
from kschedlab_lab.views.chart_grid import Sight
from kschedlab_lab.views.lettering import with_minus

CAUSES = {
    "ImageLocality": later("900Mi on half of the nodes count as 450Mi."),
    "PodTopologySpread": later("It counts pods: fewer is better."),
    "NodePreferAvoidPods": later("No node has this annotation."),
}
"""By plugin, what the lines above its row don't say."""
FREE = "NodeResourcesLeastAllocated"
SHARES = {
    FREE: (later("free CPU, %"), later("free memory, %")),
    "NodeResourcesBalancedAllocation": (later("CPU in use, %"), later("memory in use, %")),
}
"""By plugin that looks at shares: what its two lines are."""
EXAMPLES = {"NodeAffinity": "node-d", "TaintToleration": "node-d"}
"""By plugin, the node whose cell is looked at when its row comes; node-b for the others."""


def sights(cause: Cause, decision: Decision, plugin: str) -> tuple[Sight, ...]:
    """The lines above the map for the plugin: what it looks at, and what it finds on each node."""
    if plugin in SHARES:
        return _shares(decision, plugin)
    fast, taint = ["node-d"] * cause.fast, ["node-d"] * cause.tainted
    found = {
        "NodeAffinity": (
            _marked(say("zone west: 20"), ("node-c", "node-d")),
            _marked(say("fast disk: 40"), fast),
        ),
        "TaintToleration": (Sight(say("taints"), tuple(str(taint.count(node)) for node in NODES)),),
        "InterPodAffinity": (
            _marked(say("cache in zone: 50"), ("node-a", "node-b")),
            _marked(with_minus(say("batch job on it: -30")), ("node-b", "node-c")),
        ),
        "PodTopologySpread": (Sight(say("shop pods in zone"), ("3", "3", "1", "1")),),
        "ImageLocality": (_marked(say("image of 900Mi"), ("node-a", "node-b")),),
        "NodePreferAvoidPods": (_marked(say("keeps pods away"), ()),),
    }
    return found.get(plugin, ())


def _marked(name: str, nodes: Iterable[str]) -> Sight:
    """A check mark for these nodes."""
    return Sight(name, tuple("✓" if node in nodes else "–" for node in NODES))


def _shares(decision: Decision, plugin: str) -> tuple[Sight, ...]:
    """The shares of CPU and memory with the new pod: what stays free, rounded down as in the score, or is in use."""
    scores = decision.scores
    if scores is None or plugin not in scores.plugins:
        return ()
    scored, places = scores.rows[scores.plugins.index(plugin)], scores.nodes.tolist()

    def share(resource: str, node: str) -> str:
        if (position := decision.cluster.index[node]) not in places:
            return ""
        amounts: Any = scored.terms[resource]
        asked, there = (int(amounts[each][places.index(position)]) for each in ("requested", "capacity"))
        return str((there - asked) * 100 // there) if plugin == FREE else f"{100 * asked / there:.1f}"

    return tuple(
        Sight(say(name), tuple(share(resource, node) for node in NODES))
        for resource, name in zip(("cpu", "memory"), SHARES[plugin], strict=True)
    )
