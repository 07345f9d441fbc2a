"""Writes that a controller computes, and the function that sends them to the API server."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple, TypeAlias

from msgspec.structs import replace

from kschedlab.objects.kinds import key_of
from kschedlab.objects.model import ApiObject, ObjectMeta
from kschedlab_simulation.events import Record, silent
from kschedlab_simulation.server.api import ApiServer
from kschedlab_simulation.status import ApiError


class Create(NamedTuple):
    """Create the object."""

    obj: ApiObject


class Update(NamedTuple):
    """Update the object except for its status. Conflicts if another client has changed it."""

    obj: ApiObject


class UpdateStatus(NamedTuple):
    """Update the object's status. Conflicts if another client has changed the object."""

    obj: ApiObject


class Delete(NamedTuple):
    """Delete the object with this uid; ``grace_seconds``: None for the object's own grace period."""

    obj: ApiObject
    grace_seconds: int | None = None


class RecordEvent(NamedTuple):
    """Record an event about the object, once the writes before it have succeeded. ``by``: the component."""

    obj: ApiObject
    type: str
    reason: str
    message: str
    by: str


Write: TypeAlias = Create | Update | UpdateStatus | Delete | RecordEvent
OnWrite = Callable[[Write, ApiObject | None], None]
"""Called with each write and the resulting object (None if deleted)."""
OnRefusal = Callable[[Write, ApiError], None]


def meta(obj: ApiObject) -> ObjectMeta:
    metadata = obj.metadata
    return metadata


def apply_writes(
    api: ApiServer,
    writes: Iterable[Write],
    by: str,
    on_write: OnWrite | None = None,
    record: Record = silent,
    on_refusal: OnRefusal | None = None,
) -> None:
    """Send the writes in order. ApiError at the first that fails, after ``on_refusal``; earlier ones stay.

    Several writes to one object do not conflict: each uses the resourceVersion of the one before it.
    """
    versions: dict[tuple[type[ApiObject], str], str] = {}
    for write in writes:
        if isinstance(write, RecordEvent):
            record(*write)
            continue
        identity = type(write.obj), key_of(write.obj)
        try:
            stored = _apply(api, write, versions.get(identity), by)
        except ApiError as error:
            if on_refusal is not None:
                on_refusal(write, error)
            raise
        if stored is not None:
            versions[identity] = meta(stored).resourceVersion
        if on_write is not None:
            on_write(write, stored)


def _apply(
    api: ApiServer, write: Create | Update | UpdateStatus | Delete, version: str | None, by: str
) -> ApiObject | None:
    obj, metadata = write.obj, meta(write.obj)
    if isinstance(write, Delete):
        kind, grace = type(obj), write.grace_seconds
        api.delete(kind, metadata.namespace, metadata.name, grace_seconds=grace, uid=metadata.uid or None, by=by)
        return None
    if isinstance(write, Create):
        return api.create(obj, by=by)
    if version is not None:
        obj = replace(obj, metadata=replace(metadata, resourceVersion=version))
    return api.update(obj, by=by) if isinstance(write, Update) else api.update_status(obj, by=by)
