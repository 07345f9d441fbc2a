"""A whole cluster in tables: its pools, why a pod goes to its node or is pending, by pool, and its victims."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.pools import pools
from kschedlab.decision import Decision
from kschedlab.messages import later, listed, say, sentences, terms
from kschedlab.objects.model import Node
from kschedlab.preemption.stage import Preemption
from kschedlab.text.html import Html, element, join, visible
from kschedlab.text.ladder import columns, ladder_text
from kschedlab.text.plain import CANDIDATES, candidates_clock, fates, ranking
from kschedlab.text.style import DECIDES, MONO
from kschedlab.text.tables import row, table
from kschedlab.text.whatif import whatif_lines
from kschedlab.text.words import aligned, broken, count, listing, refusals
from kschedlab.whatif.answers import WhatIf


def pool_rows(cluster: Cluster, label: str = "") -> list[list[str]]:
    """For each pool: name, number of nodes, their taints, requested share of cpu and memory, number of pods."""
    rows = []
    for name, places in pools(cluster, label).items():
        taints = Counter(taint for place in places for taint in _taints(cluster.nodes[place]))
        described = [f"{taint} ({number})" if number < len(places) else taint for taint, number in taints.items()]
        shares = []
        for resource in ("cpu", "memory"):
            line = cluster.resources[resource]
            room = int(cluster.allocatable[line, places].sum())
            share = 100 * int(cluster.requested[line, places].sum()) // max(room, 1)
            shares.append(say("{share} %", share=share))
        running = str(int(cluster.pods_on[places].sum()))
        rows.append([name, str(len(places)), listing(described, 3) or say("none"), *shares, running])
    return rows


POOL_HEAD = (
    later("pool"),
    later("nodes"),
    later("taints"),
    later("cpu asked for"),
    later("memory asked for"),
    later("pods"),
)


def _taints(node: Node) -> list[str]:
    return list(dict.fromkeys(f"{t.key}={t.value}" if t.value else t.key for t in node.spec.taints))


class Overview:
    """The pools of a cluster as a table."""

    def __init__(self, cluster: Cluster) -> None:
        self.rows = pool_rows(cluster)

    def __repr__(self) -> str:
        return "\n".join(map(visible, aligned([terms(*POOL_HEAD), *self.rows], "")))

    def _repr_html_(self) -> str:
        return str(table(terms(*POOL_HEAD), (row(*each) for each in self.rows)))


class Event:
    """A decision's FailedScheduling message, as kubectl describe pod shows it."""

    def __init__(self, decision: Decision) -> None:
        self.pod, self.message = decision.pod.key, decision.event

    def __repr__(self) -> str:
        return "\n".join(map(visible, [say("Events of {pod}:", pod=self.pod), *broken(self.message, 120)]))

    def _repr_html_(self) -> str:
        return str(
            join(
                [
                    element("p", say("Events of {pod}:", pod=self.pod)),
                    element("p", element("code", self.message, style=MONO)),
                ]
            )
        )


class Waiting:
    """Waiting pods with the first change of each kind that would help: (pod, now, changes)."""

    def __init__(self, found: Iterable[WhatIf]) -> None:
        self.rows = [[each.decision.pod.key, _now(each.decision), _helps(each)] for each in found]

    def __repr__(self) -> str:
        return "\n".join(map(visible, aligned([terms(*WAITING_HEAD), *self.rows], "")))

    def _repr_html_(self) -> str:
        return str(table(terms(*WAITING_HEAD), (row(*each) for each in self.rows)))


WAITING_HEAD = (later("pod"), later("now"), later("what would help"))


def _now(decision: Decision) -> str:
    if decision.node is not None:
        return say("fits: {node}", node=decision.node)
    if decision.nominated_node is not None:
        return say("preempts on {node}", node=decision.nominated_node)
    return say("waits for its gates") if decision.gates else say("fits nowhere")


def _helps(found: WhatIf) -> str:
    if found.decision.node is not None:
        return say("nothing is needed")
    first: dict[str, str] = {}
    for line in whatif_lines(found):
        first.setdefault(line.what, line.change)
    return say("; ").join(change for what, change in first.items() if what != "eviction") or say(
        "nothing that was tried"
    )


def by_pool(cluster: Cluster, names: Sequence[str], label: str = "") -> str:
    """ "general 95, spot 20": the pools of these nodes."""
    wanted = {cluster.index[name] for name in names}
    shares = {pool: len(wanted.intersection(places)) for pool, places in pools(cluster, label).items()}
    return listed(f"{pool} {number}" for pool, number in shares.items() if number)


# -- why pending


def refusal_rows(decision: Decision, label: str = "") -> list[list[str]]:
    """Refused nodes grouped by plugin and reasons, with their pools."""
    rows, preemption = [], decision.preemption
    tried = preemption is not None and preemption.run is not None and not len(preemption.positions)
    for refusal in refusals(decision):
        also = [
            say(
                "also refused by {plugins}",
                plugins=listing([f"{plugin} ({nodes:,})" for plugin, nodes in refusal.also]),
            )
        ]
        reasons = say("; ").join([*refusal.reasons, *(also if refusal.also else [])])
        evicting = (
            say("does not help") if refusal.unresolvable else say("tried: no victims") if tried else say("may help")
        )
        pools_of = by_pool(decision.cluster, refusal.nodes, label)
        rows.append([str(len(refusal.nodes)), refusal.plugin, reasons, pools_of, evicting])
    return rows


