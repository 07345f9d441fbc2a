"""Rules and limits that manifests rarely meet: what is at the limit passes, one more is a fault at its place."""

from __future__ import annotations

from typing import Any

import pytest

from kschedlab.build import Manifest, node, pod
from kschedlab.manifests.loading import ManifestError, decode_objects
from packages.devices.tests.device_manifests import device, device_class, exactly, resource_claim, resource_slice
from tests.saying import says


def of(kind: str, name: str = "x", api: str = "apps/v1", **fields: Any) -> Manifest:
    metadata = {"name": name, **fields.pop("metadata", {})}
    return {"apiVersion": api, "kind": kind, "metadata": metadata, **fields}


def priority_class(name: str, value: int, **fields: Any) -> Manifest:
    return of("PriorityClass", name, "scheduling.k8s.io/v1", value=value, **fields)


def stateful_set(amount: Any) -> Manifest:
    labels = {"app": "x"}
    template = {"metadata": {"labels": labels}, "spec": pod("p")["spec"]}
    update = {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": amount}}
    spec = {"selector": {"matchLabels": labels}, "template": template, "serviceName": "x", "updateStrategy": update}
    return of("StatefulSet", spec=spec)


def with_features(*features: str) -> Manifest:
    made = node("n")
    made["status"]["declaredFeatures"] = list(features)
    return made


def owned(kind: str, api: str = "v1") -> Manifest:
    owner = {"apiVersion": api, "kind": kind, "name": "e", "uid": "u"}
    return pod("p") | {"metadata": {"name": "p", "ownerReferences": [owner]}}


def annotated(size: int) -> Manifest:
    return pod("p") | {"metadata": {"name": "p", "annotations": {"a": "x" * (size - 1)}}}


def sliced(number: int) -> Manifest:
    return resource_slice("n", [device("d", attributes={f"a{i}": i for i in range(number)})])


def values(*amounts: str) -> Manifest:
    return shared({"default": amounts[0], "validValues": list(amounts)})


def ranging(least: str, step: str = "1", default: str = "1Mi") -> Manifest:
    return shared({"default": default, "validRange": {"min": least, "step": step}})


def shared(policy: Manifest) -> Manifest:
    """A slice with a device whose memory is shared by this policy."""
    memory = {"value": "1Gi", "requestPolicy": policy}
    return resource_slice("n", [device("d", allowMultipleAllocations=True) | {"capacity": {"memory": memory}}])


def counted(number: int) -> Manifest:
    counters = {f"c{i}": {"value": "1"} for i in range(number)}
    return resource_slice("n", [], sharedCounters=[{"name": "set", "counters": counters}])


def opaque(size: int) -> Manifest:
    """Parameters of so many bytes."""
    settings = {"driver": "gpu.example.com", "parameters": {"a": "x" * (size - len('{"a":""}'))}}
    return device_class(config=[{"opaque": settings}])


def matching(domain: str) -> Manifest:
    constraint = {"matchAttribute": f"{domain}/model", "requests": ["r"]}
    return resource_claim("c", exactly(), constraints=[constraint])


def using(*names: str) -> Manifest:
    made = pod("p", resourceClaims=[{"name": "gpu", "resourceClaimName": "c"}])
    made["spec"]["containers"][0]["resources"] = {"claims": [{"name": name} for name in names]}
    return made


def ephemeral(claim: str, name: str = "p") -> Manifest:
    """A pod with an ephemeral volume, whose claim is p-data, and a volume with this claim."""
    template = {"spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}}
    volumes = [
        {"name": "data", "ephemeral": {"volumeClaimTemplate": template}},
        {"name": "other", "persistentVolumeClaim": {"claimName": claim}},
    ]
    return pod(name, volumes=volumes)


def reserved(*, allocated: bool) -> Manifest:
    status: dict[str, Any] = {"reservedFor": [{"resource": "pods", "name": "p", "uid": "u"}]}
    if allocated:
        result = {"request": "r", "driver": "gpu.example.com", "pool": "n", "device": "d"}
        status["allocation"] = {"devices": {"results": [result]}}
    return resource_claim("c", exactly(), **status)


def shared_with(share: str) -> Manifest:
    """A claim that has a share of a device, and a status of this share."""
    device = {"driver": "gpu.example.com", "pool": "n", "device": "d"}
    allocation = {"devices": {"results": [{**device, "request": "r", "shareID": SHARE}]}}
    return resource_claim("c", exactly(), allocation=allocation, devices=[{**device, "shareID": share}])


def consuming(sets: int) -> Manifest:
    consumed = [{"counterSet": f"s{i}", "counters": {"c": {"value": "1"}}} for i in range(sets)]
    return resource_slice("n", [device("d", consumesCounters=consumed)])


def huge(*limits: str) -> Manifest:
    """A pod that asks for 4Mi of huge pages as a whole, with a container for each limit; "" for none."""
    made = pod("p", resources={"requests": {"cpu": "1", "hugepages-2Mi": "4Mi"}})
    (container,) = made["spec"]["containers"]
    given = [{"requests": {"cpu": "100m"}, "limits": {"hugepages-2Mi": each} if each else {}} for each in limits]
    made["spec"]["containers"] = [container | {"name": f"c{i}", "resources": each} for i, each in enumerate(given)]
    return made


def one_tainted(number: int) -> Manifest:
    """So many devices, the last of which has a taint."""
    last = device("last", taints=[{"key": "broken", "effect": "NoSchedule"}])
    return resource_slice("n", [*(device(f"d{i}") for i in range(number - 1)), last])


SHARE = "01234567-89ab-cdef-0123-456789abcdef"
DOMAIN = ".".join(["d" * 31, "e" * 31])
RULES: dict[str, tuple[Manifest, Manifest, str, tuple[object, ...]]] = {
    # name: (a manifest that passes, one that does not, the field, what the message says)
    "value of a system class": (
        priority_class("system-node-critical", 2000001000),
        priority_class("system-node-critical", 2000001001),
        "value",
        (2000001000,),
    ),
    "default system class": (
        priority_class("system-cluster-critical", 2000000000),
        priority_class("system-cluster-critical", 2000000000, globalDefault=True),
        "globalDefault",
        ("false",),
    ),
    "maxUnavailable": (
        stateful_set("100%"),
        stateful_set("101%"),
        "spec.updateStrategy.rollingUpdate.maxUnavailable",
        ("101%",),
    ),
    "name of a feature": (
        with_features("F" * 253),
        with_features("F" * 254),
        "status.declaredFeatures[0]",
        ("feature",),
    ),
    "an Event as owner": (owned("Node"), owned("Event"), "metadata.ownerReferences[0].kind", ("Event",)),
    "version of an owner": (
        owned("Job", "batch/v1"),
        owned("Job", "batch/v1/x"),
        "metadata.ownerReferences[0].apiVersion",
        ("group/version",),
    ),
    "size of annotations": (annotated(256 * 1024), annotated(256 * 1024 + 1), "metadata.annotations", ("256 KiB",)),
    "attributes": (sliced(32), sliced(33), "spec.devices[0]", (32,)),
    "values in lists": (
        resource_slice("n", [device("d", attributes={"a": [1] * 47, "b": 1})]),
        resource_slice("n", [device("d", attributes={"a": [1] * 47, "b": 1, "c": 1})]),
        "spec.devices[0]",
        (48,),
    ),
    "name with more than one slash": (
        resource_slice("n", [device("d", attributes={"a/b/-": 1})]),
        resource_slice("n", [device("d", attributes={"a.b/-": 1})]),
        'spec.devices[0].attributes["a.b/-"]',
        ("a.b/-",),
    ),
    "devices of which one is tainted": (one_tainted(64), one_tainted(65), "spec.devices", (65, 64)),
    "counter sets of a device": (consuming(2), consuming(3), "spec.devices[0].consumesCounters", (3, 2)),
    "status of a share": (shared_with(SHARE), shared_with(SHARE.replace("0", "1")), "status.devices[0]", ()),
    "number of values": (
        values(*(f"{i}Mi" for i in range(1, 11))),
        values(*(f"{i}Mi" for i in range(1, 12))),
        "spec.devices[0].capacity.memory.requestPolicy.validValues",
        (10,),
    ),
    "equal values": (
        values("1", "2"),
        values("1500m", "1600m"),
        "spec.devices[0].capacity.memory.requestPolicy.validValues[1]",
        ("twice",),
    ),
    "least value": (
        ranging("0"),
        ranging("-1"),
        "spec.devices[0].capacity.memory.requestPolicy.validRange.min",
        (-1, 0, 2**63 - 1),
    ),
    "largest step": (
        ranging("1", step=f"{2**30 - 1}", default="1"),
        ranging("1", step="1Gi", default="1"),
        "spec.devices[0].capacity.memory.requestPolicy.validRange.step",
        ("1Gi",),
    ),
    "counters": (counted(32), counted(33), "spec.sharedCounters[0].counters", (32,)),
    "size of parameters": (opaque(10240), opaque(10241), "spec.config[0].opaque.parameters", ("10 KiB",)),
    "domain of an attribute": (
        matching(DOMAIN),
        matching(f"{DOMAIN}f"),
        "spec.devices.constraints[0].matchAttribute",
        (63,),
    ),
    "a claim used twice": (
        using("gpu"),
        using("gpu", "gpu"),
        "spec.containers[0].resources.claims[1]",
        ("gpu", "twice"),
    ),
    "the claim of an ephemeral volume": (
        ephemeral("p-other"),
        ephemeral("p-data"),
        "spec.volumes[1].persistentVolumeClaim.claimName",
        ("p-data",),
    ),
    "name of the claim of an ephemeral volume": (
        ephemeral("mine", "p" * (253 - len("-data"))),
        ephemeral("mine", "p" * (254 - len("-data"))),
        "spec.volumes[0].name",
        ("claim",),
    ),
    "huge pages of a pod, whose limit is known if all containers have one": (
        huge("2Mi"),
        huge("2Mi", ""),
        "spec.resources.requests.hugepages-2Mi",
        (),
    ),
    "reserved without an allocation": (
        reserved(allocated=True),
        reserved(allocated=False),
        "status.reservedFor",
        ("allocation",),
    ),
}


@pytest.mark.parametrize("name", RULES)
def test_a_rule(name: str) -> None:
    passes, fails, field, facts = RULES[name]
    decode_objects([passes])
    with pytest.raises(ManifestError) as caught:
        decode_objects([fails])
    (fault,) = [each for each in map(str, caught.value.problems) if f": {field}: " in each]
    assert says(fault, *facts)
