"""Volumes that a CSI driver attaches to nodes, and how many of them each node has.

v1.37: pkg/scheduler/framework/plugins/nodevolumelimits/csi.go (filterAttachableVolumes, getCSIDriverInfo,
getNodeVolumeAttachmentInfo, getVolumeLimits).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.derived import ATTACHMENTS, CSI_NODES, NAMES, VOLUMES
from kschedlab.cluster.signatures import BoolArray, IntArray, Signature, VolumeQuery, VolumeTable
from kschedlab.cluster.snapshot import Snapshot
from kschedlab.cluster.volumes import Volumes, claim_class, claim_name, not_found, ownership_error
from kschedlab.filter.volumes.csi_migration import DRIVER_OF, UNCOUNTED, MigrationError, handle_of, in_tree
from kschedlab.objects.model import PersistentVolume, PersistentVolumeClaim, Pod, Volume

NO_LIMIT = np.iinfo(np.int64).max
WIDTH = 1 << 32
NO_NAME = "PersistentVolumeClaim had no name"


class Attachment(NamedTuple):
    """A volume as its driver knows it. ``moved``: of an in-tree plugin, and so nothing to a node without CSINode."""

    driver: str
    handle: str
    moved: bool = False


class VolumeProblem(NamedTuple):
    """Why a pod's volumes can't be counted. ``missing``: a claim does not exist, which is not an error.

    ``moved``: it troubles only nodes with a CSINode.
    """

    message: str
    missing: bool = False
    moved: bool = False


def attachments(pod: Pod, volumes: Volumes) -> Iterator[Attachment | VolumeProblem]:
    """What the pod attaches to its node, and what is wrong, in the order of its volumes."""
    for volume in pod.spec.volumes:
        named = claim_name(pod, volume)
        found = _inline(volume) if named is None else _of_claim(pod, *named, volumes)
        if found is not None:
            yield found


def _inline(volume: Volume) -> Attachment | VolumeProblem | None:
    plugin = in_tree(volume)
    if plugin is None:
        return None
    try:
        return Attachment(plugin.driver, handle_of(plugin, volume, {}), True)
    except MigrationError as error:
        return VolumeProblem(f"converting volume({volume.name}) from inline to csi: {error}", moved=True)


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
    return _to_be_made(claim, volumes) if volume is None else _of_volume(volume)


def _of_volume(volume: PersistentVolume) -> Attachment | None:
    source, plugin = volume.spec.csi, in_tree(volume.spec)
    if source is not None:
        return Attachment(source.driver, source.volumeHandle) if source.driver and source.volumeHandle else None
    if plugin is None:
        return None
    try:
        handle = handle_of(plugin, volume.spec, volume.metadata.labels)
    except MigrationError:
        return None
    return Attachment(plugin.driver, handle, True) if handle else None


def _to_be_made(claim: PersistentVolumeClaim, volumes: Volumes) -> Attachment | None:
    """A claim without its volume counts as one of its class's driver; a claim of no class would be bound by now."""
    found = volumes.classes.get(claim_class(claim))
    if found is None or found.provisioner in ("", *UNCOUNTED):
        return None
    handle = f"\0{claim.metadata.namespace}/{claim.metadata.name}"
    if found.provisioner in DRIVER_OF:
        return Attachment(DRIVER_OF[found.provisioner], handle, True)
    return Attachment(found.provisioner, handle)


@dataclass(frozen=True)
class VolumesOfDriver:
    """PodQuery: how many volumes of the driver does the pod attach?"""

    driver: str
    volumes: Volumes

    def handles(self, signature: Signature) -> frozenset[str]:
        """What the driver calls the volumes of every pod of the signature."""
        found = attachments(signature.example, self.volumes)
        return frozenset(a.handle for a in found if isinstance(a, Attachment) and a.driver == self.driver)

    def of(self, signature: Signature) -> int:
        """The number of volumes, each counted once."""
        return len(self.handles(signature))


@dataclass(frozen=True)
class HasVolumeProblem:
    """PodQuery: is the pod one whose volumes can't be counted? That is an error on its node."""

    volumes: Volumes

    def messages(self, signature: Signature) -> Iterator[str]:
        """What is wrong with every pod of the signature. Of a claim that does not exist, a running pod is forgiven."""
        found = attachments(signature.example, self.volumes)
        return (problem.message for problem in found if isinstance(problem, VolumeProblem) and not problem.missing)

    def of(self, signature: Signature) -> int:
        """1 if anything is wrong."""
        return int(any(True for _ in self.messages(signature)))


