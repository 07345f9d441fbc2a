"""A small in-memory API server: typed stores, list and watch, and the subresources that scheduling needs.

    api = ApiServer(env, log, API_1_37)
    pod = api.create(Pod(...), by="timeline")
    items, version = api.list(Pod)
    watch = api.watch(Pod, version)
    api.bind("default", pod.metadata.name, pod.metadata.uid, "n1", by="default-scheduler")

v1.37: k8s.io/apiserver pkg/registry/generic/registry/store.go and pkg/storage, pkg/registry/core/pod. A request
takes effect at once, or raises :class:`ApiError` and changes nothing.
"""

from __future__ import annotations

import builtins
import re
from collections.abc import Collection, Iterable, Iterator
from random import Random
from typing import Any, TypeVar

import msgspec
import simpy

from kschedlab.manifests.defaults import priority_classes
from kschedlab.objects.api import API_1_37, Api
from kschedlab.objects.kinds import RESOURCES, Resource
from kschedlab.objects.model import (
    ApiObject,
    LimitRange,
    Namespace,
    Node,
    ObjectMeta,
    OwnerReference,
    PersistentVolumeClaim,
    Pod,
    PodDisruptionBudget,
    PriorityClass,
    ResourceClaim,
    ResourceClaimTemplate,
    ResourceQuota,
    StorageClass,
)
from kschedlab_simulation.clock import now
from kschedlab_simulation.log import Changed, Log
from kschedlab_simulation.pods import with_condition
from kschedlab_simulation.server import admission
from kschedlab_simulation.server.deletion import deletion, should_delete_during_update
from kschedlab_simulation.server.limit_ranges import violations, with_defaults_of
from kschedlab_simulation.server.names import generated_name
from kschedlab_simulation.server.quotas import refusal, used_of
from kschedlab_simulation.server.resizing import check_node, resized
from kschedlab_simulation.server.store import HISTORY, ObjectFilter, Store, StoreWrite, Watch, with_resource_version
from kschedlab_simulation.server.subresources import bound, budget_after_eviction, checks_budgets, evicted
from kschedlab_simulation.status import ApiError, forbidden_value, invalid_value
from kschedlab_simulation.volume_claims import with_default_class

LABEL = "resource.kubernetes.io/admin-access"
CLAIMS = ResourceClaim, ResourceClaimTemplate
REFUSED = f"admin access to devices requires the `{LABEL}: true` label on the containing namespace"


def check_admin_access(obj: ApiObject, namespace: Namespace | None) -> None:
    """ApiError if a request asks for admin access and the namespace does not allow it."""
    if isinstance(obj, ResourceClaim):
        devices = obj.spec.devices
    elif isinstance(obj, ResourceClaimTemplate):
        devices = obj.spec.spec.devices
    else:
        return
    for i, request in enumerate(devices.requests):
        if request.exactly is not None and request.exactly.adminAccess:
            if namespace is None or namespace.metadata.labels.get(LABEL) != "true":
                path = f"spec.devices.requests[{i}].adminAccess"
                raise ApiError.invalid(type(obj), obj.metadata.name, [forbidden_value(path, REFUSED)])
            return


D = TypeVar("D", bound=ApiObject)

BOOKMARKS = 60_000_000
"""Microseconds between two bookmarks."""

_NAME_ATTEMPTS = 8
_UID = re.compile("00000000-0000-4000-8000-([0-9a-f]{12})")
_replace = msgspec.structs.replace


