"""Checks that several kinds share: metadata, choices, names, counts, labels and selectors.

v1.37: k8s.io/apimachinery pkg/api/validation/objectmeta.go and pkg/apis/meta/v1/validation/validation.go,
k8s.io/apiserver pkg/registry/rest/create.go. Each check appends to ``faults``, with paths in the manifest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache

from kschedlab.objects.meta import CLUSTER_SCOPED, ObjectMeta, OwnerReference
from kschedlab.objects.model import LabelSelector
from kschedlab.objects.names import dns_label_fault, label_key_fault, label_value_fault, name_fault
from kschedlab.objects.problems import Fault, Path, later, one_of, shortened
from kschedlab.objects.selectors import label_expression_fault

_SET_OPERATORS = ("In", "NotIn", "Exists", "DoesNotExist")
PREEMPTION_POLICIES = ("PreemptLowerPriority", "Never")
EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")


def check_choice(value: str, choices: Iterable[str], path: Path, faults: list[Fault]) -> None:
    """Check that the value is one of the choices."""
    if value not in choices:
        problem = later('"{value}" is not a valid value', value=shortened(value)) if value else later("is missing")
        faults.append(Fault(path, later("{problem}: expected {choices}", problem=problem, choices=one_of(choices))))


def check_present(value: object, path: Path, faults: list[Fault]) -> None:
    """Check that a text, list or map is there and not empty."""
    if not value:
        faults.append(Fault(path, "is missing"))


def check_name(name: str, path: Path, faults: list[Fault], fault_of: Callable[[str], str | None] = name_fault) -> None:
    """Check that the name is there and valid."""
    if fault := fault_of(name) if name else "is missing":
        faults.append(Fault(path, fault))


def check_count(count: int | None, path: Path, faults: list[Fault]) -> None:
    """Check that a number, if there is one, is not negative."""
    if count is not None and count < 0:
        faults.append(Fault(path, later("{value} is negative", value=count)))


def check_labels(labels: dict[str, str], path: Path, faults: list[Fault]) -> None:
    """Check the keys and values of labels."""
    for key, value in labels.items():
        if fault := label_key_fault(key) or label_value_fault(value):
            faults.append(Fault((*path, key), fault))


def check_selector(selector: LabelSelector | None, path: Path, faults: list[Fault]) -> None:
    """Check a label selector, if there is one."""
    if selector is None:
        return
    check_labels(selector.matchLabels, (*path, "matchLabels"), faults)
    for i, e in enumerate(selector.matchExpressions):
        check_expression(e.key, e.operator, e.values, _SET_OPERATORS, (*path, "matchExpressions", i), faults)


def check_expression(
    key: str,
    operator: str,
    values: tuple[str, ...],
    operators: tuple[str, ...],
    path: Path,
    faults: list[Fault],
    free_values: bool = False,
) -> None:
    """Check a requirement on labels. ``free_values``: its values need not be valid label values."""
    if fault := label_expression_fault(operator, values, operators):
        field, message = fault
        faults.append(Fault((*path, field), message))
    if key_fault := label_key_fault(key):
        faults.append(Fault((*path, "key"), key_fault))
    for i, value in enumerate(values):
        if not free_values and (value_fault := label_value_fault(value)):
            faults.append(Fault((*path, "values", i), value_fault))


# -- names


def path_segment_fault(name: str) -> str | None:
    """What is wrong with a name for which any part of a URL's path will do."""
    if name in (".", "..") or "/" in name or "%" in name:
        return later('"{name}" is not a valid name: it must not be . or .. or contain / or %', name=shortened(name))
    return None


# -- metadata


_NAMES: dict[str, Callable[[str], str | None]] = {
    "Namespace": dns_label_fault,
    "Service": dns_label_fault,
    "StatefulSet": dns_label_fault,
    "PodDisruptionBudget": path_segment_fault,
}
"""The rule for the names of a kind, where it is not :func:`name_fault`."""