class AttachedCounts:
    """How many volumes of one sort each node has. A volume on a node is one number: ``node * WIDTH + volume``.

    ``held``: volumes that are attached besides those that the pods use, as (position of the node, name) pairs.
    """

    def __init__(self, query: VolumeQuery, cluster: Cluster, held: Iterable[tuple[int, str]] = ()) -> None:
        self.query = query
        self._held = sorted(set(held))
        self._held_on = np.bincount(np.array([node for node, _ in self._held], np.int64), minlength=len(cluster.nodes))
        self._numbered: tuple[VolumeTable, IntArray] | None = None

    def at_most(self, snapshot: Snapshot) -> IntArray:
        """int64[nodes]: how many volumes each node has, if none of them is used twice. Kept, not recounted."""
        return snapshot.count(self.query) + self._held_on

    def counted(self, snapshot: Snapshot, among: BoolArray, wanted: Sequence[str]) -> tuple[IntArray, IntArray]:
        """(int64[nodes]: how many volumes each node of ``among`` has, int64[nodes]: how many of those wanted are new).

        A wanted volume is new unless a pod on the node has it; as in the real scheduler, one that is attached for no
        pod counts on both sides. O(volumes on those nodes).
        """
        table = snapshot.cluster.signatures.volume_table(self.query)
        used = self._used(snapshot, among, table)
        size = len(among)
        held = self._held_as_numbers(table)
        besides = held[~_among(held, used)]
        attached = np.bincount(used // WIDTH, minlength=size) + np.bincount(besides // WIDTH, minlength=size)
        there = np.isin(used % WIDTH, [table.number(handle) for handle in wanted])
        return attached, len(wanted) - np.bincount(used[there] // WIDTH, minlength=size)

    def _held_as_numbers(self, table: VolumeTable) -> IntArray:
        if self._numbered is None or self._numbered[0] is not table:
            numbers = [node * WIDTH + table.number(handle) for node, handle in self._held]
            self._numbered = table, np.sort(np.array(numbers, np.int64))
        return self._numbered[1]

    def _used(self, snapshot: Snapshot, among: BoolArray, table: VolumeTable) -> IntArray:
        """int64[]: the volumes that the pods on these nodes use, each once."""
        pods = snapshot.cluster.pods
        there = pods.live() & among[pods.node]
        columns = [(pods.node[there], pods.signature[there], np.ones(int(there.sum()), np.int64))]
        columns += [(overlay.node, overlay.signature, overlay.weight) for overlay in snapshot.overlays]
        node, signature, weight = (np.concatenate(column) for column in zip(*columns, strict=True))
        length, numbers = table.of(signature)
        on_node = np.repeat(node, length) * WIDTH + numbers
        found, which = np.unique(on_node, return_inverse=True)
        uses = np.bincount(which, weights=np.repeat(weight, length), minlength=len(found))
        return found[(uses > 0) & among[found // WIDTH]]


def _among(some: IntArray, ordered: IntArray) -> BoolArray:
    """bool[]: which of some numbers are among ordered ones."""
    return np.searchsorted(ordered, some, "right") > np.searchsorted(ordered, some, "left")


class Driver(AttachedCounts):
    """One CSI driver's volumes on all nodes.

    ``installed``: bool[nodes], the nodes whose CSINode lists the driver. ``limits``: int64[nodes], how many volumes it
    may attach to each, NO_LIMIT if it does not say.
    """

    def __init__(self, name: str, cluster: Cluster) -> None:
        super().__init__(VolumesOfDriver(name, cluster.volumes), cluster, _attachments_read(name, cluster))
        self.name = name
        self.installed: BoolArray = np.zeros(len(cluster.nodes), np.bool_)
        self.limits = np.full(len(cluster.nodes), NO_LIMIT, np.int64)
        for position, found in enumerate(cluster.volumes.nodes.get(name) for name in cluster.names):
            for driver in found.spec.drivers if found is not None else ():
                if driver.name == name:
                    self.installed[position] = True
                    if driver.allocatable is not None and driver.allocatable.count is not None:
                        self.limits[position] = driver.allocatable.count


def _attachments_read(driver: str, cluster: Cluster) -> Iterator[tuple[int, str]]:
    """What the driver's VolumeAttachments say is on the nodes."""
    for attachment in cluster.volumes.attachments:
        spec = attachment.spec
        volume = cluster.volumes.volumes.get(spec.source.persistentVolumeName or "")
        if spec.attacher == driver and spec.nodeName in cluster.index and volume and volume.spec.csi:
            yield cluster.index[spec.nodeName], volume.spec.csi.volumeHandle


def driver(cluster: Cluster, name: str) -> Driver:
    """The driver of that name, made when it is first asked for."""
    return cluster.derived(("driver", name), lambda: Driver(name, cluster), NAMES, CSI_NODES, ATTACHMENTS, VOLUMES)


def has_csi_node(cluster: Cluster) -> BoolArray:
    """bool[nodes]: the nodes that have a CSINode. Not to be written to."""

    def judge() -> BoolArray:
        return np.array([name in cluster.volumes.nodes for name in cluster.names], np.bool_)

    return cluster.derived("has CSINode", judge, NAMES, CSI_NODES)


def is_limited(cluster: Cluster) -> BoolArray:
    """bool[nodes]: the nodes where any driver has a limit. Not to be written to."""

    def judge() -> BoolArray:
        mask = np.zeros(len(cluster.nodes), np.bool_)
        for name in {driver.name for node in cluster.volumes.nodes.values() for driver in node.spec.drivers}:
            mask |= driver(cluster, name).limits != NO_LIMIT
        return mask

    return cluster.derived("is limited", judge, NAMES, CSI_NODES)
