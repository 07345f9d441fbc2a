"""EBSLimits, GCEPDLimits, AzureDiskLimits, CinderLimits, and NodeVolumeLimits as it was beside them.

How many disks of a cloud, or volumes of a CSI driver, may be attached to the node? v1.20:
pkg/scheduler/framework/plugins/nodevolumelimits/non_csi.go and csi.go; v1.16 and v1.13: pkg/scheduler/algorithm/
predicates (MaxEBSVolumeCount, MaxGCEPDVolumeCount, ...). No plugin had been handed over to its CSI driver by default.
Evicting pods is always said to help. In v1.37 NodeVolumeLimits counts them all (see :mod:`volume_limits`).
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.derived import ALLOCATABLE, CSI_NODES, LABELS, VOLUMES
from kschedlab.cluster.pods import PodInfo
from kschedlab.cluster.signatures import IntArray, Signature
from kschedlab.cluster.snapshot import Snapshot
from kschedlab.cluster.volumes import Volumes, claim_class
from kschedlab.filter.plugin import Refusal, Refusals, first_of
from kschedlab.filter.volumes.attachments import NO_LIMIT, AttachedCounts
from kschedlab.filter.volumes.csi_limits import TOO_MANY_VOLUMES
from kschedlab.filter.volumes.csi_migration import DRIVER_OF
from kschedlab.objects.model import PersistentVolume, PersistentVolumeClaim, Pod, Volume

ATTACHABLE = "attachable-volumes-"
INSTANCE_TYPE = ("beta.kubernetes.io/instance-type", "node.kubernetes.io/instance-type")
"""Labels that tell what machine the node is."""


@dataclass(frozen=True)
class DiskKind:
    """A cloud's disks. ``source``: the field of a volume that names one, ``identity``: the field of that.

    ``provisioner``: whose classes make them. ``resource``: the node's allocatable resource that tells its limit;
    ``usual``: the limit of a node that does not say; ``smaller``: (pattern, limit) of machines that take fewer, which
    the first of the labels ``machine_labels`` tells.
    """

    source: str
    identity: str
    provisioner: str
    resource: str
    usual: int
    smaller: tuple[str, int] | None = None
    machine_labels: tuple[str, ...] = INSTANCE_TYPE

    def name_of(self, volume: Volume | PersistentVolume) -> str | None:
        """The disk that the volume is, None if it is of another sort."""
        found = getattr(volume.spec if isinstance(volume, PersistentVolume) else volume, self.source)
        return None if found is None else str(getattr(found, self.identity))

    def limits(self, cluster: Cluster) -> IntArray:
        """int64[nodes]: how many each node may have."""
        return np.array([self._limit(cluster, position) for position in range(len(cluster.nodes))], np.int64)

    def _limit(self, cluster: Cluster, position: int) -> int:
        node = cluster.nodes[position]
        if self.resource in node.status.allocatable:
            return node.status.allocatable[self.resource].value()
        machine = next((node.metadata.labels[key] for key in self.machine_labels if key in node.metadata.labels), "")
        if self.smaller is not None and re.search(self.smaller[0], machine):
            return self.smaller[1]
        return self.usual


EBS = DiskKind(
    "awsElasticBlockStore",
    "volumeID",
    "kubernetes.io/aws-ebs",
    f"{ATTACHABLE}aws-ebs",
    39,
    ("^[cmr]5.*|t3|z1d", 25),
)
GCE_PD = DiskKind("gcePersistentDisk", "pdName", "kubernetes.io/gce-pd", f"{ATTACHABLE}gce-pd", 16)
AZURE_DISK = DiskKind("azureDisk", "diskName", "kubernetes.io/azure-disk", f"{ATTACHABLE}azure-disk", 16)
CINDER = DiskKind("cinder", "volumeID", "kubernetes.io/cinder", f"{ATTACHABLE}cinder", 256)


@dataclass(frozen=True)
class DisksOfKind:
    """PodQuery: how many disks of the sort does the pod use? A claim without its volume counts as one.

    ``counts_claims_of_any_class``: whatever class it has; else only if its class makes disks of the sort.
    """

    sort: DiskKind
    volumes: Volumes
    counts_claims_of_any_class: bool

    def handles(self, signature: Signature) -> frozenset[str]:
        """The disks that every pod of the signature uses."""
        return frozenset(self._names(signature.example))

    def of(self, signature: Signature) -> int:
        """The number of disks, each counted once."""
        return len(self.handles(signature))

    def _names(self, pod: Pod) -> Iterator[str]:
        for volume in pod.spec.volumes:
            name = self.sort.name_of(volume)
            if name is None and volume.persistentVolumeClaim is not None:
                name = self._of_claim(pod, volume.persistentVolumeClaim.claimName)
            if name is not None:
                yield name

    def _of_claim(self, pod: Pod, name: str) -> str | None:
        claim = self.volumes.claim(pod, name)
        volume = self.volumes.volumes.get(claim.spec.volumeName) if claim is not None else None
        if volume is not None:
            return self.sort.name_of(volume)
        made_by = self.volumes.classes.get(claim.spec.storageClassName or "") if claim is not None else None
        known = made_by is not None and made_by.provisioner == self.sort.provisioner
        return f"\0{pod.metadata.namespace}/{name}" if known or self.counts_claims_of_any_class else None


@dataclass(frozen=True)
class DiskLimits:
    """The filter for one cloud's disks.

    Named rule ``counts_claims_of_any_class``: a claim that has no volume yet, or does not exist, counts as one disk
    whatever its class (v1.13: algorithm/predicates/predicates.go, filterVolumes).
    """

    name: str
    sort: DiskKind
    counts_claims_of_any_class: bool = False

    def prepare(self, pod: PodInfo, cluster: Cluster) -> CountsCheck | None:
        """Skips a pod that uses no such disk."""
        if not pod.pod.spec.volumes:
            return None
        query = DisksOfKind(self.sort, cluster.volumes, self.counts_claims_of_any_class)
        wanted = query.handles(cluster.signatures[pod.signature])
        if not wanted:
            return None

        def known() -> tuple[AttachedCounts, IntArray]:
            return AttachedCounts(query, cluster), self.sort.limits(cluster)

        disks, limits = cluster.derived(("disks", query), known, LABELS, ALLOCATABLE, VOLUMES)
        return CountsCheck((Count(disks, tuple(sorted(wanted)), limits),), False)


@dataclass(frozen=True)
class ClaimedVolumesOfDriver:
    """PodQuery: how many volumes of the CSI driver does the pod claim? ``counts_unbound_claims``: also new ones."""

    driver: str
    volumes: Volumes
    counts_unbound_claims: bool

    def handles(self, signature: Signature) -> frozenset[str]:
        """What the driver calls the volumes of every pod of the signature."""
        found = driver_volumes(signature, self.volumes, self.counts_unbound_claims)
        return frozenset(handle for driver, handle in found if driver == self.driver)

    def of(self, signature: Signature) -> int:
        """The number of volumes, each counted once."""
        return len(self.handles(signature))


def driver_volumes(signature: Signature, volumes: Volumes, counts_unbound_claims: bool) -> Iterator[tuple[str, str]]:
    """The (driver, volume) pairs that every pod of the signature claims."""
    for volume in signature.example.spec.volumes:
        if volume.persistentVolumeClaim is not None:
            claim = volumes.claim(signature.example, volume.persistentVolumeClaim.claimName)
            found = _driver_volume(claim, volumes, counts_unbound_claims) if claim is not None else None
            if found is not None:
                yield found


def _driver_volume(
    claim: PersistentVolumeClaim, volumes: Volumes, counts_unbound_claims: bool
) -> tuple[str, str] | None:
    volume = volumes.volumes.get(claim.spec.volumeName)
    if volume is not None:
        source = volume.spec.csi
        return (source.driver, source.volumeHandle) if source and source.driver and source.volumeHandle else None
    made_by = volumes.classes.get(claim_class(claim)) if counts_unbound_claims else None
    if made_by is None or not made_by.provisioner or made_by.provisioner in DRIVER_OF:
        return None
    return made_by.provisioner, f"\0{claim.metadata.namespace}/{claim.metadata.name}"


@dataclass(frozen=True)
class DriverLimits:
    """The filter for CSI volumes, which it finds by their claims alone.

    Named rules: ``counts_unbound_claims``: claims that have no volume so far count as one of their class's driver.
    ``reads_csi_nodes``: CSINodes tell the limits, beside the nodes' allocatable resources (neither in v1.13:
    algorithm/predicates/csi_volume_predicate.go).
    """

    name: str = "NodeVolumeLimits"
    counts_unbound_claims: bool = True
    reads_csi_nodes: bool = True

    def prepare(self, pod: PodInfo, cluster: Cluster) -> CountsCheck | None:
        """Skips a pod without CSI volumes, and drivers that nowhere have a limit."""
        if not pod.pod.spec.volumes:
            return None
        wanted: dict[str, dict[str, None]] = {}
        for name, handle in driver_volumes(
            cluster.signatures[pod.signature], cluster.volumes, self.counts_unbound_claims
        ):
            wanted.setdefault(name, {})[handle] = None
        counts = tuple(self._count(name, tuple(handles), cluster) for name, handles in wanted.items())
        return CountsCheck(counts, True) if counts else None

    def _count(self, driver: str, wanted: tuple[str, ...], cluster: Cluster) -> Count:
        query = ClaimedVolumesOfDriver(driver, cluster.volumes, self.counts_unbound_claims)

        def known() -> tuple[AttachedCounts, IntArray]:
            return AttachedCounts(query, cluster), driver_limits(driver, cluster, self.reads_csi_nodes)

        key = ("driver volumes", query, self.reads_csi_nodes)
        attached, limits = cluster.derived(key, known, ALLOCATABLE, CSI_NODES, VOLUMES)
        return Count(attached, wanted, limits)


def driver_limits(name: str, cluster: Cluster, reads_csi_nodes: bool) -> IntArray:
    """int64[nodes]: the driver's limits. What the CSINode says, if it is read, else the node's allocatable resource."""
    limits = np.full(len(cluster.nodes), NO_LIMIT, np.int64)
    resource = limit_resource(name)
    for position, node in enumerate(cluster.nodes):
        if resource in node.status.allocatable:
            limits[position] = node.status.allocatable[resource].value()
        found = cluster.volumes.nodes.get(node.metadata.name) if reads_csi_nodes else None
        for driver in found.spec.drivers if found is not None else ():
            if driver.name == name and driver.allocatable is not None and driver.allocatable.count is not None:
                limits[position] = driver.allocatable.count
    return limits


def limit_resource(driver: str) -> str:
    """The resource that tells the driver's limit. v1.20: pkg/volume/util/attach_limit.go, GetCSIAttachLimitKey."""
    prefix = f"{ATTACHABLE}csi-"
    if len(prefix) + len(driver) < 63:
        return prefix + driver
    digest = hashlib.sha1(driver.encode(), usedforsecurity=False).hexdigest()
    return prefix + driver[:23] + digest[:16]