_COUNTED = {"Pod", "ReplicaSet", "StatefulSet", "Deployment", "ReplicationController", "Job"}
_COUNTED |= {"PodDisruptionBudget", "PriorityClass", "DeviceClass", "DeviceTaintRule", "ResourceSlice"}
"""The kinds whose generation the API server sets when it creates an object."""

_MOST_ANNOTATED = 256 * 1024
_STANDARD_FINALIZERS = {"kubernetes", "orphan", "foregroundDeletion"}


def check_metadata(metadata: ObjectMeta, kind: str, faults: list[Fault]) -> None:
    """Check an object's metadata."""
    fault_of = _NAMES.get(kind, name_fault)
    check_name(metadata.name, ("metadata", "name"), faults, fault_of)
    if prefix := metadata.generateName:
        # The API server adds five random characters. Of two kinds, it does not check more of the prefix.
        fault_of = path_segment_fault if kind in ("ReplicationController", "DeviceClass") else fault_of
        if fault := fault_of(f"{prefix[:-2]}a" if len(prefix) > 1 and prefix.endswith("-") else prefix):
            faults.append(Fault(("metadata", "generateName"), fault))
    if metadata.namespace and kind not in CLUSTER_SCOPED and (fault := dns_label_fault(metadata.namespace)):
        faults.append(Fault(("metadata", "namespace"), fault))
    if metadata.labels:
        check_labels(metadata.labels, ("metadata", "labels"), faults)
    if metadata.annotations:
        check_annotations(metadata.annotations, ("metadata", "annotations"), faults)
    if metadata.ownerReferences:
        faults += _owner_faults(metadata.ownerReferences)
    if metadata.finalizers:
        _check_finalizers(metadata.finalizers, kind, faults)
    if metadata.generation < 0 and kind not in _COUNTED:
        check_count(metadata.generation, ("metadata", "generation"), faults)


def check_annotations(annotations: dict[str, str], path: Path, faults: list[Fault]) -> None:
    """Check the keys and the size of annotations."""
    for key in annotations:
        if fault := label_key_fault(key) and label_key_fault(key.lower()):
            faults.append(Fault((*path, key), fault))
    if len("".join((*annotations, *annotations.values())).encode()) > _MOST_ANNOTATED:
        faults.append(Fault(path, "are too large: all keys and values together must not exceed 256 KiB"))


@lru_cache(4096)
def _owner_faults(owners: tuple[OwnerReference, ...]) -> tuple[Fault, ...]:
    """What is wrong with owners; many objects have the same."""
    faults: list[Fault] = []
    for i, owner in enumerate(owners):
        path: Path = ("metadata", "ownerReferences", i)
        for field in ("kind", "name"):
            if not getattr(owner, field):
                faults.append(Fault((*path, field), "is missing"))
        version = owner.apiVersion.split("/")
        if owner.apiVersion and (len(version) > 2 or not version[-1]):
            faults.append(Fault((*path, "apiVersion"), "must be group/version or version, such as apps/v1"))
        if (owner.apiVersion, owner.kind) == ("v1", "Event"):
            faults.append(Fault((*path, "kind"), "an Event cannot be an owner"))
    if sum(owner.controller for owner in owners) > 1:
        faults.append(Fault(("metadata", "ownerReferences"), "only one owner can have controller: true"))
    return tuple(faults)


def _check_finalizers(finalizers: tuple[str, ...], kind: str, faults: list[Fault]) -> None:
    for i, finalizer in enumerate(finalizers):
        path: Path = ("metadata", "finalizers", i)
        if fault := label_key_fault(finalizer):
            faults.append(Fault(path, fault))
        elif "/" not in finalizer and finalizer not in _STANDARD_FINALIZERS and kind != "PodDisruptionBudget":
            faults.append(Fault(path, later("must have a domain, such as example.com/{name}", name=finalizer)))
    if {"orphan", "foregroundDeletion"} <= set(finalizers):
        faults.append(Fault(("metadata", "finalizers"), "cannot have both orphan and foregroundDeletion"))
