"""Kubernetes' own cases of claims of pod groups, behind the gate DRAWorkloadResourceClaims.

v1.37: k8s.io/dynamic-resource-allocation resourceclaim/resourceclaim_test.go (TestResourceClaimIsFor,
TestIsReservedForPod, TestBindTo), pkg/scheduler/framework/plugins/dynamicresources/dynamicresources_test.go
(TestPlugin, TestPodGroupPostFilter).
"""

from typing import Any

import pytest
from msgspec.structs import replace

from kschedlab.build import node, pod
from kschedlab.objects.meta import ObjectMeta, OwnerReference
from kschedlab.objects.model import (
    Pod,
    PodGroup,
    PodGroupSpec,
    PodResourceClaim,
    PodSchedulingGroup,
    PodSpec,
    ResourceClaim,
    ResourceClaimConsumerReference as Consumer,
    ResourceClaimStatus,
)
from kschedlab_devices.claims import consumer_of, is_reserved_for, owner_fault
from packages.devices.tests.device_manifests import device_class
from packages.devices.tests.test_plugin import allocated, gpus
from packages.groups.tests.test_cycle import decided, group, member, nodes_of
from packages.groups.tests.test_taken import claims, devices_of

GATES = {"GenericWorkload": True, "DRAWorkloadResourceClaims": True}
ENTRY = {"name": "all", "resourceClaimName": "c"}
TEMPLATE = {"name": "all", "resourceClaimTemplateName": "t"}
GROUP = {"apiGroup": "scheduling.k8s.io", "resource": "podgroups", "name": "g", "uid": "uid-g"}
DONE = "deallocation and deletion of ResourceClaims completed"


# -- IsForPod, IsReservedForPod, BindTo


def a_pod(name: str, group: str = "") -> Pod:
    scheduling = PodSchedulingGroup(group) if group else None
    return Pod(metadata=ObjectMeta(name, "kube-system", uid=f"u-{name}"), spec=PodSpec(schedulingGroup=scheduling))


def owned(*owner: str) -> ResourceClaim:
    owners = (OwnerReference(*owner, controller=True),) if owner else ()
    return ResourceClaim(metadata=ObjectMeta("c", "kube-system", ownerReferences=owners))


BY_POD = ("v1", "Pod", "podOwner", "u-podOwner")
BY_GROUP = ("scheduling.k8s.io/v1beta1", "PodGroup", "podGroupOwner", "u-podGroupOwner")
LATER = ("scheduling.k8s.io/v25", *BY_GROUP[1:])
NOT_POD = "Pod is not owner"
IS_FOR = {
    "owned": (a_pod("podOwner"), BY_POD, False, ""),
    "other-pod": (a_pod("podNotOwner"), BY_POD, False, NOT_POD),
    "no-owner": (a_pod("podOwner"), (), False, NOT_POD),
    "accept-podgroup-without-podgroup": (a_pod("podOwner"), (), True, NOT_POD),
    "owned-by-podgroup": (a_pod("podOwner", "podGroupOwner"), BY_GROUP, True, ""),
    "owned-by-podgroup-other-api-version": (a_pod("podOwner", "podGroupOwner"), LATER, True, ""),
    "owned-by-podgroup, gate off": (a_pod("podOwner", "podGroupOwner"), BY_GROUP, False, NOT_POD),
    "other-podgroup": (a_pod("podOwner", "other"), BY_GROUP, True, "neither Pod nor PodGroup other is the owner"),
    "no-podgroup-owner": (a_pod("podOwner", "other"), (), True, "neither Pod nor PodGroup other is the owner"),
}


@pytest.mark.parametrize("case", IS_FOR)
def test_for_whom_a_claim_was_made(case: str) -> None:
    pod, owner, gate, why = IS_FOR[case]
    said = f"ResourceClaim kube-system/c was not created for Pod {pod.key} ({why})" if why else ""
    assert owner_fault(owned(*owner), pod, gate) == said


def of_pod(name: str) -> Consumer:
    return Consumer(resource="pods", name=name, uid=f"u-{name}")


def of_group(name: str) -> Consumer:
    return Consumer("scheduling.k8s.io", "podgroups", name, f"u-{name}")


RESERVED = {
    "not-reserved": (a_pod("no"), (of_pod("yes"),), False, False),
    "reserved-for-pod": (a_pod("yes"), (of_pod("yes"),), False, True),
    "reserved-for-podgroup": (a_pod("no", "g"), (of_group("g"),), True, True),
    "reserved-for-podgroup-disabled": (a_pod("no", "g"), (of_group("g"),), False, False),
    "reserved-for-other-podgroup": (a_pod("no", "h"), (of_group("g"),), True, False),
    "multiple": (a_pod("no", "g"), (of_group("h"), of_group("g")), True, True),
    "a pod of the group's name": (a_pod("no", "g"), (of_pod("g"),), True, False),
    "no-group": (a_pod("no"), (of_group("g"),), True, False),
}


