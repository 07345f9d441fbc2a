"""``kschedlab decide``: scenarios in, verdicts out, one JSON object per line.

The format is the same as in the conformance vectors (tests/conformance).

As in the generator of the vectors, pods skip the queue and its gates and go straight to the scheduling cycle.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import msgspec

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.pods import PodInfo
from kschedlab.explanation import NoProfileError
from kschedlab.generations import LATEST, Generation, Profiles, api_of, profile_for, profiles_of
from kschedlab.manifests.loading import ManifestError, decode_objects
from kschedlab.objects.model import Pod
from kschedlab.program.options import Commands, add_scheduler, chosen_profiles
from kschedlab.scheduler import Scheduler


def add(commands: Commands) -> None:
    """Add the command."""
    parser = commands.add_parser("decide", help="answer scenarios (JSON lines on standard input) with verdicts")
    add_scheduler(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Answer each line of standard input."""
    for verdict in decide_lines(sys.stdin.buffer, chosen_profiles(options)):
        print(verdict)
    return 0


class Scenario(msgspec.Struct):
    """A cluster with the pod to decide for, or with a queue of pods that arrive one after another."""

    objects: list[msgspec.Raw]
    id: str = ""
    pod: str = ""
    queue: list[msgspec.Raw] = []


def decide_lines(lines: Iterable[bytes | str], generation: str | Profiles = LATEST) -> Iterator[str]:
    """One verdict (JSON) per scenario, with ``error`` if the scenario is unreadable. Blank lines are skipped.

    ``generation``: the name of a generation, a generation or profiles.
    """
    profiles = profiles_of(generation)
    for line in lines:
        if line.strip():
            yield msgspec.json.encode(decide_line(line, profiles)).decode()


def decide_line(line: bytes | str, profiles: Profiles) -> dict[str, Any]:
    """The verdict for one scenario."""
    version = profiles.name if isinstance(profiles, Generation) else ", ".join(g.name for g in profiles.values())
    try:
        scenario = msgspec.json.decode(line, type=Scenario)
    except msgspec.MsgspecError as error:
        return {"id": "", "version": version, "feasible": [], "error": f"not a scenario: {error}"}
    head = {"id": scenario.id, "version": version}
    try:
        return head | (_placements(scenario, profiles) if scenario.queue else _verdict(scenario, profiles))
    except ManifestError as error:
        return head | {"feasible": [], "error": str(error)}


def _verdict(scenario: Scenario, profiles: Profiles) -> dict[str, Any]:
    cluster = Cluster(decode_objects(scenario.objects), api_of(profiles))
    pod = cluster.pending.get(scenario.pod)
    if pod is None:
        return {"feasible": [], "error": f'pod "{scenario.pod}" is not in the scenario'}
    generation = profile_for(pod.pod, profiles)
    if generation is None:
        return {"feasible": [], "error": str(NoProfileError(pod))}
    return Scheduler(cluster, generation, exhaustive=True).cycle(pod).to_dict()


def _placements(scenario: Scenario, profiles: Profiles) -> dict[str, Any]:
    """Schedule the queue in order. After a preemption the victims vanish at once and the pod gets one more attempt."""
    objects = decode_objects([*scenario.objects, *scenario.queue])
    arriving = [f"{m.namespace}/{m.name}" for m in (o.metadata for o in objects.pods[-len(scenario.queue) :])]
    cluster = Cluster(objects, api_of(profiles))
    waiting = {key: cluster.pending.pop(key) for key in arriving}
    placements = []
    for key in arriving:
        generation = profile_for(waiting[key].pod, profiles)
        if generation is None:
            return {"feasible": [], "error": str(NoProfileError(waiting[key]))}
        placement = _place(Scheduler(cluster, generation, exhaustive=True), waiting[key])
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
