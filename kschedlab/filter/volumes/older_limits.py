"""EBSLimits, GCEPDLimits, AzureDiskLimits, CinderLimits: can the pod's disks be attached within the node's limit?

v1.30: pkg/scheduler/framework/plugins/nodevolumelimits/non_csi.go; v1.16 and v1.13: pkg/scheduler/algorithm/predicates
(MaxEBSVolumeCount, MaxGCEPDVolumeCount, ...). Where a CSI driver has replaced the in-tree plugin, NodeVolumeLimits
counts its volumes instead (see :mod:`kschedlab.filter.volumes.csi_limits`); since v1.32 it counts all.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto

import numpy as np

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.derived import ALLOCATABLE, CSI_NODES, LABELS, NAMES, VOLUMES, derived
from kschedlab.cluster.pods import PodInfo
from kschedlab.cluster.signatures import BoolArray, IntArray
from kschedlab.cluster.volumes import Volumes
from kschedlab.filter.plugin import StaticFilter, first_of
from kschedlab.filter.volumes.attachments import ATTACHABLE
from kschedlab.filter.volumes.volume_limits import (
    NO_LIMIT,
    AttachedCounts,
    Count,
    DistinctVolumes,
    HasVolumeProblem,
    LimitsCheck,
    VolumeProblem,
    claim_of,
    placeholder,
    problem_part,
)
from kschedlab.filter.volumes.volume_topology import has_csi_node, migrated_nodes
from kschedlab.objects.model import Node, PersistentVolume, PersistentVolumeClaim, Pod, Volume

INSTANCE_TYPE = ("beta.kubernetes.io/instance-type", "node.kubernetes.io/instance-type")
"""Labels with the node's machine type."""


@dataclass(frozen=True)
class DiskKind:
    """A cloud's disks. ``source``: their field of a volume, ``name_field``: the field in it that names the disk.

    ``plugin``: names the classes' provisioner, and the node's allocatable resource that sets its limit;
    ``default_limit``: the limit of a node without it; ``machine_limit``: (pattern, limit) for machine types with a
    lower default, read from the first of the labels ``machine_labels``.
    """

    source: str
    name_field: str
    plugin: str
    default_limit: int
    machine_limit: tuple[str, int] | None = None
    machine_labels: tuple[str, ...] = INSTANCE_TYPE

    @property
    def provisioner(self) -> str:
        return f"kubernetes.io/{self.plugin}"

    def name_of(self, volume: Volume | PersistentVolume) -> str | None:
        source = getattr(volume.spec if isinstance(volume, PersistentVolume) else volume, self.source)
        return None if source is None else str(getattr(source, self.name_field))

    def limits(self, cluster: Cluster) -> IntArray:
        """int64[nodes]: each node's limit."""
        return np.array([self._limit(node) for node in cluster.nodes], np.int64)

    def _limit(self, node: Node) -> int:
        if (stated := node.status.allocatable.get(f"{ATTACHABLE}{self.plugin}")) is not None:
            return stated.value()
        machine = next((node.metadata.labels[key] for key in self.machine_labels if key in node.metadata.labels), "")
        if self.machine_limit is not None and re.search(self.machine_limit[0], machine):
            return self.machine_limit[1]
        return self.default_limit


EBS = DiskKind("awsElasticBlockStore", "volumeID", "aws-ebs", 39, ("^[cmr]5.*|t3|z1d", 25))
GCE_PD = DiskKind("gcePersistentDisk", "pdName", "gce-pd", 16)
AZURE_DISK = DiskKind("azureDisk", "diskName", "azure-disk", 16)
CINDER = DiskKind("cinder", "volumeID", "cinder", 256)


