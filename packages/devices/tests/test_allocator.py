"""Which devices claims get on a node, case by case."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

from kschedlab.build import Manifest, node
from kschedlab.cluster.cluster import Cluster
from kschedlab.generations import GENERATIONS
from kschedlab.objects.api import GROUPS, LISTS
from kschedlab.objects.model import ResourceClaim
from kschedlab_devices.allocator import Allocator
from kschedlab_devices.errors import AllocationError
from kschedlab_devices.state import state_of
from packages.devices.tests.device_manifests import (
    GPU,
    device,
    device_class,
    exactly,
    resource_claim,
    resource_slice,
    taint_rule,
)

NODE = "n1"


def allocation(
    *objects: Manifest, on: str = NODE, gates: Iterable[str] = (), generation: str = "v1.37", **limits: int
) -> list[Any] | None:
    """The results for the claims that are not allocated yet."""
    api = GENERATIONS[generation].with_feature_gates(dict.fromkeys(gates, True)).api
    cluster = Cluster.from_dicts([node(NODE), node("n2"), *objects], api)
    claims = [each for each in cluster.objects_of(ResourceClaim) if each.status.allocation is None]
    where = cluster.nodes[cluster.index[on]]
    return Allocator(state_of(cluster), **limits).allocate(where, claims)


def devices(*objects: Manifest, on: str = NODE, gates: Iterable[str] = ()) -> list[list[str]] | None:
    """The names of the devices by claim."""
    results = allocation(*objects, on=on, gates=gates)
    return results and [[each.device for each in result.devices.results] for result in results]


def gpus(count: int, **fields: Any) -> list[Manifest]:
    return [device(f"gpu-{i}", **fields) for i in range(count)]


def twice() -> list[Manifest]:
    """An invalid pool: two slices with the same device."""
    return [resource_slice(NODE, gpus(1), name=name, pool_slices=2) for name in ("one", "two")]


def held(*names: str, pool: str = NODE) -> Manifest:
    """A claim that holds these devices."""
    results = [{"request": "r", "driver": GPU, "pool": pool, "device": name} for name in names]
    return resource_claim("held", exactly(), allocation={"devices": {"results": results}})


def test_the_first_free_devices_are_taken():
    objects = [resource_slice(NODE, gpus(4)), device_class(), held("gpu-0", "gpu-2")]
    assert devices(*objects, resource_claim("c", exactly(count=2))) == [["gpu-1", "gpu-3"]]
    assert devices(*objects, resource_claim("c", exactly(count=3))) is None
    assert devices(*objects, resource_claim("c", exactly(count=1)), on="n2") is None


def test_slices_and_pools_are_visited_by_name():
    slices = [
        resource_slice("b", gpus(1), nodeName=NODE),
        resource_slice("a", [device("second")], nodeName=NODE, name="z", pool_slices=2),
        resource_slice("a", [device("first")], nodeName=NODE, name="y", pool_slices=2),
        resource_slice("c", gpus(1), "a.example.com", nodeName=NODE),
    ]
    found = allocation(*slices, device_class(), resource_claim("c", exactly(count=4)))
    assert [(each.pool, each.device) for each in found[0].devices.results] == [
        ("c", "gpu-0"),
        ("a", "first"),
        ("a", "second"),
        ("b", "gpu-0"),
    ]


def test_all_devices_or_none():
    ask = resource_claim("c", exactly(allocationMode="All"))
    assert devices(resource_slice(NODE, gpus(3)), device_class(), ask) == [["gpu-0", "gpu-1", "gpu-2"]]
    assert devices(resource_slice(NODE, gpus(3)), device_class(), ask, held("gpu-1")) is None
    assert devices(device_class(), ask) is None
    with pytest.raises(AllocationError, match="claim default/c: number of requested devices 33 exceeds the claim limi"):
        devices(resource_slice(NODE, gpus(33)), device_class(), ask)


def test_all_needs_complete_pools_that_are_valid():
    ask = resource_claim("c", exactly(allocationMode="All"))
    name = f"claim default/c, request r: asks for all devices, but resource pool {GPU}/n1 is currently"
    with pytest.raises(AllocationError, match=f"{name} being updated"):
        devices(resource_slice(NODE, gpus(1), pool_slices=2), device_class(), ask)
    with pytest.raises(AllocationError, match=f"{name} invalid"):
        devices(*twice(), device_class(), ask)


def test_an_incomplete_pool_gives_no_device_and_an_invalid_one_says_so():
    ask = resource_claim("c", exactly())
    other = resource_slice("p2", gpus(1), nodeName=NODE)
    assert devices(resource_slice(NODE, gpus(1), pool_slices=2), device_class(), ask) is None
    with pytest.raises(AllocationError, match="^invalid resource pools were encountered$") as caught:
        devices(*twice(), device_class(), ask)
    assert caught.value.only_this_node
    assert devices(*twice(), other, device_class(), ask) == [["gpu-0"]]


def test_only_the_newest_generation_counts():
    old = resource_slice(NODE, [device("old")], name="old", generation=1)
    new = resource_slice(NODE, [device("new")], name="new", generation=2)
    assert devices(old, new, device_class(), resource_claim("c", exactly())) == [["new"]]
    elsewhere = resource_slice(NODE, [device("new")], name="new", generation=2, nodeName="n2", pool_slices=2)
    late = resource_slice(NODE, [device("old")], name="old", generation=1, pool_slices=2)
    assert devices(late, elsewhere, device_class(), resource_claim("c", exactly())) is None


def test_a_missing_class_is_an_error():
    message = (
        'claim default/c, request r: could not retrieve device class gpu: deviceclass.resource.k8s.io "gpu" not found'
    )
    with pytest.raises(AllocationError) as caught:
        devices(resource_slice(NODE, gpus(1)), resource_claim("c", exactly()))
    assert str(caught.value) == message and not caught.value.only_this_node


def test_a_tainted_device_needs_a_toleration():
    slices = resource_slice(NODE, [device("bad", taints=[{"key": "broken", "effect": "NoExecute"}]), device("good")])
    assert devices(slices, device_class(), resource_claim("c", exactly())) == [["good"]]
    tolerant = resource_claim("c", exactly(tolerations=[{"key": "broken", "operator": "Exists"}]))
    assert devices(slices, device_class(), tolerant) == [["bad"]]


@pytest.mark.parametrize(
    ("toleration", "tolerant"),
    [
        ({"key": "broken", "value": "yes"}, True),
        ({"key": "broken", "operator": "Equal", "value": "yes"}, True),
        ({"key": "broken", "value": "no"}, False),
        ({"key": "broken"}, False),
        ({"key": "other", "operator": "Exists"}, False),
        ({"operator": "Exists"}, True),
        ({"operator": "Exists", "effect": "NoExecute"}, True),
        ({"operator": "Exists", "effect": "NoSchedule"}, False),
    ],
)
def test_which_tolerations_are_for_a_taint(toleration, tolerant):
    taint = {"key": "broken", "value": "yes", "effect": "NoExecute"}
    objects = resource_slice(NODE, [device("bad", taints=[taint])]), device_class()
    assert devices(*objects, resource_claim("c", exactly(tolerations=[toleration]))) == (
        [["bad"]] if tolerant else None
    )


@pytest.mark.parametrize(
    ("selector", "expected"),
    [
        ({}, None),
        ({"driver": GPU, "pool": NODE, "device": "gpu-0"}, [["gpu-1"]]),
        ({"device": "gpu-1"}, [["gpu-0"]]),
        ({"driver": "nic.example.com"}, [["gpu-0"]]),
        ({"pool": "n2"}, [["gpu-0"]]),
    ],
)
def test_rules_taint_devices(selector, expected):
    objects = resource_slice(NODE, gpus(2)), device_class(), resource_claim("c", exactly())
    assert devices(*objects, taint_rule("broken", **selector)) == expected
    assert devices(*objects, taint_rule("seen", "None", **selector)) == [["gpu-0"]]


def test_constraints_between_the_devices_of_a_claim():
    pairs = [device(f"gpu-{i}", attributes={"numa": i % 2, "index": i // 2}) for i in range(4)]
    objects = resource_slice(NODE, pairs), device_class()
    same = resource_claim("c", exactly(count=2), constraints=[{"matchAttribute": f"{GPU}/numa"}])
    assert devices(*objects, same) == [["gpu-0", "gpu-2"]]
    distinct = resource_claim("c", exactly(count=2), constraints=[{"distinctAttribute": f"{GPU}/index"}])
    assert devices(*objects, distinct) == [["gpu-0", "gpu-2"]]
    both = [{"matchAttribute": f"{GPU}/numa"}, {"distinctAttribute": f"{GPU}/numa"}]
    assert devices(*objects, resource_claim("c", exactly(count=2), constraints=both)) is None
    every = resource_claim("c", exactly(allocationMode="All"), constraints=[{"matchAttribute": f"{GPU}/numa"}])
    with pytest.raises(AllocationError, match=r"request r: cannot add device gpu.example.com/n1/gpu-1 because a claim"):
        devices(*objects, every)


def test_an_attribute_that_is_a_list_matches_by_one_of_its_values():
    roots = [["a", "b"], "c", ["b", "c"], ["b"]]
    objects = resource_slice(NODE, [device(f"gpu-{i}", attributes={"root": each}) for i, each in enumerate(roots)])
    same = resource_claim("c", exactly(count=2), constraints=[{"matchAttribute": f"{GPU}/root"}])
    three = resource_claim("c", exactly(count=3), constraints=[{"matchAttribute": f"{GPU}/root"}])
    distinct = resource_claim("c", exactly(count=2), constraints=[{"distinctAttribute": f"{GPU}/root"}])
    found = [devices(objects, device_class(), each, gates=[LISTS]) for each in (same, three, distinct)]
    assert found == [[["gpu-0", "gpu-2"]], [["gpu-0", "gpu-2", "gpu-3"]], [["gpu-0", "gpu-1"]]]
    assert devices(objects, device_class(), same) is None


def test_values_of_different_types_are_never_the_same():
    both = [device("text", attributes={"root": ["1", "2"]}), device("number", attributes={"root": [1, 2]})]
    same, distinct = (
        resource_claim("c", exactly(count=2), constraints=[{f"{kind}Attribute": f"{GPU}/root"}])
        for kind in ("match", "distinct")
    )
    assert devices(resource_slice(NODE, both), device_class(), same, gates=[LISTS]) is None
    assert devices(resource_slice(NODE, both), device_class(), distinct, gates=[LISTS]) == [["text", "number"]]


def test_the_first_alternative_that_works_out_is_taken():
    listed = [{"name": "two", "deviceClassName": "gpu", "count": 2}, {"name": "one", "deviceClassName": "gpu"}]
    ask = resource_claim("c", {"name": "r", "firstAvailable": listed}, exactly("other"))
    for free, requests in ((3, ["r/two", "r/two", "other"]), (2, ["r/one", "other"])):
        (found,) = allocation(resource_slice(NODE, gpus(free)), device_class(), ask)
        assert [each.request for each in found.devices.results] == requests


@pytest.mark.parametrize(("generation", "taken"), [("v1.35", ["gpu-0"]), ("v1.36", ["gpu-0", "gpu-1"])])
def test_in_v1_35_an_alternative_that_asks_for_all_devices_gets_one(generation, taken):
    listed = [
        {"name": "none", "deviceClassName": "none"},
        {"name": "all", "deviceClassName": "gpu", "allocationMode": "All"},
    ]
    classes = device_class(), device_class("none", "false")
    ask = resource_claim("c", {"name": "r", "firstAvailable": listed})
    (found,) = allocation(resource_slice(NODE, gpus(2)), *classes, ask, generation=generation)
    assert [each.device for each in found.devices.results] == taken
    assert {each.request for each in found.devices.results} == {"r/all"}


def test_admin_access_takes_devices_in_use():
    objects = [resource_slice(NODE, gpus(2)), device_class(), held("gpu-0", "gpu-1")]
    (found,) = allocation(*objects, resource_claim("c", exactly(adminAccess=True, count=2)))
    assert [(each.device, each.adminAccess) for each in found.devices.results] == [("gpu-0", True), ("gpu-1", True)]
    status = {
        "devices": {"results": [{"request": "r", "driver": GPU, "pool": NODE, "device": "gpu-0", "adminAccess": True}]}
    }
    watching = resource_claim("held", exactly(), allocation=status)
    assert devices(*objects[:2], watching, resource_claim("c", exactly())) == [["gpu-0"]]


def test_what_a_claim_holds_besides_its_admin_access_is_in_use():
    taken = held("gpu-0", "gpu-1")
    taken["status"]["allocation"]["devices"]["results"][0]["adminAccess"] = True
    assert devices(resource_slice(NODE, gpus(3)), device_class(), taken, resource_claim("c", exactly(count=2))) == [
        ["gpu-0", "gpu-2"]
    ]


def test_admin_access_leaves_the_only_free_device_to_another_request():
    """It is tried first, and leaves nothing for the other one: a device in use is as good for admin access alone."""
    busy = [f"gpu-{i}" for i in range(1, 33)]
    objects = [resource_slice(NODE, gpus(33)), device_class(), held(*busy)]
    claim = resource_claim("c", exactly("admin", adminAccess=True), exactly())
    assert devices(*objects, claim) == [["gpu-1", "gpu-0"]]


def test_parts_of_a_device_share_its_counters():
    def part(name: str, memory: str) -> Manifest:
        counters = {"memory": {"value": memory}}
        return device(name, consumesCounters=[{"counterSet": "gpu-0", "counters": counters}])

    counters = [{"name": "gpu-0", "counters": {"memory": {"value": "40Gi"}}}]
    sets = resource_slice(NODE, [], name="sets", pool_slices=2, sharedCounters=counters)
    parts = [part("whole", "40Gi"), part("half-0", "20Gi"), part("half-1", "20Gi")]
    objects = [sets, resource_slice(NODE, parts, pool_slices=2), device_class()]
    assert devices(*objects, resource_claim("c", exactly())) == [["whole"]]
    assert devices(*objects, resource_claim("c", exactly(count=2))) == [["half-0", "half-1"]]
    assert devices(*objects, resource_claim("c", exactly()), held("half-1")) == [["half-0"]]
    assert devices(*objects, resource_claim("c", exactly()), held("whole")) is None


def test_parts_of_a_device_need_a_compatibility_group_in_common():
    def part(name: str, *groups: str) -> Manifest:
        consumed = {"counterSet": "gpu-0", "counters": {"slots": {"value": "1"}}, "compatibilityGroups": list(groups)}
        return device(name, consumesCounters=[consumed])

    counters = [{"name": "gpu-0", "counters": {"slots": {"value": "7"}}}]
    sets = resource_slice(NODE, [], name="sets", pool_slices=2, sharedCounters=counters)
    parts = [part("ab", "a", "b"), part("b", "b"), part("a", "a"), part("none-0"), part("none-1")]
    objects = [sets, resource_slice(NODE, parts, pool_slices=2), device_class()]
    two, three = (resource_claim("c", exactly(count=number)) for number in (2, 3))
    assert devices(*objects, two, gates=[GROUPS]) == [["ab", "b"]]
    assert devices(*objects, three, gates=[GROUPS]) is None
    assert devices(*objects, two, held("a"), gates=[GROUPS]) is None
    assert devices(*objects, resource_claim("c", exactly()), held("none-1"), gates=[GROUPS]) == [["none-0"]]
    assert devices(*objects, two) is None  # the scheduler ignores such slices, so that the pool is incomplete


def test_claims_share_a_device_by_its_capacity():
    shared = device("gpu-0", capacity={"memory": "40Gi"}, allowMultipleAllocations=True)
    objects = resource_slice(NODE, [shared]), device_class()
    ask = [resource_claim(name, exactly(capacity={"requests": {"memory": "15Gi"}})) for name in ("a", "b", "c")]
    assert devices(*objects, *ask[:2]) == [["gpu-0"], ["gpu-0"]]
    assert devices(*objects, *ask) is None
    results = allocation(*objects, *ask[:2])
    shares = [each.devices.results[0] for each in results]
    assert [str(each.consumedCapacity["memory"]) for each in shares] == ["15Gi", "15Gi"]
    assert len({each.shareID for each in shares}) == 2
    assert devices(*objects, resource_claim("all", exactly()), ask[0]) is None


@pytest.mark.parametrize(
    ("policy", "asks", "gets"),
    [
        ({"validRange": {"min": "4Gi", "max": "20Gi", "step": "4Gi"}}, "1Gi", "4Gi"),
        ({"validRange": {"min": "4Gi", "max": "20Gi", "step": "4Gi"}}, "9Gi", "12Gi"),
        ({"validRange": {"min": "4Gi", "max": "20Gi", "step": "4Gi"}}, "21Gi", None),
        ({"validRange": {"min": "4Gi", "max": "20Gi"}}, "9Gi", "9Gi"),
        ({"validRange": {"min": "4Gi", "max": "20Gi"}}, None, "8Gi"),
        ({"validValues": ["8Gi", "10Gi"]}, "9Gi", "10Gi"),
        ({"validValues": ["8Gi", "10Gi"]}, "11Gi", None),
    ],
)
def test_a_policy_rounds_what_a_claim_asks_for(policy: dict[str, Any], asks: str | None, gets: str | None):
    """v1.37: consumable_capacity.go, calculateConsumedCapacity, violatesPolicy."""
    shared = device("gpu-0", capacity={"memory": "40Gi"}, allowMultipleAllocations=True)
    shared["capacity"]["memory"]["requestPolicy"] = {"default": "8Gi"} | policy
    ask = resource_claim("c", exactly(capacity={"requests": {"memory": asks} if asks else {}}))
    results = allocation(resource_slice(NODE, [shared]), device_class(), ask)
    assert (str(results[0].devices.results[0].consumedCapacity["memory"]) if results else None) == gets


def test_a_search_ends():
    many = [device(f"gpu-{i:02}", attributes={"numa": i}) for i in range(40)]
    ask = resource_claim("c", exactly(count=6), exactly("s", count=6), constraints=[{"matchAttribute": f"{GPU}/numa"}])
    ask["spec"]["devices"]["constraints"][0]["requests"] = ["s"]
    with pytest.raises(AllocationError, match="^node n1: timed out trying to allocate devices$"):
        allocation(resource_slice(NODE, many), device_class(), ask, most_steps=10_000)


def test_requests_are_not_tried_again_with_the_same_devices_gone():
    """The real search takes 24,024 ways to give four of 14 devices to four requests, and fails after each of them."""
    many = [device(f"gpu-{i:02}", attributes={"index": i}) for i in range(14)]
    four = [exactly(f"r{i}") for i in range(4)]
    ask = resource_claim("c", *four, constraints=[{"distinctAttribute": f"{GPU}/index"}])
    never = resource_claim("d", exactly("never", count=11))
    assert allocation(resource_slice(NODE, many), device_class(), ask, never, most_steps=50_000) is None
    (found, rest) = allocation(
        resource_slice(NODE, many), device_class(), ask, resource_claim("d", exactly("rest", count=10)), most_steps=50
    )
    assert [each.device for each in found.devices.results] == [f"gpu-{i:02}" for i in range(4)]
    assert len(rest.devices.results) == 10


def test_devices_that_can_take_each_others_place_are_not_tried_one_by_one():
    alike = [device(f"gpu-{i:02}", attributes={"numa": i % 2, "index": i}) for i in range(40)]
    ask = resource_claim("c", exactly(count=21), constraints=[{"matchAttribute": f"{GPU}/numa"}])
    assert allocation(resource_slice(NODE, alike), device_class(), ask, most_steps=5_000) is None
    every = resource_claim("c", exactly(count=20), constraints=[{"matchAttribute": f"{GPU}/numa"}])
    (found,) = allocation(resource_slice(NODE, alike), device_class(), every, most_steps=5_000)
    assert [each.device for each in found.devices.results] == [f"gpu-{i:02}" for i in range(0, 40, 2)]


def test_more_devices_than_the_search_can_hold_are_an_error_with_words():
    slices = [resource_slice(f"pool-{i}", gpus(100), nodeName=NODE) for i in range(10)]
    claims = [resource_claim(f"c{i}", exactly(count=32)) for i in range(30)]
    with pytest.raises(AllocationError, match="more devices to allocate at once than kschedlab can search for"):
        allocation(*slices, device_class(), *claims)
