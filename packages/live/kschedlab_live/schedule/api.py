"""The API server at the end of a network, as the scheduler asks it.

Each request begins at once and returns an event, which brings the answer or fails with an ApiError. See
:class:`~kschedlab_simulation.server.interface.Api`. What is written are patches with nothing but the change: the model
knows the fields that scheduling needs, and an update that sends the whole object would delete all others.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterable
from typing import Any, TypeVar

import msgspec
import simpy

from kschedlab.objects.kinds import RESOURCES
from kschedlab.objects.model import ApiObject, Pod
from kschedlab_live.schedule.client import JSON, Client, unreachable
from kschedlab_live.schedule.clock import WallClock
from kschedlab_live.schedule.decoding import decode_object
from kschedlab_live.schedule.reflector import LiveWatch, Note, Reflector, path_of
from kschedlab_live.wire.objects import MERGE, STRATEGIC
from kschedlab_simulation.clock import now
from kschedlab_simulation.pods import with_condition
from kschedlab_simulation.server.store import ObjectFilter
from kschedlab_simulation.state import complete, written
from kschedlab_simulation.status import ApiError

D = TypeVar("D", bound=ApiObject)

_encode = msgspec.json.encode


class LiveApi:
    """Asks a real API server. ``may_write``: False refuses all writes at once, for a scheduler that lost its lease."""

    def __init__(self, clock: WallClock, client: Client, note: Note) -> None:
        self.may_write = True
        self._clock = clock
        self._client = client
        self._note = note
        self._reflectors: dict[type[ApiObject], Reflector] = {}
        self._calls: set[asyncio.Task[None]] = set()

    @property
    def calls(self) -> int:
        """The number of requests under way."""
        return len(self._calls)

    @property
    def fault(self) -> str:
        """Which kind is not watched any more although it should be, or ""."""
        return next(filter(None, (reflector.fault for reflector in self._reflectors.values())), "")

    async def close(self) -> None:
        """End all watches and requests."""
        for reflector in self._reflectors.values():
            reflector.close()
        for task in self._calls:
            task.cancel()
        await asyncio.gather(*self._calls, return_exceptions=True)

    # -- reading

    def find(self, kind: type[D], namespace: str, name: str) -> D | None:
        """The object as its watch last showed it; None for a kind that is not watched."""
        reflector = self._reflectors.get(kind)
        return reflector.known.get(RESOURCES[kind].key(namespace, name)) if reflector else None

    def get(self, kind: type[D], namespace: str, name: str) -> simpy.Event:
        """The object as it is stored."""
        return self._call(self._get(kind, namespace, name))

    async def _get(self, kind: type[ApiObject], namespace: str, name: str) -> Any:
        return decode_object(kind, await self._client.request("GET", path_of(kind, namespace, name)))

    def list(self, kind: type[D], namespace: str | None = None, filter: ObjectFilter | None = None) -> simpy.Event:
        """The objects of all namespaces, and the resourceVersion to watch from; tries until it works."""
        reflector = self._reflectors.get(kind)
        if reflector is None:
            reflector = self._reflectors[kind] = Reflector(self._clock, self._client, kind, self._note, filter)
        return self._call(reflector.list_all())

    def watch(
        self,
        kind: type[ApiObject],
        resource_version: str = "",
        allow_bookmarks: bool = False,
        namespace: str | None = None,
        filter: ObjectFilter | None = None,
    ) -> LiveWatch:
        """Watch a kind that was listed, with the list's filter."""
        return self._reflectors[kind].watch(resource_version)

    # -- writing

    def create(self, obj: D, by: str = "") -> simpy.Event:
        """Store a new object."""
        metadata = obj.metadata
        return self._write(type(obj), "POST", path_of(type(obj), metadata.namespace), complete(obj))

    def bind(self, namespace: str, name: str, uid: str, node: str, by: str = "") -> simpy.Event:
        """Assign the pod to the node. Its answer is None."""
        body = {
            "apiVersion": "v1",
            "kind": "Binding",
            "metadata": {"name": name, "namespace": namespace, "uid": uid},
            "target": {"kind": "Node", "name": node},
        }
        return self._write(None, "POST", path_of(Pod, namespace, name, "binding"), body)

    def delete(self, kind: type[D], namespace: str, name: str, *, by: str = "") -> simpy.Event:
        """Delete the object. Its answer is None."""
        return self._write(None, "DELETE", path_of(kind, namespace, name), {})

    def patch_status(
        self, kind: type[D], namespace: str, name: str, uid: str = "", by: str = "", **fields: Any
    ) -> simpy.Event:
        """Change these fields of the current status; merge conditions by type."""
        patch = status_patch(self.find(kind, namespace, name), uid, now(self._clock), fields)
        return self._write(kind, "PATCH", path_of(kind, namespace, name, "status"), patch, STRATEGIC)

    def update(self, obj: D, by: str = "") -> simpy.Event:
        """Write what differs from the stored object, except for the status. ApiError (Conflict): it has changed."""
        return self._call(self._update(obj, ""))

    def update_status(self, obj: D, by: str = "") -> simpy.Event:
        """Write what differs from the stored object's status. ApiError (Conflict): it has changed."""
        return self._call(self._update(obj, "status"))

    async def _update(self, obj: Any, part: str) -> Any:
        kind, metadata = type(obj), obj.metadata
        stored = await self._get(kind, metadata.namespace, metadata.name)
        if metadata.resourceVersion and metadata.resourceVersion != stored.metadata.resourceVersion:
            raise ApiError.conflict(kind, metadata.name)
        path, content = path_of(kind, metadata.namespace, metadata.name, part), MERGE
        if kind is Pod and part:  # its lists have items that we know in part only
            fields: dict[str, Any] = {"nominatedNodeName": obj.status.nominatedNodeName}
            fields["conditions"] = changed_conditions(stored, obj)
            patch, content = status_patch(stored, metadata.uid, now(self._clock), fields), STRATEGIC
        else:
            patch = object_patch(stored, obj, part)
        return await self._send(kind, "PATCH", path, patch, content) if patch else stored

    def _write(
        self, kind: type[ApiObject] | None, method: str, path: str, body: dict[str, Any], content: str = JSON
    ) -> simpy.Event:
        return self._call(self._send(kind, method, path, body, content))

    async def _send(
        self, kind: type[ApiObject] | None, method: str, path: str, body: dict[str, Any], content: str
    ) -> Any:
        """The object in the answer; None without a kind."""
        if not self.may_write:
            raise unreachable(method, path, RuntimeError("this scheduler is no longer the leader"))
        answer = await self._client.request(method, path, _encode(body), content)
        return decode_object(kind, answer) if kind is not None else None

    # -- calls

    def _call(self, request: Coroutine[Any, Any, Any]) -> simpy.Event:
        """Begin the request. An event that nobody waits for may fail."""
        event = self._clock.event()
        event.defused = True

        async def run() -> None:
            try:
                event.succeed(await request)
            except ApiError as error:
                event.fail(error)
            except Exception as error:  # noqa: BLE001  # whatever the answer was, whoever waits for it goes on
                event.fail(unreachable("reading", "the answer", error))

        task = asyncio.get_running_loop().create_task(run())
        self._calls.add(task)
        task.add_done_callback(self._calls.discard)
        return event


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
    return written(next(new for new in merged if new.type == condition.type))


