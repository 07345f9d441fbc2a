"""What lesson 07 asks before it shows an answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from kschedlab.cluster.pools import ZONE
from kschedlab.explanation import explain
from kschedlab.generations import LATEST
from kschedlab.messages import say
from kschedlab.whatif import what_if
from kschedlab_lab.panels.cluster_source import bundled
from kschedlab_lab.panels.question import Question
from kschedlab_lab.panels.your_cluster import YourCluster
from kschedlab_lab.views.cluster_picture import WHAT_IF

STUCK, APART = "ml/train-small-0", "data/redis-24"
MOVES, RUNS_ON = "shop/notifications-m28f29nql-28wnb", "general-97"


def _asking(
    pod: str,
    text: str,
    right: Callable[[Any], str],
    remarks: Mapping[str, str],
    framed: str = "",
    **values: str,
) -> YourCluster:
    """A panel about this pod that asks first; ``framed``: the node where it runs."""
    panel = YourCluster(bundled()).move(pod=pod, **values)
    why, before = (lambda _, answer: remarks[answer]), partial(panel.answers.before, framed=framed)
    return panel.ask(Question(text, tuple(remarks), right, why, before, looks=("node", "show", "question")))


def what_helps() -> YourCluster:
    """Which single change lets the pod in?"""
    selector, taint, less = (
        say("drop its nodeSelector"),
        say("tolerate the taint nvidia.com/gpu"),
        say("ask for less CPU"),
    )

    def right(_: Any) -> str:
        changes = what_if(STUCK, bundled().cluster(LATEST)).relaxations.sufficient[0].changes
        return taint if "tolerating" in changes[0] else selector

    return _asking(
        STUCK,
        say("{pod} waits. Which single change lets it run?", pod="train-small-0"),
        right,
        {
            selector: say(
                "Then 95 nodes of general let it in, but they have no GPU. The 12 with GPUs keep their taint."
            ),
            taint: say("The selector leaves 12 nodes, all with room, and only their taint keeps it out."),
            less: say("The 12 nodes with GPUs have a taint, and it keeps the pod out whatever it asks for."),
        },
    )


def no_help() -> YourCluster:
    """Which change lets a pod wait that must be alone on its node?"""
    less, rank, more = say("half its memory"), say("priority 50001"), say("one node more of data")

    def right(_: Any) -> str:
        found = what_if(APART, bundled().cluster(LATEST))
        helps = {less: bool(found.requests), rank: found.priority is not None, more: bool(found.nodes)}
        return next(change for change, enough in helps.items() if not enough)

    return _asking(
        APART,
        say("Which change would not let {pod} run?", pod="redis-24"),
        right,
        {
            less: say("No node of data refuses it for lack of memory. On each of them another redis is in the way."),
            rank: say("It helps: then it may evict a redis, which has 50000, and take its place."),
            more: say("It helps: a new node has the pods of its DaemonSets, but no redis yet."),
        },
        question=WHAT_IF,
    )


def which_zone() -> YourCluster:
    """Where would the pod go, if it were decided again?"""
    fewest = say(
        "PodTopologySpread counts most, 44 of the 47 points: {node} and its zone have more pods of this ReplicaSet.",
        node=RUNS_ON,
    )

    def right(_: Any) -> str:
        decision = explain(MOVES, bundled().cluster(LATEST)).decision
        return next(
            node.metadata.labels[ZONE] for node in decision.cluster.nodes if node.metadata.name == decision.node
        )

    return _asking(
        MOVES,
        say("Decided again now, it would leave {node}. For which zone?", node=RUNS_ON),
        right,
        {
            "eu-1a": say("8 others of its ReplicaSet are there. {why}", why=fewest),
            "eu-1b": say("8 of its ReplicaSet are there. {why}", why=fewest),
            "eu-1c": fewest,
        },
        RUNS_ON,
        node=RUNS_ON,
    )