class ApiServer:
    """Stores the cluster's objects and serves every client.

    ``generation_api``: which pod fields it knows; ``history``: how many changes per kind a watch can go back;
    ``seed``: for generated names. ``version``: the last resourceVersion, one counter for all kinds, as in etcd.
    ``by`` names the client in the log, in every method.
    """

    def __init__(
        self,
        env: simpy.Environment,
        log: Log,
        generation_api: Api = API_1_37,
        history: int = HISTORY,
        seed: int = 0,
    ) -> None:
        if history < 1:
            raise ValueError("history must be 1 or more")
        self.version = 1
        self._env = env
        self._log = log
        self.generation_api = generation_api
        self._stores = {kind: Store(resource, history) for kind, resource in RESOURCES.items()}
        self._random = Random(seed)
        self._uids = 0
        self._classes: dict[str, PriorityClass] | None = None
        self._next_bookmarks = self.now + BOOKMARKS

    @property
    def now(self) -> int:
        """The virtual clock: microseconds since 1970. Objects hold whole seconds: ``Time.whole_second(api.now)``."""
        return now(self._env)

    @property
    def stores(self) -> Collection[Store]:
        """The objects of each kind."""
        return self._stores.values()

    # -- reading

    def get(self, kind: type[D], namespace: str, name: str) -> D:
        """The object. ApiError (NotFound)."""
        obj = self.find(kind, namespace, name)
        if obj is None:
            raise ApiError.not_found(kind, name)
        return obj

    def find(self, kind: type[D], namespace: str, name: str) -> D | None:
        """The object, or None if it does not exist."""
        store = self._store(kind)
        obj: D | None = store.objects.get(store.resource.key(namespace, name))
        return obj

    def list(
        self, kind: type[D], namespace: str | None = None, filter: ObjectFilter | None = None
    ) -> tuple[builtins.list[D], str]:
        """The objects in key order, and the resourceVersion to watch from."""
        return self._store(kind).items(namespace, filter), str(self.version)

    def watch(
        self,
        kind: type[ApiObject],
        resource_version: str = "",
        allow_bookmarks: bool = False,
        namespace: str | None = None,
        filter: ObjectFilter | None = None,
    ) -> Watch:
        """Watch changes after the resourceVersion; ``""`` or ``"0"`` sends the current objects first, as ADDED.

        ApiError (Expired, 410) if the history does not go back that far: list again. Bookmarks report the latest
        resourceVersion at most once a minute, and only when something is written.
        """
        store = self._store(kind)
        since = version_to_watch(store.resource, resource_version)
        filter = filter if namespace is None else _in_namespace(namespace, filter)
        return store.watch(since, self.version, filter, allow_bookmarks, self.now)

    def in_namespace(self, namespace: str) -> Iterator[ApiObject]:
        """The objects of all kinds in the namespace."""
        for store in self._stores.values():
            if store.resource.namespaced:
                yield from (each for each in store.objects.values() if each.metadata.namespace == namespace)

    # -- writing

    def create(self, obj: D, by: str = "") -> D:
        """Validate a new object and store it with its defaults, a uid, and an initial status.

        ApiError: Invalid, AlreadyExists, Forbidden (no such PriorityClass).
        """
        store = self._store(type(obj))
        if _version_of(obj) > 0:
            raise ApiError.unknown("resourceVersion should not be set on objects to be created")
        if type(obj) in CLAIMS:
            check_admin_access(obj, self.find(Namespace, "", _metadata(obj).namespace or "default"))
        obj = self._defaulted(obj)
        if not _metadata(obj).generateName or _metadata(obj).name:
            new = admission.created(obj, self._uid(), self.generation_api, self._priority_classes(), self.now)
            self._check_bounds(new)
            return self._add(store, new, by)
        for _ in range(_NAME_ATTEMPTS):
            named = self._with_generated_name(obj)
            new = admission.created(named, self._uid(), self.generation_api, self._priority_classes(), self.now)
            if store.resource.key_of(new) not in store.objects:
                self._check_bounds(new)
                return self._add(store, new, by)
        raise ApiError.name_generation_failed(type(obj), _metadata(named).name)

    def leave_uids(self, objects: Iterable[ApiObject]) -> None:
        """New objects get other uids than these, which may have theirs from an earlier simulation."""
        ours = (_UID.fullmatch(_metadata(obj).uid) for obj in objects)
        self._uids = max((int(uid[1], 16) for uid in ours if uid), default=0)

    def restore(self, obj: D, by: str = "") -> D:
        """Set up a cluster: store an object with its status, node, uid and age. ApiError as :meth:`create`.

        An owner reference without a uid refers to the stored object of that name. An object without a uid was never in
        a cluster: it gets what a new one gets, such as a generated name.
        """
        store = self._store(type(obj))
        if not _metadata(obj).uid:
            obj = obj if isinstance(obj, Pod) and obj.spec.nodeName else self._defaulted(obj)
            if not _metadata(obj).name and _metadata(obj).generateName:
                obj = self._with_generated_name(obj)
        new = admission.restored(obj, self._uid(), self.generation_api, self._priority_classes(), self.now)
        return self._add(store, self._with_owner_uids(new), by)

    def update(self, obj: D, by: str = "") -> D:
        """Replace the object, except for its status. Without a resourceVersion, the update is unconditional.

        ApiError: NotFound, Conflict (another resourceVersion or uid), Invalid.
        """
        store, old = self._existing(obj)
        new = admission.updated(old, obj, self.generation_api, self._priority_classes())
        if should_delete_during_update(old.metadata, new.metadata):
            self._remove(store, old, by)
            return new
        return self._change(store, old, new, by)

    def update_status(self, obj: D, by: str = "") -> D:
        """Replace the object's status only. ApiError as :meth:`update`."""
        if not hasattr(obj, "status"):
            raise ApiError.no_such_resource()
        store, old = self._existing(obj)
        return self._change(store, old, admission.status_of(old, obj), by)

    def patch_status(self, kind: type[D], namespace: str, name: str, uid: str = "", by: str = "", **fields: Any) -> D:
        """Change these fields of the current status; merge conditions by type. ApiError as :meth:`update`.

        ``api.patch_status(Pod, "default", "web", conditions=[condition], nominatedNodeName="n1")``
        """
        old: Any = self.get(kind, namespace, name)
        self._check_uid(kind, old, uid)
        if not hasattr(old, "status"):
            raise ApiError.no_such_resource()
        if unknown := [field for field in fields if field not in type(old.status).__struct_fields__]:
            raise ApiError.bad_request(f'unknown field "status.{unknown[0]}"')
        conditions = old.status.conditions if "conditions" in fields else ()
        for condition in fields.get("conditions", ()):
            conditions = with_condition(conditions, condition, self.now)
        fields = {**fields, "conditions": conditions} if "conditions" in fields else fields
        new = admission.status_of(old, _replace(old, status=_replace(old.status, **fields)))
        return self._change(self._stores[kind], old, new, by)

    def delete(
        self,
        kind: type[D],
        namespace: str,
        name: str,
        grace_seconds: int | None = None,
        uid: str | None = None,
        resource_version: str | None = None,
        by: str = "",
    ) -> D:
        """Delete the object and return its last state. Only pods on nodes have a grace period.

        An object with a grace period or finalizers is only marked. It goes when the kubelet deletes it with 0 seconds,
        or when its last finalizer is removed. ApiError: NotFound, Conflict (another uid or resourceVersion).
        """
        old: Any = self.get(kind, namespace, name)
        if uid is not None and uid != old.metadata.uid:
            raise _precondition_failed(kind, name, "UID", uid, old.metadata.uid, "deleted and then recreated")
        version = old.metadata.resourceVersion
        if resource_version is not None and resource_version != version:
            raise _precondition_failed(kind, name, "ResourceVersion", resource_version, version, "modified")
        marked, remove = deletion(old, grace_seconds, self.now)
        store = self._stores[kind]
        last = old if marked is None else self._change(store, old, marked, by)
        if remove:
            self._remove(store, last, by)
        return last

    # -- subresources of pods

    def bind(self, namespace: str, name: str, uid: str, node: str, by: str = "") -> Pod:
        """Assign the pod to the node, which need not exist. ApiError: NotFound, Conflict (assigned or terminating)."""
        old = self.get(Pod, namespace, name)
        self._check_uid(Pod, old, uid)
        new = bound(old, node, self.now, self.generation_api.bound_pods_stay_nominated)
        return self._change(self._stores[Pod], old, new, by)

    def evict(
        self, namespace: str, name: str, grace_seconds: int | None = None, uid: str | None = None, by: str = ""
    ) -> Pod:
        """Delete the pod if its PodDisruptionBudget allows it; the budget then allows one disruption fewer.

        ApiError: TooManyRequests (429) if the budget forbids it; NotFound, Conflict; 500 if several budgets apply.
        """
        pod = self.get(Pod, namespace, name)
        if uid is not None and uid != pod.metadata.uid:
            raise _precondition_failed(Pod, name, "UID", uid, pod.metadata.uid, "deleted and then recreated")
        if checks_budgets(pod):
            budgets = self._stores[PodDisruptionBudget]
            budget = budget_after_eviction(pod, budgets.items(namespace), self.now)
            if budget is not None:
                self._change(budgets, budgets.objects[budgets.resource.key_of(budget)], budget, by)
        self._change(self._stores[Pod], pod, evicted(pod, self.now), by)
        return self.delete(Pod, namespace, name, grace_seconds, uid, by=by)

    def resize(self, pod: Pod, by: str = "") -> Pod:
        """Give the pod's containers, and the pod itself, these resources; all else in ``pod`` is ignored.

        ApiError: NotFound, Conflict (another resourceVersion or uid), Invalid; Forbidden if the node cannot do it.
        """
        store, old = self._existing(pod)
        new = resized(old, pod, self._priority_classes())
        check_node(old, new, self.find(Node, "", old.spec.nodeName))
        return self._change(store, old, new, by)

    # -- internals

    def _store(self, kind: type[ApiObject]) -> Store:
        store = self._stores.get(kind)
        if store is None:
            raise ApiError.no_such_resource()
        return store

    def _existing(self, obj: Any) -> tuple[Store, Any]:
        """The store, and the object to replace. ApiError if its uid or resourceVersion differs."""
        kind = type(obj)
        store = self._store(kind)
        namespace = obj.metadata.namespace or ("default" if store.resource.namespaced else "")
        old = self.get(kind, namespace, obj.metadata.name)
        self._check_uid(kind, old, obj.metadata.uid)
        if _version_of(obj) not in (0, int(old.metadata.resourceVersion)):
            raise ApiError.conflict(kind, old.metadata.name)
        return store, old

    def _check_uid(self, kind: type[ApiObject], old: Any, uid: str) -> None:
        """ApiError if ``uid`` is set and differs from the object's."""
        if uid and uid != old.metadata.uid:
            resource = RESOURCES[kind]
            key = f"/registry/{resource.name}/{resource.key_of(old)}"
            why = f"Precondition failed: UID in precondition: {uid}, UID in object meta: {old.metadata.uid}"
            storage = (
                f"StorageError: invalid object, Code: 4, Key: {key}, ResourceVersion: 0, AdditionalErrorMsg: {why}"
            )
            raise ApiError.conflict(kind, old.metadata.name, storage)

    def _priority_classes(self) -> dict[str, PriorityClass]:
        if self._classes is None:
            self._classes = priority_classes(self._stores[PriorityClass].objects.values())
        return self._classes

    def _uid(self) -> str:
        self._uids += 1
        return f"00000000-0000-4000-8000-{self._uids:012x}"

    def _defaulted(self, obj: Any) -> Any:
        """The object as admission plugins that read other objects change a new one."""
        if isinstance(obj, PersistentVolumeClaim):
            return with_default_class(obj, self._stores[StorageClass].objects.values())
        if isinstance(obj, Pod) and (ranges := self._in_namespace(LimitRange, obj)):
            return with_defaults_of(obj, ranges)
        return obj

    def _in_namespace(self, kind: type[D], obj: Any) -> builtins.list[D]:
        """The objects of the kind in the namespace of this one."""
        objects = self._stores[kind].objects
        namespace = obj.metadata.namespace or "default"
        return [each for each in objects.values() if each.metadata.namespace == namespace] if objects else []

    def _check_bounds(self, new: Any) -> None:
        """ApiError (Forbidden) if a LimitRange or a ResourceQuota does not allow the new object."""
        if isinstance(new, Pod | PersistentVolumeClaim):
            ranges = self._in_namespace(LimitRange, new)
            if ranges and (why := violations(new, ranges)):
                raise ApiError.forbidden(type(new), new.metadata.name, why)
        for quota in self._in_namespace(ResourceQuota, new):
            used = used_of(quota, self.in_namespace(new.metadata.namespace), self.now)
            if why := refusal(quota, used, new, self.now):
                raise ApiError.forbidden(type(new), new.metadata.name, why)

    def _with_generated_name(self, obj: Any) -> Any:
        metadata = obj.metadata
        name = generated_name(metadata.generateName, self._random)
        return _replace(obj, metadata=_replace(metadata, name=name))

    def _with_owner_uids(self, obj: Any) -> Any:
        """The object with the uids of those of its owners that exist."""
        metadata = obj.metadata
        if all(owner.uid for owner in metadata.ownerReferences):
            return obj
        owners = tuple([self._owner_with_uid(owner, metadata.namespace) for owner in metadata.ownerReferences])
        return _replace(obj, metadata=_replace(metadata, ownerReferences=owners))

    def _owner_with_uid(self, owner: OwnerReference, namespace: str) -> OwnerReference:
        kind = next((kind for kind in self._stores if kind.__name__ == owner.kind), None)
        obj: Any = None if owner.uid or kind is None else self.find(kind, namespace, owner.name)
        return owner if obj is None else _replace(owner, uid=obj.metadata.uid)

    def _add(self, store: Store, new: Any, by: str) -> Any:
        if store.resource.key_of(new) in store.objects:
            raise ApiError.already_exists(store.resource.kind, new.metadata.name)
        return self._write(store, "ADDED", None, new, by)

    def _change(self, store: Store, old: Any, new: Any, by: str) -> Any:
        """Write the change, unless nothing changes."""
        return old if new == old else self._write(store, "MODIFIED", old, new, by)

    def _remove(self, store: Store, old: Any, by: str) -> None:
        self._write(store, "DELETED", old, old, by)

    def _write(self, store: Store, type: str, old: Any, new: Any, by: str) -> Any:
        """Store the object with the next resourceVersion, notify the watches, and log the change."""
        now, resource = self.now, store.resource
        self.version += 1
        new = with_resource_version(new, self.version)
        store.write(StoreWrite(now, self.version, type, new, old))
        self._log.write(
            Changed(
                at=now,
                type=type,
                kind=resource.kind.__name__,
                key=resource.key_of(new),
                old=old,
                new=None if type == "DELETED" else new,
                by=by,
            )
        )
        if resource.kind is PriorityClass:
            self._classes = None
        if now >= self._next_bookmarks:
            self._next_bookmarks = now + BOOKMARKS
            for watched in self._stores.values():
                watched.bookmark(self.version, now)
        return new


