"""Changes from informers reach the cache and move waiting pods, in each generation."""

import dataclasses
from typing import Any

import pytest
from msgspec.structs import replace

from kschedlab.build import budget, node, pod
from kschedlab.generations import Generation
from kschedlab.objects.model import Node, Pod
from kschedlab_simulation.scheduler.changes import loop_rules
from kschedlab_simulation.scheduler.context import Latencies
from kschedlab_simulation.scheduler.handlers import HandlersByHint
from packages.simulation.tests.plane import SECOND, Plane, documents
from tests.course import GENERATIONS
from tests.storage import claim, csi_node, storage_class, volume

ALL = tuple(GENERATIONS)
SMALL = {"cpu": "1", "memory": "1Gi", "pods": "10"}


def waiting(generation: str) -> Plane:
    """A control plane where the pod ``web`` does not fit on the only node, which is full."""
    plane = Plane(node("n1", allocatable=SMALL), pod("old", "n1", cpu="800m"), generation=generation)
    plane.create(pod("web", cpu="500m"))
    plane.run(5)
    assert part(plane) == "unschedulable"
    return plane


def part(plane: Plane, name: str = "web") -> str:
    place = plane.scheduler.context.queue.places().get(f"default/{name}")
    return place.part if place else ""


def tries(plane: Plane) -> int:
    return plane.steps("web").count("pop")


@pytest.mark.parametrize("generation", ALL)
def test_a_deleted_pod_frees_its_node(generation: str) -> None:
    plane = waiting(generation)
    plane.delete("old", grace=0)
    plane.run(5)
    assert plane.where() == {"web": "n1"}
    assert ("active", "AssignedPodDelete") in plane.moves("web")


@pytest.mark.parametrize("generation", ALL)
def test_a_larger_node_moves_pods(generation: str) -> None:
    plane = waiting(generation)
    n1 = plane.node("n1")
    plane.api.update_status(replace(n1, status=documents(node("n1"))[0].status))
    plane.run(5)
    assert plane.where()["web"] == "n1"


@pytest.mark.parametrize("generation", ALL)
def test_a_heartbeat_moves_no_pods(generation: str) -> None:
    plane = waiting(generation)
    before = tries(plane)
    n1 = plane.node("n1")
    plane.api.update(replace(n1, metadata=replace(n1.metadata, finalizers=("example.com/x",))))
    plane.run(5)
    assert tries(plane) == before


@pytest.mark.parametrize(
    ("manifest", "older"),
    [
        (budget("b", 1, {"app": "x"}), False),
        (volume("v"), True),
        (claim("c"), True),
        (storage_class("late"), True),
        (storage_class("now", waits=False), False),
        (csi_node("n1"), True),
        (node("n2", allocatable={"cpu": "100m", "memory": "1Gi", "pods": "1"}), True),
    ],
    ids=["budget", "volume", "claim", "late class", "class", "csi node", "node"],
)
@pytest.mark.parametrize("generation", ["v1.16", "v1.20", "v1.37"])
def test_additions_move_pods_before_hints(generation: str, manifest: Any, older: bool) -> None:
    """None of these can help the pod, which requests more cpu than any node has; the hints of v1.37 know."""
    plane = waiting(generation)
    before = tries(plane)
    plane.create(manifest)
    plane.run(30)
    assert (tries(plane) > before) == (older and generation != "v1.37")


@pytest.mark.parametrize("generation", ALL)
def test_a_pod_that_is_bound_by_another_leaves_the_queue(generation: str) -> None:
    plane = waiting(generation)
    web = plane.pod("web")
    plane.api.bind("default", "web", web.metadata.uid, "n1", by="somebody")
    plane.run(5)
    assert part(plane) == ""
    assert plane.scheduler.context.cache.sizes()["pods"] == 2


@pytest.mark.parametrize("generation", ALL)
def test_a_pod_that_is_deleted_leaves_the_queue(generation: str) -> None:
    plane = waiting(generation)
    plane.delete("web", grace=0)
    plane.run(5)
    assert part(plane) == "" and len(plane.scheduler.context.queue) == 0


@pytest.mark.parametrize("how", ["goes", "nominates nothing"])
@pytest.mark.parametrize(("priority", "moves"), [(-1, True), (0, True), (1, False)])
def test_a_nominated_pod_leaves_its_room_to_pods_of_its_priority(priority: int, moves: bool, how: str) -> None:
    """v1.37: eventhandlers.go, deletePodFromSchedulingQueue and updatePodInSchedulingQueue."""
    plane = Plane(node("n1", allocatable=SMALL), pod("old", "n1", cpu="800m", priority=-9))
    plane.create(pod("first", cpu="500m", priority=0))
    plane.run(0.5)
    assert plane.pod("first").status.nominatedNodeName == "n1"
    plane.create(pod("web", cpu="900m", priority=priority, preemptionPolicy="Never"))
    plane.run(0.5)
    if how == "goes":
        plane.delete("first", grace=0)
    else:
        plane.api.patch_status(Pod, "default", "first", nominatedNodeName="")
    plane.run(0.1)
    assert ("AssignedPodDelete" in [event for _, event in plane.moves("web")]) is moves