@pytest.mark.parametrize("case", RESERVED)
def test_for_whom_a_claim_is_reserved(case: str) -> None:
    pod, consumers, gate, wanted = RESERVED[case]
    claim = replace(owned(), status=ResourceClaimStatus(reservedFor=consumers))
    assert is_reserved_for(claim, pod, gate) is wanted


@pytest.mark.parametrize(
    ("entry", "resource"),
    [
        (PodResourceClaim("all", "c"), "podgroups"),
        (PodResourceClaim("other", "c"), "pods"),
        (PodResourceClaim("all", "d"), "pods"),
        (PodResourceClaim("all", None, "c"), "pods"),
    ],
)
def test_a_claim_is_bound_to_the_group_that_has_the_same(entry: PodResourceClaim, resource: str) -> None:
    spec = PodGroupSpec(resourceClaims=(PodResourceClaim("all", "c"),))
    sharing = PodGroup(metadata=ObjectMeta("g", "kube-system", uid="u-g"), spec=spec)
    pod = a_pod("p", "g")
    assert consumer_of(pod, sharing, entry) == (of_group("g") if resource == "podgroups" else of_pod("p"))
    assert consumer_of(pod, None, entry) == of_pod("p")


# -- a cycle


def sharing(entry: dict[str, str] | None = None, **spec: Any) -> dict[str, Any]:
    made = group(resourceClaims=[ENTRY if entry is None else entry], **spec)
    made["metadata"]["uid"] = "uid-g"
    if entry is TEMPLATE:
        made["status"] = {"resourceClaimStatuses": [{"name": "all", "resourceClaimName": "c"}]}
    return made


def user(name: str, *entries: dict[str, str], **fields: Any) -> dict[str, Any]:
    made = member(name, resourceClaims=list(entries or (ENTRY,)), **fields)
    if TEMPLATE in entries:
        made["status"] = {"resourceClaimStatuses": [{"name": "all", "resourceClaimName": "c"}]}
    return made


def of_the_group(claim: dict[str, Any], *consumers: dict[str, str]) -> dict[str, Any]:
    claim["status"]["reservedFor"] = list(consumers)
    return claim


def answer_to(*objects: Any, gates: dict[str, bool] = GATES) -> dict[str, Any]:
    return decided(device_class(), *objects, gates=gates)


def said_of(answer: dict[str, Any]) -> str:
    message: str = answer["condition"]["message"]
    return message


def test_the_group_gets_the_devices_and_the_reservation() -> None:
    """podgroup-with-resources, and the same without the gate."""
    objects = [node("n1"), gpus("n1", 1), claims("c")[1], user("a"), user("b")]
    answer, gpu = answer_to(*objects, sharing()), ["gpu.example.com/n1/gpu-0"]
    assert nodes_of(answer) == ["n1", "n1"] and devices_of(answer) == [{}, {}]
    assert (answer["devices"], answer["reserved"]) == ({"default/c": gpu}, ["default/c"])
    bare = answer_to(*objects, sharing(), gates={"GenericWorkload": True})
    assert devices_of(bare) == [{"default/c": gpu}] * 2 and "reserved" not in bare


def test_an_allocated_claim_is_reserved_for_the_group() -> None:
    """podgroup-claim-reference, podgroup-claim-template, reserved-okay-podgroup."""
    objects = [node("n1"), gpus("n1", 1)]
    assert answer_to(*objects, allocated("c", "n1"), user("a"), user("b"), sharing())["reserved"] == ["default/c"]
    made = allocated("c", "n1")
    made["metadata"]["ownerReferences"] = [
        {"apiVersion": "scheduling.k8s.io/v1beta1", "kind": "PodGroup", "name": "g", "uid": "uid-g", "controller": True}
    ]
    answer = answer_to(*objects, made, user("a", TEMPLATE), user("b", TEMPLATE), sharing(TEMPLATE))
    assert nodes_of(answer) == ["n1", "n1"] and answer["reserved"] == ["default/c"]
    reserved = of_the_group(allocated("c", "n1"), GROUP)
    assert "reserved" not in answer_to(*objects, reserved, user("a"), user("b"), sharing())


AWAY = [node("n1"), gpus("n1", 1), pod("low", "n1")]
POD = {"resource": "pods", "name": "uid-a", "uid": "uid-a"}
FAILED = {
    "deallocate-pod-level-claim": ("gone", [POD], DONE, ["default/c"], []),
    "deallocate-podgroup-level-claim": (
        "gone",
        [GROUP],
        "deallocation of PodGroup ResourceClaim completed",
        ["default/c"],
        [],
    ),
    "postfilter-deallocate-unreserved-podgroup": ("gone", [], DONE, ["default/c"], []),
    "in use by another pod, too": (
        "gone",
        [GROUP, {"resource": "pods", "name": "x", "uid": "x"}],
        "ResourceClaim unreserved for PodGroup",
        [],
        ["default/c"],
    ),
    "unreserve-podgroup-claim": ("n1", [GROUP], "ResourceClaim unreserved for PodGroup", [], ["default/c"]),
    "in use by another pod": ("gone", [{"resource": "pods", "name": "x", "uid": "x"}], DONE, [], []),
}


