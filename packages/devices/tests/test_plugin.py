"""DynamicResources from PreFilter to PostFilter, without selectors; the vectors hold the rest."""

from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from kschedlab.build import Manifest, cluster, node, pod
from kschedlab.cluster.cluster import Cluster
from kschedlab.decision import Decision
from kschedlab.filter.dynamic_resources import DynamicResources
from kschedlab.filter.plugin import PreFilterRejection, SchedulingError
from kschedlab.generations import LATEST, V1_37
from kschedlab.objects.meta import SECOND
from kschedlab.objects.model import ResourceClaim, ResourceClaimConsumerReference
from kschedlab.scheduler import Scheduler, schedule
from kschedlab_devices.binding import bound, check_unchanged
from kschedlab_devices.demand import Demand, DemandError
from packages.devices.tests.device_manifests import (
    GPU,
    VERSION,
    device,
    device_class,
    exactly,
    resource_claim,
    resource_slice,
    unchecked,
)
from tests.cluster.checking import check
from tests.filter.test_node_resources import asks
from tests.saying import says

RESOURCE = "example.com/gpu"
NOT_ALL, ELSEWHERE = "cannot allocate all claims", "resourceclaim not available on the node"


def claiming(*claims: str, **spec: Any) -> Manifest:
    made = pod("p", resourceClaims=[{"name": name, "resourceClaimName": name} for name in claims], **spec)
    made["metadata"]["uid"] = "uid-p"
    return made


def named(name: str, asking: Manifest) -> Manifest:
    return asking | {"metadata": {"name": name, "namespace": "default", "uid": f"uid-{name}"}}


def gpus(pool: str, number: int, **spec: Any) -> Manifest:
    return resource_slice(pool, [device(f"gpu-{i}") for i in range(number)], **spec)


def allocated(name: str, pool: str, number: int = 0, *uids: str, on: str = "") -> Manifest:
    """A claim that has the device of that number and is reserved for the pods of these uids."""
    result = {"request": "r", "driver": GPU, "pool": pool, "device": f"gpu-{number}"}
    allocation: Manifest = {"devices": {"results": [result]}}
    if on:
        names = {"key": "metadata.name", "operator": "In", "values": [on]}
        allocation["nodeSelector"] = {"nodeSelectorTerms": [{"matchFields": [names]}]}
    consumers = [{"resource": "pods", "name": uid, "uid": uid} for uid in uids]
    return resource_claim(name, exactly(), allocation=allocation, reservedFor=consumers)


def decide(*objects: Manifest, asking: Manifest) -> Decision:
    return schedule("default/p", cluster(*objects, asking))


def reasons(decision: Decision) -> dict[str, tuple[str, ...]]:
    verdicts = {name: decision.verdict(name) for name in decision.cluster.names}
    return {name: each.reasons for name, each in verdicts.items() if not each.passes}


def test_a_pod_without_claims_and_served_resources_is_skipped() -> None:
    world = cluster(node("a"), device_class(extendedResourceName=RESOURCE))
    for asking in (pod("p", cpu=1), asks({RESOURCE + "s": "1"})):
        (info,) = world.fork().add(asking).pending.values()
        assert DynamicResources().prepare(info, world) is None


@pytest.mark.parametrize(
    ("objects", "why"),
    [
        ([], 'could not find ResourceClaim "default/c"'),
        ([resource_claim("c", exactly(of="none"))], "request r: device class none does not exist"),
        (
            [resource_claim("c", {"name": "r", "firstAvailable": [{"name": "s", "deviceClassName": "none"}]})],
            "request r/s: device class none does not exist",
        ),
    ],
)
def test_what_rejects_the_pod_before_any_node_is_asked(objects: list[Manifest], why: str) -> None:
    decision = decide(node("a"), device_class(), *objects, asking=claiming("c"))
    assert decision.verdicts is not None
    assert decision.verdicts.rejected == PreFilterRejection("DynamicResources", (why,))
    assert decision.message == f"0/1 nodes are available: {why}."
    assert "not found" not in decision.event.removeprefix(decision.message)


