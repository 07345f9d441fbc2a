"""Volumes: what pods mount, and the storage objects behind them.

v1.37: k8s.io/api core/v1/types.go and storage/v1/types.go, with the fields that the volume plugins read.
"""

from __future__ import annotations

from typing import Any

from kschedlab.objects.meta import (
    ApiObject,
    Int32,
    LabelSelector,
    NodeSelector,
    ObjectMeta,
    ObjectReference,
    Part,
    ResourceList,
)
from kschedlab.objects.quantity import Quantity


class GCEPersistentDisk(Part, frozen=True):
    pdName: str = ""
    readOnly: bool = False


class AWSElasticBlockStore(Part, frozen=True):
    volumeID: str = ""
    readOnly: bool = False


class ISCSI(Part, frozen=True):
    targetPortal: str = ""
    iqn: str = ""
    lun: Int32 = 0
    readOnly: bool = False


class RBD(Part, frozen=True):
    monitors: tuple[str, ...] = ()
    image: str = ""
    pool: str = "rbd"
    readOnly: bool = False


class Cinder(Part, frozen=True):
    volumeID: str = ""


class AzureDisk(Part, frozen=True):
    diskName: str = ""
    diskURI: str = ""
    kind: str = "Shared"


class AzureFile(Part, frozen=True):
    secretName: str = ""
    shareName: str = ""


class PersistentAzureFile(AzureFile, frozen=True):
    """``azureFile`` of a PersistentVolume."""

    secretNamespace: str | None = None


class VsphereVolume(Part, frozen=True):
    volumePath: str = ""


class PortworxVolume(Part, frozen=True):
    volumeID: str = ""


class CSIVolume(Part, frozen=True):
    """``csi`` of a pod's volume, and of a PersistentVolume (with ``volumeHandle``)."""

    driver: str = ""
    volumeHandle: str = ""
    readOnly: bool = False


class HostPath(Part, frozen=True):
    """``hostPath`` and ``local`` of a PersistentVolume."""

    path: str = ""


class PersistentVolumeClaimVolume(Part, frozen=True):
    claimName: str = ""
    readOnly: bool = False


class VolumeResourceRequirements(Part, frozen=True):
    requests: ResourceList = {}
    limits: ResourceList = {}


class PersistentVolumeClaimSpec(Part, frozen=True):
    accessModes: tuple[str, ...] = ()
    selector: LabelSelector | None = None
    resources: VolumeResourceRequirements = VolumeResourceRequirements()
    volumeName: str = ""
    storageClassName: str | None = None
    volumeMode: str = "Filesystem"
    dataSource: Any = None
    dataSourceRef: Any = None
    volumeAttributesClassName: str | None = None


class PersistentVolumeClaimTemplate(Part, frozen=True):
    metadata: ObjectMeta = ObjectMeta()
    spec: PersistentVolumeClaimSpec = PersistentVolumeClaimSpec()


class EphemeralVolume(Part, frozen=True):
    volumeClaimTemplate: PersistentVolumeClaimTemplate | None = None


class ImageVolume(Part, frozen=True):
    reference: str = ""


class Volume(Part, frozen=True):
    name: str = ""
    persistentVolumeClaim: PersistentVolumeClaimVolume | None = None
    ephemeral: EphemeralVolume | None = None
    csi: CSIVolume | None = None
    gcePersistentDisk: GCEPersistentDisk | None = None
    awsElasticBlockStore: AWSElasticBlockStore | None = None
    iscsi: ISCSI | None = None
    rbd: RBD | None = None
    cinder: Cinder | None = None
    azureDisk: AzureDisk | None = None
    azureFile: AzureFile | None = None
    vsphereVolume: VsphereVolume | None = None
    portworxVolume: PortworxVolume | None = None
    image: ImageVolume | None = None


class VolumeNodeAffinity(Part, frozen=True):
    required: NodeSelector | None = None


