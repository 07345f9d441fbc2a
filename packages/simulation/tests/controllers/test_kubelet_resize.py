"""In-place resize, from the request to the pods that it makes room for."""

import json

import pytest
from msgspec.structs import replace

from kschedlab.build import Manifest, node, pod
from kschedlab.objects.model import Pod
from kschedlab.objects.quantity import Quantity
from kschedlab_simulation.log import Changed, Moved, Recorded
from kschedlab_simulation.simulation import Simulation


def simulated(*manifests: Manifest, until: str = "10s") -> Simulation:
    simulation = Simulation(manifests)
    simulation.run(until)
    return simulation


def resize(simulation: Simulation, name: str, **requests: str) -> None:
    found = simulation.api.get(Pod, "default", name)
    container = found.spec.containers[0]
    amounts = {resource: Quantity(amount) for resource, amount in requests.items()}
    container = replace(container, resources=replace(container.resources, requests=amounts))
    simulation.api.resize(replace(found, spec=replace(found.spec, containers=(container,))), by="kubectl")


def reported(simulation: Simulation, name: str) -> tuple[str, str]:
    """The cpu that the pod's container is allocated, and what it has."""
    (status,) = simulation.api.get(Pod, "default", name).status.containerStatuses
    assert status.resources is not None and status.resources.requests is not None
    assert status.allocatedResources is not None
    return str(status.allocatedResources["cpu"]), str(status.resources.requests["cpu"])


def conditions(simulation: Simulation, name: str) -> dict[str, str]:
    found = simulation.api.get(Pod, "default", name).status.conditions
    return {each.type: each.reason for each in found if each.type.startswith("PodResize")}


def events(simulation: Simulation, name: str) -> list[str]:
    return [
        e.reason
        for e in simulation.log
        if isinstance(e, Recorded) and e.key == f"default/{name}" and "Resize" in e.reason
    ]


def test_a_resize_is_allocated_at_once_and_enacted_a_second_later() -> None:
    simulation = simulated(node("n", cpu="4"), pod("a", cpu="1"))
    assert reported(simulation, "a") == ("1", "1")
    resize(simulation, "a", cpu="3")
    simulation.run("10500ms")
    assert reported(simulation, "a") == ("3", "1")
    assert conditions(simulation, "a") == {"PodResizeInProgress": ""}
    simulation.run("20s")
    assert reported(simulation, "a") == ("3", "3")
    assert not conditions(simulation, "a")
    assert events(simulation, "a") == ["ResizeStarted", "ResizeCompleted"]
    assert simulation.api.get(Pod, "default", "a").metadata.generation == 2
    started = next(e.message for e in simulation.log if isinstance(e, Recorded) and e.reason == "ResizeStarted")
    prefix, _, summary = started.partition(": ")
    assert prefix == "Pod resize started"
    containers = [{"name": "main", "resources": {"requests": {"cpu": "3"}}}]
    assert json.loads(summary) == {"containers": containers, "generation": 2}


def test_a_resize_without_room_is_deferred_until_another_pod_goes() -> None:
    simulation = simulated(node("n", cpu="4"), pod("a", cpu="1"), pod("b", cpu="2"))
    resize(simulation, "a", cpu="3")
    simulation.run("20s")
    found = simulation.api.get(Pod, "default", "a").status.conditions
    (pending,) = (each for each in found if each.type == "PodResizePending")
    assert (pending.status, pending.reason) == ("True", "Deferred")
    assert pending.message == "Node didn't have enough resource: cpu, requested: 3000, used: 2000, capacity: 4000"
    assert reported(simulation, "a") == ("1", "1")
    simulation.api.delete(Pod, "default", "b")
    simulation.run("100s")
    assert reported(simulation, "a") == ("3", "3")
    assert not conditions(simulation, "a")
    assert events(simulation, "a") == ["ResizeDeferred", "ResizeStarted", "ResizeCompleted"]


def test_a_deferred_resize_can_be_taken_back() -> None:
    simulation = simulated(node("n", cpu="4"), pod("a", cpu="1"), pod("b", cpu="2"))
    resize(simulation, "a", cpu="3")
    simulation.run("20s")
    resize(simulation, "a", cpu="1")
    simulation.run("30s")
    assert not conditions(simulation, "a") and reported(simulation, "a") == ("1", "1")


def test_a_waiting_pod_gets_the_room_once_the_smaller_size_is_enacted() -> None:
    """Until then, the scheduler counts what the container still has."""
    simulation = simulated(node("n", cpu="4"), pod("a", cpu="3"), pod("b", cpu="2", priority=-1))
    assert not simulation.api.get(Pod, "default", "b").spec.nodeName
    resize(simulation, "a", cpu="1")
    simulation.run("10500ms")
    assert not simulation.api.get(Pod, "default", "b").spec.nodeName
    simulation.run("20s")
    assert simulation.api.get(Pod, "default", "b").spec.nodeName == "n"
    moves = [entry.event for entry in simulation.log if isinstance(entry, Moved)]
    assert "AssignedPodUpdatePodScaleDown" in moves


