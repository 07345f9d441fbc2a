"""Devices and volumes for the random groups of ``groups``: pods that compete for them, and pods that share a claim.

``with_shared_claims``: claims of the group itself (the gate DRAWorkloadResourceClaims).
"""

import random
from collections.abc import Sequence
from typing import Any

from tests.storage import claim as volume_claim, mount, storage_class, volume

Manifest = dict[str, Any]
DRIVER = "gpu.example.com"
VERSION = "resource.k8s.io/v1"
HOST = "kubernetes.io/hostname"


def _object(kind: str, name: str, spec: Manifest, **more: Any) -> Manifest:
    metadata = {"name": name, "uid": f"u-{name}", "resourceVersion": "1"}
    if kind == "ResourceClaim":
        metadata["namespace"] = "default"
    return {"apiVersion": VERSION, "kind": kind, "metadata": metadata, "spec": spec, **more}


def _pods_and_nodes(made: Manifest) -> tuple[list[Manifest], list[str]]:
    waiting = [each for each in made["objects"] if each["kind"] == "Pod" and not each["spec"].get("nodeName")]
    return waiting, [each["metadata"]["name"] for each in made["objects"] if each["kind"] == "Node"]


def with_claims(rng: random.Random, made: Manifest) -> Manifest:
    """The scenario with devices on some nodes and claims of the waiting pods: their own, and one that they share."""
    made["id"] = made["id"].replace("group", "claims")
    pods, nodes = _pods_and_nodes(made)
    slices = _slices(rng, nodes)
    made["objects"] += [*slices, *(_class(name) for name in ("gpu", "big"))]
    made["objects"] += _held(rng, slices)
    if rng.random() < 0.25:
        made["objects"] += _stale(rng, pods, slices)
        return made
    own, shared = rng.random() < 0.8, rng.random() < 0.6
    if shared:
        made["objects"].append(_claim(rng, "shared"))
    for pod in pods:
        entries = []
        if own and rng.random() < 0.9:
            entries.append(_own(rng, made, pod))
        if shared and rng.random() < 0.9:
            entries.append({"name": "shared", "resourceClaimName": "shared"})
        rng.shuffle(entries)
        _use(pod, entries)
    return made


def _use(pod: Manifest, entries: Sequence[Manifest]) -> None:
    if entries:
        pod["spec"]["resourceClaims"] = list(entries)
        (container,) = pod["spec"]["containers"]
        container["resources"]["claims"] = [{"name": each["name"]} for each in entries]


def _own(rng: random.Random, made: Manifest, pod: Manifest) -> Manifest:
    """A claim of the pod: made from a template, or named."""
    name = f"{pod['metadata']['name']}-own"
    claim = _claim(rng, name)
    made["objects"].append(claim)
    if rng.random() < 0.5:
        return {"name": "own", "resourceClaimName": name}
    owner = {"apiVersion": "v1", "kind": "Pod", "name": pod["metadata"]["name"], "uid": pod["metadata"]["uid"]}
    claim["metadata"]["ownerReferences"] = [owner | {"controller": True}]
    pod["status"]["resourceClaimStatuses"] = [{"name": "own", "resourceClaimName": name}]
    return {"name": "own", "resourceClaimTemplateName": "template"}


def _class(name: str) -> Manifest:
    text = f'device.driver == "{DRIVER}"'
    if name == "big":
        text += f' && device.attributes["{DRIVER}"].size == "big"'
    return _object("DeviceClass", name, {"selectors": [{"cel": {"expression": text}}]})


def _slices(rng: random.Random, nodes: Sequence[str]) -> list[Manifest]:
    """Devices of each node, and sometimes some that a zone or all nodes reach."""
    places = [(name, {"nodeName": name}) for name in nodes if rng.random() < 0.8]
    if rng.random() < 0.3:
        term = {"matchExpressions": [{"key": "zone", "operator": "In", "values": [rng.choice("ab")]}]}
        places.append(("zonal", {"nodeSelector": {"nodeSelectorTerms": [term]}}))
    if rng.random() < 0.15:
        places.append(("everywhere", {"allNodes": True}))
    made = []
    for pool, place in places:
        sizes = [rng.choice(("big", "small")) for _ in range(rng.randint(1, 3))]
        devices = [{"name": f"d{i}", "attributes": {"size": {"string": size}}} for i, size in enumerate(sizes)]
        spec = {"driver": DRIVER, "pool": {"name": pool, "generation": 1, "resourceSliceCount": 1}, "devices": devices}
        made.append(_object("ResourceSlice", f"slice-{pool}", spec | place))
    return made


