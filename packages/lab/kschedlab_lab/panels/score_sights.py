"""What each plugin of lesson 03 looks at, so that a raw score has its cause in the picture."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from kschedlab.decision import Decision
from kschedlab.messages import later, say
from kschedlab_lab.panels.score_cluster import NODES, Cause
from kschedlab_lab.views.chart_grid import Sight

CAUSES = {"PodTopologySpread": later("It counts pods, and fewer is better.")}
"""By plugin, what the lines above its row don't say."""
FREE = "NodeResourcesLeastAllocated"
SHARES = {"cpu": later("free CPU, %"), "memory": later("free memory, %")}
"""By resource, the line of its share."""
EXAMPLES = {"NodeAffinity": "node-d", "TaintToleration": "node-d"}
"""By plugin, the node whose cell is looked at when its row comes; node-b for the others."""


def sights(cause: Cause, decision: Decision, plugin: str) -> tuple[Sight, ...]:
    """The lines above the map for the plugin: what it looks at, and what it finds on each node."""
    if plugin == FREE:
        return _shares(decision)
    fast, taint = ["node-d"] * cause.fast, ["node-d"] * cause.tainted
    found = {
        "NodeAffinity": (
            _marked(say("zone west: 20"), ("node-c", "node-d")),
            _marked(say("fast disk: 40"), fast),
        ),
        "TaintToleration": (Sight(say("taints"), tuple(str(taint.count(node)) for node in NODES)),),
        "PodTopologySpread": (Sight(say("shop pods in zone"), ("3", "3", "1", "1")),),
    }
    return found.get(plugin, ())


def _marked(name: str, nodes: Iterable[str]) -> Sight:
    """A check mark for these nodes."""
    return Sight(name, tuple("✓" if node in nodes else "–" for node in NODES))


def _shares(decision: Decision) -> tuple[Sight, ...]:
    """The shares of CPU and memory that stay free with the new pod, rounded down as in the score."""
    scores = decision.scores
    if scores is None:
        return ()
    scored, places = scores.rows[scores.plugins.index(FREE)], scores.nodes.tolist()

    def share(resource: str, node: str) -> str:
        amounts: Any = scored.terms[resource]
        place = places.index(decision.cluster.index[node])
        asked, there = (int(amounts[each][place]) for each in ("requested", "capacity"))
        return str((there - asked) * 100 // there)

    return tuple(Sight(say(name), tuple(share(each, node) for node in NODES)) for each, name in SHARES.items())
