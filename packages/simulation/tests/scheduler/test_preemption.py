"""Preemption from the nomination until the preemptor is bound, to whichever node."""

from typing import Any

import pytest
from msgspec.structs import replace

from kschedlab.build import Manifest, node, pod
from kschedlab.generations import LATEST, Generation
from kschedlab.objects.model import ApiObject, Node, Pod
from kschedlab.plugins.framework import Plugin, Wait
from kschedlab_simulation.log import Step
from kschedlab_simulation.scheduler.context import Latencies
from kschedlab_simulation.status import ApiError
from packages.simulation.tests.plane import SECOND, Plane
from tests.course import GENERATIONS

ALL = tuple(GENERATIONS)
ONE_CPU = {"cpu": "1", "memory": "1Gi", "pods": "10"}


def asks(cpu: str, name: str, priority: int, on: str = "", **spec: Any) -> Manifest:
    return pod(name, on, cpu=cpu, priority=priority, **spec)


def nominated(generation: str, *more: Manifest, **settings: Any) -> Plane:
    """A cluster where ``high`` waits for ``low`` to leave node n1."""
    plane = Plane(
        node("n1", allocatable=ONE_CPU), asks("800m", "low", 0, "n1"), *more, generation=generation, **settings
    )
    plane.create(asks("800m", "high", 100))
    plane.run()
    assert plane.pod("high").status.nominatedNodeName == "n1"
    assert plane.pod("low").metadata.deletionTimestamp is not None
    return plane


def waiting_on_permit(generation: str | Generation = LATEST) -> Plane:
    """A cluster where ``low`` waits on Permit for node n1, and ``high`` comes."""

    class Slow(Plugin):
        def permit(self, pod: Pod, node: str) -> Wait | None:
            return Wait(60) if pod.metadata.name == "low" else None

    plane = Plane(node("n1", allocatable=ONE_CPU), generation=generation, plugins=[Slow()])
    plane.create(asks("800m", "low", 0))
    plane.run()
    plane.create(asks("800m", "high", 100))
    return plane


@pytest.mark.parametrize("generation", ALL)
def test_the_preemptor_waits_for_its_victim_and_is_bound_to_the_nominated_node(generation: str) -> None:
    plane = nominated(generation)
    plane.run(20)
    assert plane.where() == {"high": "", "low": "n1"}, "the victim has its grace period"
    plane.delete("low", grace=0)
    plane.run(20)
    assert plane.where() == {"high": "n1"}
    stays = GENERATIONS[generation].api.bound_pods_stay_nominated
    assert plane.pod("high").status.nominatedNodeName == ("n1" if stays else "")


@pytest.mark.parametrize("generation", ["v1.13", "v1.16"])
def test_the_log_shows_the_nomination_before_the_eviction(generation: str) -> None:
    steps = [(each.step, each.node) for each in nominated(generation).log if isinstance(each, Step)]
    assert steps.index(("nominate", "n1")) < steps.index(("evict", "n1"))


@pytest.mark.parametrize(
    ("generation", "message"),
    [
        ("v1.13", "by default/high on node n1"),
        ("v1.16", "Preempted by default/high on node n1"),
        ("v1.20", "Preempted by default/high on node n1"),
        ("v1.37", "Preempted by pod {uid} on node n1"),
    ],
)
def test_the_victim_gets_an_event(generation: str, message: str) -> None:
    plane = nominated(generation)
    assert plane.events("low") == [("Preempted", message.format(uid=plane.pod("high").metadata.uid))]
    marked = [c for c in plane.pod("low").status.conditions if c.type == "DisruptionTarget"]
    if generation == "v1.37":
        text = "default-scheduler: preempting to accommodate a higher priority pod"
        assert [(c.status, c.reason, c.message) for c in marked] == [("True", "PreemptionByScheduler", text)]
    else:
        assert not marked


@pytest.mark.parametrize("generation", ALL)
def test_the_preemptor_is_bound_to_a_node_that_is_added(generation: str) -> None:
    plane = nominated(generation)
    plane.create(node("n2", allocatable=ONE_CPU))
    plane.run(20)
    assert plane.where() == {"high": "n2", "low": "n1"}


@pytest.mark.parametrize("generation", ALL)
def test_pods_of_lower_priority_cannot_take_the_nominated_node(generation: str) -> None:
    plane = nominated(generation)
    plane.create(asks("800m", "middle", 50))
    plane.run(20)
    plane.delete("low", grace=0)
    plane.run(20)
    assert plane.where() == {"high": "n1", "middle": ""}


