"""The ladder in words: what each rule compares, and its outcome."""

from kschedlab.build import cluster, node, pod
from kschedlab.preemption.evidence import Preemption
from kschedlab.scheduler import schedule
from kschedlab.text.ladder import columns, ladder_table, steps
from kschedlab_lab.panels.preemption import LOWEST, Settings, decide


def preemption(**settings: int) -> Preemption:
    found = decide(Settings(**{"allowed": 1} | settings)).preemption
    assert found is not None
    return found


def results(**settings: int) -> list[str]:
    found = preemption(**settings)
    return [step.result for step in steps(found, columns(found))]


def test_rules_after_the_decision_are_not_asked() -> None:
    assert results() == ["leaves all", "leaves node-a, node-c", "decides: node-a", "not asked", "not asked"]
    assert results(allowed=0)[:2] == ["decides: node-c", "not asked"]


def test_a_tie_goes_through_all_rules() -> None:
    tie = results(shop_a=200, allowed=2, mail_c_start=540)
    assert tie == ["leaves all", "leaves node-b, node-c", "leaves all", "leaves all", "leaves all"]


def test_values_are_written_as_people_read_them() -> None:
    found = preemption(jobs=LOWEST, allowed=2)
    third, fifth = (steps(found, columns(found))[i].values for i in (2, 4))
    assert set(third.values()) == {"100 + 1×2³¹"}, "equal sums look equal"
    assert steps(preemption(), ["node-a"])[2].values == {"node-a": "100 + 1×2³¹"}
    assert fifth == {"node-a": "09:30", "node-b": "09:00", "node-c": "10:00"}


def test_of_many_candidates_those_that_came_furthest_are_shown() -> None:
    victims = [pod(f"p{i}", f"n{i:02}", priority=i // 4, cpu="1") for i in range(40)]
    nodes = [node(f"n{i:02}", allocatable={"cpu": "1", "pods": "9"}) for i in range(40)]
    decision = schedule("default/web", cluster(*nodes, *victims, pod("web", priority=99, cpu="1")))
    assert decision.preemption is not None
    assert columns(decision.preemption) == ["n00", "n01", "n02", "n03", "n04", "n05"]
    assert columns(decision.preemption, 40) == [f"n{i:02}" for i in range(40)]
    table = ladder_table(decision.preemption)
    assert [row.cells[-1] for row in table.rows[1::3]] == ["leaves 4", "leaves all"]
    assert table.head[-2] == "34 more" and all(row.cells[-2] == "…" for row in table.rows)
    assert len(ladder_table(decision.preemption, 40).head) == 2 + 40 + 1
