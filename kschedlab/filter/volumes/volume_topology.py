"""On which nodes a volume can be used or provisioned.

v1.37: k8s.io/component-helpers storage/volume/helpers.go (CheckNodeAffinity), pkg/apis/core/v1/helper/helpers.go
(MatchTopologySelectorTerms), pkg/scheduler/framework/plugins/volumebinding/binder.go (nodeHasAccess).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.derived import CAPACITIES, CLASSES, CSI_NODES, LABELS, NAMES, bindable as bindable_in, derived
from kschedlab.cluster.labels import meets_uncached
from kschedlab.cluster.signatures import BoolArray, IntArray
from kschedlab.cluster.volumes import MIGRATED_PLUGINS
from kschedlab.filter.volumes.csi_migration import Migration
from kschedlab.objects.model import CSIStorageCapacity, LabelSelector, NodeSelector, PersistentVolume, StorageClass
from kschedlab.objects.selectors import Requirement, SelectorError


def accessible_nodes(cluster: Cluster, affinity: NodeSelector | None) -> BoolArray:
    """bool[nodes]: where a volume with that node affinity can be used.

    Only labels are checked: the real scheduler ignores conditions on the node's name.
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


def allowed_topologies(cluster: Cluster, storage_class: StorageClass) -> BoolArray:
    """bool[nodes], read-only: where the class can provision volumes (allowedTopologies)."""

    def compute() -> BoolArray:
        mask = np.full(len(cluster.nodes), not storage_class.allowedTopologies)
        for term in storage_class.allowedTopologies:
            expressions = term.matchLabelExpressions
            if expressions and all(e.values for e in expressions):
                mask |= _all(cluster, [Requirement(e.key, "In", frozenset(e.values)) for e in expressions])
        return mask

    return cluster.derived(("allowed_topologies", storage_class.metadata.name), compute, LABELS, CLASSES)


@dataclass(frozen=True, eq=False)
class VolumeGroup:
    """Volumes of one size that no claim can tell apart.

    ``members``: (number, int64[]: the positions of the nodes where the volume can be used).
    """

    example: PersistentVolume
    members: tuple[tuple[int, IntArray], ...]

    @cached_property
    def pairs(self) -> tuple[IntArray, IntArray]:
        """(int64[], int64[]): a node and the number of a volume that can be used there, in reverse order.

        Reverse, because the last assignment to a node wins, so that the first volume does.
        """
        node = np.concatenate([positions for _, positions in self.members])
        number = np.concatenate([np.full(len(positions), number) for number, positions in self.members])
        return node[::-1], number[::-1]


@dataclass(frozen=True, eq=False)
class BindableVolumes:
    """The volumes of a class to which claims can still be bound.

    ``volumes``: all of them, by number. ``groups``: the free ones, the smallest first. ``reserved``: the numbers of
    volumes reserved for a claim, by the claim's (namespace, name).
    """

    volumes: tuple[PersistentVolume, ...]
    groups: tuple[VolumeGroup, ...]
    reserved: Mapping[tuple[str, str], Sequence[int]]

    @cached_property
    def bytes(self) -> IntArray:
        """int64[volumes + 1]: the size of each volume; the last is 0, for no volume (number -1)."""
        return np.array([*(_bytes(volume) for volume in self.volumes), 0], np.int64)

    @cached_property
    def classes(self) -> dict[str, BoolArray]:
        """For each class, bool[volumes + 1]: the volumes whose spec names it, whatever their annotation.

        The last is False, for no volume.
        """
        named = [volume.spec.storageClassName for volume in self.volumes]
        return {name: np.array([*(n == name for n in named), False], np.bool_) for name in dict.fromkeys(named)}

    def smallest(
        self, fits: Callable[[PersistentVolume], bool], nodes: BoolArray, taken: Sequence[IntArray]
    ) -> IntArray:
        """int64[nodes]: the number of the smallest free volume that fits, for each of ``nodes`` that has one, else -1.

        ``taken``: the volumes already chosen on each node, which it can't choose again.
        """
        choice, undecided = np.full(len(nodes), -1, np.int64), nodes.copy()
        for group in self.groups:
            if not undecided.any():
                break
            if fits(group.example):
                node, number = group.pairs
                offered = np.logical_and.reduce([undecided[node], *(earlier[node] != number for earlier in taken)])
                choice[node[offered]] = number[offered]
                undecided[node[offered]] = False
        return choice


def _bytes(volume: PersistentVolume) -> int:
    return volume.spec.capacity["storage"].value() if "storage" in volume.spec.capacity else 0


def bindable_volumes(cluster: Cluster, class_name: str, claims: int) -> BindableVolumes:
    """The bindable volumes of a class, for pods with that many claims: of equal volumes only so many are listed."""
    key = ("bindable volumes", class_name, claims)
    return cluster.derived(key, lambda: _bindable_volumes(cluster, class_name, claims), LABELS, bindable_in(class_name))


