"""A generation's answer for the panel that compares them: the node that the pod gets."""

from __future__ import annotations

from typing import NamedTuple

from kschedlab.decision import Decision
from kschedlab.messages import say
from kschedlab.text.words import listing


class PodAnswer(NamedTuple):
    """A pod's result: the node, or several that are tied, and by node the pods that are evicted there."""

    nodes: tuple[str, ...]
    victims: tuple[tuple[str, ...], ...] = ()


def answer(decision: Decision) -> PodAnswer:
    """The part of a decision that its pod notices."""
    preemption = decision.preemption
    if preemption is None or not preemption.tied:
        return PodAnswer(tuple(sorted(decision.best)))
    nodes = tuple(preemption.tied)
    victims = (sorted(each.key for each in preemption.candidates[node].victims) for node in nodes)
    return PodAnswer(nodes, tuple(map(tuple, victims)))


def picked(decision: Decision) -> str:
    """The answer in a few words: "node-a", "tie: node-a, node-b" or "no node"."""
    if decision.error:
        return say("an error")
    nodes = answer(decision).nodes
    return nodes[0] if len(nodes) == 1 else say("tie: {nodes}", nodes=listing(nodes, 3)) if nodes else say("no node")


def picked_with_victims(decision: Decision) -> str:
    """The same, and who is evicted there: "node-a without old"."""
    found = answer(decision)
    if len(found.nodes) != 1 or not found.victims or not found.victims[0]:
        return picked(decision)
    names = listing([key.partition("/")[2] for key in found.victims[0]], 3)
    return say("{node} without {pods}", node=found.nodes[0], pods=names)
