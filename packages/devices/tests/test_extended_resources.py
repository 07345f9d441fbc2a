"""Extended resources that classes serve: v1.37's extendeddynamicresources_test.go and extendedresourcecache_test.go."""

from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from kschedlab.build import Manifest, cluster, node, pod, resources
from kschedlab.manifests.loading import decode_objects
from kschedlab.objects.model import DeviceClass, ResourceClaim
from kschedlab_devices.extended_resources import (
    ANNOTATION,
    IN_MEMORY,
    by_resource_name,
    claim_for,
    count_of,
    requests_for,
    serving_class,
)
from kschedlab_devices.usage import device_usage
from packages.devices.tests.device_manifests import GPU as DRIVER, device, device_class, resource_claim, resource_slice
from tests.verdicts import model

GPU, IMPLICIT = "example.com/gpu", "deviceclass.resource.kubernetes.io/gpu"


def asks(*containers: int, init: tuple[int, ...] = (), sidecars: tuple[int, ...] = ()) -> Manifest:
    """A pod; each container requests so many GPUs, a negative number stands for a sidecar among the init containers."""

    def container(name: str, amount: int) -> Manifest:
        made: Manifest = {"name": name, "image": "i", "resources": resources({"cpu": "1", GPU: str(abs(amount))})}
        return made | ({"restartPolicy": "Always"} if amount < 0 else {})

    spec: dict[str, Any] = {"containers": [container(f"c{i}", n) for i, n in enumerate(containers)]}
    if init:
        spec["initContainers"] = [container(f"i{i}", n) for i, n in enumerate(init)]
    made = pod("p", **spec)
    made["metadata"]["uid"] = "uid-p"
    return made


def test_a_class_serves_the_resource_that_it_names_and_its_own_name() -> None:
    world = cluster(device_class("gpu", extendedResourceName=GPU), device_class("nic"))
    assert [serving_class(world, name) for name in (GPU, IMPLICIT)] == [world.find(DeviceClass, "gpu")] * 2
    assert serving_class(world, "deviceclass.resource.kubernetes.io/nic") == world.find(DeviceClass, "nic")
    assert serving_class(world, "example.com/nic") is None
    assert serving_class(cluster(), GPU) is None


@pytest.mark.parametrize(
    ("first", "second", "serves", "implicit"),
    [
        ("2024-01-01T00:00:00Z", "2024-01-02T00:00:00Z", "b", {"a", "b"}),
        ("2024-01-02T00:00:00Z", "2024-01-01T00:00:00Z", "a", {"a"}),
        ("2024-01-01T00:00:00Z", "2024-01-01T00:00:00Z", "a", {"a"}),
    ],
)
def test_of_two_classes_the_younger_serves_then_the_first_by_name(
    first: str, second: str, serves: str, implicit: set[str]
) -> None:
    manifests = [device_class(name, extendedResourceName=GPU) for name in ("a", "b")]
    for manifest, created in zip(manifests, (first, second), strict=True):
        manifest["metadata"]["creationTimestamp"] = created
    found = by_resource_name(reversed(decode_objects(manifests).of(DeviceClass)))
    assert found[GPU].metadata.name == serves
    assert {name.rpartition("/")[2] for name in found if name != GPU} == implicit


def test_the_claim_is_made_in_memory_once_a_class_serves_a_requested_resource() -> None:
    asking = asks(2)
    with_class = cluster(device_class("gpu", extendedResourceName=GPU))
    assert claim_for(model(asking), {"cpu": 1000, GPU: 2}, cluster()) is None
    assert claim_for(model(asking), {"cpu": 1000, GPU: 0}, with_class) is None
    claim = claim_for(model(asking), {"cpu": 1000, GPU: 2}, with_class)
    assert claim is not None and claim.metadata.name == IN_MEMORY and not claim.spec.devices.requests
    assert claim.metadata.ownerReferences[0].uid == "uid-p" and claim.metadata.ownerReferences[0].controller


def test_a_claim_that_an_earlier_attempt_has_written_is_found() -> None:
    written = resource_claim("p-extended-resources-x")
    owner = {"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": "uid-p", "controller": True}
    written["metadata"] |= {"annotations": {ANNOTATION: "true"}, "ownerReferences": [owner]}
    others = resource_claim("other")
    others["metadata"]["ownerReferences"] = [owner]
    world = cluster(device_class("gpu", extendedResourceName=GPU), others, written)
    claim = claim_for(model(asks(2)), {GPU: 2}, world)
    assert claim is not None and claim.metadata.name == "p-extended-resources-x"


