"""Start-up: from a configuration to a running scheduler, step by step.

v1.16: cmd/kube-scheduler/app/server.go, Run, as in the overview document; v1.13 and v1.37: the same file. Leader
election is on by default (v1.16: k8s.io/component-base, config/v1alpha1/defaults.go).
"""

from __future__ import annotations

import random
from collections.abc import Generator, Iterable
from typing import Any

import simpy

from kschedlab.generations import Generation, Profiles
from kschedlab.manifests.sources import Source
from kschedlab_configuration.loading import load_configuration
from kschedlab_simulation.events import Sink
from kschedlab_simulation.log import Log
from kschedlab_simulation.scheduler.context import Latencies
from kschedlab_simulation.scheduler.http import HttpServer
from kschedlab_simulation.scheduler.kube_scheduler import DEFAULT_LATENCIES, KubeScheduler
from kschedlab_simulation.server.interface import Api

CONFIGURATION, ALGORITHMS, SCHEDULER = "load configuration", "load algorithms", "create scheduler"
BROADCASTER, HTTP = "start event broadcaster", "start HTTP server"
INFORMERS, SYNCED = "start informers", "informers synced"
ELECTION, RUN = "leader election", "run"


class StartUp:
    """All steps of the real program before it schedules the first pod, each logged.

    ``configuration``: a kube-scheduler configuration, as for :func:`~kschedlab_configuration.load_configuration`; it
    changes the ``generation``. ``port``: of the HTTP server (0: any free one; None: no server). ``sinks``: receive
    every event. :class:`KubeScheduler` has the others. ManifestError if the configuration is invalid.

    ``scheduler`` exists at once; after :meth:`start` it runs once the informers have synced. :meth:`close`, or the end
    of a with statement, stops the HTTP server.
    """

    def __init__(
        self,
        env: simpy.Environment,
        api: Api,
        generation: Profiles,
        log: Log,
        *,
        configuration: Source | None = None,
        port: int | None = None,
        sinks: Iterable[Sink] = (),
        percentage: int | None = None,
        rng: random.Random | None = None,
        plugins: Iterable[object] = (),
        latencies: Latencies = DEFAULT_LATENCIES,
    ) -> None:
        self._env = env
        self._sinks = tuple(sinks)
        self._port = port
        self.http: HttpServer | None = None
        profiles = generation
        if configuration is not None:
            base = generation if isinstance(generation, Generation) else None
            profiles = load_configuration(configuration, base)
        self.scheduler = KubeScheduler(
            env, api, profiles, log, percentage=percentage, rng=rng, plugins=plugins, latencies=latencies
        )
        self._note(CONFIGURATION, "defaults" if configuration is None else "from a file")
        for name, each in self.scheduler.context.generations.items():
            self._note(ALGORITHMS, _algorithms(name, each))
        self._note(SCHEDULER, ", ".join(self.scheduler.context.generations))

    def _note(self, step: str, detail: str = "") -> None:
        self.scheduler.context.note(step, detail)

    def start(self) -> None:
        """Take the remaining steps, the last ones once the informers have synced."""
        scheduler = self.scheduler
        self._note(BROADCASTER)
        scheduler.context.broadcaster.start(*self._sinks)
        if self._port is not None:
            self.http = HttpServer(scheduler.context.metrics.text, lambda: scheduler.running, self._port)
            self._note(HTTP, "/healthz /metrics")
        self._note(INFORMERS)
        scheduler.informers.start()
        self._env.process(self._run())

    def _run(self) -> Generator[Any, Any, None]:
        yield self.scheduler.informers.synced
        self._note(SYNCED)
        self._note(ELECTION, "leads at once: it is the only scheduler")
        self._note(RUN)
        yield from self.scheduler.run()

    def close(self) -> None:
        if self.http is not None:
            self.http.close()

    def __enter__(self) -> StartUp:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _algorithms(name: str, generation: Generation) -> str:
    filters = ", ".join(plugin.name for plugin in generation.filters)
    scores = ", ".join(f"{each.name}={weight}" for each, weight in generation.scores)
    return f"{name}: {generation.name}: filter {filters}; score {scores}"