REFUSAL_HEAD = (later("nodes"), later("plugin"), later("reasons"), later("pools"), later("evicting"))


# -- why there


class Compared(NamedTuple):
    """One plugin's weighted scores: of the chosen node, and of each node compared with it."""

    plugin: str
    chosen: int
    others: tuple[int, ...]


def compared(decision: Decision, was_on: str | None) -> tuple[list[str], list[Compared]]:
    """The chosen node against the best node with a lower score, and against the running pod's current node.

    Returns their names and each plugin's scores; empty lists if no node was scored.
    """
    scores = decision.scores
    if scores is None:
        return [], []
    names = [decision.cluster.names[n] for n in scores.nodes.tolist()]
    order = [names[i] for i in ranking(scores, names, decision.node)]
    best = set(decision.best)
    behind = [name for name in order if name not in best] or order[1:]
    shown = list(dict.fromkeys([order[0], behind[0], *([was_on] if was_on in names else [])]))
    columns = [names.index(name) for name in shown]
    lines = [
        Compared(f"{plugin} ×{weight}", int(result[columns[0]]), tuple(int(result[i]) for i in columns[1:]))
        for plugin, weight, result in zip(scores.plugins, scores.weights, scores.results, strict=True)
    ]
    total = scores.total
    return shown, [*lines, Compared(say("total"), int(total[columns[0]]), tuple(int(total[i]) for i in columns[1:]))]


def margin(decision: Decision) -> str:
    """The chosen node's lead, and the plugins that give it; "" if no node was scored."""
    names, lines = compared(decision, None)
    if not lines:
        return ""
    by = lines[-1].chosen - lines[-1].others[0]
    gains = [f"{each.plugin} {each.chosen - each.others[0]:+d}" for each in lines[:-1] if each.chosen != each.others[0]]
    drawn = say("One of the best is drawn.") if len(decision.best) > 1 else ""
    lead = say("It is {by} ahead of {node}: {gains}.", by=by, node=names[1], gains=listed(gains)) if by else ""
    return sentences((drawn, lead))


def again(decision: Decision, was_on: str | None) -> str:
    """Whether a running pod would land on its node again; "" for a pending pod."""
    if was_on is None or decision.node is None:
        return ""
    if was_on in decision.best:
        one = len(decision.best) == 1
        return say(
            "So it would land on the node where it runs." if one else "So it may land on the node where it runs."
        )
    verdict = decision.verdict(was_on)
    if verdict.plugin is not None:
        return say("The node where it runs is refused now, by {plugin}.", plugin=verdict.plugin)
    names, lines = compared(decision, was_on)
    return say(
        "The node where it runs is {points} behind.",
        points=lines[-1].chosen - lines[-1].others[names.index(was_on) - 1],
    )


def score_head(names: Sequence[str], was_on: str | None) -> list[str]:
    """Headings of :func:`score_rows`: the plugin, the chosen node, the others with the difference to them."""
    marked = [say("{name} (it runs here)", name=name) if name == was_on else name for name in names]
    return [
        say("weighted score"),
        f"★ {marked[0]}",
        *(part for name in marked[1:] for part in (name, say("difference"))),
    ]


def score_rows(lines: Sequence[Compared]) -> Iterator[list[str]]:
    """Rows with a plugin's score of the chosen node, and of the others with the difference to them."""
    for each in lines:
        pairs = ((str(other), f"{each.chosen - other:+d}") for other in each.others)
        yield [each.plugin, str(each.chosen), *(cell for pair in pairs for cell in pair)]


# -- both


def why_table(decision: Decision, was_on: str | None, label: str = "") -> Html:
    """Why the pod goes to its node, or why it is pending."""
    names, lines = compared(decision, was_on)
    parts: list[Html] = []
    if lines:
        rows = list(score_rows(lines))
        parts.append(table(score_head(names, was_on), (row(*r, style=DECIDES if r is rows[-1] else "") for r in rows)))
    if event := decision.event:
        parts.append(element("p", element("b", say("Event: ")), element("code", event, style=MONO)))
    if found := refusal_rows(decision, label):
        parts.append(table(terms(*REFUSAL_HEAD), (row(*each) for each in found)))
    return join(parts)


def why_text(decision: Decision, was_on: str | None, label: str = "") -> list[str]:
    """The same as :func:`why_table`, as lines of text."""
    names, lines = compared(decision, was_on)
    said = aligned([score_head(names, was_on), *score_rows(lines)], "") if lines else []
    if event := decision.event:
        said += ["", *broken(say("Event: {event}", event=event), 120)]
    if found := refusal_rows(decision, label):
        said += ["", *aligned([terms(*REFUSAL_HEAD), *found], "")]
    return said


def whom_text(preemption: Preemption) -> list[str]:
    """The victims on the candidates that survived most rules, and how the scheduler chooses one, as lines of text."""
    nodes = columns(preemption, CANDIDATES)
    moment = candidates_clock(preemption, nodes)
    rows = [terms("node", "violations", "evicts", "keeps")]
    for node in nodes:
        evicts, keeps = fates(preemption.candidates[node], moment)
        rows.append([node, str(preemption.candidates[node].violations), listing(evicts, 3), listing(keeps, 1) or "-"])
    found = count(len(preemption.positions), "candidate")
    return [say("{found}, of which these came furthest:", found=found), *aligned(rows), *ladder_text(preemption)]
