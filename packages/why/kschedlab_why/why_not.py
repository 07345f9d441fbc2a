"""Why not this node? One node beside the chosen one, plugin by plugin: filters, scores, or the rules of preemption."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, repeat
from typing import NamedTuple

import numpy as np

from kschedlab.cluster.incoming import incoming_pod
from kschedlab.cluster.labels import first_untolerated
from kschedlab.cluster.volumes import claim_names
from kschedlab.decision import Decision
from kschedlab.filter.inter_pod_affinity import ANTI_AFFINITY, EXISTING_ANTI_AFFINITY
from kschedlab.filter.node_affinity import NO_MATCH, NO_MATCH_1_16, NO_MATCH_1_20
from kschedlab.filter.node_ports import PORTS_TAKEN, host_ports
from kschedlab.filter.node_resources import INSUFFICIENT
from kschedlab.filter.plugin import Refusal
from kschedlab.filter.stage import EXCLUDED
from kschedlab.filter.volumes.volume_binding import NODE_CONFLICT, NODE_CONFLICT_BEFORE
from kschedlab.filter.volumes.volume_zone import ZONE_CONFLICT, topologies
from kschedlab.messages import later, listed, say, sentences
from kschedlab.objects.model import PersistentVolume
from kschedlab.text.ladder import RuleResult, steps
from kschedlab.text.scores import ranking
from kschedlab.text.sections import DECIDES, REFUSES, WEAK, Row, Table
from kschedlab.text.words import asked_and_free, count, listing

TAINTS = ("TaintToleration", "PodToleratesNodeTaints")
SELECTORS = (NO_MATCH, NO_MATCH_1_20, NO_MATCH_1_16)
CONFLICTS = (NODE_CONFLICT, NODE_CONFLICT_BEFORE, ZONE_CONFLICT)
GAINS = 3
"""Maximum number of plugins named in a sentence."""


class Check(NamedTuple):
    """One filter on the node. ``first``: the filter whose refusal counts; ``details``: what is in the way."""

    plugin: str
    refuses: bool
    first: bool
    details: tuple[str, ...] = ()


class Points(NamedTuple):
    """One score plugin's weighted points, or the total: of the chosen node, and of each node beside it."""

    plugin: str
    weight: int
    chosen: int
    others: tuple[int, ...]

    @property
    def lead(self) -> int:
        """The points by which the chosen node is ahead of the first other."""
        return self.chosen - self.others[0]

    @property
    def title(self) -> str:
        return f"{self.plugin} ×{self.weight}" if self.weight else say(self.plugin)


@dataclass(frozen=True)
class WhyNot:
    """The answer: a sentence, and the filters, points or rules that decided.

    ``winner``: the chosen or nominated node, or None. ``checks``: all filters that ran, if the node was refused;
    ``points``: if both nodes were scored, the total last; ``rules``: if both are candidates for preemption. All three
    are empty if the search ended before it reached the node. ``evicting``: why evicting pods would not help on a node
    that was refused, if that needs saying; the sentence ends with it.
    """

    node: str
    winner: str | None
    sentence: str
    checks: tuple[Check, ...] = ()
    points: tuple[Points, ...] = ()
    rules: tuple[RuleResult, ...] = ()
    evicting: str = ""


def why_not(decision: Decision, node: str) -> WhyNot:
    """Why the pod does not go to that node. KeyError if the cluster has no such node."""
    verdict, winner = decision.verdict(node), decision.node or decision.nominated_node
    verdicts, preemption = decision.verdicts, decision.preemption
    if verdicts is None or verdicts.rejected is not None or decision.error:
        return WhyNot(node, winner, sentences((say("No node was looked at."), decision.outcome)))
    if node == decision.node:
        return WhyNot(
            node,
            winner,
            say("{node} is the chosen node.", node=node),
            points=points(decision, node, *_second(decision)),
        )
    if verdict.passes and decision.cluster.index[node] not in decision.feasible:
        return WhyNot(node, winner, _not_reached(decision, node))
    if verdict.passes:
        both = points(decision, str(winner), node)
        return WhyNot(node, winner, _behind(decision, node, both), points=both)
    checks = _checks(decision, node)
    if preemption is not None and node in preemption.candidates and winner is not None:
        rules = tuple(steps(preemption, [winner, node]))
        return WhyNot(node, winner, _outclimbed(node, winner, rules), checks, rules=rules if node != winner else ())
    evicting = _evicting(decision, node)
    return WhyNot(node, winner, _refused(node, checks, evicting), checks, evicting=evicting)