@pytest.mark.parametrize(("priority", "first"), [(0, "a"), (1, "b"), (-1, "a")])
def test_of_deferred_resizes_the_highest_priority_comes_first_then_the_oldest(priority: int, first: str) -> None:
    """v1.37: pkg/kubelet/allocation/allocation_manager.go, sortPendingResizes; ``priority``: of b, which asks later."""
    simulation = simulated(
        node("n", cpu="4"), pod("a", cpu="1"), pod("b", cpu="1", priority=priority), pod("c", cpu="2")
    )
    for name, until in (("a", "20s"), ("b", "30s")):
        resize(simulation, name, cpu="3")
        simulation.run(until)
    simulation.api.delete(Pod, "default", "c")
    simulation.run("100s")
    sizes = {name: reported(simulation, name)[0] for name in "ab"}
    assert sizes == dict.fromkeys("ab", "1") | {first: "3"}


def test_a_pod_that_ends_while_its_resize_waits_leaves_its_room() -> None:
    simulation = simulated(
        node("n", cpu="4"), pod("a", cpu="1", activeDeadlineSeconds=30), pod("b", cpu="2"), pod("c", cpu="1")
    )
    resize(simulation, "a", cpu="2")
    resize(simulation, "c", cpu="2")  # at the same instant: "a" is tried twice, and deferred once
    simulation.run("20s")
    assert conditions(simulation, "a") == conditions(simulation, "c") == {"PodResizePending": "Deferred"}
    simulation.run("60s")
    assert simulation.api.get(Pod, "default", "a").status.phase == "Failed"
    assert reported(simulation, "c") == ("2", "2") and events(simulation, "a") == ["ResizeDeferred"]


def test_a_smaller_pod_makes_room_for_a_deferred_resize() -> None:
    """It goes first, so both are allocated at once (v1.37: isResizeIncreasingRequests)."""
    simulation = simulated(node("n", cpu="4"), pod("a", cpu="1"), pod("b", cpu="2"))
    resize(simulation, "a", cpu="3")
    simulation.run("15s")
    resize(simulation, "b", cpu="1")
    simulation.run("15500ms")
    assert reported(simulation, "a") == ("3", "1") and reported(simulation, "b") == ("1", "2")
    simulation.run("30s")
    assert reported(simulation, "a") == ("3", "3") and reported(simulation, "b") == ("1", "1")


def test_room_that_a_less_important_pod_gives_back_is_used_once_that_is_enacted() -> None:
    """It asks for more memory too, so the deferred resize is tried before it, and again when it is done."""
    simulation = simulated(node("n", cpu="4"), pod("a", cpu="1"), pod("b", cpu="2", memory="1Gi", priority=-1))
    resize(simulation, "a", cpu="3")
    simulation.run("15s")
    resize(simulation, "b", cpu="1", memory="2Gi")
    simulation.run("15500ms")
    assert reported(simulation, "a") == ("1", "1") and reported(simulation, "b") == ("1", "2")
    simulation.run("30s")
    assert reported(simulation, "a") == ("3", "3") and reported(simulation, "b") == ("1", "1")


def test_a_resize_of_a_pod_that_already_ran_is_found_at_the_start() -> None:
    """What the status says is allocated differs from what the spec asks for."""
    running = pod("a", "n", cpu="3")
    running["status"]["containerStatuses"] = [
        {"name": "main", "allocatedResources": {"cpu": "1"}, "resources": {"requests": {"cpu": "1"}}}
    ]
    simulation = simulated(node("n", cpu="4"), running, until="500ms")
    assert reported(simulation, "a") == ("3", "1") and conditions(simulation, "a") == {"PodResizeInProgress": ""}
    simulation.run("10s")
    assert reported(simulation, "a") == ("3", "3") and not conditions(simulation, "a")


@pytest.mark.parametrize(
    ("room", "others", "before", "after", "why"),
    [
        ({"cpu": "4", "memory": "4Gi"}, {"memory": "4Gi"}, {"cpu": "1"}, {"cpu": "4"}, None),
        (
            {"cpu": "4"},
            {"cpu": "2"},
            {"cpu": "1"},
            {"cpu": "2001m"},
            "cpu, requested: 2001, used: 2000, capacity: 4000",
        ),
        ({"memory": "9"}, {"memory": "2"}, {"memory": "1"}, {"memory": "7"}, None),
        (
            {"memory": "9"},
            {"memory": "2"},
            {"memory": "1"},
            {"memory": "8"},
            "memory, requested: 8, used: 2, capacity: 9",
        ),
    ],
)
def test_a_resize_waits_only_if_the_node_lacks_room(
    room: dict[str, str], others: dict[str, str], before: dict[str, str], after: dict[str, str], why: str | None
) -> None:
    """v1.37: pkg/kubelet/lifecycle/predicate.go, InsufficientResourceError."""
    simulation = simulated(
        node("n", allocatable=room | {"pods": "9"}), pod("a", requests=before), pod("b", requests=others)
    )
    resize(simulation, "a", **after)
    simulation.run("20s")
    waiting = [
        each.message
        for each in simulation.api.get(Pod, "default", "a").status.conditions
        if each.type == "PodResizePending"
    ]
    assert waiting == ([f"Node didn't have enough resource: {why}"] if why else [])


def test_nothing_is_written_for_pods_that_keep_their_size() -> None:
    simulation = simulated(node("n", cpu="4"), pod("a", cpu="1"))
    writes = [e for e in simulation.log if isinstance(e, Changed) and e.by == "kubelet" and e.key == "default/a"]
    assert len(writes) == 2
