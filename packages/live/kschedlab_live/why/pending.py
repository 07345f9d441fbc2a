"""All pending pods, grouped by what they wait for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from kschedlab.decision import Decision
from kschedlab.explanation import each_pending
from kschedlab.objects.model import Pod
from kschedlab.text.words import count, listing
from kschedlab.whatif import what_if
from kschedlab_live.why.answer import (
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
from kschedlab_live.why.page import Page
from kschedlab_live.why.refused import groups, nodes_words
from kschedlab_live.why.text import KIND_ORDER, changes, page_end
from kschedlab_simulation.kubectl import human_duration

ASKED = 6
"""For how many groups it is asked what would help."""
FITS, EVICTS, REFUSED, UNDECIDED = "fits", "evicts", "refused", "undecided"


@dataclass(eq=False)
class Cause:
    """Pods that wait for the same. ``decision``: that of the first pod, if there is one."""

    kind: str
    text: str
    decision: Decision | None = None
    pods: list[Pod] = field(default_factory=list)
    nodes: list[str] = field(default_factory=list)


@dataclass(eq=False)
class Sorted:
    """The causes: what needs somebody first, and then those of most pods."""

    setting: Setting
    causes: list[Cause]
    namespace: str

    @property
    def pods(self) -> int:
        """How many pods wait."""
        return sum(len(cause.pods) for cause in self.causes)


def sorted_out(setting: Setting, namespace: str, like: Sequence[str] = ()) -> Sorted:
    """Decide about all pending pods in queue order, each with those before it in place, and group them.

    ``namespace``: only its pods are reported, if it is not "". ``like``: nodes of which there is one more. KeyError.
    """
    causes: dict[tuple[str, str], Cause] = {}

    def put(kind: str, text: str, pod: Pod, decision: Decision | None = None) -> None:
        if not namespace or pod.metadata.namespace == namespace:
            cause = causes.setdefault((kind, text), Cause(kind, text, decision))
            cause.pods.append(pod)
            if decision is not None and (node := decision.node or decision.nominated_node):
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
                put(*_cause(decision), info.pod, decision)
    return Sorted(
        setting,
        sorted(causes.values(), key=lambda cause: (cause.kind != REFUSED, -len(cause.pods), cause.text)),
        namespace,
    )


def _cause(decision: Decision) -> tuple[str, str]:
    if decision.error:
        return UNDECIDED, f"the decision fails: {decision.error}"
    if decision.node is not None:
        return FITS, "there is room now, and the next attempt should find it"
    if decision.nominated_node is not None:
        return EVICTS, "no node has room, but pods of lower priority may be evicted"
    if decision.verdicts is not None and decision.verdicts.rejected is not None:
        return REFUSED, f"no node is looked at: {'; '.join(decision.verdicts.rejected.reasons)}"
    if not decision.cluster.nodes:
        return REFUSED, "the cluster has no nodes"
    return REFUSED, f"no node fits: {', '.join(sorted(decision.reasons('excluded by PreFilter')))}"


def _helps(found: Sorted, cause: Cause) -> list[str]:
    """The first change of each kind that would help the first pod."""
    cluster = found.setting.cluster
    if cluster is None or cause.kind != REFUSED:
        return []
    first: dict[str, str] = {}
    for kind, text in changes(what_if(cause.pods[0].key, cluster, found.setting.profiles)):
        first.setdefault(kind, text)
    return [first[kind] for kind in KIND_ORDER if kind in first and kind != "eviction"]


def pending_page(found: Sorted, page: Page, at: int) -> None:
    """Write the groups. ``at``: the time now."""
    setting = found.setting
    where = f" in namespace {found.namespace}" if found.namespace else ""
    more = f", with {count(len(setting.added), 'node')} more ({listing(setting.added, 3)})" if setting.added else ""
    page.say(f"{count(found.pods, 'pending pod')}{where}{more}." if found.pods else f"No pod is pending{where}.")
    for number, cause in enumerate(found.causes):
        _cause_lines(found, cause, page, at, asks=page.all or number < ASKED)
    page_end(setting, page)


def _cause_lines(found: Sorted, cause: Cause, page: Page, at: int, asks: bool) -> None:
    page.lines.append("")
    page.say(cause.text, 0, f"{count(len(cause.pods), 'pod')}: ")
    page.names([pod.key for pod in cause.pods], 2)
    since = [pod.metadata.creationTimestamp for pod in cause.pods if pod.metadata.creationTimestamp is not None]
    if since:
        page.say(f"The oldest has waited for {human_duration(at - min(since))}.", 2)
    if cause.kind in (FITS, EVICTS):
        verb = "On" if cause.kind == FITS else "Eviction on"
        page.say(f"{verb} {listing(list(dict.fromkeys(cause.nodes)), 4)}.", 2)
    if cause.kind == REFUSED and cause.decision is not None:
        if len(cause.pods) > 1:
            page.say(f"In the way of {cause.pods[0].metadata.name}:", 2)
        for group in groups(cause.decision)[: None if page.all else 4]:
            page.say(group.obstacle, 4, f"{nodes_words(group)}: ")
        helps = _helps(found, cause) if asks else []
        if helps:
            page.say(f"What would help{f' {cause.pods[0].metadata.name}' if len(cause.pods) > 1 else ''}:", 2)
        for text in helps:
            page.say(text, 4, "- ")


def pending_data(found: Sorted) -> dict[str, Any]:
    """The groups as plain data."""
    causes = [
        {"cause": cause.text, "kind": cause.kind, "pods": [pod.key for pod in cause.pods]} for cause in found.causes
    ]
    return {"pending": found.pods, "causes": causes, "added": list(found.setting.added)} | about(found.setting)
