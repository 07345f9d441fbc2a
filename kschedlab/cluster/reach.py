"""Which nodes a volume can be used on, or made for.

v1.37: k8s.io/component-helpers storage/volume/helpers.go (CheckNodeAffinity), pkg/apis/core/v1/helper/helpers.go
(MatchTopologySelectorTerms), pkg/scheduler/framework/plugins/volumebinding/binder.go (nodeHasAccess).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import TypeAlias, TypeVar

import numpy as np

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.kinds import BoolArray, IntArray
from kschedlab.cluster.labels import judged
from kschedlab.cluster.volumes import MIGRATED_PLUGINS, volume_class
from kschedlab.objects.model import (
    CSIStorageCapacity,
    LabelSelector,
    NodeSelector,
    PersistentVolume,
    StorageClass,
)
from kschedlab.objects.selectors import Requirement, SelectorError

T = TypeVar("T")

Offers: TypeAlias = tuple[tuple[T, IntArray], ...]
"""Things with the positions of the nodes that have access to them, int64[]."""


def reach(cluster: Cluster, affinity: NodeSelector | None) -> BoolArray:
    """bool[nodes]: where a volume with that node affinity can be used.

    Only labels are looked at: the real scheduler leaves conditions on the node's name out.
    """
    if affinity is None:
        return np.ones(len(cluster.nodes), np.bool_)
    mask = np.zeros(len(cluster.nodes), np.bool_)
    for term in affinity.compile().terms:
        if not term.empty:
            mask |= _all(cluster, term.labels.requirements)
    return mask


def volume_reach(cluster: Cluster, volume: PersistentVolume) -> BoolArray:
    """bool[nodes]: where the volume can be used."""
    affinity = volume.spec.nodeAffinity
    return reach(cluster, affinity.required if affinity is not None else None)


def allowed(cluster: Cluster, found: StorageClass) -> BoolArray:
    """bool[nodes]: where the class may have volumes made (allowedTopologies). Not to be written to."""

    def judge() -> BoolArray:
        mask = np.full(len(cluster.nodes), not found.allowedTopologies)
        for term in found.allowedTopologies:
            asked = term.matchLabelExpressions
            if asked and all(e.values for e in asked):
                mask |= _all(cluster, [Requirement(e.key, "In", frozenset(e.values)) for e in asked])
        return mask

    return cluster.fact(("allowed", found.metadata.name), judge)


def volumes_of(cluster: Cluster, class_name: str) -> Offers[PersistentVolume]:
    """The class's volumes, in the order in which they were read."""

    def list_them() -> Offers[PersistentVolume]:
        known: dict[NodeSelector | None, IntArray] = {}
        found = [v for v in cluster.volumes.volumes.values() if volume_class(v) == class_name]
        return tuple((v, _positions(cluster, v, known)) for v in found)

    return cluster.fact(("volumes of", class_name), list_them)


def _positions(cluster: Cluster, volume: PersistentVolume, known: dict[NodeSelector | None, IntArray]) -> IntArray:
    affinity = volume.spec.nodeAffinity.required if volume.spec.nodeAffinity is not None else None
    if affinity not in known:
        known[affinity] = np.flatnonzero(reach(cluster, affinity))
    return known[affinity]


def capacities_of(cluster: Cluster, class_name: str) -> Offers[CSIStorageCapacity]:
    """What the class's driver has reported as free, in the order in which it was read."""

    def list_them() -> Offers[CSIStorageCapacity]:
        found = [c for c in cluster.volumes.capacities if c.storageClassName == class_name]
        return tuple((c, np.flatnonzero(_access(cluster, c.nodeTopology))) for c in found)

    return cluster.fact(("capacities of", class_name), list_them)


def _access(cluster: Cluster, selector: LabelSelector | None) -> BoolArray:
    if selector is not None:
        with suppress(SelectorError):
            return _all(cluster, selector.compile().requirements)
    return np.zeros(len(cluster.nodes), np.bool_)


def migrated(cluster: Cluster, plugin: str) -> BoolArray:
    """bool[nodes]: where a driver has taken over from that in-tree plugin. Not to be written to."""

    def judge() -> BoolArray:
        found = (cluster.volumes.nodes.get(name) for name in cluster.names)
        said = (node.metadata.annotations.get(MIGRATED_PLUGINS, "") if node is not None else "" for node in found)
        return np.array([plugin in plugins.split(",") for plugins in said], np.bool_)

    return cluster.fact(("migrated", plugin), judge)


def first_offers(
    offers: Sequence[tuple[T, IntArray]], usable: Iterable[int], wanting: BoolArray, taken: Sequence[IntArray] = ()
) -> IntArray:
    """int64[nodes]: the first of the usable offers (by number) that each node of ``wanting`` has access to, or -1.

    ``taken``: what was chosen on each node before, which it can't choose again.
    """
    choice = np.full(len(wanting), -1, np.int64)
    left = wanting.copy()
    count = int(left.sum())
    for number in usable:
        if not count:
            break
        where = offers[number][1]
        where = where[left[where]]
        for before in taken:
            where = where[before[where] != number]
        choice[where], left[where] = number, False
        count -= len(where)
    return choice


def _all(cluster: Cluster, requirements: Iterable[Requirement]) -> BoolArray:
    mask = np.ones(len(cluster.nodes), np.bool_)
    for requirement in requirements:
        mask &= judged(cluster, requirement)
    return mask
