"""Why nodes refuse a pod, in groups of nodes with the same obstacle, with the numbers that a person looks for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from kschedlab.decision import Decision
from kschedlab.text.why_not import why_not
from kschedlab.text.words import RefusedNodes, amount, count, refusals
from kschedlab_live.why.obstacles import details

LOOKED_AT = 300
"""How many nodes of a group are asked for their own obstacle; the others get the filter's reason."""
KINDS = 4
"""The most obstacles of one filter that are named."""


class Group(NamedTuple):
    """Nodes with the same obstacle. ``helps``: whether evicting pods could make room."""

    nodes: tuple[str, ...]
    obstacle: str
    helps: bool


def groups(decision: Decision) -> list[Group]:
    """All refusing nodes, the largest group first."""
    found = [group for refusal in refusals(decision) for group in _groups(decision, refusal)]
    return sorted(found, key=lambda group: (-len(group.nodes), group.obstacle))


def _groups(decision: Decision, refusal: RefusedNodes) -> Iterator[Group]:
    helps = not refusal.unresolvable
    if refusal.reasons and all(reason.startswith("Insufficient ") for reason in refusal.reasons):
        said = "; ".join(_room(decision, refusal, reason.removeprefix("Insufficient ")) for reason in refusal.reasons)
        yield Group(refusal.nodes, said, helps)
        return
    plain = "; ".join(_plain(reason) for reason in refusal.reasons) or f"refused by {refusal.plugin}"
    if len(refusal.nodes) > LOOKED_AT:
        yield Group(refusal.nodes, plain, helps)
        return
    own: dict[str, list[str]] = {}
    for node in refusal.nodes:
        own.setdefault(_obstacle(decision, node) or plain, []).append(node)
    if len(own) > KINDS:
        own = {plain: list(refusal.nodes)}
    for said, nodes in own.items():
        yield Group(tuple(nodes), said, helps)


def _obstacle(decision: Decision, node: str) -> str:
    """What the first filter that refuses the node has against the pod."""
    if found := details(decision, node):
        return "; ".join(found)
    first = next((check for check in why_not(decision, node).checks if check.first), None)
    return "; ".join(map(_plain, first.details)) if first is not None else ""


def _plain(reason: str) -> str:
    return reason.removeprefix("node(s) ").removeprefix("were ").removeprefix("had ")


def _room(decision: Decision, refusal: RefusedNodes, resource: str) -> str:
    """How much of a resource is free at most, or how much the largest node has."""
    cluster, row = decision.cluster, decision.cluster.resources.get(resource)
    asked = amount(resource, decision.pod.request.get(resource, 0))
    places = [cluster.index[name] for name in refusal.nodes]
    if row is None or not places:
        return f"Insufficient {resource}"
    whole = cluster.allocatable[row, places]
    largest = int(whole.max())
    if not largest:
        return f"no {resource} on {'it' if len(places) == 1 else 'them'}"
    if largest < decision.pod.request.get(resource, 0):
        return f"too small for {asked}: {_most('have', amount(resource, largest), len(places))}"
    free = whole - cluster.requested[row, places]
    best = max(int(free.max()), 0)
    where = f", on {refusal.nodes[int(free.argmax())]}" if len(places) > 1 and best else ""
    most = f"{amount(resource, best)} free" if best else "nothing free"
    return f"too little {resource} for {asked}: {'at most ' if len(places) > 1 and best else ''}{most}{where}"


def _most(verb: str, most: str, nodes: int) -> str:
    return f"they {verb} at most {most}" if nodes > 1 else f"it has {most}"


def nodes_words(group: Group) -> str:
    """ "3 nodes"."""
    return count(len(group.nodes), "node")
