"""Beside the cluster's scheduler: each of its decisions as the watch brings it, and whether we decide alike.

A watch shows bindings, not decisions: two of them may arrive in the other order, and a node's change on another
stream. So a decision that looks different is judged again for a moment, with what arrives after it and without what
arrived just before it.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.pods import PodInfo
from kschedlab.decision import Decision
from kschedlab.filter.stage import nodes_to_find
from kschedlab.generations import Generation
from kschedlab.objects.model import Node, Pod, PodDisruptionBudget
from kschedlab.scheduler import Scheduler
from kschedlab.text.preemption import evicted
from kschedlab.text.words import count
from kschedlab_why.answer import failed
from kschedlab_why.why_not import why_not

WINDOW = 1.5
"""Seconds for which a different decision is judged again, and for which a binding counts as recent."""
PAUSE = 0.1
"""Seconds between two such judgements."""
RECENT = 6
"""The number of bindings before and after it that may have arrived in another order."""
ALIKE, TIE, OTHERWISE, SAMPLED, APART = "alike", "tie", "otherwise", "sampled", "not compared"


@dataclass(frozen=True)
class Verdict:
    """One decision of the cluster's scheduler. ``did``: what it did; ``kind``: how it compares; ``why``: in words."""

    pod: str
    did: str
    kind: str
    why: str


@dataclass(frozen=True, eq=False)
class _Held:
    """A decision that looks different, until ``until``. ``earlier``, ``later``: the bindings just before and after."""

    info: PodInfo
    pod: Pod
    verdict: Verdict
    until: float
    earlier: tuple[str, ...]
    later: list[str] = field(default_factory=list)


