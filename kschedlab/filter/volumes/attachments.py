"""Volumes that CSI drivers attach to nodes, and how many each node has.

v1.37: pkg/scheduler/framework/plugins/nodevolumelimits/csi.go (filterAttachableVolumes, getCSIDriverInfo,
getNodeVolumeAttachmentInfo, getVolumeLimits).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kschedlab.cluster.clues import VOLUMES as WITH_VOLUMES, Clue
from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.derived import ALLOCATABLE, ATTACHMENTS, CSI_NODES, NAMES, VOLUMES
from kschedlab.cluster.signatures import BoolArray, IntArray, Signature
from kschedlab.cluster.snapshot import Snapshot
from kschedlab.cluster.volumes import Volumes, claim_class, claim_name, not_found, ownership_error
from kschedlab.filter.volumes.csi_migration import (
    DRIVER_OF,
    UNCOUNTED_PROVISIONERS,
    MigrationError,
    in_tree,
    volume_handle,
)
from kschedlab.objects.model import CSINodeDriver, PersistentVolume, PersistentVolumeClaim, Pod, Volume

if TYPE_CHECKING:
    from kschedlab.cluster.volume_answers import VolumeQuery, VolumeTable

ATTACHABLE = "attachable-volumes-"
NO_LIMIT = np.iinfo(np.int64).max
VOLUME_NUMBERS = 1 << 32
NO_NAME = "PersistentVolumeClaim had no name"


class Attachment(NamedTuple):
    """A volume as its driver names it. ``migrated``: of an in-tree plugin; it counts only on nodes with a CSINode."""

    driver: str
    handle: str
    migrated: bool = False


class VolumeProblem(NamedTuple):
    """Why a pod's volumes can't be counted. ``missing``: a claim does not exist, which is not an error.

    ``migrated``: it applies only to nodes with a CSINode.
    """

    message: str
    missing: bool = False
    migrated: bool = False


def attachments(pod: Pod, volumes: Volumes) -> Iterator[Attachment | VolumeProblem]:
    """The volumes that the pod attaches to its node, and their problems, in the pod's order."""
    for volume in pod.spec.volumes:
        claim = claim_name(pod, volume)
        attachment = _inline(volume) if claim is None else _of_claim(pod, *claim, volumes)
        if attachment is not None:
            yield attachment


def _inline(volume: Volume) -> Attachment | VolumeProblem | None:
    plugin = in_tree(volume)
    if plugin is None:
        return None
    try:
        return Attachment(plugin.driver, volume_handle(plugin, volume, {}), True)
    except MigrationError as error:
        return VolumeProblem(f"converting volume({volume.name}) from inline to csi: {error}", migrated=True)


def _of_claim(pod: Pod, name: str, ephemeral: bool, volumes: Volumes) -> Attachment | VolumeProblem | None:
    if not name:
        return VolumeProblem(NO_NAME)
    claim = volumes.claim(pod, name)
    if claim is None:
        missing = not_found("persistentvolumeclaim", name)
        return VolumeProblem(f"looking up PVC {pod.metadata.namespace}/{name}: {missing}", missing=True)
    if ephemeral and (fault := ownership_error(pod, claim)):
        return VolumeProblem(fault)
    volume = volumes.volumes.get(claim.spec.volumeName)
    return _unprovisioned(claim, volumes) if volume is None else _of_volume(volume)


def _of_volume(volume: PersistentVolume) -> Attachment | None:
    source, plugin = volume.spec.csi, in_tree(volume.spec)
    if source is not None:
        return Attachment(source.driver, source.volumeHandle) if source.driver and source.volumeHandle else None
    if plugin is None:
        return None
    try:
        handle = volume_handle(plugin, volume.spec, volume.metadata.labels)
    except MigrationError:
        return None
    return Attachment(plugin.driver, handle, True) if handle else None


def _unprovisioned(claim: PersistentVolumeClaim, volumes: Volumes) -> Attachment | None:
    """A claim without a volume counts as a volume of its class's driver; without a class it would be bound by now."""
    storage_class = volumes.classes.get(claim_class(claim))
    if storage_class is None or storage_class.provisioner in ("", *UNCOUNTED_PROVISIONERS):
        return None
    handle = f"\0{claim.metadata.namespace}/{claim.metadata.name}"
    if storage_class.provisioner in DRIVER_OF:
        return Attachment(DRIVER_OF[storage_class.provisioner], handle, True)
    return Attachment(storage_class.provisioner, handle)


