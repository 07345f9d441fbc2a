"""Hints of the volume plugins.

v1.37: pkg/scheduler/framework/plugins: volumerestrictions/volume_restrictions.go, nodevolumelimits/csi.go,
volumebinding/volume_binding.go, volumezone/volume_zone.go (isSchedulableAfter...);
k8s.io/csi-translation-lib/translate.go (IsInlineMigratable, TranslateInTreeInlineVolumeToCSI).
"""

from __future__ import annotations

from kschedlab.cluster.volumes import MIGRATED_PLUGINS, claim_names
from kschedlab.filter.volumes.csi_migration import MigrationError, in_tree, volume_handle
from kschedlab.filter.volumes.volume_restrictions import claims, disks
from kschedlab.filter.volumes.volume_zone import topologies
from kschedlab.objects.model import (
    CSIDriver,
    CSINode,
    CSIStorageCapacity,
    PersistentVolume,
    PersistentVolumeClaim,
    Pod,
    StorageClass,
    Volume,
    VolumeAttachment,
)
from kschedlab.objects.quantity import Quantity
from kschedlab_simulation.scheduler.hints.resources import held_resources

UNCOUNTED_DRIVERS = {"azureFile": "file.csi.azure.com", "vsphereVolume": "csi.vsphere.vmware.com"}
"""CSI drivers of migrated in-tree plugins whose volumes the scheduler does not count, by volume source."""

# -- VolumeRestrictions


def restrictions_after_delete(pod: Pod, old: Pod, new: None) -> bool:
    """VolumeRestrictions: the removed pod mounted a conflicting disk, or a claim of the same name."""
    if old.metadata.namespace != pod.metadata.namespace:
        return False
    mounted = set(disks(old))
    if any(rival in mounted for disk in disks(pod) for rival in disk.conflicts()):
        return True
    return not set(claims(pod)).isdisjoint(claims(old))


def names_claim(pod: Pod, old: PersistentVolumeClaim | None, new: PersistentVolumeClaim) -> bool:
    """VolumeRestrictions, VolumeZone: one of the pod's volumes names the claim."""
    return new.metadata.namespace == pod.metadata.namespace and new.metadata.name in claims(pod)


def uses_claim(pod: Pod, old: PersistentVolumeClaim | None, new: PersistentVolumeClaim) -> bool:
    """NodeVolumeLimits, VolumeBinding: the same, including claims of ephemeral volumes."""
    if new.metadata.namespace != pod.metadata.namespace:
        return False
    return any(claim.name == new.metadata.name for claim in claim_names(pod))


# -- NodeVolumeLimits


def limits_after_delete(pod: Pod, old: Pod, new: None) -> bool:
    """NodeVolumeLimits: the removed pod had volumes attached."""
    return held_resources(old) and any(_attaches(volume) for volume in old.spec.volumes)


def limits_after_csi_node(pod: Pod, old: CSINode, new: CSINode) -> bool:
    """NodeVolumeLimits: a driver's limit on the node has increased; a missing limit counts as 0."""
    old_limits = _limits(old)
    return any(limit > old_limits.get(driver, 0) for driver, limit in _limits(new).items())


def limits_after_detach(pod: Pod, old: VolumeAttachment, new: None) -> bool:
    """NodeVolumeLimits: the pod has a claim, or an inline volume of the driver that detached a volume."""
    return any(
        volume.persistentVolumeClaim is not None or _may_be_of(old.spec.attacher, volume) for volume in pod.spec.volumes
    )


def _attaches(volume: Volume) -> bool:
    claimed = volume.persistentVolumeClaim is not None or volume.ephemeral is not None
    return claimed or in_tree(volume) is not None or _uncounted(volume) is not None


def _uncounted(volume: Volume) -> str | None:
    return next((driver for source, driver in UNCOUNTED_DRIVERS.items() if getattr(volume, source) is not None), None)


def _may_be_of(driver: str, volume: Volume) -> bool:
    """Whether the driver attaches the volume; also true for a volume that cannot be migrated."""
    plugin = in_tree(volume)
    if plugin is None:
        return driver == _uncounted(volume)
    try:
        volume_handle(plugin, volume, {})
    except MigrationError:
        return True
    return driver == plugin.driver


def _limits(node: CSINode) -> dict[str, int]:
    return {d.name: (d.allocatable.count or 0) if d.allocatable is not None else 0 for d in node.spec.drivers}


# -- VolumeBinding


def binding_after_class(pod: Pod, old: StorageClass | None, new: StorageClass) -> bool:
    """VolumeBinding: the class is new, or its allowed topologies changed."""
    return old is None or old.allowedTopologies != new.allowedTopologies


def binding_after_csi_node(pod: Pod, old: CSINode | None, new: CSINode) -> bool:
    """VolumeBinding: the CSINode is new, or its list of migrated in-tree plugins changed."""
    if old is None:
        return True
    return old.metadata.annotations.get(MIGRATED_PLUGINS, "") != new.metadata.annotations.get(MIGRATED_PLUGINS, "")


def binding_after_driver(pod: Pod, old: CSIDriver, new: CSIDriver) -> bool:
    """VolumeBinding: the driver of one of the pod's inline volumes no longer tracks storage capacity."""
    if not old.spec.storageCapacity or new.spec.storageCapacity:
        return False
    return any(v.csi is not None and v.csi.driver == new.metadata.name for v in pod.spec.volumes)


def binding_after_capacity(pod: Pod, old: CSIStorageCapacity | None, new: CSIStorageCapacity) -> bool:
    """VolumeBinding: the capacity is new, or allows larger volumes."""
    if old is None:
        return True
    old_size, new_size = _largest(old), _largest(new)
    return new_size is not None and (old_size is None or new_size.value() > old_size.value())


def _largest(capacity: CSIStorageCapacity) -> Quantity | None:
    """The size of the largest volume that can be provisioned."""
    return capacity.capacity if capacity.maximumVolumeSize is None else capacity.maximumVolumeSize


# -- VolumeZone


def zone_after_class(pod: Pod, old: None, new: StorageClass) -> bool:
    """VolumeZone: the class binds claims when their first pod is scheduled."""
    return new.volumeBindingMode == "WaitForFirstConsumer"


def zone_after_volume(pod: Pod, old: PersistentVolume | None, new: PersistentVolume) -> bool:
    """VolumeZone: the volume is new, or its zones or regions changed."""
    return old is None or topologies(old) != topologies(new)
