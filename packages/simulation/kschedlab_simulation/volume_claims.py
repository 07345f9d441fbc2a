"""Volumes reserved for a claim, as both the scheduler and the PersistentVolume controller bind them.

v1.37: k8s.io/component-helpers storage/volume/pv_helpers.go.
"""

from __future__ import annotations

from msgspec.structs import replace

from kschedlab.objects.model import ObjectReference, PersistentVolume, PersistentVolumeClaim

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
