"""Why not this node? One node beside the chosen one, plugin by plugin: filters, scores, or the rules of preemption."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from kschedlab.cluster.labels import first_untolerated
from kschedlab.decision import Decision
from kschedlab.filter.node_ports import host_ports
from kschedlab.filter.plugin import Refusal
from kschedlab.filter.stage import EXCLUDED
from kschedlab.messages import later, say, sentences
from kschedlab.text.html import Html, element, join, visible
from kschedlab.text.ladder import Step, steps
from kschedlab.text.style import DECIDES, GREY
from kschedlab.text.tables import row, table
from kschedlab.text.words import aligned, amount, count, listing, outcome

GAINS = 3
"""Maximum number of plugins named in a sentence."""


class Check(NamedTuple):
    """One filter on the node. ``first``: it is the one that the scheduler asked; ``details``: what is in the way."""

    plugin: str
    refuses: bool
    first: bool = False
    details: tuple[str, ...] = ()


class Points(NamedTuple):
    """One score plugin's weighted points, or the total: of the chosen node and of the other."""

    plugin: str
    weight: int
    chosen: int
    other: int

    @property
    def lead(self) -> int:
        """How far the chosen node is ahead."""
        return self.chosen - self.other


@dataclass(frozen=True)
class WhyNot:
    """The answer: a sentence, and the filters, points or rules that decided.

    ``winner``: the chosen or nominated node, or None. ``checks``: all filters that ran, if the node was refused;
    ``points``: if both nodes were scored, the total last; ``rules``: if both are candidates for preemption.
    """

    node: str
    winner: str | None
    sentence: str
    checks: tuple[Check, ...] = ()
    points: tuple[Points, ...] = ()
    rules: tuple[Step, ...] = ()


def why_not(decision: Decision, node: str) -> WhyNot:
    """Why the pod does not go to that node. KeyError if the cluster has no such node."""
    verdict, winner = decision.verdict(node), decision.node or decision.nominated_node
    verdicts, preemption = decision.verdicts, decision.preemption
    if verdicts is None or verdicts.rejected is not None or decision.error:
        return WhyNot(node, winner, sentences((say("No node was looked at."), outcome(decision))))
    if node == decision.node:
        return WhyNot(
            node,
            winner,
            say("{node} is the chosen node.", node=node),
            points=_points(decision, node, _second(decision)),
        )
    if verdict.passes:
        points = _points(decision, str(winner), node)
        return WhyNot(node, winner, _behind(decision, node, points), points=points)
    checks = _checks(decision, node)
    if preemption is not None and node in preemption.candidates and winner is not None:
        rules = tuple(steps(preemption, [winner, node]))
        return WhyNot(node, winner, _outclimbed(node, winner, rules), checks, rules=rules if node != winner else ())
    return WhyNot(node, winner, _refused(decision, node, checks), checks)


# -- filters


def _checks(decision: Decision, node: str) -> tuple[Check, ...]:
    """Every filter that ran; one that runs twice, with nominated pods and without, counts once."""
    verdicts, position = decision.verdicts, decision.cluster.index[node]
    assert verdicts is not None
    found: dict[str, Check] = {}
    if int(verdicts.refused_by[position]) == EXCLUDED:
        names = listing(verdicts.excluded_by)
        found["PreFilter"] = Check("PreFilter", True, True, (say("{names} names other nodes", names=names),))
    for plugin, refused in zip(verdicts.plugins, verdicts.refusals, strict=True):
        parts = [part for part in refused.parts if part.mask[position]] if refused is not None else []
        if parts or plugin not in found:
            details = tuple(_detail(decision, plugin, part, position) for part in parts)
            found[plugin] = Check(plugin, bool(parts), plugin == verdicts.plugin(position), details)
    return tuple(found.values())


def _detail(decision: Decision, plugin: str, part: Refusal, position: int) -> str:
    """What is in the way, with its numbers and names."""
    pod, node = decision.pod.pod, decision.cluster.nodes[position]
    reason = part.reason.removeprefix("node(s) ")
    if {"requested", "used", "allocatable"} <= part.terms.keys() and reason.startswith("Insufficient "):
        resource = reason.removeprefix("Insufficient ")
        used, allocatable = (int(part.terms[name][position]) for name in ("used", "allocatable"))  # type: ignore[index]
        asked = amount(resource, decision.pod.request.get(resource, 0))
        return say("asks for {asked}, {free} is free", asked=asked, free=amount(resource, max(allocatable - used, 0)))
    if plugin == "NodeUnschedulable":
        return say("cordoned")
    if "taint" in reason:
        taint = first_untolerated(node.spec.taints, pod.spec.tolerations)
        if taint is not None:
            return (
                say("taint {key}={value}", key=taint.key, value=taint.value)
                if taint.value
                else say("taint {key}", key=taint.key)
            )
    wanted = {k: v for k, v in pod.spec.nodeSelector.items() if node.metadata.labels.get(k) != v}
    if (
        wanted
        and ("selector" in reason or "affinity" in reason)
        and "pod " not in reason
        and "Persistent" not in reason
    ):
        key, value = next(iter(wanted.items()))
        return say(
            "wants {label}, the node has {has}",
            label=f"{key}={value}",
            has=node.metadata.labels.get(key) or say("no such label"),
        )
    if "free ports" in reason:
        return _port(decision, position) or reason
    return reason


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


