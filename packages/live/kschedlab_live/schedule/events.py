"""Events as the cluster stores them: one for each kind of news about an object, a series when it repeats.

v1.37: k8s.io/client-go tools/events (event_broadcaster.go, event_recorder.go).
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Any

import msgspec

from kschedlab_live.schedule.client import JSON, Client
from kschedlab_live.schedule.election import present
from kschedlab_live.schedule.reflector import Note
from kschedlab_live.wire.objects import STRATEGIC
from kschedlab_simulation.log import Recorded
from kschedlab_simulation.status import ApiError

QUEUED = 1_000
"""Maximum number of waiting events; more are dropped."""
WRITERS = 4
FINISH, REFRESH = 6 * 60.0, 30 * 60.0
"""Seconds without a repetition that end a series; and after which a running one is written again."""
TRIES, PAUSE = 12, 10.0
"""Attempts for an event that the server does not answer, and seconds between them."""
Find = Callable[[str, str], Any]
"""The object of this kind and key, or None."""


class EventSink:
    """Writes events. ``host``: where the scheduler runs; ``find``: finds what an event is about."""

    def __init__(self, client: Client, host: str, find: Find, note: Note) -> None:
        self.dropped = 0
        self._client = client
        self._host = host
        self._find = find
        self._note = note
        self._queue: asyncio.Queue[dict[str, Any]] = asyncio.Queue(QUEUED)
        self._known: dict[tuple[str, ...], dict[str, Any]] = {}
        self._observed: dict[tuple[str, ...], float] = {}
        self._tasks: list[asyncio.Task[None]] = []

    def __call__(self, event: Recorded) -> None:
        """Take an event; it is written soon."""
        regarding = self._reference(event.kind, event.key)
        about = regarding.get("uid", ""), regarding.get("resourceVersion", "")
        key = event.by, event.type, event.reason, event.action, event.kind, event.key, event.related, *about
        self._observed[key] = time.monotonic()
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = self._event(event, regarding)
        elif "series" in known:
            known["series"] = {"count": known["series"]["count"] + 1, "lastObservedTime": present()}
            return
        else:
            known["series"] = {"count": 2, "lastObservedTime": present()}
        self._put(known)

    def _put(self, event: dict[str, Any]) -> None:
        try:
            self._queue.put_nowait(dict(event))
        except asyncio.QueueFull:
            self.dropped += 1

    def _reference(self, kind: str, key: str) -> dict[str, str]:
        """A reference to the object. v1.37: k8s.io/client-go tools/reference/ref.go."""
        namespace, _, name = key.rpartition("/")
        reference = {"kind": kind, "apiVersion": "v1", "name": name}
        if namespace:
            reference["namespace"] = namespace
        obj = self._find(kind, key)
        if obj is not None:
            metadata = obj.metadata
            own = {"apiVersion": obj.apiVersion, "uid": metadata.uid, "resourceVersion": metadata.resourceVersion}
            reference |= own
        return reference

    def _event(self, event: Recorded, regarding: dict[str, str]) -> dict[str, Any]:
        namespace = regarding.get("namespace", "default")
        related = {"related": self._reference(*event.related.split(" ", 1))} if event.related else {}
        return {
            "apiVersion": "events.k8s.io/v1",
            "kind": "Event",
            "metadata": {"name": f"{regarding['name']}.{time.time_ns():x}", "namespace": namespace},
            "eventTime": present(),
            "type": event.type,
            "reason": event.reason,
            "action": event.action or "Scheduling",
            "note": event.message,
            "regarding": regarding,
            **related,
            "reportingController": event.by,
            "reportingInstance": f"{event.by}-{self._host}",
        }

    # -- writing

    def start(self) -> None:
        """Start to write."""
        jobs = [self._write_all() for _ in range(WRITERS)] + [self._look_after()]
        self._tasks = [asyncio.get_running_loop().create_task(job) for job in jobs]

    async def close(self, patience: float) -> None:
        """Write what waits, for that many seconds at most."""
        try:
            async with asyncio.timeout(patience):
                await self._queue.join()
        except TimeoutError:
            pass
        for task in self._tasks:
            task.cancel()

    async def _write_all(self) -> None:
        while True:
            event = await self._queue.get()
            try:
                await self._write(event)
            finally:
                self._queue.task_done()

    async def _write(self, event: dict[str, Any]) -> None:
        for _ in range(TRIES):
            try:
                return await self._send(event)
            except ApiError as error:
                if error.code == 409 and "series" not in event:
                    return
                if error.code < 500 and error.code != 409:
                    self._note(f"an event was refused: {error}")
                    return
            await asyncio.sleep(PAUSE)

    async def _send(self, event: dict[str, Any]) -> None:
        metadata = event["metadata"]
        path = f"/apis/events.k8s.io/v1/namespaces/{metadata['namespace']}/events"
        if "series" in event:
            patch = msgspec.json.encode({"series": event["series"]})
            try:
                await self._client.request("PATCH", f"{path}/{metadata['name']}", patch, STRATEGIC)
                return
            except ApiError as error:
                if error.code != 404:
                    raise
        await self._client.request("POST", path, msgspec.json.encode(event), JSON)

    async def _look_after(self) -> None:
        """End the series that no longer repeat; write the running ones now and then."""
        refreshed = time.monotonic()
        while True:
            await asyncio.sleep(FINISH)
            self.finish(time.monotonic() - FINISH)
            if time.monotonic() - refreshed >= REFRESH:
                refreshed = time.monotonic()
                for event in self._known.values():
                    if "series" in event:
                        self._put(event)

    def finish(self, before: float) -> None:
        """End what was last observed before this moment (``time.monotonic()``)."""
        for key in [key for key, at in self._observed.items() if at < before]:
            del self._observed[key]
            event = self._known.pop(key)
            if "series" in event:
                self._put(event)
