"""A Decision as a drawing: what runs where, who is evicted, who is reprieved, which node is chosen."""

from __future__ import annotations

from kschedlab.cluster.pods import PodInfo
from kschedlab.decision import Decision
from kschedlab.preemption.stage import Candidate
from kschedlab.views.drawing import Block, Box, draw
from kschedlab.views.html import Html
from kschedlab.views.ladder import columns
from kschedlab.views.words import Clock, choice, clock, count, outcome

NODES = 9
"""Maximum number of nodes drawn: with the pending pod they fill two rows."""


def picture(decision: Decision) -> Html:
    """The decision as SVG: the pending pod, then the most relevant nodes, all to one scale."""
    resource = scarcest(decision)
    nodes = nodes_to_show(decision)
    moment = clock(info.start for node in nodes for info in pods_on(decision, node))
    waiting = Box("waiting", 0, (block(decision.pod, resource, f"priority {decision.pod.priority}"),))
    boxes = [box(decision, node, resource, moment) for node in nodes]
    hidden = len(decision.cluster.nodes) - len(nodes)
    return draw([waiting, *boxes], caption(decision), resource, f"{hidden:,} more nodes" if hidden else "")


def caption(decision: Decision) -> str:
    """The text alternative: the outcome, and the rule that decided it."""
    rule = choice(decision.preemption) if decision.preemption is not None else ""
    return f"{outcome(decision)} {rule}".rstrip()


def scarcest(decision: Decision) -> str:
    """The resource of which the pod requests the largest share of a node; it scales the drawing."""
    cluster = decision.cluster
    largest = {name: int(cluster.allocatable[row].max(initial=0)) for name, row in cluster.resources.items()}
    shares = {name: asked / largest[name] for name, asked in decision.pod.request.items() if largest.get(name)}
    return max(shares, key=lambda name: (shares[name], name == "cpu"), default="cpu")


def nodes_to_show(decision: Decision) -> list[str]:
    """All nodes by name if they are few; otherwise the chosen node, the best candidates or scores, then others."""
    names = sorted(decision.cluster.names)
    if len(names) <= NODES:
        return names
    best = [decision.node] if decision.node is not None else []
    if decision.preemption is not None:
        best += columns(decision.preemption, NODES)
    if decision.scores is not None:
        order = (-decision.scores.total).argsort(kind="stable")[:NODES]
        best += [decision.cluster.names[n] for n in decision.scores.nodes[order].tolist()]
    return list(dict.fromkeys([*best, *names]))[:NODES]


def pods_on(decision: Decision, node: str) -> list[PodInfo]:
    """The pods that run on the node, the most important first."""
    cluster = decision.cluster
    infos = [cluster.pods.info(row) for row in cluster.pods_of(cluster.index[node]).tolist()]
    return sorted(infos, key=lambda info: (-info.priority, info.start, info.key))


def box(decision: Decision, node: str, resource: str, moment: Clock) -> Box:
    """One node with its pods."""
    cluster, preemption = decision.cluster, decision.preemption
    candidate = preemption.candidates.get(node) if preemption is not None else None
    marks = marks_of(candidate)
    blocks = [
        block(info, resource, f"{info.priority} · {moment(info.start)}", *marks.get(info.key, ()))
        for info in pods_on(decision, node)
    ]
    if decision.node == node:
        blocks.append(block(decision.pod, resource, f"priority {decision.pod.priority}", "arriving"))
    row = cluster.resources.get(resource)
    capacity = int(cluster.allocatable[row, cluster.index[node]]) if row is not None else 0
    chosen = node in (decision.node, decision.nominated_node)
    return Box(node, capacity, tuple(blocks), captions(decision, node, candidate), chosen)


def block(info: PodInfo, resource: str, detail: str, mark: str = "", badge: str = "") -> Block:
    """One pod to be drawn."""
    return Block(info.pod.metadata.name, info.request.get(resource, 0), info.priority, detail, mark, badge)


def marks_of(candidate: Candidate | None) -> dict[str, tuple[str, str]]:
    """By pod: "evicted" or "reprieved", and "PDB" if its eviction breaks a budget."""
    attempts = candidate.attempts if candidate is not None else ()
    return {a.pod.key: ("reprieved" if a.reprieved else "evicted", "PDB" if a.violates else "") for a in attempts}


def captions(decision: Decision, node: str, candidate: Candidate | None) -> tuple[str, ...]:
    """The outcome for the node, in one or two lines."""
    if candidate is not None:
        return count(len(candidate.victims), "victim"), count(candidate.violations, "PDB violation")
    scores = decision.scores
    position = decision.cluster.index[node]
    if scores is not None and position in (found := scores.nodes.tolist()):
        return (f"score {scores.total[found.index(position)]}",)
    if decision.preemption is not None and decision.preemption.eligible:
        return ("not a candidate",)
    return (decision.verdict(node).plugin or "",)