def test_a_request_that_asks_for_nothing_rejects_the_pod() -> None:
    world = cluster(node("a"), device_class(), claiming("c")).add(unchecked(resource_claim("c", {"name": "r"})))
    decision = schedule("default/p", world)
    why = "resource claim default/c, request r: unknown request type"
    assert decision.verdicts is not None
    assert decision.verdicts.rejected == PreFilterRejection("DynamicResources", (why,))
    assert decision.message == f"0/1 nodes are available: {why}."


def test_a_request_without_a_class_is_an_error() -> None:
    world = cluster(node("a"), claiming("c")).add(unchecked(resource_claim("c", exactly(of=""))))
    with pytest.raises(SchedulingError, match="request r: unsupported request type"):
        DynamicResources().prepare(world.pending["default/p"], world)


def test_a_node_must_have_free_devices() -> None:
    decision = decide(
        *(node(name) for name in "abc"),
        device_class(),
        *(gpus("a", 1), gpus("b", 2)),
        *(allocated("x", "a", 0, "uid-x"), allocated("y", "b", 0, "uid-y")),
        resource_claim("c", exactly()),
        asking=claiming("c"),
    )
    assert reasons(decision) == {"a": (NOT_ALL,), "c": (NOT_ALL,)}
    assert decision.node == "b" and decision.verdict("a").unresolvable
    assert decision.event == ""


@pytest.mark.parametrize(
    ("generation", "of_claims"), [("v1.36", "still not schedulable, preemption"), (LATEST, "preemption")]
)
def test_what_the_event_says_of_claims_that_are_kept(generation: str, of_claims: str) -> None:
    world = cluster(node("a"), device_class(), resource_claim("c", exactly()), claiming("c"))
    decision = schedule("default/p", world, generation)
    assert decision.event.startswith(f"{decision.message} {of_claims}: ")


def test_an_allocated_claim_ties_the_pod_to_its_nodes() -> None:
    objects = [node("a"), node("b"), device_class(), gpus("a", 1), gpus("b", 1)]
    decision = decide(*objects, allocated("c", "a", on="a"), asking=claiming("c"))
    assert reasons(decision) == {"b": (ELSEWHERE,)} and decision.node == "a"
    assert decide(*objects, allocated("c", "a", 0, "u", "v"), asking=claiming("c")).names == ["a", "b"]


def test_the_allocator_speaks_before_the_allocated_claims() -> None:
    objects = [node("a"), node("b"), device_class(), gpus("b", 1), resource_claim("d", exactly())]
    decision = decide(*objects, allocated("c", "a", on="a"), asking=claiming("c", "d"))
    assert reasons(decision) == {"a": (NOT_ALL,), "b": (ELSEWHERE,)}


def test_a_claim_whose_devices_do_not_get_ready_is_no_use() -> None:
    claim = allocated("c", "a")
    claim["status"]["allocation"] |= {"allocationTimestamp": "2024-01-01T00:00:00Z"}
    claim["status"]["allocation"]["devices"]["results"][0] |= {
        "bindingConditions": ["Attached"],
        "bindingFailureConditions": ["Broken"],
    }
    decision = decide(node("a"), device_class(), gpus("a", 1), claim, asking=claiming("c"))
    assert reasons(decision) == {"a": (ELSEWHERE,)}
    assert decision.event.startswith(f"{decision.message} deallocation of ResourceClaim completed, preemption: ")


