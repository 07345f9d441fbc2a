"""A served cluster in a thread of this process: for a notebook's kernel, beside which kubectl runs in a terminal."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress

from msgspec.structs import replace

from kschedlab.objects.model import Deployment
from kschedlab_live.serve import kubeconfig
from kschedlab_live.serve.server import Server

_PATIENCE = 20.0
"""Seconds until a server that does not come up, or does not end, is given up."""


class Background:
    """Runs the server in a thread that ends with the process. OSError, KubeconfigError if it cannot be started."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.port = 0
        self._loop: asyncio.AbstractEventLoop | None = None
        self._problem: Exception | None = None
        self._up = threading.Event()
        self._thread = threading.Thread(target=self._run, name="kschedlab serve", daemon=True)
        self._thread.start()
        if not self._up.wait(_PATIENCE):
            raise OSError(f"the server has not come up within {_PATIENCE:g} s")
        if self._problem is not None:
            raise self._problem

    @property
    def alive(self) -> bool:
        """Whether the server runs."""
        return self._thread.is_alive()

    @property
    def now(self) -> int:
        """The cluster's time, in microseconds."""
        return self.server.plane.clock.now()

    def named(self) -> bool:
        """Whether the kubeconfig still names this server: another one may have replaced it."""
        return kubeconfig.names(self.server.serving.path, self.port, self.server.token)

    def call(self, act: Callable[[Server], None]) -> None:
        """Let the server's own thread do this, as soon as it has time."""
        if self._loop is not None and self.alive:
            with suppress(RuntimeError):  # the loop was closed a moment ago
                self._loop.call_soon_threadsafe(act, self.server)

    def pause(self, paused: bool) -> None:
        """Let the cluster's time stand, or run."""

        def act(server: Server) -> None:
            server.plane.advance()
            server.plane.clock.run(paused=paused)
            server.plane.wake()

        self.call(act)

    def scale(self, deployment: str, replicas: int) -> None:
        """Give a Deployment of the default namespace so many replicas, as ``kubectl scale`` does. One that is not there
        is left alone: somebody may have deleted it."""

        def act(server: Server) -> None:
            plane = server.plane
            plane.advance()
            found = plane.api.find(Deployment, "default", deployment)
            if found is not None:
                plane.api.update(replace(found, spec=replace(found.spec, replicas=replicas)), by="kubectl")
                plane.digest()
                plane.wake()

        self.call(act)

    def stop(self) -> None:
        """End the server, and wait until its kubeconfig is removed."""
        self.server.stop()
        self._thread.join(_PATIENCE)

    def _run(self) -> None:
        try:
            self.server.run(self._ready)
        except Exception as problem:  # noqa: BLE001  # the constructor raises it in the caller's thread
            self._problem = problem
        finally:
            self._up.set()

    def _ready(self, server: Server, port: int) -> None:
        self.port, self._loop = port, asyncio.get_running_loop()
        self._up.set()
