"""The objects that pods' volumes refer to, by name: claims, volumes, classes, drivers.

v1.37: k8s.io/component-helpers storage/volume/helpers.go and pv_helpers.go, storage/ephemeral/ephemeral.go.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator
from functools import cached_property
from typing import NamedTuple, TypeAlias, TypeVar

from kschedlab.cluster.object_store import ObjectStore, put_or_remove
from kschedlab.cluster.signatures import Signature
from kschedlab.objects import model
from kschedlab.objects.meta import controller_of

K = TypeVar("K", bound=Hashable)
V = TypeVar("V", bound=Hashable)
ClaimKey: TypeAlias = tuple[str, str]

CLASS = "volume.beta.kubernetes.io/storage-class"
BOUND = "pv.kubernetes.io/bind-completed"
SELECTED_NODE = "volume.kubernetes.io/selected-node"
MIGRATED_PLUGINS = "storage.alpha.kubernetes.io/migrated-plugins"
"""Annotations: the class of a claim or a volume (takes precedence over ``storageClassName``), a claim whose binding is
complete, the node selected for a claim's new volume, the in-tree plugins that a CSINode's drivers replaced."""


class ClaimName(NamedTuple):
    """A claim that a pod's volume names. ``ephemeral``: it was created for the pod, which must own it."""

    name: str
    ephemeral: bool


class BindableVolume:
    """A volume to which a claim can still be bound. ``arrival``: increasing numbers in order of arrival."""

    def __init__(self, arrival: int, volume: model.PersistentVolume) -> None:
        self.arrival, self.volume = arrival, volume

    @cached_property
    def size(self) -> int:
        """Nanobytes."""
        return size_of(self.volume)

    @cached_property
    def visible_fields(self) -> Hashable:
        """Everything by which a claim chooses among free volumes."""
        spec = self.volume.spec
        labels, modes = frozenset(self.volume.metadata.labels.items()), frozenset(spec.accessModes)
        return self.size, spec.volumeMode, spec.volumeAttributesClassName or "", modes, labels


class Volumes:
    """The objects that volume plugins look up. They don't depend on pods.

    ``claims`` by (namespace, name); ``volumes``, ``classes``, ``nodes`` (CSINode), ``drivers`` (CSIDriver) by name;
    ``attachments``, ``capacities`` in order of arrival.
    """

    def __init__(self, objects: ObjectStore) -> None:
        self.claims: dict[ClaimKey, model.PersistentVolumeClaim] = objects.of(model.PersistentVolumeClaim)
        self.volumes: dict[str, model.PersistentVolume] = objects.of(model.PersistentVolume)
        self.classes: dict[str, model.StorageClass] = objects.of(model.StorageClass)
        self.nodes: dict[str, model.CSINode] = objects.of(model.CSINode)
        self.drivers: dict[str, model.CSIDriver] = objects.of(model.CSIDriver)
        self.attachments: Collection[model.VolumeAttachment] = objects.of(model.VolumeAttachment).values()
        self.capacities: Collection[model.CSIStorageCapacity] = objects.of(model.CSIStorageCapacity).values()
        self._claims_on: dict[str, dict[ClaimKey, None]] = {}
        self._reserved_for: dict[ClaimKey, dict[str, None]] = {}
        for key, claim in self.claims.items():
            self._claims_on.setdefault(claim.spec.volumeName, {})[key] = None
        self._arrival, self._arrivals = dict[str, int](), 0
        self._bindable: dict[str, dict[str, BindableVolume]] = {}
        for name, volume in self.volumes.items():
            self._add_volume(name, volume)

    def claims_on(self, volume: str) -> list[ClaimKey]:
        return list(self._claims_on.get(volume, ()))

    def reserved_for(self, claim: ClaimKey) -> list[model.PersistentVolume]:
        """The volumes that name the claim (claimRef)."""
        return [self.volumes[name] for name in self._reserved_for.get(claim, ())]

    def bindable(self, class_name: str) -> list[BindableVolume]:
        """The volumes of the class to which claims can still be bound, in order of arrival."""
        return sorted(self._bindable.get(class_name, {}).values(), key=lambda each: each.arrival)

    def is_attached(self, volume: str) -> bool:
        """Whether the volume is attached to any node. O(attachments)."""
        return any(each.spec.source.persistentVolumeName == volume for each in self.attachments)

    def change_claim(self, key: ClaimKey, claim: model.PersistentVolumeClaim | None) -> None:
        before = self.claims.get(key)
        if before is not None:
            _discard(self._claims_on, before.spec.volumeName, key)
        if claim is not None:
            self._claims_on.setdefault(claim.spec.volumeName, {})[key] = None
        put_or_remove(self.claims, key, claim)
        if can_still_bind(before) != can_still_bind(claim):
            for volume in self.reserved_for(key):
                self._update_bindable(volume.metadata.name, volume)

    def change_volume(self, name: str, volume: model.PersistentVolume | None) -> None:
        before = self.volumes.get(name)
        if before is not None:
            self._bindable.get(volume_class(before), {}).pop(name, None)
            if before.spec.claimRef is not None:
                _discard(self._reserved_for, _reference(before.spec.claimRef), name)
        if volume is None:
            del self.volumes[name], self._arrival[name]
        else:
            self.volumes[name] = volume
            self._add_volume(name, volume)

    def _add_volume(self, name: str, volume: model.PersistentVolume) -> None:
        if name not in self._arrival:
            self._arrival[name] = self._arrivals
            self._arrivals += 1
        if volume.spec.claimRef is not None:
            self._reserved_for.setdefault(_reference(volume.spec.claimRef), {})[name] = None
        self._update_bindable(name, volume)

    def _update_bindable(self, name: str, volume: model.PersistentVolume) -> None:
        bindable = self._bindable.setdefault(volume_class(volume), {})
        if self.is_bindable(volume):
            bindable[name] = BindableVolume(self._arrival[name], volume)
        else:
            bindable.pop(name, None)

    def claim(self, pod: model.Pod, name: str) -> model.PersistentVolumeClaim | None:
        return self.claims.get((pod.metadata.namespace, name))

    def waits_for_first_consumer(self, claim: model.PersistentVolumeClaim) -> bool:
        """Whether the claim's class delays binding until its first pod is scheduled."""
        storage_class = self.classes.get(claim_class(claim))
        return storage_class is not None and storage_class.volumeBindingMode == "WaitForFirstConsumer"

    def is_bindable(self, volume: model.PersistentVolume) -> bool:
        """Whether a claim can still be bound to the volume: it is free, or reserved for a claim that is not bound."""
        if volume.metadata.deletionTimestamp is not None:
            return False
        reference = volume.spec.claimRef
        if reference is None:
            return volume.status.phase == "Available"
        return can_still_bind(self.claims.get(_reference(reference)))


