"""Volumes reserved for a claim, as both the scheduler and the PersistentVolume controller bind them.

v1.37: k8s.io/component-helpers storage/volume/pv_helpers.go.
"""

from __future__ import annotations

from collections.abc import Collection

from msgspec.structs import replace

from kschedlab.cluster.volumes import CLASS
from kschedlab.objects.model import ObjectReference, PersistentVolume, PersistentVolumeClaim, StorageClass

BOUND_BY_CONTROLLER = "pv.kubernetes.io/bound-by-controller"
"""The annotation of a binding that a controller made, not a user."""


def claim_reference(claim: PersistentVolumeClaim) -> ObjectReference:
    """The claimRef of a volume for this claim."""
    metadata = claim.metadata
    return ObjectReference("PersistentVolumeClaim", metadata.namespace, metadata.name, metadata.uid, "v1")


def is_reserved_for(volume: PersistentVolume, claim: PersistentVolumeClaim) -> bool:
    """Whether the volume's claimRef is this claim (IsVolumeBoundToClaim)."""
    reference, metadata = volume.spec.claimRef, claim.metadata
    return (
        reference is not None
        and (reference.namespace, reference.name) == (metadata.namespace, metadata.name)
        and reference.uid in ("", metadata.uid)
    )


def reserved_for(volume: PersistentVolume, claim: PersistentVolumeClaim) -> PersistentVolume:
    """The volume, reserved for the claim; the same object if it already is (GetBindVolumeToClaim).

    It is annotated as bound by a controller, unless it already named the claim.
    """
    reference, metadata = volume.spec.claimRef, volume.metadata
    if is_reserved_for(volume, claim):
        if reference is not None and reference.uid == claim.metadata.uid:
            return volume
    elif BOUND_BY_CONTROLLER not in metadata.annotations:
        metadata = replace(metadata, annotations=metadata.annotations | {BOUND_BY_CONTROLLER: "yes"})
    return replace(volume, metadata=metadata, spec=replace(volume.spec, claimRef=claim_reference(claim)))


DEFAULT_CLASS = ("storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class")
"""The annotations of a default class."""


def with_default_class(claim: PersistentVolumeClaim, classes: Collection[StorageClass]) -> PersistentVolumeClaim:
    """A new claim, with the default class if it names none.

    v1.37: plugin/pkg/admission/storage/storageclass/setdefault/admission.go.
    """
    if CLASS in claim.metadata.annotations or claim.spec.storageClassName is not None:
        return claim
    default = default_class(classes)
    return replace(claim, spec=replace(claim.spec, storageClassName=default)) if default else claim


def default_class(classes: Collection[StorageClass]) -> str:
    """The name of the default class, the youngest if there are several; "" if there is none."""
    default = [each for each in classes if any(each.metadata.annotations.get(key) == "true" for key in DEFAULT_CLASS)]
    ordered = sorted(default, key=lambda each: (-(each.metadata.creationTimestamp or 0), each.metadata.name))
    return ordered[0].metadata.name if ordered else ""
