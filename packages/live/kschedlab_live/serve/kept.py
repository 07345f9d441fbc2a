"""Objects of kinds that the simulation does not read: stored, listed and watched as JSON."""

from __future__ import annotations

import uuid
from typing import Any

import msgspec

from kschedlab.objects.meta import ObjectMeta, Time
from kschedlab_live.serve.kinds import EVENTS, SERVED, Kept, Served
from kschedlab_live.wire.objects import without_nulls
from kschedlab_live.wire.statuses import already_exists, conflict, invalid, not_found
from kschedlab_simulation.server.api import ApiServer
from kschedlab_simulation.server.store import Store, StoreWrite, with_resource_version

HISTORY = 10_000
"""Changes of a kind that a watch can go back."""

MOST = 20_000
"""Objects of a kind that are kept; the oldest events go first."""


class KeptObjects:
    """The stores of all kinds that are only kept."""

    def __init__(self, api: ApiServer) -> None:
        self._api = api
        self._stores = {s.resource.qualified: Store(s.resource, HISTORY) for s in SERVED.values() if s.model is None}
        self._stores["events.events.k8s.io"] = self._stores["events"]

    @property
    def stores(self) -> set[Store]:
        """The objects of each kind."""
        return set(self._stores.values())

    def store(self, served: Served) -> Store:
        """The objects of a kind."""
        return self._stores[served.resource.qualified]

    def get(self, served: Served, namespace: str, name: str) -> Kept:
        """The object. ApiError (NotFound)."""
        obj: Kept | None = self.store(served).objects.get(served.resource.key(namespace, name))
        if obj is None:
            raise not_found(served.resource, name)
        return obj

    def create(self, served: Served, data: dict[str, Any], dry: bool = False) -> Kept:
        """Store a new object. ApiError: AlreadyExists, Invalid."""
        metadata = dict(data.get("metadata") or {})
        if not metadata.get("name") and metadata.get("generateName"):
            metadata["name"] = f"{metadata['generateName']}{uuid.uuid4().hex[:5]}"
        name = metadata.get("name")
        fault = (
            _name_fault(name) if isinstance(name, str) and name else "Required value: name or generateName is required"
        )
        if fault:
            raise invalid(served.kind, served.resource.group, str(name or ""), "metadata.name", fault)
        metadata["uid"] = str(uuid.uuid4())
        metadata["creationTimestamp"] = str(Time.whole_second(self._api.now))
        new = self._kept(data | {"metadata": metadata}, served)
        if served.resource.key_of(new) in self.store(served).objects:  # type: ignore[arg-type]  # it has metadata
            raise already_exists(served.resource, new.metadata.name)
        return new if dry else self._write(served, "ADDED", new, None)

    def update(self, served: Served, old: Kept, data: dict[str, Any], dry: bool = False) -> Kept:
        """Replace an object. ApiError: Conflict (another resourceVersion)."""
        metadata = dict(data.get("metadata") or {})
        if metadata.get("resourceVersion") not in (None, "", old.metadata.resourceVersion):
            raise conflict(served.resource, old.metadata.name)
        set_by_server = ("name", "namespace", "uid", "creationTimestamp", "resourceVersion")
        before: Any = old.data["metadata"]
        metadata |= {key: before[key] for key in set_by_server if key in before}
        metadata["resourceVersion"] = old.metadata.resourceVersion
        new = self._kept(data | {"metadata": metadata}, served)
        if dry or new.data == self.json(old):
            return new
        return self._write(served, "MODIFIED", new, old)

    def delete(self, served: Served, namespace: str, name: str) -> Kept:
        """Delete an object and return it."""
        old = self.get(served, namespace, name)
        return self._write(served, "DELETED", old, old)

    def json(self, obj: Kept) -> dict[str, Any]:
        """The object as it is written."""
        metadata: Any = obj.data["metadata"]
        return {**obj.data, "metadata": metadata | {"resourceVersion": obj.metadata.resourceVersion}}

    def _kept(self, data: dict[str, Any], served: Served) -> Kept:
        clean = without_nulls(data)
        metadata = clean["metadata"]
        texts = {key: metadata.get(key, "") for key in ("name", "namespace", "uid", "resourceVersion", "generateName")}
        try:
            meta = msgspec.convert({**texts, "labels": metadata.get("labels", {})}, ObjectMeta)
        except msgspec.ValidationError as error:
            raise invalid(served.kind, served.resource.group, str(texts["name"]), "metadata", str(error)) from None
        return Kept(meta, {**clean, "apiVersion": served.api_version, "kind": served.kind})

    def _write(self, served: Served, type: str, new: Kept, old: Kept | None) -> Kept:
        api, store = self._api, self.store(served)
        if type == "ADDED" and len(store.objects) >= MOST:
            if served.kind != EVENTS.kind:
                raise invalid(
                    served.kind,
                    served.resource.group,
                    new.metadata.name,
                    "metadata",
                    f"this server keeps at most {MOST:,} {served.kind}s",
                )
            oldest = next(iter(store.objects.values()))
            self._write(served, "DELETED", oldest, oldest)
        api.version += 1
        new = with_resource_version(new, api.version)
        store.write(StoreWrite(api.now, api.version, type, new, old))
        return new


def _name_fault(name: str) -> str | None:
    """v1.37: k8s.io/apimachinery pkg/api/validation/path (IsValidPathSegmentName), the loosest rule that a kind has."""
    if name in (".", "..") or "/" in name or "%" in name or len(name) > 253 or not name.isprintable():
        return "a name has at most 253 printable characters, none of them / or %"
    return None