@pytest.mark.parametrize("case", FAILED)
def test_what_a_group_without_a_place_gives_back(case: str) -> None:
    """The claim's devices are on a node that is gone, or the node lacks the processors."""
    on, consumers, said, back, unreserved = FAILED[case]
    claim = of_the_group(allocated("c", "n1", on=on), *consumers)
    pods = [user("a", cpu="64"), user("b", cpu="64")]
    for each in pods if on == "gone" else ():
        each["spec"]["containers"][0]["resources"] = {}
    pods[0]["metadata"]["uid"] = "uid-a"
    waiting = pods[: 1 if case == "deallocate-pod-level-claim" else 2]
    for each in waiting:
        each["spec"]["priority"] = 10
    answer = answer_to(*AWAY, claim, *waiting, sharing(minimum=1, priority=10))
    assert said in said_of(answer)
    assert (answer.get("deallocated", []), answer.get("unreserved", [])) == (back, unreserved)
    asked = said != "ResourceClaim unreserved for PodGroup"
    assert ("pod group preemption" in said_of(answer)) is asked


def test_claims_of_pods_go_first() -> None:
    """mixed-pod-level-and-podgroup-claims."""
    mine = of_the_group(allocated("mine", "n1", 1, on="gone"), POD)
    shared = of_the_group(allocated("c", "n1", on="n1"), GROUP)
    pods = [user("a", {"name": "own", "resourceClaimName": "mine"}), user("b", cpu="64")]
    pods[0]["metadata"]["uid"] = "uid-a"
    answer = answer_to(node("n1"), gpus("n1", 2), mine, shared, *pods, sharing(minimum=2))
    assert (answer["deallocated"], answer.get("unreserved")) == (["default/mine"], None)
    loose = answer_to(node("n1"), gpus("n1", 2), mine, shared, *reversed(pods), sharing(minimum=1))
    assert (loose["deallocated"], loose["unreserved"]) == (["default/mine"], ["default/c"])


UNTOUCHED = {
    "skip-deallocate-feature-disabled": ([], {"GenericWorkload": True}, {}),
    "postfilter-skip-deallocate-reserved-podgroup-when-pods-active": ([member("old", "n1")], GATES, {}),
    "skip-deallocate-topology-aware-podgroup": (
        [],
        GATES | {"TopologyAwareWorkloadScheduling": True},
        {"schedulingConstraints": {"topology": [{"key": "kubernetes.io/hostname"}]}},
    ),
}


@pytest.mark.parametrize("case", UNTOUCHED)
def test_when_a_groups_claims_are_left_alone(case: str) -> None:
    more, gates, spec = UNTOUCHED[case]
    claim = of_the_group(allocated("c", "n1", on="gone"), GROUP)
    objects = [node("n1", labels={"kubernetes.io/hostname": "n1"}), gpus("n1", 1), claim, *more]
    answer = answer_to(*objects, user("a"), user("b"), sharing(**spec), gates=gates)
    assert not {"deallocated", "unreserved"} & answer.keys() and answer["condition"]["reason"] == "Unschedulable"


CONSTRAINED = {"schedulingConstraints": {"topology": [{"key": "kubernetes.io/hostname"}]}}


@pytest.mark.parametrize(("aware", "spec"), [(True, {}), (False, CONSTRAINED)])
def test_a_group_without_constraints_that_count_gives_its_claim_back(aware: bool, spec: dict[str, Any]) -> None:
    claim = of_the_group(allocated("c", "n1", on="gone"), GROUP)
    objects = [node("n1", labels={"kubernetes.io/hostname": "n1"}), gpus("n1", 1), claim]
    gates = GATES | {"TopologyAwareWorkloadScheduling": aware}
    assert answer_to(*objects, user("a"), user("b"), sharing(**spec), gates=gates)["deallocated"] == ["default/c"]


def test_a_claim_of_the_group_that_nobody_has_made_is_an_error() -> None:
    made = sharing(TEMPLATE)
    del made["status"]
    answer = answer_to(node("n1"), made, member("a", cpu="64"), member("b", cpu="64"))
    why = "PodGroup default/g: ResourceClaim not created yet"
    assert answer["condition"]["reason"] == "SchedulerError"
    assert said_of(answer) == f'error in "DynamicResources" PodGroupPostFilter plugins: {why}'
