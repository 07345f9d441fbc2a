"""The preemption stage: eligibility, candidates, victims and messages."""

import random
from dataclasses import replace

import numpy as np
import pytest

from kschedlab.build import Manifest, budget, cluster, node, node_affinity, pod, term
from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.pods import PodInfo
from kschedlab.decision import Decision
from kschedlab.filter.plugin import Refusal, Refusals, StaticFilter
from kschedlab.generations import V1_37, Generation
from kschedlab.preemption.rules import PreemptionRules, VictimRules
from kschedlab.scheduler import schedule

FOUR = {"cpu": "4", "memory": "8Gi", "pods": "10"}


def asks(cpu: str) -> Manifest:
    return {"requests": {"cpu": cpu}}


def decide(*objects: Manifest, generation: Generation = V1_37, cpu: str = "2", **preemptor: object) -> Decision:
    """The decision for a pod of priority 10 that requests ``cpu``."""
    wants = pod("vip", **asks(cpu), **({"priority": 10} | preemptor))
    return schedule("default/vip", cluster(*objects, wants), generation)


def full(name: str, *priorities: int, **common: object) -> list[Manifest]:
    """A node of 4 cpu with one pod of 1 cpu for each priority, started one after another."""
    pods = [
        pod(f"{name}-{i}", name, priority=p, start=f"2024-01-01T00:00:{i:02}Z", **asks("1"), **common)
        for i, p in enumerate(priorities)
    ]
    return [node(name, allocatable=FOUR), *pods]


def names(decision: Decision) -> dict[str, list[str]]:
    assert decision.preemption is not None
    return {n: [v.pod.metadata.name for v in c.victims] for n, c in decision.preemption.candidates.items()}


def test_the_least_important_pods_are_evicted() -> None:
    decision = decide(*full("n1", 5, 1, 3, 1))
    assert names(decision) == {"n1": ["n1-1", "n1-3"]}
    assert decision.nominated_node == "n1" and decision.node is None


def test_among_equals_the_younger_pod_is_evicted() -> None:
    assert names(decide(*full("n1", 1, 1, 1, 1), cpu="1")) == {"n1": ["n1-3"]}


def test_each_reprieve_is_recorded_in_its_order_with_what_refused_it() -> None:
    decision = decide(*full("n1", 5, 1, 3, 1))
    assert decision.preemption is not None
    attempts = decision.preemption.candidates["n1"].attempts
    assert [(a.pod.pod.metadata.name, a.refused_by) for a in attempts] == [
        ("n1-0", None),
        ("n1-2", None),
        ("n1-1", "NodeResourcesFit"),
        ("n1-3", "NodeResourcesFit"),
    ]


def test_pods_whose_eviction_violates_a_budget_are_reprieved_first() -> None:
    protected = full("n1", 1, 1, 1, 1)
    protected[4]["metadata"]["labels"] = {"app": "db"}
    decision = decide(*protected, budget("b", 0, {"app": "db"}), cpu="1")
    assert names(decision) == {"n1": ["n1-2"]}
    assert decision.preemption is not None and decision.preemption.candidates["n1"].violations == 0


def test_equal_or_higher_priority_is_never_evicted() -> None:
    decision = decide(*full("n1", 10, 10, 11, 12))
    assert names(decision) == {} and decision.nominated_node is None


@pytest.mark.parametrize(
    ("name", "objects", "preemptor", "event"),
    [
        (
            "evicting helps",
            full("n1", 1, 1, 1, 1),
            {},
            "0/1 nodes are available: 1 Insufficient cpu. preemption: found a potential placement for pod on node n1,"
            " preempting 2 victims",
        ),
        (
            "the node is too small even when empty",
            full("n1", 1, 1, 1, 1),
            {"cpu": "9"},
            "0/1 nodes are available: 1 Insufficient cpu. preemption: 0/1 nodes are available:"
            " 1 Preemption is not helpful for scheduling.",
        ),
        (
            "nobody to evict",
            full("n1", 20, 20, 20, 20),
            {},
            "0/1 nodes are available: 1 Insufficient cpu. preemption: 0/1 nodes are available:"
            " 1 No preemption victims found for incoming pod.",
        ),
        (
            "evicting is not enough",
            [*full("n1", 20, 20, 20, 1), *full("n2", 20, 20, 20, 20)],
            {},
            "0/2 nodes are available: 2 Insufficient cpu. preemption: 0/2 nodes are available:"
            " 1 Insufficient cpu, 1 No preemption victims found for incoming pod.",
        ),
        (
            "the pod may not",
            full("n1", 1, 1, 1, 1),
            {"preemptionPolicy": "Never"},
            "0/1 nodes are available: 1 Insufficient cpu. preemption: not eligible due to preemptionPolicy=Never.",
        ),
    ],
)
def test_the_event(name: str, objects: list[Manifest], preemptor: dict[str, object], event: str) -> None:
    assert decide(*objects, **preemptor).event == event, name  # type: ignore[arg-type]


@pytest.mark.parametrize("version", ["v1.20", "v1.24", "v1.28", "v1.30", "v1.32", "v1.34", "v1.35", "v1.36", "v1.37"])
def test_which_versions_tell_of_a_nomination_in_the_event(version: str) -> None:
    """framework/preemption/preemption.go, Preempt: up to v1.36 success has no message (v1.24.0, v1.32.0, v1.36.0)."""
    generation, objects = Generation.named(version), full("n1", 1, 1, 1, 1)
    nominated, refused = decide(*objects, generation=generation), decide(*objects, generation=generation, cpu="9")
    assert nominated.nominated_node == "n1" and refused.nominated_node is None
    assert ("n1" in nominated.event) == (version == "v1.37")
    assert ("preemption:" in refused.event) == (version != "v1.20")


