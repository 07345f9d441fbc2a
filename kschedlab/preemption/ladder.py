"""The ladder of rules that chooses one of the candidates.

v1.37: pkg/scheduler/framework/preemption/preemption.go, pickOneNodeForPreemption, and pkg/scheduler/util/utils.go,
GetEarliestPodStartTime. Each rule keeps the candidates with the best value; the first that leaves only one decides.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from kschedlab.cluster.signatures import BoolArray, IntArray

PRIORITY_OFFSET = 2**31
"""Added to every priority before summing, so that few victims of negative priority don't look worse than many."""


@dataclass(frozen=True, eq=False)
class Victims:
    """The victims of all candidates; each candidate's are contiguous, in the order in which the generation lists them.

    ``first``: int64[candidates], the index of each candidate's first victim; ``priority``, ``start``: int64[victims];
    ``violations``: int64[candidates].
    """

    first: IntArray
    priority: IntArray
    start: IntArray
    violations: IntArray

    @property
    def number(self) -> IntArray:
        """int64[candidates]: how many victims each has."""
        return np.diff(np.append(self.first, len(self.priority)))


@dataclass(frozen=True)
class Rule:
    """One rule. ``value``: int64[candidates], what it compares; the smallest is best unless ``largest``."""

    name: str
    value: Callable[[Victims], IntArray]
    largest: bool = False


@dataclass(frozen=True, eq=False)
class Rung:
    """An applied rule. ``value``: int64[candidates]; ``entered``, ``kept``: bool[candidates] before and after."""

    rule: Rule
    value: IntArray
    entered: BoolArray
    kept: BoolArray

    @property
    def decides(self) -> bool:
        return int(self.entered.sum()) > 1 and int(self.kept.sum()) == 1


def number_of_violations(victims: Victims) -> IntArray:
    return victims.violations


def first_priority(victims: Victims) -> IntArray:
    """The priority of the first listed victim: the highest, if the list is sorted."""
    return victims.priority[victims.first]


def sum_of_priorities(victims: Victims) -> IntArray:
    return np.add.reduceat(victims.priority + PRIORITY_OFFSET, victims.first)


def number_of_victims(victims: Victims) -> IntArray:
    return victims.number


def earliest_start(victims: Victims) -> IntArray:
    """The earliest start among the victims that share the node's highest priority."""
    highest = np.repeat(np.maximum.reduceat(victims.priority, victims.first), victims.number)
    start = np.where(victims.priority == highest, victims.start, np.iinfo(np.int64).max)
    return np.minimum.reduceat(start, victims.first)


RULES = (
    Rule("fewest PodDisruptionBudget violations", number_of_violations),
    Rule("lowest first victim priority", first_priority),
    Rule("smallest sum of victim priorities", sum_of_priorities),
    Rule("fewest victims", number_of_victims),
    Rule("latest start", earliest_start, largest=True),
)


def climb(victims: Victims, rules: Sequence[Rule] = RULES) -> tuple[Rung, ...]:
    """Apply the rules in order. Rules after the deciding one are recorded too; they keep the one candidate."""
    left: BoolArray = np.ones(len(victims.first), np.bool_)
    rungs = []
    for rule in rules:
        value = rule.value(victims)
        best = value[left].max() if rule.largest else value[left].min()
        kept = left & (value == best)
        rungs.append(Rung(rule, value, left, kept))
        left = kept
    return tuple(rungs)
