"""Translation of in-tree plugins' volumes to those of the CSI drivers that replaced them.

v1.37: k8s.io/csi-translation-lib, translate.go and plugins/*.go;
pkg/scheduler/framework/plugins/nodevolumelimits/utils.go (isCSIMigrationOn); volumebinding/binder.go
(isCSIMigrationOnForPlugin).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

from msgspec.structs import replace

from kschedlab.cluster.topology import REGION, ZONE
from kschedlab.objects.model import (
    NodeSelector,
    NodeSelectorRequirement,
    NodeSelectorTerm,
    PersistentVolume,
    PersistentVolumeSpec,
    Volume,
)

Terms = tuple[NodeSelectorTerm, ...]

BETA_ZONE, GA_ZONE = ZONE
BETA_REGION, GA_REGION = REGION
ZONE_SEPARATOR = "__"
"""Separates the zones in a volume's label."""


class MigrationError(ValueError):
    """A volume that can't be translated; the message is the real scheduler's."""


@dataclass(frozen=True)
class InTreePlugin:
    """An in-tree plugin and the driver that replaced it.

    ``source``: the plugin's field of a volume. ``handle``: (that field, the PersistentVolume's labels) -> the driver's
    handle of the volume. ``zone``: the driver's zone label of nodes, "" if it has none.
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
    zones = (labels.get(BETA_ZONE) or labels.get(GA_ZONE, "")).split(ZONE_SEPARATOR)
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
        listed = " ".join(f"{region}:{{}}" for region in regions)
        raise MigrationError(
            f"failed to get region from zones: multiple or no regions gotten from zones, got: map[{listed}]"
        )
    return regions[0]


def _azure_handle(source: Any, labels: Mapping[str, str]) -> str:
    if source.kind.lower() != "managed":
        raise MigrationError(f"kind({source.kind}) is not supported in csi migration")
    return str(source.diskURI)


def _volume_id(source: Any, labels: Mapping[str, str]) -> str:
    return str(source.volumeID)


TRANSLATED = (
    InTreePlugin(
        "awsElasticBlockStore", "kubernetes.io/aws-ebs", "ebs.csi.aws.com", _ebs_handle, "topology.ebs.csi.aws.com/zone"
    ),
    InTreePlugin(
        "gcePersistentDisk", "kubernetes.io/gce-pd", "pd.csi.storage.gke.io", _disk_handle, "topology.gke.io/zone"
    ),
    InTreePlugin(
        "cinder",
        "kubernetes.io/cinder",
        "cinder.csi.openstack.org",
        _volume_id,
        "topology.cinder.csi.openstack.org/zone",
    ),
    InTreePlugin("azureDisk", "kubernetes.io/azure-disk", "disk.csi.azure.com", _azure_handle),
    InTreePlugin("portworxVolume", "kubernetes.io/portworx-volume", "pxd.portworx.com", _volume_id),
)
"""The plugins whose volumes count as their driver's."""

UNCOUNTED_PROVISIONERS = frozenset(["kubernetes.io/azure-file", "kubernetes.io/vsphere-volume"])
"""Provisioners that a driver replaced, but whose volumes the scheduler does not count."""

DRIVER_OF = {plugin.plugin: plugin.driver for plugin in TRANSLATED}
PLUGIN_OF = {plugin.driver: plugin.plugin for plugin in TRANSLATED}
ALL_MIGRATED = tuple(DRIVER_OF)
CINDER = "kubernetes.io/cinder"
CLOUD_DISKS = ("kubernetes.io/aws-ebs", "kubernetes.io/azure-disk", "kubernetes.io/gce-pd")
PORTWORX = "kubernetes.io/portworx-volume"


@dataclass(frozen=True)
class Migration:
    """The in-tree plugins whose volumes count as their driver's, on nodes with a CSINode.

    ``everywhere``: on all of these; ``where_listed``: where the CSINode's annotation of migrated plugins lists them.
    """

    everywhere: tuple[str, ...] = ALL_MIGRATED
    where_listed: tuple[str, ...] = ()


NOT_MIGRATED = Migration(everywhere=())


def in_tree(holder: Volume | PersistentVolumeSpec) -> InTreePlugin | None:
    """The replaced in-tree plugin of a pod's volume or a PersistentVolume, or None."""
    return next((plugin for plugin in TRANSLATED if getattr(holder, plugin.source) is not None), None)


def volume_handle(plugin: InTreePlugin, holder: Volume | PersistentVolumeSpec, labels: Mapping[str, str]) -> str:
    """The driver's handle of the volume. MigrationError if it can't be translated."""
    return plugin.handle(getattr(holder, plugin.source), labels)


def translated_affinity(plugin: InTreePlugin, volume: PersistentVolume) -> NodeSelector | None:
    """The volume's node affinity with the driver's labels. MigrationError if the volume can't be translated.

    v1.37: csi-translation-lib/plugins/in_tree_volume.go, translateTopologyFromInTreeToCSI.
    """
    labels = volume.metadata.labels
    volume_handle(plugin, volume.spec, labels)
    affinity = volume.spec.nodeAffinity.required if volume.spec.nodeAffinity is not None else None
    if not plugin.zone:
        return affinity
    terms = affinity.nodeSelectorTerms if affinity is not None else ()
    zone, region = _labels_used(terms, labels)
    if _has_values(terms, zone):
        terms = _renamed(terms, zone, plugin.zone)
    elif zones := {name.strip() for name in labels.get(zone, "").split(ZONE_SEPARATOR)} - {""}:
        expression = NodeSelectorRequirement(plugin.zone, "In", tuple(sorted(zones)))
        every = terms or (NodeSelectorTerm(),)
        terms = tuple(replace(term, matchExpressions=(*term.matchExpressions, expression)) for term in every)
    if _has_values(terms, region):
        terms = _renamed(terms, region, GA_REGION)
    return NodeSelector(terms) if terms or affinity is not None else None


def _labels_used(terms: Terms, labels: Mapping[str, str]) -> tuple[str, str]:
    """(zone, region): the GA or beta labels that the volume's affinity uses, else its own labels."""
    in_affinity = {expression.key for term in terms for expression in term.matchExpressions}
    for keys in (in_affinity, labels.keys()):
        for zone, region in ((GA_ZONE, GA_REGION), (BETA_ZONE, BETA_REGION)):
            if zone in keys:
                return zone, region
    return GA_ZONE, GA_REGION


def _has_values(terms: Terms, key: str) -> bool:
    return any(e.key == key and e.values for term in terms for e in term.matchExpressions)


def _renamed(terms: Terms, old: str, new: str) -> Terms:
    """The terms with another key."""
    renamed = []
    for term in terms:
        expressions = (replace(e, key=new) if e.key == old else e for e in term.matchExpressions)
        renamed.append(replace(term, matchExpressions=tuple(expressions)))
    return tuple(renamed)
