"""What is shown of preemption, and what is left out of a long list."""

import pytest

from kschedlab.build import Manifest, cluster, node, pod
from kschedlab.preemption.evidence import Preemption
from kschedlab.scheduler import schedule
from kschedlab.text.ladder import columns, ladder_table, steps
from kschedlab.text.preemption import choice, preemption_section
from kschedlab.text.sections import Cell, Limits, Names, Section, Strong, Table

TWO = Limits(nodes=2, totals=2, candidates=2, pods=2, rungs=2, groups=2)


def preempting(*running: Manifest, cpu: int = 1) -> Preemption:
    """For an urgent pod that asks for ``cpu``; each node is full with the pods that run on it."""
    used: dict[str, int] = {}
    for each in running:
        on = each["spec"]["nodeName"]
        used[on] = used.get(on, 0) + int(each["spec"]["containers"][0]["resources"]["requests"]["cpu"])
    nodes = [node(name, cores) for name, cores in used.items()]
    decision = schedule("default/mine", cluster(*nodes, *running, pod("mine", cpu=cpu, priority=99)))
    assert decision.preemption is not None
    return decision.preemption


def full(sizes: list[int]) -> Preemption:
    """Nodes a, b, c... with so many pods each."""
    return preempting(
        *(pod(f"{on}{i}", on, 1) for on, size in zip("abcdefg", sizes, strict=False) for i in range(size))
    )


def section(sizes: list[int]) -> Section:
    return preemption_section(full(sizes), TWO)


def written(cell: Cell) -> str:
    return ", ".join(cell.names) if isinstance(cell, Names) else str(cell)


@pytest.mark.parametrize(
    ("sizes", "is_cut", "remarks"),
    [
        ([1], False, ["a is the only candidate, so no rule is asked."]),
        ([2, 2], False, ["All 5 rules leave a tie of a, b; the scheduler takes any of them, here a."]),
        ([3], True, ["a is the only candidate, so no rule is asked."]),
        ([1, 3], True, ["All 5 rules leave a tie of a, b; the scheduler takes any of them, here a."]),
        (
            [1, 1, 1],
            True,
            ["and 1 more candidate", "All 5 rules leave a tie of a, b, c; the scheduler takes any of them, here a."],
        ),
    ],
)
def test_a_section_is_cut_if_candidates_or_pods_are_left_out(
    sizes: list[int], is_cut: bool, remarks: list[str]
) -> None:
    shown = section(sizes)
    assert (shown.cut, [part for part in shown.parts if isinstance(part, str)]) == (is_cut, remarks)
    assert sum(isinstance(part, Table) for part in shown.parts) == (1 if len(sizes) == 1 else 2), "rules need two"


@pytest.mark.parametrize(
    ("pods", "cpu", "rows"),
    [
        (2, 2, ["evicts default/a0", "evicts default/a1"]),
        (2, 1, ["keeps default/a0", "evicts default/a1"]),
        (3, 1, ["evicts default/a2", "keeps 2 pods"]),
        (3, 2, ["evicts default/a1", "evicts default/a2", "keeps 1 pod"]),
        (3, 3, ["evicts default/a0", "evicts default/a1", "evicts 1 more pod"]),
    ],
)
def test_of_many_pods_the_victims_are_shown_and_the_others_counted(pods: int, cpu: int, rows: list[str]) -> None:
    shown = preemption_section(preempting(*(pod(f"a{i}", "a", 1) for i in range(pods)), cpu=cpu), TWO)
    table = shown.parts[0]
    assert isinstance(table, Table)
    assert [f"{written(row.cells[1])} {written(row.cells[2])}" for row in table.rows] == rows


@pytest.mark.parametrize(
    ("priorities", "beaten", "left"),
    [
        ([0, 1, 1, 1], "b, c, d", "decides: a"),
        ([0, 1, 1, 1, 1], "b, c, d and 1 more", "decides: a"),
        ([0, 0, 0, 1], "", "leaves a, b, c"),
        ([0, 0, 0, 0, 1], "", "leaves 4"),
    ],
)
def test_up_to_three_nodes_are_named(priorities: list[int], beaten: str, left: str) -> None:
    found = preempting(*(pod(f"on-{on}", on, 1, each) for on, each in zip("abcde", priorities, strict=False)))
    assert steps(found, columns(found))[1].result == left
    rule = "rule 2 (lowest first victim priority)"
    assert not beaten or choice(found) == f"Of {len(priorities)} candidates, {rule} chooses a over {beaten}."


def test_times_have_dates_only_if_the_nodes_that_are_left_differ_in_the_day() -> None:
    """The rules before have put aside the node whose pod is more important, so its day doesn't matter."""
    first = [pod("on-a", "a", 1, 0, "2026-03-02T09:00:00Z"), pod("on-b", "b", 1, 0, "2026-03-02T10:00:00Z")]
    found = preempting(*first, pod("on-c", "c", 1, 1, "2026-03-05T11:00:00Z"))
    values = steps(found, columns(found))[4].values
    assert (values["a"], values["b"]) == ("09:00", "10:00")


def test_the_best_values_are_bold_where_a_rule_puts_a_node_aside() -> None:
    found = preempting(pod("on-a", "a", 1), pod("on-b", "b", 1), pod("on-c", "c", 1, 1))
    first, second, *_ = ladder_table(found).rows
    assert [isinstance(cell, Strong) for cell in first.cells[2:5]] == [False, False, False]
    assert [isinstance(cell, Strong) for cell in second.cells[2:5]] == [True, True, False]
