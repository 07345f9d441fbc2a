"""The ladder: each rule decides when it should, and only after the preceding rules."""

import numpy as np
import pytest

from kschedlab.preemption.ladder import RULES, Victims, climb

Candidate = list[tuple[int, int]]
"""(priority, start) of each victim, in listed order."""


def victims(candidates: list[Candidate], violations: list[int]) -> Victims:
    first = np.cumsum([0] + [len(c) for c in candidates[:-1]])
    priority = np.array([p for c in candidates for p, _ in c], np.int64)
    start = np.array([s for c in candidates for _, s in c], np.int64)
    return Victims(first, priority, start, np.array(violations, np.int64))


@pytest.mark.parametrize(
    ("rule", "candidates", "violations", "kept"),
    [
        ("fewest PodDisruptionBudget violations", [[(9, 1)], [(1, 1)]], [0, 1], [0]),
        ("lowest first victim priority", [[(9, 1)], [(5, 1), (5, 1), (5, 1)]], [0, 0], [1]),
        ("smallest sum of victim priorities", [[(5, 1), (4, 1)], [(5, 1), (3, 1)]], [0, 0], [1]),
        # Three victims of -10 don't beat one of -10: every priority is counted from 2^31 up.
        ("smallest sum of victim priorities", [[(-10, 1)] * 3, [(-10, 1)]], [0, 0], [1]),
        ("latest start", [[(5, 10), (1, 90)], [(5, 20), (1, 1)]], [0, 0], [1]),
    ],
)
def test_the_rule_decides(rule: str, candidates: list[Candidate], violations: list[int], kept: list[int]) -> None:
    rungs = climb(victims(candidates, violations))
    (decisive,) = [rung for rung in rungs if rung.decides]
    assert decisive.rule.name == rule
    assert np.flatnonzero(rungs[-1].kept).tolist() == kept


def test_fewest_victims_decides_between_equal_sums() -> None:
    """An equal sum with another number needs priorities that differ by 2^31: the extremes of int32."""
    few, many = [(2**31 - 1, 1), (0, 1)], [(2**31 - 1, 1), (-(2**31), 1), (0, 1)]
    rungs = climb(victims([many, few], [0, 0]))
    (decisive,) = [rung for rung in rungs if rung.decides]
    assert (decisive.rule.name, np.flatnonzero(decisive.kept).tolist()) == ("fewest victims", [1])


def test_a_complete_tie_leaves_all() -> None:
    rungs = climb(victims([[(5, 10)], [(5, 10)], [(6, 10)]], [0, 0, 0]))
    assert np.flatnonzero(rungs[-1].kept).tolist() == [0, 1]
    assert not any(rung.decides for rung in rungs)


def test_rungs_after_the_decision_are_recorded_too() -> None:
    rungs = climb(victims([[(1, 1)], [(2, 2)]], [1, 0]))
    assert [rung.rule for rung in rungs] == list(RULES)
    assert all(np.flatnonzero(rung.kept).tolist() == [1] for rung in rungs)


def test_start_times_of_less_important_victims_are_not_compared() -> None:
    """Only the victims with the node's highest priority count."""
    rungs = climb(victims([[(5, 10), (1, 1)], [(5, 9), (1, 99)]], [0, 0]))
    assert np.flatnonzero(rungs[-1].kept).tolist() == [0]
