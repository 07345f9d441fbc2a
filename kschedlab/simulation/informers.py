"""Informers: a client's copy of the server's objects, kept by list and watch, and handlers that are told of changes.

    pods = pod_informer(env, api)
    pods.add_handler(on_add=queue.add, on_update=queue.update, on_delete=queue.delete)
    pods.start()
    env.run(until=pods.synced)

v1.37: k8s.io/client-go tools/cache (reflector.go, shared_informer.go, controller.go). Everything comes through the
environment's event queue, never inside the call that caused it; what is due at a moment is delivered in one go.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Generator, Iterable
from typing import Any, Generic, NamedTuple, TypeVar

import simpy

from kschedlab.objects.model import ApiObject, Pod
from kschedlab.simulation.clock import after, now
from kschedlab.simulation.server.api import ApiServer
from kschedlab.simulation.server.resources import RESOURCES
from kschedlab.simulation.server.selection import field_selector
from kschedlab.simulation.server.status import ApiError
from kschedlab.simulation.server.store import Filter, Watch, WatchEvent

BACKOFF = 800_000
"""Microseconds before a client lists again after its watch has failed (v1.37: reflector.go, without the jitter)."""

NOT_ENDED = "status.phase!=Succeeded,status.phase!=Failed"
"""The pods that a scheduler watches."""

D = TypeVar("D", bound=ApiObject)
Waiting = Generator[simpy.Event, Any, None]


class Handler(NamedTuple):
    """Who is told. ``filter``: an object that begins to pass is added, one that ceases to is deleted."""

    on_add: Callable[[Any], None] | None
    on_update: Callable[[Any, Any], None] | None
    on_delete: Callable[[Any], None] | None
    filter: Filter | None

    def tell(self, old: Any, new: Any) -> None:
        """The object was added (``old`` is None), has changed, or is gone (``new`` is None)."""
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
    """The objects of a kind as this client knows them.

    ``filter``: which of them the server is asked for; an object that ceases to match is gone. ``resync``: how often
    handlers are told of every object anew, 0 for never; ``latency``: how long the server's answers and events take;
    both in microseconds.
    ``synced``: the event that the first list is in the cache; ``version``: the resourceVersion that is reached;
    ``lists``: how often it has listed.
    """

    def __init__(
        self,
        env: simpy.Environment,
        api: ApiServer,
        kind: type[D],
        filter: Filter | None = None,
        resync: int = 0,
        latency: int = 0,
    ) -> None:
        self.kind = kind
        self.synced = env.event()
        self.version = ""
        self.lists = 0
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
        self._watch: Watch | None = None
        self._bell = env.event()
        self._down = 0
        self._started = False

    # -- what it knows

    def get(self, key: str) -> D | None:
        """The object by ``namespace/name`` (or its name, if it is of the cluster), or None."""
        return self._objects.get(key)

    def list(self, namespace: str | None = None) -> builtins.list[D]:
        """The objects, in the order in which they came."""
        found = list(self._objects.values())
        return found if namespace is None else [one for one in found if _namespace(one) == namespace]

    def by_index(self, name: str, value: str) -> builtins.list[D]:
        """The objects that the index of that name finds by the value, in the order in which they came to it."""
        return list(self._indices[name].get(value, {}).values())

    def count(self, name: str, value: str) -> int:
        """How many they are."""
        return len(self._indices[name].get(value, ()))

    def indexed(self, name: str) -> builtins.list[str]:
        """The values by which the index of that name finds anything."""
        return list(self._indices[name])

    def __len__(self) -> int:
        return len(self._objects)

    # -- its life

    def index_by(self, name: str, values: Callable[[D], Iterable[str]]) -> None:
        """Keep an index of that name, if there is none yet: ``values``, by which an object is found."""
        if name not in self._indexers:
            self._indexers[name], self._indices[name] = values, {}
            for key, document in self._objects.items():
                self._index(name, key, None, document)

    def add_handler(
        self,
        on_add: Callable[[D], None] | None = None,
        on_update: Callable[[D, D], None] | None = None,
        on_delete: Callable[[D], None] | None = None,
        filter: Filter | None = None,
    ) -> None:
        """Tell these of every change, after the cache has it. They first hear of what is in the cache, soon."""
        handler = Handler(on_add, on_update, on_delete, filter)
        if not self._started:
            self._handlers.append(handler)
            return

        def join() -> None:
            for document in list(self._objects.values()):
                handler.tell(None, document)
            self._handlers.append(handler)

        after(self._env, 0, join)

    def start(self) -> None:
        """Begin to list and watch. Once is enough."""
        if not self._started:
            self._started = True
            self._env.process(self._run())
            if self._resync > 0:
                self._env.process(self._resyncs())

    def cut(self, duration: int = 0) -> None:
        """The connection breaks, for that many microseconds: what happens meanwhile is caught up with, or listed."""
        self._down = now(self._env) + duration
        if self._watch is not None:
            self._watch.pending.clear()
            self._watch.stop()

    def _run(self) -> Waiting:
        """As the reflector does: list, watch, and list again when the server does not know any more what was missed."""
        while True:
            yield from self._reach()
            yield self._env.timeout(self._latency)
            items, version = self._api.list(self.kind, filter=self._filter)
            self.lists += 1
            self.version = version
            self._replace(items)
            if not self.synced.triggered:
                self.synced.succeed()
            known = True
            while known:
                yield from self._reach()
                known = yield from self._follow()
            yield self._env.timeout(BACKOFF)

    def _reach(self) -> Waiting:
        """Wait until the server can be reached."""
        while self._down > now(self._env):
            yield self._env.timeout(self._down - now(self._env))

    def _follow(self) -> Generator[simpy.Event, Any, bool]:
        """Watch until the watch ends. False if the server cannot go on from the version that is reached."""
        try:
            watch = self._api.watch(self.kind, self.version, allow_bookmarks=True, filter=self._filter)
        except ApiError:
            return False
        self._watch = watch
        watch.on_event = self._ring
        while watch.pending or not watch.closed:
            if not watch.pending:
                self._bell = self._env.event()
                yield self._bell
            wait = watch.pending[0][0] + self._latency - now(self._env) if watch.pending else 0
            if wait > 0:
                yield self._env.timeout(wait)
            elif not self._take(watch):
                watch.stop()
                return False
            elif watch.pending:
                yield self._env.timeout(0)
        return True

    def _take(self, watch: Watch) -> bool:
        """Everything that was due when this began. False if the server says that it cannot go on."""
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
        document = event.object
        self.version = document.metadata.resourceVersion
        if event.type == "DELETED":
            self._forget(self._resource.key_of(document), document)
        elif event.type != "BOOKMARK":
            self._store(self._resource.key_of(document), document)

    def _replace(self, items: Iterable[D]) -> None:
        """The cache is to hold these: what is gone goes first, as it was last known; then what is new or different."""
        found = {self._resource.key_of(item): item for item in items}
        for key in [key for key in self._objects if key not in found]:
            self._forget(key, self._objects[key])
        for key, document in found.items():
            self._store(key, document)

    def _store(self, key: str, new: D) -> None:
        old = self._objects.get(key)
        if old is not None and _version(old) == _version(new):
            return
        self._objects[key] = new
        for name in self._indexers:
            self._index(name, key, old, new)
        for handler in self._handlers:
            handler.tell(old, new)

    def _forget(self, key: str, last: D) -> None:
        old = self._objects.pop(key, None)
        for name in self._indexers:
            self._index(name, key, old, None)
        for handler in self._handlers:
            handler.tell(last, None)

    def _index(self, name: str, key: str, old: D | None, new: D | None) -> None:
        values, index = self._indexers[name], self._indices[name]
        found = list(values(new)) if new is not None else []
        for value in values(old) if old is not None else ():
            if value not in found:
                del index[value][key]
                if not index[value]:
                    del index[value]
        for value in found:
            index.setdefault(value, {})[key] = new  # type: ignore[assignment]  # not None here

    def _resyncs(self) -> Waiting:
        yield self.synced
        while True:
            yield self._env.timeout(self._resync)
            for document in list(self._objects.values()):
                for handler in self._handlers:
                    handler.tell(document, document)

    def _ring(self) -> None:
        if not self._bell.triggered:
            self._bell.succeed()


class Informers:
    """One informer a kind, shared by the parts of one client, as a SharedInformerFactory has them."""

    def __init__(self, env: simpy.Environment, api: ApiServer, resync: int = 0, latency: int = 0) -> None:
        self._env = env
        self._api = api
        self._resync = resync
        self._latency = latency
        self._informers: dict[type[ApiObject], Informer[Any]] = {}

    def of(self, kind: type[D]) -> Informer[D]:
        """The kind's informer; a new one if nobody has asked for it before."""
        informer = self._informers.get(kind)
        if informer is None:
            informer = self.use(Informer(self._env, self._api, kind, resync=self._resync, latency=self._latency))
        return informer

    def use(self, informer: Informer[D]) -> Informer[D]:
        """Take this one for its kind."""
        return self._informers.setdefault(informer.kind, informer)

    def start(self) -> None:
        """Start those that have been asked for and do not run yet."""
        for informer in self._informers.values():
            informer.start()

    @property
    def synced(self) -> simpy.Event:
        """The event that all caches are filled."""
        return self._env.all_of([informer.synced for informer in self._informers.values()])


def pod_informer(env: simpy.Environment, api: ApiServer, resync: int = 0, latency: int = 0) -> Informer[Pod]:
    """The scheduler's own informer of pods: those that are neither Succeeded nor Failed.

    The same in all generations, which do not resync (v1.13, v1.16: pkg/scheduler/factory/factory.go, NewPodInformer;
    v1.20, v1.37: pkg/scheduler/scheduler.go, NewInformerFactory; cmd/kube-scheduler/app/options). A pod that is
    terminating still comes: on a node it takes room until it is gone. That a terminating pod is not scheduled is among
    the checks of the loop (skipPodSchedule).
    """
    return Informer(env, api, Pod, field_selector(Pod, NOT_ENDED), resync, latency)


def _namespace(document: Any) -> str:
    return document.metadata.namespace


def _version(document: Any) -> str:
    return document.metadata.resourceVersion
