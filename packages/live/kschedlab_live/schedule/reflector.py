"""Lists and watches one kind, whatever the server and the network do meanwhile.

v1.37: k8s.io/client-go tools/cache/reflector.go. A failed list is tried again; a watch that breaks off resumes where it
was; what the server no longer remembers (410) is listed again. A kind that the server does not have counts as empty.
"""

from __future__ import annotations

import asyncio
import math
import random
import time
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

import httpx

from kschedlab.objects.kinds import RESOURCES
from kschedlab.objects.model import ApiObject, Pod
from kschedlab.objects.problems import quoted
from kschedlab_live.schedule.access import AccessError
from kschedlab_live.schedule.client import Client, TooLongError, answered_with
from kschedlab_live.schedule.clock import WallClock
from kschedlab_live.schedule.decoding import decode_frame, decode_list, decode_object
from kschedlab_simulation.informers import UNFINISHED
from kschedlab_simulation.server.store import ObjectFilter, WatchEvent
from kschedlab_simulation.status import ApiError

PAGE, MOST_PAGES = "500", 1_000
"""Objects in a page of a list, and the most pages: three times the pods that Kubernetes supports in a cluster."""
FIRST_PAUSE, LONGEST_PAUSE = 0.8, 30.0
"""Seconds before the second try, and at most."""
SHORT = 1.0
"""A watch that never opened, or ends within so many seconds, is tried again after a pause."""
WATCH_SECONDS = (300, 600)
"""The seconds until the server ends a watch: drawn at random, so that not all end at once."""
ABSENT_PAUSE = 60.0
"""Seconds until we look again whether the server has the kind."""

_SELECTORS: dict[type[ApiObject], str] = {Pod: UNFINISHED}
_TYPES = frozenset(("ADDED", "MODIFIED", "DELETED", "BOOKMARK"))
_BROKEN = (httpx.HTTPError, OSError, AccessError, TooLongError, ValueError)

Note = Callable[[str], None]
"""Says one line to whoever runs the scheduler."""


def path_of(kind: type[ApiObject], namespace: str = "", name: str = "", subresource: str = "") -> str:
    """The path of a kind, an object or its subresource: ``/api/v1/namespaces/default/pods/web/binding``."""
    resource, version = RESOURCES[kind], kind().apiVersion
    parts = ["", "apis" if resource.group else "api", version]
    if resource.namespaced and namespace:
        parts += ["namespaces", namespace]
    return "/".join([*parts, resource.name, *filter(None, (name, subresource))])


def pauses() -> Iterator[float]:
    """The seconds before each further try: they double, and are never quite the same for two clients."""
    pause = FIRST_PAUSE
    while True:
        yield pause * random.uniform(1.0, 1.5)
        pause = min(2 * pause, LONGEST_PAUSE)


class _ErrorEvent(Exception):  # noqa: N818  # as the API calls it
    """An event of type ERROR, the last one of a watch."""

    def __init__(self, error: ApiError) -> None:
        super().__init__(str(error))
        self.error = error


class LiveWatch:
    """The events for an informer: see :class:`~kschedlab_simulation.server.store.Watch`. ``ended``: by the server."""

    def __init__(self) -> None:
        self.pending: deque[tuple[int, WatchEvent]] = deque()
        self.on_event: Callable[[], None] | None = None
        self.closed = False
        self.ended = False
        self.task: asyncio.Task[None] | None = None

    def send(self, at: int, event: WatchEvent) -> None:
        """Append the event."""
        self.pending.append((at, event))
        if len(self.pending) == 1 and self.on_event is not None:
            self.on_event()

    def stop(self) -> None:
        """End the watch."""
        self.closed = True
        if self.task is not None:
            self.task.cancel()
        if self.on_event is not None:
            self.on_event()