def _not_reached(decision: Decision, node: str) -> str:
    message = later("{node} was not looked at: the scheduler stopped after {evaluated:,} of {nodes:,} nodes.")
    return say(message, node=node, evaluated=decision.evaluated, nodes=len(decision.cluster.nodes))


# -- filters


def _checks(decision: Decision, node: str) -> tuple[Check, ...]:
    """Every filter that ran; one that runs twice, with nominated pods and without, counts once."""
    verdicts, position = decision.verdicts, decision.cluster.index[node]
    assert verdicts is not None
    checks: dict[str, Check] = {}
    if int(verdicts.refused_by[position]) == EXCLUDED:
        names = listing(verdicts.excluded_by)
        checks["PreFilter"] = Check("PreFilter", True, True, (say("{names} names other nodes", names=names),))
    for plugin, refused in zip(verdicts.plugins, verdicts.refusals, strict=True):
        parts = [part for part in refused.parts if part.mask[position]] if refused is not None else []
        if parts or plugin not in checks:
            details = tuple(_detail(decision, plugin, part, position) for part in parts)
            refuses = any(not part.error for part in parts)
            checks[plugin] = Check(plugin, refuses, plugin == verdicts.plugin(position), details)
    return tuple(checks.values())


def _detail(decision: Decision, plugin: str, part: Refusal, position: int) -> str:
    """What is in the way, with its numbers and names."""
    if part.error:
        return say("fails: {error}", error=part.reason)
    pod, node = decision.pod.pod, decision.cluster.nodes[position]
    if resource := part.resource:
        used, allocatable = (int(part.terms[name][position]) for name in ("used", "allocatable"))  # type: ignore[index]
        request = decision.pod.request.get(resource, 0)
        asked, free = asked_and_free(resource, request, max(allocatable - used, 0))
        return say("asks for {asked}, {free} free", asked=asked, free=free.partition(" ")[0])
    if plugin == "NodeUnschedulable":
        return say("cordoned")
    if plugin in TAINTS:
        taint = first_untolerated(node.spec.taints, pod.spec.tolerations)
        if taint is not None:
            return (
                say("taint {key}={value}", key=taint.key, value=taint.value)
                if taint.value
                else say("taint {key}", key=taint.key)
            )
    wanted = {k: v for k, v in pod.spec.nodeSelector.items() if node.metadata.labels.get(k) != v}
    if wanted and part.reason in SELECTORS:
        key, value = next(iter(wanted.items()))
        return say(
            "wants {label}; the node has {has}",
            label=f"{key}={value}",
            has=node.metadata.labels.get(key) or say("no such label"),
        )
    port = _port(decision, position) if part.reason == PORTS_TAKEN else ""
    where = _where(decision, position) if part.reason in CONFLICTS else ""
    return port or where or _repelled(decision, part, position) or part.reason.removeprefix("node(s) ")


def _repelled(decision: Decision, part: Refusal, position: int) -> str:
    """The first running pod that anti-affinity keeps apart from the pod: its own, or that of the running one."""
    cluster, incoming = decision.cluster, incoming_pod(decision.pod, decision.cluster)
    for key in part.terms if part.reason in (ANTI_AFFINITY, EXISTING_ANTI_AFFINITY) else ():
        domain = cluster.topology(key).domain
        places = np.flatnonzero(domain == domain[position]).tolist()
        for info in (cluster.pods.info(row) for place in places for row in cluster.pods_of(place).tolist()):
            own = (term for term in incoming.terms.anti_affinity if incoming.matches(term, info.signature))
            others = (term for term in info.signature.terms.anti_affinity if incoming.matched_by(term))
            if part.reason == ANTI_AFFINITY and any(term.key == key for term in own):
                return say("it must not share a {key} with {pod}", key=key, pod=info.key)
            if part.reason == EXISTING_ANTI_AFFINITY and any(term.key == key for term in others):
                return say("{pod} must not share a {key} with it", key=key, pod=info.key)
    return ""


