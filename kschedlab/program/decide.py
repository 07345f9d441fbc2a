"""``kschedlab decide``: scenarios in, verdicts out, one JSON object per line, as in tests/conformance.

As in the generator of its vectors, pods skip the queue and its gates and go straight to the scheduling cycle.
"""

from __future__ import annotations

import argparse
import sys
import traceback
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any

import msgspec
from msgspec.structs import replace

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.pods import PodInfo
from kschedlab.explanation import NoProfileError
from kschedlab.extras import MissingExtraError
from kschedlab.generations import LATEST, Generation, Profiles, api_of, profile_for, profiles_of
from kschedlab.generations.feature_gates import FeatureGateError, chosen, with_gates
from kschedlab.manifests.loading import ManifestError, Objects, decode_objects
from kschedlab.objects.problems import quoted
from kschedlab.program import hooks
from kschedlab.program.arriving import arriving_pods, read_fields
from kschedlab.program.options import Commands, UsageError, add_scheduler, chosen_profiles, print_json
from kschedlab.scheduler import Scheduler

NOT_MODELLED = "not modelled"
"""The words of a warning about what kube-scheduler obeys and this package does not."""
LONGEST, ENDLESS = 64 << 20, 1 << 30
"""Bytes of the longest line that is read, and of a line so long that the program ends."""


