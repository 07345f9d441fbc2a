"""What a controller wants to be written, and how it comes to be."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple, TypeAlias

from msgspec.structs import replace

from kschedlab.objects.model import ApiObject, ObjectMeta
from kschedlab.simulation.server.api import ApiServer
from kschedlab.simulation.server.resources import key_of


class Create(NamedTuple):
    """A new object."""

    document: ApiObject


class Update(NamedTuple):
    """All but the object's status. It must not have been changed meanwhile by another."""

    document: ApiObject


class UpdateStatus(NamedTuple):
    """The object's status. The object must not have been changed meanwhile by another."""

    document: ApiObject


class Delete(NamedTuple):
    """Deletes this very object; ``grace_seconds``: None is what the object says."""

    document: ApiObject
    grace_seconds: int | None = None


Write: TypeAlias = Create | Update | UpdateStatus | Delete
Written = Callable[[Write, ApiObject | None], None]
"""Hears of each write and of the object as it is afterwards (None: it is deleted)."""


def meta(document: ApiObject) -> ObjectMeta:
    """The object's metadata."""
    found: ObjectMeta = document.metadata  # type: ignore[attr-defined]  # every kind has it
    return found


def carry_out(api: ApiServer, writes: Iterable[Write], by: str, written: Written | None = None) -> None:
    """Write in this order. ApiError at the first that is refused; what was written before it stays.

    Several writes of one object are those of one writer: each builds on the one before it.
    """
    versions: dict[tuple[type[ApiObject], str], str] = {}
    for write in writes:
        place = type(write.document), key_of(write.document)
        after = _carry_out(api, write, versions.get(place), by)
        if after is not None:
            versions[place] = meta(after).resourceVersion
        if written is not None:
            written(write, after)


def _carry_out(api: ApiServer, write: Write, version: str | None, by: str) -> ApiObject | None:
    document, metadata = write.document, meta(write.document)
    if isinstance(write, Delete):
        kind, grace = type(document), write.grace_seconds
        api.delete(kind, metadata.namespace, metadata.name, grace_seconds=grace, uid=metadata.uid or None, by=by)
        return None
    if isinstance(write, Create):
        return api.create(document, by=by)
    if version is not None:
        document = replace(document, metadata=replace(metadata, resourceVersion=version))
    return api.update(document, by=by) if isinstance(write, Update) else api.update_status(document, by=by)
