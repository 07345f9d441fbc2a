"""VolumeZone: is the node in the zone and region of the pod's volumes, by their labels?

v1.37: pkg/scheduler/framework/plugins/volumezone/volume_zone.go. A node without any zone or region label passes. A
volume's older label can match the node's newer one. Evicting pods can't help. v1.20: the same file.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.derived import LABELS, derived
from kschedlab.cluster.pods import PodInfo
from kschedlab.cluster.signatures import BoolArray
from kschedlab.cluster.topology import REGION, ZONE
from kschedlab.cluster.volumes import claim_class, not_found
from kschedlab.filter.plugin import PreFilterRejection, Refusal, StaticFilter, first_of
from kschedlab.filter.volumes.csi_migration import ZONE_SEPARATOR
from kschedlab.objects.model import PersistentVolume, Pod

ZONE_CONFLICT = "node(s) had no available volume zone"
NO_CLAIM_NAME = "PersistentVolumeClaim had no name"
NO_CLASS = "PersistentVolumeClaim had no pv name and storageClass name"
NO_VOLUME_NAME = "PersistentVolume had no name"

NEWER = {ZONE[0]: ZONE[1], REGION[0]: REGION[1]}
"""The successor of each older label."""

Labels: TypeAlias = tuple[str, ...]
ZONE_LABELS: Labels = (ZONE[0], REGION[0], ZONE[1], REGION[1])


@dataclass(frozen=True)
class VolumeZone:
    """The filter. Named rules:

    ``finds_volumes_in_pre_filter``: a volume that can't be found rejects the pod before any node is checked; else it
    refuses the nodes that have zones. ``missing_volume_is_error``: it is then an error on those nodes, not a refusal.
    ``accepts_newer_node_labels``: a volume's older label may match the node's newer label.
    ``older_labels_only``: the newer labels are ignored (v1.16, v1.13:
    pkg/scheduler/algorithm/predicates/predicates.go, VolumeZoneChecker).
    """

    name: str = "VolumeZone"
    finds_volumes_in_pre_filter: bool = True
    missing_volume_is_error: bool = False
    accepts_newer_node_labels: bool = True
    older_labels_only: bool = False

    def prepare(self, pod: PodInfo, cluster: Cluster) -> StaticFilter | PreFilterRejection | None:
        claims = [v.persistentVolumeClaim.claimName for v in pod.pod.spec.volumes if v.persistentVolumeClaim]
        labels = ZONE_LABELS[:2] if self.older_labels_only else ZONE_LABELS
        parts: list[Refusal] = []
        for claim in claims:
            volume = _volume(pod.pod, claim, cluster)
            if isinstance(volume, str):
                if self.finds_volumes_in_pre_filter:
                    return PreFilterRejection(self.name, (volume,))
                parts.append(Refusal(has_zones(cluster, labels), volume, True, error=self.missing_volume_is_error))
                continue
            for key, values in topologies(volume, labels) if volume is not None else ():
                outside = _outside(cluster, key, values, self.accepts_newer_node_labels, labels)
                parts.append(Refusal(outside, ZONE_CONFLICT, True))
        refused = first_of(parts)
        return StaticFilter(refused) if refused is not None else None


def _volume(pod: Pod, name: str, cluster: Cluster) -> PersistentVolume | str | None:
    """The claim's volume, or an error; None if the claim waits for its first consumer."""
    if not name:
        return NO_CLAIM_NAME
    volumes = cluster.volumes
    claim = volumes.claim(pod, name)
    if claim is None:
        return not_found("persistentvolumeclaim", name)
    if claim.spec.volumeName:
        volume = volumes.volumes.get(claim.spec.volumeName)
        return not_found("persistentvolume", claim.spec.volumeName) if volume is None else volume
    class_name = claim_class(claim)
    if not class_name:
        return NO_CLASS
    if class_name not in volumes.classes:
        return not_found("storageclass.storage.k8s.io", class_name)
    return None if volumes.waits_for_first_consumer(claim) else NO_VOLUME_NAME


def topologies(volume: PersistentVolume, zone_labels: Labels = ZONE_LABELS) -> list[tuple[str, frozenset[str]]]:
    """The volume's zone and region labels with their values; a label with an empty value is ignored."""
    labels = volume.metadata.labels
    present = [(key, labels[key].split(ZONE_SEPARATOR)) for key in zone_labels if key in labels]
    topologies = [(key, frozenset(value.strip() for value in values)) for key, values in present]
    return [(key, values) for key, values in topologies if "" not in values]


@derived(LABELS)
def has_zones(cluster: Cluster, zone_labels: Labels) -> BoolArray:
    """bool[nodes], read-only: the nodes with one of these zone and region labels."""
    return np.logical_or.reduce([cluster.topology(label).domain >= 0 for label in zone_labels])


@derived(LABELS)
def _outside(
    cluster: Cluster, key: str, values: frozenset[str], accepts_newer_node_labels: bool, zone_labels: Labels
) -> BoolArray:
    """bool[nodes], read-only: the nodes that have zones or regions, but none of these values."""
    own, newer = cluster.topology(key), cluster.topology(NEWER.get(key, key) if accepts_newer_node_labels else key)
    inside = np.where(own.domain >= 0, own.in_domains_of(values), newer.in_domains_of(values))
    return has_zones(cluster, zone_labels) & ~inside