class Shadow:
    """Follows a cluster, whose ``cluster`` it changes, and judges what its scheduler decides. Times are seconds."""

    def __init__(self, cluster: Cluster, profiles: Mapping[str, Generation], namespace: str) -> None:
        self.cluster, self.profiles, self.namespace = cluster, profiles, namespace
        self.counts: Counter[str] = Counter()
        self._held: list[_Held] = []
        self._recent: deque[tuple[float, str]] = deque(maxlen=RECENT)
        self._next = 0.0

    # -- what happens

    def node(self, name: str, node: Node | None) -> None:
        """A node came, changed or went (None)."""
        if node is not None:
            self.cluster.change_nodes([(name, node)])
        elif name in self.cluster.index:
            self.cluster.change_nodes([(name, None)])

    def pod(self, key: str, pod: Pod | None, at: float) -> Iterator[Verdict]:
        """A pod came, changed or went (None): what that says of the scheduler."""
        before = self.cluster.pending.get(key)
        verdict = self._judged(before, pod) if before is not None and pod is not None else None
        if pod is not None:
            self.cluster.add(pod)
        elif key in self._keys():
            self.cluster.remove(key)
        while self._recent and self._recent[0][0] < at - WINDOW:
            self._recent.popleft()
        if verdict is not None and before is not None and pod is not None:
            if verdict.kind == OTHERWISE:
                earlier = tuple(other for _, other in self._recent)
                self._held.append(_Held(before, pod, verdict, at + WINDOW, earlier))
            else:
                yield self._counted(verdict)
        if before is not None and pod is not None and pod.spec.nodeName:
            self._recent.append((at, key))
            for held in self._held:
                if held.info.key != key and len(held.later) < RECENT:
                    held.later.append(key)
        yield from self.tick(at)

    def tick(self, at: float) -> Iterator[Verdict]:
        """Judge again what looked different; the verdict of what still does at the end of its time."""
        if at < self._next:
            return
        self._next = at + PAUSE
        waiting, self._held = self._held, []
        for held in waiting:
            alike = next((v for v in self._again(held, at >= held.until) if v.kind != OTHERWISE), None)
            if alike is not None or at >= held.until:
                yield self._counted(alike or held.verdict)
            else:
                self._held.append(held)

    def summary(self) -> str:
        """The agreement so far."""
        total, ties = sum(self.counts.values()), self.counts[TIE]
        if not total:
            return "No decision was seen."
        alike = self.counts[ALIKE] + ties
        text = f"{count(total, 'decision')}: {alike:,} as ours"
        text += f" ({count(ties, 'tie')})" if ties else ""
        text += f", {self.counts[OTHERWISE]:,} otherwise" if self.counts[OTHERWISE] else ""
        text += f", {self.counts[SAMPLED]:,} from a sample of the nodes" if self.counts[SAMPLED] else ""
        return text + (f", {self.counts[APART]:,} not compared" if self.counts[APART] else "") + "."

    # -- how it compares

    def _keys(self) -> frozenset[str]:
        return frozenset(self.cluster.pod_keys())

    def _counted(self, verdict: Verdict) -> Verdict:
        self.counts[verdict.kind] += 1
        return verdict

    def _judged(self, before: PodInfo, pod: Pod) -> Verdict | None:
        """The verdict about a pod that was pending; None if its scheduler decided nothing, or it is another's."""
        if self.namespace and pod.metadata.namespace != self.namespace:
            return None
        profile, condition, old = self.profiles.get(pod.spec.schedulerName), failed(pod), failed(before.pod)
        if profile is None:
            return None
        if pod.spec.nodeName:
            return self._bound(before, pod.spec.nodeName, self.cluster, profile)
        if condition is None or not condition.message or (old is not None and old.message == condition.message):
            return None
        return self._refused(before, pod, self.cluster, profile)

    def _again(self, held: _Held, thoroughly: bool) -> Iterator[Verdict]:
        """The verdicts without the last bindings before it, and with all (``thoroughly``: some) of those after it."""
        profile, key = self.profiles[held.pod.spec.schedulerName], held.info.key
        for after in range(len(held.later), -1 if thoroughly else len(held.later) - 1, -1):
            fork = self.cluster.fork()
            for gone in ((key, *held.later[after:]), *((other,) for other in reversed(held.earlier))):
                for other in gone:
                    if other in fork.pods.row_of or other in fork.without_node:
                        fork.evict(other)
                if held.pod.spec.nodeName:
                    yield self._bound(held.info, held.pod.spec.nodeName, fork, profile)
                else:
                    yield self._refused(held.info, held.pod, fork, profile)

    def _bound(self, info: PodInfo, node: str, cluster: Cluster, profile: Generation) -> Verdict:
        did = f"-> {node}"
        if _depends(info.pod):
            return Verdict(info.key, did, APART, "its volumes and claims are not followed")
        decision = Scheduler(cluster, profile, exhaustive=True).decide(info)
        if node in decision.best:
            tie = len(decision.best) > 1
            return Verdict(info.key, did, TIE if tie else ALIKE, _chosen(decision))
        if node not in cluster.index:
            return Verdict(info.key, did, OTHERWISE, f"there is no node {node} yet")
        if decision.verdict(node).passes and decision.node is not None:
            total = len(cluster.nodes)
            if nodes_to_find(total, profile.percentage, profile.sampling) < total:
                why = "kube-scheduler looks at a sample of so many nodes. Of all, we would take "
                return Verdict(info.key, did, SAMPLED, f"{why}{decision.node}. {why_not(decision, node).sentence}")
        ours = decision.node or decision.nominated_node or "no node"
        return Verdict(info.key, did, OTHERWISE, f"we choose {ours}. {why_not(decision, node).sentence}")

    def _refused(self, info: PodInfo, pod: Pod, cluster: Cluster, profile: Generation) -> Verdict:
        condition, theirs = failed(pod), pod.status.nominatedNodeName
        message = condition.message if condition is not None else ""
        did = f"preempts on {theirs}" if theirs else "pending"
        if _depends(info.pod):
            return Verdict(info.key, did, APART, f"its volumes and claims are not followed. {message}")
        decision = Scheduler(cluster, profile, exhaustive=True).decide(info)
        preemption, ours = decision.preemption, decision.nominated_node or ""
        tied = preemption.tied if preemption is not None and ours else ()
        if decision.node is None and not decision.error and (theirs == ours or theirs in tied):
            whom = f"evicts {evicted(preemption.victims)}. " if preemption is not None and ours == theirs != "" else ""
            return Verdict(info.key, did, TIE if theirs in tied and len(tied) > 1 else ALIKE, whom + message)
        if decision.node is None and ours and theirs and cluster.objects_of(PodDisruptionBudget):
            return Verdict(info.key, did, APART, f"budgets are not followed. We would evict on {ours}")
        return Verdict(info.key, did, OTHERWISE, f"{decision.outcome} It says: {message}")


def _chosen(decision: Decision) -> str:
    text = decision.outcome.partition(", ")[2].rstrip(".")
    return text.removeprefix("which has ")


def _depends(pod: Pod) -> bool:
    """Whether the decision depends on objects that are not watched."""
    volumes = (v.persistentVolumeClaim is not None or v.ephemeral is not None for v in pod.spec.volumes)
    return bool(pod.spec.resourceClaims) or any(volumes)
