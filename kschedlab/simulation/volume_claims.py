"""Volumes that are kept for a claim: what the scheduler and the controller of volumes both make of them.

v1.37: k8s.io/component-helpers storage/volume/pv_helpers.go.
"""

from __future__ import annotations

from msgspec.structs import replace

from kschedlab.objects.model import ObjectReference, PersistentVolume, PersistentVolumeClaim

BOUND_BY_CONTROLLER = "pv.kubernetes.io/bound-by-controller"
"""Annotation of what no user has bound."""


def reference_to(claim: PersistentVolumeClaim) -> ObjectReference:
    """How a volume names the claim."""
    metadata = claim.metadata
    return ObjectReference("PersistentVolumeClaim", metadata.namespace, metadata.name, metadata.uid, "v1")


def is_kept_for(volume: PersistentVolume, claim: PersistentVolumeClaim) -> bool:
    """Whether the volume names this claim (IsVolumeBoundToClaim)."""
    reference, metadata = volume.spec.claimRef, claim.metadata
    return (
        reference is not None
        and (reference.namespace, reference.name) == (metadata.namespace, metadata.name)
        and reference.uid in ("", metadata.uid)
    )


def kept_for(volume: PersistentVolume, claim: PersistentVolumeClaim) -> PersistentVolume:
    """The volume, kept for the claim; the same object if nothing is to be changed (GetBindVolumeToClaim).

    It is marked as bound by a controller unless it had been kept for a claim of that name, by its user or before.
    """
    reference, metadata = volume.spec.claimRef, volume.metadata
    if is_kept_for(volume, claim):
        if reference is not None and reference.uid == claim.metadata.uid:
            return volume
    elif BOUND_BY_CONTROLLER not in metadata.annotations:
        metadata = replace(metadata, annotations=metadata.annotations | {BOUND_BY_CONTROLLER: "yes"})
    return replace(volume, metadata=metadata, spec=replace(volume.spec, claimRef=reference_to(claim)))