def changed_conditions(old: ApiObject, new: ApiObject) -> list[Any]:
    """The conditions of ``new`` that ``old`` does not have."""
    before: Iterable[Any] = old.status.conditions  # type: ignore[attr-defined]  # pods have a status
    return [condition for condition in new.status.conditions if condition not in before]  # type: ignore[attr-defined]


def object_patch(old: ApiObject, new: ApiObject, part: str = "") -> dict[str, Any]:
    """A merge patch from ``old`` to ``new``, of one ``part`` (such as ``status``) or of all but the status.

    It fails if the object is no longer the version that ``old`` is. Empty if nothing changes.
    """
    before, after = (_changeable(written(obj), part) for obj in (old, new))
    patch = merge_patch(before, after)
    if patch:
        metadata = old.metadata
        patch.setdefault("metadata", {}).update(uid=metadata.uid, resourceVersion=metadata.resourceVersion)
    return patch


def _changeable(data: dict[str, Any], part: str) -> dict[str, Any]:
    """The fields that a client may change. Items of a list lack some that single objects have, such as apiVersion."""
    if part:
        return {part: data.get(part, {})}
    metadata = {key: value for key, value in data["metadata"].items() if key in _OF_CLIENTS}
    return {"metadata": metadata, "spec": data.get("spec", {})}


def merge_patch(before: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    """The patch that turns ``before`` into ``after`` (RFC 7386): null deletes, a list is replaced as a whole."""
    patch: dict[str, Any] = {key: None for key in before if key not in after}
    for key, value in after.items():
        old = before.get(key)
        if isinstance(value, dict) and isinstance(old, dict):
            if inner := merge_patch(old, value):
                patch[key] = inner
        elif value != old or key not in before:
            patch[key] = value
    return patch