@dataclass(frozen=True, eq=False)
class Count:
    """``wanted``: the volumes of one sort that the pod uses; ``limits``: int64[nodes]."""

    attached: AttachedCounts
    wanted: tuple[str, ...]
    limits: IntArray


@dataclass(frozen=True, eq=False)
class CountsCheck:
    """``only_new``: a node that has all the volumes already is never refused, not even beyond its limit."""

    counts: tuple[Count, ...]
    only_new: bool
    node_names: frozenset[str] | None = None
    depends_on_pods: bool = True

    @property
    def monotonic(self) -> bool:
        """Where only new volumes count, a pod that comes with one that is wanted makes it no longer new."""
        return not self.only_new

    def filter(self, snapshot: Snapshot) -> Refusals | None:
        """Nodes with more volumes than a limit. Recounted only where the kept counts say that it may be so."""
        parts = []
        for count in self.counts:
            limits, wanted = count.limits, count.wanted
            doubtful = count.attached.at_most(snapshot) > limits - len(wanted)
            if doubtful.any():
                attached, new = count.attached.counted(snapshot, doubtful, wanted)
                over = doubtful & (attached > limits - new)
                if self.only_new:
                    over &= new > 0
                parts.append(Refusal(over, TOO_MANY_VOLUMES, terms={"attached": attached, "new": new, "limit": limits}))
        return first_of(parts)
