"""A verdict for a pod group: ``podGroup`` in a scenario of ``kschedlab decide``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from kschedlab.cluster.cluster import Cluster
from kschedlab.explanation import NoProfileError
from kschedlab.generations import Generation, Profiles, api_of, profile_for
from kschedlab.manifests.checks import faults_of
from kschedlab.manifests.decoding import Origin, decode, named_origin, strict_json
from kschedlab.manifests.defaults import with_defaults
from kschedlab.manifests.loading import Objects
from kschedlab.objects.model import PersistentVolumeClaim, Pod, PodGroup, ResourceClaim
from kschedlab.objects.problems import ManifestError, quoted
from kschedlab.program.options import UsageError
from kschedlab.scheduler import Scheduler
from kschedlab_devices.claims import GROUPS, is_reserved_for
from kschedlab_groups.cycle import GroupDecision, PodVerdict, decide, fault
from kschedlab_groups.group import SUCCESS, min_count
from kschedlab_groups.place import PlacementTrial
from kschedlab_groups.queued_group import GroupKey, group_of, key_of
from kschedlab_groups.victims import GroupScheduler

NEEDS = "podGroup needs featureGates: {GenericWorkload: true}"


@dataclass(frozen=True)
class GroupsOf:
    """The groups and the pods of a scenario, as :class:`~kschedlab_groups.group.Groups`."""

    by_key: Mapping[GroupKey, PodGroup]
    pods: Sequence[Pod]

    def find(self, namespace: str, name: str) -> PodGroup | None:
        """The group, or None."""
        return self.by_key.get((namespace, name))

    def scheduled(self, key: GroupKey) -> list[Pod]:
        """The group's pods that have a node."""
        return [pod for pod in self.pods if pod.spec.nodeName and group_of(pod) == key]


def group_verdict(key: str, raws: Iterable[msgspec.Raw], objects: Objects, profiles: Profiles) -> dict[str, Any]:
    """The verdict for the waiting pods of the group ``namespace/name``. UsageError, ManifestError."""
    groups = GroupsOf(pod_groups(raws), objects.pods)
    every = [profiles] if isinstance(profiles, Generation) else profiles.values()
    if not all(each.turned_on("GenericWorkload") for each in every):
        raise UsageError(NEEDS)
    namespace, _, name = key.partition("/")
    group = groups.find(namespace, name)
    if group is None:
        raise UsageError(f"pod group {quoted(key)} is not in the scenario: add it to objects")
    cluster = Cluster(objects, api_of(profiles))
    waiting = [pod for pod in cluster.pending.values() if group_of(pod.pod) == (namespace, name)]
    running = groups.scheduled((namespace, name))
    if not waiting:
        raise UsageError(f"no pod of the pod group {quoted(key)} waits")
    generation = profile_for(waiting[0].pod, profiles)
    if generation is None:
        return {"error": str(NoProfileError(waiting[0]))}
    if len(waiting) + len(running) < min_count(group):
        return {"placements": [_placement(pod.key) for pod in waiting], "victims": [], "condition": None}
    waiting.sort(key=lambda pod: -pod.priority)
    if why := fault(group, [pod.pod for pod in waiting], running, generation.turned_on("PodGroupPreemptionPolicy")):
        placements = sorted((_placement(pod.key, message=why) for pod in waiting), key=lambda each: each["pod"])
        return {"placements": placements, "victims": [], "condition": _condition("False", "SchedulerError", why)}
    scheduler = Scheduler(cluster, generation, percentage=100)
    return verdict_of(decide(scheduler, group, waiting, groups))


def group_scheduler(engine: Scheduler, raws: Iterable[msgspec.Raw], objects: Objects) -> Scheduler:
    """The scheduler with the groups among the objects. ManifestError."""
    knowing = GroupScheduler(engine.cluster, engine.generation, exhaustive=engine.exhaustive)
    knowing.groups = GroupsOf(pod_groups(raws), objects.pods)
    return knowing


def pod_groups(raws: Iterable[msgspec.Raw]) -> dict[GroupKey, PodGroup]:
    """The PodGroups among the objects, by namespace and name. ManifestError."""
    groups, problems = dict[GroupKey, PodGroup](), []
    for index, raw in enumerate(raws):
        data = strict_json(raw)
        if not isinstance(data, dict) or data.get("kind") != "PodGroup":
            continue
        group, faults = decode(data, "PodGroup")
        assert isinstance(group, PodGroup)
        origin = named_origin(Origin(None, index, ()), data.get("metadata"), "PodGroup")
        problems += [origin.problem(each) for each in faults or faults_of(group)]
        group = with_defaults(group, {})
        groups[key_of(group)] = group
    if problems:
        raise ManifestError(problems)
    return groups


