"""The whole loop gives the placements of the real scheduler, for pods that arrive one by one.

The program that made these vectors calls the scheduling cycle directly. Hence three differences: a retried pod tries
all nodes, not its nominated one first; victims have no grace period; and a pod without a feasible node is not retried.
"""

import dataclasses
import json
import os
from collections.abc import Generator
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
import pytest
import simpy

from kschedlab.manifests.loading import decode_objects
from kschedlab.objects.model import Pod
from kschedlab.program.decide import Scenario
from kschedlab_simulation.log import Log
from kschedlab_simulation.scheduler.kube_scheduler import KubeScheduler
from kschedlab_simulation.server.api import ApiServer
from kschedlab_simulation.status import ApiError
from packages.simulation.tests.plane import NOON, SECOND
from tests.conformance.compare import read
from tests.course import GENERATIONS
from tests.samples import sampled

VECTORS = Path(os.environ.get("KSCHEDLAB_VECTORS") or Path(__file__).parents[3] / "tests" / "conformance")
THEME = "queue.jsonl.gz"


@pytest.mark.parametrize("part", sampled(range(4), 1))
@pytest.mark.parametrize("generation", GENERATIONS)
def test_queue_placements_of_the_whole_loop_are_those_of_the_real_scheduler(generation: str, part: int) -> None:
    scenarios = [msgspec.json.decode(line, type=Scenario) for line in read(VECTORS / "scenarios" / THEME)]
    expected = {verdict["id"]: verdict for verdict in map(json.loads, read(VECTORS / generation / THEME))}
    assert scenarios and len(scenarios) == len(expected)
    for scenario in scenarios[part::4]:
        wanted = [_sorted(placement) for placement in expected[scenario.id]["placements"]]
        assert placements(scenario, generation) == wanted, scenario.id


def placements(scenario: Scenario, generation: str) -> list[dict[str, Any]]:
    """The loop's node and victims for each pod in the queue."""
    objects = decode_objects([*scenario.objects, *scenario.queue])
    arriving = objects.pods[-len(scenario.queue) :]
    del objects.pods[-len(scenario.queue) :]
    table = dataclasses.replace(GENERATIONS[generation], nominated_node_first=False)
    env, log = simpy.Environment(initial_time=NOON), Log()
    api = ApiServer(env, log, table.api)
    KubeScheduler(env, api, table, log, percentage=100).start()
    env.process(kubelet(env, api))
    env.run(until=env.now + 1)
    for document in objects:
        api.restore(document)
    return [arrival(env, api, pod) for pod in arriving]


def arrival(env: simpy.Environment, api: ApiServer, pod: Pod) -> dict[str, Any]:
    """Create the pod, and run for a minute."""
    before = {other.key for other in api.list(Pod)[0]}
    api.restore(pod)
    env.run(until=env.now + 60 * SECOND)
    victims = before - {other.key for other in api.list(Pod)[0]}
    node = api.get(Pod, pod.metadata.namespace, pod.metadata.name).spec.nodeName
    if not node:
        api.delete(Pod, pod.metadata.namespace, pod.metadata.name, 0)
    return {"pod": pod.key, "node": node} | ({"victims": sorted(victims)} if victims else {})


def kubelet(env: simpy.Environment, api: ApiServer) -> Generator[simpy.Event, Any, None]:
    """Delete victims at once, and start assigned pods at their creation time."""
    watch, bell = api.watch(Pod, api.list(Pod)[1]), env.event()

    def ring() -> None:
        if not bell.triggered:
            bell.succeed()

    watch.on_event = ring
    while True:
        for event in watch:
            metadata, status = event.object.metadata, event.object.status
            with suppress(ApiError):  # already deleted
                if metadata.deletionTimestamp is not None:
                    api.delete(Pod, metadata.namespace, metadata.name, 0)
                elif event.object.spec.nodeName and status.startTime is None:
                    api.patch_status(Pod, metadata.namespace, metadata.name, startTime=metadata.creationTimestamp)
        bell = env.event()
        yield bell


def _sorted(placement: dict[str, Any]) -> dict[str, Any]:
    return placement | ({"victims": sorted(placement["victims"])} if "victims" in placement else {})
