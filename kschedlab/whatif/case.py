"""One pod in a cluster, to be decided for again and again: as it is, and as it could be."""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy
from dataclasses import dataclass, replace
from typing import Any

from msgspec.structs import replace as put

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.pods import PodInfo
from kschedlab.decision import Decision
from kschedlab.generations import GENERATIONS, LATEST, Generation
from kschedlab.objects.model import Pod
from kschedlab.scheduler import Scheduler


@dataclass(frozen=True, eq=False)
class Boundary:
    """Where an amount begins to change the outcome. ``near``: the last amount, seen from ``now``, that does not.

    ``far``: the next one. ``before``, ``after``: the decisions at ``near`` and ``far``.
    ``what``: a resource, ``priority``, or a score plugin, whose weight it is.
    """

    what: str
    now: int
    near: int
    far: int
    before: Decision
    after: Decision


class Case:
    """One pod that waits, and a cluster to decide in. A running pod is taken off its node first: ``was_on``.

    KeyError if there is no such pod ``namespace/name``.
    """

    def __init__(self, cluster: Cluster, pod: str, generation: Generation = GENERATIONS[LATEST]) -> None:
        self.cluster, self.generation = cluster.fork(), generation
        self.was_on: str | None = None
        if pod in self.cluster.pending:
            self.info = self.cluster.pending[pod]
        else:
            row = self.cluster.pods.row_of.get(pod)
            self.was_on = None if row is None else self.cluster.names[self.cluster.pods.node[row]]
            manifest = self.cluster.evict(pod).pod
            self.info = self.cluster.info(put(manifest, spec=put(manifest.spec, nodeName="")))

    def decide(self, info: PodInfo | None = None, generation: Generation | None = None) -> Decision:
        """What is decided for the pod, or for this variant of it."""
        return Scheduler(self.cluster, generation or self.generation, exhaustive=True).decide(info or self.info)

    def fits(self, info: PodInfo) -> int:
        """On how many nodes this variant of the pod fits, without evicting anybody."""
        alone = replace(
            self.generation, scores=(), preemption=replace(self.generation.preemption, enabled=False), gates_hold=True
        )
        return len(self.decide(info, alone).feasible)

    def without(self, pods: Iterable[PodInfo]) -> Case:
        """The same without these running pods."""
        other = copy(self)
        other.cluster = self.cluster.fork()
        for each in pods:
            other.cluster.evict(each.key)
        return other

    def asking(self, resource: str, amount: int) -> PodInfo:
        """The pod, if it asked for that much of the resource in all."""
        info, more = self.info, amount - self.info.request[resource]
        place = ("cpu", "memory").index(resource) if resource in ("cpu", "memory") else -1

        def counted(pair: tuple[int, int]) -> tuple[int, int]:
            cpu, memory = (value + more * (place == i) for i, value in enumerate(pair))
            return cpu, memory

        return replace(
            info,
            request=info.request | {resource: amount},
            placed=info.placed | {resource: info.placed.get(resource, 0) + more},
            scored=counted(info.scored),
            nonzero=counted(info.nonzero),
        )


def ranked(info: PodInfo, priority: int) -> PodInfo:
    """The pod with that priority."""
    return replace(info, pod=with_spec(info.pod, priority=priority), priority=priority)


def with_spec(pod: Pod, **fields: Any) -> Pod:
    """The pod with these fields of its spec."""
    return put(pod, spec=put(pod.spec, **fields))