@pytest.mark.parametrize("generation", ALL)
def test_a_preemptor_with_higher_priority_takes_the_nominated_node(generation: str) -> None:
    """The middle pod needs half of the node; the highest needs all of it, hence one more victim."""
    plane = Plane(
        node("n1", allocatable=ONE_CPU), asks("500m", "a", 0, "n1"), asks("500m", "b", 1, "n1"), generation=generation
    )
    plane.create(asks("500m", "middle", 100))
    plane.run()
    assert plane.pod("middle").status.nominatedNodeName == "n1"
    plane.create(asks("1", "highest", 1000))
    plane.run()
    assert plane.pod("highest").status.nominatedNodeName == "n1"
    assert plane.pod("middle").status.nominatedNodeName == ""
    plane.delete("a", grace=0)
    plane.delete("b", grace=0)
    plane.run(90)
    assert plane.where() == {"highest": "n1", "middle": ""}


@pytest.mark.parametrize(("priority", "kept"), [(0, "n1"), (1, "")])
@pytest.mark.parametrize("generation", ALL)
def test_a_preemptor_clears_nominations_of_lower_priority_only(generation: str, priority: int, kept: str) -> None:
    victims = (asks("500m", each, -9, "n1") for each in "ab")
    plane = Plane(node("n1", allocatable=ONE_CPU), *victims, generation=generation)
    plane.create(asks("500m", "first", 0))
    plane.run()
    plane.create(asks("1" if priority else "500m", "second", priority))
    plane.run()
    assert plane.pod("second").status.nominatedNodeName == "n1"
    assert plane.pod("first").status.nominatedNodeName == kept
    assert ("cleared" in plane.details("nominate")) is not bool(kept)


@pytest.mark.parametrize("generation", ALL)
def test_a_preemptor_evicts_no_more_while_its_victims_terminate(generation: str) -> None:
    plane = nominated(generation, node("n0", allocatable=ONE_CPU), asks("800m", "other", 50, "n0"))
    plane.scheduler.context.queue.activate([plane.pod("high")])
    plane.run(15)
    assert plane.pod("other").metadata.deletionTimestamp is None
    assert plane.details("preempt")[-1] == "not eligible due to a terminating pod on the nominated node"


@pytest.mark.parametrize("generation", ["v1.20", "v1.37"])
def test_preemption_policy_never(generation: str) -> None:
    plane = Plane(node("n1", allocatable=ONE_CPU), asks("800m", "low", 0, "n1"), generation=generation)
    plane.create(asks("800m", "high", 100, preemptionPolicy="Never"))
    plane.run()
    assert plane.pod("low").metadata.deletionTimestamp is None
    assert plane.pod("high").status.nominatedNodeName == ""


@pytest.mark.parametrize("generation", ALL)
def test_the_nomination_is_cleared_when_eviction_can_no_longer_help(generation: str) -> None:
    plane = Plane(
        node("n1", allocatable=ONE_CPU, labels={"disk": "ssd"}), asks("800m", "low", 0, "n1"), generation=generation
    )
    plane.create(asks("800m", "high", 100, nodeSelector={"disk": "ssd"}))
    plane.run()
    assert plane.pod("high").status.nominatedNodeName == "n1"
    plane.delete("low", grace=0)
    plane.api.update(changed(plane.node("n1"), labels={"disk": "hdd"}))
    plane.run(90)
    assert plane.where() == {"high": ""}
    assert plane.pod("high").status.nominatedNodeName == ""


def changed(node: Node, labels: dict[str, str]) -> Node:
    return replace(node, metadata=replace(node.metadata, labels=labels))


def test_victims_are_evicted_asynchronously_the_last_one_separately() -> None:
    """v1.37: two victims at once, then the third, while the loop continues."""
    full = (asks("300m", f"low{i}", i, "n1") for i in range(3))
    plane = Plane(node("n1", allocatable=ONE_CPU), node("n2", allocatable=ONE_CPU, unschedulable=True), *full)
    plane.create(asks("900m", "high", 100), asks("100m", "small", 200))
    plane.run()
    at = {entry.pod: entry.at for entry in plane.log if getattr(entry, "step", "") == "evict"}
    assert at["default/low2"] == at["default/low1"] == at["default/low0"] - 2_000


def test_a_preemptor_is_held_until_its_last_victim_terminates_or_is_gone() -> None:
    """v1.37: executor.go, IsPodRunningPreemption: meanwhile not even a new node gets it."""
    plane = Plane(
        *(node("n1", allocatable=ONE_CPU), *(asks("500m", f"low{i}", i, "n1") for i in range(2))),
        latencies=Latencies(delete=2 * SECOND),
    )
    plane.create(asks("1", "high", 100))
    plane.run()
    plane.create(node("n2", allocatable=ONE_CPU))
    plane.run(2)
    assert [plane.pod(f"low{i}").metadata.deletionTimestamp is None for i in range(2)] == [True, False]
    assert plane.where()["high"] == ""
    plane.delete("low0", grace=0)
    plane.run(0.5)
    assert plane.where()["high"] == "n2"


