"""The preemption stage: may the pod preempt, where does it help, which pods are victims, which node is chosen.

v1.37: pkg/scheduler/framework/preemption/preemption.go (Evaluator) and
pkg/scheduler/framework/plugins/defaultpreemption/default_preemption.go.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.pods import PodInfo
from kschedlab.cluster.signatures import BoolArray, IntArray
from kschedlab.filter.stage import PASSES, FilterRun, Verdicts, unavailable
from kschedlab.objects.model import Pod
from kschedlab.preemption.ladder import Rung, Victims, climb
from kschedlab.preemption.rules import PreemptionRules
from kschedlab.preemption.victims import DryRun, dry_run, lower_priority

NEVER = "not eligible due to preemptionPolicy=Never"
TERMINATING = "not eligible due to a terminating pod on the nominated node"
NO_VICTIMS = "No preemption victims found for incoming pod"
NOT_HELPFUL = "Preemption is not helpful for scheduling"


@dataclass(frozen=True)
class Attempt:
    """An attempt to reprieve a pod. ``refused_by``: the plugin that then refuses the preemptor, or None."""

    pod: PodInfo
    violates: bool
    refused_by: str | None

    @property
    def reprieved(self) -> bool:
        """Whether the pod stays."""
        return self.refused_by is None


@dataclass(frozen=True)
class Candidate:
    """A node that the preemptor fits on without ``victims``. ``attempts``: all attempts to reprieve, in order."""

    node: str
    victims: tuple[PodInfo, ...]
    violations: int
    attempts: tuple[Attempt, ...]


@dataclass(frozen=True, eq=False)
class Preemption:
    """The evidence of a preemption decision.

    ``reason``: why the pod may not preempt, or "". ``potential``: int64[], positions of the nodes where evicting might
    help. ``run``: the dry run; ``positions``: int64[candidates], in the order of the search.
    ``rungs``: the ladder as climbed. ``chosen``: the chosen node's index among the candidates.
    """

    cluster: Cluster
    reason: str
    potential: IntArray
    run: DryRun | None = None
    positions: IntArray = field(default_factory=lambda: np.zeros(0, np.int64))
    rungs: tuple[Rung, ...] = ()
    chosen: int | None = None

    @property
    def eligible(self) -> bool:
        """Whether the pod may preempt at all."""
        return not self.reason

    @property
    def nominated_node(self) -> str | None:
        """The chosen node, or None if preemption doesn't help."""
        return None if self.chosen is None else self.cluster.names[self.positions[self.chosen]]

    @property
    def tied(self) -> list[str]:
        """The nodes that are left after all rules, sorted by name; the real scheduler takes any of them."""
        kept = self.positions[self.rungs[-1].kept] if self.rungs else self.positions
        return sorted(self.cluster.names[n] for n in kept)

    @cached_property
    def candidates(self) -> dict[str, Candidate]:
        """By node, in the order of the search."""
        return {self.cluster.names[n]: self._candidate(int(n)) for n in self.positions}

    @property
    def victims(self) -> tuple[PodInfo, ...]:
        """The victims on the chosen node."""
        return self._victims(int(self.positions[self.chosen])) if self.chosen is not None else ()

    @property
    def message(self) -> str:
        """What PostFilter adds to the FailedScheduling message."""
        if self.reason:
            return f"preemption: {self.reason}."
        if self.nominated_node is not None:
            victims, name = len(self.victims), self.nominated_node
            return f"preemption: found a potential placement for pod on node {name}, preempting {victims} victims"
        cluster, run = self.cluster, self.run
        reasons: dict[str, int] = {}
        potential = set(self.potential.tolist())
        populated = set(run.node.tolist()) if run is not None else set()
        for node in range(len(cluster.nodes)):
            if node not in potential:
                texts = [NOT_HELPFUL]
            elif node not in populated:
                texts = [NO_VICTIMS]
            else:
                assert run is not None
                texts = run.emptied.reasons(node)
            for text in texts:
                reasons[text] = reasons.get(text, 0) + 1
        return f"preemption: {unavailable(len(cluster.nodes), reasons)}"

    def _victims(self, node: int) -> tuple[PodInfo, ...]:
        assert self.run is not None
        return tuple(self.cluster.pods.info(row) for row in self.run.victims_on(node).tolist())

    def _candidate(self, node: int) -> Candidate:
        run = self.run
        assert run is not None
        indices = np.flatnonzero(run.node == node)
        indices = indices[np.argsort(run.reprieve_order[indices])]
        plugins = run.emptied.plugins
        columns = (column[indices].tolist() for column in (run.rows, run.violates, run.refused_by))
        attempts = tuple(
            Attempt(self.cluster.pods.info(row), violates, None if refused_by == PASSES else plugins[refused_by])
            for row, violates, refused_by in zip(*columns, strict=True)
        )
        violations = sum(a.violates and not a.reprieved for a in attempts)
        return Candidate(self.cluster.names[node], self._victims(node), violations, attempts)