class StepsAside(Enum):
    """The nodes whose disks NodeVolumeLimits counts instead (v1.28: nodevolumelimits/utils.go, isCSIMigrationOn)."""

    NOWHERE = auto()
    WHERE_LISTED = auto()
    """Where the CSINode's annotation of migrated plugins lists the kind's plugin."""
    WITH_CSI_NODE = auto()

    def nodes(self, cluster: Cluster, plugin: str) -> BoolArray:
        if self is StepsAside.NOWHERE:
            return np.zeros(len(cluster.nodes), np.bool_)
        return has_csi_node(cluster) if self is StepsAside.WITH_CSI_NODE else migrated_nodes(cluster, plugin)


@dataclass(frozen=True)
class DiskLimits:
    """The filter for one cloud's disks, and their VolumeKind. A claim without a volume counts as one. Named rules:

    ``counts_claims_of_any_class``: a claim that has no volume yet, or does not exist, counts as one disk
    whatever its class (v1.13: algorithm/predicates/predicates.go, filterVolumes).
    ``checks_claims``, ``missing_claim_is_error``: as in NodeVolumeLimits. ``steps_aside``: see :class:`StepsAside`.
    """

    name: str
    kind: DiskKind
    counts_claims_of_any_class: bool = False
    checks_claims: bool = False
    missing_claim_is_error: bool = True
    steps_aside: StepsAside = StepsAside.NOWHERE

    def prepare(self, pod: PodInfo, cluster: Cluster) -> LimitsCheck | StaticFilter | None:
        if not pod.pod.spec.volumes:
            return None
        names = list(self.names(pod.pod, cluster.volumes))
        problems = [each for each in names if isinstance(each, VolumeProblem)]
        everywhere = np.ones(len(cluster.nodes), np.bool_)
        parts = [problem_part(each, everywhere, self.missing_claim_is_error) for each in problems]
        wanted = tuple(sorted({each for each in names if isinstance(each, str)}))
        if not wanted:
            refused = first_of(parts)
            return StaticFilter(refused) if refused is not None else None
        disks, limits, nodes = _counted(cluster, self)
        problem = HasVolumeProblem(self, cluster.volumes)
        return LimitsCheck(tuple(parts), ((problem, nodes),), (Count(disks, wanted, limits),), only_new_volumes=False)

    def names(self, pod: Pod, volumes: Volumes) -> Iterator[str | VolumeProblem]:
        for volume in pod.spec.volumes:
            name: str | VolumeProblem | None = self.kind.name_of(volume)
            if name is None:
                claim = claim_of(pod, volume, volumes, self.checks_claims)
                name = self._of_claim(claim, volumes) if isinstance(claim, PersistentVolumeClaim) else claim
            if name is None and self.counts_claims_of_any_class and volume.persistentVolumeClaim is not None:
                claim_name = volume.persistentVolumeClaim.claimName
                own = volumes.claim(pod, claim_name)
                if own is None or own.spec.volumeName not in volumes.volumes:
                    name = placeholder(pod.metadata.namespace, claim_name)
            if name is not None:
                yield name

    def _of_claim(self, claim: PersistentVolumeClaim, volumes: Volumes) -> str | None:
        volume = volumes.volumes.get(claim.spec.volumeName)
        if volume is not None:
            return self.kind.name_of(volume)
        storage_class = volumes.classes.get(claim.spec.storageClassName or "")
        of_kind = storage_class is not None and storage_class.provisioner == self.kind.provisioner
        return placeholder(claim.metadata.namespace, claim.metadata.name) if of_kind else None


@derived(NAMES, LABELS, ALLOCATABLE, CSI_NODES, VOLUMES)
def _counted(cluster: Cluster, plugin: DiskLimits) -> tuple[AttachedCounts, IntArray, BoolArray]:
    """(its disks, int64[nodes]: its limits, bool[nodes]: where it counts)."""
    counts = AttachedCounts(DistinctVolumes(plugin, cluster.volumes), cluster)
    nodes = ~plugin.steps_aside.nodes(cluster, plugin.kind.provisioner)
    return counts, np.where(nodes, plugin.kind.limits(cluster), NO_LIMIT), nodes
