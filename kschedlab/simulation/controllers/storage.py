"""How claims and volumes find each other: what the controller of PersistentVolumes wants for each of them.

v1.37: pkg/controller/volume/persistentvolume/pv_controller.go (syncUnboundClaim, syncBoundClaim, syncVolume, bind,
unbindVolume), index.go (findByClaim), component-helpers storage/volume/pv_helpers.go (FindMatchingVolume). Where the
real one takes one of several equal volumes by chance, the first in the order given is taken.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import NamedTuple

from msgspec.structs import replace

from kschedlab.cluster.volumes import BOUND, SELECTED_NODE, claim_class, size_of, volume_class
from kschedlab.objects.model import (
    ObjectReference,
    PersistentVolume,
    PersistentVolumeClaim,
    PersistentVolumeClaimStatus,
    PersistentVolumeStatus,
    StorageClass,
)
from kschedlab.simulation.controllers.writes import Update, UpdateStatus, Write
from kschedlab.simulation.volume_claims import BOUND_BY_CONTROLLER, is_kept_for, kept_for

PROVISIONED_BY = "pv.kubernetes.io/provisioned-by"
DEFAULT_CLASS = "storageclass.kubernetes.io/is-default-class"


class Step(NamedTuple):
    """What is wanted for a claim or a volume.

    ``provision``: a volume should be made for the claim; ``reclaim``: the volume should be disposed of; ``reason``,
    ``message``: what to tell about a claim that has to wait.
    """

    writes: list[Write]
    provision: bool = False
    reclaim: bool = False
    reason: str = ""
    message: str = ""


def waits_for_pod(found: StorageClass | None) -> bool:
    """Whether claims of the class are bound when their first pod is scheduled."""
    return found is not None and found.volumeBindingMode == "WaitForFirstConsumer"


# -- claims


def next_of_claim(
    claim: PersistentVolumeClaim,
    named: PersistentVolume | None,
    volumes: Collection[PersistentVolume],
    classes: Mapping[str, StorageClass],
) -> Step:
    """``named``: the volume that the claim names; ``volumes``: those that name it, or nobody; ``classes``: by name."""
    if BOUND in claim.metadata.annotations:
        return Step(_of_bound(claim, named))
    if claim.spec.volumeName:
        return _of_asking(claim, named)
    name = claim_class(claim)
    delayed = waits_for_pod(classes.get(name))
    volume = best_volume(claim, volumes, delayed)
    if volume is not None:
        return Step(bind(volume, claim))
    if not name and claim.spec.storageClassName is None and (usual := default_class(classes.values())):
        return Step([Update(replace(claim, spec=replace(claim.spec, storageClassName=usual)))])
    if delayed and SELECTED_NODE not in claim.metadata.annotations:
        return Step(
            [], reason="WaitForFirstConsumer", message="waiting for first consumer to be created before binding"
        )
    if name:
        return Step([], provision=True)
    why = "no persistent volumes available for this claim and no storage class is set"
    return Step([], reason="FailedBinding", message=why)


def _of_asking(claim: PersistentVolumeClaim, volume: PersistentVolume | None) -> Step:
    """A claim that names the volume that it wants."""
    if volume is None:
        return Step([])
    if volume.spec.claimRef is None:
        fault = misfit(volume, claim)
        why = f'Cannot bind to requested volume "{volume.metadata.name}": {fault}'
        return Step([], reason="VolumeMismatch", message=why) if fault else Step(bind(volume, claim))
    if is_kept_for(volume, claim):
        return Step(bind(volume, claim))
    why = f'volume "{volume.metadata.name}" already bound to a different claim.'
    return Step([], reason="FailedBinding", message=why)


def _of_bound(claim: PersistentVolumeClaim, volume: PersistentVolume | None) -> list[Write]:
    """A claim that was bound for good: what is missing of the binding is added; without its volume it is lost."""
    reference = volume.spec.claimRef if volume is not None else None
    if volume is not None and (reference is None or reference.uid == claim.metadata.uid):
        return bind(volume, claim)
    if claim.status.phase == "Lost":
        return []
    return [UpdateStatus(replace(claim, status=PersistentVolumeClaimStatus(phase="Lost")))]


def misfit(volume: PersistentVolume, claim: PersistentVolumeClaim) -> str:
    """Why the volume cannot serve the claim, or "" (checkVolumeSatisfyClaim)."""
    if volume.metadata.deletionTimestamp is not None:
        return f'the volume is marked for deletion "{volume.metadata.name}"'
    if size_of(volume) < size_of(claim):
        return "requested PV is too small"
    if volume_class(volume) != claim_class(claim):
        return "storageClassName does not match"
    if (claim.spec.volumeAttributesClassName or "") != (volume.spec.volumeAttributesClassName or ""):
        return "volumeAttributesClassName does not match"
    if claim.spec.volumeMode != volume.spec.volumeMode:
        return "incompatible volumeMode"
    return "" if set(claim.spec.accessModes) <= set(volume.spec.accessModes) else "incompatible accessMode"


def best_volume(
    claim: PersistentVolumeClaim, volumes: Collection[PersistentVolume], delayed: bool
) -> PersistentVolume | None:
    """The volume kept for the claim, else the smallest that fits, of those with the fewest access modes it can do with.

    ``delayed``: only one that is kept for the claim, because the scheduler chooses among the others.
    """
    by_modes: dict[tuple[str, ...], list[PersistentVolume]] = {}
    for volume in volumes:
        by_modes.setdefault(tuple(sorted(set(volume.spec.accessModes))), []).append(volume)
    for modes in sorted(by_modes, key=len):
        if set(claim.spec.accessModes) <= set(modes):
            usable = [volume for volume in by_modes[modes] if _could_serve(volume, claim)]
            if kept := next((volume for volume in usable if is_kept_for(volume, claim)), None):
                return kept
            fitting = [] if delayed else [volume for volume in usable if _is_free(volume, claim)]
            if fitting:
                return min(fitting, key=size_of)
    return None


def _could_serve(volume: PersistentVolume, claim: PersistentVolumeClaim) -> bool:
    return (
        size_of(volume) >= size_of(claim)
        and volume.spec.volumeMode == claim.spec.volumeMode
        and (volume.spec.volumeAttributesClassName or "") == (claim.spec.volumeAttributesClassName or "")
        and volume.metadata.deletionTimestamp is None
    )


def _is_free(volume: PersistentVolume, claim: PersistentVolumeClaim) -> bool:
    return (
        volume.spec.claimRef is None
        and volume.status.phase == "Available"
        and (claim.spec.selector is None or claim.spec.selector.compile().matches(volume.metadata.labels))
        and volume_class(volume) == claim_class(claim)
    )


def default_class(classes: Collection[StorageClass]) -> str:
    """The name of the class for claims that name none: the youngest of those that say so; "" if none does."""
    usual = [each for each in classes if each.metadata.annotations.get(DEFAULT_CLASS) == "true"]
    ordered = sorted(usual, key=lambda each: (-(each.metadata.creationTimestamp or 0), each.metadata.name))
    return ordered[0].metadata.name if ordered else ""


# -- binding


def bind(volume: PersistentVolume, claim: PersistentVolumeClaim) -> list[Write]:
    """What is missing of the binding: the volume names the claim, and then the claim the volume."""
    writes: list[Write] = []
    bound = kept_for(volume, claim)
    if bound is not volume:
        writes.append(Update(bound))
    if bound.status.phase != "Bound":
        writes.append(UpdateStatus(_in_phase(bound, "Bound")))
    wanted = {BOUND: "yes"}
    if claim.spec.volumeName != volume.metadata.name:
        wanted = {BOUND_BY_CONTROLLER: "yes", BOUND: "yes"}
    if claim.spec.volumeName != volume.metadata.name or BOUND not in claim.metadata.annotations:
        metadata = replace(claim.metadata, annotations=wanted | claim.metadata.annotations)
        claim = replace(claim, metadata=metadata, spec=replace(claim.spec, volumeName=volume.metadata.name))
        writes.append(Update(claim))
    capacity = claim.status.capacity if claim.status.phase == "Bound" else volume.spec.capacity
    status = replace(claim.status, phase="Bound", accessModes=volume.spec.accessModes, capacity=capacity)
    return [*writes, UpdateStatus(replace(claim, status=status))] if status != claim.status else writes


def _in_phase(volume: PersistentVolume, phase: str) -> PersistentVolume:
    return replace(volume, status=PersistentVolumeStatus(phase=phase))


# -- volumes


def next_of_volume(volume: PersistentVolume, claims: Mapping[str, PersistentVolumeClaim]) -> Step:
    """``claims``: all, by ``namespace/name``. A claim that the volume waits for is the claim's own matter."""
    reference = volume.spec.claimRef
    if reference is None or not reference.uid:
        return Step(_to_phase(volume, "Available"))
    claim = claims.get(f"{reference.namespace}/{reference.name}")
    if claim is None or claim.metadata.uid != reference.uid:
        return _released(volume)
    if not claim.spec.volumeName:
        return Step([])
    if claim.spec.volumeName == volume.metadata.name:
        return Step(_to_phase(volume, "Bound"))
    if PROVISIONED_BY in volume.metadata.annotations and volume.spec.persistentVolumeReclaimPolicy == "Delete":
        return _released(volume)
    return Step(_unbound(volume, reference))


def _to_phase(volume: PersistentVolume, phase: str) -> list[Write]:
    return [UpdateStatus(_in_phase(volume, phase))] if volume.status.phase != phase else []


def _released(volume: PersistentVolume) -> Step:
    """Its claim is gone: the volume is kept as it is, or disposed of."""
    writes = [] if volume.status.phase == "Failed" else _to_phase(volume, "Released")
    return Step(writes, reclaim=volume.spec.persistentVolumeReclaimPolicy == "Delete")


def _unbound(volume: PersistentVolume, reference: ObjectReference) -> list[Write]:
    """The claim has got another volume: what the controller wrote is taken back (unbindVolume)."""
    annotations = {k: v for k, v in volume.metadata.annotations.items() if k != BOUND_BY_CONTROLLER}
    by_controller = len(annotations) < len(volume.metadata.annotations)
    free = replace(
        volume,
        metadata=replace(volume.metadata, annotations=annotations),
        spec=replace(volume.spec, claimRef=None if by_controller else replace(reference, uid="")),
    )
    return [Update(free), *_to_phase(free, "Available")]
