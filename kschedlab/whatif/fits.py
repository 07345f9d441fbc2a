"""Places pods one after the other on a fork of the cluster: do they fit, and where?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import count, islice
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from msgspec.structs import replace as put

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.pending_pod import AnyPod, checked_cluster, node_of, pod_of, without_node
from kschedlab.cluster.pods import PodInfo
from kschedlab.generations import LATEST, Generation
from kschedlab.messages import say
from kschedlab.objects.model import Pod
from kschedlab.objects.problems import InputValueError, shortened, unknown
from kschedlab.scheduler import Scheduler
from kschedlab.shown import Shown

if TYPE_CHECKING:
    from kschedlab.text.sections import Limits, Section

Wanted: TypeAlias = AnyPod | tuple[AnyPod, int]
"""A pod, or a pod and a number of copies."""


class Placement(NamedTuple):
    """A pod ``namespace/name`` and its node, or None and the FailedScheduling message if it does not fit."""

    pod: str
    node: str | None
    message: str = ""


@dataclass(frozen=True, eq=False, repr=False)
class Fits(Shown):
    """The placements in the order of the pods; true if all fit. ``cluster``: the pods that fit are bound in it."""

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

    def sections(self, limits: Limits) -> Iterator[Section]:
        from kschedlab.text.whatif import fits_sections

        return fits_sections(self)


def fits(pods: Wanted | Iterable[Wanted], cluster: Cluster, generation: str | Generation = LATEST) -> Fits:
    """Place the pods one after the other as the scheduler would, without evicting any pod. The cluster stays as it is.

    ``pods``: keys ``namespace/name`` of pending pods, manifests, Pods, or pairs of a pod and a number of copies; or one
    of these. Copies may be of a running pod and get names of their own. KeyError if there is no such pod, ValueError
    if it runs already or for a wrong number of copies, TypeError for anything but a pod.
    """
    generation = Generation.named(generation)
    alone = replace(generation, preemption=replace(generation.preemption, enabled=False))
    fork = checked_cluster(cluster).under(generation.api).fork()
    scheduler = Scheduler(fork, alone, exhaustive=True)
    placements = []
    for info in _infos(pods, fork):
        decision = scheduler.decide(info)
        placements.append(Placement(info.key, decision.node, decision.event))
        if decision.node is not None:
            fork.bind(info, decision.node)
    return Fits(tuple(placements), fork)


def _infos(pods: Wanted | Iterable[Wanted], cluster: Cluster) -> Iterator[PodInfo]:
    """The pods, prepared for a decision; copies take names that are free at that moment."""
    for each in _listed(pods):
        pod, copies = each if isinstance(each, tuple) and len(each) == 2 else (each, None)
        if copies is None:
            yield cluster.info(_new(pod, cluster))
            continue
        if not isinstance(copies, int) or isinstance(copies, bool) or copies < 0:
            raise InputValueError(
                say("expected a number of copies from 0, got {copies}", copies=shortened(repr(copies)))
            )
        model = _model(pod, cluster)
        namespace, name = model.metadata.namespace, model.metadata.name
        there = set(cluster.pod_keys())
        free = (f"{name}-{i}" for i in count(1) if f"{namespace}/{name}-{i}" not in there)
        for chosen in islice(free, copies):
            yield cluster.info(put(model, metadata=put(model.metadata, name=chosen)))


def _listed(pods: Any) -> Iterable[Wanted]:
    pair = isinstance(pods, tuple) and len(pods) == 2 and isinstance(pods[1], int | float)
    alone = pair or isinstance(pods, str | Mapping | Pod) or not isinstance(pods, Iterable)
    return [pods] if alone else pods


def _model(pod: AnyPod, cluster: Cluster) -> Pod:
    """The pod, bound to no node."""
    if not isinstance(pod, str):
        return without_node(pod_of(pod, cluster))
    if pod in cluster.pending:
        return cluster.pending[pod].pod
    if node_of(pod, cluster) is None:
        raise unknown("pod", pod, cluster.pod_keys())
    return without_node(cluster.on_node(pod).pod)


def _new(pod: AnyPod, cluster: Cluster) -> Pod:
    model = _model(pod, cluster)
    if (node := node_of(model.key, cluster)) is not None:
        raise InputValueError(
            say(
                "pod {key} is on {node} already: give it another name, or (pod, 1) for a copy", key=model.key, node=node
            )
        )
    return model