class Reflector:
    """Keeps up with one kind. ``known``: the objects by key, as last seen; ``filter``: those that count."""

    def __init__(
        self, clock: WallClock, client: Client, kind: type[ApiObject], note: Note, filter: ObjectFilter | None = None
    ) -> None:
        self.known: dict[str, Any] = {}
        self._clock = clock
        self._client = client
        self._kind = kind
        self._note = note
        self._filter = filter
        self._resource = RESOURCES[kind]
        self._path = path_of(kind)
        self._query = {"fieldSelector": _SELECTORS[kind]} if kind in _SELECTORS else {}
        self._absent = False
        self._noted: dict[str, str] = {}
        self._watching: LiveWatch | None = None

    def close(self) -> None:
        """End the watch."""
        if self._watching is not None:
            self._watching.stop()

    # -- list

    async def list_all(self) -> tuple[list[Any], str]:
        """The objects and their version; tries until it works."""
        for pause in pauses():
            try:
                items, version = await self._list()
            except (ApiError, *_BROKEN) as error:
                self._tell("list", error)
                await asyncio.sleep(pause)
                continue
            self._noted.pop("list", None)
            objects = [obj for obj in items if self._filter is None or self._filter(obj)]
            self.known = {self._resource.key_of(obj): obj for obj in objects}
            return objects, version
        raise AssertionError  # the pauses have no end

    async def _list(self) -> tuple[list[Any], str]:
        query: dict[str, str] = self._query | {"limit": PAGE}
        items: list[Any] = []
        for _ in range(MOST_PAGES):
            try:
                page, version, more = decode_list(
                    self._kind, await self._client.request("GET", self._path, query=query)
                )
            except ApiError as error:
                if error.code == 404:
                    self._absent = True
                    return [], ""
                if error.code == 410 and "continue" in query:  # it took too long: all at once
                    query, items = self._query, []
                    continue
                raise
            items += page
            self._absent = False
            if not more:
                return items, version
            query = self._query | {"limit": PAGE, "continue": more}
            await asyncio.sleep(0)
        raise ValueError(f"the server's list does not end: {MOST_PAGES:,} pages were read")

    # -- watch

    def watch(self, version: str) -> LiveWatch:
        """Watch from this version on. An event of type ERROR says: list again."""
        watch = self._watching = LiveWatch()
        watch.task = asyncio.get_running_loop().create_task(self._follow_on(watch, version))
        return watch

    @property
    def fault(self) -> str:
        """Why nothing can come from the watch any more, or ""."""
        watch = self._watching
        if watch is None or watch.closed or watch.ended or watch.task is None or not watch.task.done():
            return ""
        return f"{self._resource.qualified} are not watched any more"

    async def _follow_on(self, watch: LiveWatch, version: str) -> None:
        """Follow, whatever comes: what nobody expected is said, and the kind is listed again."""
        try:
            await self._follow(watch, version)
        except Exception as error:  # noqa: BLE001  # nobody awaits this task: it would die in silence
            self._tell("watch", error)
            await asyncio.sleep(next(pauses()))
            self._end(watch)

    async def _follow(self, watch: LiveWatch, version: str) -> None:
        pausing = pauses()
        while not watch.closed:
            if self._absent:
                await asyncio.sleep(ABSENT_PAUSE)
                return self._end(watch)
            began = math.inf
            try:
                async with self._client.stream(self._path, self._watch_query(version)) as lines:
                    began = time.monotonic()
                    async for line in lines:
                        version = self._received(watch, line)
            except _ErrorEvent as event:  # client-go lists again, whatever the error is
                if event.error.code != 410:
                    self._tell("watch", event.error)
                    await asyncio.sleep(next(pausing))
                return self._end(watch)
            except ApiError as error:
                if error.code in (410, 404, 504):  # forgotten, gone, or never reached
                    return self._end(watch)
                self._tell("watch", error)
            except _BROKEN as error:
                self._tell("watch", error)
            if time.monotonic() - began > SHORT:
                pausing = pauses()
                self._noted.pop("watch", None)
            else:
                await asyncio.sleep(next(pausing))

    def _watch_query(self, version: str) -> dict[str, str]:
        seconds = str(random.randint(*WATCH_SECONDS))
        own = {"watch": "1", "resourceVersion": version, "allowWatchBookmarks": "true", "timeoutSeconds": seconds}
        return self._query | own

    def _received(self, watch: LiveWatch, line: bytes) -> str:
        """Pass the event on; an object that no longer counts is deleted. Returns the version that it leads to."""
        type, raw = decode_frame(line)
        if type == "ERROR":
            raise _ErrorEvent(answered_with(None, bytes(raw)))
        if type not in _TYPES:
            raise ValueError(f"{quoted(type)} is not a type of event")
        obj = decode_object(self._kind, raw)
        key, version = self._resource.key_of(obj), obj.metadata.resourceVersion
        if type != "BOOKMARK" and self._filter is not None and not self._filter(obj):
            if key not in self.known:
                return version
            type = "DELETED"
        if type == "DELETED":
            self.known.pop(key, None)
        elif type != "BOOKMARK":
            self.known[key] = obj
        watch.send(self._clock.now, WatchEvent(type, obj))  # type: ignore[arg-type]  # whole microseconds
        return version

    def _end(self, watch: LiveWatch) -> None:
        watch.ended = True
        watch.send(self._clock.now, WatchEvent("ERROR", None))  # type: ignore[arg-type]

    def _tell(self, doing: str, error: Exception) -> None:
        """Say it once, not at each try."""
        text = f"cannot {doing} {self._resource.qualified}: {str(error) or type(error).__name__}"
        if isinstance(error, ApiError) and error.code == 403:
            text += f" (grant the verbs list and watch on {self._resource.qualified})"
        if text != self._noted.get(doing):
            self._noted[doing] = text
            self._note(text)