def preempt(
    pod: PodInfo,
    cluster: Cluster,
    run: FilterRun,
    verdicts: Verdicts,
    rules: PreemptionRules,
    rng: random.Random | None,
    exhaustive: bool,
) -> Preemption:
    """Decide which pods to evict for a pod that no node can take.

    The search starts at a random node and ends with enough candidates; ``exhaustive`` examines all. ``rng`` draws the
    start and one of the tied nodes; without it, the search starts at the first node and the first name wins a tie.
    """
    unresolvable = verdicts.unresolvable()
    potential = np.flatnonzero((verdicts.refused_by != PASSES) & ~unresolvable)
    reason = ineligible(pod, cluster, unresolvable, rules)
    if reason or not len(potential):
        return Preemption(cluster, reason, potential)
    enough = len(potential) if exhaustive else rules.enough(len(potential))
    offset = rng.randrange(len(potential)) if rng else 0
    order = np.concatenate([potential[offset:], potential[:offset]])
    tried, candidates = _search(pod, cluster, run, order, enough, rules)
    if not len(candidates):
        return Preemption(cluster, "", potential, tried)
    rungs = climb(_victims_of(tried, candidates, cluster), rules.ladder)
    tied = np.flatnonzero(rungs[-1].kept)
    chosen = rng.choice(tied.tolist()) if rng else min(tied.tolist(), key=lambda i: cluster.names[candidates[i]])
    return Preemption(cluster, "", potential, tried, candidates, rungs, chosen)


def ineligible(pod: PodInfo, cluster: Cluster, unresolvable: BoolArray, rules: PreemptionRules) -> str:
    """Why the pod may not preempt, or "". v1.37: default_preemption.go, PodEligibleToPreemptOthers.

    The pod waits while a victim is still terminating on its nominated node, unless evicting can't help there any more.
    """
    if rules.obeys_preemption_policy and pod.pod.spec.preemptionPolicy == "Never":
        return NEVER
    nominated = cluster.index.get(pod.pod.status.nominatedNodeName or "")
    if nominated is not None and not (rules.unresolvable_node_ends_wait and unresolvable[nominated]):
        is_waited_for = terminating_by_preemption if rules.waits_for_preempted_pods_only else terminating
        for row in cluster.pods_of(nominated).tolist():
            other = cluster.pods.info(row)
            if other.priority < pod.priority and is_waited_for(other.pod):
                return TERMINATING
    return ""


def terminating(pod: Pod) -> bool:
    """The pod is being deleted, for any reason."""
    return pod.metadata.deletionTimestamp is not None


def terminating_by_preemption(pod: Pod) -> bool:
    """The scheduler evicted the pod. v1.37: framework/preemption/util.go, PodTerminatingByPreemption."""
    if not terminating(pod):
        return False
    target = next((c for c in pod.status.conditions if c.type == "DisruptionTarget"), None)
    return target is not None and target.status == "True" and target.reason == "PreemptionByScheduler"


def _search(
    pod: PodInfo, cluster: Cluster, run: FilterRun, order: IntArray, enough: int, rules: PreemptionRules
) -> tuple[DryRun, IntArray]:
    """Dry-run the nodes in order until there are enough candidates, one of them without violations.

    Returns (dry run, positions of candidates, those without violations first). A dry run of many nodes costs little
    more than one of a single node: it takes a few more nodes than are wanted, and four times as many if they do not
    suffice. Nodes without pods of lower priority are skipped.
    """
    lower = lower_priority(pod, cluster.pods)
    populated = np.bincount(cluster.pods.node[lower], minlength=len(cluster.nodes)) > 0
    order, size = order[populated[order]], enough + enough // 4
    while True:
        block = order[:size]
        tried = dry_run(cluster, run, block, lower, rules.victims)
        violations = np.bincount(tried.node[tried.evicted & tried.violates], minlength=len(cluster.nodes))[block]
        candidate = np.bincount(tried.node[tried.evicted], minlength=len(cluster.nodes))[block] > 0
        clean = candidate & (violations == 0)
        enough_so_far = (np.cumsum(clean) > 0) & (np.cumsum(candidate) >= enough)
        if enough_so_far.any() or size >= len(order):
            if enough_so_far.any():
                candidate[int(enough_so_far.argmax()) + 1 :] = False  # the search ends here
            return tried, np.concatenate([block[candidate & clean], block[candidate & ~clean]])
        size *= 4


def _victims_of(run: DryRun, candidates: IntArray, cluster: Cluster) -> Victims:
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
