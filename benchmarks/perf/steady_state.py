"""Keeps the scheduler busy for a while: each pod that it has scheduled is deleted, and another one created.

v1.37: test/integration/scheduler_perf/executor.go (createPodsSteadily).
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from functools import partial
from typing import Any

import simpy

from kschedlab.objects.model import Pod
from kschedlab_simulation.server.api import ApiServer


def keep_busy(
    env: simpy.Environment, api: ApiServer, namespace: str, duration: int, create: Callable[[], None], by: str
) -> Generator[simpy.Event, Any, int]:
    """Replace the namespace's pods as they are scheduled, for that many microseconds. Returns how many there were.

    ``create``: creates one pod. ApiError.
    """
    end, scheduled = api.now + duration, 0
    watch = api.watch(Pod, str(api.version), namespace=namespace, filter=lambda pod: bool(pod.spec.nodeName))
    while api.now < end:
        wake_up = env.event()
        watch.on_event = partial(_fire, wake_up)
        yield wake_up | env.timeout(end - api.now)
        watch.on_event = None
        for event in watch:
            if event.type == "ADDED" and api.now < end:
                scheduled += 1
                api.delete(Pod, namespace, event.object.metadata.name, grace_seconds=0, by=by)
                create()
    watch.stop()
    return scheduled


def _fire(event: simpy.Event) -> None:
    event.succeed()
