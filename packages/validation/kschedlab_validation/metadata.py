"""Checks of metadata.

v1.37: k8s.io/apimachinery pkg/api/validation/objectmeta.go and pkg/apis/meta/v1/validation/validation.go,
k8s.io/apiserver pkg/registry/rest/create.go.
"""

from __future__ import annotations

from functools import lru_cache

from kschedlab.manifests.checks import NAMES, path_segment_fault
from kschedlab.manifests.fields import check_count
from kschedlab.objects.meta import ObjectMeta, OwnerReference
from kschedlab.objects.names import label_key_fault, name_fault
from kschedlab.objects.problems import Fault, Faults, Path

_COUNTED = {"Pod", "ReplicaSet", "StatefulSet", "Deployment", "ReplicationController", "Job"}
_COUNTED |= {"PodDisruptionBudget", "PriorityClass", "DeviceClass", "DeviceTaintRule", "ResourceSlice"}
"""The kinds whose generation the API server sets when it creates an object."""

_MOST_ANNOTATED = 256 * 1024
_STANDARD_FINALIZERS = {"kubernetes", "orphan", "foregroundDeletion"}


def check_metadata(metadata: ObjectMeta, kind: str, faults: Faults) -> None:
    """Check an object's metadata, except the name, the namespace and the labels."""
    fault_of = NAMES.get(kind, name_fault)
    if prefix := metadata.generateName:
        # The API server adds five random characters. Of two kinds, it does not check more of the prefix.
        fault_of = path_segment_fault if kind in ("ReplicationController", "DeviceClass") else fault_of
        faults.note(
            ("metadata", "generateName"),
            fault_of(f"{prefix[:-2]}a" if len(prefix) > 1 and prefix.endswith("-") else prefix),
        )
    if metadata.annotations:
        check_annotations(metadata.annotations, ("metadata", "annotations"), faults)
    if metadata.ownerReferences:
        faults += _owner_faults(metadata.ownerReferences)
    if metadata.finalizers:
        _check_finalizers(metadata.finalizers, kind, faults)
    if metadata.generation < 0 and kind not in _COUNTED:
        check_count(metadata.generation, ("metadata", "generation"), faults)


def check_annotations(annotations: dict[str, str], path: Path, faults: Faults) -> None:
    """Check the keys and the size of annotations."""
    for key in annotations:
        faults.note((*path, key), label_key_fault(key) and label_key_fault(key.lower()))
    if len("".join((*annotations, *annotations.values())).encode()) > _MOST_ANNOTATED:
        faults.note(path, "are too large: all keys and values together must not exceed 256 KiB")


@lru_cache(4096)
def _owner_faults(owners: tuple[OwnerReference, ...]) -> tuple[Fault, ...]:
    """The faults of owners; many objects have the same."""
    faults = Faults()
    for i, owner in enumerate(owners):
        path: Path = ("metadata", "ownerReferences", i)
        for field in ("kind", "name"):
            if not getattr(owner, field):
                faults.note((*path, field), "is missing")
        version = owner.apiVersion.split("/")
        if owner.apiVersion and (len(version) > 2 or not version[-1]):
            faults.note((*path, "apiVersion"), "must be group/version or version, such as apps/v1")
        if (owner.apiVersion, owner.kind) == ("v1", "Event"):
            faults.note((*path, "kind"), "an Event cannot be an owner")
    if sum(owner.controller for owner in owners) > 1:
        faults.note(("metadata", "ownerReferences"), "only one owner can have controller: true")
    return tuple(faults)


def _check_finalizers(finalizers: tuple[str, ...], kind: str, faults: Faults) -> None:
    for i, finalizer in enumerate(finalizers):
        path: Path = ("metadata", "finalizers", i)
        if fault := label_key_fault(finalizer):
            faults.note(path, fault)
        elif "/" not in finalizer and finalizer not in _STANDARD_FINALIZERS and kind != "PodDisruptionBudget":
            faults.note(path, "must have a domain, such as example.com/{name}", name=finalizer)
    if {"orphan", "foregroundDeletion"} <= set(finalizers):
        faults.note(("metadata", "finalizers"), "cannot have both orphan and foregroundDeletion")
