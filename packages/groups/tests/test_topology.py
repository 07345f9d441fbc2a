"""A group with a topology constraint: which domain takes it, and what its pods are told if none can."""

import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from kschedlab.build import cluster, node, pod
from kschedlab.cluster.cluster import Cluster
from kschedlab.generations import V1_37
from kschedlab.manifests.decoding import decode
from kschedlab.objects.model import Node, Pod, PodGroup
from kschedlab.scheduler import Scheduler
from kschedlab_configuration.extenders.plain import as_extender
from kschedlab_groups.group import ERROR
from kschedlab_groups.topology import InPlacement, Placement, place_by_topology
from packages.groups.tests.test_cycle import GATES, decided, group, member, messages_of, nodes_of
from tests.preemption.test_stage import Broken

TOPOLOGY = GATES | {"TopologyAwareWorkloadScheduling": True}
RACK = {"topology": [{"key": "rack"}]}


def in_rack(name: str, rack: str | None, **fields: Any) -> dict[str, Any]:
    return node(name, labels={} if rack is None else {"rack": rack}, **fields)


def tried(*objects: Any, minimum: int | None = 2, key: str = "rack", **spec: Any) -> dict[str, Any]:
    wanted = group(minimum=minimum, schedulingConstraints={"topology": [{"key": key}]}, **spec)
    return decided(*objects, wanted, gates=TOPOLOGY)


def gang(*cpus: str) -> list[dict[str, Any]]:
    return [member(f"p{i}", cpu=cpu) for i, cpu in enumerate(cpus)]


def test_a_gang_stays_in_one_domain() -> None:
    nodes = [in_rack("a", "r1", cpu="1"), in_rack("b", "r2", cpu="1"), in_rack("c", "r2", cpu="1")]
    assert sorted(nodes_of(tried(*nodes, *gang("1", "1")))) == ["b", "c"]
    plain = decided(*nodes, group(), *gang("1", "1"), gates=TOPOLOGY)
    assert plain["condition"]["status"] == "True" and plain["domains"] == [{"domain": "", "pods": 2}]


def test_without_the_gate_the_constraint_does_not_count() -> None:
    nodes = [in_rack("a", "r1", cpu="1"), in_rack("b", "r2", cpu="1")]
    answer = decided(*nodes, group(schedulingConstraints=RACK), *gang("1", "1"))
    assert sorted(nodes_of(answer)) == ["a", "b"] and "domains" not in answer


def test_the_fuller_domain_wins() -> None:
    nodes = [in_rack("a", "r1", cpu="4", memory="4Gi"), in_rack("b", "r2", cpu="4", memory="4Gi")]
    answer = tried(*nodes, pod("old", "b", cpu="1", memory="1Gi"), *gang("1", "1"))
    assert nodes_of(answer) == ["b", "b"]
    assert answer["domains"] == [
        {"domain": "r1", "pods": 2, "scores": {"NodeResourcesFit": 29, "PodGroupPodsCount": 100}},
        {"domain": "r2", "pods": 2, "scores": {"NodeResourcesFit": 54, "PodGroupPodsCount": 100}},
    ]


def test_the_domain_for_more_pods_wins() -> None:
    nodes = [in_rack("a", "r1", cpu="3", memory="9Gi"), in_rack("b", "r2", cpu="2", memory="9Gi")]
    answer = tried(*nodes, *gang("1", "1", "1"))
    assert nodes_of(answer) == ["a", "a", "a"]
    assert [each["scores"]["PodGroupPodsCount"] for each in answer["domains"]] == [100, 66]


def test_pods_that_run_tie_the_others_to_their_domain() -> None:
    nodes = [in_rack("a", "r1", cpu="1"), in_rack("b", "r2", cpu="8")]
    answer = tried(*nodes, member("old", "a", cpu="1"), *gang("1"))
    assert [each["domain"] for each in answer["domains"]] == ["r1"]
    assert messages_of(answer) == ["0/1 nodes are available: 1 Insufficient cpu."]


LOST = {
    "two domains": (["a", "b"], "more than 1 domain found for pod group: r1, r2"),
    "no domain": (["c"], "no topology domain found for pod default/old-0"),
    "no node": (
        ["gone"],
        'getting node for pod default/old-0: nodeinfo not found for node name "gone"',
    ),
}


@pytest.mark.parametrize("case", LOST)
def test_pods_that_run_without_a_common_domain_are_an_error(case: str) -> None:
    places, said = LOST[case]
    nodes = [in_rack("a", "r1"), in_rack("b", "r2"), in_rack("c", None)]
    old = [member(f"old-{i}", place) for i, place in enumerate(places)]
    answer = tried(*nodes, *old, *gang("1"))
    said = f"cannot determine domain for already scheduled pods: {said}"
    assert messages_of(answer) == [said]
    assert answer["condition"] == {"status": "False", "reason": "SchedulerError", "message": said}


def test_a_domain_with_an_empty_name_agrees_with_one_that_comes_later() -> None:
    nodes = [in_rack("a", ""), in_rack("b", "r2")]
    answer = tried(*nodes, member("old-0", "a"), member("old-1", "b"), *gang("1"))
    assert nodes_of(answer) == ["b"]


def test_without_any_domain_the_group_is_unschedulable() -> None:
    answer = tried(in_rack("a", "r1"), *gang("1", "1"), key="room")
    assert messages_of(answer) == ["no feasible placements found"] * 2
    assert answer["condition"]["message"] == (
        "no feasible placements found, pod group preemption: No preemption victims found for incoming preemptor"
    )


