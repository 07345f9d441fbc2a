"""The server as a whole: scenario, plane, HTTP, and the kubeconfig that says where it is."""

from __future__ import annotations

import asyncio
import logging
import socket
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import uvicorn

from kschedlab.generations import Profiles, api_of
from kschedlab.objects.meta import ObjectMeta, Time
from kschedlab.objects.model import ApiObject, Namespace
from kschedlab_live.serve import kubeconfig
from kschedlab_live.serve.app import Application
from kschedlab_live.serve.bounds import Protocol
from kschedlab_live.serve.events import EventWriter
from kschedlab_live.serve.filling import filled
from kschedlab_live.serve.nodes import Registration
from kschedlab_live.serve.objects import ServedObjects
from kschedlab_live.serve.plane import Clock, Plane
from kschedlab_live.serve.security import new_token
from kschedlab_live.serve.verbs import Verbs
from kschedlab_live.wire.objects import typed
from kschedlab_simulation.log import LogEntry
from kschedlab_simulation.simulation import Simulation
from kschedlab_simulation.timeline.manifest_objects import ManifestObject
from kschedlab_simulation.timeline.scenario import Scenario

NAMESPACES = ("default", "kube-node-lease", "kube-public", "kube-system")
"""The namespaces of a new cluster."""

_KEEP_ALIVE = 180
"""Seconds until an idle connection is closed: more than the 90 after which Go's clients give one up themselves."""


_LOOK = 0.5
"""Seconds until the server sees that it should end."""


@dataclass(frozen=True)
class Serving:
    """Settings of a server. ``path``: of the kubeconfig; ``port``: 0 for any; ``scheduler``: whether ours runs."""

    path: Path
    port: int = 0
    speed: float = 1.0
    paused: bool = False
    scheduler: bool = True


class Server:
    """A served cluster. ``began``: the log of its beginning. ManifestError if the scenario has faults."""

    def __init__(
        self,
        scenario: Scenario,
        serving: Serving,
        profiles: str | Profiles | None = None,
        seed: int | None = None,
        plugins: Iterable[object] = (),
    ) -> None:
        self.serving = serving
        self.token = new_token()
        self._http: uvicorn.Server | None = None
        manifests = [_filled(manifest) for manifest in scenario.objects]
        start = scenario.options.start
        if start is None:
            start = int(Time.whole_second(time.time_ns() // 1000))
        scenario = replace(scenario, objects=[*manifests], options=replace(scenario.options, start=start))
        simulation = Simulation.of(scenario, profiles, seed, plugins, scheduler=serving.scheduler)
        generation = next(iter(simulation.scheduler.context.generations.values()))
        self.generation = generation.name
        self.objects = ServedObjects(simulation.api, api_of(generation))
        self.plane = Plane(simulation, Clock(start, serving.speed, serving.paused))
        events = EventWriter(self.objects.kept)
        self.plane.followers += [self.objects.follow, events.follow]
        if scenario.options.settings.kubelet is not None:
            self.plane.followers.append(Registration(simulation.api).follow)
        _add_namespaces(simulation, manifests)
        self.began: list[LogEntry] = []
        self.plane.followers.append(self.began.extend)
        self.plane.digest()
        self.plane.followers.pop()
        for manifest in manifests:
            self._keep_rest(manifest)

    def _keep_rest(self, manifest: ManifestObject) -> None:
        metadata = manifest.metadata
        namespace = metadata.namespace or "default"
        stored: Any = self.plane.api.find(type(manifest.obj), namespace, metadata.name)
        if stored is not None:
            self.objects.keep_rest(stored, manifest.data)

    def run(self, ready: Callable[[Server, int], None]) -> None:
        """Serve until interrupted. ``ready`` is called with the port once the server can be asked. OSError."""
        with socket.socket() as listening:
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listening.bind(("127.0.0.1", self.serving.port))
            port = listening.getsockname()[1]
            with suppress(KeyboardInterrupt):
                asyncio.run(self._serve(listening, port, ready))
            kubeconfig.remove(self.serving.path, port, self.token)

    def stop(self) -> None:
        """End :meth:`run`."""
        if self._http is not None:
            self._http.should_exit = True

    async def _serve(self, listening: socket.socket, port: int, ready: Callable[[Server, int], None]) -> None:
        app = Application(self.plane, Verbs(self.objects), self.token, port, self.generation)
        self._http = server = _Http(
            uvicorn.Config(
                app,
                http=Protocol,
                log_level=logging.CRITICAL,  # its log would show the token, which is in the path
                access_log=False,
                lifespan="off",
                ws="none",
                server_header=False,
                date_header=False,
                timeout_keep_alive=_KEEP_ALIVE,
                timeout_graceful_shutdown=1,
                h11_max_incomplete_event_size=64 * 1024,
            )
        )
        following = asyncio.create_task(self.plane.run())
        serving = asyncio.create_task(server.serve(sockets=[listening]))
        while not server.started and not serving.done():
            await asyncio.sleep(0.01)
        if server.started:
            kubeconfig.write(self.serving.path, port, self.token)
            ready(self, port)
        await asyncio.wait([serving, following], return_when=asyncio.FIRST_COMPLETED)
        server.should_exit = True
        following.cancel()
        await serving
        with suppress(asyncio.CancelledError):
            await following


class _Http(uvicorn.Server):
    """Looks twice a second whether to end. uvicorn looks ten times, which is most of what an idle server costs."""

    async def main_loop(self) -> None:
        """Wait for the end."""
        while not self.should_exit:
            await asyncio.sleep(_LOOK)


def _filled(manifest: ManifestObject) -> ManifestObject:
    """The object with the API server's defaults for what the simulation does not read."""
    kind: type[ApiObject] = type(manifest.obj)
    data = filled(kind.__name__, manifest.data)
    return manifest if data is manifest.data else manifest._replace(obj=typed(data, kind), data=data)


def _add_namespaces(simulation: Simulation, manifests: list[ManifestObject]) -> None:
    """Create the namespaces of a new cluster, and those that the objects are in."""
    names = {*NAMESPACES, *(m.metadata.namespace for m in manifests if m.resource.namespaced)} - {""}
    for name in sorted(names):
        if simulation.api.find(Namespace, "", name) is None:
            simulation.api.restore(Namespace(metadata=ObjectMeta(name=name)))
