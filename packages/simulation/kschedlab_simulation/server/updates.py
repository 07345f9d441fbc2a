"""Which fields an update may change.

v1.37: pkg/apis/core/validation/validation.go (ValidatePodUpdate), pkg/apis/*/validation (fields that are immutable),
k8s.io/apimachinery pkg/api/validation/objectmeta.go.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from kschedlab.objects.model import (
    Affinity,
    ApiObject,
    Deployment,
    Job,
    NodeAffinity,
    NodeSelectorTerm,
    PersistentVolumeClaim,
    Pod,
    PodGroup,
    PodSpec,
    PriorityClass,
    ReplicaSet,
    StatefulSet,
    StorageClass,
)
from kschedlab_simulation.status import FieldError, forbidden_value, invalid_value

_replace = msgspec.structs.replace

_UPDATABLE = ",".join(
    [
        "`spec.containers[*].image`",
        "`spec.initContainers[*].image`",
        "`spec.activeDeadlineSeconds`",
        "`spec.tolerations` (only additions to existing tolerations)",
        "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)",
    ]
)
_IMMUTABLE: dict[type[ApiObject], tuple[str, ...]] = {
    ReplicaSet: ("spec.selector",),
    Deployment: ("spec.selector",),
    StatefulSet: ("spec.selector", "spec.podManagementPolicy", "spec.volumeClaimTemplates"),
    Job: ("spec.selector", "spec.completions", "spec.template"),
    PriorityClass: ("value", "preemptionPolicy"),
    PodGroup: (
        "spec.schedulingPolicy.basic",
        "spec.priority",
        "spec.disruptionMode",
        "spec.schedulingConstraints",
        "spec.resourceClaims",
    ),
    StorageClass: ("provisioner", "volumeBindingMode", "reclaimPolicy"),
    PersistentVolumeClaim: ("spec.accessModes", "spec.storageClassName", "spec.volumeName"),
}
"""Fields that cannot change once they have a value."""


def update_errors(old: Any, new: Any) -> list[FieldError]:
    """An error for each forbidden change in the update."""
    errors = list(_metadata(old, new))
    if isinstance(new, Pod):
        return errors + list(_pod(old, new))
    for path in _IMMUTABLE.get(type(new), ()):
        old_value, new_value = _field_value(old, path), _field_value(new, path)
        if old_value not in (None, "") and old_value != new_value:
            errors.append(invalid_value(path, new_value, "field is immutable"))
    return errors


def _field_value(obj: Any, path: str) -> Any:
    for name in path.split("."):
        obj = getattr(obj, name)
    return obj


def _metadata(old: Any, new: Any) -> Iterator[FieldError]:
    extra = sorted({*new.metadata.finalizers}.difference(old.metadata.finalizers))
    if extra and old.metadata.deletionTimestamp is not None:
        names = ", ".join(f'"{finalizer}"' for finalizer in extra)
        why = f"no new finalizers can be added if the object is being deleted, found new finalizers []string{{{names}}}"
        yield forbidden_value("metadata.finalizers", why)


# -- pods


def _pod(old: Pod, new: Pod) -> Iterator[FieldError]:
    if new.spec == old.spec:
        return
    for field in ("containers", "initContainers"):
        if len(getattr(new.spec, field)) != len(getattr(old.spec, field)):
            yield forbidden_value(f"spec.{field}", "pod updates may not add or remove containers")
            return
    yield from _deadline(old.spec.activeDeadlineSeconds, new.spec.activeDeadlineSeconds)
    yield from _tolerations(old.spec, new.spec)
    yield from _scheduling_gates(old.spec, new.spec)
    spec = _with_updatable_fields_of(old.spec, new.spec)
    if old.spec.schedulingGates:
        yield from _gated_node_constraints(old.spec, spec)
        spec = _replace(
            spec, nodeSelector=old.spec.nodeSelector, affinity=_affinity_except_node_affinity(old.spec, spec)
        )
    if spec != old.spec:
        changed = [n for n in PodSpec.__struct_fields__ if getattr(spec, n) != getattr(old.spec, n)]
        why = f"pod updates may not change fields other than {_UPDATABLE}\nchanged: {', '.join(changed)}"
        yield forbidden_value("spec", why)


def _with_updatable_fields_of(old: PodSpec, new: PodSpec) -> PodSpec:
    return _replace(
        new,
        containers=tuple(_replace(n, image=o.image) for o, n in zip(old.containers, new.containers, strict=True)),
        initContainers=tuple(
            _replace(n, image=o.image) for o, n in zip(old.initContainers, new.initContainers, strict=True)
        ),
        activeDeadlineSeconds=old.activeDeadlineSeconds,
        schedulingGates=old.schedulingGates,
        tolerations=old.tolerations,
    )


def _deadline(old: int | None, new: int | None) -> Iterator[FieldError]:
    field = "spec.activeDeadlineSeconds"
    if new is None:
        if old is not None:
            yield invalid_value(field, new, "must not update from a positive integer to nil value")
    elif old is not None and old < new:
        yield invalid_value(field, new, "must be less than or equal to previous value")


def _tolerations(old: PodSpec, new: PodSpec) -> Iterator[FieldError]:
    kept = [_replace(toleration, tolerationSeconds=None) for toleration in new.tolerations]
    if not all(_replace(toleration, tolerationSeconds=None) in kept for toleration in old.tolerations):
        why = "existing toleration can not be modified except its tolerationSeconds"
        yield forbidden_value("spec.tolerations", why)


def _scheduling_gates(old: PodSpec, new: PodSpec) -> Iterator[FieldError]:
    for i, gate in enumerate(new.schedulingGates):
        if gate not in old.schedulingGates:
            why = f"only deletion is allowed, but found new scheduling gate '{gate.name}'"
            yield forbidden_value(f"spec.schedulingGates[{i}].name", why)


def _gated_node_constraints(old: PodSpec, new: PodSpec) -> Iterator[FieldError]:
    """The constraints on nodes of a gated pod may only become stricter."""
    if any(new.nodeSelector.get(key) != value for key, value in old.nodeSelector.items()):
        why = "only additions to spec.nodeSelector are allowed (no mutations or deletions)"
        yield invalid_value("spec.nodeSelector", new.nodeSelector, why)
    before, after = _node_selector_terms(_node_affinity(old)), _node_selector_terms(_node_affinity(new))
    path = "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms"
    if before and len(before) != len(after):
        why = "no additions/deletions to non-empty NodeSelectorTerms list are allowed"
        yield invalid_value(path, after, why)
        return
    for i, (o, n) in enumerate(zip(before, after, strict=False)):
        for field in ("matchExpressions", "matchFields"):
            old_values, new_values = getattr(o, field), getattr(n, field)
            if new_values[: len(old_values)] != old_values or (
                not (o.matchExpressions or o.matchFields) and new_values
            ):
                why = "only additions are allowed (no mutations or deletions)"
                yield invalid_value(f"{path}[{i}]", n, why)
                break


def _node_affinity(spec: PodSpec) -> NodeAffinity | None:
    return spec.affinity.nodeAffinity if spec.affinity is not None else None


def _node_selector_terms(affinity: NodeAffinity | None) -> tuple[NodeSelectorTerm, ...]:
    required = affinity.requiredDuringSchedulingIgnoredDuringExecution if affinity is not None else None
    return required.nodeSelectorTerms if required is not None else ()


def _affinity_except_node_affinity(old: PodSpec, new: PodSpec) -> Affinity | None:
    affinity = _replace(new.affinity or Affinity(), nodeAffinity=_node_affinity(old))
    return old.affinity if affinity == (old.affinity or Affinity()) else affinity
