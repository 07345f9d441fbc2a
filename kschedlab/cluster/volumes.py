"""The objects behind pods' volumes, by name: claims, volumes, classes, drivers.

v1.37: k8s.io/component-helpers storage/volume/helpers.go and pv_helpers.go, storage/ephemeral/ephemeral.go.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from kschedlab.objects.manifests import Objects
from kschedlab.objects.model import PersistentVolume, PersistentVolumeClaim, PersistentVolumeClaimSpec, Pod, Volume

CLASS = "volume.beta.kubernetes.io/storage-class"
BOUND = "pv.kubernetes.io/bind-completed"
SELECTED_NODE = "volume.kubernetes.io/selected-node"
MIGRATED_PLUGINS = "storage.alpha.kubernetes.io/migrated-plugins"
"""Annotations: the class of a claim or a volume (before ``storageClassName``), a claim that is bound for good, the node
that was chosen for a claim's new volume, the in-tree plugins that a CSINode's drivers took over."""


class ClaimName(NamedTuple):
    """A claim that a pod's volume names. ``ephemeral``: it is made for the pod, which must own it."""

    name: str
    ephemeral: bool


class Volumes:
    """What the volume plugins look up. Nothing here changes when pods come or go.

    ``claims`` by (namespace, name); ``volumes``, ``classes``, ``nodes`` (CSINode), ``drivers`` (CSIDriver) by name;
    ``attachments``, ``capacities`` in the order in which they were read.
    """

    def __init__(self, objects: Objects) -> None:
        self.claims = {(c.metadata.namespace, c.metadata.name): c for c in objects.persistent_volume_claims}
        self.volumes = {v.metadata.name: v for v in objects.persistent_volumes}
        self.classes = {c.metadata.name: c for c in objects.storage_classes}
        self.nodes = {n.metadata.name: n for n in objects.csi_nodes}
        self.drivers = {d.metadata.name: d for d in objects.csi_drivers}
        self.attachments = objects.volume_attachments
        self.capacities = objects.csi_storage_capacities

    def claim(self, pod: Pod, name: str) -> PersistentVolumeClaim | None:
        """The claim of that name in the pod's namespace."""
        return self.claims.get((pod.metadata.namespace, name))

    def waits(self, claim: PersistentVolumeClaim) -> bool:
        """Whether the claim's class binds it when its first pod is scheduled."""
        found = self.classes.get(claim_class(claim))
        return found is not None and found.volumeBindingMode == "WaitForFirstConsumer"

    def may_be_bound(self, volume: PersistentVolume) -> bool:
        """Whether a claim may yet be bound to the volume: it is free, or kept for a claim that is not bound."""
        if volume.metadata.deletionTimestamp is not None:
            return False
        reference = volume.spec.claimRef
        if reference is None:
            return volume.status.phase == "Available"
        claim = self.claims.get((reference.namespace, reference.name))
        return claim is not None and not is_bound(claim)


def claim_name(pod: Pod, volume: Volume) -> ClaimName | None:
    """The claim that the pod's volume names, if it is one that names a claim."""
    if volume.persistentVolumeClaim is not None:
        return ClaimName(volume.persistentVolumeClaim.claimName, False)
    if volume.ephemeral is not None:
        return ClaimName(f"{pod.metadata.name}-{volume.name}", True)
    return None


def claim_names(pod: Pod) -> Iterator[ClaimName]:
    """The claims that the pod's volumes name, in their order; one named twice comes twice."""
    return (name for volume in pod.spec.volumes if (name := claim_name(pod, volume)) is not None)


def own_fault(pod: Pod, claim: PersistentVolumeClaim) -> str:
    """What is wrong with the claim of an ephemeral volume, or "": it must have been made for this very pod."""
    owner = next((o for o in claim.metadata.ownerReferences if o.controller), None)
    if owner is not None and owner.uid == pod.metadata.uid:
        return ""
    of = f"{claim.metadata.namespace}/{claim.metadata.name}"
    return f"PVC {of} was not created for pod {pod.key} (pod is not owner)"


def claim_class(claim: PersistentVolumeClaim) -> str:
    """The name of the claim's StorageClass, "" without one."""
    return claim.metadata.annotations.get(CLASS, claim.spec.storageClassName or "")


def volume_class(volume: PersistentVolume) -> str:
    """The name of the volume's StorageClass, "" without one."""
    return volume.metadata.annotations.get(CLASS, volume.spec.storageClassName)


def is_bound(claim: PersistentVolumeClaim) -> bool:
    """Whether the claim is bound for good."""
    return bool(claim.spec.volumeName) and BOUND in claim.metadata.annotations


def not_found(kind: str, name: str) -> str:
    """The API's words for an object that is not there, e.g. ``persistentvolume "pv-1" not found``."""
    return f'{kind} "{name}" not found'


def size_of(found: PersistentVolume | PersistentVolumeClaim) -> int:
    """Nanobytes that the volume has, or that the claim asks for; 0 if it does not say."""
    spec = found.spec
    amounts = spec.resources.requests if isinstance(spec, PersistentVolumeClaimSpec) else spec.capacity
    return amounts["storage"].nanos if "storage" in amounts else 0
