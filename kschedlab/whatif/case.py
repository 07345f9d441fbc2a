"""One pod in a cluster, scheduled again and again: as it is, and as it could be."""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy
from dataclasses import dataclass, replace
from typing import Any

from msgspec.structs import replace as put

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.pending_pod import AnyPod, as_pending
from kschedlab.cluster.pods import PodInfo, Requests
from kschedlab.decision import Decision
from kschedlab.generations import LATEST, Generation
from kschedlab.objects.model import Pod
from kschedlab.scheduler import Scheduler


@dataclass(frozen=True, eq=False)
class Boundary:
    """The amount at which the outcome changes. ``near``: the last one, starting at ``now``, that changes nothing.

    ``far``: the next one. ``before``, ``after``: the decisions at ``near`` and ``far``.
    ``name``: a resource, ``priority``, or the score plugin whose weight changes.
    """

    name: str
    now: int
    near: int
    far: int
    before: Decision
    after: Decision


class Case:
    """A pending pod and a cluster to decide in. ``was_on``: the node that a running pod was taken off, or None.

    KeyError if there is no such pod ``namespace/name``.
    """

    def __init__(self, pod: AnyPod, cluster: Cluster, generation: str | Generation = LATEST) -> None:
        self.generation = Generation.named(generation)
        self.info, self.cluster, self.was_on = as_pending(pod, cluster, self.generation.api)

    def decide(self, info: PodInfo | None = None, generation: Generation | None = None) -> Decision:
        return Scheduler(self.cluster, generation or self.generation, exhaustive=True).decide(info or self.info)

    def fits(self, info: PodInfo) -> int:
        """On how many nodes this variant of the pod fits without evicting any pod."""
        filters_only = replace(
            self.generation, scores=(), preemption=replace(self.generation.preemption, enabled=False)
        )
        return len(self.decide(info, filters_only).feasible)

    def without(self, pods: Iterable[PodInfo]) -> Case:
        fewer = self.cluster.fork()
        for pod in pods:
            fewer.evict(pod.key)
        return self.in_cluster(fewer)

    def in_cluster(self, cluster: Cluster) -> Case:
        case = copy(self)
        case.cluster = cluster
        return case

    def asking(self, resource: str, amount: int) -> PodInfo:
        """The pod with its total request for the resource set to ``amount``."""
        info, added = self.info, amount - self.info.request[resource]

        def changed(cpu_and_memory: tuple[int, int]) -> tuple[int, int]:
            cpu, memory = cpu_and_memory
            return cpu + added * (resource == "cpu"), memory + added * (resource == "memory")

        wants = Requests(
            request=info.request | {resource: amount},
            placed=info.placed | {resource: info.placed.get(resource, 0) + added},
            scored=changed(info.scored),
            nonzero=changed(info.nonzero),
        )
        return put(info, requests=wants)


def ranked(info: PodInfo, priority: int) -> PodInfo:
    return put(info, pod=with_spec(info.pod, priority=priority), priority=priority)


def with_spec(pod: Pod, **fields: Any) -> Pod:
    return put(pod, spec=put(pod.spec, **fields))
