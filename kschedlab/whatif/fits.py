"""Do these pods fit, and where? They are placed one after the other, on a fork."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import count, islice
from typing import Any, NamedTuple, TypeAlias

from msgspec.structs import replace as put

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.pending_pod import AnyPod, pod_of
from kschedlab.cluster.pods import PodInfo
from kschedlab.generations import LATEST, Generation
from kschedlab.objects.model import Pod
from kschedlab.objects.problems import unknown
from kschedlab.scheduler import Scheduler

Wanted: TypeAlias = AnyPod | tuple[AnyPod, int]
"""A pod, or so many copies of one."""


class Placement(NamedTuple):
    """One pod ``namespace/name`` and its node; None and the FailedScheduling message if it does not fit."""

    pod: str
    node: str | None
    message: str = ""


@dataclass(frozen=True, eq=False, repr=False)
class Fits:
    """The placements in the order of the pods; true if all fit. ``cluster``: with all that fit on their nodes."""

    placements: tuple[Placement, ...]
    cluster: Cluster

    def __bool__(self) -> bool:
        return not self.unplaced

    @property
    def placed(self) -> dict[str, str]:
        """The node of each pod that fits."""
        return {pod: node for pod, node, _ in self.placements if node is not None}

    @property
    def unplaced(self) -> dict[str, str]:
        """The message of each pod that does not fit."""
        return {pod: message for pod, node, message in self.placements if node is None}

    def __str__(self) -> str:
        from kschedlab.views.whatif import fits_text

        return fits_text(self)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        from kschedlab.views.whatif import fits_table

        return str(fits_table(self))


def fits(pods: Wanted | Iterable[Wanted], cluster: Cluster, generation: str | Generation = LATEST) -> Fits:
    """Place the pods one after the other as the scheduler would, without evicting anybody. The cluster stays as it is.

    ``pods``: manifests, Pods, keys ``namespace/name`` of pending pods, or pairs of one of these and a number of copies;
    or one of all these alone. KeyError for a key that is not pending, ValueError for the name of a pod that runs.
    """
    generation = Generation.named(generation)
    alone = replace(generation, preemption=replace(generation.preemption, enabled=False))
    fork = cluster.under(generation.api).fork()
    scheduler = Scheduler(fork, alone, exhaustive=True)
    placements = []
    for info in _infos(pods, fork):
        decision = scheduler.decide(info)
        placements.append(Placement(info.key, decision.node, decision.event))
        if decision.node is not None:
            fork.bind(info, decision.node)
    return Fits(tuple(placements), fork)


def _infos(pods: Wanted | Iterable[Wanted], cluster: Cluster) -> Iterator[PodInfo]:
    """The pods, prepared for a decision; copies take the names that are free when it is their turn."""
    for each in _listed(pods):
        pod, copies = each if isinstance(each, tuple) else (each, None)
        if copies is None:
            yield cluster.info(_new(pod, cluster))
            continue
        model = _model(pod, cluster)
        namespace, name = model.metadata.namespace, model.metadata.name
        there = set(cluster.pod_keys())
        free = (f"{name}-{i}" for i in count(1) if f"{namespace}/{name}-{i}" not in there)
        for chosen in islice(free, copies):
            yield cluster.info(put(model, metadata=put(model.metadata, name=chosen)))


def _listed(pods: Wanted | Iterable[Wanted]) -> Iterable[Wanted]:
    single = isinstance(pods, str | Mapping | Pod)
    pair = isinstance(pods, tuple) and len(pods) == 2 and isinstance(pods[1], int)
    alone: Any = pods
    return [alone] if single or pair else alone


def _model(pod: AnyPod, cluster: Cluster) -> Pod:
    """The pod, which waits."""
    if isinstance(pod, str):
        if pod not in cluster.pending:
            raise unknown("pending pod", pod, cluster.pending)
        return cluster.pending[pod].pod
    given = pod_of(pod, cluster)
    return put(given, spec=put(given.spec, nodeName=""))


def _new(pod: AnyPod, cluster: Cluster) -> Pod:
    found = _model(pod, cluster)
    if found.key in cluster.pods.row_of:
        node = cluster.names[cluster.pods.node[cluster.pods.row_of[found.key]]]
        raise ValueError(f"pod {found.key} is on {node} already: give it another name, or (pod, 1) for a copy")
    return found