@pytest.mark.parametrize("generation", ["v1.13", "v1.16"])
def test_the_next_pod_sees_a_nomination_before_the_informer_does(generation: str) -> None:
    """v1.16: scheduler.go, preempt."""
    plane = Plane(node("n1", allocatable=ONE_CPU), asks("800m", "low", 0, "n1"), generation=generation)
    plane.run()
    plane.create(asks("800m", "high", 100), asks("800m", "middle", 50))
    plane.run(0.0005)
    plane.scheduler.context.pods.disconnect(10 * SECOND)
    plane.run()
    tried = {e.detail for e in plane.entries(Step) if (e.pod, e.step) == ("default/middle", "preempt")}
    assert tried == {"no node helps"}, "the node is promised to the pod of high priority"


def fail_first_delete(plane: Plane, monkeypatch: pytest.MonkeyPatch) -> None:
    delete, failures = plane.api.delete, iter([ApiError.unknown("etcd is away")])

    def fails_once(*arguments: Any, **more: Any) -> Pod:
        for failure in failures:
            raise failure
        return delete(*arguments, **more)

    monkeypatch.setattr(plane.api, "delete", fails_once)


def test_if_an_eviction_fails_the_preemptor_is_retried(monkeypatch: pytest.MonkeyPatch) -> None:
    plane = Plane(node("n1", allocatable=ONE_CPU), asks("800m", "low", 0, "n1"))
    fail_first_delete(plane, monkeypatch)
    plane.create(asks("800m", "high", 100))
    plane.run(15)
    assert plane.steps("low") == ["evict", "evict"]
    assert [reason for reason, _ in plane.events("low")] == ["Preempted"]
    assert ("active", "ForceActivate") in plane.moves("high")


