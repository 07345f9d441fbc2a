"""Volumes that CSI drivers attach to nodes, and how many each driver can attach.

v1.37: pkg/scheduler/framework/plugins/nodevolumelimits/csi.go (filterAttachableVolumes, getCSIDriverInfo,
getNodeVolumeAttachmentInfo, getVolumeLimits).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.derived import ALLOCATABLE, ATTACHMENTS, CSI_NODES, NAMES, VOLUMES, derived
from kschedlab.cluster.signatures import BoolArray, IntArray
from kschedlab.cluster.volumes import Volumes, claim_class
from kschedlab.filter.volumes.csi_migration import (
    DRIVER_OF,
    PLUGIN_OF,
    UNCOUNTED_PROVISIONERS,
    Migration,
    MigrationError,
    in_tree,
    volume_handle,
)
from kschedlab.filter.volumes.volume_limits import (
    NO_LIMIT,
    AttachedCounts,
    DistinctVolumes,
    VolumeProblem,
    claim_of,
    placeholder,
)
from kschedlab.filter.volumes.volume_topology import counts_as_csi
from kschedlab.objects.model import CSINodeDriver, PersistentVolume, PersistentVolumeClaim, Pod, Volume

ATTACHABLE = "attachable-volumes-"


@dataclass(frozen=True)
class AttachmentRules:
    """Which volumes count, and what limits them: named rules.

    ``counts_attachments``: a volume that is attached to the node counts, even if no pod there uses it (v1.32).
    ``reads_allocatable``: a node's allocatable ``attachable-volumes-csi-...`` is the limit where the CSINode names none
    (until v1.31). ``reads_csi_nodes``: CSINodes set limits (v1.14).
    ``checks_claims``: generic ephemeral volumes count, and a claim that is missing matters (v1.23).
    ``counts_unbound_claims``: a claim without a volume counts as one of its class's driver (v1.14).
    ``counts_inline``: a migrated volume that a pod names without a claim counts (v1.25).
    ``migration``: the in-tree plugins whose volumes count as their driver's.
    """

    counts_attachments: bool = True
    counts_inline: bool = True
    counts_unbound_claims: bool = True
    checks_claims: bool = True
    reads_csi_nodes: bool = True
    reads_allocatable: bool = False
    migration: Migration = Migration()


class Attachment(NamedTuple):
    """A volume as its driver names it. ``migrated``: of an in-tree plugin."""

    driver: str
    handle: str
    migrated: bool = False


def attachments(pod: Pod, volumes: Volumes, rules: AttachmentRules) -> Iterator[Attachment | VolumeProblem]:
    """The volumes that the pod attaches to its node, and their problems, in the pod's order."""
    for volume in pod.spec.volumes:
        claim = claim_of(pod, volume, volumes, rules.checks_claims)
        attachment: Attachment | VolumeProblem | None
        if isinstance(claim, PersistentVolumeClaim):
            attachment = _of_claim(claim, volumes, rules.counts_unbound_claims)
        else:
            attachment = _inline(volume) if claim is None and rules.counts_inline else claim
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


def _of_claim(claim: PersistentVolumeClaim, volumes: Volumes, counts_unbound: bool) -> Attachment | None:
    volume = volumes.volumes.get(claim.spec.volumeName)
    if volume is not None:
        return _of_volume(volume)
    return _unprovisioned(claim, volumes) if counts_unbound else None


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
    handle = placeholder(claim.metadata.namespace, claim.metadata.name)
    if storage_class.provisioner in DRIVER_OF:
        return Attachment(DRIVER_OF[storage_class.provisioner], handle, True)
    return Attachment(storage_class.provisioner, handle)


@dataclass(frozen=True)
class OfDriver:
    """VolumeKind: a driver's volumes. ``migrated``: also those of the in-tree plugin that it replaced."""

    driver: str
    rules: AttachmentRules
    migrated: bool

    def names(self, pod: Pod, volumes: Volumes) -> Iterator[str | VolumeProblem]:
        for each in attachments(pod, volumes, self.rules):
            if each.migrated and not self.migrated:
                continue
            if isinstance(each, VolumeProblem):
                yield each
            elif each.driver == self.driver:
                yield each.handle


def limit_resource(driver: str) -> str:
    """The resource that sets the driver's limit. v1.20: pkg/volume/util/attach_limit.go, GetCSIAttachLimitKey."""
    prefix = f"{ATTACHABLE}csi-"
    if len(prefix) + len(driver) < 63:
        return prefix + driver
    digest = hashlib.sha1(driver.encode(), usedforsecurity=False).hexdigest()
    return prefix + driver[:23] + digest[:16]


class Driver(AttachedCounts):
    """One CSI driver's volumes on the nodes where those of its in-tree plugin count too, or else on all others.

    ``nodes``: bool[nodes], these nodes. ``limits``: int64[nodes], how many volumes it can attach to each of them,
    NO_LIMIT if unstated and on other nodes.
    """

    def __init__(self, kind: OfDriver, cluster: Cluster) -> None:
        attached = _from_attachments(kind.driver, cluster) if kind.rules.counts_attachments else ()
        super().__init__(DistinctVolumes(kind, cluster.volumes), cluster, attached)
        plugin = PLUGIN_OF.get(kind.driver, "")
        self.nodes = counts_as_csi(cluster, plugin, kind.rules.migration) == kind.migrated
        self.limits = np.where(self.nodes, _limits(kind, cluster), NO_LIMIT)


@derived(NAMES, ALLOCATABLE, CSI_NODES, ATTACHMENTS, VOLUMES)
def driver(cluster: Cluster, name: str, rules: AttachmentRules, migrated: bool) -> Driver:
    return Driver(OfDriver(name, rules, migrated), cluster)


def _limits(kind: OfDriver, cluster: Cluster) -> IntArray:
    """int64[nodes]: the driver's limits from the CSINode, or else from the allocatable resource, where each is read."""
    limits = np.full(len(cluster.nodes), NO_LIMIT, np.int64)
    resource = limit_resource(kind.driver)
    for position, node in enumerate(cluster.nodes if kind.rules.reads_allocatable else ()):
        if resource in node.status.allocatable:
            limits[position] = node.status.allocatable[resource].value()
    for position, listed in _listed(kind.driver, cluster) if kind.rules.reads_csi_nodes else ():
        if (limit := _limit(listed)) is not None:
            limits[position] = limit
    return limits


def _limit(listed: CSINodeDriver) -> int | None:
    return listed.allocatable.count if listed.allocatable is not None else None


@derived(NAMES, CSI_NODES)
def installed(cluster: Cluster, name: str) -> BoolArray:
    """bool[nodes], read-only: the nodes whose CSINode lists the driver."""
    mask = np.zeros(len(cluster.nodes), np.bool_)
    mask[[position for position, _ in _listed(name, cluster)]] = True
    return mask


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


@derived(NAMES, ALLOCATABLE, CSI_NODES)
def is_limited(cluster: Cluster, rules: AttachmentRules) -> BoolArray:
    """bool[nodes], read-only: the nodes where any driver has a limit."""
    mask = np.zeros(len(cluster.nodes), np.bool_)
    if rules.reads_csi_nodes:
        for position, node in enumerate(map(cluster.volumes.nodes.get, cluster.names)):
            mask[position] = node is not None and any(_limit(driver) is not None for driver in node.spec.drivers)
    if rules.reads_allocatable:
        resources = (node.status.allocatable for node in cluster.nodes)
        mask |= [any(name.startswith(ATTACHABLE) for name in each) for each in resources]
    return mask