class PersistentVolumeSpec(Part, frozen=True):
    capacity: ResourceList = {}
    accessModes: tuple[str, ...] = ()
    claimRef: ObjectReference | None = None
    storageClassName: str = ""
    volumeMode: str = "Filesystem"
    nodeAffinity: VolumeNodeAffinity | None = None
    volumeAttributesClassName: str | None = None
    csi: CSIVolume | None = None
    hostPath: HostPath | None = None
    local: HostPath | None = None
    gcePersistentDisk: GCEPersistentDisk | None = None
    awsElasticBlockStore: AWSElasticBlockStore | None = None
    cinder: Cinder | None = None
    azureDisk: AzureDisk | None = None
    azureFile: PersistentAzureFile | None = None
    vsphereVolume: VsphereVolume | None = None
    portworxVolume: PortworxVolume | None = None
    rbd: RBD | None = None
    iscsi: ISCSI | None = None
    persistentVolumeReclaimPolicy: str = "Retain"


class PersistentVolumeStatus(Part, frozen=True):
    phase: str = "Pending"
    reason: str = ""
    message: str = ""


class PersistentVolume(ApiObject, frozen=True):
    spec: PersistentVolumeSpec = PersistentVolumeSpec()
    status: PersistentVolumeStatus = PersistentVolumeStatus()


class PersistentVolumeClaimStatus(Part, frozen=True):
    phase: str = "Pending"
    capacity: ResourceList = {}
    accessModes: tuple[str, ...] = ()


class PersistentVolumeClaim(ApiObject, frozen=True):
    spec: PersistentVolumeClaimSpec = PersistentVolumeClaimSpec()
    status: PersistentVolumeClaimStatus = PersistentVolumeClaimStatus()


class TopologySelectorLabelRequirement(Part, frozen=True):
    key: str = ""
    values: tuple[str, ...] = ()


class TopologySelectorTerm(Part, frozen=True):
    matchLabelExpressions: tuple[TopologySelectorLabelRequirement, ...] = ()


class StorageClass(ApiObject, frozen=True):
    apiVersion: str = "storage.k8s.io/v1"
    provisioner: str = ""
    volumeBindingMode: str = "Immediate"
    allowedTopologies: tuple[TopologySelectorTerm, ...] = ()
    reclaimPolicy: str = "Delete"


class VolumeNodeResources(Part, frozen=True):
    count: Int32 | None = None


class CSINodeDriver(Part, frozen=True):
    name: str = ""
    nodeID: str = ""
    topologyKeys: tuple[str, ...] = ()
    allocatable: VolumeNodeResources | None = None


class CSINodeSpec(Part, frozen=True):
    drivers: tuple[CSINodeDriver, ...] = ()


class CSINode(ApiObject, frozen=True):
    apiVersion: str = "storage.k8s.io/v1"
    spec: CSINodeSpec = CSINodeSpec()


class VolumeAttachmentSource(Part, frozen=True):
    persistentVolumeName: str | None = None
    inlineVolumeSpec: PersistentVolumeSpec | None = None


class VolumeAttachmentSpec(Part, frozen=True):
    attacher: str = ""
    source: VolumeAttachmentSource = VolumeAttachmentSource()
    nodeName: str = ""


class VolumeAttachmentStatus(Part, frozen=True):
    attached: bool = False


class VolumeAttachment(ApiObject, frozen=True):
    apiVersion: str = "storage.k8s.io/v1"
    spec: VolumeAttachmentSpec = VolumeAttachmentSpec()
    status: VolumeAttachmentStatus = VolumeAttachmentStatus()


class CSIDriverSpec(Part, frozen=True):
    attachRequired: bool = True
    storageCapacity: bool = False
    preventPodSchedulingIfMissing: bool | None = None


class CSIDriver(ApiObject, frozen=True):
    apiVersion: str = "storage.k8s.io/v1"
    spec: CSIDriverSpec = CSIDriverSpec()


class CSIStorageCapacity(ApiObject, frozen=True):
    apiVersion: str = "storage.k8s.io/v1"
    nodeTopology: LabelSelector | None = None
    storageClassName: str = ""
    capacity: Quantity | None = None
    maximumVolumeSize: Quantity | None = None
