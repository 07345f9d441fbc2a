"""Objects as manifests, without what only a server writes."""

from __future__ import annotations

from typing import Any

import msgspec

from kschedlab.objects.model import ApiObject

SERVERS = ("uid", "resourceVersion", "creationTimestamp", "generation", "managedFields")
"""Fields of the metadata that a server writes."""


def manifest(obj: ApiObject, *, status: bool = False) -> dict[str, Any]:
    """The object as plain data. ``status``: with its status, as a node needs its capacity."""
    data: dict[str, Any] = msgspec.to_builtins(obj, enc_hook=str)
    for field in SERVERS:
        data.get("metadata", {}).pop(field, None)
    if not status:
        data.pop("status", None)
    return {"kind": type(obj).__name__} | data
