"""Plays a scenario twice: with the real kube-scheduler against the served cluster, and with ours.

Both have the same API server, controllers and kubelets. The real scheduler's clock is the one on the wall, so this
takes as long as the scenario does.
"""

from __future__ import annotations

import asyncio
import socket
import subprocess
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx

from kschedlab_live.serve.kinds import EVENTS
from kschedlab_live.serve.server import Server, Serving
from kschedlab_simulation.log import Changed, Recorded
from kschedlab_simulation.simulation import Simulation
from kschedlab_simulation.timeline.scenario import Scenario, loads_scenario
from packages.live.tests.real.hybrid.outcome import Observer, Outcome

SECOND = 1_000_000
LATER = SECOND
"""When the timeline begins: the real scheduler has listed the initial objects by then."""

SETTLED = 4 * SECOND
"""How long after the last thing that our scheduler did the real one is watched."""

CONFIGURATION = """\
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
leaderElection: {{leaderElect: false}}
clientConnection:
  {{kubeconfig: {path}, contentType: application/json, acceptContentTypes: application/json, qps: 5000, burst: 5000}}
"""


def read(text: str) -> Scenario:
    """The scenario, with its timeline a little later."""
    scenario = loads_scenario(text)
    return replace(scenario, entries=[each._replace(at=each.at + LATER) for each in scenario.entries])


def ours(text: str, seed: int) -> tuple[Outcome, int]:
    """What comes of it with our scheduler, and the microseconds after which nothing happens to pods any more."""
    scenario = read(text)
    simulation = Simulation.of(scenario, seed=seed)
    until = scenario.options.until
    simulation.run(None if until is None else until + LATER)
    observer = Observer()
    observer.follow(simulation.log)
    last = max(
        (e.at for e in simulation.log if (isinstance(e, Changed) and e.kind == "Pod") or isinstance(e, Recorded)),
        default=simulation.start,
    )
    return observer.finish(), last - simulation.start


class _Play:
    """One run with the real scheduler."""

    def __init__(self, text: str, program: Path, folder: Path, seconds: float) -> None:
        self._program = program
        self._folder = folder
        self._seconds = seconds
        self._observer = Observer()
        self._fault: BaseException | None = None
        self._server = Server(read(text), Serving(folder / "kubeconfig", paused=True, scheduler=False))
        self._server.plane.followers.append(self._observer.follow)
        self._task: asyncio.Task[None] | None = None

    def run(self) -> Outcome:
        self._server.run(self._ready)
        if self._fault is not None:
            raise self._fault
        events: Iterable[Any] = self._server.objects.kept.store(EVENTS).items()
        for each in events:
            self._observer.event(self._server.objects.kept.json(each))
        return self._observer.finish()

    def _ready(self, _: Server, __: int) -> None:
        self._task = asyncio.get_running_loop().create_task(self._play())

    async def _play(self) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        configuration = self._folder / "scheduler.yaml"
        configuration.write_text(CONFIGURATION.format(path=self._folder / "kubeconfig"))
        command = [self._program, f"--config={configuration}", "--bind-address=127.0.0.1", f"--secure-port={port}"]
        with (self._folder / "scheduler.log").open("w") as log:
            process = subprocess.Popen([*command, f"--cert-dir={self._folder / 'certs'}"], stdout=log, stderr=log)
        try:
            await asyncio.wait_for(self._until_ready(port, process), 60)
            self._server.plane.clock.run(paused=False)
            self._server.plane.wake()
            await asyncio.sleep(self._seconds)  # the scenario takes as long as it takes
        except BaseException as error:
            self._fault = error
        finally:
            process.kill()
            process.wait()
            self._server.stop()

    async def _until_ready(self, port: int, process: subprocess.Popen[bytes]) -> None:
        async with httpx.AsyncClient(verify=False) as client:  # its certificate is its own
            while True:
                if process.poll() is not None:
                    raise AssertionError((self._folder / "scheduler.log").read_text()[-2000:])
                with suppress(httpx.HTTPError):
                    if (await client.get(f"https://127.0.0.1:{port}/readyz")).status_code == 200:
                        return
                await asyncio.sleep(0.1)


def real(text: str, program: Path, folder: Path, microseconds: int) -> Outcome:
    """What comes of it with the real scheduler, observed for that long."""
    return _Play(text, program, folder, (microseconds + SETTLED) / SECOND).run()