@pytest.mark.parametrize(
    ("consumers", "idle"), [([], True), (["uid-p"], True), (["u"], False), (["uid-p", "u"], False)]
)
def test_an_idle_claim_is_given_back_if_no_node_is_left(consumers: list[str], idle: bool) -> None:
    claim = allocated("c", "a", 0, *consumers, on="a")
    world = cluster(node("a", cpu=1), node("b"), device_class(), gpus("a", 1), claim, claiming("c", cpu=2))
    scheduler = Scheduler(world, exhaustive=True)
    decision = scheduler.decide(world.pending["default/p"])
    assert (decision.given_back is not None) is idle
    text = "deallocation of ResourceClaim completed, preemption: " if idle else "preemption: "
    assert decision.event.startswith(f"{decision.message} {text}")
    scheduler.commit(decision)
    left = world.find(ResourceClaim, ("default", "c"))
    assert left is not None and (left.status.allocation is None) is idle and bool(left.status.reservedFor) is not idle


def test_nobody_gives_back_a_claim_that_no_node_was_asked_about() -> None:
    claim = allocated("c", "a", on="a")
    decision = decide(node("a", cpu=1), device_class(), gpus("a", 1), claim, asking=claiming("c", cpu=2))
    assert reasons(decision) == {"a": ("Insufficient cpu",)} and decision.given_back is None


def test_only_nodes_that_pass_the_other_filters_are_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    asked, ask = [], Demand._ask
    monkeypatch.setattr(Demand, "_ask", lambda self, position: asked.append(position) or ask(self, position))
    objects = [node("a", cpu=1), node("b"), node("c"), device_class(), gpus("b", 1), resource_claim("c", exactly())]
    decision = decide(*objects, asking=claiming("c", cpu=2))
    assert decision.node == "b" and [decision.cluster.names[n] for n in asked] == ["b", "c"]


def alternatives(*classes: str) -> Manifest:
    listed = [{"name": f"s{i}", "deviceClassName": name} for i, name in enumerate(classes)]
    return {"name": "r", "firstAvailable": listed}


def test_nodes_with_a_better_alternative_score_more() -> None:
    big = device_class("big", extendedResourceName="example.com/big")
    decision = decide(
        *(node(name) for name in "ab"),
        *(big, device_class("small")),
        *(gpus("a", 1), gpus("b", 2)),
        resource_claim("c", alternatives("big", "small") | {"name": "q"}, alternatives("big", "big", "small")),
        asking=claiming("c"),
    )
    assert decision.names == ["b"]
    world = cluster(
        *(node(name) for name in "ab"),
        device_class("two"),
        *(gpus("a", 1), gpus("b", 2)),
        resource_claim(
            "c",
            {
                "name": "r",
                "firstAvailable": [
                    {"name": "two", "deviceClassName": "two", "count": 2},
                    {"name": "one", "deviceClassName": "two"},
                ],
            },
        ),
        claiming("c"),
    )
    scores = schedule("default/p", world).scores
    assert scores is not None
    row = scores.rows[scores.plugins.index("DynamicResources")]
    assert row.raw.tolist() == [7, 8] and row.normalized.tolist() == [87, 100]
    assert {name: terms.tolist() for name, terms in row.terms.items()} == {"0: c/r": [7, 8]}


# -- extended resources


def world_of_served_resources(*more: Manifest) -> Cluster:
    plugin = {"cpu": "4", "memory": "8Gi", "pods": "9", RESOURCE: "2"}
    return cluster(
        node("devices"),
        node("plugin", allocatable=plugin),
        node("none"),
        device_class(extendedResourceName=RESOURCE),
        gpus("devices", 2),
        *more,
    )


def test_devices_serve_a_resource_where_the_node_does_not_offer_it() -> None:
    decision = schedule("default/p", world_of_served_resources(asks({RESOURCE: "2"})))
    assert decision.names == ["devices", "plugin"] and reasons(decision) == {"none": (NOT_ALL,)}
    assert reasons(schedule("default/p", world_of_served_resources(asks({RESOURCE: "3"})))) == {
        "devices": (NOT_ALL,),
        "none": (NOT_ALL,),
        "plugin": (f"Insufficient {RESOURCE}",),
    }


