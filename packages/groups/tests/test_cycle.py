"""A cycle of a pod group: which pods get a node, what the others are told, whom preemption evicts."""

import json
from typing import Any

import pytest

from kschedlab.build import node, pod
from kschedlab.program.decide import decide_lines

GATES = {"GenericWorkload": True}


def group(name: str = "g", minimum: int | None = 2, priority: int = 0, **spec: Any) -> dict[str, Any]:
    policy = {"basic": {}} if minimum is None else {"gang": {"minCount": minimum}}
    fields = {"schedulingPolicy": policy, "priority": priority} | spec
    return {"apiVersion": "scheduling.k8s.io/v1beta1", "kind": "PodGroup", "metadata": {"name": name}, "spec": fields}


def member(name: str, on: str | None = None, *, of: str = "g", **fields: Any) -> dict[str, Any]:
    made = pod(name, on, **fields)
    made["spec"]["schedulingGroup"] = {"podGroupName": of}
    return made


def decided(*objects: Any, gates: dict[str, bool] | None = None) -> dict[str, Any]:
    asked = {"objects": objects, "podGroup": "default/g", "featureGates": GATES if gates is None else gates}
    (answer,) = map(json.loads, decide_lines([json.dumps(asked)]))
    return answer


def nodes_of(answer: dict[str, Any]) -> list[str]:
    return [each["node"] for each in answer["placements"]]


def messages_of(answer: dict[str, Any]) -> list[str]:
    return [each.get("message", "") for each in answer["placements"]]


def test_a_gang_is_placed_as_a_whole() -> None:
    answer = decided(node("n1", cpu="2"), node("n2", cpu="1"), group(), member("a", cpu="1500m"), member("b", cpu="1"))
    assert nodes_of(answer) == ["n1", "n2"]
    assert answer["condition"] == {"status": "True", "reason": "Scheduled", "message": ""}


def test_a_gang_without_enough_room_gets_nothing() -> None:
    answer = decided(node("n1", cpu="1"), group(), member("a", cpu="1"), member("b", cpu="1"))
    ends = "minCount (2) cannot be satisfied: 1 scheduled, 0 remaining, "
    ends += "pod group preemption: No preemption victims found for incoming preemptor"
    assert messages_of(answer) == [
        f"pod group is unschedulable, {ends}",
        "0/1 nodes are available: 1 Insufficient cpu.",
    ]
    assert answer["condition"] == {"status": "False", "reason": "Unschedulable", "message": ends}


def test_pods_beyond_the_minimum_may_stay_behind() -> None:
    answer = decided(node("n1", cpu="2"), group(), *(member(name, cpu="1") for name in "abc"))
    assert nodes_of(answer) == ["n1", "n1", ""] and answer["condition"]["status"] == "True"


def test_a_basic_group_takes_what_it_gets_but_at_least_one() -> None:
    one = decided(node("n1", cpu="1"), group(minimum=None), member("a", cpu="1"), member("b", cpu="1"))
    assert nodes_of(one) == ["n1", ""] and one["condition"]["status"] == "True"
    none = decided(node("n1", cpu="1"), group(minimum=None), member("a", cpu="2"))
    assert none["condition"]["message"].startswith("minCount (1) cannot be satisfied: 0 scheduled, 0 remaining, ")


def test_pods_that_run_already_count() -> None:
    answer = decided(
        node("n1", cpu="2"), group(minimum=3), member("a", "n1", cpu="0"), *(member(n, cpu="1") for n in "bc")
    )
    assert answer["condition"]["status"] == "True"


def test_an_incomplete_gang_is_not_tried() -> None:
    answer = decided(node("n1"), group(minimum=3), member("a"), member("b"))
    assert answer["condition"] is None and nodes_of(answer) == ["", ""]


def test_preemption_spares_what_does_not_stand_in_the_way() -> None:
    running = [pod("low", "n1", cpu="1"), pod("small", "n1", cpu="100m"), pod("other", "n2", cpu="100m")]
    nodes = [node("n1", cpu="1200m"), node("n2", cpu="1")]
    answer = decided(*nodes, *running, group(priority=5), *(member(n, cpu="800m", priority=5) for n in "ab"))
    assert answer["victims"] == ["default/low"]
    assert sorted(each["nominated"] for each in answer["placements"]) == ["n1", "n2"]
    assert answer["condition"]["message"].endswith("found a placement for podgroup, preempting 1 victims")


def apart(app: str) -> dict[str, Any]:
    term = {"labelSelector": {"matchLabels": {"app": app}}, "topologyKey": "zone"}
    return {"affinity": {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}}


SPREAD = {
    "topologySpreadConstraints": [
        {
            "maxSkew": 1,
            "topologyKey": "zone",
            "whenUnsatisfiable": "DoNotSchedule",
            "labelSelector": {"matchLabels": {"app": "web"}},
        }
    ]
}
KEEPER = pod("keeper", "n3", cpu="100m", priority=9, **apart("web"))
AROUND: dict[str, tuple[dict[str, Any], dict[str, Any], list[Any], list[str]]] = {
    "neither": ({}, {}, [], ["default/low"]),
    "the group's pod": (apart("web"), {}, [], ["default/guard", "default/low"]),
    "spreading": (SPREAD, {}, [], ["default/guard", "default/low"]),
    "the other pod": ({}, apart("web"), [KEEPER], ["default/guard", "default/low"]),
    "the other pod, after InterPodAffinity was skipped on the emptied cluster": ({}, apart("web"), [], ["default/low"]),
}


