"""Informers: a client's cache of the server's objects, maintained by list and watch, and its event handlers.

    pods = pod_informer(env, api)
    pods.add_handler(on_add=queue.add, on_update=queue.update, on_delete=queue.delete)
    pods.start()
    env.run(until=pods.synced)

v1.37: k8s.io/client-go tools/cache (reflector.go, shared_informer.go, controller.go). All
events are delivered asynchronously, through the environment's event queue; those due at the same time together.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Generator, Iterable
from typing import Any, Generic, NamedTuple, TypeVar

import simpy

from kschedlab.objects.kinds import RESOURCES
from kschedlab.objects.model import ApiObject, Pod
from kschedlab_simulation.clock import after, now
from kschedlab_simulation.server.interface import Api, WatchStream, answered
from kschedlab_simulation.server.names import field_selector
from kschedlab_simulation.server.store import ObjectFilter, WatchEvent
from kschedlab_simulation.status import ApiError

BACKOFF = 800_000
"""Microseconds before a client lists again after a failed watch (v1.37: reflector.go, without the jitter)."""

UNFINISHED = "status.phase!=Succeeded,status.phase!=Failed"
"""The pods that a scheduler watches."""

D = TypeVar("D", bound=ApiObject)
Waiting = Generator[simpy.Event, Any, None]


class Handler(NamedTuple):
    """Event handlers. ``filter``: an object that starts matching is added, one that stops matching is deleted."""

    on_add: Callable[[Any], None] | None
    on_update: Callable[[Any, Any], None] | None
    on_delete: Callable[[Any], None] | None
    filter: ObjectFilter | None

    def notify(self, old: Any, new: Any) -> None:
        """The object was added (``old`` is None), updated, or deleted (``new`` is None)."""
        if self.filter is not None:
            old = old if old is not None and self.filter(old) else None
            new = new if new is not None and self.filter(new) else None
        if new is None:
            if old is not None and self.on_delete is not None:
                self.on_delete(old)
        elif old is None:
            if self.on_add is not None:
                self.on_add(new)
        elif self.on_update is not None:
            self.on_update(old, new)


class Informer(Generic[D]):
    """A client's cache of the objects of a kind.

    ``filter``: selects the objects on the server; one that stops matching is deleted. ``resync``: how often handlers
    receive all objects again, 0 for never; ``latency``: of the server's answers and events; both in microseconds.
    ``synced``: the event that the first list is in the cache; ``version``: the latest resourceVersion received;
    ``list_calls``: the number of list requests.
    """

    def __init__(
        self,
        env: simpy.Environment,
        api: Api,
        kind: type[D],
        filter: ObjectFilter | None = None,
        resync: int = 0,
        latency: int = 0,
    ) -> None:
        self.kind = kind
        self.synced = env.event()
        self.version = ""
        self.list_calls = 0
        self._env = env
        self._api = api
        self._filter = filter
        self._resync = resync
        self._latency = latency
        self._resource = RESOURCES[kind]
        self._objects: dict[str, D] = {}
        self._indexers: dict[str, Callable[[D], Iterable[str]]] = {}
        self._indices: dict[str, dict[str, dict[str, D]]] = {}
        self._handlers: list[Handler] = []
        self._watch: WatchStream | None = None
        self._wake_up = env.event()
        self._unreachable_until = 0
        self._started = False

    # -- reading

    def get(self, key: str) -> D | None:
        """The object by ``namespace/name`` (its name alone if cluster-scoped), or None."""
        return self._objects.get(key)

    def list(self, namespace: str | None = None) -> builtins.list[D]:
        """The objects, in insertion order."""
        objects = list(self._objects.values())
        return objects if namespace is None else [obj for obj in objects if _namespace(obj) == namespace]

    def by_index(self, name: str, value: str) -> builtins.list[D]:
        """The objects with this value in the named index, in insertion order."""
        return list(self._indices[name].get(value, {}).values())

    def count(self, name: str, value: str) -> int:
        """The number of objects with this value in the named index."""
        return len(self._indices[name].get(value, ()))

    def index_values(self, name: str) -> builtins.list[str]:
        return list(self._indices[name])

    def __len__(self) -> int:
        return len(self._objects)

    # -- setup and lifecycle

    def index_by(self, name: str, values: Callable[[D], Iterable[str]]) -> None:
        """Add the named index unless it exists: ``values`` computes the values of an object."""
        if name not in self._indexers:
            self._indexers[name], self._indices[name] = values, {}
            for key, obj in self._objects.items():
                self._index(name, key, None, obj)

    def add_handler(
        self,
        on_add: Callable[[D], None] | None = None,
        on_update: Callable[[D, D], None] | None = None,
        on_delete: Callable[[D], None] | None = None,
        filter: ObjectFilter | None = None,
    ) -> None:
        """Call these after each change of the cache. A handler added later first receives the cached objects."""
        handler = Handler(on_add, on_update, on_delete, filter)
        if not self._started:
            self._handlers.append(handler)
            return

        def join_late() -> None:
            for obj in list(self._objects.values()):
                handler.notify(None, obj)
            self._handlers.append(handler)

        after(self._env, 0, join_late)

    def start(self) -> None:
        """Start to list and watch. Further calls have no effect."""
        if not self._started:
            self._started = True
            self._env.process(self._run())
            if self._resync:
                self._env.process(self._run_resync())

    def disconnect(self, duration: int = 0) -> None:
        """Break the connection for that many microseconds; then resume the watch, or list again."""
        self._unreachable_until = now(self._env) + duration
        if self._watch is not None:
            self._watch.pending.clear()
            self._watch.stop()

    def _run(self) -> Waiting:
        """The reflector: list, watch, and list again when the server can no longer resume the watch."""
        while True:
            yield from self._wait_until_reachable()
            yield self._env.timeout(self._latency)
            items, version = yield from answered(self._api.list(self.kind, filter=self._filter))
            self.list_calls += 1
            self.version = version
            self._replace(items)
            if not self.synced.triggered:
                self.synced.succeed()
            can_resume = True
            while can_resume:
                yield from self._wait_until_reachable()
                can_resume = yield from self._watch_events()
            yield self._env.timeout(BACKOFF)

    def _wait_until_reachable(self) -> Waiting:
        """Wait until the server is reachable."""
        while self._unreachable_until > now(self._env):
            yield self._env.timeout(self._unreachable_until - now(self._env))

    def _watch_events(self) -> Generator[simpy.Event, Any, bool]:
        """Watch until the watch ends. False if the server cannot resume from the current version."""
        try:
            watch = self._api.watch(self.kind, self.version, allow_bookmarks=True, filter=self._filter)
        except ApiError:
            return False
        self._watch = watch
        watch.on_event = self._wake
        while watch.pending or not watch.closed:
            if not watch.pending:
                self._wake_up = self._env.event()
                yield self._wake_up
            wait = watch.pending[0][0] + self._latency - now(self._env) if watch.pending else 0
            if wait > 0:
                yield self._env.timeout(wait)
            elif not self._process_due(watch):
                watch.stop()
                return False
            elif watch.pending:
                yield self._env.timeout(0)
        return True

    def _process_due(self, watch: WatchStream) -> bool:
        """Process the events that are due now. False if the server reports an error."""
        pending, due = watch.pending, now(self._env) - self._latency
        for _ in range(len(pending)):
            if not pending or pending[0][0] > due:
                break
            event = pending.popleft()[1]
            if event.type == "ERROR":
                return False
            self._apply(event)
        return True

    def _apply(self, event: WatchEvent) -> None:
        obj = event.object
        self.version = obj.metadata.resourceVersion
        if event.type == "DELETED":
            self._delete(self._resource.key_of(obj), obj)
        elif event.type != "BOOKMARK":
            self._store(self._resource.key_of(obj), obj)

    def _replace(self, items: Iterable[D]) -> None:
        """Replace the cache's content: first delete missing objects, in their last known state, then add and update."""
        listed = {self._resource.key_of(item): item for item in items}
        for key in [key for key in self._objects if key not in listed]:
            self._delete(key, self._objects[key])
        for key, obj in listed.items():
            self._store(key, obj)

    def _store(self, key: str, new: D) -> None:
        old = self._objects.get(key)
        if old is not None and _version(old) == _version(new):
            return
        self._objects[key] = new
        for name in self._indexers:
            self._index(name, key, old, new)
        for handler in self._handlers:
            handler.notify(old, new)

    def _delete(self, key: str, last: D) -> None:
        old = self._objects.pop(key, None)
        for name in self._indexers:
            self._index(name, key, old, None)
        for handler in self._handlers:
            handler.notify(last, None)

    def _index(self, name: str, key: str, old: D | None, new: D | None) -> None:
        values, index = self._indexers[name], self._indices[name]
        new_values = list(values(new)) if new is not None else []
        for value in values(old) if old is not None else ():
            if value not in new_values:
                del index[value][key]
                if not index[value]:
                    del index[value]
        for value in new_values:
            index.setdefault(value, {})[key] = new  # type: ignore[assignment]  # not None here

    def _run_resync(self) -> Waiting:
        yield self.synced
        while True:
            yield self._env.timeout(self._resync)
            for obj in list(self._objects.values()):
                for handler in self._handlers:
                    handler.notify(obj, obj)

    def _wake(self) -> None:
        if not self._wake_up.triggered:
            self._wake_up.succeed()