@pytest.mark.parametrize("generation", ALL)
def test_a_terminated_pod_frees_its_resources(generation: str) -> None:
    """The informer sees neither Succeeded nor Failed pods."""
    plane = waiting(generation)
    plane.api.patch_status(Pod, "default", "old", phase="Succeeded")
    plane.run(5)
    assert plane.where()["web"] == "n1"


@pytest.mark.parametrize("generation", ALL)
def test_a_terminating_pod_uses_resources_until_it_is_deleted(generation: str) -> None:
    plane = waiting(generation)
    plane.delete("old", grace=30)
    plane.run(20)
    assert plane.where()["web"] == ""
    plane.delete("old", grace=0)
    plane.run(20)
    assert plane.where()["web"] == "n1"


def test_without_terminating_pods_their_resources_are_reused_too_early() -> None:
    """The informer's filter as the overview document describes it, not as it is."""
    blind = dataclasses.replace(loop_rules(GENERATIONS["v1.16"]), sees_terminating_pods=False)
    plane = Plane(node("n1", allocatable=SMALL), pod("old", "n1", cpu="800m"), generation="v1.16", rules=blind)
    plane.create(pod("web", cpu="500m"))
    plane.run(5)
    plane.delete("old", grace=30)
    plane.run(5)
    assert plane.where() == {"old": "n1", "web": "n1"}


@pytest.mark.parametrize("generation", ALL)
def test_a_deleted_node_is_no_longer_chosen(generation: str) -> None:
    plane = Plane(node("n1"), node("n2"), generation=generation)
    plane.run()
    plane.api.delete(Node, "", "n1")
    plane.run()
    plane.create(pod("web"))
    plane.run()
    assert plane.where() == {"web": "n2"}


@pytest.mark.parametrize("generation", ALL)
def test_a_changed_pod_is_scheduled_in_its_new_version(generation: str) -> None:
    plane = Plane(node("n1", taints=[{"key": "k", "effect": "NoSchedule"}]), generation=generation)
    plane.create(pod("web"))
    plane.run(5)
    assert plane.where() == {"web": ""}
    web = plane.pod("web")
    toleration = documents(pod("x", tolerations=[{"operator": "Exists"}]))[0].spec.tolerations
    plane.api.update(replace(web, spec=replace(web.spec, tolerations=(*web.spec.tolerations, *toleration))))
    plane.run(15)
    assert plane.where() == {"web": "n1"}


@pytest.mark.parametrize("generation", ["v1.13", "v1.16", "v1.20", "v1.22", "v1.28", "v1.37"])
def test_an_assumed_pods_new_annotation_does_not_queue_it_again(generation: str) -> None:
    plane = Plane(node("n1"), generation=Generation.named(generation), latencies=Latencies(bind=5_000_000))
    plane.create(pod("web"))
    plane.run(1)
    web = plane.pod("web")
    plane.api.update(replace(web, metadata=replace(web.metadata, annotations={"a": "b"})))
    plane.run(10)
    assert plane.steps("web").count("pop") == 1
    assert plane.where() == {"web": "n1"}


def test_a_cache_error_is_logged_and_harmless() -> None:
    plane = Plane(node("n1"))
    plane.run()
    ghost = documents(pod("ghost", "n1"))[0]
    HandlersByHint(plane.scheduler.context).delete_pod(ghost)
    assert plane.details("cache") and "not found in scheduler cache" in plane.details("cache")[0]
    plane.create(pod("web"))
    plane.run()
    assert plane.where() == {"web": "n1"}


def test_a_pod_that_is_deleted_before_it_is_bound_frees_its_node_at_once() -> None:
    """v1.37: pkg/scheduler/eventhandlers.go, handleAssumedPodDeletion."""
    plane = Plane(node("n1", allocatable=SMALL), latencies=Latencies(bind=60 * SECOND))
    plane.create(pod("old", cpu="800m"))
    plane.run(1)
    plane.create(pod("web", cpu="500m"))
    plane.run(5)
    assert "assume" in plane.steps("old") and part(plane) == "unschedulable"
    plane.delete("old", grace=0)
    plane.run(10)
    assert "assume" in plane.steps("web")
