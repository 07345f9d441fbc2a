"""The scheduler as a service: synchronize, win the lease, schedule until told to stop.

v1.37: cmd/kube-scheduler/app/server.go (Run).
"""

from __future__ import annotations

import asyncio
import random
import signal
import socket
import time
import uuid
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from kschedlab.generations import Profiles
from kschedlab.manifests.decoding import KINDS
from kschedlab_live.schedule.access import Access, AccessError
from kschedlab_live.schedule.api import LiveApi
from kschedlab_live.schedule.client import Client
from kschedlab_live.schedule.clock import WallClock
from kschedlab_live.schedule.election import Election
from kschedlab_live.schedule.events import EventSink
from kschedlab_simulation.log import Log, LogEntry, Recorded
from kschedlab_simulation.scheduler.context import Latencies
from kschedlab_simulation.scheduler.http import LOCAL, HttpServer
from kschedlab_simulation.scheduler.kube_scheduler import KubeScheduler

PATIENCE = 5.0
"""Seconds in which requests under way and events may end when the service stops."""
STUCK = 60.0
"""Seconds without a turn of the loop after which the service is unhealthy."""
NO_DELAY = Latencies(cycle=0, preempt=0, bind=0, status=0, delete=0)
"""Real requests take their own time."""

Say = Callable[[str], None]


@dataclass(frozen=True)
class Settings:
    """The settings of a scheduler.

    ``name``: the schedulerName if ``profiles`` is one generation; ``seed``: of the choice between equal nodes, None
    for chance. ``lease``: (namespace, name), or None to schedule without one; the namespace "" is that of our pod, or
    kube-system. ``port``: of the HTTP server, None without one. ``verbose``: show each event.
    """

    profiles: Profiles
    name: str = "kschedlab"
    percentage: int | None = None
    seed: int | None = None
    lease: tuple[str, str] | None = ("", "kschedlab")
    address: str = LOCAL
    port: int | None = None
    verbose: bool = False


class _NoLog(Log):
    """A service does not keep all that happened."""

    def write(self, entry: LogEntry) -> None:
        """Drop the entry."""


class Service:
    """One scheduler on one cluster. :meth:`run` it; ``scheduler`` is what runs."""

    def __init__(self, access: Access, settings: Settings, say: Say) -> None:
        self._access = access
        self._settings = settings
        self._say = say
        self._clock = WallClock()
        self._client, self._lease_client = Client(access), Client(access)
        self.api = LiveApi(self._clock, self._client, say)
        self.scheduler = KubeScheduler(
            self._clock,
            self.api,
            settings.profiles,
            _NoLog(),
            name=settings.name,
            percentage=settings.percentage,
            rng=random.Random(settings.seed),
            latencies=NO_DELAY,
        )
        self._sink = EventSink(self._client, socket.gethostname(), self._find, say)
        self._election: Election | None = None
        if settings.lease is not None:
            identity = f"{socket.gethostname()}_{uuid.uuid4()}"
            namespace, name = settings.lease
            namespace = namespace or access.namespace or "kube-system"
            self._election = Election(self._lease_client, namespace, name, identity, say)
        self.http: HttpServer | None = None
        self._synced = asyncio.Event()

    def _find(self, kind: str, key: str) -> Any:
        return self.api.find(KINDS[kind], *_split(key))

    @property
    def fault(self) -> str:
        """The fault of the service, or ""."""
        if time.monotonic() - self._clock.turned > STUCK:
            return "the scheduler's loop stands still"
        if self._election is not None and not self._election.healthy:
            return "the lease has ended, and the loop goes on"
        return self.api.fault

    async def run(self, stop: asyncio.Event | None = None) -> int:
        """Schedule until SIGTERM, SIGINT or ``stop``: 0; 1 if the lease or the way to the cluster is lost."""
        stop = stop or asyncio.Event()
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            with suppress(NotImplementedError, ValueError):  # not in this thread, or not on this system
                loop.add_signal_handler(number, stop.set)
        settings = self._settings
        if settings.port is not None:
            self.http = self._serve(settings.port)
        driving = loop.create_task(self._clock.drive())
        leading = loop.create_task(self._lead())
        reaching = loop.create_task(self._reach())
        stopping = loop.create_task(stop.wait())
        tasks = (driving, leading, reaching, stopping)
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            if driving.done():
                driving.result()
            lost = next((task.result() for task in (leading, reaching) if task.done()), "")
            if lost:
                self.api.may_write = False
                self._say(lost)
            await self._stop(driving)
            return 1 if lost else 0
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            await self._close()

    async def _reach(self) -> str:
        """Look every second whether the way to the cluster is still there. Returns why it is not."""
        while not (fault := self._access.fault):
            await asyncio.sleep(1.0)
        return fault

    def _serve(self, port: int) -> HttpServer:
        metrics, address = self.scheduler.context.metrics.text, self._settings.address
        try:
            server = HttpServer(metrics, self._synced.is_set, port, address, lambda: self.fault)
        except OSError as error:
            why = error.strerror or error
            raise AccessError(f"cannot listen on {address}:{port}: {why}: choose another --port or --address") from None
        self._say(f"serves /healthz, /livez, /readyz and /metrics on {server.url}")
        return server

    async def _lead(self) -> str:
        """Synchronize, win the lease and schedule. Returns why the lease is lost."""
        scheduler, loop = self.scheduler, asyncio.get_running_loop()
        names = ", ".join(scheduler.context.generations)
        self._say(f"schedules pods of schedulerName {names} in {self._access.place}")
        self._sink.start()
        sinks: Iterable[Callable[[Recorded], None]] = (self._sink, self._show)
        scheduler.context.broadcaster.start(*sinks)
        scheduler.informers.start()
        scheduler.informers.synced.callbacks.append(lambda _: self._synced.set())
        await self._synced.wait()
        sizes = scheduler.context.cache.sizes()
        self._say(f"synchronized: {sizes['nodes']} nodes, {sizes['pods']} pods on them")
        if self._election is not None:
            await self._election.acquire()
        self._clock.process(scheduler.run())
        if self._election is None:
            await loop.create_future()
            return ""
        return await self._election.hold()

    def _show(self, event: Recorded) -> None:
        if self._settings.verbose:
            self._say(f"{event.type} {event.reason} {event.kind} {event.key}: {event.message}")

    async def _stop(self, driving: asyncio.Task[None]) -> None:
        """Pop no further pod; let bindings end that are under way, write the events, give the lease up."""
        self.scheduler.loop.stop()
        end = time.monotonic() + PATIENCE
        while self.api.calls and not driving.done() and time.monotonic() < end:
            await asyncio.sleep(0.01)
        await self._sink.close(max(0.1, end - time.monotonic()) if self.api.may_write else 0.0)
        self.api.may_write = False
        if self._election is not None:
            await self._election.release()
        self._say("stopped")

    async def _close(self) -> None:
        if self.http is not None:
            await asyncio.to_thread(self.http.close)
        await self.api.close()
        await self._client.close()
        await self._lease_client.close()


def _split(key: str) -> tuple[str, str]:
    namespace, _, name = key.rpartition("/")
    return namespace, name


def run(access: Access, settings: Settings, say: Say) -> int:
    """Run the service until it ends; its exit status. AccessError."""

    async def serve() -> int:
        return await Service(access, settings, say).run()

    return asyncio.run(serve())
