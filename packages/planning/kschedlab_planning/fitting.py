"""Do these pods fit, and where? They are placed one after the other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import count, islice
from typing import Any, TypeAlias

from kschedlab.cluster.cluster import Cluster, bound_to
from kschedlab.cluster.pending_pod import AnyPod, checked_cluster, node_of, pod_of
from kschedlab.cluster.pods import PodInfo
from kschedlab.generations import LATEST, Profiles, api_of
from kschedlab.objects.model import Pod
from kschedlab.objects.problems import InputValueError, shortened
from kschedlab.shown import Shown
from kschedlab.text.sections import Limits, Row, Section, Table
from kschedlab.text.words import listing
from kschedlab_planning.fit import as_template, named
from kschedlab_planning.place import place, without_preemption
from kschedlab_planning.text import PODS, by_value, grouped

Wanted: TypeAlias = AnyPod | tuple[AnyPod, int]
"""A pod, or a pod and a number of copies."""


@dataclass(frozen=True, eq=False, repr=False)
class Fits(Shown):
    """``placed``: the node of each pod that fits, ``unplaced``: why each other one does not; true if all fit.

    ``cluster``: the pods that fit are bound in it.
    """

    placed: dict[str, str]
    unplaced: dict[str, str]
    cluster: Cluster

    def __bool__(self) -> bool:
        return not self.unplaced

    def sections(self, limits: Limits) -> Iterator[Section]:
        """The number of pods that fit, the nodes with their new pods, and why others do not fit."""
        number, most = len(self.placed), len(self.placed) + len(self.unplaced)
        title = f"{number:,} of {most:,} pods fit." if self.unplaced else f"All {most:,} pods fit."
        if most < 2:
            title = ("The pod fits." if self else "The pod does not fit.") if most else "There are no pods to place."
        rows = [Row([node, len(pods), listing(pods, PODS)]) for node, pods in by_value(self.placed).items()]
        yield Section(title, [Table(["node", "pods", "which"], rows), *grouped(self.unplaced)])


def fits(pods: Wanted | Iterable[Wanted], cluster: Cluster, generation: str | Profiles = LATEST) -> Fits:
    """Place the pods one after the other as the scheduler would, without evicting any pod. The cluster stays as it is.

    ``pods``: keys ``namespace/name`` of pending pods, manifests, Pods, or pairs of a pod and a number of copies; or one
    of these. Copies may be of a running pod and get names of their own. KeyError if there is no such pod, ValueError
    if it runs already or for a wrong number of copies, TypeError for anything but a pod.
    """
    profiles = without_preemption(generation)
    fork = checked_cluster(cluster).under(api_of(profiles)).fork()
    placed = place(list(_infos(pods, fork)), fork, profiles)
    return Fits(placed.nodes, placed.left, placed.cluster)


def _infos(pods: Wanted | Iterable[Wanted], cluster: Cluster) -> Iterator[PodInfo]:
    """The pods, prepared for a decision; copies take names that are free."""
    taken = set(cluster.pod_keys())
    for each in _listed(pods):
        pod, copies = each if isinstance(each, tuple) and len(each) == 2 else (each, None)
        if copies is None:
            taken.add((info := _alone(pod, cluster)).key)
            yield info
            continue
        if not isinstance(copies, int) or isinstance(copies, bool) or copies < 0:
            raise InputValueError(f"expected a number of copies from 0, got {shortened(repr(copies))}")
        template = as_template(pod, cluster)
        namespace, name = template.metadata.namespace, template.metadata.name
        free = (f"{name}-{i}" for i in count(1) if f"{namespace}/{name}-{i}" not in taken)
        for chosen in islice(free, copies):
            taken.add(f"{namespace}/{chosen}")
            yield cluster.info(named(template, chosen))


def _listed(pods: Any) -> Iterable[Wanted]:
    pair = isinstance(pods, tuple) and len(pods) == 2 and isinstance(pods[1], int | float)
    alone = pair or isinstance(pods, str | Mapping | Pod) or not isinstance(pods, Iterable)
    return [pods] if alone else pods


def _alone(pod: AnyPod, cluster: Cluster) -> PodInfo:
    if isinstance(pod, str) and pod in cluster.pending:
        return cluster.pending[pod]
    model = as_template(pod, cluster) if isinstance(pod, str) else bound_to(pod_of(pod, cluster), "")
    key = model.key
    if (node := node_of(key, cluster)) is not None:
        raise InputValueError(f"pod {key} is on {node} already: give it another name, or (pod, 1) for a copy")
    return cluster.info(model)
