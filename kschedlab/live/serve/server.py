"""The server as a whole: scenario, plane, HTTP, and the kubeconfig that says where it is."""

from __future__ import annotations

import asyncio
import socket
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import uvicorn
from msgspec.structs import replace

from kschedlab.generations import Generation, Profiles, api_of
from kschedlab.live.serve import kubeconfig
from kschedlab.live.serve.app import Application
from kschedlab.live.serve.clock import Clock
from kschedlab.live.serve.events import EventWriter
from kschedlab.live.serve.filling import filled
from kschedlab.live.serve.objects import ServedObjects
from kschedlab.live.serve.plane import Plane
from kschedlab.live.serve.security import new_token
from kschedlab.live.serve.verbs import Verbs
from kschedlab.live.wire.reading import typed
from kschedlab.objects.meta import ObjectMeta, Time
from kschedlab.objects.model import ApiObject, Namespace
from kschedlab.simulation.simulation import Simulation
from kschedlab.simulation.status import ApiError
from kschedlab.simulation.timeline.manifest_objects import ManifestObject
from kschedlab.simulation.timeline.scenario import Scenario

NAMESPACES = ("default", "kube-node-lease", "kube-public", "kube-system")
"""The namespaces of a new cluster."""


@dataclass(frozen=True)
class Serving:
    """How to serve. ``path``: of the kubeconfig; ``port``: 0 for any free one; ``scheduler``: whether ours runs."""

    path: Path
    port: int = 0
    speed: float = 1.0
    paused: bool = False
    scheduler: bool = True


def simulation_of(
    scenario: Scenario, profiles: str | Profiles | None, seed: int | None, plugins: Any = (), scheduler: bool = True
) -> tuple[Simulation, ServedObjects, EventWriter]:
    """The simulation of a scenario at the present time, and its objects as they are served. ManifestError."""
    scenario.objects[:] = [_filled(each) for each in scenario.objects]
    scenario.objects.extend(_namespaces(scenario.objects))
    if scenario.options.start is None:
        from dataclasses import replace as changed

        scenario.options = changed(scenario.options, start=int(Time.whole_second(time.time_ns() // 1000)))
    simulation = Simulation.of(scenario, profiles, seed, plugins, scheduler=scheduler)
    generations = simulation.scheduler.context.generations
    objects = ServedObjects(simulation.api, api_of(next(iter(generations.values()))))
    for manifest in scenario.objects:
        stored: Any = simulation.api.find(type(manifest.obj), manifest.metadata.namespace or "default", manifest.metadata.name)
        objects.keep_rest(stored, manifest.data)
    events = EventWriter(objects.kept)
    return simulation, objects, events