@pytest.mark.parametrize("who", AROUND)
def test_a_pod_on_another_node_goes_if_it_keeps_the_group_from_its_zone(who: str) -> None:
    wanted, other, more, victims = AROUND[who]
    guard = pod("guard", "n2", cpu="100m", labels={"app": "web"}, **other)
    nodes = [node(name, cpu=cpu, labels={"zone": zone}) for name, cpu, zone in ZONES]
    web = member("a", cpu="1", priority=5, labels={"app": "web"}, **wanted)
    answer = decided(*nodes, pod("low", "n1", cpu="1"), guard, *more, group(minimum=1, priority=5), web)
    assert sorted(answer["victims"]) == victims and answer["placements"][0]["nominated"] == "n1"


ZONES = (("n1", "1", "z1"), ("n2", "100m", "z1"), ("n3", "100m", "z2"))


@pytest.mark.parametrize(("mode", "victims"), [("all", ["default/x", "default/y"]), ("single", ["default/x"])])
def test_a_group_is_evicted_as_its_disruption_mode_says(mode: str, victims: list[str]) -> None:
    running = [member("x", "n1", of="old", cpu="1"), member("y", "n2", of="old", cpu="1")]
    objects = [node("n1", cpu="2"), node("n2", cpu="1"), group("old", 1, disruptionMode={mode: {}}), *running]
    wanted = member("a", cpu="2", priority=5)
    assert decided(*objects, group(minimum=1, priority=5), wanted)["victims"] == victims


def test_a_budget_is_broken_last() -> None:
    budget = {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": "b"},
        "spec": {"selector": {"matchLabels": {"app": "kept"}}, "minAvailable": 1},
        "status": {"disruptionsAllowed": 0},
    }
    running = [pod("kept", "n1", cpu="1", labels={"app": "kept"}), pod("other", "n2", cpu="1", priority=1)]
    nodes = [node("n1", cpu="1"), node("n2", cpu="1")]
    answer = decided(*nodes, *running, budget, group(minimum=1, priority=5), member("a", cpu="1", priority=5))
    assert len(answer["victims"]) == 1


def test_a_pod_of_a_whole_group_on_a_lost_node_spoils_preemption() -> None:
    old = [member("x", "n1", of="old"), member("y", "gone", of="old")]
    objects = [node("n1", cpu="1"), group("old", 1, disruptionMode={"all": {}}), *old]
    answer = decided(*objects, group(minimum=1, priority=5), member("a", cpu="2", priority=5))
    said = 'failed to get node info for node "gone" from snapshot: nodeinfo not found for node name "gone"'
    assert answer["condition"]["reason"] == "SchedulerError" and answer["condition"]["message"].endswith(said)


FAULTS = {
    "priority": (
        member("b", priority=1),
        "all pods in a single pod group should have the same priority as the pod group's priority, got 1 and 0",
    ),
    "policy": (
        member("b", preemptionPolicy="Never"),
        "all pods in a single pod group should have the same preemption policy, got ",
    ),
    "scheduler": (
        member("b", schedulerName="other"),
        'all pods in a single pod group should have the same .spec.schedulerName set, got: "',
    ),
}


@pytest.mark.parametrize("case", FAULTS)
def test_pods_that_do_not_belong_together_are_an_error(case: str) -> None:
    other, said = FAULTS[case]
    answer = decided(node("n1"), group(), member("a"), other)
    assert answer["condition"]["reason"] == "SchedulerError" and answer["condition"]["message"].startswith(said)


def test_the_policy_of_the_group_counts_behind_its_gate() -> None:
    objects = [node("n1", cpu="1"), pod("low", "n1", cpu="1"), group(minimum=1, priority=5, preemptionPolicy="Never")]
    wanted = member("a", cpu="1", priority=5, preemptionPolicy="Never")
    answer = decided(*objects, wanted, gates=GATES | {"PodGroupPreemptionPolicy": True})
    assert answer["victims"] == []
    assert answer["condition"]["message"].endswith("pod group preemption: not eligible due to preemptionPolicy=Never.")


REFUSED = {
    "no gate": ([group(), member("a"), member("b")], {}, "podGroup needs featureGates: {GenericWorkload: true}"),
    "no group": ([member("a")], GATES, 'pod group "default/g" is not in the scenario: add it to objects'),
    "no pods": ([group()], GATES, 'no pod of the pod group "default/g" waits'),
    "no profile": (
        [group(minimum=1), member("a", schedulerName="other")],
        GATES,
        'no profile has the schedulerName "other" of pod default/a',
    ),
    "a fault": ([group(minimum=-1)], GATES, "objects[1]: PodGroup default/g: spec.schedulingPolicy.gang.minCount: -1"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_group_that_cannot_be_decided_is_an_error(case: str) -> None:
    objects, gates, said = REFUSED[case]
    assert said in decided(node("n1"), *objects, gates=gates)["error"]