@dataclass(frozen=True)
class VolumesOfDriver:
    """PodQuery: how many volumes of the driver does the pod attach?"""

    driver: str
    volumes: Volumes
    clues: tuple[Clue, ...] = WITH_VOLUMES

    def handles(self, signature: Signature) -> frozenset[str]:
        """The driver's handles of the volumes of every pod with the signature."""
        attached = attachments(signature.example, self.volumes)
        return frozenset(a.handle for a in attached if isinstance(a, Attachment) and a.driver == self.driver)

    def of(self, signature: Signature) -> int:
        """The number of distinct volumes."""
        return len(self.handles(signature))


@dataclass(frozen=True)
class HasVolumeProblem:
    """PodQuery: do problems keep the pod's volumes from being counted? That is an error on its node."""

    volumes: Volumes
    clues: tuple[Clue, ...] = WITH_VOLUMES

    def messages(self, signature: Signature) -> Iterator[str]:
        """The problems of every pod with the signature, except claims that don't exist."""
        attached = attachments(signature.example, self.volumes)
        return (problem.message for problem in attached if isinstance(problem, VolumeProblem) and not problem.missing)

    def of(self, signature: Signature) -> int:
        """1 if there are any."""
        return int(any(True for _ in self.messages(signature)))


class AttachedCounts:
    """The number of volumes of one kind on each node. Volumes on nodes are numbers: ``node * VOLUME_NUMBERS + volume``.

    ``attached``: volumes attached in addition to those that pods use, as (position of the node, name) pairs.
    """

    def __init__(self, query: VolumeQuery, cluster: Cluster, attached: Iterable[tuple[int, str]] = ()) -> None:
        self.query = query
        self._attached = sorted(set(attached))
        nodes = np.array([node for node, _ in self._attached], np.int64)
        self._attached_on = np.bincount(nodes, minlength=len(cluster.nodes))
        self._numbered: tuple[VolumeTable, IntArray] | None = None

    def upper_bound(self, snapshot: Snapshot) -> IntArray:
        """int64[nodes]: how many volumes each node has if no two pods share one; uses the kept counts."""
        return snapshot.count(self.query) + self._attached_on

    def counts(self, snapshot: Snapshot, nodes: BoolArray, wanted: Sequence[str]) -> tuple[IntArray, IntArray]:
        """(int64[nodes]: how many volumes each of ``nodes`` has, int64[nodes]: how many wanted volumes are new there).

        A wanted volume is new unless a pod on the node uses it; as in the real scheduler, a volume that is attached
        without a pod counts in both. O(volumes on those nodes).
        """
        from kschedlab.cluster.volume_answers import volume_table  # few nodes are nearly full

        table = volume_table(snapshot.cluster.signatures, self.query)
        used = self._used(snapshot, nodes, table)
        size = len(nodes)
        attached = self._attached_numbers(table)
        unused = attached[~_is_in(attached, used)]
        total = np.bincount(used // VOLUME_NUMBERS, minlength=size)
        total += np.bincount(unused // VOLUME_NUMBERS, minlength=size)
        is_wanted = np.isin(used % VOLUME_NUMBERS, [table.number(handle) for handle in wanted])
        return total, len(wanted) - np.bincount(used[is_wanted] // VOLUME_NUMBERS, minlength=size)

    def _attached_numbers(self, table: VolumeTable) -> IntArray:
        if self._numbered is None or self._numbered[0] is not table:
            numbers = [node * VOLUME_NUMBERS + table.number(handle) for node, handle in self._attached]
            self._numbered = table, np.sort(np.array(numbers, np.int64))
        return self._numbered[1]

    def _used(self, snapshot: Snapshot, nodes: BoolArray, table: VolumeTable) -> IntArray:
        """int64[]: the volumes that the pods on these nodes use, each once, sorted."""
        pods = snapshot.cluster.pods
        there = pods.live() & nodes[pods.node]
        columns = [(pods.node[there], pods.signature[there], np.ones(int(there.sum()), np.int64))]
        columns += [(overlay.node, overlay.signature, overlay.weight) for overlay in snapshot.overlays]
        node, signature, weight = (np.concatenate(column) for column in zip(*columns, strict=True))
        length, numbers = table.of(signature)
        on_node = np.repeat(node, length) * VOLUME_NUMBERS + numbers
        distinct, index = np.unique(on_node, return_inverse=True)
        uses = np.bincount(index, weights=np.repeat(weight, length), minlength=len(distinct))
        return distinct[(uses > 0) & nodes[distinct // VOLUME_NUMBERS]]


def _is_in(some: IntArray, ordered: IntArray) -> BoolArray:
    """bool[]: which numbers are in the sorted array."""
    return np.searchsorted(ordered, some, "right") > np.searchsorted(ordered, some, "left")


class Counting(NamedTuple):
    """How a driver's volumes are counted. ``attachments``: those that are attached without a pod, too.

    ``allocatable``: a node's allocatable resource is the limit where its CSINode names none.
    """

    attachments: bool = True
    allocatable: bool = False


TODAY = Counting()


def limit_resource(driver: str) -> str:
    """The resource that sets the driver's limit. v1.20: pkg/volume/util/attach_limit.go, GetCSIAttachLimitKey."""
    prefix = f"{ATTACHABLE}csi-"
    if len(prefix) + len(driver) < 63:
        return prefix + driver
    digest = hashlib.sha1(driver.encode(), usedforsecurity=False).hexdigest()
    return prefix + driver[:23] + digest[:16]


class Driver(AttachedCounts):
    """One CSI driver's volumes on all nodes.

    ``installed``: bool[nodes], the nodes whose CSINode lists the driver. ``limits``: int64[nodes], how many volumes it
    can attach to each, NO_LIMIT if unstated. ``counting``: how they are counted.
    """

    def __init__(self, name: str, cluster: Cluster, counting: Counting) -> None:
        attached = _from_attachments(name, cluster) if counting.attachments else ()
        super().__init__(VolumesOfDriver(name, cluster.volumes), cluster, attached)
        self.name = name
        self.installed: BoolArray = np.zeros(len(cluster.nodes), np.bool_)
        self.limits = driver_limits(name, cluster, counting.allocatable)
        for position, _ in _listed(name, cluster):
            self.installed[position] = True


def driver_limits(name: str, cluster: Cluster, allocatable: bool, csi_nodes: bool = True) -> IntArray:
    """int64[nodes]: the driver's limits from the CSINode, or else from the allocatable resource, where each is read."""
    limits = np.full(len(cluster.nodes), NO_LIMIT, np.int64)
    resource = limit_resource(name)
    for position, node in enumerate(cluster.nodes if allocatable else ()):
        if resource in node.status.allocatable:
            limits[position] = node.status.allocatable[resource].value()
    for position, driver in _listed(name, cluster) if csi_nodes else ():
        if driver.allocatable is not None and driver.allocatable.count is not None:
            limits[position] = driver.allocatable.count
    return limits


def _listed(name: str, cluster: Cluster) -> Iterator[tuple[int, CSINodeDriver]]:
    """(position of the node, the driver as its CSINode lists it)."""
    for position, csi_node in enumerate(map(cluster.volumes.nodes.get, cluster.names)):
        for driver in csi_node.spec.drivers if csi_node is not None else ():
            if driver.name == name:
                yield position, driver


def _from_attachments(driver: str, cluster: Cluster) -> Iterator[tuple[int, str]]:
    """The driver's VolumeAttachments, as (position of the node, handle) pairs."""
    for attachment in cluster.volumes.attachments:
        spec = attachment.spec
        volume = cluster.volumes.volumes.get(spec.source.persistentVolumeName or "")
        if spec.attacher == driver and spec.nodeName in cluster.index and volume and volume.spec.csi:
            yield cluster.index[spec.nodeName], volume.spec.csi.volumeHandle


def driver(cluster: Cluster, name: str, counting: Counting = TODAY) -> Driver:
    """The driver of that name, derived on first use."""
    sources = (NAMES, ALLOCATABLE, CSI_NODES, ATTACHMENTS, VOLUMES)
    return cluster.derived(("driver", name, counting), lambda: Driver(name, cluster, counting), *sources)


def has_csi_node(cluster: Cluster) -> BoolArray:
    """bool[nodes], read-only: the nodes with a CSINode."""

    def compute() -> BoolArray:
        return np.array([name in cluster.volumes.nodes for name in cluster.names], np.bool_)

    return cluster.derived("has CSINode", compute, NAMES, CSI_NODES)


def is_limited(cluster: Cluster, counting: Counting = TODAY) -> BoolArray:
    """bool[nodes], read-only: the nodes where any driver has a limit."""

    def compute() -> BoolArray:
        mask = np.zeros(len(cluster.nodes), np.bool_)
        for name in {driver.name for node in cluster.volumes.nodes.values() for driver in node.spec.drivers}:
            mask |= driver(cluster, name).limits != NO_LIMIT
        if counting.allocatable:
            resources = (node.status.allocatable for node in cluster.nodes)
            mask |= [any(name.startswith(ATTACHABLE) for name in each) for each in resources]
        return mask

    return cluster.derived(("is limited", counting), compute, NAMES, ALLOCATABLE, CSI_NODES)
