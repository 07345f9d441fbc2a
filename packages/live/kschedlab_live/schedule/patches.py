"""What is written to a cluster: patches with nothing but the change.

The model knows the fields that scheduling needs. An update that sends the whole object would delete all others.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from kschedlab.objects.model import ApiObject
from kschedlab_live.wire.complete import written
from kschedlab_simulation.pods import with_condition

_OF_CLIENTS = ("annotations", "finalizers", "labels")
"""Fields of the metadata."""


def status_patch(known: Any, uid: str, now: int, fields: dict[str, Any]) -> dict[str, Any]:
    """A strategic patch of a pod's status; it fails if the pod has another uid.

    ``known``: the pod as last seen, or None: a condition whose status stays keeps its time. ``now``: microseconds.
    """
    status: dict[str, Any] = {}
    for name, value in fields.items():
        if name == "conditions":
            status[name] = [_dated(known, condition, now) for condition in value]
        else:
            status[name] = written(value) or None
    return {"metadata": {"uid": uid}, "status": status}


def _dated(known: Any, condition: Any, now: int) -> Any:
    before: Iterable[Any] = known.status.conditions if known is not None else ()
    merged = with_condition(tuple(before), condition, now)
    return written(next(each for each in merged if each.type == condition.type))


def changed_conditions(old: ApiObject, new: ApiObject) -> list[Any]:
    """The conditions of ``new`` that ``old`` does not have."""
    before: Iterable[Any] = old.status.conditions  # type: ignore[attr-defined]  # pods have a status
    return [each for each in new.status.conditions if each not in before]  # type: ignore[attr-defined]


def object_patch(old: ApiObject, new: ApiObject, part: str = "") -> dict[str, Any]:
    """A merge patch from ``old`` to ``new``, of one ``part`` (such as ``status``) or of all but the status.

    It fails if the object is no longer the version that ``old`` is. Empty if nothing changes.
    """
    before, after = (_changeable(written(each), part) for each in (old, new))
    patch = merge_patch(before, after)
    if patch:
        metadata = old.metadata  # type: ignore[attr-defined]  # every kind has it
        patch.setdefault("metadata", {}).update(uid=metadata.uid, resourceVersion=metadata.resourceVersion)
    return patch


def _changeable(data: dict[str, Any], part: str) -> dict[str, Any]:
    """What a client may change. Items of a list lack what single objects have, such as apiVersion."""
    if part:
        return {part: data.get(part, {})}
    metadata = {key: value for key, value in data["metadata"].items() if key in _OF_CLIENTS}
    return {"metadata": metadata, "spec": data.get("spec", {})}


def merge_patch(before: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    """What to send to make ``after`` of ``before`` (RFC 7386): null deletes, a list is replaced as a whole."""
    patch: dict[str, Any] = {key: None for key in before if key not in after}
    for key, value in after.items():
        old = before.get(key)
        if isinstance(value, dict) and isinstance(old, dict):
            if inner := merge_patch(old, value):
                patch[key] = inner
        elif value != old or key not in before:
            patch[key] = value
    return patch
