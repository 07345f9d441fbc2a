"""The tables of nodes, storage, devices and the rest. v1.37: pkg/printers/internalversion/printers.go."""

from __future__ import annotations

from typing import Any

from kschedlab_live.serve.tables.cells import (
    NONE,
    UNKNOWN,
    UNSET,
    Columns,
    Data,
    age_of,
    joined,
    maps,
    name_of,
    number,
    part,
    since,
    text,
)

_ROLE = "node-role.kubernetes.io/"
_MODES = {"ReadWriteOnce": "RWO", "ReadOnlyMany": "ROX", "ReadWriteMany": "RWX", "ReadWriteOncePod": "RWOP"}


def _node(data: Data, now: int) -> list[Any]:
    ready = [text(c, "status") for c in maps(data, "status", "conditions") if text(c, "type") == "Ready"]
    states = ["Ready" if ready[-1] == "True" else "NotReady"] if ready else ["Unknown"]
    states += ["SchedulingDisabled"] if part(data, "spec", "unschedulable") else []
    info = part(data, "status", "nodeInfo")
    architecture = text(info, "architecture")
    kernel = text(info, "kernelVersion", otherwise=UNKNOWN) + (f" ({architecture})" if architecture else "")
    return [
        name_of(data),
        joined(states),
        _roles(part(data, "metadata", "labels")),
        age_of(data, now),
        text(info, "kubeletVersion"),
        _address(data, "InternalIP"),
        _address(data, "ExternalIP"),
        text(info, "osImage", otherwise=UNKNOWN),
        kernel,
        text(info, "containerRuntimeVersion", otherwise=UNKNOWN),
    ]


def _roles(value: Any) -> str:
    pairs = value.items() if isinstance(value, dict) else ()
    roles = {key.removeprefix(_ROLE) for key, _ in pairs if key.startswith(_ROLE) and key != _ROLE}
    roles |= {str(value) for key, value in pairs if key == "kubernetes.io/role" and value}
    return joined(sorted(roles)) or NONE


def _address(data: Data, kind: str) -> str:
    addresses = (text(entry, "address") for entry in maps(data, "status", "addresses") if text(entry, "type") == kind)
    return next(addresses, NONE)


def _event(data: Data, now: int) -> list[Any]:
    first = since(part(data, "firstTimestamp") or part(data, "eventTime"), now)
    last = since(part(data, "lastTimestamp"), now) if part(data, "lastTimestamp") else first
    count = number(data, "count") or 1
    if series := part(data, "series"):
        last, count = since(part(series, "lastObservedTime"), now), number(series, "count")
    about = part(data, "involvedObject")
    kind, name = text(about, "kind").lower(), text(about, "name")
    component = text(data, "source", "component") or text(data, "reportingComponent")
    instance = text(data, "source", "host") or text(data, "reportingInstance")
    return [
        last,
        text(data, "type"),
        text(data, "reason"),
        f"{kind}/{name}" if name else kind,
        text(about, "fieldPath"),
        joined(filter(None, (component, instance))).replace(",", ", "),
        text(data, "message").strip(),
        first,
        str(count),
        name_of(data),
    ]


def _volume(data: Data, now: int) -> list[Any]:
    spec, claim = part(data, "spec"), part(data, "spec", "claimRef")
    phase = "Terminating" if part(data, "metadata", "deletionTimestamp") else text(data, "status", "phase")
    return [
        name_of(data),
        text(spec, "capacity", "storage", otherwise="0"),
        _modes(part(spec, "accessModes")),
        text(spec, "persistentVolumeReclaimPolicy"),
        phase,
        f"{text(claim, 'namespace')}/{text(claim, 'name')}" if claim else "",
        text(spec, "storageClassName"),
        text(spec, "volumeAttributesClassName", otherwise=UNSET),
        text(data, "status", "reason"),
        age_of(data, now),
        text(spec, "volumeMode", otherwise=UNSET),
    ]


def _claim(data: Data, now: int) -> list[Any]:
    spec, status = part(data, "spec"), part(data, "status")
    phase = "Terminating" if part(data, "metadata", "deletionTimestamp") else text(status, "phase")
    bound = text(spec, "volumeName")
    return [
        name_of(data),
        phase,
        bound,
        text(status, "capacity", "storage", otherwise="0") if bound else "",
        _modes(part(status, "accessModes")) if bound else "",
        text(spec, "storageClassName"),
        text(spec, "volumeAttributesClassName", otherwise=UNSET),
        age_of(data, now),
        text(spec, "volumeMode", otherwise=UNSET),
    ]


def _modes(value: Any) -> str:
    modes = value if isinstance(value, list) else ()
    return joined(short for mode, short in _MODES.items() if mode in modes)


def _storage_class(data: Data, now: int) -> list[Any]:
    name, annotations = name_of(data), part(data, "metadata", "annotations")
    if text(annotations, "storageclass.kubernetes.io/is-default-class") == "true":
        name += " (default)"
    expands = bool(part(data, "allowVolumeExpansion"))
    policies = text(data, "reclaimPolicy", otherwise="Delete"), text(data, "volumeBindingMode", otherwise=UNSET)
    return [name, text(data, "provisioner"), *policies, expands, age_of(data, now)]


