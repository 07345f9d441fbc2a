"""Which victims would break a PodDisruptionBudget.

v1.37: pkg/scheduler/framework/preemption/util.go, FilterVictimsWithPDBViolation.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from kschedlab.cluster.clues import Clue, clues_of
from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.signatures import BoolArray, IntArray, Signature
from kschedlab.objects.model import PodDisruptionBudget
from kschedlab.objects.selectors import Selector
from kschedlab.preemption.rules import BudgetRules


@dataclass(frozen=True)
class MatchesBudget:
    """PodQuery: does the budget's selector match the pod? No selector, or an empty one, matches no pod."""

    namespace: str
    selector: Selector | None

    def of(self, signature: Signature) -> int:
        """1 if the budget covers pods with this signature."""
        if self.selector is None or self.selector.empty:
            return 0
        if signature.namespace != self.namespace or not signature.labels:
            return 0
        return int(self.selector.matches(signature.labels))

    @property
    def clues(self) -> tuple[Clue, ...]:
        """The selector's labels, and the namespace."""
        return clues_of(self.selector, [self.namespace])


def violations(
    cluster: Cluster, budgets: Collection[PodDisruptionBudget], rows: IntArray, node: IntArray, rules: BudgetRules
) -> BoolArray:
    """bool[pods]: evicting the pod, after those before it on the same node, violates a budget.

    ``rows``: the pods' rows, ``node``: their nodes; each node's pods are contiguous, the most important first. Each
    node starts with the full budgets.
    """
    violating: BoolArray = np.zeros(len(rows), np.bool_)
    for budget in budgets:
        selector = budget.spec.selector.compile() if budget.spec.selector is not None else None
        protected = cluster.signatures.evaluate(MatchesBudget(budget.metadata.namespace, selector)) > 0
        charged = protected[cluster.pods.signature[rows]]
        if rules.stops_at_first_violation:
            charged &= ~violating
        if not charged.any():
            continue
        for name in budget.status.disruptedPods if rules.disrupted_pods_exempt else ():
            row = cluster.pods.row_of.get(f"{budget.metadata.namespace}/{name}")
            charged &= rows != row if row is not None else True
        used = _number_within(node, charged) if rules.counted_down else 1
        violating |= charged & (used > budget.status.disruptionsAllowed)
    return violating


def _number_within(group: IntArray, counted: BoolArray) -> IntArray:
    """1 for the first counted entry of each run of equal ``group``, 2 for the second, ..."""
    running = np.cumsum(counted)
    starts, lengths = runs(group)
    before = np.where(starts > 0, running[starts - 1], 0)
    return running - np.repeat(before, lengths)


def runs(group: IntArray) -> tuple[IntArray, IntArray]:
    """(starts, lengths) of the runs of equal entries."""
    starts = np.flatnonzero(np.concatenate([[True], group[1:] != group[:-1]])[: len(group)])
    return starts, np.diff(np.append(starts, len(group)))