def test_what_was_tried_for_a_resource_is_told() -> None:
    text = str(schedule("default/p", world_of_served_resources(asks({RESOURCE: "3"}))))
    assert says(text, "wants 3 devices of class gpu", "gpu-0", "gpu-1 found")


@pytest.mark.parametrize(("number", "more"), [(8, ""), (9, "and 1 more node"), (10, "and 2 more nodes")])
def test_of_many_nodes_without_devices_eight_are_told(number: int, more: str) -> None:
    nodes = [node(f"n{i}") for i in range(number)]
    text = str(decide(*nodes, device_class(), resource_claim("c", exactly()), asking=claiming("c")))
    assert "n7: " in text and "n8: " not in text
    assert more in text if more else "more node" not in text


@pytest.mark.parametrize(("offered", "served"), [("0", True), ("1", False)])
def test_devices_serve_a_resource_of_which_the_node_offers_none(offered: str, served: bool) -> None:
    offer = {"cpu": "4", "memory": "8Gi", "pods": "9", RESOURCE: offered}
    classes = device_class(extendedResourceName=RESOURCE)
    world = cluster(node("a", allocatable=offer), classes, gpus("a", 1), asks({RESOURCE: "1"}))
    scheduler = Scheduler(world)
    scheduler.commit(scheduler.decide(world.pending["default/p"]))
    assert bool(world.objects_of(ResourceClaim)) is served and not world.pending


@pytest.mark.parametrize(("name", "claims"), [("devices", 1), ("plugin", 0)])
def test_a_claim_for_the_resources_is_written_where_devices_serve_them(name: str, claims: int) -> None:
    required = {"nodeSelectorTerms": [{"matchFields": [{"key": "metadata.name", "operator": "In", "values": [name]}]}]}
    affinity = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": required}}
    world = world_of_served_resources(asks({RESOURCE: "2"}, affinity=affinity))
    scheduler = Scheduler(world)
    decision = scheduler.decide(world.pending["default/p"])
    assert decision.node == name
    scheduler.commit(decision)
    written = list(world.objects_of(ResourceClaim))
    assert len(written) == claims
    status = world.pods.info(world.pods.row_of["default/p"]).pod.status.extendedResourceClaimStatus
    assert (status is not None) == bool(claims)
    for claim in written:
        assert claim.status.allocation is not None and len(claim.status.allocation.devices.results) == 2
        assert status is not None and status.resourceClaimName == claim.metadata.name
        assert [each.requestName for each in status.requestMappings] == ["container-0-request-0"]
    check(world)


def test_a_claim_of_an_earlier_attempt_is_deleted_and_made_anew() -> None:
    stale = allocated("p-extended-resources-x", "devices", 0)
    owner = {"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": "uid-p", "controller": True}
    stale["metadata"] |= {
        "ownerReferences": [owner],
        "annotations": {"resource.kubernetes.io/extended-resource-claim": "true"},
    }
    asking = asks({RESOURCE: "1"})
    asking["metadata"]["uid"] = "uid-p"
    world = world_of_served_resources(asking, stale)
    scheduler = Scheduler(world, exhaustive=True)
    decision = scheduler.decide(world.pending["default/p"])
    assert set(reasons(decision).values()) == {("cannot schedule extended resource claim",)}
    assert "deletion of ResourceClaim completed" in decision.event
    scheduler.commit(decision)
    assert not world.objects_of(ResourceClaim)
    assert scheduler.decide(world.pending["default/p"]).names == ["devices", "plugin"]


# -- commitments


