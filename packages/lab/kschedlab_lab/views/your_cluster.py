"""A whole cluster in tables: why a pod goes to its node or is pending, by pool, and its victims."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.pools import pools
from kschedlab.decision import Decision
from kschedlab.messages import later, listed, say, terms
from kschedlab.preemption.evidence import Preemption
from kschedlab.text.ladder import ladder_table
from kschedlab.text.preemption import candidates_table
from kschedlab.text.sections import DECIDES, Limits, Row, Section, Table
from kschedlab.text.words import count, listing
from kschedlab_why.why_not import compared


def by_pool(cluster: Cluster, names: Sequence[str]) -> str:
    """ "general 95, spot 20": the pools of these nodes."""
    wanted = {cluster.index[name] for name in names}
    shares = {pool: len(wanted.intersection(places)) for pool, places in pools(cluster).items()}
    return listed(f"{pool} {number}" for pool, number in shares.items() if number)


# -- why pending


def refusal_rows(decision: Decision) -> list[list[str]]:
    """Refused nodes grouped by plugin and reasons, with their pools."""
    rows, preemption = [], decision.preemption
    tried = preemption is not None and preemption.run is not None and not len(preemption.positions)
    for refusal in decision.refusals():
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
        pools_of = by_pool(decision.cluster, refusal.nodes)
        rows.append([str(len(refusal.nodes)), refusal.plugin, reasons, pools_of, evicting])
    return rows


REFUSAL_HEAD = (later("nodes"), later("plugin"), later("reasons"), later("pools"), later("evicting"))


# -- why there


def why_sections(decision: Decision, was_on: str | None) -> Iterator[Section]:
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
    if refused := refusal_rows(decision):
        yield Section("", [Table(terms(*REFUSAL_HEAD), [Row(cells) for cells in refused])])


def whom_sections(preemption: Preemption, limits: Limits) -> Iterator[Section]:
    """The victims on the candidates that survived most rules, and how the scheduler chooses one."""
    number = count(len(preemption.positions), "candidate")
    title = say("{found}, of which these came furthest:", found=number)
    yield Section(title, [candidates_table(preemption, limits), ladder_table(preemption, limits.rungs)])
