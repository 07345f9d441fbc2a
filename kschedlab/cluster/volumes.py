"""The objects behind pods' volumes, by name: claims, volumes, classes, drivers.

v1.37: k8s.io/component-helpers storage/volume/helpers.go and pv_helpers.go, storage/ephemeral/ephemeral.go.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator
from functools import cached_property
from typing import NamedTuple, TypeAlias, TypeVar

from kschedlab.cluster.object_store import ObjectStore, change
from kschedlab.cluster.signatures import Signature
from kschedlab.objects.model import (
    CSIDriver,
    CSINode,
    CSIStorageCapacity,
    ObjectReference,
    PersistentVolume,
    PersistentVolumeClaim,
    PersistentVolumeClaimSpec,
    Pod,
    StorageClass,
    Volume,
    VolumeAttachment,
)

K = TypeVar("K", bound=Hashable)
V = TypeVar("V", bound=Hashable)
ClaimKey: TypeAlias = tuple[str, str]

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


class Offer:
    """A volume that a claim may yet be bound to. ``turn``: which volume came first: numbers that only grow."""

    def __init__(self, turn: int, volume: PersistentVolume) -> None:
        self.turn, self.volume = turn, volume

    @cached_property
    def size(self) -> int:
        """Nanobytes."""
        return size_of(self.volume)

    @cached_property
    def look(self) -> Hashable:
        """All that a claim can see of the volume if it is free."""
        spec = self.volume.spec
        labels, modes = frozenset(self.volume.metadata.labels.items()), frozenset(spec.accessModes)
        return self.size, spec.volumeMode, spec.volumeAttributesClassName or "", modes, labels


class Volumes:
    """What the volume plugins look up. Nothing here changes when pods come or go.

    ``claims`` by (namespace, name); ``volumes``, ``classes``, ``nodes`` (CSINode), ``drivers`` (CSIDriver) by name;
    ``attachments``, ``capacities`` in the order in which they came.
    """

    def __init__(self, documents: ObjectStore) -> None:
        self.claims: dict[ClaimKey, PersistentVolumeClaim] = documents.of(PersistentVolumeClaim)
        self.volumes: dict[str, PersistentVolume] = documents.of(PersistentVolume)
        self.classes: dict[str, StorageClass] = documents.of(StorageClass)
        self.nodes: dict[str, CSINode] = documents.of(CSINode)
        self.drivers: dict[str, CSIDriver] = documents.of(CSIDriver)
        self._attachments: dict[str, VolumeAttachment] = documents.of(VolumeAttachment)
        self._capacities: dict[ClaimKey, CSIStorageCapacity] = documents.of(CSIStorageCapacity)
        self._claims_on: dict[str, dict[ClaimKey, None]] = {}
        self._kept_for: dict[ClaimKey, dict[str, None]] = {}
        for key, claim in self.claims.items():
            self._claims_on.setdefault(claim.spec.volumeName, {})[key] = None
        self._turn, self._turns = dict[str, int](), 0
        self._offers: dict[str, dict[str, Offer]] = {}
        for name, volume in self.volumes.items():
            self._note(name, volume)

    @property
    def attachments(self) -> Collection[VolumeAttachment]:
        """The volumes that are attached to nodes."""
        return self._attachments.values()

    @property
    def capacities(self) -> Collection[CSIStorageCapacity]:
        """What drivers have reported as free."""
        return self._capacities.values()

    def claims_on(self, volume: str) -> list[ClaimKey]:
        """The claims that name the volume."""
        return list(self._claims_on.get(volume, ()))

    def kept_for(self, claim: ClaimKey) -> list[PersistentVolume]:
        """The volumes that name the claim."""
        return [self.volumes[name] for name in self._kept_for.get(claim, ())]

    def offers(self, class_name: str) -> list[Offer]:
        """The volumes of the class that a claim may yet be bound to, in the order in which they came."""
        return sorted(self._offers.get(class_name, {}).values(), key=lambda offer: offer.turn)

    def is_attached(self, volume: str) -> bool:
        """Whether the volume is attached to any node. O(attachments)."""
        return any(each.spec.source.persistentVolumeName == volume for each in self.attachments)

    def change_claim(self, key: ClaimKey, claim: PersistentVolumeClaim | None) -> None:
        """Put the claim in the place of the one of that name; None: there is none any more."""
        before = self.claims.get(key)
        if before is not None:
            _take_out(self._claims_on, before.spec.volumeName, key)
        if claim is not None:
            self._claims_on.setdefault(claim.spec.volumeName, {})[key] = None
        change(self.claims, key, claim)
        if may_yet_bind(before) != may_yet_bind(claim):
            for volume in self.kept_for(key):
                self._offer(volume.metadata.name, volume)

    def change_volume(self, name: str, volume: PersistentVolume | None) -> None:
        """Put the volume in the place of the one of that name; None: there is none any more."""
        before = self.volumes.get(name)
        if before is not None:
            self._offers.get(volume_class(before), {}).pop(name, None)
            if before.spec.claimRef is not None:
                _take_out(self._kept_for, _reference(before.spec.claimRef), name)
        if volume is None:
            del self.volumes[name], self._turn[name]
        else:
            self.volumes[name] = volume
            self._note(name, volume)

    def _note(self, name: str, volume: PersistentVolume) -> None:
        if name not in self._turn:
            self._turn[name] = self._turns
            self._turns += 1
        if volume.spec.claimRef is not None:
            self._kept_for.setdefault(_reference(volume.spec.claimRef), {})[name] = None
        self._offer(name, volume)

    def _offer(self, name: str, volume: PersistentVolume) -> None:
        offers = self._offers.setdefault(volume_class(volume), {})
        if self.may_be_bound(volume):
            offers[name] = Offer(self._turn[name], volume)
        else:
            offers.pop(name, None)

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
        return may_yet_bind(self.claims.get(_reference(reference)))


def _reference(reference: ObjectReference) -> ClaimKey:
    return reference.namespace, reference.name


def _take_out(index: dict[K, dict[V, None]], key: K, value: V) -> None:
    del index[key][value]
    if not index[key]:
        del index[key]


def may_yet_bind(claim: PersistentVolumeClaim | None) -> bool:
    """Whether there is such a claim, not yet bound for good."""
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


def claims_of(signature: Signature) -> Iterator[ClaimKey]:
    """The (namespace, name) of the claims that every pod of the signature uses; one used twice comes twice."""
    return ((signature.namespace, name) for name, _ in claim_names(signature.example))


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
