"""Which nodes a volume can be used on, or made for.

v1.37: k8s.io/component-helpers storage/volume/helpers.go (CheckNodeAffinity), pkg/apis/core/v1/helper/helpers.go
(MatchTopologySelectorTerms), pkg/scheduler/framework/plugins/volumebinding/binder.go (nodeHasAccess).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.derived import CAPACITIES, CLASSES, CSI_NODES, LABELS, NAMES, bindable
from kschedlab.cluster.labels import judged
from kschedlab.cluster.signatures import BoolArray, IntArray
from kschedlab.cluster.volumes import MIGRATED_PLUGINS
from kschedlab.objects.model import (
    CSIStorageCapacity,
    LabelSelector,
    NodeSelector,
    PersistentVolume,
    StorageClass,
)
from kschedlab.objects.selectors import Requirement, SelectorError


def accessible_nodes(cluster: Cluster, affinity: NodeSelector | None) -> BoolArray:
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


def volume_accessible_nodes(cluster: Cluster, volume: PersistentVolume) -> BoolArray:
    """bool[nodes]: where the volume can be used."""
    affinity = volume.spec.nodeAffinity
    return accessible_nodes(cluster, affinity.required if affinity is not None else None)


def allowed_topologies(cluster: Cluster, found: StorageClass) -> BoolArray:
    """bool[nodes]: where the class may have volumes made (allowedTopologies). Not to be written to."""

    def judge() -> BoolArray:
        mask = np.full(len(cluster.nodes), not found.allowedTopologies)
        for term in found.allowedTopologies:
            asked = term.matchLabelExpressions
            if asked and all(e.values for e in asked):
                mask |= _all(cluster, [Requirement(e.key, "In", frozenset(e.values)) for e in asked])
        return mask

    return cluster.derived(("allowed_topologies", found.metadata.name), judge, LABELS, CLASSES)


@dataclass(frozen=True, eq=False)
class VolumeGroup:
    """Volumes of one size that visible_fields the same to every claim.

    ``members``: their numbers, each with int64[], the positions of the nodes where it can be used.
    """

    example: PersistentVolume
    members: tuple[tuple[int, IntArray], ...]

    @cached_property
    def pairs(self) -> tuple[IntArray, IntArray]:
        """(int64[], int64[]): a node and the number of a volume that can be used there; the first comes last."""
        node = np.concatenate([where for _, where in self.members])
        number = np.concatenate([np.full(len(where), number) for number, where in self.members])
        return node[::-1], number[::-1]


@dataclass(frozen=True, eq=False)
class BindableVolumes:
    """The volumes of a class that may yet be bound.

    ``volumes``: all of them, by number. ``lots``: the free ones, the smallest first. ``reserved``: the numbers of those
    that are kept for one claim, by the claim's (namespace, name).
    """

    volumes: tuple[PersistentVolume, ...]
    lots: tuple[VolumeGroup, ...]
    reserved: Mapping[tuple[str, str], Sequence[int]]

    @cached_property
    def bytes(self) -> IntArray:
        """int64[volumes + 1]: how large each volume is; the last is a 0 for no volume (number -1)."""
        return np.array([*(_bytes(volume) for volume in self.volumes), 0], np.int64)

    @cached_property
    def classes(self) -> dict[str, BoolArray]:
        """bool[volumes + 1]: the volumes whose spec names each class; an annotation may name another. The last: no."""
        named = [volume.spec.storageClassName for volume in self.volumes]
        return {name: np.array([*(n == name for n in named), False], np.bool_) for name in dict.fromkeys(named)}

    def smallest(
        self, fits: Callable[[PersistentVolume], bool], nodes: BoolArray, taken: Sequence[IntArray]
    ) -> IntArray:
        """int64[nodes]: the number of the smallest free volume that fits, for each of ``nodes`` that has one, else -1.

        ``taken``: what was chosen on each node before, which it can't choose again.
        """
        choice, left = np.full(len(nodes), -1, np.int64), nodes.copy()
        for lot in self.lots:
            if not left.any():
                break
            if fits(lot.example):
                node, number = lot.pairs
                offered = np.logical_and.reduce([left[node], *(before[node] != number for before in taken)])
                choice[node[offered]] = number[offered]
                left[node[offered]] = False
        return choice


def _bytes(volume: PersistentVolume) -> int:
    return volume.spec.capacity["storage"].value() if "storage" in volume.spec.capacity else 0


def bindable_volumes(cluster: Cluster, class_name: str, claims: int) -> BindableVolumes:
    """The volumes of a class to which ``claims`` claims can be bound: of equal volumes, only that many are listed."""
    key = ("bindable volumes", class_name, claims)
    return cluster.derived(key, lambda: _bindable_volumes(cluster, class_name, claims), LABELS, bindable(class_name))


def _bindable_volumes(cluster: Cluster, class_name: str, claims: int) -> BindableVolumes:
    volumes = cluster.volumes.bindable(class_name)
    reserved: dict[tuple[str, str], list[int]] = {}
    lots: dict[object, list[tuple[int, IntArray]]] = {}
    where: dict[NodeSelector | None, IntArray] = {}
    alike: Counter[tuple[object, object]] = Counter()
    for number, each in sorted(enumerate(volumes), key=lambda one: one[1].size):
        volume, visible_fields = each.volume, each.visible_fields
        affinity = volume.spec.nodeAffinity.required if volume.spec.nodeAffinity is not None else None
        if (reference := volume.spec.claimRef) is not None:
            reserved.setdefault((reference.namespace, reference.name), []).append(number)
        elif alike[visible_fields, affinity] < claims:
            alike[visible_fields, affinity] += 1
            if affinity not in where:
                where[affinity] = np.flatnonzero(accessible_nodes(cluster, affinity))
            lots.setdefault(visible_fields, []).append((number, where[affinity]))
    found = tuple(VolumeGroup(volumes[members[0][0]].volume, tuple(members)) for members in lots.values())
    return BindableVolumes(tuple(each.volume for each in volumes), found, reserved)


@dataclass(frozen=True, eq=False)
class StorageCapacities:
    """What drivers have reported as free for a class. ``limits``: int64[capacities], the largest volume, -1 if unsaid.

    ``node``, ``number``: int64[], a node and the number of a capacity that it has access to; the first comes last.
    """

    capacities: tuple[CSIStorageCapacity, ...]
    limits: IntArray
    node: IntArray
    number: IntArray

    @cached_property
    def bytes(self) -> IntArray:
        """int64[capacities + 1]: how much is free, -1 if unsaid; the last is a 0 for no capacity (number -1)."""
        return np.array([*(-1 if c.capacity is None else c.capacity.value() for c in self.capacities), 0], np.int64)

    def enough(self, size: int, nodes: BoolArray) -> IntArray:
        """int64[nodes]: the first capacity of each of ``nodes`` that a volume of ``size`` bytes fits in, or -1."""
        choice = np.full(len(nodes), -1, np.int64)
        offered = nodes[self.node] & (self.limits[self.number] >= size)
        choice[self.node[offered]] = self.number[offered]
        return choice


def storage_capacities(cluster: Cluster, class_name: str) -> StorageCapacities:
    """The room that is reported for a class."""

    def list_it() -> StorageCapacities:
        found = tuple(c for c in cluster.volumes.capacities if c.storageClassName == class_name)
        where = [np.flatnonzero(_access(cluster, capacity.nodeTopology)) for capacity in found]
        number = np.repeat(np.arange(len(found)), [len(nodes) for nodes in where])
        node = np.concatenate([*where, np.zeros(0, np.int64)])
        return StorageCapacities(found, np.array([_limit(c) for c in found], np.int64), node[::-1], number[::-1])

    return cluster.derived(("room of", class_name), list_it, LABELS, CAPACITIES)


def _limit(capacity: CSIStorageCapacity) -> int:
    limit = capacity.capacity if capacity.maximumVolumeSize is None else capacity.maximumVolumeSize
    return -1 if limit is None else limit.value()


def _access(cluster: Cluster, selector: LabelSelector | None) -> BoolArray:
    if selector is not None:
        with suppress(SelectorError):
            return _all(cluster, selector.compile().requirements)
    return np.zeros(len(cluster.nodes), np.bool_)


def migrated_nodes(cluster: Cluster, plugin: str) -> BoolArray:
    """bool[nodes]: where a driver has taken over from that in-tree plugin. Not to be written to."""

    def judge() -> BoolArray:
        found = (cluster.volumes.nodes.get(name) for name in cluster.names)
        said = (node.metadata.annotations.get(MIGRATED_PLUGINS, "") if node is not None else "" for node in found)
        return np.array([plugin in plugins.split(",") for plugins in said], np.bool_)

    return cluster.derived(("migrated_nodes", plugin), judge, NAMES, CSI_NODES)


def _all(cluster: Cluster, requirements: Iterable[Requirement]) -> BoolArray:
    mask = np.ones(len(cluster.nodes), np.bool_)
    for requirement in requirements:
        mask &= judged(cluster, requirement)
    return mask