def terminating(*conditions: Manifest) -> list[Manifest]:
    objects = full("n1", 1, 1, 1, 1)
    objects[1]["metadata"] |= {"deletionTimestamp": "2024-01-01T00:01:00Z", "deletionGracePeriodSeconds": 30}
    objects[1]["status"]["conditions"] = list(conditions)
    return objects


BY_SCHEDULER = {"type": "DisruptionTarget", "status": "True", "reason": "PreemptionByScheduler"}


def test_it_waits_while_its_victim_terminates() -> None:
    decision = decide(*terminating(BY_SCHEDULER), nominated="n1")
    assert decision.preemption is not None
    assert decision.preemption.reason == "not eligible due to a terminating pod on the nominated node"


def test_it_waits_only_for_pods_of_lower_priority() -> None:
    objects = terminating(BY_SCHEDULER)
    objects[1]["spec"]["priority"] = 10
    assert decide(*objects, nominated="n1").nominated_node == "n1"


def test_it_does_not_wait_for_a_pod_that_terminates_for_another_reason() -> None:
    assert decide(*terminating(), nominated="n1").nominated_node == "n1"
    waits = replace(V1_37, preemption=replace(V1_37.preemption, waits_for_preempted_pods_only=False))
    assert decide(*terminating(), nominated="n1", generation=waits).nominated_node is None


@pytest.mark.parametrize(("version", "nominated"), [("v1.28", None), ("v1.30", None), ("v1.32", "n2"), ("v1.37", "n2")])
def test_before_v1_32_it_waits_for_a_victim_on_a_node_that_it_may_not_use(version: str, nominated: str | None) -> None:
    """framework/preemption/preemption.go, Preempt: v1.30.14 has no status of nodes that a PreFilter result excludes."""
    objects = [*terminating(BY_SCHEDULER), *full("n2", 1, 1, 1, 1)]
    pinned = node_affinity(term("metadata.name In n2"))
    decision = decide(*objects, nominated="n1", affinity=pinned, generation=Generation.named(version))
    assert decision.nominated_node == nominated


def test_victims_listed_in_the_order_of_the_reprieve() -> None:
    objects = [*full("n1", 1, 5, 1, 1), budget("b", 0, {"app": "db"})]
    for manifest in (objects[1], objects[3]):
        manifest["metadata"]["labels"] = {"app": "db"}
    assert names(decide(*objects, cpu="4")) == {"n1": ["n1-1", "n1-0", "n1-2", "n1-3"]}
    as_tried = replace(V1_37, preemption=PreemptionRules(victims=VictimRules(sorted_again=False)))
    assert names(decide(*objects, cpu="4", generation=as_tried)) == {"n1": ["n1-0", "n1-2", "n1-1", "n1-3"]}


def test_a_running_scheduler_stops_at_enough_candidates() -> None:
    """120 nodes where evicting helps: an exhaustive search sees all of them, a running scheduler a hundred."""
    objects = [m for i in range(120) for m in full(f"n{i}", 1, 1, 1, 1)]
    world = cluster(*objects, pod("vip", **asks("2"), priority=10))
    exhaustive = schedule("default/vip", world)
    running = schedule("default/vip", world, rng=random.Random(1), exhaustive=False)
    assert exhaustive.preemption is not None and running.preemption is not None
    assert (len(exhaustive.preemption.candidates), len(running.preemption.candidates)) == (120, 100)


def test_only_violating_candidates_do_not_end_the_search() -> None:
    """The search goes on until one candidate violates no budget, if there is one."""
    objects = [m for i in range(110) for m in full(f"n{i:03}", 1, 1, 1, 1, labels={"app": "db"})]
    objects += full("n999", 1, 1, 1, 1)
    world = cluster(*objects, budget("b", 0, {"app": "db"}), pod("vip", **asks("2"), priority=10))
    for seed in range(3):
        decision = schedule("default/vip", world, rng=random.Random(seed), exhaustive=False)
        assert decision.nominated_node == "n999"


class Broken:
    """A filter that fails on these nodes."""

    name = "Broken"

    def __init__(self, *nodes: str) -> None:
        self.nodes = nodes

    def prepare(self, _: PodInfo, cluster: Cluster) -> StaticFilter:
        parts = [Refusal(np.array([n == name for n in cluster.names]), f"no {name}", error=True) for name in self.nodes]
        return StaticFilter(Refusals(parts))


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        (["n1"], "preemption: found a potential placement for pod on node n2, preempting 2 victims"),
        (
            ["n1", "n2"],
            'preemption: [running "Broken" filter plugin: no n1, running "Broken" filter plugin: no n2]',
        ),
    ],
)
def test_errors_in_the_dry_run_end_preemption_unless_there_is_a_candidate(broken: list[str], message: str) -> None:
    generation = replace(V1_37, filters=(*V1_37.filters, Broken(*broken)))
    decision = decide(*full("n1", 1, 1, 1, 1), *full("n2", 1, 1, 1, 1), generation=generation)
    assert decision.preemption is not None and decision.preemption.message == message
    assert decision.event.endswith(message) and decision.message.startswith("0/2 nodes are available")


def test_before_v1_37_such_errors_are_refusals() -> None:
    generation = replace(V1_37, preemption=PreemptionRules(fails_with_its_filters=False))
    generation = replace(generation, filters=(*V1_37.filters, Broken("n1")))
    decision = decide(*full("n1", 1, 1, 1, 1), generation=generation)
    assert decision.preemption is not None and not decision.preemption.failure