def _port(decision: Decision, position: int) -> str:
    """The first host port that is taken, and by which pod."""
    cluster, wanted = decision.cluster, host_ports(decision.pod.pod)
    for row_of_pod in cluster.pods_of(position).tolist():
        info = cluster.pods.info(row_of_pod)
        for port in host_ports(info.pod):
            if any(port.conflicts(other) for other in wanted):
                return say(
                    "{pod} has the host port {port}/{protocol}", pod=info.key, port=port.port, protocol=port.protocol
                )
    return ""


def _where(decision: Decision, position: int) -> str:
    """Where the first bound volume is that the node does not reach, and where the node is."""
    volumes, labels = decision.cluster.volumes, decision.cluster.nodes[position].metadata.labels
    for name, _ in claim_names(decision.pod.pod):
        claim = volumes.claim(decision.pod.pod, name)
        volume = volumes.volumes.get(claim.spec.volumeName) if claim is not None else None
        for key, values in _required(volume) if volume is not None else ():
            if labels.get(key) not in values:
                here = labels.get(key) or say("no such label")
                return say("volume: {where}; node: {here}", where=listed(sorted(values)), here=here)
    return ""


def _required(volume: PersistentVolume) -> list[tuple[str, frozenset[str]]]:
    """The labels that the volume asks of a node, with their values, if it asks for them in one way only."""
    affinity = volume.spec.nodeAffinity
    if affinity is None or affinity.required is None:
        return topologies(volume)
    terms = affinity.required.nodeSelectorTerms
    wanted = terms[0].matchExpressions if len(terms) == 1 else ()
    return [(each.key, frozenset(each.values)) for each in wanted if each.operator == "In"]


def refusing(checks: Sequence[Check]) -> list[Check]:
    """The filters that refuse the node, first the one under which an event counts it."""
    return sorted((check for check in checks if check.refuses), key=lambda check: not check.first) or [checks[0]]


def because(check: Check) -> str:
    """All reasons of this filter."""
    return say("; ").join(check.details) or say("no reason given")


def _refused(node: str, checks: Sequence[Check], evicting: str) -> str:
    """Every filter that refuses the node, with its reason, and whether evicting pods would help, if it is about place.

    Of a taint or a label that goes without saying.
    """
    texts = chain([later("{plugin} refuses {node}: {reason}.")], repeat(later("{plugin} too: {reason}.")))
    refusals = [
        say(text, plugin=check.plugin, node=node, reason=because(check))
        for text, check in zip(texts, refusing(checks), strict=False)
    ]
    return sentences((*refusals, evicting))


def _evicting(decision: Decision, node: str) -> str:
    """Why evicting pods would not help on this node; "" if there is nothing to say."""
    preemption, verdict = decision.preemption, decision.verdict(node)
    position, pods = decision.cluster.index[node], decision.cluster.pods
    if preemption is None or not preemption.eligible:
        return ""
    if verdict.unresolvable:
        lacks = any(reason.startswith(INSUFFICIENT.format(resource="")) for reason in verdict.reasons)
        return say("Evicting pods does not change that.") if lacks else ""
    if any(pods.priority[pod] < decision.pod.priority for pod in decision.cluster.pods_of(position).tolist()):
        return say("Even without its less important pods it would be refused.")
    return say("No pod there is less important, so none may be evicted.")


# -- scores


def _second(decision: Decision) -> list[str]:
    """The best node after the chosen one, if there is another."""
    scores = decision.scores
    if scores is None:
        return []
    names = [decision.cluster.names[n] for n in scores.nodes.tolist()]
    return [names[i] for i in ranking(scores, names, decision.node)[1:2]]


def compared(decision: Decision, was_on: str | None) -> tuple[list[str], tuple[Points, ...]]:
    """The chosen node against the best node with a lower score, and against the running pod's current node.

    Returns their names and each plugin's points; nothing if no node was scored.
    """
    scores = decision.scores
    if scores is None:
        return [], ()
    names = [decision.cluster.names[n] for n in scores.nodes.tolist()]
    order = [names[i] for i in ranking(scores, names, decision.node)]
    best = set(decision.best)
    behind = [name for name in order if name not in best] or order[1:]
    shown = list(dict.fromkeys([order[0], behind[0], *([was_on] if was_on in names else [])]))
    return shown, points(decision, *shown)


