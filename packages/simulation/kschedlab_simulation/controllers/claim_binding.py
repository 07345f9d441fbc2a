"""Computes the PersistentVolume controller's writes: which claim and volume are bound to each other.

v1.37: pkg/controller/volume/persistentvolume/pv_controller.go (syncUnboundClaim, syncBoundClaim, syncVolume, bind,
unbindVolume), index.go (findByClaim), component-helpers storage/volume/pv_helpers.go (FindMatchingVolume). Where the
real controller picks an arbitrary one of several equal volumes, this one picks the first.
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
from kschedlab_simulation.controllers.writes import Update, UpdateStatus, Write
from kschedlab_simulation.volume_claims import BOUND_BY_CONTROLLER, default_class, is_reserved_for, reserved_for

PROVISIONED_BY = "pv.kubernetes.io/provisioned-by"


WAIT_FOR_FIRST_CONSUMER = "WaitForFirstConsumer"


class NextWrites(NamedTuple):
    """The next writes for a claim or a volume.

    ``provision``: provision a volume for the claim; ``reclaim``: delete the volume; ``reason``, ``message``: the event
    for a claim that has to wait.
    """

    writes: list[Write]
    provision: bool = False
    reclaim: bool = False
    reason: str = ""
    message: str = ""


def waits_for_pod(storage_class: StorageClass | None) -> bool:
    """Whether claims of the class wait until their first pod is scheduled."""
    return storage_class is not None and storage_class.volumeBindingMode == WAIT_FOR_FIRST_CONSUMER


# -- claims


def plan_for_claim(
    claim: PersistentVolumeClaim,
    volume_of_claim: PersistentVolume | None,
    volumes: Collection[PersistentVolume],
    classes: Mapping[str, StorageClass],
) -> NextWrites:
    """``volume_of_claim``: the one in its volumeName; ``volumes``: with its claimRef or none; ``classes``: by name."""
    if BOUND in claim.metadata.annotations:
        return NextWrites(_repair_binding(claim, volume_of_claim))
    if claim.spec.volumeName:
        return _plan_for_named_volume(claim, volume_of_claim)
    name = claim_class(claim)
    delayed = waits_for_pod(classes.get(name))
    volume = best_volume(claim, volumes, delayed)
    if volume is not None:
        return NextWrites(bind(volume, claim))
    if not name and claim.spec.storageClassName is None and (default := default_class(classes.values())):
        return NextWrites([Update(replace(claim, spec=replace(claim.spec, storageClassName=default)))])
    if delayed and SELECTED_NODE not in claim.metadata.annotations:
        return NextWrites(
            [], reason=WAIT_FOR_FIRST_CONSUMER, message="waiting for first consumer to be created before binding"
        )
    if name:
        return NextWrites([], provision=True)
    why = "no persistent volumes available for this claim and no storage class is set"
    return NextWrites([], reason="FailedBinding", message=why)


def _plan_for_named_volume(claim: PersistentVolumeClaim, volume: PersistentVolume | None) -> NextWrites:
    """The plan for a claim that requests a volume by name."""
    if volume is None:
        return NextWrites([])
    if volume.spec.claimRef is None:
        fault = mismatch(volume, claim)
        why = f'Cannot bind to requested volume "{volume.metadata.name}": {fault}'
        return NextWrites([], reason="VolumeMismatch", message=why) if fault else NextWrites(bind(volume, claim))
    if is_reserved_for(volume, claim):
        return NextWrites(bind(volume, claim))
    why = f'volume "{volume.metadata.name}" already bound to a different claim.'
    return NextWrites([], reason="FailedBinding", message=why)


def _repair_binding(claim: PersistentVolumeClaim, volume: PersistentVolume | None) -> list[Write]:
    """Complete the binding of a claim that was fully bound before; without its volume, the claim is Lost."""
    reference = volume.spec.claimRef if volume is not None else None
    if volume is not None and (reference is None or reference.uid == claim.metadata.uid):
        return bind(volume, claim)
    if claim.status.phase == "Lost":
        return []
    return [UpdateStatus(replace(claim, status=PersistentVolumeClaimStatus(phase="Lost")))]


def mismatch(volume: PersistentVolume, claim: PersistentVolumeClaim) -> str:
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
    """The volume reserved for the claim, else the smallest match among volumes with the fewest sufficient access modes.

    ``delayed``: consider only reserved volumes, because the scheduler chooses among the others.
    """
    by_modes: dict[tuple[str, ...], list[PersistentVolume]] = {}
    for volume in volumes:
        by_modes.setdefault(tuple(sorted(set(volume.spec.accessModes))), []).append(volume)
    for modes in sorted(by_modes, key=len):
        if set(claim.spec.accessModes) <= set(modes):
            usable = [volume for volume in by_modes[modes] if _is_compatible(volume, claim)]
            if reserved := next((volume for volume in usable if is_reserved_for(volume, claim)), None):
                return reserved
            fitting = [] if delayed else [volume for volume in usable if _is_free(volume, claim)]
            if fitting:
                return min(fitting, key=size_of)
    return None


def _is_compatible(volume: PersistentVolume, claim: PersistentVolumeClaim) -> bool:
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


# -- binding


def bind(volume: PersistentVolume, claim: PersistentVolumeClaim) -> list[Write]:
    """The missing writes of the binding: the volume's claimRef first, then the claim's volumeName."""
    writes: list[Write] = []
    bound = reserved_for(volume, claim)
    if bound is not volume:
        writes.append(Update(bound))
    if bound.status.phase != "Bound":
        writes.append(UpdateStatus(_with_phase(bound, "Bound")))
    annotations = {BOUND: "yes"}
    if claim.spec.volumeName != volume.metadata.name:
        annotations = {BOUND_BY_CONTROLLER: "yes", BOUND: "yes"}
    if BOUND not in claim.metadata.annotations:
        metadata = replace(claim.metadata, annotations=annotations | claim.metadata.annotations)
        claim = replace(claim, metadata=metadata, spec=replace(claim.spec, volumeName=volume.metadata.name))
        writes.append(Update(claim))
    capacity = claim.status.capacity if claim.status.phase == "Bound" else volume.spec.capacity
    status = replace(claim.status, phase="Bound", accessModes=volume.spec.accessModes, capacity=capacity)
    return [*writes, UpdateStatus(replace(claim, status=status))] if status != claim.status else writes


def _with_phase(volume: PersistentVolume, phase: str) -> PersistentVolume:
    return replace(volume, status=PersistentVolumeStatus(phase=phase))


# -- volumes


def plan_for_volume(volume: PersistentVolume, claims: Mapping[str, PersistentVolumeClaim]) -> NextWrites:
    """``claims``: by ``namespace/name``. If the claim is not bound yet, its own sync completes the binding."""
    reference = volume.spec.claimRef
    if reference is None or not reference.uid:
        return NextWrites(_phase_update(volume, "Available"))
    claim = claims.get(f"{reference.namespace}/{reference.name}")
    if claim is None or claim.metadata.uid != reference.uid:
        return _plan_for_released(volume)
    if not claim.spec.volumeName:
        return NextWrites([])
    if claim.spec.volumeName == volume.metadata.name:
        return NextWrites(_phase_update(volume, "Bound"))
    if PROVISIONED_BY in volume.metadata.annotations and volume.spec.persistentVolumeReclaimPolicy == "Delete":
        return _plan_for_released(volume)
    return NextWrites(_unbind(volume, reference))


def _phase_update(volume: PersistentVolume, phase: str) -> list[Write]:
    return [UpdateStatus(_with_phase(volume, phase))] if volume.status.phase != phase else []


def _plan_for_released(volume: PersistentVolume) -> NextWrites:
    """Its claim is deleted: the volume is retained or deleted, by its reclaim policy."""
    writes = [] if volume.status.phase == "Failed" else _phase_update(volume, "Released")
    return NextWrites(writes, reclaim=volume.spec.persistentVolumeReclaimPolicy == "Delete")


def _unbind(volume: PersistentVolume, reference: ObjectReference) -> list[Write]:
    """The claim is bound to a different volume: revert what the controller wrote (unbindVolume)."""
    annotations = {k: v for k, v in volume.metadata.annotations.items() if k != BOUND_BY_CONTROLLER}
    by_controller = len(annotations) < len(volume.metadata.annotations)
    free = replace(
        volume,
        metadata=replace(volume.metadata, annotations=annotations),
        spec=replace(volume.spec, claimRef=None if by_controller else replace(reference, uid="")),
    )
    return [Update(free), *_phase_update(free, "Available")]
