"""EBSLimits, GCEPDLimits, AzureDiskLimits, CinderLimits, and NodeVolumeLimits of the same generations.

Can the pod's disks, or its CSI drivers' volumes, be attached to the node without exceeding a limit? v1.20:
pkg/scheduler/framework/plugins/nodevolumelimits/non_csi.go and csi.go; v1.16 and v1.13: pkg/scheduler/algorithm/
predicates (MaxEBSVolumeCount, MaxGCEPDVolumeCount, ...). By default no in-tree plugin was migrated to
its CSI driver. The plugins always report that evicting pods can help. In v1.37 NodeVolumeLimits counts all volumes (see
:mod:`kschedlab.filter.volumes.csi_limits`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from kschedlab.cluster.clues import VOLUMES as WITH_VOLUMES, Clue
from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.derived import ALLOCATABLE, CSI_NODES, LABELS, VOLUMES
from kschedlab.cluster.pods import PodInfo
from kschedlab.cluster.signatures import IntArray, Signature
from kschedlab.cluster.snapshot import Snapshot
from kschedlab.cluster.volumes import Volumes, claim_class
from kschedlab.filter.plugin import Refusal, Refusals, first_of
from kschedlab.filter.volumes.attachments import ATTACHABLE, AttachedCounts, driver_limits
from kschedlab.filter.volumes.csi_limits import TOO_MANY_VOLUMES
from kschedlab.filter.volumes.csi_migration import DRIVER_OF
from kschedlab.objects.model import PersistentVolume, PersistentVolumeClaim, Pod, Volume

INSTANCE_TYPE = ("beta.kubernetes.io/instance-type", "node.kubernetes.io/instance-type")
"""Labels with the node's machine type."""


@dataclass(frozen=True)
class DiskKind:
    """A cloud's disks. ``source``: their field of a volume, ``name_field``: the field in it that names the disk.

    ``provisioner``: of the classes that provision such disks. ``resource``: the node's allocatable resource that sets
    its limit; ``default_limit``: the limit of a node without it; ``machine_limit``: (pattern, limit) for machine types
    with a lower default, read from the first of the labels ``machine_labels``.
    """

    source: str
    name_field: str
    provisioner: str
    resource: str
    default_limit: int
    machine_limit: tuple[str, int] | None = None
    machine_labels: tuple[str, ...] = INSTANCE_TYPE

    def name_of(self, volume: Volume | PersistentVolume) -> str | None:
        """The name of the volume's disk, or None if it is of another kind."""
        source = getattr(volume.spec if isinstance(volume, PersistentVolume) else volume, self.source)
        return None if source is None else str(getattr(source, self.name_field))

    def limits(self, cluster: Cluster) -> IntArray:
        """int64[nodes]: each node's limit."""
        return np.array([self._limit(cluster, position) for position in range(len(cluster.nodes))], np.int64)

    def _limit(self, cluster: Cluster, position: int) -> int:
        node = cluster.nodes[position]
        if self.resource in node.status.allocatable:
            return node.status.allocatable[self.resource].value()
        machine = next((node.metadata.labels[key] for key in self.machine_labels if key in node.metadata.labels), "")
        if self.machine_limit is not None and re.search(self.machine_limit[0], machine):
            return self.machine_limit[1]
        return self.default_limit


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
    """PodQuery: how many disks of the kind does the pod use? A claim without a volume counts as one.

    ``counts_claims_of_any_class``: whatever its class; else only if its class provisions such disks.
    """

    kind: DiskKind
    volumes: Volumes
    counts_claims_of_any_class: bool
    clues: tuple[Clue, ...] = WITH_VOLUMES

    def handles(self, signature: Signature) -> frozenset[str]:
        """The disks that every pod with the signature uses."""
        return frozenset(self._names(signature.example))

    def of(self, signature: Signature) -> int:
        return len(self.handles(signature))

    def _names(self, pod: Pod) -> Iterator[str]:
        for volume in pod.spec.volumes:
            name = self.kind.name_of(volume)
            if name is None and volume.persistentVolumeClaim is not None:
                name = self._of_claim(pod, volume.persistentVolumeClaim.claimName)
            if name is not None:
                yield name

    def _of_claim(self, pod: Pod, name: str) -> str | None:
        claim = self.volumes.claim(pod, name)
        volume = self.volumes.volumes.get(claim.spec.volumeName) if claim is not None else None
        if volume is not None:
            return self.kind.name_of(volume)
        storage_class = self.volumes.classes.get(claim.spec.storageClassName or "") if claim is not None else None
        of_kind = storage_class is not None and storage_class.provisioner == self.kind.provisioner
        return f"\0{pod.metadata.namespace}/{name}" if of_kind or self.counts_claims_of_any_class else None


@dataclass(frozen=True)
class DiskLimits:
    """The filter for one cloud's disks.

    Named rule ``counts_claims_of_any_class``: a claim that has no volume yet, or does not exist, counts as one disk
    whatever its class (v1.13: algorithm/predicates/predicates.go, filterVolumes).
    """

    name: str
    kind: DiskKind
    counts_claims_of_any_class: bool = False

    def prepare(self, pod: PodInfo, cluster: Cluster) -> CountsCheck | None:
        """Skips a pod without such disks."""
        if not pod.pod.spec.volumes:
            return None
        query = DisksOfKind(self.kind, cluster.volumes, self.counts_claims_of_any_class)
        wanted = query.handles(pod.signature)
        if not wanted:
            return None

        def compute() -> tuple[AttachedCounts, IntArray]:
            return AttachedCounts(query, cluster), self.kind.limits(cluster)

        disks, limits = cluster.derived(("disks", query), compute, LABELS, ALLOCATABLE, VOLUMES)
        return CountsCheck((Count(disks, tuple(sorted(wanted)), limits),), False)


