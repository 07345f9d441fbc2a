"""Pods of a group compete for devices and volumes, or share a claim."""

from typing import Any

from kschedlab.build import node, term
from packages.devices.tests.device_manifests import device_class, exactly, resource_claim
from packages.devices.tests.test_plugin import allocated, gpus
from packages.groups.tests.test_cycle import decided, group, member, messages_of, nodes_of
from tests.storage import claim, mount, storage_class, volume

LOCAL = storage_class("wait", "kubernetes.io/no-provisioner")
NO_PLACE = "node(s) didn't find available persistent volumes to bind"


def asking(name: str, *claims: str, **fields: Any) -> dict[str, Any]:
    return member(name, resourceClaims=[{"name": each, "resourceClaimName": each} for each in claims], **fields)


def mounting(name: str, *claims: str, **fields: Any) -> dict[str, Any]:
    return member(name, volumes=[mount(each, f"v{i}") for i, each in enumerate(claims)], **fields)


def claims(*names: str) -> list[dict[str, Any]]:
    return [device_class(), *(resource_claim(name, exactly()) for name in names)]


def here(name: str, on: str) -> dict[str, Any]:
    return volume(name, term(f"disk In {on}"))


def with_disk(name: str) -> dict[str, Any]:
    return node(name, labels={"disk": name})


def devices_of(answer: dict[str, Any]) -> list[dict[str, list[str]]]:
    return [each.get("devices", {}) for each in answer["placements"]]


# -- devices


def test_each_pod_gets_a_device_of_its_own() -> None:
    objects = [node("n1"), gpus("n1", 2), *claims("c", "d"), group(), asking("a", "c"), asking("b", "d")]
    gpu = "gpu.example.com/n1/gpu-"
    assert devices_of(decided(*objects)) == [{"default/c": [f"{gpu}0"]}, {"default/d": [f"{gpu}1"]}]


def test_a_gang_without_enough_devices_gets_none() -> None:
    objects = [node("n1"), gpus("n1", 1), *claims("c", "d"), group(), asking("a", "c"), asking("b", "d")]
    answer = decided(*objects)
    assert nodes_of(answer) == ["", ""] and devices_of(answer) == [{}, {}]
    assert messages_of(answer)[1] == "0/1 nodes are available: 1 cannot allocate all claims."
    loose = decided(*objects[:-3], group(minimum=1), *objects[-2:])
    assert nodes_of(loose) == ["n1", ""]


def test_pods_share_a_claim_that_the_first_of_them_allocates() -> None:
    nodes = [node("n1", cpu="4"), node("n2", cpu="2")]
    objects = [*nodes, gpus("n2", 1), *claims("c"), group(), asking("a", "c", cpu="1"), asking("b", "c", cpu="1")]
    answer = decided(*objects)
    assert nodes_of(answer) == ["n2", "n2"]
    assert devices_of(answer) == [{"default/c": ["gpu.example.com/n2/gpu-0"]}] * 2
    full = decided(*objects, asking("x", "c", cpu="1"))
    assert messages_of(full)[2] == (
        "0/2 nodes are available: 1 Insufficient cpu, 1 resourceclaim not available on the node."
    )


def test_reserve_mixes_up_a_shared_claim_with_one_that_comes_after_it() -> None:
    objects = [node("n1"), gpus("n1", 3), *claims("c", "own"), group(), asking("a", "c"), asking("b", "c", "own")]
    gpu = "gpu.example.com/n1/gpu-"
    swapped = {"default/c": [f"{gpu}1"], "default/own": [f"{gpu}0"]}
    assert devices_of(decided(*objects)) == [{"default/c": [f"{gpu}0"]}, swapped]


def test_a_rejected_gang_gives_back_what_nobody_else_uses() -> None:
    stale = [allocated("c", "n1", 0, on="n1"), allocated("d", "n1", 1, "uid-other", on="n1")]
    objects = [node("n1", cpu="1"), node("n2"), device_class(), gpus("n1", 2), *stale, group()]
    answer = decided(*objects, asking("a", "c", cpu="2"), asking("b", "d", cpu="2"))
    assert nodes_of(answer) == ["", ""] and answer["deallocated"] == ["default/c"]


def test_preemption_finds_the_devices_again() -> None:
    low = member("low", "n1", of="old", cpu="1")
    objects = [node("n1", cpu="2"), gpus("n1", 2), *claims("c", "d"), group("old", 1), low, group(priority=5)]
    answer = decided(*objects, asking("a", "c", cpu="1", priority=5), asking("b", "d", cpu="1", priority=5))
    assert answer["victims"] == ["default/low"]
    assert [each["nominated"] for each in answer["placements"]] == ["n1", "n1"]


# -- volumes


def test_each_pod_gets_a_volume_of_its_own() -> None:
    objects = [
        with_disk("n1"),
        with_disk("n2"),
        LOCAL,
        here("v1", "n1"),
        here("v2", "n2"),
        claim("c"),
        claim("d"),
        group(),
    ]
    answer = decided(*objects, mounting("a", "c"), mounting("b", "d"))
    assert nodes_of(answer) == ["n1", "n2"] and answer["volumes"] == {"default/c": "v1", "default/d": "v2"}


def test_a_gang_without_enough_volumes_gets_none() -> None:
    objects = [with_disk("n1"), LOCAL, here("v1", "n1"), claim("c"), claim("d"), group()]
    answer = decided(*objects, mounting("a", "c"), mounting("b", "d"))
    assert nodes_of(answer) == ["", ""] and "volumes" not in answer
    assert messages_of(answer)[1] == f"0/1 nodes are available: 1 {NO_PLACE}."


def test_pods_with_the_same_unbound_claim_go_where_its_volume_is_made() -> None:
    objects = [node("n1", cpu="1"), node("n2", cpu="3"), storage_class("wait"), claim("c"), group(minimum=1)]
    answer = decided(*objects, *(mounting(name, "c", cpu="1") for name in "abxy"))
    assert nodes_of(answer) == ["n2", "n2", "n2", ""] and answer["volumes"] == {"default/c": ""}
    assert messages_of(answer)[3] == f"0/2 nodes are available: 1 Insufficient cpu, 1 {NO_PLACE}."


def test_a_group_whose_pods_all_miss_their_volumes_is_an_error() -> None:
    late = [storage_class("now", waits=False), claim("c", of="now")]
    answer = decided(node("n1"), *late, group(minimum=1), mounting("a", "c"))
    said = 'error in "DynamicResources" PodGroupPostFilter plugins: not found'
    assert answer["condition"] == {"status": "False", "reason": "SchedulerError", "message": said}
