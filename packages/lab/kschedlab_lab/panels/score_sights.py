"""The nodes of lesson 03 as its pictures draw them, so that each score has its cause there."""

from __future__ import annotations

from typing import Any

from kschedlab.decision import Decision
from kschedlab.messages import later, say
from kschedlab_lab.panels.score_cluster import NEED, NODES, PLUGINS, PODS, SIZES, WISHES, Cause
from kschedlab_lab.views.score_bars import fills
from kschedlab_lab.views.score_nodes import Card, Cards, Filled

FREE, WISH, TAINTS = PLUGINS
LOOKS = {FREE: "free", WISH: "labels", TAINTS: "taints"}
"""By plugin: the part of a node that it looks at."""
WEST, FAST = WISHES
NAMES = {WEST: later("zone west"), FAST: later("fast disk")}
"""The wishes in words."""


def cards(cause: Cause, decision: Decision, plugin: str) -> Cards:
    """The nodes; what this plugin looks at stands out, and the words beside it say what it means."""
    nodes = [Card(node, _filled(decision, node), _tags(cause, node)) for node in NODES]
    return Cards(nodes, _words(plugin), LOOKS.get(plugin, ""), fills(PLUGINS).get(plugin, ""))


def fulfilled(cause: Cause, node: str) -> list[str]:
    """The wishes that the node fulfils."""
    return [WEST] * (node in NODES[2:]) + [FAST] * (node == "node-d" and cause.fast)


def _tags(cause: Cause, node: str) -> tuple[str, ...]:
    has = fulfilled(cause, node)
    taint = say("taint") if cause.tainted and node == "node-d" else ""
    return (say("west") if WEST in has else "", say("fast") if FAST in has else "", taint)


def _words(plugin: str) -> tuple[str, ...]:
    """What is written beside the nodes, line by line."""
    if plugin == FREE:
        return (say("left: free CPU, %"), say("right: free memory, %"))
    if plugin == WISH:
        return ("", "", *(f"{say(NAMES[wish])}: {points}" for wish, points in WISHES.items()))
    return ("", "", "", "", say("taints")) if plugin == TAINTS else ()


def _filled(decision: Decision, node: str) -> list[Filled]:
    free = shares(decision, node)
    return [
        Filled(
            [(name, pod[at] / SIZES[node][at]) for name, (on, *pod) in PODS.items() if on == node],
            NEED[at] / SIZES[node][at],
            str(free[at]),
        )
        for at in range(len(NEED))
    ]


def shares(decision: Decision, node: str) -> list[int]:
    """The percentages of CPU and memory that stay free with the new pod, rounded down as in the score."""
    scores = decision.scores
    assert scores is not None, "the pod fits on all nodes"
    terms: Any = scores.rows[scores.plugins.index(FREE)].terms
    place = scores.nodes.tolist().index(decision.cluster.index[node])
    amounts = ((int(terms[of]["requested"][place]), int(terms[of]["capacity"][place])) for of in ("cpu", "memory"))
    return [(there - asked) * 100 // there for asked, there in amounts]
