"""The victims that would break a PodDisruptionBudget.

v1.37: pkg/scheduler/framework/preemption/util.go, FilterVictimsWithPDBViolation.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from kschedlab.cluster.clues import ByClue, Clue, clues_of
from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.derived import BUDGETS
from kschedlab.cluster.number_lists import NumberLists
from kschedlab.cluster.signatures import BoolArray, IntArray, Signature
from kschedlab.objects.model import PodDisruptionBudget
from kschedlab.objects.selectors import Selector
from kschedlab.preemption.rules import BudgetRules


@dataclass(frozen=True)
class MatchesBudget:
    """PodQuery: does the budget's selector match the pod? No selector, or an empty one, matches no pod."""

    namespace: str
    selector: Selector | None

    @classmethod
    def of_budget(cls, budget: PodDisruptionBudget) -> MatchesBudget:
        selector = budget.spec.selector
        return cls(budget.metadata.namespace, selector.compile() if selector is not None else None)

    def of(self, signature: Signature) -> int:
        return int(self.covers(signature.namespace, signature.labels))

    def covers(self, namespace: str, labels: Mapping[str, str]) -> bool:
        if self.selector is None or self.selector.empty or namespace != self.namespace or not labels:
            return False
        return self.selector.matches(labels)

    @property
    def clues(self) -> tuple[Clue, ...]:
        return clues_of(self.selector, [self.namespace])


class Protection(NumberLists):
    """The budgets that cover each signature, by their positions among all budgets."""

    def __init__(self, budgets: Iterable[PodDisruptionBudget]) -> None:
        super().__init__()
        queries = (MatchesBudget.of_budget(budget) for budget in budgets)
        self._queries = ByClue((item, item[1].clues) for item in enumerate(queries))

    def numbers_of(self, signature: Signature) -> list[int]:
        return sorted(position for position, query in self._queries.about(signature) if query.of(signature))


def violations(cluster: Cluster, rows: IntArray, node: IntArray, rules: BudgetRules) -> BoolArray:
    """bool[pods]: evicting the pod, after those before it on the same node, violates a budget.

    ``rows``: the pods' rows, ``node``: their nodes; each node's pods are contiguous, the most important first. Each
    node starts with the full budgets.
    """
    violating: BoolArray = np.zeros(len(rows), np.bool_)
    budgets = cluster.objects_of(PodDisruptionBudget)
    if not budgets:
        return violating
    protection = cluster.derived("protection", lambda: Protection(budgets), BUDGETS)
    protection.update(cluster.signatures)
    length, budget = protection.of(cluster.pods.signature[rows])
    pod = np.repeat(np.arange(len(rows)), length)
    if rules.disrupted_pods_exempt:
        charged = ~_exempt(cluster, budgets, rows[pod], budget)
        pod, budget = pod[charged], budget[charged]
    allowed = np.array([each.status.disruptionsAllowed for each in budgets], np.int64)
    one_by_one = rules.stops_at_first_violation and bool((length > 1).any())
    for chosen in [budget == number for number in np.unique(budget)] if one_by_one else [slice(None)]:
        charged_pod, of_budget = pod[chosen], budget[chosen]
        if one_by_one:
            charged_pod = charged_pod[~violating[charged_pod]]
            of_budget = of_budget[: len(charged_pod)]
        used = _number_within(node[charged_pod] * len(budgets) + of_budget) if rules.counted_down else 1
        violating[charged_pod[used > allowed[of_budget]]] = True
    return violating


def _exempt(cluster: Cluster, budgets: Collection[PodDisruptionBudget], rows: IntArray, budget: IntArray) -> BoolArray:
    """bool[]: the budget has already counted this pod as disrupted."""
    exempt: BoolArray = np.zeros(len(rows), np.bool_)
    for position, each in [(position, each) for position, each in enumerate(budgets) if each.status.disruptedPods]:
        for name in each.status.disruptedPods:
            row = cluster.pods.row_of.get(f"{each.metadata.namespace}/{name}", -1)
            exempt |= (rows == row) & (budget == position)
    return exempt


def _number_within(group: IntArray) -> IntArray:
    """1 for the first entry of each group, 2 for the second, ..., in the given order."""
    order = np.argsort(group, kind="stable")
    starts, lengths = runs(group[order])
    number = np.empty_like(group)
    number[order] = np.arange(1, len(group) + 1) - np.repeat(starts, lengths)
    return number


def runs(group: IntArray) -> tuple[IntArray, IntArray]:
    """(starts, lengths) of the runs of equal entries."""
    starts = np.flatnonzero(np.concatenate([[True], group[1:] != group[:-1]])[: len(group)])
    return starts, np.diff(np.append(starts, len(group)))