class Informers:
    """One informer per kind, shared within one client (SharedInformerFactory)."""

    def __init__(self, env: simpy.Environment, api: Api, resync: int = 0, latency: int = 0) -> None:
        self._env = env
        self._api = api
        self._resync = resync
        self._latency = latency
        self._informers: dict[type[ApiObject], Informer[Any]] = {}

    def of(self, kind: type[D]) -> Informer[D]:
        """The kind's informer, created on first use."""
        informer = self._informers.get(kind)
        if informer is None:
            informer = self.register(Informer(self._env, self._api, kind, resync=self._resync, latency=self._latency))
        return informer

    def register(self, informer: Informer[D]) -> Informer[D]:
        """Use this informer for its kind."""
        return self._informers.setdefault(informer.kind, informer)

    def start(self) -> None:
        """Start the informers that are not running yet."""
        for informer in self._informers.values():
            informer.start()

    @property
    def synced(self) -> simpy.Event:
        return self._env.all_of([informer.synced for informer in self._informers.values()])


def pod_informer(env: simpy.Environment, api: Api, resync: int = 0, latency: int = 0) -> Informer[Pod]:
    """The scheduler's pod informer: pods that are neither Succeeded nor Failed.

    The same in all generations, which do not resync (v1.13, v1.16: pkg/scheduler/factory/factory.go, NewPodInformer;
    v1.20, v1.37: pkg/scheduler/scheduler.go, NewInformerFactory; cmd/kube-scheduler/app/options). A terminating
    pod is included: it uses its node's resources until it is deleted. The scheduling loop skips a terminating pod
    without a node (skipPodSchedule).
    """
    return Informer(env, api, Pod, field_selector(Pod, UNFINISHED), resync, latency)


def _namespace(obj: Any) -> str:
    return obj.metadata.namespace


def _version(obj: Any) -> str:
    return obj.metadata.resourceVersion
