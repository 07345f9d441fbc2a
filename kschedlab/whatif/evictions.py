"""The fewest pods whose eviction makes room for a pod, wherever they run.

kube-scheduler evicts on the node that it makes room on and nowhere else (v1.37: pkg/scheduler/framework/preemption),
and spares a node's most important pods, so that many may go for one. A person may evict any pod, also one that keeps
the pod off another node by podAntiAffinity in their zone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from msgspec.structs import replace as put

from kschedlab.cluster.incoming import FORBIDDEN, incoming_pod
from kschedlab.cluster.pods import PodInfo
from kschedlab.decision import Decision
from kschedlab.objects.model import controller_of
from kschedlab.whatif.case import Case, ranked, with_spec
from kschedlab.whatif.thresholds import HIGHEST_PRIORITY

ABOVE_USERS = HIGHEST_PRIORITY + 1
"""Above the priority of every pod but those of the system, which must not be evicted."""
TRIES, DOMAINS = 100, 5
"""The most evictions, and the most groups of pods that keep it off by podAntiAffinity, that are tried."""

Pods = tuple[PodInfo, ...]


@dataclass(frozen=True, eq=False)
class SmallestEviction:
    """The smallest set of pods whose eviction makes room. ``where``: their nodes; ``node``: where the pod fits then.

    ``decision``: the decision after their eviction.
    """

    node: str
    victims: Pods
    decision: Decision
    where: tuple[str, ...]


def eviction(case: Case) -> SmallestEviction | None:
    """The fewest pods whose eviction makes room, or None; pods that come back there count for more.

    Of sets of the same size it takes the one whose most important pod is the least important; the system's pods stay.
    The pod must really fit afterwards.
    """
    sets = {frozenset(pod.key for pod in pods): pods for pods in _sets(case)}
    for pods in sorted(sets.values(), key=_cost)[:TRIES]:
        after = case.without(pods)
        if after.fits(case.info) and (decision := after.decide()).node is not None:
            where = tuple(dict.fromkeys(case.cluster.names[_position(case, pod)] for pod in pods))
            node = where[0] if where[0] in decision.names else decision.node
            return SmallestEviction(node, pods, decision, where)
    return None


def _cost(pods: Pods) -> tuple[int, int, int, list[str]]:
    return sum(map(_of_daemon_set, pods)), len(pods), max(pod.priority for pod in pods), [pod.key for pod in pods]


def _of_daemon_set(info: PodInfo) -> bool:
    owner = controller_of(info.pod.metadata)
    return owner is not None and owner.kind == "DaemonSet"


def _sets(case: Case) -> Iterator[Pods]:
    yield from _selected(case)
    yield from _alone(case)
    for pods in _keeping_off(case):
        yield pods
        yield from ((*pods, *more) for more in _selected(case.without(pods)))


def _selected(case: Case) -> list[Pods]:
    """The victims that preemption would select on each node, if the pod were more important than all of users."""
    info = ranked(put(case.info, pod=with_spec(case.info.pod, preemptionPolicy=None)), ABOVE_USERS)
    preemption = case.decide(info).preemption
    if preemption is None or preemption.run is None:
        return []
    pods, run = case.cluster.pods, preemption.run
    sets = (tuple(map(pods.info, run.victims_on(each).tolist())) for each in preemption.positions.tolist())
    return [each for each in sets if each]


def _alone(case: Case) -> Iterator[Pods]:
    """Each single pod of a full node that holds at least as much as the pod lacks there."""
    cluster, request = case.cluster, case.info.request
    lacking = {}
    for resource, row in cluster.resources.items():
        if wanted := request.get(resource, 0):
            lacking[resource] = wanted - (cluster.allocatable[row, :] - cluster.requested[row, :])
    full = cluster.pods_on >= cluster.max_pods
    for position in np.flatnonzero(np.any([full, *(each > 0 for each in lacking.values())], axis=0)).tolist():
        for info in map(cluster.pods.info, cluster.pods_of(position).tolist()):
            enough = all(info.request.get(name, 0) >= lacks[position] for name, lacks in lacking.items())
            if enough and info.priority < ABOVE_USERS:
                yield (info,)


def _keeping_off(case: Case) -> Sequence[Pods]:
    """For the nodes of a domain: all pods that keep the pod off by podAntiAffinity, theirs or its own; fewest first."""
    cluster, incoming = case.cluster, incoming_pod(case.info, case.cluster)
    own = incoming.terms.anti_affinity
    theirs = [held.term for held in incoming.terms_of_others(cluster) if held.purpose == FORBIDDEN]
    groups: dict[int, list[PodInfo]] = {}
    rows = np.flatnonzero(cluster.pods.node >= 0).tolist() if own or theirs else []
    for info in map(cluster.pods.info, rows):
        keys = {term.key for term in own if incoming.matches(term, info.signature)}
        keys |= {term.key for term in theirs if term in info.signature.terms.anti_affinity}
        at = _position(case, info)
        for position in {each for key in keys for each in _beside(case, key, at)}:
            groups.setdefault(position, []).append(info)
    sets = {tuple(pods) for pods in groups.values() if all(pod.priority < ABOVE_USERS for pod in pods)}
    return sorted(sets, key=_cost)[:DOMAINS]


def _position(case: Case, running: PodInfo) -> int:
    """The index of the pod's node; pods that were bound here do not name it."""
    pods = case.cluster.pods
    return int(pods.node[pods.row_of[running.key]])


def _beside(case: Case, key: str, position: int) -> list[int]:
    """The nodes in the same domain of the key; none if the node has no such label."""
    domain = case.cluster.topology(key).domain
    return np.flatnonzero(domain == domain[position]).tolist() if domain[position] >= 0 else []
