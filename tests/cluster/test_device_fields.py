"""An older API server drops device fields whose features it lacks; a newer one, given the same objects, keeps them."""

from kschedlab.cluster.cluster import Cluster
from kschedlab.objects.api import API_1_34, API_1_35, API_1_36
from kschedlab.objects.model import ResourceClaim, ResourceSlice
from packages.devices.tests.device_manifests import device, exactly, resource_claim, resource_slice

TAINT = {"key": "k", "effect": "NoSchedule"}
SLICE = resource_slice("p", [device("d", capacity={"memory": "1Gi"}, taints=[TAINT])])
CLAIM = resource_claim("c", exactly(), constraints=[{"distinctAttribute": "gpu.example.com/numa"}])


def fields(cluster: Cluster) -> tuple[int, str | None]:
    """How many taints the device has, and the constraint's attribute."""
    (each,), claim = cluster.objects_of(ResourceSlice), cluster.find(ResourceClaim, ("default", "c"))
    assert claim is not None and each.spec.devices[0].capacity
    return len(each.spec.devices[0].taints), claim.spec.devices.constraints[0].distinctAttribute


def test_what_an_api_server_drops() -> None:
    cluster = Cluster.from_dicts([SLICE, CLAIM], API_1_36)
    assert fields(cluster) == (1, "gpu.example.com/numa")
    assert fields(cluster.under(API_1_35)) == (0, None)
    assert fields(cluster.under(API_1_34)) == (0, "gpu.example.com/numa")


def test_a_newer_api_server_gets_the_objects_as_they_were_given() -> None:
    older = Cluster.from_dicts([], API_1_35).add(SLICE, CLAIM)
    fork = older.fork().add(SLICE)
    assert fields(older) == fields(fork) == (0, None)
    assert fields(older.under(API_1_36)) == fields(fork.under(API_1_36)) == (1, "gpu.example.com/numa")
    fork.change_objects(removed=[older.find(ResourceClaim, ("default", "c"))])
    assert not fork.under(API_1_36).objects_of(ResourceClaim)