def _attachment(data: Data, now: int) -> list[Any]:
    spec = part(data, "spec")
    volume, attached = text(spec, "source", "persistentVolumeName"), bool(part(data, "status", "attached"))
    return [name_of(data), text(spec, "attacher"), volume, text(spec, "nodeName"), attached, age_of(data, now)]


def _driver(data: Data, now: int) -> list[Any]:
    spec = part(data, "spec")
    attach = part(spec, "attachRequired") is not False
    flags = [attach, bool(part(spec, "podInfoOnMount")), bool(part(spec, "storageCapacity"))]
    tokens = part(spec, "tokenRequests")
    requests = UNSET if tokens is None else joined(text(entry, "audience") for entry in maps(spec, "tokenRequests"))
    modes = joined(part(spec, "volumeLifecycleModes") or ()) or NONE
    return [name_of(data), *flags, requests, bool(part(spec, "requiresRepublish")), modes, age_of(data, now)]


def _capacity(data: Data, now: int) -> list[Any]:
    return [name_of(data), text(data, "storageClassName"), text(data, "capacity", otherwise=UNSET)]


def _resource_claim(data: Data, now: int) -> list[Any]:
    deleted, status = part(data, "metadata", "deletionTimestamp"), part(data, "status")
    states = ["deleted"] if deleted else []
    if part(status, "allocation") is None:
        states += [] if deleted else ["pending"]
    else:
        states += ["allocated", *(["reserved"] if maps(status, "reservedFor") else [])]
    return [name_of(data), joined(states), age_of(data, now)]


def _slice(data: Data, now: int) -> list[Any]:
    spec = part(data, "spec")
    return [name_of(data), text(spec, "nodeName"), text(spec, "driver"), text(spec, "pool", "name"), age_of(data, now)]


def _taint(data: Data, now: int) -> list[Any]:
    taint = part(data, "spec", "taint")
    added = since(part(taint, "timeAdded"), now) if part(taint, "timeAdded") else ""
    texts = [text(taint, name) for name in ("key", "value", "effect")]
    return [name_of(data), *texts, added, age_of(data, now)]


def _priority_class(data: Data, now: int) -> list[Any]:
    default, policy = bool(part(data, "globalDefault")), text(data, "preemptionPolicy")
    return [name_of(data), number(data, "value"), default, age_of(data, now), policy]


def _named(data: Data, now: int) -> list[Any]:
    return [name_of(data), age_of(data, now)]


def _quota(data: Data, now: int) -> list[Any]:
    used, hard = part(data, "status", "used"), part(data, "status", "hard") or {}
    cells: dict[bool, list[str]] = {False: [], True: []}
    for name in sorted(hard):
        cells[name.startswith("limits.")].append(f"{name}: {text(used, name, otherwise='0')}/{hard[name]}")
    return [name_of(data), *map(", ".join, cells.values()), age_of(data, now)]


def _limit_range(data: Data, now: int) -> list[Any]:
    return [name_of(data), text(data, "metadata", "creationTimestamp")]


def _namespace(data: Data, now: int) -> list[Any]:
    return [name_of(data), text(data, "status", "phase"), age_of(data, now)]


def _csi_node(data: Data, now: int) -> list[Any]:
    return [name_of(data), len(maps(data, "spec", "drivers")), age_of(data, now)]


NAMED = Columns("Name Age", _named)
"""The table of a kind that has none of its own."""

TABLES: dict[str, Columns] = {
    "nodes": Columns(
        "Name Status Roles Age Version Internal-IP* External-IP* OS-Image* Kernel-Version* Container-Runtime*", _node
    ),
    "events": Columns("Last_Seen Type Reason Object Subobject* Source* Message First_Seen* Count* Name*", _event),
    "namespaces": Columns("Name Status Age", _namespace),
    "persistentvolumes": Columns(
        "Name Capacity Access_Modes Reclaim_Policy Status Claim StorageClass VolumeAttributesClass Reason Age "
        "VolumeMode*",
        _volume,
    ),
    "persistentvolumeclaims": Columns(
        "Name Status Volume Capacity Access_Modes StorageClass VolumeAttributesClass Age VolumeMode*", _claim
    ),
    "storageclasses": Columns(
        "Name Provisioner ReclaimPolicy VolumeBindingMode AllowVolumeExpansion Age", _storage_class
    ),
    "volumeattachments": Columns("Name Attacher PV Node Attached Age", _attachment, {"Attached": "boolean"}),
    "csidrivers": Columns(
        "Name AttachRequired PodInfoOnMount StorageCapacity TokenRequests RequiresRepublish Modes Age",
        _driver,
        dict.fromkeys(["AttachRequired", "PodInfoOnMount", "StorageCapacity", "RequiresRepublish"], "boolean"),
    ),
    "resourcequotas": Columns("Name Request Limit Age", _quota),
    "limitranges": Columns("Name Created_At", _limit_range),
    "csinodes": Columns("Name Drivers Age", _csi_node, {"Drivers": "integer"}),
    "csistoragecapacities": Columns("Name StorageClassName Capacity", _capacity),
    "resourceclaims": Columns("Name State Age", _resource_claim),
    "resourceslices": Columns("Name Node Driver Pool Age", _slice),
    "devicetaintrules": Columns("Name Key Value Effect TimeAdded Age", _taint),
    "priorityclasses": Columns(
        "Name Value Global-Default Age PreemptionPolicy",
        _priority_class,
        {"Value": "integer", "Global-Default": "boolean"},
    ),
}
