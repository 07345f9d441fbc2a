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
    (found,) = decode_objects([SLICE]).of(ResourceSlice)
    (device,) = found.spec.devices
    given = [{"string": "a100"}, {"int": 0}, {"version": "1.2.0"}]
    assert [each.given for each in device.attributes.values()] == given
    assert device.attributes["driver"].versionValue == "1.2.0"
    assert device.capacity["memory"].value == Quantity("40Gi")


def test_requests_have_a_mode_and_a_count():
    alternatives = [
        {"name": "one", "deviceClassName": "gpu"},
        {"name": "all", "deviceClassName": "gpu", "allocationMode": "All"},
        {"name": "two", "deviceClassName": "gpu", "allocationMode": "", "count": 2},
    ]
    exact = {"name": "exact", "exactly": {"deviceClassName": "gpu"}}
    (found,) = decode_objects([claim(exact, {"name": "any", "firstAvailable": alternatives})]).of(ResourceClaim)
    assert found.metadata.namespace == "default"
    first, second = found.spec.devices.requests
    assert (first.exactly.allocationMode, first.exactly.count) == ("ExactCount", 1)
    modes = [(each.allocationMode, each.count) for each in second.firstAvailable]
    assert modes == [("ExactCount", 1), ("All", 0), ("ExactCount", 2)]


def test_other_versions_are_read_if_they_have_the_same_fields():
    assert decode_objects([SLICE | {"apiVersion": "resource.k8s.io/v1beta2"}]).of(ResourceSlice)
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


def published(**fields: object) -> dict:
    """The slice with such a device."""
    return SLICE | {"spec": SLICE["spec"] | {"devices": [{"name": "d", **fields}]}}


def listed(**value: object) -> dict:
    return published(attributes={"root": value})


def grouped(*groups: str) -> dict:
    consumed = {"counterSet": "s", "counters": {"c": {"value": "1"}}, "compatibilityGroups": list(groups)}
    return published(consumesCounters=[consumed])


WRONG = {
    "an empty list": (listed(ints=[]), "attributes.root.ints: is missing"),
    "two values": (
        listed(ints=[1], string="a"),
        "attributes.root: must have exactly one of int, bool, string, version",
    ),
    "a long text": (listed(strings=["a" * 65]), r"attributes.root.strings\[0\]: has more than 64 characters"),
    "no version": (listed(versions=["1.0.0", "1"]), r"attributes.root.versions\[1\]: .* is not a semantic version"),
    "too many values": (listed(ints=[*range(49)]), r"devices\[0\]: has more than 48 values of attributes"),
    "too many groups": (grouped("a", "b", "c"), "compatibilityGroups: has 3 items: at most 2"),
    "a group twice": (grouped("a", "a"), r"compatibilityGroups\[1\]: .a. appears twice"),
    "a group without a name": (grouped("A"), r"compatibilityGroups\[0\]: .*lower"),
}


@pytest.mark.parametrize("case", WRONG)
def test_lists_and_groups_are_checked(case: str):
    manifest, said = WRONG[case]
    with pytest.raises(ManifestError, match=said):
        decode_objects([manifest])


def test_a_slice_with_lists_has_fewer_devices():
    devices = [{"name": f"d{i}", "attributes": {"root": {"bools": [True]}}} for i in range(65)]
    many = SLICE | {"spec": SLICE["spec"] | {"devices": devices}}
    with pytest.raises(ManifestError, match="has 65 items: at most 64"):
        decode_objects([many])
    assert decode_objects([many | {"spec": many["spec"] | {"devices": devices[:64]}}]).of(ResourceSlice)


def test_what_needs_a_gate_is_read_with_a_warning():
    needs = "needs the feature gate {}, which is off by default"
    lists, groups = needs.format("DRAListTypeAttributes"), needs.format("DRADeviceCompatibilityGroups")
    (warning,) = decode_objects([listed(ints=[1, 2])]).report.warnings
    assert warning == f"objects[0]: ResourceSlice s: spec.devices[0].attributes.root: {lists}"
    (warning,) = decode_objects([grouped("a")]).report.warnings
    assert warning.endswith(f"spec.devices[0].consumesCounters[0].compatibilityGroups: {groups}")
    selector = [{"cel": {"expression": 'device.attributes["a"].root.includes(1)'}}]
    asked = claim({"name": "r", "exactly": {"deviceClassName": "gpu", "selectors": selector}})
    (warning,) = decode_objects([asked]).report.warnings
    assert warning.endswith(f"spec.devices.requests[0].exactly.selectors[0].cel.expression: {lists}")
    selector[0]["cel"]["expression"] = 'device.driver == "gpu.example.com"'
    assert decode_objects([asked]).report.warnings == []


def test_a_cluster_keeps_the_objects():
    cluster = Cluster.from_dicts([SLICE, CLASS])
    assert [each.metadata.name for each in cluster.objects_of(ResourceSlice)] == ["s"]
    cluster.add(claim())
    found = cluster.find(ResourceClaim, ("default", "c"))
    cluster.change_objects(removed=[found])
    assert not cluster.objects_of(ResourceClaim)
    assert cluster.find(DeviceClass, "gpu").spec.selectors == ()
