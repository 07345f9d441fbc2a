"""A whole cluster in tables: its pools, why a pod goes to its node or is pending, by pool, and its victims."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.pools import pools
from kschedlab.decision import Decision
from kschedlab.messages import later, listed, say, terms
from kschedlab.objects.model import Node
from kschedlab.preemption.stage import Preemption
from kschedlab.shown import Shown
from kschedlab.text.decision import candidates_table
from kschedlab.text.ladder import ladder_table
from kschedlab.text.sections import DECIDES, Limits, Row, Section, Table
from kschedlab.text.whatif import whatif_lines
from kschedlab.text.why_not import compared
from kschedlab.text.words import count, listing, refusals
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


class Overview(Shown):
    """The pools of a cluster as a table."""

    def __init__(self, cluster: Cluster) -> None:
        self.rows = pool_rows(cluster)

    def sections(self, limits: Limits) -> Iterator[Section]:
        yield Section("", [Table(terms(*POOL_HEAD), [Row(cells) for cells in self.rows])])


class Event(Shown):
    """A decision's FailedScheduling message, as kubectl describe pod shows it."""

    def __init__(self, decision: Decision) -> None:
        self.pod, self.message = decision.pod.key, decision.event

    def sections(self, limits: Limits) -> Iterator[Section]:
        yield Section(say("Events of {pod}:", pod=self.pod), [self.message])


class Waiting(Shown):
    """Waiting pods with the first change of each kind that would help: (pod, now, changes)."""

    def __init__(self, answers: Iterable[WhatIf]) -> None:
        self.rows = [[each.decision.pod.key, _now(each.decision), _helps(each)] for each in answers]

    def sections(self, limits: Limits) -> Iterator[Section]:
        yield Section("", [Table(terms(*WAITING_HEAD), [Row(cells) for cells in self.rows])])


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


def why_sections(decision: Decision, was_on: str | None, label: str = "") -> Iterator[Section]:
    """Why the pod goes to its node, or why it is pending."""
    names, points = compared(decision, was_on)
    if points:
        marked = [say("{name} (it runs here)", name=name) if name == was_on else name for name in names]
        others = [part for name in marked[1:] for part in (name, say("difference"))]
        rows = []
        for each in points:
            pairs = [part for other in each.others for part in (other, f"{each.chosen - other:+d}")]
            rows.append(Row([each.title, each.chosen, *pairs], DECIDES if each is points[-1] else ""))
        yield Section("", [Table([say("weighted score"), f"★ {marked[0]}", *others], rows)])
    if event := decision.event:
        yield Section(say("Event"), [event])
    if refused := refusal_rows(decision, label):
        yield Section("", [Table(terms(*REFUSAL_HEAD), [Row(cells) for cells in refused])])


def whom_sections(preemption: Preemption, limits: Limits) -> Iterator[Section]:
    """The victims on the candidates that survived most rules, and how the scheduler chooses one."""
    number = count(len(preemption.positions), "candidate")
    title = say("{found}, of which these came furthest:", found=number)
    yield Section(title, [candidates_table(preemption, limits), ladder_table(preemption, limits.rungs)])