def add(commands: Commands) -> None:
    parser = commands.add_parser("decide", help="answer scenarios (JSON lines on standard input) with verdicts")
    add_scheduler(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    for verdict in verdicts(_lines(sys.stdin.buffer), chosen_profiles(options)):
        print_json(verdict)
    return 0


def _lines(stream: IO[bytes]) -> Iterator[bytes]:
    """The lines; of a line that is too long only its beginning. UsageError if it does not end at all."""
    while line := stream.readline(LONGEST + 1):
        yield line
        skipped = 0
        while len(line) > LONGEST and not line.endswith(b"\n"):
            line = stream.readline(LONGEST + 1)
            skipped += len(line)
            if skipped > ENDLESS:
                raise UsageError("<stdin>: a line does not end: write one JSON object per line")


class Scenario(msgspec.Struct):
    """A cluster with the pod to decide for, or with a queue of pods that arrive one after another.

    ``extenders``: asked by every profile, after those of the configuration. ``featureGates``: set in every profile.
    ``podGroup``: decide for all pods of this group that wait, in place of ``pod``.
    """

    objects: list[msgspec.Raw]
    id: str = ""
    pod: str = ""
    queue: list[msgspec.Raw] = []
    extenders: msgspec.Raw = msgspec.Raw(b"[]")
    featureGates: dict[str, bool] = {}
    podGroup: str = ""


def decide_lines(lines: Iterable[bytes | str], generation: str | Profiles = LATEST) -> Iterator[str]:
    """One verdict (JSON) per scenario, with ``error`` if the scenario is unreadable. Blank lines are skipped.

    ``generation``: the name of a generation, a generation or profiles.
    """
    return (msgspec.json.encode(verdict).decode() for verdict in verdicts(lines, profiles_of(generation)))


def verdicts(lines: Iterable[bytes | str], profiles: Profiles) -> Iterator[dict[str, Any]]:
    """The verdicts of :func:`decide_lines` as plain data."""
    return (decide_line(line, profiles, number) for number, line in enumerate(lines, 1) if line.strip())


def decide_line(line: bytes | str, profiles: Profiles, number: int = 1) -> dict[str, Any]:
    """The verdict for one scenario. ``number``: of the line, for the errors in it."""
    version = profiles.name if isinstance(profiles, Generation) else ", ".join(g.name for g in profiles.values())
    head = {"id": "", "version": version}
    try:
        scenario = read_fields(line.encode() if isinstance(line, str) else line, Scenario)
        head["id"] = scenario.id
        gates = chosen(scenario.featureGates)
        profiles = with_gates(_extended(profiles, scenario.extenders), gates.modelled)
        answer = _answer(scenario, profiles)
        left_out = [*gates.notes, *answer.pop("notModelled", ())]
        return head | answer | ({"notModelled": left_out} if left_out else {})
    except FeatureGateError as error:
        fault = f"featureGates: {error}"
    except (ManifestError, MissingExtraError, UsageError) as error:
        fault = str(error)
    except Exception as error:  # noqa: BLE001  # a fault of ours costs one line, not those after it
        where = traceback.extract_tb(error.__traceback__)[-1]
        fault = f"{type(error).__name__}: {error} ({Path(where.filename).name}:{where.lineno}); please report it"
    return head | {"feasible": [], "error": f"line {number}: {fault}"}


def _answer(scenario: Scenario, profiles: Profiles) -> dict[str, Any]:
    if scenario.podGroup:
        verdict = hooks.part("pod_groups", "podGroup").group_verdict
        objects = decode_objects(scenario.objects)
        answer: dict[str, Any] = verdict(scenario.podGroup, scenario.objects, objects, profiles)
        return answer
    return _placements(scenario, profiles) if scenario.queue else _verdict(scenario, profiles)


def _verdict(scenario: Scenario, profiles: Profiles) -> dict[str, Any]:
    objects = decode_objects(scenario.objects)
    cluster = Cluster(objects, api_of(profiles))
    pod = cluster.pending.get(scenario.pod)
    if pod is None:
        runs, absent = "already runs on a node: remove its spec.nodeName", "is not in the scenario: add it to objects"
        raise UsageError(f"pod {quoted(scenario.pod)} {runs if scenario.pod in cluster.pod_keys() else absent}")
    generation = profile_for(pod.pod, profiles)
    if generation is None:
        return {"feasible": [], "error": str(NoProfileError(pod))}
    engine = Scheduler(cluster, generation, exhaustive=True)
    if generation.turned_on("GenericWorkload"):
        engine = hooks.part("pod_groups", "GenericWorkload").group_scheduler(engine, scenario.objects, objects)
    return engine.cycle(pod).to_dict() | _not_modelled(objects)


def _not_modelled(objects: Objects) -> dict[str, list[str]]:
    lines = [line for line in objects.report.lines() if NOT_MODELLED in line]
    return {"notModelled": lines} if lines else {}


def _extended(profiles: Profiles, tables: msgspec.Raw) -> Profiles:
    if bytes(tables) == b"[]":
        return profiles
    try:
        extenders = hooks.part("extenders", "extenders")(tables)
    except ValueError as error:
        raise UsageError(f"not a scenario: extenders: {error}") from None
    if isinstance(profiles, Generation):
        return profiles.extended_by(*extenders)
    return {name: generation.extended_by(*extenders) for name, generation in profiles.items()}


def _placements(scenario: Scenario, profiles: Profiles) -> dict[str, Any]:
    """Schedule the queue in order. After a preemption the victims vanish at once and the pod gets one more attempt."""
    objects = decode_objects(scenario.objects)
    arriving = arriving_pods(scenario.queue, objects)
    objects.pods += arriving
    cluster = Cluster(objects, api_of(profiles))
    waiting = {pod.key: cluster.pending.pop(pod.key) for pod in arriving}
    placements = []
    for key, pod in waiting.items():
        generation = profile_for(pod.pod, profiles)
        if generation is None:
            return {"feasible": [], "error": str(NoProfileError(pod))}
        placement = _place(Scheduler(cluster, generation, exhaustive=True), pod)
        if "error" in placement:
            return {"feasible": [], "error": f"{key}: {placement['error']}"}
        placements.append({"pod": key} | placement)
    return {"feasible": [], "placements": placements} | _not_modelled(objects)


def _place(scheduler: Scheduler, pod: PodInfo) -> dict[str, Any]:
    victims: list[str] = []
    for last in (False, True):
        decision = scheduler.cycle(pod)
        if decision.error:
            return {"error": decision.error}
        if decision.node is None and (last or decision.nominated_node is None):
            break
        if decision.node is not None:
            scheduler.cluster.bind(replace(pod, start=pod.pod.metadata.creationTimestamp or 0), decision.node)
            return {"node": decision.node} | ({"victims": victims} if victims else {})
        assert decision.preemption is not None
        victims = [victim.key for victim in decision.preemption.victims]
        scheduler.commit(decision)
        status = replace(pod.pod.status, nominatedNodeName=decision.nominated_node)
        pod = replace(pod, pod=replace(pod.pod, status=status))
    return {"node": ""} | ({"victims": victims} if victims else {})
