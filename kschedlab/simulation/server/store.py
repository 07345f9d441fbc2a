"""Objects of one kind with their last changes, and those who watch them.

v1.37: k8s.io/apiserver pkg/storage/cacher (watch_cache.go, watch_cache_history.go, cache_watcher.go): a watch starts
from a resourceVersion that the history still reaches, and sees of every change what its filter makes of it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any, NamedTuple

import msgspec

from kschedlab.objects.meta import ObjectMeta
from kschedlab.simulation.server.resources import Resource
from kschedlab.simulation.server.status import ApiError

Filter = Callable[[Any], bool]
"""Which objects a list or a watch is about."""

HISTORY = 102_400
"""How many changes of a kind are kept, if nobody says otherwise: what the real watch cache grows to at most."""

_replace = msgspec.structs.replace


class WatchEvent(NamedTuple):
    """``type``: ADDED, MODIFIED, DELETED, BOOKMARK or ERROR; ``object``: it, its last state, or a Status."""

    type: str
    object: Any


class Change(NamedTuple):
    """One write. ``previous``: the object before it, None if it is new; ``at``: microseconds since 1970."""

    at: int
    version: int
    type: str
    object: Any
    previous: Any


class Watch:
    """A subscription: what happens goes to ``pending``, oldest first, as (when it happened, the event).

    ``told`` is called when something comes to an empty ``pending``, and when the watch ends; it must only take note.
    Iterating takes the events that are there.
    """

    def __init__(self, store: Store, since: int, filter: Filter | None, bookmarks: bool) -> None:
        self.pending: deque[tuple[int, WatchEvent]] = deque()
        self.told: Callable[[], None] | None = None
        self.closed = False
        self.bookmarks = bookmarks
        self._store = store
        self._since = since
        self._filter = filter

    def see(self, change: Change) -> None:
        """Take what the filter makes of the change: an object that stops matching is DELETED, as it last matched."""
        if change.version <= self._since:
            return
        seen = _seen(change, self._filter)
        if seen is not None:
            self.send(change.at, seen)

    def send(self, at: int, event: WatchEvent) -> None:
        """Put the event at the end."""
        self.pending.append((at, event))
        if len(self.pending) == 1 and self.told is not None:
            self.told()

    def stop(self) -> None:
        """No more events: the client has gone, or the server ends the watch. Those that are there can be taken."""
        if not self.closed:
            self.closed = True
            self._store.watches.remove(self)
            if self.told is not None:
                self.told()

    def __iter__(self) -> Iterator[WatchEvent]:
        while self.pending:
            yield self.pending.popleft()[1]


def _seen(change: Change, filter: Filter | None) -> WatchEvent | None:
    if filter is None:
        return WatchEvent(change.type, change.object)
    now = change.type != "DELETED" and filter(change.object)
    before = change.previous is not None and filter(change.previous)
    if now:
        return WatchEvent("MODIFIED" if before else "ADDED", change.object)
    return WatchEvent("DELETED", at_version(change.previous, change.version)) if before else None


def at_version(document: Any, version: int) -> Any:
    """The object (of any kind) with this resourceVersion."""
    return _replace(document, metadata=_replace(document.metadata, resourceVersion=str(version)))


class Store:
    """Objects of one kind by key. ``history``: how many changes it keeps.

    ``watches``: those that are open; ``objects``: in the order in which they were created.
    """

    def __init__(self, resource: Resource, history: int = HISTORY) -> None:
        self.resource = resource
        self.objects: dict[str, Any] = {}
        self.watches: list[Watch] = []
        self._history: deque[Change] = deque(maxlen=history)
        self._oldest = 1

    def items(self, namespace: str | None = None, filter: Filter | None = None) -> list[Any]:
        """The objects in the order of their keys, as etcd gives them."""
        found = [self.objects[key] for key in sorted(self.objects)]
        if namespace is not None:
            found = [one for one in found if one.metadata.namespace == namespace]
        return found if filter is None else [one for one in found if filter(one)]

    def write(self, change: Change) -> None:
        """Make the change, remember it, and tell who watches. The object carries the change's version already."""
        key = self.resource.key_of(change.object)
        if change.type == "DELETED":
            del self.objects[key]
        else:
            self.objects[key] = change.object
        history = self._history
        if len(history) == history.maxlen:
            self._oldest = history[1].version - 1 if history.maxlen > 1 else change.version - 1
        history.append(change)
        for watch in self.watches:
            watch.see(change)

    def watch(self, version: int, current: int, filter: Filter | None, bookmarks: bool, now: int) -> Watch:
        """Everything after the version; if it is 0, first what there is, as ADDED. ApiError (410) if it is too old."""
        if 0 < version < self._oldest:
            raise ApiError.expired(version, self._oldest)
        watch = Watch(self, version or current, filter, bookmarks)
        if version == 0:
            watch.pending.extend((now, WatchEvent("ADDED", one)) for one in self.items(filter=filter))
        else:
            history = self._history
            first = bisect_right(history, version, key=lambda change: change.version)
            for change in islice(history, first, None):
                watch.see(change)
        self.watches.append(watch)
        return watch

    def bookmark(self, version: int, now: int) -> None:
        """Tell those who want to know how far they have come."""
        metadata = ObjectMeta(resourceVersion=str(version))
        event = WatchEvent("BOOKMARK", self.resource.kind(metadata=metadata))
        for watch in self.watches:
            if watch.bookmarks:
                watch.send(now, event)
