"""The state of a simulated cluster, taken out of it: for decisions, and as manifests that can be read again.

Objects as JSON are complete, as the API server writes them. Programs in Go read an absent field as the zero value, so a
pod without ``schedulerName`` belongs to no scheduler: the defaults that the model leaves out are written. v1.37:
k8s.io/api (types.go: which fields are ``omitempty``).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

import msgspec

from kschedlab.manifests.loading import Objects
from kschedlab.objects.kinds import OF_CONTROLLERS
from kschedlab.objects.model import (
    ApiObject,
    Condition,
    ContainerStatus,
    DaemonSetStatus,
    HorizontalPodAutoscalerStatus,
    Pod,
    PodDisruptionBudgetStatus,
    ReplicaSet,
    ReplicaStatus,
    RollingUpdateDaemonSet,
    RollingUpdateStatefulSet,
    StorageClass,
)

_ALWAYS: dict[type[msgspec.Struct], tuple[str, ...]] = {
    Condition: ("reason", "message"),
    DaemonSetStatus: (
        *("currentNumberScheduled", "numberMisscheduled", "desiredNumberScheduled", "numberReady"),
        *("updatedNumberScheduled", "numberAvailable", "numberUnavailable"),
    ),
    HorizontalPodAutoscalerStatus: ("currentReplicas", "desiredReplicas"),
    ContainerStatus: ("ready", "restartCount"),
    PodDisruptionBudgetStatus: ("disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods"),
    ReplicaStatus: ("replicas",),
    RollingUpdateDaemonSet: ("maxSurge",),
    RollingUpdateStatefulSet: ("partition",),
}
"""Fields that Go writes although they are zero."""

_PLAIN = (str, int, bool, float, type(None))


def objects_of(stored: Iterable[ApiObject]) -> Objects:
    """What decisions read of these objects."""
    objects = Objects()
    for each in stored:
        if type(each) not in OF_CONTROLLERS:
            objects.of(type(each)).append(each)
    return objects


def manifests_of(stored: Iterable[ApiObject]) -> Iterator[dict[str, Any]]:
    """The objects as manifests, owners before their dependents."""
    return map(complete, sorted(stored, key=rank))


def rank(obj: ApiObject) -> int:
    """What others need comes first: StorageClasses, and owners before their dependents, ReplicaSets and pods last."""
    return 3 if isinstance(obj, Pod) else 2 if isinstance(obj, ReplicaSet) else not isinstance(obj, StorageClass)


def complete(obj: ApiObject) -> dict[str, Any]:
    """The object as plain data, with apiVersion, kind and all defaults that are not Go's zero value."""
    return {"kind": type(obj).__name__, **_struct(obj)}


def written(value: Any) -> Any:
    """A part of an object, as :func:`complete` writes it."""
    if isinstance(value, msgspec.Struct):
        return _struct(value)
    if isinstance(value, dict):
        return {key: written(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [written(item) for item in value]
    return value if value.__class__ in _PLAIN else str(value)


def _struct(value: msgspec.Struct) -> dict[str, Any]:
    fields = {}
    for name, encoded, default, always in _plan(type(value)):
        part = getattr(value, name)
        if part or always or (part is not None and default is not msgspec.NODEFAULT and part != default):
            fields[encoded] = written(part)
    return fields


@cache
def _plan(struct: type[msgspec.Struct]) -> list[tuple[str, str, Any, bool]]:
    """(name, name in JSON, default, whether it is always written) of each field.

    A text that is empty by default is written when it is not.
    """
    always = {name for kind in struct.__mro__ for name in _ALWAYS.get(kind, ())}
    always |= {"apiVersion"} if issubclass(struct, ApiObject) else set()
    return [(f.name, f.encode_name, f.default, f.name in always) for f in msgspec.structs.fields(struct)]