def _claim(rng: random.Random, name: str) -> Manifest:
    count = {"allocationMode": "ExactCount", "count": 2 if rng.random() < 0.15 else 1}
    request: Manifest = {"name": "r", "exactly": {"deviceClassName": rng.choice(("gpu", "gpu", "big"))} | count}
    if rng.random() < 0.2:
        alternatives = [{"name": each, "deviceClassName": each} | count for each in ("big", "gpu")]
        request = {"name": "r", "firstAvailable": alternatives}
    return _object("ResourceClaim", name, {"devices": {"requests": [request]}})


def _allocated(claim: Manifest, of: Manifest, device: str, consumers: Sequence[Manifest]) -> Manifest:
    pool, place = of["spec"]["pool"]["name"], {}
    if "nodeName" in of["spec"]:
        field = {"key": "metadata.name", "operator": "In", "values": [of["spec"]["nodeName"]]}
        place = {"nodeSelector": {"nodeSelectorTerms": [{"matchFields": [field]}]}}
    elif "nodeSelector" in of["spec"]:
        place = {"nodeSelector": of["spec"]["nodeSelector"]}
    result = {"request": "r", "driver": DRIVER, "pool": pool, "device": device}
    claim["status"] = {"allocation": {"devices": {"results": [result]}} | place, "reservedFor": list(consumers)}
    return claim


def _consumer(pod: str) -> Manifest:
    return {"resource": "pods", "name": pod, "uid": pod}


def _held(rng: random.Random, slices: Sequence[Manifest]) -> list[Manifest]:
    """Claims of other pods that hold some devices."""
    made = []
    for each in slices:
        if rng.random() < 0.2:
            claim = _claim(random.Random(0), f"held-{each['metadata']['name']}")
            made.append(_allocated(claim, each, "d0", [_consumer("other")]))
    return made


def _stale(rng: random.Random, pods: Sequence[Manifest], slices: Sequence[Manifest]) -> list[Manifest]:
    """One claim for each pod or one for all, allocated somewhere already; the last device of a slice each."""
    made = []
    for i, pod in enumerate(pods[: rng.choice((1, len(pods)))]):
        if i >= len(slices):
            break
        claim = _claim(random.Random(0), f"stale-{i}")
        device = slices[i]["spec"]["devices"][-1]["name"]
        name = pod["metadata"]["name"]
        consumers = rng.choice(([], [_consumer(name)], [_consumer("other")], [_consumer(name), _consumer("other")]))
        made.append(_allocated(claim, slices[i], device, consumers))
        for user in pods if i == 0 and len(slices) == 1 else (pod,):
            _use(user, [{"name": "stale", "resourceClaimName": f"stale-{i}"}])
    return made


def with_shared_claims(rng: random.Random, made: Manifest) -> Manifest:
    """The scenario with devices, and with claims of the group, which its pods share beside claims of their own."""
    made["id"] = made["id"].replace("group", "shared")
    gate = made["featureGates"]["DRAWorkloadResourceClaims"] = rng.random() < 0.93
    pods, nodes = _pods_and_nodes(made)
    slices = _slices(rng, nodes)
    made["objects"] += [*slices, *(_class(name) for name in ("gpu", "big"))]
    made["objects"] += _held(rng, slices)
    (group,) = (each for each in made["objects"] if each["metadata"]["name"] == "gang")
    free = [(each, device["name"]) for each in slices for device in each["spec"]["devices"][1:]]
    rng.shuffle(free)
    entries = [_of_group(rng, made, group, pods, f"all-{i}", free, gate) for i in range(rng.choice((1, 1, 1, 2)))]
    own = rng.random() < 0.3
    for pod in pods:
        chosen = [_renamed(rng, each) for each in entries if rng.random() < 0.9]
        if own and rng.random() < 0.8:
            chosen.append(_own(rng, made, pod))
        made_ones = [_made(each["name"]) for each in chosen if each.get("resourceClaimTemplateName") == "group"]
        pod["status"].setdefault("resourceClaimStatuses", []).extend(made_ones)
        _use(pod, chosen)
    if rng.random() < 0.04:  # no pod uses it, and nobody has made it
        group["spec"]["resourceClaims"].append({"name": "none", "resourceClaimTemplateName": "none"})
    return made


def _renamed(rng: random.Random, entry: Manifest) -> Manifest:
    """The pod's entry, which is sometimes not the same as the group's, so that the claim is reserved for the pod."""
    return entry | {"name": f"my-{entry['name']}"} if "resourceClaimName" in entry and rng.random() < 0.08 else entry


