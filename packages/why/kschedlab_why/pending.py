"""All pending pods, grouped by what they wait for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from kschedlab.decision import Decision
from kschedlab.explanation import each_pending
from kschedlab.objects.model import Pod
from kschedlab.text.sections import Names, Part, Row, Section, Table
from kschedlab.text.words import count, human_duration, listing
from kschedlab.whatif import what_if
from kschedlab_why.answer import (
    BOUND,
    ENDING,
    FINISHED,
    GATED,
    OTHERS,
    Setting,
    about,
    enlarged,
    situation_of,
)
from kschedlab_why.text import CHANGE, KIND_ORDER, changes, refused_table, setting_sections

ASKED, OBSTACLES = 6, 4
"""Without ``--all``: how many groups learn what would help them, and how many obstacles of a group are shown."""
OVERVIEW = 3
"""With more causes than these, a table of all comes first."""
FITS, EVICTS, REFUSED, UNDECIDED = "fits", "evicts", "refused", "undecided"


@dataclass(eq=False)
class PendingCause:
    """Pods that wait for the same thing. ``decision``: the first pod's, if it has one."""

    kind: str
    text: str
    decision: Decision | None = None
    pods: list[Pod] = field(default_factory=list)
    nodes: list[str] = field(default_factory=list)


@dataclass(eq=False)
class PendingCauses:
    """The causes: those that need someone to act first, then by number of pods."""

    setting: Setting
    causes: list[PendingCause]
    namespace: str

    @property
    def pods(self) -> int:
        """The number of pods that wait."""
        return sum(len(cause.pods) for cause in self.causes)


def sorted_out(setting: Setting, namespace: str = "", like: Sequence[str] = ()) -> PendingCauses:
    """Decide about all pending pods in queue order, each with those before it in place, and group them.

    ``namespace``: only its pods are reported, if it is not "". ``like``: names of nodes to duplicate. KeyError.
    """
    causes: dict[tuple[str, str], PendingCause] = {}

    def put(kind: str, text: str, pod: Pod, decision: Decision | None = None) -> None:
        if not namespace or pod.metadata.namespace == namespace:
            cause = causes.setdefault((kind, text), PendingCause(kind, text, decision))
            cause.pods.append(pod)
            if decision is not None and (node := decision.node or _nominated(decision, pod)):
                cause.nodes.append(node)

    for pod in setting.reading.objects.pods:
        situation = situation_of(pod, setting.profiles)
        if situation == OTHERS:
            put(OTHERS, f"another scheduler's, {pod.spec.schedulerName}", pod)
        elif situation == ENDING:
            put(ENDING, "deleted before it got a node", pod)
        elif situation == GATED:
            gates = listing(sorted(gate.name for gate in pod.spec.schedulingGates))
            put(GATED, f"gated by {gates}", pod)
        elif setting.cluster is None and situation not in (BOUND, FINISHED):
            put(UNDECIDED, "undecided, because nodes are not readable", pod)
    if setting.cluster is not None:
        cluster = setting.cluster
        if like:
            cluster, setting.added = enlarged(cluster, like)
        waiting = (pod for pod in setting.reading.objects.pods if not pod.spec.nodeName)
        hidden = {pod.key for pod in waiting if setting.reading.hides(pod)}
        for info, decision in each_pending(cluster, setting.profiles):
            if info.key in hidden:
                put(UNDECIDED, "undecided, because its volumes or claims are not readable", info.pod)
            elif decision is not None and not decision.gates:
                put(*_cause(decision, info.pod.status.nominatedNodeName), info.pod, decision)
    return PendingCauses(
        setting,
        sorted(causes.values(), key=lambda cause: (cause.kind != REFUSED, -len(cause.pods), cause.text)),
        namespace,
    )


def _nominated(decision: Decision, pod: Pod) -> str:
    return decision.nominated_node or pod.status.nominatedNodeName


def _cause(decision: Decision, nominated: str) -> tuple[str, str]:
    if decision.error:
        return UNDECIDED, f"the decision fails: {decision.error}"
    if decision.node is not None:
        return FITS, "there is room now, and the next attempt should find it"
    if decision.nominated_node is not None:
        return EVICTS, "no node has room, but pods of lower priority may be evicted"
    if nominated in decision.cluster.index:
        return EVICTS, "room is being made: the evicted pods have not ended yet"
    if decision.verdicts is not None and decision.verdicts.rejected is not None:
        return REFUSED, f"no node is looked at: {'; '.join(decision.verdicts.rejected.reasons)}"
    if not decision.cluster.nodes:
        return REFUSED, "the cluster has no nodes"
    return REFUSED, f"no node fits: {', '.join(sorted(decision.reasons()))}"


def pending_sections(waiting: PendingCauses, at: int, all: bool) -> Iterator[Section]:
    """How many pods wait, then the groups. ``at``: the time now; ``all``: every obstacle, and what helps each group."""
    setting = waiting.setting
    where = f" in namespace {waiting.namespace}" if waiting.namespace else ""
    more = f", with {count(len(setting.added), 'more node')} ({listing(setting.added, 3)})" if setting.added else ""
    rows = [Row([len(cause.pods), cause.text]) for cause in waiting.causes]
    yield Section(
        f"{count(waiting.pods, 'pending pod')}{where}{more}." if waiting.pods else f"No pod is pending{where}.",
        [Table(["pods", "because"], rows)] if len(rows) > OVERVIEW else [],
    )
    for number, cause in enumerate(waiting.causes):
        yield _cause_section(waiting, cause, at, all, helps=all or number < ASKED)
    yield from setting_sections(setting, all)


def _cause_section(waiting: PendingCauses, cause: PendingCause, at: int, all: bool, helps: bool) -> Section:
    parts: list[Part] = [Names([pod.key for pod in cause.pods])]
    since = [pod.metadata.creationTimestamp for pod in cause.pods if pod.metadata.creationTimestamp is not None]
    if since:
        parts.append(f"The oldest has waited for {human_duration(at - min(since))}.")
    if cause.kind in (FITS, EVICTS):
        parts.append(Names(list(dict.fromkeys(cause.nodes)), "On " if cause.kind == FITS else "Eviction on "))
    if cause.kind == REFUSED and cause.decision is not None:
        table = refused_table(cause.decision, None if all else OBSTACLES)
        name = cause.pods[0].metadata.name
        if table.rows:
            parts += [f"In the way of {name}:", table] if len(cause.pods) > 1 else [table]
        if rows := _helps(waiting, cause.decision) if helps else []:
            parts.append(f"What would help{f' {name}' if len(cause.pods) > 1 else ''}:")
            parts.append(Table(CHANGE, rows))
    return Section(f"{count(len(cause.pods), 'pod')}: {cause.text}", parts)


def _helps(waiting: PendingCauses, decision: Decision) -> list[Row]:
    """The first change of each kind that would help the pod, with the pods before it in place."""
    first: dict[str, Row] = {}
    for kind, row in changes(what_if(decision.pod.key, decision.cluster, waiting.setting.profiles)):
        first.setdefault(kind, row)
    return [first[kind] for kind in KIND_ORDER if kind in first and kind != "eviction"]


def pending_data(waiting: PendingCauses) -> dict[str, Any]:
    """The groups as plain data."""
    causes = [
        {"cause": cause.text, "kind": cause.kind, "pods": [pod.key for pod in cause.pods]} for cause in waiting.causes
    ]
    return {"pending": waiting.pods, "causes": causes, "added": list(waiting.setting.added)} | about(waiting.setting)
