"""All objects of the server as JSON: those of the simulation with their rest, and those that are only kept."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

import simpy
from msgspec.structs import replace

from kschedlab.objects.api import Api
from kschedlab.objects.meta import controller_of
from kschedlab.objects.model import Namespace, Node, Pod, PriorityClass
from kschedlab_live.serve.bounds import Bounds
from kschedlab_live.serve.filling import filled, with_images
from kschedlab_live.serve.kept import KeptObjects
from kschedlab_live.serve.kinds import OF_MODEL, Kept, Served
from kschedlab_live.serve.nodes import reported
from kschedlab_live.wire.objects import typed
from kschedlab_live.wire.rest import Rest, owned_rest, rest_of, with_rest
from kschedlab_live.wire.statuses import conflict, failure
from kschedlab_simulation.log import Changed, Log, LogEntry
from kschedlab_simulation.server.api import ApiServer, version_to_watch
from kschedlab_simulation.server.store import ObjectFilter, Watch
from kschedlab_simulation.state import complete
from kschedlab_simulation.status import ApiError

Data = dict[str, Any]

_FORGOTTEN = 5_000
"""Deleted objects whose rest is still known, for watches that lag behind."""


class ServedObjects:
    """Reads and writes objects of every kind as JSON. ``fields``: which fields of pods the API server knows."""

    def __init__(self, api: ApiServer, fields: Api) -> None:
        self.api = api
        self._fields = fields
        self._bounds = Bounds(*api.stores)
        self.kept = KeptObjects(api, self._bounds)
        self._rests: dict[str, Rest] = {}
        self._gone: deque[str] = deque()

    # -- reading

    def json(self, served: Served, obj: Any) -> Data:
        """The object as it is written."""
        if isinstance(obj, Kept):
            return self.kept.json(obj)
        data = self._stored(obj)
        if isinstance(obj, Node):
            data["status"] = reported(data, obj.metadata.creationTimestamp, self.api.now)
        elif isinstance(obj, Pod):
            data["status"] = with_images(data)
        elif isinstance(obj, Namespace):
            phase = "Active" if obj.metadata.deletionTimestamp is None else "Terminating"
            data |= {"spec": {"finalizers": ["kubernetes"]}, "status": {"phase": phase}}
        return data

    def _stored(self, obj: Any) -> Data:
        """The object as it was written, without what is only reported."""
        data, rest = complete(obj), self._rests.get(obj.metadata.uid)
        return with_rest(data, rest) if rest else data

    def get(self, served: Served, namespace: str, name: str) -> Any:
        """The object. ApiError (NotFound)."""
        if served.model is None:
            return self.kept.get(served, namespace, name)
        return self.api.get(served.model, namespace, name)

    def items(self, served: Served, namespace: str | None, filter: ObjectFilter | None) -> list[Any]:
        """The objects in key order."""
        if served.model is None:
            return self.kept.store(served).items(namespace, filter)
        return self.api.list(served.model, namespace, filter)[0]

    def watch(
        self, served: Served, version: str, bookmarks: bool, namespace: str | None, filter: ObjectFilter | None
    ) -> Watch:
        """Changes after the resourceVersion. ApiError if it is none (422) or too old (410)."""
        if served.model is not None:
            return self.api.watch(served.model, version, bookmarks, namespace, filter)
        inside = filter
        if namespace is not None:
            inside = lambda obj: obj.metadata.namespace == namespace and (filter is None or filter(obj))  # noqa: E731
        store = self.kept.store(served)
        since = version_to_watch(served.resource, version)
        return store.watch(since, self.api.version, inside, bookmarks, self.api.now)

    def metrics(self) -> str:
        """The number of objects of each kind in Prometheus' text format, under kube-apiserver's name."""
        resources = {store.resource: len(store.objects) for store in (*self.api.stores, *self.kept.stores)}
        name = "apiserver_resource_objects"
        lines = [f'{name}{{group="{each.group}",resource="{each.name}"}} {n}\n' for each, n in resources.items()]
        return f"# TYPE {name} gauge\n{''.join(sorted(lines))}"

    # -- writing

    def create(self, served: Served, data: Data, by: str, dry: bool) -> Any:
        """Create an object. ApiError."""
        self._bounds.check(data)
        if served.model is None:
            return self.kept.create(served, data, dry)
        data = filled(served.kind, data)
        obj = typed(data, served.model)
        if dry:
            return self._scratch(None).create(obj, by=by)
        new = self.api.create(obj, by=by)
        self._keep_rest(new.metadata.uid, data, served)
        return new

    def replace(self, served: Served, old: Any, data: Data, sub: str, by: str, dry: bool) -> Any:
        """Replace an object; ``sub``: or its ``status``, or a pod's resources (``resize``). ApiError."""
        self._bounds.check(data)
        if data["metadata"].get("name") != old.metadata.name:
            raise ApiError.bad_request("the name of the object does not match the name on the URL")
        if isinstance(old, Kept):
            return self.kept.update(served, old, data, sub, dry)
        assert served.model is not None
        obj = typed(filled(served.kind, data), served.model)
        if dry:
            if obj.metadata.resourceVersion not in ("", old.metadata.resourceVersion):
                raise conflict(served.resource, old.metadata.name)
            return self._rehearsed(old, obj, sub, by)
        new = _write(self.api, obj, sub, by)
        before = self._rests.get(new.metadata.uid, {})
        self._keep_rest(new.metadata.uid, data, served)
        if isinstance(old, Node) and not sub:  # its status is the kubelet's, and is not written here
            self._keep_status(new.metadata.uid, before.get("status"))
        return new

    def patch(self, served: Served, old: Any, change: Callable[[Data], Data], sub: str, by: str, dry: bool) -> Any:
        """Replace an object by what ``change`` makes of its JSON. ApiError."""
        before = self._stored(old) if isinstance(old, Node) else self.json(served, old)
        return self.replace(served, old, change(before), sub, by, dry)

    def delete(self, served: Served, old: Any, options: Data, by: str, dry: bool) -> Any:
        """Delete an object and return its last state. ApiError."""
        if dry:
            return old
        namespace, name = old.metadata.namespace, old.metadata.name
        conditions = options.get("preconditions") or {}
        if served.model is None:
            return self.kept.delete(served, old, conditions)
        return self.api.delete(
            served.model,
            namespace,
            name,
            options.get("gracePeriodSeconds"),
            conditions.get("uid"),
            conditions.get("resourceVersion"),
            by=by,
        )

    def check_namespace(self, namespace: str) -> None:
        """ApiError (NotFound) unless the namespace exists."""
        if self.api.get(Namespace, "", namespace).metadata.deletionTimestamp is not None:
            why = f"unable to create new content in namespace {namespace} because it is being terminated"
            raise failure(403, "Forbidden", why)

    # -- what the model lacks

    def keep_rest(self, obj: Any, data: Data) -> None:
        """Keep what an initial object has beside the model."""
        served = OF_MODEL.get(type(obj))
        if served is not None:
            self._keep_rest(obj.metadata.uid, data, served)

    def _keep_rest(self, uid: str, data: Data, served: Served) -> None:
        rest = rest_of(data, served.model)
        metadata = rest.get("metadata")
        if isinstance(metadata, dict):
            metadata.pop("managedFields", None)
        if rest:
            self._rests[uid] = rest
        else:
            self._rests.pop(uid, None)

    def _keep_status(self, uid: str, status: Any) -> None:
        """Keep this rest of the object's status, and none of a newer one."""
        rest = {name: value for name, value in self._rests.pop(uid, {}).items() if name != "status"}
        if status is not None:
            rest["status"] = status
        if rest:
            self._rests[uid] = rest

    def follow(self, entries: list[LogEntry]) -> None:
        """Give a new object the rest of the template that it was made from, and forget those of deleted objects."""
        for entry in entries:
            if not isinstance(entry, Changed):
                continue
            if entry.old is None and entry.new is not None:
                owner = controller_of(entry.new.metadata)
                rest = self._rests.get(owner.uid) if owner is not None else None
                if rest and (inherited := owned_rest(rest, entry.kind)):
                    self._rests.setdefault(entry.new.metadata.uid, inherited)
            elif entry.new is None and entry.old is not None:
                self._gone.append(entry.old.metadata.uid)
                if len(self._gone) > _FORGOTTEN:
                    self._rests.pop(self._gone.popleft(), None)

    # -- rehearsals

    def _scratch(self, old: Any) -> ApiServer:
        """An API server with this object and the priority classes, where a request has no consequences."""
        api = ApiServer(simpy.Environment(initial_time=self.api.now), Log(), self._fields)
        for priority_class in self.api.list(PriorityClass)[0]:
            api.restore(priority_class)
        if old is not None and not isinstance(old, PriorityClass):
            api.restore(old)
        return api

    def _rehearsed(self, old: Any, new: Any, sub: str, by: str) -> Any:
        api = self._scratch(old)
        unversioned = _with_version(new, "")
        done = _write(api, unversioned, sub, by)
        return _with_version(done, old.metadata.resourceVersion)


def _write(api: ApiServer, obj: Any, sub: str, by: str) -> Any:
    if sub == "status":
        return api.update_status(obj, by=by)
    return api.resize(obj, by=by) if sub == "resize" else api.update(obj, by=by)


def _with_version(obj: Any, version: str) -> Any:
    return replace(obj, metadata=replace(obj.metadata, resourceVersion=version))