@pytest.mark.parametrize(("generation", "nominated"), [("v1.13", "n1"), ("v1.16", "n1"), ("v1.20", "")])
def test_an_eviction_that_fails_in_the_cycle_is_not_a_preemption(
    generation: str, nominated: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """v1.13, v1.16: scheduler.go, preempt, has nominated before; v1.20: default_preemption.go, PrepareCandidate."""
    plane = Plane(node("n1", allocatable=ONE_CPU), asks("800m", "low", 0, "n1"), generation=generation)
    fail_first_delete(plane, monkeypatch)
    plane.create(asks("800m", "high", 100))
    plane.run(0.01)
    assert plane.events("low") == [] and plane.pod("high").status.nominatedNodeName == nominated
    victims = "scheduler_preemption_victims_count 1.0" in plane.scheduler.context.metrics.text().decode()
    assert not victims


@pytest.mark.parametrize("generation", ["v1.13", "v1.16"])
def test_a_refused_nomination_evicts_nobody(generation: str, monkeypatch: pytest.MonkeyPatch) -> None:
    plane = Plane(node("n1", allocatable=ONE_CPU), asks("800m", "low", 0, "n1"), generation=generation)

    def refuses(obj: ApiObject, **_: object) -> None:
        raise ApiError.conflict(Pod, obj.metadata.name)

    monkeypatch.setattr(plane.api, "update_status", refuses)
    plane.create(asks("800m", "high", 100))
    plane.run(1)
    nominations = [entry for entry in plane.log if isinstance(entry, Step) and entry.step == "nominate"]
    assert [bool(entry.detail) for entry in nominations][:2] == [False, True], "the log names the refusal"
    assert plane.pod("low").metadata.deletionTimestamp is None
    assert plane.scheduler.context.queue.nominated("n1") == []


IN_CYCLE = GENERATIONS["v1.37"].with_feature_gates({"SchedulerAsyncPreemption": False})


def test_without_its_gate_the_cycle_waits_for_the_eviction() -> None:
    """Three victims at once; the next pod is decided after them. (Asynchronously, it is decided before.)"""
    first_eviction = {}
    for generation in (GENERATIONS["v1.37"], IN_CYCLE):
        full = (asks("300m", f"low{i}", i, "n1") for i in range(3))
        small = node("n2", allocatable=ONE_CPU | {"cpu": "200m"})
        plane = Plane(node("n1", allocatable=ONE_CPU), small, *full, generation=generation)
        plane.create(asks("900m", "high", 100), asks("100m", "small", 0))
        plane.run()
        evicted = [entry.at for entry in plane.log if getattr(entry, "step", "") == "evict"]
        bound = next(e.at for e in plane.log if getattr(e, "step", "") == "bind" and e.pod == "default/small")
        assert "scheduler_preemption_victims_sum 3.0" in plane.scheduler.context.metrics.text().decode()
        first_eviction[generation.feature_gates] = len(set(evicted)), bound > max(evicted)
    assert first_eviction == {(): (2, False), IN_CYCLE.feature_gates: (1, True)}


def test_without_its_gate_a_failed_eviction_nominates_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    full = (asks("400m", f"low{i}", i, "n1") for i in range(2))
    plane = Plane(node("n1", allocatable=ONE_CPU), *full, generation=IN_CYCLE)
    fail_first_delete(plane, monkeypatch)
    plane.create(asks("800m", "high", 100))
    plane.run(1)
    assert plane.pod("high").status.nominatedNodeName == ""
    assert sum(plane.pod(f"low{i}").metadata.deletionTimestamp is None for i in range(2)) == 1


def test_a_victim_that_waits_on_permit_is_requeued_instead_of_deleted() -> None:
    plane = waiting_on_permit()
    plane.run(15)
    assert plane.where() == {"high": "n1", "low": ""}
    assert plane.pod("low").metadata.deletionTimestamp is None
    message = f"Preempted by pod {plane.pod('high').metadata.uid} on node n1 (in kube-scheduler memory)."
    assert ("Preempted", message) in plane.events("low")
    assert ("FailedScheduling", "waiting on permit for pod: preempted") in plane.events("low")


@pytest.mark.parametrize(
    ("generation", "message"),
    [
        ("v1.16", "rejected while waiting at permit: preempted"),
        ("v1.20", 'pod "low" rejected while waiting on permit: preempted'),
    ],
)
def test_before_v1_37_a_victim_that_waits_on_permit_is_deleted_and_rejected(generation: str, message: str) -> None:
    plane = waiting_on_permit(generation)
    plane.run()
    assert plane.where() == {"high": ""}
    assert ("FailedScheduling", message) in plane.events("low")


@pytest.mark.parametrize("generation", ["v1.22", "v1.28", "v1.32"])
def test_from_v1_22_on_a_victim_that_waits_on_permit_is_rejected_alone(generation: str) -> None:
    plane = waiting_on_permit(Generation.named(generation))
    plane.run(100)
    assert plane.where() == {"high": "n1", "low": ""}
    assert plane.pod("low").metadata.deletionTimestamp is None
    assert [reason for reason, _ in plane.events("low")][:1] == ["Preempted"]


@pytest.mark.parametrize(("generation", "moments"), [("v1.24", 3), ("v1.28", 1)])
def test_from_v1_26_on_victims_are_evicted_at_once(generation: str, moments: int) -> None:
    full = (asks("300m", f"low{i}", i, "n1") for i in range(3))
    plane = Plane(node("n1", allocatable=ONE_CPU), *full, generation=Generation.named(generation))
    plane.create(asks("900m", "high", 100))
    plane.run()
    assert len({entry.at for entry in plane.log if getattr(entry, "step", "") == "evict"}) == moments


def test_a_victim_in_prebind_is_stopped_too() -> None:
    class Slow(Plugin):
        def pre_bind(self, pod: Pod, node: str) -> Any:
            if pod.metadata.name == "low":
                yield self.handle.sleep(60)

    plane = Plane(node("n1", allocatable=ONE_CPU), plugins=[Slow()])
    plane.create(asks("800m", "low", 0))
    plane.run()
    plane.create(asks("800m", "high", 100))
    plane.run(15)
    assert plane.where() == {"high": "n1", "low": ""}
    assert ("FailedScheduling", "preempted by DefaultPreemption") in plane.events("low")


@pytest.mark.parametrize("generation", ALL)
def test_an_assumed_pod_is_no_longer_nominated(generation: str) -> None:
    """Otherwise it would take its room twice until it is bound."""
    plane = nominated(generation, latencies=Latencies(bind=60 * SECOND))
    assert [each.key for each in plane.scheduler.context.queue.nominated("n1")] == ["default/high"]
    plane.delete("low", grace=0)
    plane.run(30)
    assert "assume" in plane.steps("high") and plane.where() == {"high": ""}
    assert plane.scheduler.context.queue.nominated("n1") == []
    plane.create(asks("200m", "small", 0))
    plane.run(5)
    assert "assume" in plane.steps("small")


@pytest.mark.parametrize(("priority", "moves"), [(99, True), (100, True), (101, False)])
def test_a_nomination_that_ends_moves_pods_that_it_could_have_held_back(priority: int, moves: bool) -> None:
    """v1.37: pkg/scheduler/eventhandlers.go, deletePodFromSchedulingQueue and getLEPriorityPreCheck."""
    plane = nominated("v1.37", asks("100m", "rest", 1000, "n1"))
    plane.create(asks("850m", "other", priority, preemptionPolicy="Never"))
    plane.run(20)
    before = len(plane.moves("other"))
    plane.delete("high", grace=0)
    plane.run(20)
    assert (len(plane.moves("other")) > before) is moves
