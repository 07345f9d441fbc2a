"""Claims in motion: devices are held, written, and given back."""

from typing import Any

import pytest
from msgspec import convert
from msgspec.structs import replace

from kschedlab.build import Manifest, node
from kschedlab.objects.model import AllocatedDeviceStatus, ApiObject, Pod, ResourceClaim
from kschedlab_simulation.status import ApiError
from packages.devices.tests.device_manifests import GPU, device, device_class, exactly, resource_claim, resource_slice
from packages.devices.tests.test_plugin import RESOURCE, claiming, gpus, named
from packages.simulation.tests.plane import Plane
from tests.filter.test_node_resources import asks


def claim_of(plane: Plane, name: str = "c") -> ResourceClaim:
    return plane.api.get(ResourceClaim, "default", name)


def node_of(plane: Plane, name: str = "p") -> str:
    return plane.api.get(Pod, "default", name).spec.nodeName


def test_a_claim_is_allocated_and_reserved_before_the_pod_is_bound() -> None:
    plane = Plane(node("a"), device_class(), gpus("a", 1), resource_claim("c", exactly()))
    plane.create(claiming("c"))
    plane.run(2)
    claim = claim_of(plane)
    assert node_of(plane) == "a" and claim.status.allocation is not None
    assert [each.device for each in claim.status.allocation.devices.results] == ["gpu-0"]
    assert [each.name for each in claim.status.reservedFor] == ["p"]
    assert "resource.kubernetes.io/delete-protection" in claim.metadata.finalizers
    assert claim.status.allocation.allocationTimestamp is not None


def test_two_pods_do_not_get_the_same_device() -> None:
    claims = [resource_claim(name, exactly()) for name in "cd"]
    plane = Plane(node("a"), device_class(), gpus("a", 1), *claims)
    plane.create(named("x", claiming("c")), named("y", claiming("d")))
    plane.run(2)
    assert sorted([node_of(plane, "x"), node_of(plane, "y")]) == ["", "a"]


def test_a_pod_waits_for_its_claim_and_is_scheduled_once_it_is_there() -> None:
    plane = Plane(node("a"), device_class(), gpus("a", 1))
    plane.create(claiming("c"))
    plane.run(2)
    assert node_of(plane) == "" and not plane.api.get(Pod, "default", "p").status.conditions
    plane.create(resource_claim("c", exactly()))
    plane.run(5)
    assert node_of(plane) == "a"


def test_a_slice_requeues_a_pod_that_found_no_device() -> None:
    plane = Plane(node("a"), device_class(), resource_claim("c", exactly()))
    plane.create(claiming("c"))
    plane.run(5)
    assert node_of(plane) == ""
    plane.create(gpus("a", 1))
    plane.run(20)
    assert node_of(plane) == "a"


def test_a_shared_claim_serves_pods_one_after_the_other() -> None:
    plane = Plane(node("a"), device_class(), gpus("a", 1), resource_claim("c", exactly()))
    plane.create(named("x", claiming("c")), named("y", claiming("c")))
    plane.run(30)
    assert [node_of(plane, name) for name in "xy"] == ["a", "a"]
    assert sorted(each.name for each in claim_of(plane).status.reservedFor) == ["x", "y"]


def test_a_claim_for_extended_resources_is_created_and_named_in_the_pod() -> None:
    plane = Plane(node("a"), device_class(extendedResourceName=RESOURCE), gpus("a", 2))
    plane.create(asks({RESOURCE: "2"}))
    plane.run(2)
    (claim,) = plane.api.list(ResourceClaim)[0]
    status = plane.api.get(Pod, "default", "p").status.extendedResourceClaimStatus
    assert node_of(plane) == "a" and status is not None and status.resourceClaimName == claim.metadata.name
    assert claim.metadata.name.startswith("p-extended-resources-")
    assert claim.status.allocation is not None and len(claim.status.allocation.devices.results) == 2


def test_a_created_claim_that_gets_no_devices_is_deleted_again(monkeypatch: pytest.MonkeyPatch) -> None:
    plane = Plane(node("a"), device_class(extendedResourceName=RESOURCE), gpus("a", 2))
    with monkeypatch.context() as patched:
        patched.setattr(plane.api, "update_status", refuses)
        plane.create(asks({RESOURCE: "2"}))
        plane.run(0.5)
    assert any(message for reason, message in plane.events("p") if reason == "FailedScheduling")
    assert not plane.api.list(ResourceClaim)[0]
    plane.run(30)
    assert node_of(plane) == "a" and len(plane.api.list(ResourceClaim)[0]) == 1