def margin(decision: Decision) -> str:
    """The chosen node's lead, and the plugins that give it; "" if no node was scored."""
    names, rows = compared(decision, None)
    if not rows:
        return ""
    *plugins, total = rows
    gains = [f"{row.plugin} {row.lead:+d}" for row in plugins if row.lead]
    best, choice = count(len(decision.best), "node"), decision.tie_break
    tied = say("{best} tie; {choice}.", best=best, choice=choice) if choice else ""
    message = later(
        "They have {points} more than {node}: {gains}." if tied else "It has {points} more than {node}: {gains}."
    )
    lead = count(total.lead, "point")
    more = say(message, points=lead, node=names[1], gains=listed(gains)) if total.lead else ""
    return sentences((tied, more))


def points(decision: Decision, *nodes: str) -> tuple[Points, ...]:
    """Each plugin's points of these nodes, the chosen one first, the total last; none unless two nodes were scored."""
    scores = decision.scores
    if scores is None or len(nodes) < 2:
        return ()
    positions = scores.nodes.tolist()
    places = [positions.index(decision.cluster.index[name]) for name in nodes]
    sums = [*zip(scores.plugins, scores.weights, scores.results, strict=True), (later("total"), 0, scores.total)]
    rows = ((plugin, weight, [int(result[place]) for place in places]) for plugin, weight, result in sums)
    return tuple(Points(plugin, weight, chosen, tuple(others)) for plugin, weight, (chosen, *others) in rows)


def _behind(decision: Decision, node: str, points: tuple[Points, ...]) -> str:
    total = points[-1]
    if not total.lead:
        return say(
            "{node} has the same score as {winner}, {other}. There are {best} best nodes: {how}.",
            node=node,
            winner=decision.node,
            other=total.others[0],
            best=len(decision.best),
            how=decision.tie_break,
        )
    rows = sorted(points[:-1], key=lambda each: -abs(each.lead))
    gains = [f"{each.plugin} {each.lead:+d}" for each in rows if each.lead]
    return say(
        "{node} fits too, but {winner} has {points} more: {gains}.",
        node=node,
        winner=decision.node,
        points=count(total.lead, "point"),
        gains=listing(gains, GAINS),
    )


# -- preemption


def _outclimbed(node: str, winner: str, rules: tuple[RuleResult, ...]) -> str:
    if node == winner:
        return say("{node} is chosen: the pods in its way are evicted.", node=node)
    for rule in rules:
        if rule.applies and node in rule.standing and node not in rule.kept:
            values = say(
                "{winner} has {value}, {node} has {other}",
                winner=winner,
                value=rule.values[winner],
                node=node,
                other=rule.values[node],
            )
            return say(
                "Evicting would help on {node} too. Rule {number} ({rule}) prefers {winner}: {values}.",
                node=node,
                number=rule.number,
                rule=rule.rule,
                winner=winner,
                values=values,
            )
    return say(
        "{node} is as good as {winner} by all {rules}; the scheduler may take either.",
        node=node,
        winner=winner,
        rules=count(len(rules), "rule"),
    )


# -- as a table


def why_not_table(answer: WhyNot) -> Table:
    """The points, rules or filters, one in a row; the one that decides is marked."""
    if answer.points:
        other = answer.node if answer.node != answer.winner else say("the next best")
        head = [say("weighted score"), f"★ {answer.winner}", other, say("difference")]
        rows = [Row([each.title, each.chosen, each.others[0], f"{each.lead:+d}"]) for each in answer.points]
        return Table(head, [*rows[:-1], Row(rows[-1].cells, DECIDES)])
    if answer.rules:
        return Table([say("rule"), f"★ {answer.winner}", answer.node], list(_rungs(answer)))
    return Table([say("filter"), answer.node, say("because")], list(map(_check_row, answer.checks)))


def _rungs(answer: WhyNot) -> Iterator[Row]:
    decided = False
    for step in answer.rules:
        values = [step.values[node] if node in step.standing else "-" for node in (str(answer.winner), answer.node)]
        decides = not decided and step.applies and answer.node not in step.kept
        decided = decided or decides
        yield Row([f"{step.number} {step.rule}", *values], DECIDES if decides else "")


def _check_row(check: Check) -> Row:
    if not check.refuses:
        return Row([check.plugin, say("lets it in"), ""], WEAK)
    refuses = say("✕ refuses it") if check.first else say("✕ would refuse it too")
    return Row([check.plugin, refuses, say("; ").join(check.details)], REFUSES if check.first else "")