def _reference(reference: model.ObjectReference) -> ClaimKey:
    return reference.namespace, reference.name


def _discard(index: dict[K, dict[V, None]], key: K, value: V) -> None:
    del index[key][value]
    if not index[key]:
        del index[key]


def can_still_bind(claim: model.PersistentVolumeClaim | None) -> bool:
    return claim is not None and not is_bound(claim)


def claim_name(pod: model.Pod, volume: model.Volume) -> ClaimName | None:
    if volume.persistentVolumeClaim is not None:
        return ClaimName(volume.persistentVolumeClaim.claimName, False)
    if volume.ephemeral is not None:
        return ClaimName(f"{pod.metadata.name}-{volume.name}", True)
    return None


def claim_names(pod: model.Pod) -> Iterator[ClaimName]:
    """The claims that the pod's volumes name, in their order; a claim named twice is listed twice."""
    return (name for volume in pod.spec.volumes if (name := claim_name(pod, volume)) is not None)


def claims_of(signature: Signature) -> Iterator[ClaimKey]:
    """The (namespace, name) of the claims of every pod with the signature, one for each volume."""
    return ((signature.namespace, name) for name, _ in claim_names(signature.example))


def ownership_error(pod: model.Pod, claim: model.PersistentVolumeClaim) -> str:
    """The error if the claim of an ephemeral volume was not created for this pod, or ""."""
    owner = controller_of(claim.metadata)
    if owner is not None and owner.uid == pod.metadata.uid:
        return ""
    key = f"{claim.metadata.namespace}/{claim.metadata.name}"
    return f"PVC {key} was not created for pod {pod.key} (pod is not owner)"


def claim_class(claim: model.PersistentVolumeClaim) -> str:
    """The name of the claim's StorageClass, "" without one."""
    return claim.metadata.annotations.get(CLASS, claim.spec.storageClassName or "")


def volume_class(volume: model.PersistentVolume) -> str:
    """The name of the volume's StorageClass, "" without one."""
    return volume.metadata.annotations.get(CLASS, volume.spec.storageClassName)


def is_bound(claim: model.PersistentVolumeClaim) -> bool:
    """Whether the claim's binding to its volume is complete."""
    return bool(claim.spec.volumeName) and BOUND in claim.metadata.annotations


def not_found(kind: str, name: str) -> str:
    """The API's message for an object that does not exist, e.g. ``persistentvolume "pv-1" not found``."""
    return f'{kind} "{name}" not found'


def size_of(holder: model.PersistentVolume | model.PersistentVolumeClaim) -> int:
    """Nanobytes that the volume has or the claim requests; 0 if unstated."""
    spec = holder.spec
    amounts = spec.resources.requests if isinstance(spec, model.PersistentVolumeClaimSpec) else spec.capacity
    return amounts["storage"].nanos if "storage" in amounts else 0