@pytest.mark.parametrize(("conflicts", "bound"), [(4, "a"), (5, "")])
def test_a_claim_that_others_write_at_the_same_time_is_written_five_times_at_most(
    conflicts: int, bound: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """v1.37: client-go, util/retry/util.go, DefaultRetry."""
    plane = Plane(node("a"), device_class(), gpus("a", 1), resource_claim("c", exactly()))
    update, refusals = plane.api.update_status, iter(range(conflicts))

    def refuses_first(obj: ApiObject, **more: Any) -> Any:
        if isinstance(obj, ResourceClaim) and next(refusals, None) is not None:
            refuses(obj)
        return update(obj, **more)

    monkeypatch.setattr(plane.api, "update_status", refuses_first)
    plane.create(claiming("c"))
    plane.run(0.5)
    assert node_of(plane) == bound


def idle_elsewhere() -> Plane:
    """A pod for node b, whose claim has an idle device on node a."""
    result = {"request": "r", "driver": GPU, "pool": "a", "device": "gpu-0"}
    terms = [{"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["a"]}]}]
    claim = resource_claim("c", exactly())
    claim["status"] = {"allocation": {"devices": {"results": [result]}, "nodeSelector": {"nodeSelectorTerms": terms}}}
    plane = Plane(node("a", cpu=1), node("b"), device_class(), gpus("a", 1), gpus("b", 1), claim)
    plane.create(claiming("c", cpu=2))
    return plane


def refuses(obj: ApiObject, **_: object) -> None:
    raise ApiError.conflict(ResourceClaim, obj.metadata.name)


def test_an_idle_claim_that_cannot_be_given_back_is_noted_and_the_pod_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    plane = idle_elsewhere()
    monkeypatch.setattr(plane.api, "update_status", refuses)
    plane.run(5)
    assert node_of(plane) == ""
    conflict = 'Operation cannot be fulfilled on resourceclaims.resource.k8s.io "c": the object has been modified'
    assert plane.details("postFilter")[0].startswith(f"default/p: {conflict}")


def test_an_idle_claim_on_the_wrong_node_is_given_back_and_allocated_anew() -> None:
    plane = idle_elsewhere()
    plane.run(20)
    assert node_of(plane) == "b"
    allocation = claim_of(plane).status.allocation
    assert allocation is not None and allocation.devices.results[0].pool == "b"


def unready() -> Manifest:
    conditions = {"bindingConditions": ["Attached"], "bindingFailureConditions": ["Broken"]}
    return resource_slice("a", [device("gpu-0", **conditions)])


def test_the_pod_is_bound_once_its_devices_are_ready() -> None:
    plane = Plane(node("a"), device_class(), unready(), resource_claim("c", exactly()))
    plane.create(claiming("c"))
    plane.run(30)
    assert node_of(plane) == "" and claim_of(plane).status.allocation is not None
    attached = {"type": "Attached", "status": "True", "reason": "", "message": ""}
    ready = convert({"driver": GPU, "pool": "a", "device": "gpu-0", "conditions": [attached]}, AllocatedDeviceStatus)
    claim = claim_of(plane)
    plane.api.update_status(replace(claim, status=replace(claim.status, devices=(ready,))))
    plane.run(10)
    assert node_of(plane) == "a"


def test_devices_that_cannot_be_given_back_are_noted(monkeypatch: pytest.MonkeyPatch) -> None:
    plane = Plane(node("a"), device_class(), unready(), resource_claim("c", exactly()))
    plane.create(claiming("c"))
    plane.run(3)
    monkeypatch.setattr(plane.api, "update_status", refuses)
    plane.delete("p")
    plane.run(700)
    assert any(each.startswith("default/p: Operation cannot be fulfilled") for each in plane.details("unreserve"))


def test_a_pod_whose_devices_fail_gives_them_back_and_tries_again() -> None:
    plane = Plane(node("a"), device_class(), unready(), resource_claim("c", exactly()))
    plane.create(claiming("c"))
    plane.run(3)
    broken = {"type": "Broken", "status": "True", "reason": "R", "message": "text"}
    failed = convert({"driver": GPU, "pool": "a", "device": "gpu-0", "conditions": [broken]}, AllocatedDeviceStatus)
    claim = claim_of(plane)
    plane.api.update_status(replace(claim, status=replace(claim.status, devices=(failed,))))
    plane.run(60)
    text = 'running PreBind plugin "DynamicResources": device binding failed: claim=c, reason=R, message="text"'
    assert any(text in message for _, message in plane.events("p"))
    claim = claim_of(plane)
    assert claim.status.allocation is not None and not claim.status.devices
