"""Kubernetes objects as the scheduler reads them: typed, immutable, spelled as in the API.

v1.37: k8s.io/api core/v1, policy/v1, scheduling/v1, storage/v1 and apps/v1 (types.go). Fields that no part of the
scheduler reads are left out; fields that it obeys and this package does not model are kept as ``Any``, to be reported.
Absent text is ``""``, absent maps and sequences are empty; None stands where the API tells "absent" from "empty".
"""

# ruff: noqa: D101 (a class is the API's type of that name, which the API documents)

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any, TypeAlias

import msgspec

from kschedlab.objects.quantity import Quantity
from kschedlab.objects.selectors import NodeTerm, NodeTerms, Selector, SelectorError, label_selector, node_term

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


class Time(int):
    """A moment, as whole microseconds since 1970 (UTC)."""

    __slots__ = ()

    @classmethod
    def parse(cls, text: str) -> Time:
        """Read RFC 3339, e.g. ``2024-01-31T12:00:00Z``. ValueError if it is something else."""
        moment = datetime.fromisoformat(text)
        if moment.tzinfo is None or len(text) < 20 or text[10] not in "Tt":
            raise ValueError(f'"{text}" is not a time like 2024-01-31T12:00:00Z')
        return cls((moment - _EPOCH) // _MICROSECOND)


ResourceList: TypeAlias = dict[str, Quantity]
"""Amounts by resource name."""


class Part(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """A part of an object."""


class Document(msgspec.Struct, frozen=True, gc=False, omit_defaults=True, tag_field="kind", tag=True):
    """A whole object: its class is its ``kind``."""


# -- metadata and selectors


class OwnerReference(Part, frozen=True):
    apiVersion: str = ""
    kind: str = ""
    name: str = ""
    uid: str = ""
    controller: bool = False


class ObjectMeta(Part, frozen=True):
    name: str = ""
    namespace: str = ""
    uid: str = ""
    labels: dict[str, str] = {}
    annotations: dict[str, str] = {}
    ownerReferences: tuple[OwnerReference, ...] = ()
    creationTimestamp: Time | None = None
    deletionTimestamp: Time | None = None
    deletionGracePeriodSeconds: int | None = None


class LabelSelectorRequirement(Part, frozen=True):
    key: str = ""
    operator: str = ""
    values: tuple[str, ...] = ()


class LabelSelector(Part, frozen=True):
    """Which labels are meant; empty selects everything, None in its place selects nothing."""

    matchLabels: dict[str, str] = {}
    matchExpressions: tuple[LabelSelectorRequirement, ...] = ()

    def compile(self) -> Selector:
        """The selector, ready to be asked. SelectorError if the API would refuse it."""
        return label_selector(self.matchLabels, [(e.key, e.operator, e.values) for e in self.matchExpressions])


class NodeSelectorRequirement(Part, frozen=True):
    key: str = ""
    operator: str = ""
    values: tuple[str, ...] = ()


class NodeSelectorTerm(Part, frozen=True):
    """All of its requirements must hold; a term without any matches no node."""

    matchExpressions: tuple[NodeSelectorRequirement, ...] = ()
    matchFields: tuple[NodeSelectorRequirement, ...] = ()

    def compile(self) -> NodeTerm:
        """The term, ready to be asked. SelectorError if it cannot be asked (Gt with a text that is no integer, ...)."""
        expressions = [(e.key, e.operator, e.values) for e in self.matchExpressions]
        return node_term(expressions, [(e.key, e.operator, e.values) for e in self.matchFields])


class NodeSelector(Part, frozen=True):
    """One of its terms must hold."""

    nodeSelectorTerms: tuple[NodeSelectorTerm, ...] = ()

    def compile(self) -> NodeTerms:
        """The selector, ready to be asked; without the terms that cannot be asked, which match nothing."""
        terms = []
        for term in self.nodeSelectorTerms:
            with suppress(SelectorError):
                terms.append(term.compile())
        return NodeTerms(tuple(terms))


class ObjectReference(Part, frozen=True):
    kind: str = ""
    namespace: str = ""
    name: str = ""
    uid: str = ""
    apiVersion: str = ""


# -- pods


class PreferredSchedulingTerm(Part, frozen=True):
    weight: int = 0
    preference: NodeSelectorTerm = NodeSelectorTerm()


class NodeAffinity(Part, frozen=True):
    requiredDuringSchedulingIgnoredDuringExecution: NodeSelector | None = None
    preferredDuringSchedulingIgnoredDuringExecution: tuple[PreferredSchedulingTerm, ...] = ()


class PodAffinityTerm(Part, frozen=True):
    labelSelector: LabelSelector | None = None
    namespaces: tuple[str, ...] = ()
    topologyKey: str = ""
    namespaceSelector: LabelSelector | None = None
    matchLabelKeys: tuple[str, ...] = ()
    mismatchLabelKeys: tuple[str, ...] = ()


class WeightedPodAffinityTerm(Part, frozen=True):
    weight: int = 0
    podAffinityTerm: PodAffinityTerm = PodAffinityTerm()


class PodAffinity(Part, frozen=True):
    """Serves ``podAffinity`` and ``podAntiAffinity``, which have the same shape."""

    requiredDuringSchedulingIgnoredDuringExecution: tuple[PodAffinityTerm, ...] = ()
    preferredDuringSchedulingIgnoredDuringExecution: tuple[WeightedPodAffinityTerm, ...] = ()


class Affinity(Part, frozen=True):
    nodeAffinity: NodeAffinity | None = None
    podAffinity: PodAffinity | None = None
    podAntiAffinity: PodAffinity | None = None


class Toleration(Part, frozen=True):
    key: str = ""
    operator: str = ""
    value: str = ""
    effect: str = ""
    tolerationSeconds: int | None = None

    def tolerates(self, taint: Taint) -> bool:
        """Whether the pod may go where the taint is. An empty effect or key means every one.

        v1.37: k8s.io/api core/v1/toleration.go. The operators Gt and Lt tolerate nothing: their feature gate
        (TaintTolerationComparisonOperators) is off by default.
        """
        if (self.effect and self.effect != taint.effect) or (self.key and self.key != taint.key):
            return False
        return self.operator == "Exists" or (self.operator in ("", "Equal") and self.value == taint.value)


class TopologySpreadConstraint(Part, frozen=True):
    maxSkew: int = 0
    topologyKey: str = ""
    whenUnsatisfiable: str = ""
    labelSelector: LabelSelector | None = None
    minDomains: int | None = None
    nodeAffinityPolicy: str = "Honor"
    nodeTaintsPolicy: str = "Ignore"
    matchLabelKeys: tuple[str, ...] = ()


class ResourceRequirements(Part, frozen=True):
    requests: ResourceList = {}
    limits: ResourceList = {}
    claims: Any = None


class ContainerPort(Part, frozen=True):
    name: str = ""
    containerPort: int = 0
    hostPort: int = 0
    hostIP: str = ""
    protocol: str = "TCP"


class Container(Part, frozen=True):
    name: str = ""
    image: str = ""
    resources: ResourceRequirements = ResourceRequirements()
    ports: tuple[ContainerPort, ...] = ()
    restartPolicy: str = ""


class PodSchedulingGate(Part, frozen=True):
    name: str = ""


class GCEPersistentDisk(Part, frozen=True):
    pdName: str = ""
    readOnly: bool = False


class AWSElasticBlockStore(Part, frozen=True):
    volumeID: str = ""
    readOnly: bool = False


class ISCSI(Part, frozen=True):
    targetPortal: str = ""
    iqn: str = ""
    lun: int = 0
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


class AzureFile(Part, frozen=True):
    secretName: str = ""
    shareName: str = ""
    secretNamespace: str = ""


class VsphereVolume(Part, frozen=True):
    volumePath: str = ""


class PortworxVolume(Part, frozen=True):
    volumeID: str = ""


class CSIVolume(Part, frozen=True):
    """``csi`` of a pod's volume, and of a PersistentVolume (with ``volumeHandle``)."""

    driver: str = ""
    volumeHandle: str = ""
    readOnly: bool = False


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
    """A pod's volume, with the sources that the volume plugins look at."""

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


class PodSpec(Part, frozen=True):
    nodeName: str = ""
    schedulerName: str = "default-scheduler"
    priority: int | None = None
    priorityClassName: str = ""
    preemptionPolicy: str | None = None
    containers: tuple[Container, ...] = ()
    initContainers: tuple[Container, ...] = ()
    resources: ResourceRequirements | None = None
    overhead: ResourceList = {}
    nodeSelector: dict[str, str] = {}
    affinity: Affinity | None = None
    tolerations: tuple[Toleration, ...] = ()
    topologySpreadConstraints: tuple[TopologySpreadConstraint, ...] = ()
    schedulingGates: tuple[PodSchedulingGate, ...] = ()
    volumes: tuple[Volume, ...] = ()
    hostNetwork: bool = False
    terminationGracePeriodSeconds: int | None = None
    resourceClaims: Any = None
    schedulingGroup: Any = None
    workloadRef: Any = None


class PodCondition(Part, frozen=True):
    type: str = ""
    status: str = ""
    reason: str = ""
    message: str = ""
    observedGeneration: int = 0
    lastTransitionTime: Time | None = None


class ContainerStatus(Part, frozen=True):
    """What the kubelet has given a container, which counts while a resize is under way."""

    name: str = ""
    resources: ResourceRequirements | None = None
    allocatedResources: ResourceList | None = None


class PodStatus(Part, frozen=True):
    phase: str = ""
    startTime: Time | None = None
    nominatedNodeName: str = ""
    reason: str = ""
    conditions: tuple[PodCondition, ...] = ()
    containerStatuses: tuple[ContainerStatus, ...] = ()
    initContainerStatuses: tuple[ContainerStatus, ...] = ()
    resources: ResourceRequirements | None = None
    allocatedResources: ResourceList | None = None
    resize: str = ""
    resourceClaimStatuses: Any = None
    extendedResourceClaimStatus: Any = None
    nodeAllocatableResourceClaimStatuses: Any = None


class Pod(Document, frozen=True):
    apiVersion: str = "v1"
    metadata: ObjectMeta = ObjectMeta()
    spec: PodSpec = PodSpec()
    status: PodStatus = PodStatus()

    @property
    def key(self) -> str:
        """``namespace/name``."""
        return f"{self.metadata.namespace}/{self.metadata.name}"


# -- nodes


class Taint(Part, frozen=True):
    key: str = ""
    value: str = ""
    effect: str = ""
    timeAdded: Time | None = None


class NodeSpec(Part, frozen=True):
    unschedulable: bool = False
    taints: tuple[Taint, ...] = ()
    podPreemptionPolicy: Any = None


class ContainerImage(Part, frozen=True):
    names: tuple[str, ...] = ()
    sizeBytes: int = 0


class NodeCondition(Part, frozen=True):
    type: str = ""
    status: str = ""


class NodeStatus(Part, frozen=True):
    capacity: ResourceList = {}
    allocatable: ResourceList = {}
    images: tuple[ContainerImage, ...] = ()
    conditions: tuple[NodeCondition, ...] = ()
    declaredFeatures: tuple[str, ...] = ()


class Node(Document, frozen=True):
    apiVersion: str = "v1"
    metadata: ObjectMeta = ObjectMeta()
    spec: NodeSpec = NodeSpec()
    status: NodeStatus = NodeStatus()


# -- what surrounds pods


class PodDisruptionBudgetSpec(Part, frozen=True):
    minAvailable: int | str | None = None
    maxUnavailable: int | str | None = None
    selector: LabelSelector | None = None


class PodDisruptionBudgetStatus(Part, frozen=True):
    disruptionsAllowed: int = 0
    disruptedPods: dict[str, Any] = {}
    currentHealthy: int = 0
    desiredHealthy: int = 0
    expectedPods: int = 0


class PodDisruptionBudget(Document, frozen=True):
    apiVersion: str = "policy/v1"
    metadata: ObjectMeta = ObjectMeta()
    spec: PodDisruptionBudgetSpec = PodDisruptionBudgetSpec()
    status: PodDisruptionBudgetStatus = PodDisruptionBudgetStatus()


class PriorityClass(Document, frozen=True):
    apiVersion: str = "scheduling.k8s.io/v1"
    metadata: ObjectMeta = ObjectMeta()
    value: int = 0
    globalDefault: bool = False
    preemptionPolicy: str = "PreemptLowerPriority"


class Namespace(Document, frozen=True):
    apiVersion: str = "v1"
    metadata: ObjectMeta = ObjectMeta()


class ServiceSpec(Part, frozen=True):
    selector: dict[str, str] = {}


class Service(Document, frozen=True):
    apiVersion: str = "v1"
    metadata: ObjectMeta = ObjectMeta()
    spec: ServiceSpec = ServiceSpec()


class ReplicationController(Document, frozen=True):
    apiVersion: str = "v1"
    metadata: ObjectMeta = ObjectMeta()
    spec: ServiceSpec = ServiceSpec()


class ReplicaSetSpec(Part, frozen=True):
    selector: LabelSelector | None = None


class ReplicaSet(Document, frozen=True):
    apiVersion: str = "apps/v1"
    metadata: ObjectMeta = ObjectMeta()
    spec: ReplicaSetSpec = ReplicaSetSpec()


class StatefulSet(Document, frozen=True):
    apiVersion: str = "apps/v1"
    metadata: ObjectMeta = ObjectMeta()
    spec: ReplicaSetSpec = ReplicaSetSpec()


# -- volumes


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
    hostPath: Any = None
    local: Any = None
    gcePersistentDisk: GCEPersistentDisk | None = None
    awsElasticBlockStore: AWSElasticBlockStore | None = None
    cinder: Cinder | None = None
    azureDisk: AzureDisk | None = None
    azureFile: AzureFile | None = None
    vsphereVolume: VsphereVolume | None = None
    portworxVolume: PortworxVolume | None = None
    rbd: RBD | None = None
    iscsi: ISCSI | None = None


class PersistentVolumeStatus(Part, frozen=True):
    phase: str = ""


class PersistentVolume(Document, frozen=True):
    apiVersion: str = "v1"
    metadata: ObjectMeta = ObjectMeta()
    spec: PersistentVolumeSpec = PersistentVolumeSpec()
    status: PersistentVolumeStatus = PersistentVolumeStatus()


class PersistentVolumeClaimStatus(Part, frozen=True):
    phase: str = ""
    capacity: ResourceList = {}
    accessModes: tuple[str, ...] = ()


class PersistentVolumeClaim(Document, frozen=True):
    apiVersion: str = "v1"
    metadata: ObjectMeta = ObjectMeta()
    spec: PersistentVolumeClaimSpec = PersistentVolumeClaimSpec()
    status: PersistentVolumeClaimStatus = PersistentVolumeClaimStatus()


class TopologySelectorLabelRequirement(Part, frozen=True):
    key: str = ""
    values: tuple[str, ...] = ()


class TopologySelectorTerm(Part, frozen=True):
    matchLabelExpressions: tuple[TopologySelectorLabelRequirement, ...] = ()


class StorageClass(Document, frozen=True):
    apiVersion: str = "storage.k8s.io/v1"
    metadata: ObjectMeta = ObjectMeta()
    provisioner: str = ""
    volumeBindingMode: str = "Immediate"
    allowedTopologies: tuple[TopologySelectorTerm, ...] = ()


class VolumeNodeResources(Part, frozen=True):
    count: int | None = None


class CSINodeDriver(Part, frozen=True):
    name: str = ""
    nodeID: str = ""
    topologyKeys: tuple[str, ...] = ()
    allocatable: VolumeNodeResources | None = None


class CSINodeSpec(Part, frozen=True):
    drivers: tuple[CSINodeDriver, ...] = ()


class CSINode(Document, frozen=True):
    apiVersion: str = "storage.k8s.io/v1"
    metadata: ObjectMeta = ObjectMeta()
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


class VolumeAttachment(Document, frozen=True):
    apiVersion: str = "storage.k8s.io/v1"
    metadata: ObjectMeta = ObjectMeta()
    spec: VolumeAttachmentSpec = VolumeAttachmentSpec()
    status: VolumeAttachmentStatus = VolumeAttachmentStatus()


class CSIDriverSpec(Part, frozen=True):
    attachRequired: bool = True
    storageCapacity: bool = False
    preventPodSchedulingIfMissing: bool | None = None


class CSIDriver(Document, frozen=True):
    apiVersion: str = "storage.k8s.io/v1"
    metadata: ObjectMeta = ObjectMeta()
    spec: CSIDriverSpec = CSIDriverSpec()


class CSIStorageCapacity(Document, frozen=True):
    apiVersion: str = "storage.k8s.io/v1"
    metadata: ObjectMeta = ObjectMeta()
    nodeTopology: LabelSelector | None = None
    storageClassName: str = ""
    capacity: Quantity | None = None
    maximumVolumeSize: Quantity | None = None