def _refused(decision: Decision, node: str, checks: tuple[Check, ...]) -> str:
    first = next((check for check in checks if check.first), checks[0])
    said = say(
        "{plugin} refuses {node}: {reason}.",
        plugin=first.plugin,
        node=node,
        reason=say("; ").join(first.details) or say("no reason given"),
    )
    if later := [check.plugin for check in checks if check.refuses and not check.first]:
        said = sentences((said, say("{plugins} would refuse it too.", plugins=listing(later))))
    preemption = decision.preemption
    if preemption is None or not preemption.eligible:
        return said
    if decision.verdict(node).unresolvable:
        return sentences((said, say("Evicting pods does not change that.")))
    position, pods = decision.cluster.index[node], decision.cluster.pods
    if any(pods.priority[pod] < decision.pod.priority for pod in decision.cluster.pods_of(position).tolist()):
        return sentences((said, say("Even without its less important pods it would be refused.")))
    return sentences((said, say("No pod there is less important, so none may be evicted.")))


# -- scores


def _second(decision: Decision) -> str:
    """The best node after the chosen one; "" if there is no other."""
    scores = decision.scores
    if scores is None or len(scores.nodes) < 2:
        return ""
    names = [decision.cluster.names[n] for n in scores.nodes.tolist()]
    others = [i for i, name in enumerate(names) if name != decision.node]
    return names[min(others, key=lambda i: (-int(scores.total[i]), names[i]))]


def _points(decision: Decision, chosen: str, other: str) -> tuple[Points, ...]:
    scores = decision.scores
    if scores is None or not other:
        return ()
    places = scores.nodes.tolist()
    a, b = (places.index(decision.cluster.index[name]) for name in (chosen, other))
    rows = [
        Points(plugin, weight, int(result[a]), int(result[b]))
        for plugin, weight, result in zip(scores.plugins, scores.weights, scores.results, strict=True)
    ]
    return (*rows, Points(later("total"), 1, int(scores.total[a]), int(scores.total[b])))


def _behind(decision: Decision, node: str, points: tuple[Points, ...]) -> str:
    total = points[-1]
    if not total.lead:
        best = len(decision.best)
        return say(
            "{node} has the same score as {winner}, {other}; one of the {best} best nodes is taken.",
            node=node,
            winner=decision.node,
            other=total.other,
            best=best,
        )
    rows = sorted(points[:-1], key=lambda each: -abs(each.lead))
    gains = [f"{each.plugin} {-each.lead:+d}" for each in rows if each.lead]
    return say(
        "{node} fits too, but has {other} of {chosen} points: {gains}.",
        node=node,
        other=total.other,
        chosen=total.chosen,
        gains=listing(gains, GAINS),
    )


# -- preemption


def _outclimbed(node: str, winner: str, rules: tuple[Step, ...]) -> str:
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


# -- as a table and as text


def why_not_rows(found: WhyNot) -> list[list[str]]:
    """The heading, then a row for each plugin or rule."""
    if found.points:
        rows = [[f"{p.plugin} ×{p.weight}", str(p.chosen), str(p.other), f"{-p.lead:+d}"] for p in found.points[:-1]]
        total = found.points[-1]
        other = found.node if found.node != found.winner else say("the next best")
        head = [say("weighted score"), f"★ {found.winner}", other, say("difference")]
        return [head, *rows, [say("total"), str(total.chosen), str(total.other), f"{-total.lead:+d}"]]
    if found.rules:
        rows = [[f"{r.number} {r.rule}", *(_value(r, n) for n in (str(found.winner), found.node))] for r in found.rules]
        return [[say("rule"), f"★ {found.winner}", found.node], *rows]
    rows = [[c.plugin, _said(c), say("; ").join(c.details)] for c in found.checks]
    return [[say("filter"), found.node, say("because")], *rows] if rows else []


def _value(rule: Step, node: str) -> str:
    return rule.values[node] if node in rule.standing else "-"


def _said(check: Check) -> str:
    if not check.refuses:
        return say("lets it in")
    return say("✕ refuses it") if check.first else say("✕ would refuse it too")


def why_not_table(found: WhyNot) -> Html:
    """The answer as a table; what decides is marked."""
    rows = why_not_rows(found)
    if not rows:
        return Html()
    decides = next((i for i, c in enumerate(found.checks) if c.first), -1) if not found.points else len(rows) - 2
    if found.rules:
        decides = next((i for i, r in enumerate(found.rules) if r.applies and found.node not in r.kept), -1)
    written = (
        row(*cells, style=DECIDES if i == decides else GREY if cells[1] == say("lets it in") else "")
        for i, cells in enumerate(rows[1:])
    )
    return join([element("p", element("b", say("Why not {node}?", node=found.node))), table(rows[0], written)])


def why_not_text(found: WhyNot) -> list[str]:
    """The answer as lines of text."""
    rows = why_not_rows(found)
    return [
        say("Why not {node}? {sentence}", node=found.node, sentence=found.sentence),
        *(map(visible, aligned(rows)) if rows else []),
    ]