def test_written_claims_are_found_as_they_come_and_go() -> None:
    """Several changes between two questions, and two claims of one pod, of which the first counts."""
    asking, owner = model(asks(2)), {"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": "uid-p", "controller": True}

    def written(name: str) -> Manifest:
        made = resource_claim(name)
        made["metadata"] |= {"annotations": {ANNOTATION: "true"}, "ownerReferences": [owner]}
        return made

    def found() -> str:
        claim = claim_for(asking, {GPU: 2}, world)
        assert claim is not None
        return claim.metadata.name

    world = cluster(device_class("gpu", extendedResourceName=GPU))
    assert found() == IN_MEMORY
    world.add(written("b"), written("a"))
    assert found() == "b"
    first, second = world.objects_of(ResourceClaim)
    world.change_objects([replace(first, status=first.status)])
    assert found() == "b", "what changes keeps its place"
    first, second = world.objects_of(ResourceClaim)
    world.change_objects((), [first])
    fork = world.fork()
    assert found() == "a"
    world.change_objects((), [second])
    assert found() == IN_MEMORY
    world = fork
    assert found() == "a"
    world.add(resource_claim("other"))
    assert found() == "a"
    world.change_objects((), [second])
    assert found() == IN_MEMORY


def test_devices_that_the_class_cannot_judge_count_as_none() -> None:
    """v1.37: noderesources/resource_allocation.go, calculateDRAExtendedResourceAllocatableRequest."""
    needs_a_model = device_class("gpu", f'device.attributes["{DRIVER}"].model == "a100"', extendedResourceName=GPU)
    world = cluster(node("a"), needs_a_model, resource_slice("a", [device("gpu-0")]))
    found = device_usage(world, GPU, np.array([0]))
    assert (found.capacity.tolist(), found.held.tolist()) == ([0], [0])


def test_each_device_of_a_slice_may_say_on_which_nodes_it_counts() -> None:
    """v1.37: noderesources/resource_allocation.go, calculateDRAResourceTotals."""
    devices = [device("gpu-0", nodeName="b"), device("gpu-1", allNodes=True)]
    pool = resource_slice("rack", devices, perDeviceNodeSelection=True)
    world = cluster(node("a"), node("b"), device_class("gpu", extendedResourceName=GPU), pool)
    assert device_usage(world, GPU, np.array([0, 1])).capacity.tolist() == [1, 2]


def test_devices_of_a_slice_count_on_the_nodes_that_its_selector_selects() -> None:
    """v1.37: noderesources/resource_allocation.go, calculateDRAResourceTotals."""
    where = {"nodeSelectorTerms": [{"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["b"]}]}]}
    pool = resource_slice("rack", [device("gpu-0")], nodeSelector=where)
    world = cluster(node("a"), node("b"), device_class("gpu", extendedResourceName=GPU), pool)
    assert device_usage(world, GPU, np.array([0, 1])).capacity.tolist() == [0, 1]


@pytest.mark.parametrize(
    ("asking", "requests", "mappings"),
    [
        (asks(2), {"container-0-request-1": 2}, {"c0": ["container-0-request-1"]}),
        (asks(0), {}, {}),
        (
            asks(1, 2),
            {"container-0-request-1": 1, "container-1-request-1": 2},
            {"c0": ["container-0-request-1"], "c1": ["container-1-request-1"]},
        ),
        # an init container uses what the containers after it request
        (
            asks(1, 2, init=(3,)),
            {"container-1-request-1": 1, "container-2-request-1": 2},
            {
                "c0": ["container-1-request-1"],
                "c1": ["container-2-request-1"],
                "i0": ["container-1-request-1", "container-2-request-1"],
            },
        ),
        # what is missing is requested once, as much as the largest needs
        (
            asks(1, init=(2, 4)),
            {"container-1-request-1": 3, "container-2-request-1": 1},
            {
                "c0": ["container-2-request-1"],
                "i0": ["container-2-request-1", "container-1-request-1"],
                "i1": ["container-2-request-1", "container-1-request-1"],
            },
        ),
        # of those that need as much, the first lends its name
        (
            asks(0, init=(2, 2)),
            {"container-0-request-1": 2},
            {"i0": ["container-0-request-1"], "i1": ["container-0-request-1"]},
        ),
        # a sidecar keeps its devices; an init container before it may use them, one after it may not
        (
            asks(1, init=(2, -2, 2)),
            {"container-1-request-1": 2, "container-2-request-1": 1, "container-3-request-1": 1},
            {
                "i1": ["container-1-request-1"],
                "c0": ["container-3-request-1"],
                "i0": ["container-1-request-1"],
                "i2": ["container-3-request-1", "container-2-request-1"],
            },
        ),
    ],
)
def test_what_the_claim_requests(asking: Manifest, requests: dict[str, int], mappings: dict[str, list[str]]) -> None:
    asked = requests_for(model(asking), {GPU: "gpu"})
    assert {each.name: count_of(each) for each in asked.requests} == requests
    found: dict[str, list[str]] = {}
    for each in asked.mappings:
        assert each.resourceName == GPU
        found.setdefault(each.containerName, []).append(each.requestName)
    assert found == mappings
