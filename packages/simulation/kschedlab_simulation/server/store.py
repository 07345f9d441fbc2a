"""Objects of one kind, their recent changes, and their watches.

v1.37: k8s.io/apiserver pkg/storage/cacher (watch_cache.go, watch_cache_history.go, cache_watcher.go): a watch starts
from a resourceVersion that the history still covers, and receives each change as its filter translates it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any, NamedTuple

import msgspec

from kschedlab.objects.kinds import Resource
from kschedlab.objects.meta import ObjectMeta
from kschedlab_simulation.status import ApiError

ObjectFilter = Callable[[Any], bool]
"""Selects the objects of a list or a watch."""

HISTORY = 102_400
"""Default number of changes kept per kind: the maximum size of the real watch cache."""

_replace = msgspec.structs.replace


class WatchEvent(NamedTuple):
    """``type``: ADDED, MODIFIED, DELETED, BOOKMARK or ERROR; ``object``: its current or last state, or a Status."""

    type: str
    object: Any


class StoreWrite(NamedTuple):
    """One write. ``previous``: the object before it, None for a new one; ``at``: microseconds since 1970."""

    at: int
    version: int
    type: str
    object: Any
    previous: Any


class Watch:
    """A subscription: ``pending`` holds (microseconds since 1970, event), oldest first.

    ``on_event`` is called when an empty ``pending`` receives an event, and when the watch ends; it must not do more
    than schedule work. Iterating removes the pending events.
    """

    def __init__(self, store: Store, since: int, filter: ObjectFilter | None, bookmarks: bool) -> None:
        self.pending: deque[tuple[int, WatchEvent]] = deque()
        self.on_event: Callable[[], None] | None = None
        self.closed = False
        self.bookmarks = bookmarks
        self._store = store
        self._since = since
        self._filter = filter

    def deliver(self, change: StoreWrite) -> None:
        """Queue the change as the filter translates it: an object that stops matching is DELETED, in its last match."""
        if change.version <= self._since:
            return
        event = _event_for(change, self._filter)
        if event is not None:
            self.send(change.at, event)

    def send(self, at: int, event: WatchEvent) -> None:
        self.pending.append((at, event))
        if len(self.pending) == 1 and self.on_event is not None:
            self.on_event()

    def stop(self) -> None:
        """End the watch, for the client or the server. Pending events can still be read."""
        if not self.closed:
            self.closed = True
            self._store.watches.remove(self)
            if self.on_event is not None:
                self.on_event()

    def __iter__(self) -> Iterator[WatchEvent]:
        while self.pending:
            yield self.pending.popleft()[1]


def _event_for(change: StoreWrite, filter: ObjectFilter | None) -> WatchEvent | None:
    if filter is None:
        return WatchEvent(change.type, change.object)
    matches = change.type != "DELETED" and filter(change.object)
    matched = change.previous is not None and filter(change.previous)
    if matches:
        return WatchEvent("MODIFIED" if matched else "ADDED", change.object)
    return WatchEvent("DELETED", with_resource_version(change.previous, change.version)) if matched else None


def with_resource_version(obj: Any, version: int) -> Any:
    """The object (of any kind) with this resourceVersion."""
    return _replace(obj, metadata=_replace(obj.metadata, resourceVersion=str(version)))


class Store:
    """Objects of one kind by key. ``history``: how many changes it keeps.

    ``watches``: the open ones; ``objects``: in creation order; ``followers``: called after each write.
    """

    def __init__(self, resource: Resource, history: int = HISTORY) -> None:
        self.resource = resource
        self.objects: dict[str, Any] = {}
        self.watches: list[Watch] = []
        self.followers: list[Callable[[Store, StoreWrite], None]] = []
        self._history: deque[StoreWrite] = deque(maxlen=history)
        self._oldest = 1

    def items(self, namespace: str | None = None, filter: ObjectFilter | None = None) -> list[Any]:
        """The objects in key order, as etcd returns them."""
        items = [self.objects[key] for key in sorted(self.objects)]
        if namespace is not None:
            items = [item for item in items if item.metadata.namespace == namespace]
        return items if filter is None else [item for item in items if filter(item)]

    def write(self, change: StoreWrite) -> None:
        """Apply the change, keep it in the history, and notify the watches. The object already has its new version."""
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
            watch.deliver(change)
        for follower in self.followers:
            follower(self, change)

    @property
    def changes(self) -> int:
        """The number of changes in the history."""
        return len(self._history)

    def forget_oldest(self) -> None:
        """Forget the oldest change. A watch that has not read it yet ends, and its client lists again."""
        gone = self._history.popleft()
        self._oldest = gone.version
        for watch in [watch for watch in self.watches if watch.pending]:
            if int(watch.pending[0][1].object.metadata.resourceVersion) <= gone.version:
                watch.pending.clear()
                watch.stop()

    def watch(self, version: int, current: int, filter: ObjectFilter | None, bookmarks: bool, now: int) -> Watch:
        """Watch changes after the version; 0 sends the current objects first, as ADDED. ApiError (410) if too old."""
        if 0 < version < self._oldest:
            raise ApiError.expired(version, self._oldest)
        watch = Watch(self, version or current, filter, bookmarks)
        if version == 0:
            watch.pending.extend((now, WatchEvent("ADDED", item)) for item in self.items(filter=filter))
        else:
            history = self._history
            first = bisect_right(history, version, key=lambda change: change.version)
            for change in islice(history, first, None):
                watch.deliver(change)
        self.watches.append(watch)
        return watch

    def bookmark(self, version: int, now: int) -> None:
        """Send the version to the watches that want bookmarks."""
        metadata = ObjectMeta(resourceVersion=str(version))
        event = WatchEvent("BOOKMARK", self.resource.kind(metadata=metadata))
        for watch in self.watches:
            if watch.bookmarks:
                watch.send(now, event)
