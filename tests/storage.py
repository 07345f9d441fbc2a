"""Storage objects for tests: claims, volumes, classes and CSI objects, with only what a test needs."""

from collections.abc import Sequence
from typing import Any

from kschedlab.build import Manifest

UID = "uid-of-{name}"
STORAGE = "storage.k8s.io/v1"


def mount(claim: str, name: str = "v") -> Manifest:
    """A pod's volume that uses a claim."""
    return {"name": name, "persistentVolumeClaim": {"claimName": claim}}


def ephemeral(name: str) -> Manifest:
    """A pod's generic ephemeral volume."""
    return {"name": name, "ephemeral": {"volumeClaimTemplate": {"spec": {"accessModes": ["ReadWriteOnce"]}}}}


def claim(name: str, to: str = "", /, size: str = "1Gi", of: str = "wait", owner: str = "", **fields: Any) -> Manifest:
    """A claim, fully bound if ``to`` names a volume; ``owner``: the uid of the pod that owns it.

    ``annotations``, ``deleted``, ``namespace`` go to the metadata, ``phase`` to the status, other names to the spec.
    """
    annotations = fields.pop("annotations", {}) | ({"pv.kubernetes.io/bind-completed": "yes"} if to else {})
    metadata = {"name": name, "namespace": fields.pop("namespace", "default"), "uid": UID.format(name=name)}
    metadata["annotations"] = annotations
    if owner:
        metadata["ownerReferences"] = [{"kind": "Pod", "name": "p", "uid": owner, "controller": True}]
    if "deleted" in fields:
        metadata["deletionTimestamp"] = fields.pop("deleted")
    status = {"phase": fields.pop("phase", "Bound" if to else "Pending")}
    spec = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": size}}, "storageClassName": of}
    spec |= ({"volumeName": to} if to else {}) | fields
    return {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": metadata, "spec": spec, "status": status}


def volume(
    name: str, /, *terms: Manifest, size: str = "1Gi", of: str = "wait", kept_for: str = "", **fields: Any
) -> Manifest:
    """An available volume, usable on nodes that match one of the ``terms``; on all nodes without terms.

    ``kept_for``: the claim in its claimRef. ``labels``, ``annotations`` go to the metadata, ``phase`` to the
    status, other names to the spec.
    """
    metadata = {"name": name, "labels": fields.pop("labels", {}), "annotations": fields.pop("annotations", {})}
    if "deleted" in fields:
        metadata["deletionTimestamp"] = fields.pop("deleted")
    status = {"phase": fields.pop("phase", "Available")}
    spec: Manifest = {"capacity": {"storage": size}, "accessModes": ["ReadWriteOnce"], "storageClassName": of}
    if terms:
        spec["nodeAffinity"] = {"required": {"nodeSelectorTerms": list(terms)}}
    if kept_for:
        spec["claimRef"] = {"kind": "PersistentVolumeClaim", "namespace": "default", "name": kept_for}
    spec |= fields
    return {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": metadata, "spec": spec, "status": status}


def csi(handle: str, driver: str = "csi.example.com") -> Manifest:
    """``spec.csi`` of a volume."""
    return {"driver": driver, "volumeHandle": handle}


def storage_class(name: str, provisioner: str = "csi.example.com", waits: bool = True, **fields: Any) -> Manifest:
    """A StorageClass; ``waits``: its binding mode is WaitForFirstConsumer."""
    mode = "WaitForFirstConsumer" if waits else "Immediate"
    head = {"apiVersion": STORAGE, "kind": "StorageClass", "metadata": {"name": name}}
    return head | {"provisioner": provisioner, "volumeBindingMode": mode} | fields


def csi_node(node: str, migrated: Sequence[str] = (), /, **limits: int | None) -> Manifest:
    """A node's CSINode; ``limits`` by driver, with ``_`` for dots, None for no limit; ``migrated``: in-tree plugins."""
    drivers = [
        {"name": name.replace("_", "."), "nodeID": node, "topologyKeys": None}
        | ({} if limit is None else {"allocatable": {"count": limit}})
        for name, limit in limits.items()
    ]
    annotations = {"storage.alpha.kubernetes.io/migrated-plugins": ",".join(migrated)}
    metadata = {"name": node, "annotations": annotations}
    return {"apiVersion": STORAGE, "kind": "CSINode", "metadata": metadata, "spec": {"drivers": drivers}}


def csi_driver(name: str = "csi.example.com", **spec: Any) -> Manifest:
    """A CSIDriver."""
    return {"apiVersion": STORAGE, "kind": "CSIDriver", "metadata": {"name": name}, "spec": spec}


def attachment(name: str, volume: str, node: str, driver: str = "csi.example.com") -> Manifest:
    """A VolumeAttachment."""
    spec = {"attacher": driver, "nodeName": node, "source": {"persistentVolumeName": volume}}
    return {"apiVersion": STORAGE, "kind": "VolumeAttachment", "metadata": {"name": name}, "spec": spec}


def storage_capacity(
    name: str, node: str, capacity: str | None, largest: str | None = None, of: str = "wait"
) -> Manifest:
    """A CSIStorageCapacity that the node has access to."""
    amounts = {"capacity": capacity, "maximumVolumeSize": largest}
    topology = {"matchLabels": {"kubernetes.io/hostname": node}}
    head = {"apiVersion": STORAGE, "kind": "CSIStorageCapacity", "metadata": {"name": name, "namespace": "kube-system"}}
    return (
        head | {"storageClassName": of, "nodeTopology": topology} | {k: v for k, v in amounts.items() if v is not None}
    )