def _of_group(
    rng: random.Random,
    made: Manifest,
    group: Manifest,
    pods: Sequence[Manifest],
    name: str,
    free: list[tuple[Any, str]],
    gate: bool,
) -> Manifest:
    """An entry of the group with its claim: named, or made from a template; sometimes allocated already.

    Without the ``gate`` no claim is made for a group, and a pod that has one does not get into the queue.
    """
    claim = _claim(rng, name)
    made["objects"].append(claim)
    if free and rng.random() < 0.35:
        consumer = {"apiGroup": "scheduling.k8s.io", "resource": "podgroups", "name": "gang", "uid": "gang"}
        members = [_consumer(pod["metadata"]["name"]) for pod in pods]
        consumers = rng.choice(([], [consumer], [consumer], [consumer], [rng.choice(members)], [_consumer("other")]))
        more = [_consumer("other")] if consumers == [consumer] and rng.random() < 0.2 else []
        claim["spec"] = _claim(random.Random(0), name)["spec"]
        _allocated(claim, *free.pop(), [*consumers, *more])
    entry = {"name": name, "resourceClaimName": name}
    if gate and rng.random() < 0.5:
        entry = {"name": name, "resourceClaimTemplateName": "group"}
        owner = {"apiVersion": group["apiVersion"], "kind": "PodGroup", "name": "gang", "uid": "gang"}
        if rng.random() < 0.05:
            owner["uid"] = "replaced"
        claim["metadata"]["ownerReferences"] = [owner | {"controller": True}]
        group.setdefault("status", {}).setdefault("resourceClaimStatuses", []).append(_made(name))
    group["spec"].setdefault("resourceClaims", []).append(entry)
    return entry


def _made(name: str) -> Manifest:
    return {"name": name, "resourceClaimName": name}


def with_volumes(rng: random.Random, made: Manifest) -> Manifest:
    """The scenario with volumes on some nodes and claims of the waiting pods: their own, and one that they share."""
    made["id"] = made["id"].replace("group", "volumes")
    pods, nodes = _pods_and_nodes(made)
    made["objects"] += [
        storage_class("local", "kubernetes.io/no-provisioner"),
        storage_class("cloud", **_topologies(rng)),
        storage_class("now", waits=False),
    ]
    sizes = rng.sample(range(1, 60), 12)
    for i in range(rng.randint(0, 8)):
        made["objects"].append(_volume(rng, f"pv-{i}", sizes[i], nodes))
    shared = rng.random() < 0.4
    mode = rng.choice(("ReadWriteOnce", "ReadWriteOnce", "ReadWriteOncePod"))
    bound = 0
    if shared:
        made["objects"].append(_versioned(volume_claim("shared", size="1Gi", of=_of(rng), accessModes=[mode])))
    for pod in pods:
        names = []
        if rng.random() < 0.8:
            names.append(f"{pod['metadata']['name']}-own")
            if rng.random() < 0.2:
                made["objects"].append(_bound_volume(rng, bound, nodes))
                made["objects"].append(_versioned(volume_claim(names[0], f"bound-{bound}", of="local")))
                bound += 1
            else:
                made["objects"].append(_versioned(volume_claim(names[0], size=f"{rng.randint(1, 20)}Gi", of=_of(rng))))
        if shared and rng.random() < 0.9:
            names.append("shared")
        rng.shuffle(names)
        if names:
            pod["spec"]["volumes"] = [mount(name, f"v{i}") for i, name in enumerate(names)]
    return made


def _of(rng: random.Random) -> str:
    return "now" if rng.random() < 0.04 else rng.choice(("local", "local", "cloud"))


def _topologies(rng: random.Random) -> Manifest:
    terms = [{"matchLabelExpressions": [{"key": "zone", "values": [rng.choice("ab")]}]}]
    return {"allowedTopologies": terms} if rng.random() < 0.5 else {}


def _place(rng: random.Random, nodes: Sequence[str]) -> Manifest:
    if rng.random() < 0.8:
        return {"matchExpressions": [{"key": HOST, "operator": "In", "values": [rng.choice(nodes)]}]}
    return {"matchExpressions": [{"key": "zone", "operator": "In", "values": [rng.choice("ab")]}]}


def _volume(rng: random.Random, name: str, size: int, nodes: Sequence[str]) -> Manifest:
    """Sizes differ, because the real scheduler draws among volumes of the same size."""
    modes = ["ReadWriteOnce", "ReadWriteOncePod"]
    of = "cloud" if rng.random() < 0.15 else "local"
    return _versioned(volume(name, _place(rng, nodes), size=f"{size}Gi", of=of, accessModes=modes))


def _bound_volume(rng: random.Random, i: int, nodes: Sequence[str]) -> Manifest:
    return _versioned(volume(f"bound-{i}", _place(rng, nodes), of="local", phase="Bound"))


def _versioned(document: Manifest) -> Manifest:
    document["metadata"]["resourceVersion"] = "1"
    return document
