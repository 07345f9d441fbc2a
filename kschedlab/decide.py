"""Scenarios in, verdicts out, one JSON object a line: the format of the conformance vectors (tests/conformance).

As in the program that made the vectors, pods go straight to the scheduling cycle, past the queue and its gates.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import msgspec

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.pods import PodInfo
from kschedlab.generations import GENERATIONS, Generation
from kschedlab.objects.manifests import ManifestError, decode_objects
from kschedlab.objects.model import Pod
from kschedlab.scheduler import Scheduler


class Scenario(msgspec.Struct):
    """A cluster and a pod of it to decide for, or a queue of pods that arrive one after the other."""

    objects: list[msgspec.Raw]
    id: str = ""
    pod: str = ""
    queue: list[msgspec.Raw] = []


def decide_lines(lines: Iterable[bytes | str], generation: str = "v1.37") -> Iterator[str]:
    """One verdict (JSON) for each scenario; with ``error`` if it can't be read. Blank lines are passed over."""
    table = GENERATIONS[generation]
    for line in lines:
        if line.strip():
            yield msgspec.json.encode(decide_line(line, table)).decode()


def decide_line(line: bytes | str, generation: Generation) -> dict[str, Any]:
    """The verdict for one scenario."""
    try:
        scenario = msgspec.json.decode(line, type=Scenario)
    except msgspec.MsgspecError as error:
        return {"id": "", "version": generation.name, "feasible": [], "error": f"not a scenario: {error}"}
    head = {"id": scenario.id, "version": generation.name}
    try:
        return head | (_placements(scenario, generation) if scenario.queue else _verdict(scenario, generation))
    except ManifestError as error:
        return head | {"feasible": [], "error": str(error)}


def _verdict(scenario: Scenario, generation: Generation) -> dict[str, Any]:
    cluster = Cluster(decode_objects(scenario.objects), generation.api)
    pod = cluster.pending.get(scenario.pod)
    if pod is None:
        return {"feasible": [], "error": f'pod "{scenario.pod}" is not in the scenario'}
    return Scheduler(cluster, generation, survey=True).cycle(pod).to_dict()


def _placements(scenario: Scenario, generation: Generation) -> dict[str, Any]:
    """Schedule the queue in its order. After a preemption the victims are gone at once, and the pod tries once more."""
    objects = decode_objects([*scenario.objects, *scenario.queue])
    arriving = [f"{m.namespace}/{m.name}" for m in (o.metadata for o in objects.pods[-len(scenario.queue) :])]
    cluster = Cluster(objects, generation.api)
    scheduler = Scheduler(cluster, generation, survey=True)
    waiting = {key: cluster.pending.pop(key) for key in arriving}
    placements = []
    for key in arriving:
        placement = _place(scheduler, waiting[key])
        if "error" in placement:
            return {"feasible": [], "error": f"{key}: {placement['error']}"}
        placements.append({"pod": key} | placement)
    return {"feasible": [], "placements": placements}


def _place(scheduler: Scheduler, pod: PodInfo) -> dict[str, Any]:
    victims: list[str] = []
    for last in (False, True):
        decision = scheduler.cycle(pod)
        if decision.error:
            return {"error": decision.error}
        if decision.node is None and (last or decision.nominated_node is None):
            break
        if decision.node is not None:
            scheduler.cluster.bind(replace(pod, start=_created(pod.pod)), decision.node)
            return {"node": decision.node} | ({"victims": victims} if victims else {})
        assert decision.preemption is not None
        victims = [victim.key for victim in decision.preemption.victims]
        scheduler.commit(decision)
        pod = _nominated(scheduler.cluster, pod, str(decision.nominated_node))
    return {"node": ""} | ({"victims": victims} if victims else {})


def _created(pod: Pod) -> int:
    """A placed pod starts when it was created."""
    return pod.metadata.creationTimestamp or 0


def _nominated(cluster: Cluster, pod: PodInfo, node: str) -> PodInfo:
    status = msgspec.structs.replace(pod.pod.status, nominatedNodeName=node)
    return replace(pod, pod=msgspec.structs.replace(pod.pod, status=status))
