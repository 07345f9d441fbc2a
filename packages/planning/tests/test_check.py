"""What the simulation says of a plan: whether it holds, and what happened."""

from typing import Any

import pytest

from kschedlab.build import budget, cluster, node, pod
from kschedlab.generations import GENERATIONS
from kschedlab_planning.check import check_drains, check_pods

V1_37 = GENERATIONS["v1.37"]


def drains(*objects: Any, lost: int = 0) -> tuple[bool, str]:
    holds, what, seed = check_drains(cluster(*objects), ["a"], V1_37, 7, lost)
    assert seed == 7
    return holds, what


def adding(*objects: Any, more: Any, left: int) -> tuple[bool, str]:
    holds, what, seed = check_pods(cluster(*objects), cluster(more).objects.pods, V1_37, 7, left)
    assert seed == 7
    return holds, what


def web(**more: Any) -> list[dict[str, Any]]:
    """A StatefulSet and its only pod, which has the same name wherever it is."""
    labels = {"app": "web"}
    template = {"metadata": {"labels": labels}, "spec": pod("t", cpu=3)["spec"]}
    owner = {
        "apiVersion": "apps/v1",
        "kind": "StatefulSet",
        "metadata": {"name": "web", "namespace": "default", "uid": "of-web"},
        "spec": {"replicas": 1, "serviceName": "web", "selector": {"matchLabels": labels}, "template": template},
    }
    made = pod("web-0", cpu=3, labels=labels, **more)
    reference = {"apiVersion": "apps/v1", "kind": "StatefulSet", "name": "web", "uid": "of-web", "controller": True}
    made["metadata"]["ownerReferences"] = [reference]
    return [owner, made]


FULL = node("b", cpu=1)


@pytest.mark.parametrize("on", [{}, {"on": "a"}])
def test_a_pod_that_loses_its_node_by_a_drain_waits_even_if_it_had_none_when_the_plan_was_made(on: Any) -> None:
    holds, what = drains(node("a"), FULL, *web(**on))
    assert not holds and "1 pod without a node" in what


def test_a_pod_that_waits_with_and_without_the_drain_is_no_fault_of_the_plan() -> None:
    assert drains(node("a"), node("b"), *web(on="a"), pod("large", cpu=99))[0]


@pytest.mark.parametrize(("lost", "expected"), [(0, False), (1, True), (2, False)])
def test_the_pods_that_nobody_replaces_are_as_many_as_the_plan_says(lost: int, expected: bool) -> None:
    holds, what = drains(node("a"), node("b"), pod("alone", on="a"), *web(on="b"), lost=lost)
    assert holds is expected and "1 not replaced" in what


def test_a_drain_that_a_budget_stops_gives_up() -> None:
    holds, what = drains(node("a"), node("b"), *web(on="a"), budget("web", 0, labels={"app": "web"}, minAvailable=1))
    assert not holds and what.startswith("the drain of a gave up: default/web-0: ")


@pytest.mark.parametrize(
    ("more", "left", "holds", "what"),
    [
        (pod("new", cpu=1), 1, True, "1 of 3 pods without a node, 0 evicted"),
        (pod("new", cpu=1), 0, False, "1 of 3 pods without a node, 0 evicted"),
        (pod("new", cpu=2), 1, False, "2 of 3 pods without a node, 0 evicted"),
        (pod("new", cpu=2), 2, True, "2 of 3 pods without a node, 0 evicted"),
        (pod("new", cpu=4, priority=5), 1, False, "1 of 2 pods without a node, 1 evicted"),
    ],
)
def test_pods_that_are_added_leave_as_many_waiting_as_the_plan_says_and_evict_none(
    more: Any, left: int, holds: bool, what: str
) -> None:
    assert adding(node("a"), pod("low", on="a", cpu=3), pod("waits", cpu=9), more=more, left=left) == (holds, what)


def test_pods_that_have_ended_wait_for_no_node() -> None:
    ended = [pod(phase, cpu=9) | {"status": {"phase": phase}} for phase in ("Succeeded", "Failed")]
    for each in ended:
        each["metadata"]["name"] = each["metadata"]["name"].lower()
    assert adding(node("a"), *ended, more=pod("new"), left=0)[0]
