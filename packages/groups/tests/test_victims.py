"""A single pod preempts where groups run: a group that is disrupted as one goes as a whole, or stays."""

import gzip
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from kschedlab.build import cluster, node, pod
from kschedlab.generations import V1_37, api_of
from kschedlab.manifests.decoding import decode
from kschedlab.objects.model import PodGroup
from kschedlab.program.decide import decide_lines
from kschedlab_groups.program import GroupsOf
from kschedlab_groups.victims import GroupScheduler
from kschedlab_simulation.simulation import Simulation
from packages.groups.tests.test_cycle import GATES, group, member
from tests.oracle.groups import ours_alone
from tests.preemption.test_stage import Broken
from tests.samples import sampled

REAL = Path(__file__).parent / "data" / "alone.jsonl.gz"


@pytest.mark.parametrize("part", sampled(range(4), 1))
def test_agrees_with_the_whole_real_scheduler(part: int) -> None:
    with gzip.open(REAL, "rt") as file:
        cases = [json.loads(line) for line in file]
    assert len(cases) >= 100
    found = [(ours_alone(each["scenario"])[0], each["real"]) for each in cases[part::4]]
    assert [pair for pair in found if pair[0] != pair[1]] == []


def preemption(*objects: Any, gates: dict[str, bool] | None = None) -> dict[str, Any]:
    wanted = pod("web", cpu="2", priority=10)
    asked = {"objects": [*objects, wanted], "pod": "default/web", "featureGates": GATES if gates is None else gates}
    (answer,) = map(json.loads, decide_lines([json.dumps(asked)]))
    return answer


def whole(name: str, **spec: Any) -> dict[str, Any]:
    return group(name, 1, disruptionMode={"all": {}}, **spec)


NODES = node("n1", cpu="2"), node("n2", cpu="1")
PAIR = member("x", "n1", of="old", cpu="1"), member("y", "n2", of="old", cpu="1")


def test_all_pods_of_the_group_are_victims_wherever_they_are() -> None:
    found = preemption(*NODES, whole("old"), *PAIR)["preemption"]
    assert found["chosen"] == ["n1"]
    assert sorted(found["candidates"]["n1"]["victims"]) == ["default/x", "default/y"]


@pytest.mark.parametrize("gates", [{}, GATES])
def test_pods_are_evicted_one_by_one_otherwise(gates: dict[str, bool]) -> None:
    old = group("old", 1, disruptionMode={"single": {}}) if gates else whole("old")
    found = preemption(*NODES, old, *PAIR, gates=gates)["preemption"]
    assert found["candidates"]["n1"]["victims"] == ["default/x"]


def test_the_priority_is_that_of_the_group() -> None:
    answer = preemption(*NODES, whole("old", priority=10), *PAIR)
    assert answer["preemption"]["candidates"] == {} and "No preemption victims found" in answer["event"]


def test_a_group_is_reprieved_before_a_pod_of_the_same_priority() -> None:
    objects = [node("n1", cpu="3"), group("old", 1), member("x", "n1", of="old", cpu="1"), pod("plain", "n1", cpu="1")]
    found = preemption(*objects)["preemption"]
    assert found["candidates"]["n1"]["victims"] == ["default/plain"]


def test_a_lost_node_keeps_its_group_from_being_looked_at() -> None:
    answer = preemption(*NODES, whole("old"), *PAIR, member("z", "gone", of="old"))
    assert answer["error"] == 'failed to get node info for node "gone" from snapshot: ' + (
        'nodeinfo not found for node name "gone"'
    )


def test_a_simulation_evicts_the_whole_group() -> None:
    old = [
        member(name, on, of="old", cpu="1", terminationGracePeriodSeconds=1) for name, on in (("x", "n1"), ("y", "n2"))
    ]
    objects = [*NODES, whole("old"), *old, pod("web", cpu="2", priority=10)]
    simulation = Simulation(objects, V1_37.with_feature_gates(GATES))
    simulation.run()
    assert {each.metadata.name: each.spec.nodeName for each in simulation.pods()} == {"web": "n1"}


def test_a_node_that_stays_too_full_says_so() -> None:
    """Without the victims, a pod of higher priority is still in the way."""
    nodes = [node(name, cpu="2") for name in ("n1", "n2", "n3", "n4")]
    in_the_way = [pod(f"high-{name}", name, cpu="1", priority=20) for name in ("n1", "n2", "n3")]
    old = [member(f"old-{name}", name, of="old", cpu="1") for name in ("n1", "n2", "n3")]
    answer = preemption(*nodes, whole("old"), *in_the_way, *old, pod("other", "n4", cpu="1", priority=20))
    assert answer["preemption"]["candidates"] == {}
    assert answer["event"].endswith(
        "preemption: 0/4 nodes are available: 1 No preemption victims found for incoming pod, 3 Insufficient cpu."
    )


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        (["n1"], "preemption: found a potential placement for pod on node n2, preempting 2 victims"),
        (["n1", "n2"], 'preemption: [running "Broken" filter plugin: no n1, running "Broken" filter plugin: no n2]'),
    ],
)
def test_a_plugin_that_fails_on_an_emptied_node_ends_preemption_unless_another_helps(
    broken: list[str], message: str
) -> None:
    """As without groups: v1.37, pkg/scheduler/framework/preemption/preemption.go, DryRunPreemption."""
    nodes = [node("n1", cpu="2"), node("n2", cpu="2")]
    generation = V1_37.with_feature_gates(GATES)
    world = cluster(*nodes, *PAIR, pod("web", cpu="2", priority=10), api=api_of(generation))
    scheduler = GroupScheduler(world, replace(generation, filters=(*generation.filters, Broken(*broken))))
    found, _ = decode(whole("old"), "PodGroup")
    assert isinstance(found, PodGroup)
    scheduler.groups = GroupsOf({("default", "old"): found}, [])
    decision = scheduler.cycle(world.pending["default/web"])
    assert decision.preemption is not None and decision.preemption.message == message