def verdict_of(decision: GroupDecision) -> dict[str, Any]:
    """The decision as plain data: every pod's node, or its message and nomination; victims; the group's condition.

    ``devices`` of a pod, ``volumes``: what claims get; ``deallocated``: claims that are given back; ``domains``: where
    it was tried, with TopologyAwareWorkloadScheduling. With DRAWorkloadResourceClaims, ``devices`` of the group,
    ``reserved`` and ``unreserved`` are those of claims that are reserved for the group.
    """
    placements = []
    for verdict in decision.verdicts:
        made = _placement(verdict.pod.key, verdict.node, verdict.message, _nominated(verdict))
        placements.append(made | ({"devices": devices} if (devices := _devices(verdict, "pods")) else {}))
    victims = decision.preemption.victims if decision.preemption is not None else ()
    evicted = sorted(pod.key for pod in victims if pod.pod.metadata.deletionTimestamp is None)
    status, reason = ("True", "Scheduled") if decision.status.code == SUCCESS else ("False", _reason(decision))
    return {
        "placements": sorted(placements, key=lambda placement: placement["pod"]),
        "victims": evicted,
        "condition": _condition(status, reason, decision.status.message),
    } | {name: value for name, value in _more(decision).items() if value}


def _more(decision: GroupDecision) -> dict[str, Any]:
    """The rarer parts of a verdict: the group's own claims, volumes, claims that are given back, and domains."""
    back = [each.claim for each in decision.given_back if each.claim is not None and not each.deleted]
    return {
        "devices": dict(pair for each in reversed(decision.verdicts) for pair in _devices(each, GROUPS).items()),
        "reserved": sorted({_key(claim) for verdict in decision.verdicts for claim in _reserved(verdict)}),
        "unreserved": sorted(_key(claim) for claim in back if claim.status.allocation is not None),
        "volumes": dict(pair for verdict in decision.verdicts for pair in _volumes(verdict)),
        "deallocated": sorted(_key(claim) for claim in back if claim.status.allocation is None),
        "domains": [_domain(placement) for placement in decision.placements],
    }


def _devices(verdict: PodVerdict, of: str) -> dict[str, list[str]]:
    """The devices of the claims that are allocated in this cycle. ``of``: the resource that they are reserved for."""
    devices, pod = verdict.taken.devices, verdict.pod.pod
    if devices is None:
        return {}
    return {
        _key(claim): [f"{result.driver}/{result.pool}/{result.device}" for result in allocation.devices.results]
        for index, (claim, allocation) in enumerate(zip(devices.claims, devices.allocations, strict=True))
        if allocation is not None and devices.consumer(index, pod).resource == of
    }


def _reserved(verdict: PodVerdict) -> list[ResourceClaim]:
    """The pod's claims that are to be reserved for its group."""
    devices, pod = verdict.taken.devices, verdict.pod.pod
    if devices is None:
        return []
    shared = [each for i, each in enumerate(devices.claims) if devices.consumer(i, pod).resource == GROUPS]
    return [claim for claim in shared if not is_reserved_for(claim, pod, for_group=True)]


def _volumes(verdict: PodVerdict) -> Iterator[tuple[str, str]]:
    """The pod's unbound claims with their volumes, "" for a new one."""
    if (volumes := verdict.taken.volumes) is not None:
        for volume, claim in zip(volumes.volumes, volumes.for_claims, strict=True):
            yield _key(claim), volume.metadata.name
        for claim in volumes.claims:
            yield _key(claim), ""


def _key(claim: ResourceClaim | PersistentVolumeClaim) -> str:
    return f"{claim.metadata.namespace}/{claim.metadata.name}"


def _domain(tried: PlacementTrial) -> dict[str, Any]:
    """The number of pods with a node in the domain, the scores if there were several domains, or why it cannot be."""
    pods = sum(bool(pod.node) for pod in tried.pods)
    more: dict[str, Any] = {"scores": dict(tried.scores), "message": tried.status.message}
    return {"domain": tried.placement, "pods": pods} | {name: value for name, value in more.items() if value}


def _nominated(verdict: PodVerdict) -> str:
    """The pod's nominated node after the cycle, unless it is bound."""
    kept = verdict.pod.pod.status.nominatedNodeName if verdict.nominated is None else verdict.nominated
    return "" if verdict.node else kept


def _reason(decision: GroupDecision) -> str:
    return "Unschedulable" if decision.status.rejected else "SchedulerError"


def _condition(status: str, reason: str, message: str) -> dict[str, str]:
    return {"status": status, "reason": reason, "message": message}


def _placement(pod: str, node: str = "", message: str = "", nominated: str = "") -> dict[str, Any]:
    more = {"message": message, "nominated": nominated}
    return {"pod": pod, "node": node} | {name: value for name, value in more.items() if value}
