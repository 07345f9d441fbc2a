"""The preemption stage: may the pod preempt, where does it help, which pods are victims, which node is chosen.

v1.37: pkg/scheduler/framework/preemption/preemption.go (Evaluator) and
pkg/scheduler/framework/plugins/defaultpreemption/default_preemption.go.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, replace

import numpy as np

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.pods import PodInfo
from kschedlab.cluster.signatures import BoolArray, IntArray
from kschedlab.extenders import Extending, FreeNode
from kschedlab.filter.stage import PASSES, FilterRun, Verdicts, first_error
from kschedlab.objects.model import Pod
from kschedlab.preemption.evidence import Preemption
from kschedlab.preemption.ladder import Victims, climb
from kschedlab.preemption.rules import PreemptionRules
from kschedlab.preemption.victims import DryRun, dry_run, lower_priority


def lower_nominations(cluster: Cluster, pod: PodInfo, node: str) -> list[PodInfo]:
    """Pods of lower priority that are nominated to the node; this pod's nomination clears theirs.

    v1.37: pkg/scheduler/framework/preemption/executor.go, getLowerPriorityNominatedPods.
    """
    nominated = cluster.nominated
    rows = np.flatnonzero((nominated.node == cluster.index[node]) & (nominated.priority < pod.priority))
    return [nominated.info(row) for row in rows.tolist()]


NEVER = "not eligible due to preemptionPolicy=Never"
TERMINATING = "not eligible due to a terminating pod on the nominated node"


@dataclass
class Evaluator:
    """Preemption for a pod that no node can take. ``extending``: the extenders that may remove candidates and victims.

    v1.37: framework/preemption/preemption.go, Evaluator. A subclass may evict other units than single pods.
    """

    pod: PodInfo
    cluster: Cluster
    run: FilterRun
    rules: PreemptionRules
    extending: Extending | None = None

    def preempt(self, verdicts: Verdicts, rng: random.Random | None, exhaustive: bool) -> Preemption:
        """Decide which pods to evict, and where.

        The search starts at a random node and ends with enough candidates; ``exhaustive`` examines all. ``rng`` draws
        the start and one of the tied nodes; without it, the search starts at the first node and the first name wins.
        """
        unresolvable = verdicts.unresolvable(self.rules.excluded_is_unresolvable)
        potential = np.flatnonzero((verdicts.refused_by != PASSES) & ~unresolvable)
        reason = self.ineligible(unresolvable if self.rules.excluded_ends_wait else verdicts.unresolvable(False))
        if reason or not len(potential):
            return Preemption(self.cluster, reason, potential)
        enough = len(potential) if exhaustive else self.rules.enough(len(potential))
        offset = rng.randrange(len(potential)) if rng else 0
        tried, candidates = self.search(np.concatenate([potential[offset:], potential[:offset]]), enough)
        result = Preemption(self.cluster, "", potential, tried, candidates)
        if self.rules.fails_with_its_filters and not len(candidates) and (failure := dry_run_errors(tried)):
            return replace(result, failure=failure)
        if self.extending is not None:
            result = self.extending.preempted(result, self.rules)
        return choose(result, self.rules, rng) if len(result.positions) else result

    def priority(self, other: PodInfo) -> int:
        """The other pod's priority, to compare with the preemptor's."""
        return other.priority

    def ineligible(self, unresolvable: BoolArray) -> str:
        """Why the pod may not preempt, or "". v1.37: default_preemption.go, PodEligibleToPreemptOthers.

        The pod waits while a victim is still terminating on its nominated node, unless evicting can't help there.
        """
        pod, cluster, rules = self.pod, self.cluster, self.rules
        if rules.obeys_preemption_policy and pod.pod.spec.preemptionPolicy == "Never":
            return NEVER
        nominated = cluster.index.get(pod.pod.status.nominatedNodeName or "")
        if nominated is not None and not (rules.unresolvable_node_ends_wait and unresolvable[nominated]):
            is_waited_for = terminating_by_preemption if rules.waits_for_preempted_pods_only else terminating
            for row in cluster.pods_of(nominated).tolist():
                other = cluster.pods.info(row)
                if self.priority(other) < pod.priority and is_waited_for(other.pod):
                    return TERMINATING
        return ""

    def search(self, order: IntArray, enough: int) -> tuple[DryRun, IntArray]:
        """Dry-run the nodes in order until there are enough candidates, one of them without violations.

        Returns (dry run, positions of candidates, those without violations first). A dry run of many nodes costs little
        more than one of a single node: it takes a few more nodes than needed, and four times as many if those are not
        enough. Nodes without pods of lower priority are skipped, unless a free node is taken.
        """
        cluster = self.cluster
        free_node = self.extending.rules.free_node if self.extending is not None else None
        lower = lower_priority(self.pod, cluster.pods)
        populated = np.bincount(cluster.pods.node[lower], minlength=len(cluster.nodes)) > 0
        if free_node is not FreeNode.TAKEN:
            order = order[populated[order]]
        size, takes_free = enough + enough // 4, free_node in (FreeNode.TAKEN, FreeNode.PANIC)
        while True:
            block = order[:size]
            tried = dry_run(cluster, self.run, block, lower, self.rules.victims)
            violations = np.bincount(tried.node[tried.evicted & tried.violates], minlength=len(cluster.nodes))[block]
            candidate = np.bincount(tried.node[tried.evicted], minlength=len(cluster.nodes))[block] > 0
            if takes_free:
                candidate |= tried.emptied.passes[block]
            clean = candidate & (violations == 0)
            enough_so_far = (np.cumsum(clean) > 0) & (np.cumsum(candidate) >= enough)
            if enough_so_far.any() or size >= len(order):
                if enough_so_far.any():
                    candidate[int(enough_so_far.argmax()) + 1 :] = False  # the search ends here
                return tried, np.concatenate([block[candidate & clean], block[candidate & ~clean]])
            size *= 4


def choose(result: Preemption, rules: PreemptionRules, rng: random.Random | None) -> Preemption:
    """The result with a candidate chosen. There must be at least one."""
    positions, cluster = result.positions, result.cluster
    if result.extended is None and result.run is not None:
        result = replace(result, rungs=climb(_evicted_on(result.run, positions, cluster), rules.ladder))
    tied = (np.flatnonzero(result.rungs[-1].kept) if result.free is None else result.free).tolist()
    return replace(result, chosen=rng.choice(tied) if rng else min(tied, key=lambda i: cluster.names[positions[i]]))


def dry_run_errors(run: DryRun) -> str:
    """The errors of filters on the nodes that were emptied, or "". v1.37: DryRunPreemption, findCandidates."""
    errors: dict[str, None] = {}
    for node in run.nodes.tolist():
        refused = run.emptied.refusals[number] if (number := int(run.emptied.refused_by[node])) >= 0 else None
        for part in refused.parts if refused is not None else ():
            if part.error and part.mask[node]:
                errors[first_error(run.emptied.plugins[number], part.reason)] = None
    return next(iter(errors), "") if len(errors) < 2 else f"[{', '.join(errors)}]"


def terminating(pod: Pod) -> bool:
    return pod.metadata.deletionTimestamp is not None


def terminating_by_preemption(pod: Pod) -> bool:
    """The scheduler evicted the pod. v1.37: framework/preemption/util.go, PodTerminatingByPreemption."""
    if not terminating(pod):
        return False
    target = next((c for c in pod.status.conditions if c.type == "DisruptionTarget"), None)
    return target is not None and target.status == "True" and target.reason == "PreemptionByScheduler"


def _evicted_on(run: DryRun, candidates: IntArray, cluster: Cluster) -> Victims:
    """The victims on these nodes, in the order of the candidates."""
    candidate_on = np.full(len(cluster.nodes), -1, np.int64)
    candidate_on[candidates] = np.arange(len(candidates))
    candidate = candidate_on[run.node]
    indices = run.in_listed_order[candidate[run.in_listed_order] >= 0]
    indices = indices[np.argsort(candidate[indices], kind="stable")]
    first = np.searchsorted(candidate[indices], np.arange(len(candidates)))
    rows = run.rows[indices]
    violations = np.bincount(candidate[indices][run.violates[indices]], minlength=len(candidates))
    return Victims(first, cluster.pods.priority[rows], cluster.pods.start[rows], violations)