def test_devices_are_allocated_once() -> None:
    world = cluster(
        *(node("a"), device_class(), gpus("a", 2)),
        *(resource_claim(name, exactly()) for name in ("c", "d", "e")),
        *(
            claiming(name) | {"metadata": {"name": name, "namespace": "default", "uid": f"uid-{name}"}}
            for name in "cde"
        ),
    )
    scheduler = Scheduler(world)
    placed = []
    for name in "cde":
        decision = scheduler.decide(world.pending[f"default/{name}"])
        scheduler.commit(decision)
        placed.append(decision.node)
    assert placed == ["a", "a", None]
    claim = world.find(ResourceClaim, ("default", "c"))
    assert claim is not None and claim.status.allocation is not None
    assert [each.uid for each in claim.status.reservedFor] == ["uid-c"]
    assert "resource.kubernetes.io/delete-protection" in claim.metadata.finalizers
    check(world)


def test_a_shared_claim_is_reserved_for_each_pod() -> None:
    pods = [named(name, claiming("c")) for name in "xy"]
    world = cluster(node("a"), device_class(), gpus("a", 1), resource_claim("c", exactly()), *pods)
    scheduler = Scheduler(world)
    for name in "xy":
        scheduler.commit(scheduler.decide(world.pending[f"default/{name}"]))
    claim = world.find(ResourceClaim, ("default", "c"))
    assert claim is not None and [each.uid for each in claim.status.reservedFor] == ["uid-x", "uid-y"]


def test_the_demand_is_shared_until_something_changes() -> None:
    world = cluster(node("a"), device_class(), gpus("a", 1), resource_claim("c", exactly()), claiming("c"))
    info, plugin = world.pending["default/p"], V1_37.filters[-2]
    first, second = plugin.prepare(info, world), plugin.prepare(info, world)
    assert getattr(first, "demand", 0) is getattr(second, "demand", 1)
    changed = world.fork().add({"apiVersion": VERSION} | resource_claim("other", exactly()))
    assert getattr(plugin.prepare(info, changed), "demand", None) is not getattr(first, "demand", None)
    assert np.array_equal(schedule("default/p", changed).feasible, [0])


def test_an_allocation_with_an_invalid_selector_is_an_error() -> None:
    claim = allocated("c", "a", on="a")
    terms = claim["status"]["allocation"]["nodeSelector"]["nodeSelectorTerms"]
    terms[0]["matchFields"][0]["values"] = ["a", "b"]
    world = cluster(node("a"), device_class(), gpus("a", 1), claiming("c")).add(unchecked(claim))
    decision = schedule("default/p", world)
    assert decision.error == (
        'running PreFilter plugin "DynamicResources": nodeSelectorTerms[0].matchFields[0].values: '
        'Invalid value: ["a","b"]: must have one element'
    )


# -- PreBind


def test_a_claim_that_somebody_else_changed_since_the_decision_is_not_bound() -> None:
    """bindClaim."""
    world = cluster(node("a"), device_class(), allocated("has", "a"), resource_claim("lacks", exactly()))
    has, lacks = world.objects_of(ResourceClaim)
    devices = has.status.allocation
    gone = replace(lacks, metadata=replace(lacks.metadata, deletionTimestamp=0))
    for newest, allocation in ((has, None), (lacks, devices)):
        check_unchanged(newest, allocation)
    for newest, allocation, why in (
        (gone, devices, "claim default/lacks got deleted in the meantime"),
        (has, devices, "claim default/has got allocated elsewhere in the meantime"),
        (lacks, None, "claim default/lacks got deallocated elsewhere in the meantime"),
    ):
        with pytest.raises(DemandError, match=why):
            check_unchanged(newest, allocation)


def test_a_claim_keeps_the_time_of_its_allocation() -> None:
    (claim,) = cluster(allocated("c", "a")).objects_of(ResourceClaim)
    consumer = ResourceClaimConsumerReference(resource="pods", name="p", uid="uid-p")
    first = bound(claim, None, consumer, 2 * SECOND + 1)
    again = bound(first, None, consumer, 9 * SECOND)
    times = [each.status.allocation and each.status.allocation.allocationTimestamp for each in (first, again)]
    assert times == [2 * SECOND] * 2 and again.status.reservedFor == (consumer, consumer)
