"""Volumes of the old in-tree plugins, as the CSI drivers that took them over see them.

v1.37: k8s.io/csi-translation-lib, translate.go and plugins/*.go;
pkg/scheduler/framework/plugins/nodevolumelimits/utils.go (isCSIMigrationOn).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

import msgspec

from kschedlab.cluster.topology import REGION, ZONE
from kschedlab.objects.model import (
    NodeSelector,
    NodeSelectorRequirement,
    NodeSelectorTerm,
    PersistentVolume,
    PersistentVolumeSpec,
    Volume,
)

BETA_ZONE, GA_ZONE = ZONE
BETA_REGION, GA_REGION = REGION
SEVERAL = "__"
"""Between the zones in a volume's label."""


class MigrationError(ValueError):
    """A volume that the driver cannot take over; the message is the real scheduler's."""


@dataclass(frozen=True)
class InTree:
    """An in-tree plugin and the driver in its place.

    ``source``: the field of a volume that it reads. ``handle``: (that field, the PersistentVolume's labels) -> what the
    driver calls the volume. ``zone``: the label that the driver gives nodes for their zone, "" if it gives none.
    """

    source: str
    plugin: str
    driver: str
    handle: Callable[[Any, Mapping[str, str]], str]
    zone: str = ""


def _ebs_handle(source: Any, labels: Mapping[str, str]) -> str:
    if not source.volumeID.startswith("aws://"):
        return str(source.volumeID)
    path = re.split("[?#]", source.volumeID.removeprefix("aws://"))[0].partition("/")[2]
    handle = unquote(path).strip("/")
    if not re.fullmatch(r"vol-[^/]*", handle):
        raise MigrationError(
            f"failed to translate Kubernetes ID to EBS Volume ID Invalid format for AWS volume ({source.volumeID})"
        )
    return handle


def _disk_handle(source: Any, labels: Mapping[str, str]) -> str:
    zones = (labels.get(BETA_ZONE) or labels.get(GA_ZONE, "")).split(SEVERAL)
    if len(zones) > 1:
        return f"projects/UNSPECIFIED/regions/{_region(zones)}/disks/{source.pdName}"
    return f"projects/UNSPECIFIED/zones/{zones[0] or 'UNSPECIFIED'}/disks/{source.pdName}"


def _region(zones: list[str]) -> str:
    for zone in zones:
        if zone.count("-") != 2:
            raise MigrationError(
                "failed to get region from zones: zone in unexpected format, "
                f"expected: {{locale}}-{{region}}-{{zone}}, got: {zone}"
            )
    regions = sorted({zone.rpartition("-")[0] for zone in zones})
    if len(regions) != 1:
        found = " ".join(f"{region}:{{}}" for region in regions)
        raise MigrationError(
            f"failed to get region from zones: multiple or no regions gotten from zones, got: map[{found}]"
        )
    return regions[0]


def _azure_handle(source: Any, labels: Mapping[str, str]) -> str:
    if source.kind.lower() != "managed":
        raise MigrationError(f"kind({source.kind}) is not supported in csi migration")
    return str(source.diskURI)


def _own_handle(source: Any, labels: Mapping[str, str]) -> str:
    return str(source.volumeID)


MOVED = (
    InTree(
        "awsElasticBlockStore", "kubernetes.io/aws-ebs", "ebs.csi.aws.com", _ebs_handle, "topology.ebs.csi.aws.com/zone"
    ),
    InTree("gcePersistentDisk", "kubernetes.io/gce-pd", "pd.csi.storage.gke.io", _disk_handle, "topology.gke.io/zone"),
    InTree(
        "cinder",
        "kubernetes.io/cinder",
        "cinder.csi.openstack.org",
        _own_handle,
        "topology.cinder.csi.openstack.org/zone",
    ),
    InTree("azureDisk", "kubernetes.io/azure-disk", "disk.csi.azure.com", _azure_handle),
    InTree("portworxVolume", "kubernetes.io/portworx-volume", "pxd.portworx.com", _own_handle),
)
"""The plugins whose volumes the scheduler counts as their driver's."""

UNCOUNTED = frozenset(["kubernetes.io/azure-file", "kubernetes.io/vsphere-volume"])
"""Provisioners that have a driver in their place, but whose volumes the scheduler does not count."""

DRIVER_OF = {plugin.plugin: plugin.driver for plugin in MOVED}


def in_tree(holder: Volume | PersistentVolumeSpec) -> InTree | None:
    """The plugin of a pod's volume, or of a PersistentVolume, that a driver took over."""
    return next((plugin for plugin in MOVED if getattr(holder, plugin.source) is not None), None)


def handle_of(plugin: InTree, holder: Volume | PersistentVolumeSpec, labels: Mapping[str, str]) -> str:
    """What the driver calls the volume. MigrationError if it cannot take it over."""
    return plugin.handle(getattr(holder, plugin.source), labels)


def moved_affinity(plugin: InTree, volume: PersistentVolume) -> NodeSelector | None:
    """The volume's node affinity in the driver's labels. MigrationError if the driver cannot take the volume over.

    v1.37: csi-translation-lib/plugins/in_tree_volume.go, translateTopologyFromInTreeToCSI.
    """
    handle_of(plugin, volume.spec, volume.metadata.labels)
    affinity = volume.spec.nodeAffinity.required if volume.spec.nodeAffinity is not None else None
    if not plugin.zone:
        return affinity
    zone, region = _labels_used(affinity, volume.metadata.labels)
    if _values(affinity, zone):
        affinity = _renamed(affinity, zone, plugin.zone)
    else:
        zones = {name.strip() for name in volume.metadata.labels.get(zone, "").split(SEVERAL)} - {""}
        affinity = _narrowed(affinity, plugin.zone, tuple(sorted(zones))) if zones else affinity
    return _renamed(affinity, region, GA_REGION) if _values(affinity, region) else affinity


def _labels_used(affinity: NodeSelector | None, labels: Mapping[str, str]) -> tuple[str, str]:
    """(zone, region): the labels of the generation that the volume speaks of, its affinity before its own labels."""
    asked = {e.key for term in affinity.nodeSelectorTerms for e in term.matchExpressions} if affinity else set()
    for known in (asked, labels.keys()):
        for pair in ((GA_ZONE, GA_REGION), (BETA_ZONE, BETA_REGION)):
            if pair[0] in known:
                return pair
    return GA_ZONE, GA_REGION


def _values(affinity: NodeSelector | None, key: str) -> bool:
    terms = affinity.nodeSelectorTerms if affinity is not None else ()
    return any(e.key == key and e.values for term in terms for e in term.matchExpressions)


def _renamed(affinity: NodeSelector | None, old: str, new: str) -> NodeSelector:
    terms = affinity.nodeSelectorTerms if affinity is not None else ()
    return NodeSelector(
        tuple(
            msgspec.structs.replace(
                term,
                matchExpressions=tuple(
                    msgspec.structs.replace(e, key=new) if e.key == old else e for e in term.matchExpressions
                ),
            )
            for term in terms
        )
    )


def _narrowed(affinity: NodeSelector | None, key: str, values: tuple[str, ...]) -> NodeSelector:
    terms = (affinity.nodeSelectorTerms if affinity is not None else ()) or (NodeSelectorTerm(),)
    asked = NodeSelectorRequirement(key, "In", values)
    return NodeSelector(tuple(msgspec.structs.replace(t, matchExpressions=(*t.matchExpressions, asked)) for t in terms))
