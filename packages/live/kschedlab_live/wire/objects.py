"""Objects as JSON: complete, as the API server writes them, and back into the model.

Programs in Go read an absent field as the zero value, so a pod without ``schedulerName`` belongs to no scheduler: the
defaults that the model leaves out are written. v1.37: k8s.io/api (types.go: which fields are ``omitempty``).
"""

from __future__ import annotations

from functools import cache
from typing import Any

import msgspec

from kschedlab.manifests.decoding import decode
from kschedlab.objects.meta import SECOND, Time
from kschedlab.objects.model import (
    ApiObject,
    ContainerStatus,
    PodDisruptionBudgetStatus,
    ReplicaStatus,
)
from kschedlab.objects.problems import WRITTEN, path_text
from kschedlab_simulation.status import ApiError

JSON_PATCH = "application/json-patch+json"
MERGE = "application/merge-patch+json"
STRATEGIC = "application/strategic-merge-patch+json"


def micro_time(at: int) -> str:
    """A moment (microseconds since 1970) with all its microseconds (meta/v1, MicroTime)."""
    return f"{str(Time.whole_second(at))[:-1]}.{at % SECOND:06}Z"


_ALWAYS: dict[type[msgspec.Struct], tuple[str, ...]] = {
    ContainerStatus: ("ready", "restartCount"),
    PodDisruptionBudgetStatus: ("disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods"),
    ReplicaStatus: ("replicas",),
}
"""Fields that Go writes although they are zero."""

_PLAIN = (str, int, bool, float, type(None))


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


DEEPEST = 100
"""The deepest nesting of a body. Kubernetes' own objects nest at most a third of it."""


def parsed(raw: bytes) -> Any:
    """The value of a JSON text. ApiError (400) if it is not JSON, or nested too deep."""
    try:
        value = msgspec.json.decode(raw)
    except (ValueError, RecursionError) as error:
        why = "it is nested too deep" if isinstance(error, RecursionError) else str(error)
        raise ApiError.bad_request(f"the body of the request cannot be read as JSON: {why}") from None
    _check_depth(value, DEEPEST)
    return value


def _check_depth(value: Any, left: int) -> None:
    if not left:
        raise ApiError.bad_request(f"the body of the request is nested deeper than {DEEPEST} levels")
    if isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            _check_depth(item, left - 1)


def without_nulls(value: Any) -> Any:
    """The value without the fields that are null: Go writes null for a list without items."""
    if isinstance(value, dict):
        return {key: without_nulls(item) for key, item in value.items() if item is not None}
    return [without_nulls(item) for item in value] if isinstance(value, list) else value


def typed(data: dict[str, Any], kind: type[ApiObject]) -> Any:
    """The object of this kind. ApiError (400) with the fields whose values have a wrong type."""
    obj, faults = decode(without_nulls(data) | {"kind": kind.__name__}, kind.__name__)
    if faults:
        texts = (f"{path_text(f.path)}: {f.message.replace(WRITTEN, f.value)}" for f in faults)
        raise ApiError.bad_request(f"the {kind.__name__} in the body cannot be read: {'; '.join(texts)}")
    return obj
