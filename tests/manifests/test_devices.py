"""Slices, device classes and claims: how they are read."""

from __future__ import annotations

import pytest

from kschedlab.cluster.cluster import Cluster
from kschedlab.manifests.loading import ManifestError, decode_objects
from kschedlab.objects.model import DeviceClass, ResourceClaim, ResourceSlice
from kschedlab.objects.quantity import Quantity

SLICE = {
    "apiVersion": "resource.k8s.io/v1",
    "kind": "ResourceSlice",
    "metadata": {"name": "s"},
    "spec": {
        "driver": "gpu.example.com",
        "nodeName": "n1",
        "pool": {"name": "n1", "generation": 1, "resourceSliceCount": 1},
        "devices": [
            {
                "name": "gpu-0",
                "attributes": {"model": {"string": "a100"}, "index": {"int": 0}, "driver": {"version": "1.2.0"}},
                "capacity": {"memory": {"value": "40Gi"}},
            }
        ],
    },
}
CLASS = {"apiVersion": "resource.k8s.io/v1", "kind": "DeviceClass", "metadata": {"name": "gpu"}, "spec": {}}


def claim(*requests: dict) -> dict:
    spec = {"devices": {"requests": list(requests)}}
    return {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim", "metadata": {"name": "c"}, "spec": spec}


def test_a_device_has_attributes_and_capacity():
    (found,) = decode_objects([SLICE]).resource_slices
    (device,) = found.spec.devices
    assert [each.value for each in device.attributes.values()] == ["a100", 0, "1.2.0"]
    assert device.attributes["driver"].versionValue == "1.2.0"
    assert device.capacity["memory"].value == Quantity("40Gi")


def test_requests_have_a_mode_and_a_count():
    alternatives = [
        {"name": "one", "deviceClassName": "gpu"},
        {"name": "all", "deviceClassName": "gpu", "allocationMode": "All"},
        {"name": "two", "deviceClassName": "gpu", "allocationMode": "", "count": 2},
    ]
    exact = {"name": "exact", "exactly": {"deviceClassName": "gpu"}}
    (found,) = decode_objects([claim(exact, {"name": "any", "firstAvailable": alternatives})]).resource_claims
    assert found.metadata.namespace == "default"
    first, second = found.spec.devices.requests
    assert (first.exactly.allocationMode, first.exactly.count) == ("ExactCount", 1)
    modes = [(each.allocationMode, each.count) for each in second.firstAvailable]
    assert modes == [("ExactCount", 1), ("All", 0), ("ExactCount", 2)]


def test_other_versions_are_read_if_they_have_the_same_fields():
    assert decode_objects([SLICE | {"apiVersion": "resource.k8s.io/v1beta2"}]).resource_slices
    with pytest.raises(ManifestError, match="resource.k8s.io/v1beta1.* has other fields: write the object as resource"):
        decode_objects([SLICE | {"apiVersion": "resource.k8s.io/v1beta1"}])


def test_faults_inside_of_maps_have_their_path():
    device = {"name": "d", "attributes": {"model": {"int": "text"}}, "capacity": {"memory": {"valeu": "1"}}}
    wrong = SLICE | {"spec": SLICE["spec"] | {"devices": [device]}}
    with pytest.raises(ManifestError, match=r"spec.devices\[0\].attributes.model.int: .text. is text, not a whole"):
        decode_objects([wrong])
    device["attributes"] = {}
    warning = "spec.devices[0].capacity.memory.valeu: is not a field of DeviceCapacity: did you mean value?"
    assert decode_objects([wrong]).report.warnings == [f"objects[0]: ResourceSlice s: {warning}"]


def test_a_cluster_keeps_the_objects():
    cluster = Cluster.from_dicts([SLICE, CLASS])
    assert [each.metadata.name for each in cluster.objects_of(ResourceSlice)] == ["s"]
    cluster.add(claim())
    found = cluster.find(ResourceClaim, ("default", "c"))
    cluster.change_objects(removed=[found])
    assert not cluster.objects_of(ResourceClaim)
    assert cluster.find(DeviceClass, "gpu").spec.selectors == ()
