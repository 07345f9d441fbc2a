"""What searches have found is found again without a search, as long as nothing changes it."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from kschedlab import schedule
from kschedlab.build import node, pod
from kschedlab.cluster import object_store
from kschedlab.cluster.cluster import Cluster
from kschedlab.objects.model import AllocationResult, DeviceClass, ResourceClaim
from kschedlab_configuration import load_configuration
from kschedlab_devices.allocator import Allocator
from kschedlab_devices.extended_resources import ANNOTATION
from kschedlab_devices.search import Search
from kschedlab_devices.state import state_of
from packages.devices.tests.device_manifests import device, device_class, exactly, resource_claim, resource_slice
from tests.samples import sampled

NODES = ("n1", "n2", "n3", "n4")
SHAPES = (exactly(), exactly(count=2), exactly(adminAccess=True), exactly(of="less"))

SCORING = load_configuration("""
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- pluginConfig:
  - name: NodeResourcesFit
    args: {scoringStrategy: {type: MostAllocated, resources: [{name: example.com/small, weight: 1}]}}
""")["default-scheduler"]
"""Scores count the devices that claims hold."""


def world(*more: object) -> Cluster:
    slices = [resource_slice(name, [device(f"gpu-{i}") for i in range(3)]) for name in NODES]
    shared = resource_slice("shared", [device("net-0", allowMultipleAllocations=True)], allNodes=True)
    less = device_class("less", extendedResourceName="example.com/less")
    return Cluster.from_dicts([*map(node, NODES), *slices, shared, device_class(), less, *more])


def claim(name: str, shape: int) -> ResourceClaim:
    found = Cluster.from_dicts([resource_claim(name, SHAPES[shape])]).objects_of(ResourceClaim)
    return next(iter(found))


def answers(cluster: Cluster, wanted: Sequence[ResourceClaim]) -> dict[str, list[AllocationResult] | None]:
    allocator = Allocator(state_of(cluster))
    return {each.metadata.name: allocator.allocate(each, wanted) for each in cluster.nodes}


@pytest.mark.parametrize("seed", sampled(range(20), 6))
def test_answers_are_those_of_a_cluster_that_remembers_nothing(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(object_store, "LONGEST", 7)
    rng = random.Random(seed)
    worlds = [world(), world()]
    for step in range(60):
        cluster = rng.choice(worlds)
        claims = list(cluster.objects_of(ResourceClaim))
        chosen = rng.choice(claims) if claims else None
        if chosen is None or rng.random() < 0.5:
            new = claim(f"c{step}", rng.randrange(len(SHAPES)))
            results = answers(cluster, [new])[rng.choice(NODES)]
            allocation = results[0] if results else None
            cluster.change_objects([replace(new, status=replace(new.status, allocation=allocation))])
        elif rng.random() < 0.5:
            cluster.change_objects((), [chosen])
        else:
            cluster.change_objects([replace(chosen, status=replace(chosen.status, allocation=None))])
        if rng.random() < 0.1:
            worlds[rng.randrange(2)] = cluster.fork()
        for each in worlds:
            wanted = [claim(f"new{step}", rng.randrange(len(SHAPES)))]
            assert answers(each, wanted) == answers(Cluster(each.objects), wanted)


@pytest.mark.parametrize("seed", range(12))
def test_a_decision_is_that_of_a_cluster_that_remembers_nothing(seed: int) -> None:
    """Claims come and go, pods ask for devices by claims and as resources, and nodes and forks come in between."""
    rng = random.Random(seed)
    worlds = [world(device_class("small", extendedResourceName="example.com/small"))]
    worlds.append(worlds[0].fork())
    for step in range(30):
        each = rng.choice(worlds)
        if rng.random() < 0.1:
            rack = {"rack": rng.choice("ab")}
            each.add(node(rng.choice([*NODES, "n5"]), labels=rack))
        if rng.random() < 0.1:
            worlds[rng.randrange(2)] = rng.choice(worlds).fork()
        asked = claim(f"c{step}", rng.randrange(len(SHAPES)))
        each.change_objects([asked])
        by_claim = pod("web", resourceClaims=[{"name": "gpu", "resourceClaimName": f"c{step}"}])
        by_name = pod("web", requests={f"example.com/{rng.choice(['small', 'less'])}": rng.randrange(1, 4)})
        wanted = rng.choice([by_claim, by_name])
        fresh = Cluster(each.objects)
        assert str(schedule(wanted, each, SCORING)) == str(schedule(wanted, fresh, SCORING))
        results = answers(each, [asked])[rng.choice(NODES)]
        if results and rng.random() < 0.7:
            each.change_objects([replace(asked, status=replace(asked.status, allocation=results[0]))])
        elif rng.random() < 0.5:
            each.change_objects((), [rng.choice(list(each.objects_of(ResourceClaim)))])


def test_a_claim_that_an_earlier_attempt_has_written_is_refused_as_such() -> None:
    """Even where a search for the same devices, for another pod, has already ended in vain."""
    owner = {"apiVersion": "v1", "kind": "Pod", "name": "again", "uid": "uid-again", "controller": True}
    written = resource_claim("again-extended", exactly(of="less", count=9))
    written["metadata"] |= {"annotations": {ANNOTATION: "true"}, "ownerReferences": [owner]}
    cluster = world(written)
    first, again = (pod(name, requests={"example.com/less": 9}) for name in ("first", "again"))
    again["metadata"]["uid"] = "uid-again"
    assert "cannot allocate all claims" in schedule(first, cluster).event
    assert "cannot schedule extended resource claim" in schedule(again, cluster).event


def test_only_nodes_whose_devices_changed_are_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    searched: list[str] = []
    run = Search.run

    def noting(search: Search) -> bool:
        searched.append(search._node.metadata.name)
        return run(search)

    monkeypatch.setattr(Search, "run", noting)
    cluster = world()
    first = claim("first", 0)
    found = answers(cluster, [first])
    assert searched == [*NODES]
    results = found["n2"]
    assert results is not None
    cluster.change_objects([replace(first, status=replace(first.status, allocation=results[0]))])
    searched.clear()
    answers(cluster, [claim("second", 0)])
    assert searched == ["n2"]
    cluster.change_objects(Cluster.from_dicts([device_class(name="another")]).objects.of(DeviceClass))
    searched.clear()
    answers(cluster, [claim("third", 0)])
    assert searched == [*NODES]
