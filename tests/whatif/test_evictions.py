"""The smallest eviction that makes room: which set of pods goes, and how many sets are tried."""

import pytest

from kschedlab.build import Manifest, cluster, node, pod
from kschedlab.whatif import Case
from kschedlab.whatif.evictions import eviction

GPU = "example.com/gpu"
HIGHEST_PRIORITY = 1_000_000_000
"""v1.37: pkg/apis/scheduling/types.go, HighestUserDefinablePriority."""
TAINT = {"key": "dedicated", "effect": "NoSchedule"}
OWNER = {"apiVersion": "apps/v1", "kind": "DaemonSet", "name": "agent", "uid": "1", "controller": True}


def daemon(name: str, on: str, **more: object) -> Manifest:
    made = pod(name, on, **more)
    made["metadata"]["ownerReferences"] = [OWNER]
    return made


def evicted(*manifests: Manifest, **mine: object) -> list[str]:
    """The names of the pods that go; none if no eviction helps."""
    found = eviction(Case("default/mine", cluster(*manifests, pod("mine", **mine))))
    return [victim.pod.metadata.name for victim in found.victims] if found is not None else []


def room(**amounts: int) -> dict[str, str]:
    return {"cpu": "8", "memory": "8Gi", "pods": "10"} | {name: str(amount) for name, amount in amounts.items()}


CASES = {
    "one pod that is enough with what is free, not the two that preemption takes": (
        [
            node("n", allocatable=room(cpu=5)),
            pod("large", "n", 2, priority=9),
            pod("a", "n", 1),
            pod("b", "n", 1),
        ],
        {"cpu": 3},
        ["large"],
    ),
    "a pod that stays away, on a node that is full of pods": (
        [node("n", allocatable=room(pods=2)), daemon("agent", "n"), pod("app", "n", priority=5)],
        {},
        ["app"],
    ),
    "a pod that stays away, where one device is lacking": (
        [
            node("n", allocatable=room() | {GPU: "2"}),
            daemon("agent", "n", requests={GPU: "1"}),
            pod("app", "n", priority=5, requests={GPU: "1"}),
        ],
        {"requests": {GPU: "1"}},
        ["app"],
    ),
    "the set whose most important pod is the least important": (
        [
            *(node(name, allocatable=room(cpu=4)) for name in ("a", "b")),
            *(pod(f"a{priority}", "a", 2, priority=priority) for priority in (0, 9)),
            *(pod(f"b{number}", "b", 2, priority=1) for number in range(2)),
        ],
        {"cpu": 4},
        ["b0", "b1"],
    ),
    "the most important pod of a user": (
        [node("n", 4), pod("app", "n", 4, priority=HIGHEST_PRIORITY)],
        {"cpu": 4},
        ["app"],
    ),
    "never a pod above it": (
        [node("n", 4), pod("app", "n", 4, priority=HIGHEST_PRIORITY + 1)],
        {"cpu": 4},
        [],
    ),
}


@pytest.mark.parametrize(("manifests", "mine", "victims"), CASES.values(), ids=CASES)
def test_the_pods_that_go(manifests: list[Manifest], mine: dict[str, object], victims: list[str]) -> None:
    assert sorted(evicted(*manifests, **mine)) == victims


@pytest.mark.parametrize(("before", "victims"), [(99, ["last"]), (100, [])])
def test_a_hundred_sets_are_tried(before: int, victims: list[str]) -> None:
    """Those on tainted nodes come first because their pods are less important, but their going doesn't help."""
    tainted = [node(f"n{number}", 4, taints=[TAINT]) for number in range(before)]
    busy = [pod(f"p{number}", f"n{number}", 4) for number in range(before)]
    open_node = [node("open", 4), pod("last", "open", 4, priority=1)]
    assert evicted(*tainted, *busy, *open_node, cpu=4) == victims


@pytest.mark.parametrize(("before", "victims"), [(4, ["last-a", "last-b"]), (5, [])])
def test_the_pods_of_five_domains_are_tried(before: int, victims: list[str]) -> None:
    """Both nodes of a domain run a pod that keeps this one off, so no eviction on one node alone helps."""
    web = {"labelSelector": {"matchLabels": {"app": "web"}}, "topologyKey": "zone"}
    apart = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [web]}}
    manifests = []
    for zone in (*(f"z{number}" for number in range(before)), "last"):
        for each in "ab":
            name = f"{zone}-{each}"
            manifests.append(node(name, labels={"zone": zone}, taints=[] if zone == "last" else [TAINT]))
            manifests.append(pod(name, name, priority=int(zone == "last"), labels={"app": "web"}))
    assert evicted(*manifests, affinity=apart) == victims