def _bindable_volumes(cluster: Cluster, class_name: str, claims: int) -> BindableVolumes:
    bindable = cluster.volumes.bindable(class_name)
    reserved: dict[tuple[str, str], list[int]] = {}
    members: dict[Hashable, list[tuple[int, IntArray]]] = {}
    positions: dict[NodeSelector | None, IntArray] = {}
    equal_volumes: Counter[Hashable] = Counter()
    for number, each in sorted(enumerate(bindable), key=lambda one: one[1].size):
        spec, group = each.volume.spec, each.visible_fields
        affinity = spec.nodeAffinity.required if spec.nodeAffinity is not None else None
        if spec.claimRef is not None:
            reserved.setdefault((spec.claimRef.namespace, spec.claimRef.name), []).append(number)
        elif equal_volumes[group, affinity] < claims:
            equal_volumes[group, affinity] += 1
            if affinity not in positions:
                positions[affinity] = np.flatnonzero(accessible_nodes(cluster, affinity))
            members.setdefault(group, []).append((number, positions[affinity]))
    groups = tuple(VolumeGroup(bindable[listed[0][0]].volume, tuple(listed)) for listed in members.values())
    return BindableVolumes(tuple(each.volume for each in bindable), groups, reserved)


@dataclass(frozen=True, eq=False)
class StorageCapacities:
    """The free capacity that drivers report for a class. ``limits``: int64[capacities], the largest volume or -1.

    ``node``, ``number``: int64[], a node and the number of a capacity that it can access, in reverse order as in
    :class:`VolumeGroup`.
    """

    capacities: tuple[CSIStorageCapacity, ...]
    limits: IntArray
    node: IntArray
    number: IntArray

    @cached_property
    def bytes(self) -> IntArray:
        """int64[capacities + 1]: the free bytes, -1 if unstated; the last is 0, for no capacity (number -1)."""
        return np.array([*(-1 if c.capacity is None else c.capacity.value() for c in self.capacities), 0], np.int64)

    def enough(self, size: int, nodes: BoolArray) -> IntArray:
        """int64[nodes]: for each of ``nodes``, the first capacity that a volume of ``size`` bytes fits in, or -1."""
        choice = np.full(len(nodes), -1, np.int64)
        offered = nodes[self.node] & (self.limits[self.number] >= size)
        choice[self.node[offered]] = self.number[offered]
        return choice


@derived(LABELS, CAPACITIES)
def storage_capacities(cluster: Cluster, class_name: str) -> StorageCapacities:
    capacities = tuple(c for c in cluster.volumes.capacities if c.storageClassName == class_name)
    positions = [np.flatnonzero(_access(cluster, capacity.nodeTopology)) for capacity in capacities]
    number = np.repeat(np.arange(len(capacities)), [len(nodes) for nodes in positions])
    node = np.concatenate([*positions, np.zeros(0, np.int64)])
    limits = np.array([_limit(capacity) for capacity in capacities], np.int64)
    return StorageCapacities(capacities, limits, node[::-1], number[::-1])


def _limit(capacity: CSIStorageCapacity) -> int:
    limit = capacity.capacity if capacity.maximumVolumeSize is None else capacity.maximumVolumeSize
    return -1 if limit is None else limit.value()


def _access(cluster: Cluster, selector: LabelSelector | None) -> BoolArray:
    if selector is not None:
        with suppress(SelectorError):
            return _all(cluster, selector.compile().requirements)
    return np.zeros(len(cluster.nodes), np.bool_)


@derived(NAMES, CSI_NODES)
def migrated_nodes(cluster: Cluster, plugin: str) -> BoolArray:
    """bool[nodes], read-only: where a CSI driver has replaced that in-tree plugin."""
    nodes = map(cluster.volumes.nodes.get, cluster.names)
    replaced = [node.metadata.annotations.get(MIGRATED_PLUGINS, "") if node is not None else "" for node in nodes]
    return np.array([plugin in plugins.split(",") for plugins in replaced], np.bool_)


@derived(NAMES, CSI_NODES)
def has_csi_node(cluster: Cluster) -> BoolArray:
    """bool[nodes], read-only: the nodes with a CSINode."""
    return np.array([name in cluster.volumes.nodes for name in cluster.names], np.bool_)


def counts_as_csi(cluster: Cluster, plugin: str, migration: Migration) -> BoolArray:
    """bool[nodes], read-only: where the in-tree plugin's volumes count as its driver's."""
    if plugin in migration.everywhere:
        return has_csi_node(cluster)
    if plugin in migration.where_listed:
        return migrated_nodes(cluster, plugin)
    return np.zeros(len(cluster.nodes), np.bool_)


def _all(cluster: Cluster, requirements: Iterable[Requirement]) -> BoolArray:
    mask = np.ones(len(cluster.nodes), np.bool_)
    for requirement in requirements:
        mask &= meets_uncached(cluster, requirement)
    return mask
