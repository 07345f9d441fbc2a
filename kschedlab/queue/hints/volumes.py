"""Hints of the volume plugins.

v1.37: pkg/scheduler/framework/plugins: volumerestrictions/volume_restrictions.go, nodevolumelimits/csi.go,
volumebinding/volume_binding.go, volumezone/volume_zone.go (isSchedulableAfter...);
k8s.io/csi-translation-lib/translate.go (IsInlineMigratable, TranslateInTreeInlineVolumeToCSI).
"""

from __future__ import annotations

from kschedlab.cluster.volumes import MIGRATED_PLUGINS, claim_names
from kschedlab.filter.volumes.csi_migration import MigrationError, handle_of, in_tree
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
from kschedlab.queue.hints.resources import held_room

UNCOUNTED_DRIVERS = {"azureFile": "file.csi.azure.com", "vsphereVolume": "csi.vsphere.vmware.com"}
"""Drivers that took an in-tree plugin's volumes over, by their source; the scheduler does not count these volumes."""

# -- VolumeRestrictions


def restrictions_after_delete(pod: Pod, old: Pod, new: None) -> bool:
    """VolumeRestrictions: the pod that is gone mounted a disk in this one's way, or a claim of the same name."""
    if old.metadata.namespace != pod.metadata.namespace:
        return False
    mounted = set(disks(old))
    if any(rival in mounted for disk in disks(pod) for rival in disk.rivals()):
        return True
    return not set(claims(pod)).isdisjoint(claims(old))


def names_claim(pod: Pod, old: PersistentVolumeClaim | None, new: PersistentVolumeClaim) -> bool:
    """VolumeRestrictions, VolumeZone: one of the pod's volumes names the claim."""
    return new.metadata.namespace == pod.metadata.namespace and new.metadata.name in claims(pod)


def uses_claim(pod: Pod, old: PersistentVolumeClaim | None, new: PersistentVolumeClaim) -> bool:
    """NodeVolumeLimits, VolumeBinding: the same, with the claims that are made for the pod."""
    if new.metadata.namespace != pod.metadata.namespace:
        return False
    return any(claim.name == new.metadata.name for claim in claim_names(pod))


# -- NodeVolumeLimits


def limits_after_delete(pod: Pod, old: Pod, new: None) -> bool:
    """NodeVolumeLimits: the pod that is gone had volumes attached."""
    return held_room(old) and any(_attaches(volume) for volume in old.spec.volumes)


def limits_after_csi_node(pod: Pod, old: CSINode, new: CSINode) -> bool:
    """NodeVolumeLimits: a driver takes more volumes on the node; one without a limit counts as taking none."""
    before = _limits(old)
    return any(limit > before.get(driver, 0) for driver, limit in _limits(new).items())


def limits_after_detach(pod: Pod, old: VolumeAttachment, new: None) -> bool:
    """NodeVolumeLimits: the pod has a claim, or a disk of its own of the driver that detached one."""
    return any(
        volume.persistentVolumeClaim is not None or _may_be_of(old.spec.attacher, volume) for volume in pod.spec.volumes
    )


def _attaches(volume: Volume) -> bool:
    claimed = volume.persistentVolumeClaim is not None or volume.ephemeral is not None
    return claimed or in_tree(volume) is not None or _uncounted(volume) is not None


def _uncounted(volume: Volume) -> str | None:
    return next((driver for source, driver in UNCOUNTED_DRIVERS.items() if getattr(volume, source) is not None), None)


def _may_be_of(driver: str, volume: Volume) -> bool:
    """Whether the driver attaches the pod's disk; also if it is one that no driver can take over."""
    plugin = in_tree(volume)
    if plugin is None:
        return driver == _uncounted(volume)
    try:
        handle_of(plugin, volume, {})
    except MigrationError:
        return True
    return driver == plugin.driver


def _limits(node: CSINode) -> dict[str, int]:
    return {d.name: (d.allocatable.count or 0) if d.allocatable is not None else 0 for d in node.spec.drivers}


# -- VolumeBinding


def binding_after_class(pod: Pod, old: StorageClass | None, new: StorageClass) -> bool:
    """VolumeBinding: the class is new, or its volumes may lie elsewhere."""
    return old is None or old.allowedTopologies != new.allowedTopologies


def binding_after_csi_node(pod: Pod, old: CSINode | None, new: CSINode) -> bool:
    """VolumeBinding: the CSINode is new, or its drivers took over other in-tree plugins."""
    if old is None:
        return True
    return old.metadata.annotations.get(MIGRATED_PLUGINS, "") != new.metadata.annotations.get(MIGRATED_PLUGINS, "")


def binding_after_driver(pod: Pod, old: CSIDriver, new: CSIDriver) -> bool:
    """VolumeBinding: the driver of one of the pod's own volumes does not ask for storage capacity any more."""
    if not old.spec.storageCapacity or new.spec.storageCapacity:
        return False
    return any(v.csi is not None and v.csi.driver == new.metadata.name for v in pod.spec.volumes)


def binding_after_capacity(pod: Pod, old: CSIStorageCapacity | None, new: CSIStorageCapacity) -> bool:
    """VolumeBinding: there is capacity for larger volumes."""
    if old is None:
        return True
    before, after = _largest(old), _largest(new)
    return after is not None and (before is None or after.value() > before.value())


def _largest(capacity: CSIStorageCapacity) -> Quantity | None:
    """The size of the largest volume that can be made."""
    return capacity.capacity if capacity.maximumVolumeSize is None else capacity.maximumVolumeSize


# -- VolumeZone


def zone_after_class(pod: Pod, old: None, new: StorageClass) -> bool:
    """VolumeZone: a class that binds claims when their first pod is scheduled."""
    return new.volumeBindingMode == "WaitForFirstConsumer"


def zone_after_volume(pod: Pod, old: PersistentVolume | None, new: PersistentVolume) -> bool:
    """VolumeZone: the volume is new, or lies in other zones or regions."""
    return old is None or topologies(old) != topologies(new)
