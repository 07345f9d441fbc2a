"""Kubernetes' own cases of preemption for a group.

v1.37: pkg/scheduler/framework/preemption/podgrouppreemption_test.go (SelectVictimsOnDomain, Preempt), util_test.go
(MoreImportantVictim, FilterVictimsWithPDBViolation, PodTerminatingByPreemption). A node's capacity is in CPUs, and each
pod requests one. Where the authors say which nodes the group's pods get, node selectors say so here. Their cases in
which nothing has to be evicted for the group are left out: here, preemption is not asked then.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import pytest

from kschedlab.build import cluster, node
from kschedlab.cluster.pods import PodInfo
from kschedlab_groups.preemption import Unit, is_preempted, violations_of
from packages.groups.tests.test_cycle import GATES, decided, group, member

LOW, MID, HIGH = 0, 100, 1000
HOST = "host"


class Pod(NamedTuple):
    """A running pod. ``start``: seconds; ``of``: its group."""

    name: str
    on: int
    priority: int = LOW
    of: str = ""
    start: int | None = None
    app: str = ""
    terminates: bool = False


class Case(NamedTuple):
    """``nodes``: their capacities; ``groups``: (priority, disruptionMode) by name; ``size``: pods of the preemptor.

    ``minimum``: its minCount, None for the basic policy; ``pins``: the nodes that its pods get; ``guarded``: the app
    whose budget allows no disruption; ``nominated``: the node that its last pod is nominated for.
    """

    nodes: Sequence[int]
    pods: Sequence[Pod]
    victims: Sequence[str]
    groups: Mapping[str, tuple[int, str]] = {}
    size: int = 1
    priority: int = HIGH
    minimum: int | None = None
    pins: Sequence[int] = ()
    guarded: str = ""
    nominated: int = 0


CASES = {
    "a pod of a group is more important than one of none": Case(
        [2], [Pod("p1", 1), Pod("p2", 1, LOW, "pg1")], ["p1"], {"pg1": (LOW, "single")}
    ),
    "of pods of one group, the later start is less important": Case(
        [2], [Pod("p1", 1, LOW, "pg1", 1), Pod("p2", 1, LOW, "pg1", 0)], ["p1"], {"pg1": (LOW, "single")}
    ),
    "a group that is disrupted as one is not reprieved in part": Case(
        [1, 1], [Pod("p1", 1, LOW, "pg1"), Pod("p2", 2, LOW, "pg1")], ["p1", "p2"], {"pg1": (LOW, "all")}
    ),
    "shared, different and no groups": Case(
        [2, 1, 2, 2, 2],
        [
            Pod("p1", 1, LOW, "pg1", 2),
            Pod("p2", 2, LOW, "pg1", 1),
            Pod("p3", 3, LOW, "pg2", 0),
            Pod("p4", 4, MID),
            Pod("p5", 5, HIGH, "pg3", 0),
        ],
        ["p2"],
        {"pg1": (LOW, "single"), "pg2": (LOW, "single"), "pg3": (HIGH, "single")},
        size=3,
        minimum=3,
        pins=(1, 2, 3),
    ),
    "a budget protects one of two pods of a group": Case(
        [2],
        [Pod("victim-pdb", 1, LOW, "pg1", app="foo"), Pod("victim-no-pdb", 1, LOW, "pg1")],
        ["victim-no-pdb"],
        guarded="foo",
    ),
    "groups that do not exist": Case(
        [1, 1, 1], [Pod("p1", 1), Pod("p2", 2, LOW, "pg1"), Pod("p3", 3, LOW, "pg2")], ["p1"], pins=(1,)
    ),
    "pods of groups among the candidates": Case(
        [1, 1, 1],
        [Pod("p1", 1), Pod("p2", 2, LOW, "pg1"), Pod("p3", 3, LOW, "pg2")],
        ["p1"],
        {"pg1": (LOW, "single"), "pg2": (LOW, "single")},
        pins=(1,),
    ),
    "a victim that terminates on another node than the nominated one": Case(
        [1, 1], [Pod("victim", 2, terminates=True), Pod("other-victim", 1)], ["other-victim"], size=2, nominated=1
    ),
    "a terminating pod of a group of higher priority": Case(
        [2, 1],
        [Pod("victim", 1, LOW, "pg", terminates=True), Pod("other-victim", 1)],
        ["other-victim"],
        {"pg": (HIGH, "all")},
        size=2,
        minimum=2,
        priority=MID,
        nominated=1,
    ),
    "a terminating pod of a group of higher priority that is not disrupted as one": Case(
        [2, 1],
        [Pod("victim", 1, LOW, "pg", terminates=True), Pod("other-victim", 1)],
        ["other-victim"],
        {"pg": (HIGH, "single")},
        size=2,
        minimum=2,
        priority=MID,
        nominated=1,
    ),
    "a single pod of lower priority": Case([1], [Pod("p1", 1)], ["p1"]),
    "pods of the same priority stay": Case([2], [Pod("p1", 1), Pod("p2", 1, MID), Pod("p3", 1, HIGH)], ["p1", "p2"]),
    "as few victims as possible": Case([3], [Pod("p1", 1), Pod("p2", 1), Pod("p3", 1), Pod("p4", 1)], ["p3", "p4"]),
    "a budget protects a pod": Case(
        [2], [Pod("victim-pdb", 1, app="foo"), Pod("victim-no-pdb", 1)], ["victim-no-pdb"], guarded="foo"
    ),
    "a budget protects a pod of lower priority": Case(
        [2], [Pod("victim-pdb", 1, app="foo"), Pod("victim-no-pdb", 1, MID)], ["victim-no-pdb"], guarded="foo"
    ),
    "if the budget has to be broken, the priority decides": Case(
        [2], [Pod("p1", 1, app="foo"), Pod("p2", 1, MID, app="foo")], ["p1"], guarded="foo"
    ),
    "a group on two nodes goes as a whole": Case(
        [1, 2], [Pod("p1", 1, LOW, "pg1"), Pod("p2", 2, LOW, "pg1")], ["p1", "p2"], {"pg1": (LOW, "all")}, pins=(1,)
    ),
    "a single pod goes before a group": Case(
        [3],
        [Pod("p1", 1), Pod("g1-1", 1, LOW, "pg1"), Pod("g1-2", 1, LOW, "pg1")],
        ["p1"],
        {"pg1": (LOW, "all")},
    ),
    "a group on one node goes as a whole": Case(
        [3],
        [Pod("g1-1", 1, LOW, "pg1"), Pod("g1-2", 1, LOW, "pg1"), Pod("p1", 1, MID)],
        ["g1-1", "g1-2"],
        {"pg1": (LOW, "all")},
    ),
    "a budget protects the whole group of a pod": Case(
        [3],
        [Pod("g1-1", 1, LOW, "pg1", app="foo"), Pod("g1-2", 1, LOW, "pg1"), Pod("p1", 1)],
        ["p1"],
        {"pg1": (LOW, "all")},
        guarded="foo",
    ),
    "no victim of a higher priority": Case([1], [Pod("p1", 1, HIGH)], [], priority=MID),
    "no victim of the same priority": Case([1], [Pod("p1", 1, MID)], [], priority=MID),
    "a group of a lower priority than its pods": Case(
        [1, 1], [Pod("p1", 1, HIGH, "pg1"), Pod("p2", 2, HIGH, "pg1")], ["p1", "p2"], {"pg1": (MID, "all")}
    ),
    "a group of a higher priority than its pods": Case(
        [1, 1], [Pod("p1", 1, LOW, "pg1"), Pod("p2", 2, LOW, "pg1")], [], {"pg1": (MID, "all")}, priority=MID
    ),
}
for policy, minimum in (("gang", 1), ("basic", None)):
    CASES[f"{policy}: as many pods as possible"] = Case(
        [1, 1, 1, 1],
        [Pod("p1", 1), Pod("p2", 2), Pod("p3", 3, HIGH), Pod("p4", 4, HIGH)],
        ["p1", "p2"],
        size=3,
        minimum=minimum,
    )
    CASES[f"{policy}: a group of lower priority makes room"] = Case(
        [1, 1, 1],
        [Pod("v1", 1, MID, "pg"), Pod("v2", 2, MID, "pg"), Pod("v3", 3)],
        ["v1", "v2", "v3"],
        {"pg": (MID, "all")},
        size=3,
        minimum=minimum,
    )
    CASES[f"{policy}: a group makes room for a part of the preemptor"] = Case(
        [1, 1, 1, 1],
        [Pod("v1", 1, MID, "pg"), Pod("v2", 2, MID, "pg"), Pod("v3", 3, HIGH, "pg2"), Pod("v4", 4, HIGH, "pg2")],
        ["v1", "v2"],
        {"pg": (MID, "all"), "pg2": (HIGH, "all")},
        size=3,
        minimum=minimum,
    )


def running(each: Pod) -> dict[str, Any]:
    made = member(each.name, f"n{each.on}", of=each.of, cpu="1", priority=each.priority)
    if not each.of:
        del made["spec"]["schedulingGroup"]
    made["metadata"]["labels"] = {"app": each.app}
    if each.start is not None:
        made["status"]["startTime"] = f"1970-01-01T00:00:0{each.start}Z"
    return terminating(made) if each.terminates else made


def terminating(made: dict[str, Any], status: str = "True", reason: str = "PreemptionByScheduler") -> dict[str, Any]:
    made["metadata"] |= {"deletionTimestamp": "2024-01-01T00:00:00Z", "finalizers": ["example.com/hold"]}
    made["status"]["conditions"] = [{"type": "DisruptionTarget", "status": status, "reason": reason}]
    return made


def budget(app: str, allowed: int, **status: Any) -> dict[str, Any]:
    spec = {"selector": {"matchLabels": {"app": app}} if app else {}, "minAvailable": 1}
    head = {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": f"b-{app}-{allowed}"}}
    return head | {"spec": spec, "status": {"disruptionsAllowed": allowed} | status}


def wanted(case: Case) -> list[dict[str, Any]]:
    made = [member(f"p-{i}", cpu="1", priority=case.priority) for i in range(case.size)]
    for each, place in zip(made, case.pins, strict=False):
        each["spec"]["nodeSelector"] = {HOST: f"n{place}"}
    if case.nominated:
        made[-1]["status"] = {"nominatedNodeName": f"n{case.nominated}"}
    return [group(minimum=case.minimum, priority=case.priority), *made]


@pytest.mark.parametrize("name", CASES)
def test_victims(name: str) -> None:
    case = CASES[name]
    nodes = [node(f"n{i}", cpu=str(size), labels={HOST: f"n{i}"}) for i, size in enumerate(case.nodes, 1)]
    groups = [group(each, 1, p, disruptionMode={mode: {}}) for each, (p, mode) in case.groups.items()]
    budgets = [budget(case.guarded, 0)] if case.guarded else []
    answer = decided(*nodes, *groups, *budgets, *map(running, case.pods), *wanted(case))
    assert answer["victims"] == sorted(f"default/{each}" for each in case.victims)
    if not case.victims:
        assert answer["condition"]["message"].endswith("No preemption victims found for incoming preemptor")


ONGOING = {
    "a pod": (LOW, {}),
    "a pod of a group of lower priority": (HIGH, {"pg": (LOW, "all")}),
    "a pod of such a group that is not disrupted as one": (HIGH, {"pg": (LOW, "single")}),
}


@pytest.mark.parametrize("name", ONGOING)
def test_a_victim_on_a_nominated_node_is_awaited(name: str) -> None:
    priority, groups = ONGOING[name]
    victim = Pod("victim", 1, priority, "pg" if groups else "", terminates=True)
    made = [group(each, 1, p, disruptionMode={mode: {}}) for each, (p, mode) in groups.items()]
    case = Case([1], [victim], [], size=2, nominated=1)
    answer = decided(node("n1", cpu="1"), *made, running(victim), *wanted(case))
    assert answer["condition"]["message"].endswith("ongoing preemption on nominated nodes")
    assert [each.get("nominated") for each in answer["placements"]] == [None, "n1"]


def test_a_group_that_never_preempts() -> None:
    pods = [Pod("p1", 1), Pod("p2", 2, LOW, "pg1"), Pod("p3", 3, LOW, "pg2")]
    groups = [group(each, 1, disruptionMode={"single": {}}) for each in ("pg1", "pg2")]
    preemptor = group(minimum=None, priority=HIGH, preemptionPolicy="Never")
    waiting = [member(f"p-{i}", cpu="1", priority=HIGH, preemptionPolicy="Never") for i in range(2)]
    for others in ([], groups):
        nodes = [node(f"n{i}", cpu="1") for i in (1, 2, 3)]
        gates = GATES | {"PodGroupPreemptionPolicy": True}
        answer = decided(*nodes, *others, *map(running, pods), preemptor, *waiting, gates=gates)
        assert answer["victims"] == []
        assert answer["condition"]["message"].endswith("not eligible due to preemptionPolicy=Never.")


# -- importance, budgets, terminating pods


def infos(*starts: int, **labels: str) -> tuple[PodInfo, ...]:
    pods = [running(Pod(f"p{i}", 1, start=start)) for i, start in enumerate(starts)]
    for each in pods:
        each["metadata"]["labels"] = labels
    whole = cluster(node("n1"), *pods)
    found = (whole.pods.infos[whole.pods.row_of[f"default/p{i}"]] for i in range(len(starts)))
    return tuple(each for each in found if each is not None)


def unit(priority: int, rank: int, *starts: int) -> Unit:
    return Unit(infos(*starts), ("n1",) * len(starts), priority, rank)


IMPORTANCE = {
    "priority": (unit(20, 1, 5), unit(10, 1, 5)),
    "a group before a pod": (unit(10, 2, 5), unit(10, 1, 5)),
    "the older pod": (unit(10, 1, 1), unit(10, 1, 5)),
    "the larger group": (unit(10, 2, 5, 5), unit(10, 2, 5)),
    "the older of groups of the same size": (unit(10, 2, 1, 5), unit(10, 2, 5, 5)),
}


@pytest.mark.parametrize("name", IMPORTANCE)
def test_the_more_important_victim(name: str) -> None:
    more, less = IMPORTANCE[name]
    assert more.importance < less.importance and not less.importance < more.importance


BUDGETS: dict[str, tuple[list[dict[str, Any]], int, list[int]]] = {
    "no budget matches": ([budget("bar", 0)], 1, [0]),
    "enough disruptions are allowed": ([budget("foo", 1)], 1, [0]),
    "no disruption is allowed": ([budget("foo", 0)], 1, [1]),
    "a group breaks it twice": ([budget("foo", 0)], 2, [2]),
    "a group breaks nothing": ([budget("foo", 2)], 2, [0]),
    "the pod is disrupted already": ([budget("foo", 0, disruptedPods={"p0": "2024-01-01T00:00:00Z"})], 1, [0]),
    "an empty selector matches nothing": ([budget("", 0)], 1, [0]),
    "two budgets": ([budget("foo", 1), budget("foo", 0)], 1, [1]),
}


@pytest.mark.parametrize("name", BUDGETS)
def test_violations(name: str) -> None:
    budgets, size, violating = BUDGETS[name]
    found = violations_of(cluster(node("n1"), *budgets), [Unit(infos(*range(size), app="foo"), ("n1",) * size, LOW, 1)])
    assert [sum(each) for each in found] == violating


def test_the_second_victim_breaks_the_budget() -> None:
    one, other = infos(0, 1, app="foo")
    units = [Unit((each,), ("n1",), LOW, 1) for each in (one, other)]
    assert violations_of(cluster(node("n1"), budget("foo", 1)), units) == [[False], [True]]


TERMINATING = {
    "not deleted": (running(Pod("p", 1)), False),
    "no mark": (terminating(running(Pod("p", 1))) | {"status": {}}, False),
    "a mark that is false": (terminating(running(Pod("p", 1)), "False"), False),
    "another reason": (terminating(running(Pod("p", 1)), reason="EvictionByEvictionAPI"), False),
    "preempted": (terminating(running(Pod("p", 1))), True),
}


@pytest.mark.parametrize("name", TERMINATING)
def test_terminating_by_preemption(name: str) -> None:
    manifest, preempted = TERMINATING[name]
    whole = cluster(node("n1"), manifest)
    info = whole.pods.infos[whole.pods.row_of["default/p"]]
    assert info is not None and is_preempted(info.pod) == preempted
