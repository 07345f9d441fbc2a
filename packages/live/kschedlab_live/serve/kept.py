"""Objects of kinds that the simulation does not read: stored, listed and watched as JSON."""

from __future__ import annotations

import uuid
from typing import Any

import msgspec
from msgspec.structs import replace

from kschedlab.objects.kinds import Resource
from kschedlab.objects.meta import ObjectMeta, Time
from kschedlab_live.serve.bounds import Bounds
from kschedlab_live.serve.custom import MOST_DEFINITIONS, completed, defined, resource_of
from kschedlab_live.serve.filling import secret
from kschedlab_live.serve.kinds import DEFINITIONS, SERVED, Kept, Kinds, Served
from kschedlab_live.wire.objects import without_nulls
from kschedlab_live.wire.statuses import already_exists, conflict, invalid, not_found
from kschedlab_simulation.server.api import ApiServer
from kschedlab_simulation.server.store import Store, StoreWrite, with_resource_version

HISTORY = 10_000
"""Changes of a kind that a watch can go back."""

MOST = 20_000
"""Objects of a kind that are kept; the oldest events go first."""

_SET_BY_SERVER = (
    *("name", "namespace", "uid", "creationTimestamp", "resourceVersion"),
    *("generation", "deletionTimestamp", "deletionGracePeriodSeconds"),
)


class KeptObjects:
    """The stores of all kinds that are only kept. ``kinds``: all that are served, with those of clients."""

    def __init__(self, api: ApiServer, bounds: Bounds) -> None:
        self.kinds = Kinds()
        self._api = api
        self._bounds = bounds
        self._stores: dict[str, Store] = {}
        for served in SERVED.values():
            if served.model is None and served.resource.qualified != "events.events.k8s.io":
                self._open(served.resource)
        self._stores["events.events.k8s.io"] = self._stores["events"]

    def _open(self, resource: Resource) -> None:
        store = self._stores[resource.qualified] = Store(resource, HISTORY)
        self._bounds.follow(store)

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
        metadata.pop("deletionTimestamp", None)
        if served.custom:
            metadata["generation"] = 1
        if "status" in served.subresources:
            data = {name: value for name, value in data.items() if name != "status"}
        new = self._kept(data | {"metadata": metadata}, served)
        store = self.store(served)
        if served.resource.key_of(new) in store.objects:  # type: ignore[arg-type]  # it has metadata
            raise already_exists(served.resource, new.metadata.name)
        if served is DEFINITIONS and len(store.objects) >= MOST_DEFINITIONS:
            why = f"this server has at most {MOST_DEFINITIONS:,} definitions"
            raise invalid(served.kind, served.resource.group, new.metadata.name, "metadata", why)
        return new if dry else self._write(served, "ADDED", new, None)

    def update(self, served: Served, old: Kept, data: dict[str, Any], sub: str, dry: bool = False) -> Kept:
        """Replace an object; ``sub``: or its ``status``. ApiError: Conflict (another resourceVersion)."""
        metadata = dict(data.get("metadata") or {})
        for name, now in (("uid", old.metadata.uid), ("resourceVersion", old.metadata.resourceVersion)):
            if metadata.get(name) not in (None, "", now):
                raise conflict(served.resource, old.metadata.name)
        before = self.json(old)
        if sub == "status":
            metadata, data = dict(before["metadata"]), before | {"status": data.get("status")}
        elif "status" in served.subresources:
            data = {**data, "status": before.get("status")}
        metadata |= {key: before["metadata"].get(key) for key in _SET_BY_SERVER}
        new = self._kept(data | {"metadata": metadata}, served)
        if served.custom and _specified(new.data) != _specified(old.data):
            new.data["metadata"]["generation"] = before["metadata"].get("generation", 0) + 1  # type: ignore[index]
        if served is DEFINITIONS and resource_of(new.data) != resource_of(old.data):
            raise invalid(served.kind, served.resource.group, new.metadata.name, "spec.scope", "field is immutable")
        if dry or new.data == old.data:
            return new
        ends = new.metadata.deletionTimestamp is not None and not metadata.get("finalizers")
        return self._write(served, "DELETED" if ends else "MODIFIED", new, old)

    def delete(self, served: Served, old: Kept, conditions: dict[str, Any]) -> Kept:
        """Delete an object, or mark it if it has finalizers; returns its last state. ApiError: Conflict."""
        for name, now in (("uid", old.metadata.uid), ("resourceVersion", old.metadata.resourceVersion)):
            if conditions.get(name) not in (None, now):
                why = f"the {name} in the precondition ({conditions[name]}) does not match the {name} in record ({now})"
                raise conflict(served.resource, old.metadata.name, why)
        metadata: Any = old.data["metadata"]
        if not metadata.get("finalizers"):
            return self._write(served, "DELETED", old, old)
        if "deletionTimestamp" in metadata:
            return old
        moment = {"deletionTimestamp": str(Time.whole_second(self._api.now)), "deletionGracePeriodSeconds": 0}
        marked = self._kept({**old.data, "metadata": self.json(old)["metadata"] | moment}, served)
        return self._write(served, "MODIFIED", marked, old)

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
        if "deletionTimestamp" in metadata:
            meta = replace(meta, deletionTimestamp=Time.parse(metadata["deletionTimestamp"]))
        clean["metadata"] = {key: value for key, value in metadata.items() if key != "resourceVersion"}
        if served is DEFINITIONS:
            clean = completed(clean, self._api.now)
        if served.kind == "Secret" and not served.custom:
            clean = secret(clean)
        return Kept(meta, {**clean, "apiVersion": served.api_version, "kind": served.kind})

    def _write(self, served: Served, type: str, new: Kept, old: Kept | None) -> Kept:
        api, store = self._api, self.store(served)
        if type == "ADDED" and len(store.objects) >= MOST:
            if not served.is_event:
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
        if served is DEFINITIONS:
            self._define(new, old, type == "DELETED")
        store.write(StoreWrite(api.now, api.version, type, new, old))
        return new

    def _define(self, new: Kept, old: Kept | None, ends: bool) -> None:
        """Serve the kinds of a new definition, and not any more those of the old one. Its objects end with it."""
        before = defined(old.data) if old else {}
        after = {} if ends else defined(new.data)
        self.kinds.served = {key: served for key, served in self.kinds.served.items() if key not in before} | after
        if not old:
            self._open(resource_of(new.data))
        elif ends:
            store = self._stores.pop(resource_of(old.data).qualified)
            for obj in [*store.objects.values()]:
                self._api.version += 1
                last = with_resource_version(obj, self._api.version)
                store.write(StoreWrite(self._api.now, self._api.version, "DELETED", last, obj))
            for watch in [*store.watches]:
                watch.stop()
            self._bounds.forget(store)


def _specified(data: dict[str, object]) -> dict[str, object]:
    """What an object's generation counts the changes of."""
    return {name: value for name, value in data.items() if name not in ("metadata", "status")}


def _name_fault(name: str) -> str | None:
    """v1.37: k8s.io/apimachinery pkg/api/validation/path (IsValidPathSegmentName), the loosest rule that a kind has."""
    if name in (".", "..") or "/" in name or "%" in name or len(name) > 253 or not name.isprintable():
        return "a name has at most 253 printable characters, none of them / or %"
    return None