@dataclass(frozen=True)
class ClaimedVolumesOfDriver:
    """PodQuery: how many volumes of the CSI driver does the pod claim? ``counts_unbound_claims``: also new ones."""

    driver: str
    volumes: Volumes
    counts_unbound_claims: bool
    clues: tuple[Clue, ...] = WITH_VOLUMES

    def handles(self, signature: Signature) -> frozenset[str]:
        """The driver's handles of the volumes of every pod with the signature."""
        claimed = driver_volumes(signature, self.volumes, self.counts_unbound_claims)
        return frozenset(handle for driver, handle in claimed if driver == self.driver)

    def of(self, signature: Signature) -> int:
        """The number of distinct volumes."""
        return len(self.handles(signature))


def driver_volumes(signature: Signature, volumes: Volumes, counts_unbound_claims: bool) -> Iterator[tuple[str, str]]:
    """The (driver, handle) pairs of the claims of every pod with the signature."""
    for volume in signature.example.spec.volumes:
        if volume.persistentVolumeClaim is not None:
            claim = volumes.claim(signature.example, volume.persistentVolumeClaim.claimName)
            pair = _driver_volume(claim, volumes, counts_unbound_claims) if claim is not None else None
            if pair is not None:
                yield pair


def _driver_volume(
    claim: PersistentVolumeClaim, volumes: Volumes, counts_unbound_claims: bool
) -> tuple[str, str] | None:
    volume = volumes.volumes.get(claim.spec.volumeName)
    if volume is not None:
        source = volume.spec.csi
        return (source.driver, source.volumeHandle) if source and source.driver and source.volumeHandle else None
    storage_class = volumes.classes.get(claim_class(claim)) if counts_unbound_claims else None
    if storage_class is None or not storage_class.provisioner or storage_class.provisioner in DRIVER_OF:
        return None
    return storage_class.provisioner, f"\0{claim.metadata.namespace}/{claim.metadata.name}"


@dataclass(frozen=True)
class DriverLimits:
    """The filter for CSI volumes, found through claims only. Named rules:

    ``counts_unbound_claims``: a claim without a volume counts as one of its class's driver.
    ``reads_csi_nodes``: CSINodes set the limits, in addition to allocatable resources (neither in v1.13:
    algorithm/predicates/csi_volume_predicate.go).
    """

    name: str = "NodeVolumeLimits"
    counts_unbound_claims: bool = True
    reads_csi_nodes: bool = True

    def prepare(self, pod: PodInfo, cluster: Cluster) -> CountsCheck | None:
        """Skips a pod without CSI volumes."""
        if not pod.pod.spec.volumes:
            return None
        wanted: dict[str, dict[str, None]] = {}
        for name, handle in driver_volumes(pod.signature, cluster.volumes, self.counts_unbound_claims):
            wanted.setdefault(name, {})[handle] = None
        counts = tuple(self._count(name, tuple(handles), cluster) for name, handles in wanted.items())
        return CountsCheck(counts, True) if counts else None

    def _count(self, driver: str, wanted: tuple[str, ...], cluster: Cluster) -> Count:
        query = ClaimedVolumesOfDriver(driver, cluster.volumes, self.counts_unbound_claims)

        def compute() -> tuple[AttachedCounts, IntArray]:
            return AttachedCounts(query, cluster), driver_limits(driver, cluster, True, self.reads_csi_nodes)

        key = ("driver volumes", query, self.reads_csi_nodes)
        attached, limits = cluster.derived(key, compute, ALLOCATABLE, CSI_NODES, VOLUMES)
        return Count(attached, wanted, limits)


@dataclass(frozen=True, eq=False)
class Count:
    """``wanted``: the pod's volumes of one kind; ``limits``: int64[nodes]."""

    attached: AttachedCounts
    wanted: tuple[str, ...]
    limits: IntArray


@dataclass(frozen=True, eq=False)
class CountsCheck:
    """``only_new_volumes``: a node that already has all wanted volumes passes, even above its limit."""

    counts: tuple[Count, ...]
    only_new_volumes: bool
    node_names: frozenset[str] | None = None
    depends_on_pods: bool = True

    @property
    def monotonic(self) -> bool:
        """If only new volumes count, an added pod can bring a wanted volume, which is then no longer new."""
        return not self.only_new_volumes

    def filter(self, snapshot: Snapshot) -> Refusals | None:
        """Nodes with more volumes than a limit. Recounted only where the upper bound exceeds it."""
        parts = []
        for count in self.counts:
            limits, wanted = count.limits, count.wanted
            possibly_full = count.attached.upper_bound(snapshot) > limits - len(wanted)
            if possibly_full.any():
                attached, new = count.attached.counts(snapshot, possibly_full, wanted)
                over = possibly_full & (attached > limits - new)
                if self.only_new_volumes:
                    over &= new > 0
                parts.append(Refusal(over, TOO_MANY_VOLUMES, terms={"attached": attached, "new": new, "limit": limits}))
        return first_of(parts)
