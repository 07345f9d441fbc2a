"""A verdict for a pod group: ``podGroup`` in a scenario of ``kschedlab decide``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.pods import PodInfo
from kschedlab.explanation import NoProfileError
from kschedlab.generations import Generation, Profiles, api_of, profile_for
from kschedlab.groups.cycle import GroupDecision, Verdict, decide, fault
from kschedlab.groups.group import SUCCESS, group_name, min_count
from kschedlab.manifests.decoding import Origin, decode, named_origin, strict_json
from kschedlab.manifests.loading import Objects
from kschedlab.manifests.validation import faults_of
from kschedlab.objects.model import PodGroup
from kschedlab.objects.problems import ManifestError, quoted
from kschedlab.program.options import UsageError
from kschedlab.scheduler import Scheduler

Groups = dict[tuple[str, str], PodGroup]
NEEDS = "podGroup needs featureGates: {GenericWorkload: true}"


def group_verdict(key: str, raws: Iterable[msgspec.Raw], objects: Objects, profiles: Profiles) -> dict[str, Any]:
    """The verdict for the waiting pods of the group ``namespace/name``. UsageError, ManifestError."""
    groups = pod_groups(raws)
    every = [profiles] if isinstance(profiles, Generation) else profiles.values()
    if not all(dict(each.feature_gates).get("GenericWorkload") for each in every):
        raise UsageError(NEEDS)
    namespace, _, name = key.partition("/")
    group = groups.get((namespace, name))
    if group is None:
        raise UsageError(f"pod group {quoted(key)} is not in the scenario: add it to objects")
    cluster = Cluster(objects, api_of(profiles))
    waiting = [pod for pod in cluster.pending.values() if group_key(pod) == (namespace, name)]
    running = [
        pod
        for pod in objects.pods
        if pod.spec.nodeName and (pod.metadata.namespace, group_name(pod)) == (namespace, name)
    ]
    if not waiting:
        raise UsageError(f"no pod of the pod group {quoted(key)} waits")
    generation = profile_for(waiting[0].pod, profiles)
    if generation is None:
        return {"error": str(NoProfileError(waiting[0]))}
    gates = dict(generation.feature_gates)
    if len(waiting) + len(running) < min_count(group):
        return {"placements": [_placement(pod.key) for pod in waiting], "victims": [], "condition": None}
    waiting.sort(key=lambda pod: -pod.priority)
    if why := fault(group, [pod.pod for pod in waiting], running, gates.get("PodGroupPreemptionPolicy", False)):
        placements = sorted((_placement(pod.key, message=why) for pod in waiting), key=lambda each: each["pod"])
        return {"placements": placements, "victims": [], "condition": _condition("False", "SchedulerError", why)}
    scheduler = Scheduler(cluster, generation, percentage=100)
    found = decide(scheduler, group, waiting, len(running), lambda *key: groups.get(key))
    return verdict_of(found)


def pod_groups(raws: Iterable[msgspec.Raw]) -> Groups:
    """The PodGroups among the objects, by namespace and name. ManifestError."""
    groups, problems = Groups(), []
    for index, raw in enumerate(raws):
        data = strict_json(raw)
        if not isinstance(data, dict) or data.get("kind") != "PodGroup":
            continue
        found, faults = decode(data, "PodGroup")
        assert isinstance(found, PodGroup)
        origin = named_origin(Origin(None, index, ()), data.get("metadata"), "PodGroup")
        problems += [origin.problem(each) for each in faults or faults_of(found)]
        groups[found.metadata.namespace or "default", found.metadata.name] = found
    if problems:
        raise ManifestError(problems)
    return groups


def group_key(pod: PodInfo) -> tuple[str, str]:
    """The namespace and the name of the pod's group."""
    return pod.pod.metadata.namespace, group_name(pod.pod)


def verdict_of(found: GroupDecision) -> dict[str, Any]:
    """The decision as plain data: every pod's node, or its message and nomination; victims; the group's condition."""
    placements = []
    for each in found.verdicts:
        placements.append(_placement(each.pod.key, each.node, each.message, _nominated(each)))
    victims = found.preemption.victims if found.preemption is not None else ()
    evicted = sorted(pod.key for pod in victims if pod.pod.metadata.deletionTimestamp is None)
    status, reason = ("True", "Scheduled") if found.status.code == SUCCESS else ("False", _reason(found))
    return {
        "placements": sorted(placements, key=lambda placement: placement["pod"]),
        "victims": evicted,
        "condition": _condition(status, reason, found.status.message),
    }


def _nominated(verdict: Verdict) -> str:
    """The pod's nominated node after the cycle, unless it is bound."""
    kept = verdict.pod.pod.status.nominatedNodeName if verdict.nominated is None else verdict.nominated
    return "" if verdict.node else kept


def _reason(found: GroupDecision) -> str:
    return "Unschedulable" if found.status.rejected else "SchedulerError"


def _condition(status: str, reason: str, message: str) -> dict[str, str]:
    return {"status": status, "reason": reason, "message": message}


def _placement(pod: str, node: str = "", message: str = "", nominated: str = "") -> dict[str, str]:
    more = {"message": message, "nominated": nominated}
    return {"pod": pod, "node": node} | {name: value for name, value in more.items() if value}