def _metadata(obj: Any) -> ObjectMeta:
    return obj.metadata


def version_to_watch(resource: Resource, text: str) -> int:
    """The resourceVersion after which to watch. ApiError (Invalid)."""
    try:
        return _version(text)
    except ValueError as error:
        invalid = invalid_value("resourceVersion", text, str(error))
        raise ApiError.invalid_as(resource.name, resource.group, "", [invalid]) from None


def _version(text: str) -> int:
    """Parse a resourceVersion; 0 if it is empty. ValueError, with Go's message."""
    if not text:
        return 0
    if not (text.isascii() and text.isdigit()):
        raise ValueError(f'strconv.ParseUint: parsing "{text}": invalid syntax')
    digits = text.lstrip("0") or "0"
    if len(digits) > 20 or int(digits) >= 2**64:  # Python reads no number of many thousand digits
        raise ValueError(f'strconv.ParseUint: parsing "{text}": value out of range')
    return int(digits)


def _version_of(obj: Any) -> int:
    try:
        return _version(obj.metadata.resourceVersion)
    except ValueError as error:
        raise ApiError.unknown(str(error)) from None


def _in_namespace(namespace: str, filter: ObjectFilter | None) -> ObjectFilter:
    return lambda obj: obj.metadata.namespace == namespace and (filter is None or filter(obj))


def _precondition_failed(
    kind: type[ApiObject], name: str, field: str, wanted: str, actual: str, maybe: str
) -> ApiError:
    """A precondition of a deletion does not hold."""
    why = f"the {field} in the precondition ({wanted}) does not match the {field} in record ({actual})"
    return ApiError.conflict(kind, name, f"{why}. The object might have been {maybe}", resource_name=kind.__name__)
