import random
from typing import Any

import pytest
from hypothesis import given, strategies as st
from msgspec.structs import replace

from kschedlab.objects.model import ContainerStatus, ObjectMeta, Pod, PodCondition, PodSpec, PodStatus, Time
from kschedlab_simulation.controllers.replicas import DELETION_COST, job_pods_to_delete, pods_to_delete

NOW = 1_700_000_000_000_000
SECOND = 1_000_000


def pod(
    name: str, node: str = "n1", phase: str = "Running", ready_for: int | None = 100, age: int = 100, **more: Any
) -> Pod:
    """``ready_for``, ``age``: seconds (None: not ready); ``cost``: deletion cost; ``restarts``: of its container.

    Without a number of ``restarts`` it has no status of a container.
    """
    conditions = ()
    if ready_for is not None:
        conditions = (PodCondition(type="Ready", status="True", lastTransitionTime=Time(NOW - ready_for * SECOND)),)
    annotations = {DELETION_COST: more["cost"]} if "cost" in more else {}
    restarts = more.get("restarts", 0)
    containers = () if restarts is None else (ContainerStatus(name="c", restartCount=restarts),)
    return Pod(
        metadata=ObjectMeta(name=name, uid=name, annotations=annotations, creationTimestamp=Time(NOW - age * SECOND)),
        spec=PodSpec(nodeName=node),
        status=PodStatus(phase=phase, conditions=conditions, containerStatuses=containers),
    )


def first(*pods: Pod, related: tuple[Pod, ...] = ()) -> str:
    """The pod that is deleted first, in any order of the arguments."""
    found = {pods_to_delete(order, related, 1, NOW)[0].metadata.name for order in (pods, pods[::-1])}
    assert len(found) == 1
    return found.pop()


@pytest.mark.parametrize(
    ("goes", "stays"),
    [
        (pod("goes", node="", phase="Pending", ready_for=None), pod("stays", phase="Pending", ready_for=None)),
        (pod("goes", phase="Pending", ready_for=None), pod("stays", ready_for=None)),
        (pod("goes", phase="Pending", ready_for=1000), pod("stays", phase="Unknown", ready_for=10)),
        (pod("goes", phase="Unknown"), pod("stays")),
        (pod("goes", ready_for=None), pod("stays")),
        (pod("goes", cost="-5"), pod("stays")),
        (pod("goes"), pod("stays", cost="100")),
        (pod("goes", cost="020"), pod("stays", cost="10")),
        (pod("goes"), pod("stays", cost="2147483647")),
        (pod("goes", cost="-2147483648"), pod("stays")),
        (pod("goes", cost="2147483648"), pod("stays", cost="1")),
        (pod("goes", cost="-1"), pod("stays", cost="-2147483649")),
        (pod("goes", ready_for=10), pod("stays", ready_for=1000)),
        (pod("goes", restarts=3), pod("stays", restarts=1)),
        (pod("goes", age=10), pod("stays", age=1000)),
        (pod("goes", age=10), pod("stays", age=1000, restarts=None)),
        (pod("goes", node="", ready_for=None, cost="100"), pod("stays", ready_for=None, cost="-100")),
    ],
    ids=[
        "unassigned before assigned",
        "pending before running",
        "pending before unknown",
        "unknown before running",
        "not ready before ready",
        "cheap before others",
        "others before dear",
        "a cost that is no number counts as 0",
        "the dearest",
        "the cheapest",
        "dearer than the dearest counts as 0",
        "cheaper than the cheapest counts as 0",
        "ready for less time",
        "more restarts",
        "younger",
        "younger than one without containers",
        "where it stands counts before what it costs",
    ],
)
def test_which_of_two_pods_is_deleted(goes: Pod, stays: Pod):
    assert first(goes, stays) == "goes"


def test_the_pod_with_more_siblings_on_its_node_is_deleted():
    crowd = (pod("a", "n1", ready_for=900), pod("b", "n1", ready_for=900))
    alone = pod("c", "n2", ready_for=1)
    going = pods_to_delete([alone, *crowd], [alone, *crowd], 1, NOW)
    assert going[0].spec.nodeName == "n1"


def test_active_pods_of_the_same_deployment_count_as_siblings():
    pods = (pod("a", "n1"), pod("b", "n2"))
    ended = tuple(pod(f"x{i}", "n1", phase="Failed") for i in range(5))
    assert first(*pods, related=(*pods, *ended, pod("y", "n2"))) == "b"


def test_ages_within_a_power_of_two_are_equal_and_the_uid_decides():
    assert first(pod("b", ready_for=100), pod("a", ready_for=110)) == "a"
    assert first(pod("b", ready_for=100), pod("a", ready_for=200)) == "b"
    assert first(pod("b", ready_for=1000), pod("a", ready_for=1099)) == "a", "2 ** 40 nanoseconds are 1099.5 seconds"
    assert first(pod("b", ready_for=1099), pod("a", ready_for=1100)) == "b"


def test_a_job_deletes_the_youngest_pod_regardless_of_deletion_cost():
    pods = [pod("b", ready_for=100, cost="100"), pod("a", ready_for=110, cost="-100")]
    assert [each.metadata.name for each in job_pods_to_delete(pods, 1)] == ["b"]


PODS = st.builds(
    pod,
    name=st.text("abcdef", min_size=3, max_size=3),
    node=st.sampled_from(["", "n1", "n2"]),
    phase=st.sampled_from(["Pending", "Running", "Unknown"]),
    ready_for=st.none() | st.integers(0, 5000),
    age=st.integers(0, 5000),
    restarts=st.integers(0, 2),
    cost=st.sampled_from(["0", "-3", "7", "x"]),
)


@given(st.lists(PODS, max_size=12, unique_by=lambda each: each.metadata.uid), st.integers(0, 12), st.randoms())
def test_unassigned_pods_are_deleted_before_ready_ones(pods: list[Pod], count: int, rng: random.Random):
    rng.shuffle(pods)
    going = pods_to_delete(pods, pods, min(count, len(pods)), NOW)
    assert len(going) == min(count, len(pods))
    gone = {each.metadata.uid for each in going}
    staying = [each for each in pods if each.metadata.uid not in gone]
    if any(not each.spec.nodeName for each in staying):
        assert all(not each.spec.nodeName for each in going)


def test_a_pod_without_a_creation_time_is_deleted_first():
    unknown = pod("a")
    unknown = replace(unknown, metadata=replace(unknown.metadata, creationTimestamp=None))
    assert first(unknown, pod("b", age=1)) == "a"