def test_if_no_domain_can_take_it_the_first_one_says_why() -> None:
    answer = tried(in_rack("a", "r1", cpu="1"), in_rack("b", "r2", cpu="1"), *gang("1", "1"))
    first = "minCount (2) cannot be satisfied: 1 scheduled, 0 remaining"
    head = f"pod group is unschedulable, 0/2 placements are available, first placement status: {first}"
    assert answer["condition"]["message"].startswith(head)
    assert messages_of(answer)[1] == "0/1 nodes are available: 1 Insufficient cpu."


def test_preemption_makes_room_in_one_domain() -> None:
    nodes = [in_rack("a", "r1", cpu="1"), in_rack("b", "r2", cpu="1"), in_rack("c", "r2", cpu="1")]
    running = [pod(f"low-{n}", n, cpu="1") for n in "abc"]
    wanted = [member(name, cpu="1", priority=5) for name in "xy"]
    answer = tried(*nodes, *running, *wanted, priority=5)
    assert answer["victims"] == ["default/low-b", "default/low-c"]
    assert sorted(each["nominated"] for each in answer["placements"]) == ["b", "c"]


def test_a_draw_decides_between_equal_domains() -> None:
    nodes = [in_rack("a", "r1"), in_rack("b", "r2")]
    found, _ = decode(group(minimum=1, schedulingConstraints=RACK), "PodGroup")
    assert isinstance(found, PodGroup)
    whole = cluster(*nodes, member("p", cpu="1"))
    drawn = {
        place_by_topology(Scheduler(whole, V1_37, rng=random.Random(each)), found, [*whole.pending.values()], [])[0]
        for each in range(20)
    }
    assert {each.placement for each in drawn} == {"r1", "r2"}


def test_an_error_in_one_domain_ends_the_attempt() -> None:
    """The other domain, which has room, is not tried."""
    wanted, _ = decode(group(minimum=1, schedulingConstraints=RACK), "PodGroup")
    assert isinstance(wanted, PodGroup)
    world = cluster(in_rack("a", "r1"), in_rack("b", "r2"), member("p"))
    scheduler = Scheduler(world, replace(V1_37, filters=(Broken("a"),)))
    trial, tries = place_by_topology(scheduler, wanted, [*world.pending.values()], [])
    assert trial.status.code == ERROR and trial.status.message.endswith(': running "Broken" filter plugin: no a')
    assert [each.placement for each in tries] == ["r1"]


def test_a_resource_that_a_domain_lacks_does_not_count() -> None:
    """v1.37: pkg/scheduler/framework/plugins/noderesources/most_allocated.go, mostResourceScorer."""
    nodes = [in_rack("a", "r1", cpu="0", memory="4Gi"), in_rack("b", "r2", cpu="4", memory="4Gi")]
    answer = tried(*nodes, member("p", cpu=None, memory="1Gi"), minimum=1)
    assert [each["scores"]["NodeResourcesFit"] for each in answer["domains"]] == [25, 13]


def test_a_running_pod_without_requests_makes_its_domain_fuller() -> None:
    """v1.37: pkg/scheduler/util/pod_resources.go counts 100 milli-CPU and 200 MiB for it."""
    nodes = [in_rack("a", "r1", cpu="1", memory="1Gi"), in_rack("b", "r2", cpu="1", memory="1Gi")]
    answer = tried(*nodes, pod("old", "b", cpu=None), member("p", cpu="100m"), minimum=1)
    low, high = (each["scores"]["NodeResourcesFit"] for each in answer["domains"])
    assert (low, high) == (14, 29)


def test_domains_without_any_resource_are_equal() -> None:
    nodes = [in_rack(name, rack, allocatable={"pods": "9"}) for name, rack in (("a", "r1"), ("b", "r2"))]
    answer = tried(*nodes, member("p", cpu=None), minimum=1)
    assert [each["scores"]["NodeResourcesFit"] for each in answer["domains"]] == [0, 0]


# -- decisions in a placement


def placed(nodes: int, inside: range) -> tuple[Cluster, InPlacement]:
    import numpy as np

    whole = cluster(*(node(f"n{i:03}") for i in range(nodes)), pod("web", cpu="1"))
    return whole, InPlacement(Scheduler(whole, V1_37), Placement("r", np.array(inside)))


def test_the_search_goes_round_the_placement() -> None:
    whole, scheduler = placed(600, range(100, 400))
    (web,) = whole.pending.values()
    first = scheduler.cycle(web)
    assert first.evaluated == 144, "48 % of the 300 nodes"
    assert (first.names[0], first.names[-1]) == ("n100", "n243")
    scheduler.cycle(web)
    third = scheduler.cycle(web)
    assert (third.names[0], third.names[-1]) == ("n100", "n399"), "the end of the placement, and its beginning"
    assert scheduler.next_start_node_index == 432 % 300


def test_other_nodes_are_excluded() -> None:
    whole, scheduler = placed(3, range(1, 3))
    decision = scheduler.cycle(whole.info(whole.pending["default/web"].pod))
    assert decision.names == ["n001", "n002"] and decision.verdict("n000").plugin == "PreFilter"


def test_an_extender_is_offered_what_the_search_found_in_the_placement() -> None:
    class Full:
        def filter(self, pod: Pod, nodes: Sequence[Node]) -> dict[str, str]:
            return {node.metadata.name: "full" for node in nodes}

    whole, scheduler = placed(600, range(100, 400))
    scheduler.generation = V1_37.extended_by(as_extender(Full()))
    decision = scheduler.cycle(whole.pending["default/web"])
    assert decision.message == "0/300 nodes are available: 144 full."
    assert [decision.verdict(name).plugin for name in ("n099", "n243", "n244")] == ["Extender"] * 3
