"""Kubernetes objects as the scheduler reads them: typed, immutable, spelled as in the API.

v1.37: k8s.io/api core/v1, policy/v1, scheduling/v1, storage/v1 and apps/v1 (types.go). Fields that no part of the
scheduler reads are left out; fields that it obeys and this package does not model are kept as ``Any``, to be reported.
Absent text is ``""``, absent maps and sequences are empty; None stands where the API tells "absent" from "empty".
"""

# ruff: noqa: D101 (a class is the API's type of that name, which the API documents)

from __future__ import annotations

from typing import Any

from kschedlab.objects.meta import (
    ApiObject as ApiObject,
    Condition as Condition,
    Int32,
    Int64,
    LabelSelector as LabelSelector,
    LabelSelectorRequirement as LabelSelectorRequirement,
    NodeSelector as NodeSelector,
    NodeSelectorRequirement as NodeSelectorRequirement,
    NodeSelectorTerm as NodeSelectorTerm,
    ObjectMeta as ObjectMeta,
    ObjectReference as ObjectReference,
    OwnerReference as OwnerReference,
    Part,
    ResourceList as ResourceList,
    Time as Time,
)
from kschedlab.objects.volumes import (
    ISCSI as ISCSI,
    RBD as RBD,
    AWSElasticBlockStore as AWSElasticBlockStore,
    AzureDisk as AzureDisk,
    AzureFile as AzureFile,
    Cinder as Cinder,
    CSIDriver as CSIDriver,
    CSIDriverSpec as CSIDriverSpec,
    CSINode as CSINode,
    CSINodeDriver as CSINodeDriver,
    CSINodeSpec as CSINodeSpec,
    CSIStorageCapacity as CSIStorageCapacity,
    CSIVolume as CSIVolume,
    EphemeralVolume as EphemeralVolume,
    GCEPersistentDisk as GCEPersistentDisk,
    ImageVolume as ImageVolume,
    PersistentVolume as PersistentVolume,
    PersistentVolumeClaim as PersistentVolumeClaim,
    PersistentVolumeClaimSpec as PersistentVolumeClaimSpec,
    PersistentVolumeClaimStatus as PersistentVolumeClaimStatus,
    PersistentVolumeClaimTemplate as PersistentVolumeClaimTemplate,
    PersistentVolumeClaimVolume as PersistentVolumeClaimVolume,
    PersistentVolumeSpec as PersistentVolumeSpec,
    PersistentVolumeStatus as PersistentVolumeStatus,
    PortworxVolume as PortworxVolume,
    StorageClass as StorageClass,
    TopologySelectorLabelRequirement as TopologySelectorLabelRequirement,
    TopologySelectorTerm as TopologySelectorTerm,
    Volume as Volume,
    VolumeAttachment as VolumeAttachment,
    VolumeAttachmentSource as VolumeAttachmentSource,
    VolumeAttachmentSpec as VolumeAttachmentSpec,
    VolumeAttachmentStatus as VolumeAttachmentStatus,
    VolumeNodeAffinity as VolumeNodeAffinity,
    VolumeNodeResources as VolumeNodeResources,
    VolumeResourceRequirements as VolumeResourceRequirements,
    VsphereVolume as VsphereVolume,
)

# -- pods


class PreferredSchedulingTerm(Part, frozen=True):
    weight: Int32 = 0
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
    weight: Int32 = 0
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
    tolerationSeconds: Int64 | None = None

    def tolerates(self, taint: Taint) -> bool:
        """Whether the pod may go where the taint is. An empty effect or key means every one.

        v1.37: k8s.io/api core/v1/toleration.go. The operators Gt and Lt tolerate nothing: their feature gate
        (TaintTolerationComparisonOperators) is off by default.
        """
        if (self.effect and self.effect != taint.effect) or (self.key and self.key != taint.key):
            return False
        return self.operator == "Exists" or (self.operator in ("", "Equal") and self.value == taint.value)


class TopologySpreadConstraint(Part, frozen=True):
    maxSkew: Int32 = 0
    topologyKey: str = ""
    whenUnsatisfiable: str = ""
    labelSelector: LabelSelector | None = None
    minDomains: Int32 | None = None
    nodeAffinityPolicy: str = "Honor"
    nodeTaintsPolicy: str = "Ignore"
    matchLabelKeys: tuple[str, ...] = ()


class ResourceRequirements(Part, frozen=True):
    requests: ResourceList = {}
    limits: ResourceList = {}
    claims: Any = None


class ContainerPort(Part, frozen=True):
    name: str = ""
    containerPort: Int32 = 0
    hostPort: Int32 = 0
    hostIP: str = ""
    protocol: str = "TCP"


class Container(Part, frozen=True):
    name: str = ""
    image: str = ""
    resources: ResourceRequirements = ResourceRequirements()
    ports: tuple[ContainerPort, ...] = ()
    restartPolicy: str = ""
    restartPolicyRules: Any = None


class PodSchedulingGate(Part, frozen=True):
    name: str = ""


class PodReadinessGate(Part, frozen=True):
    conditionType: str = ""


class PodSpec(Part, frozen=True):
    nodeName: str = ""
    schedulerName: str = "default-scheduler"
    priority: Int32 | None = None
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
    terminationGracePeriodSeconds: Int64 | None = None
    resourceClaims: Any = None
    schedulingGroup: Any = None
    runtimeClassName: str = ""
    hostUsers: bool | None = None
    restartPolicy: str = "Always"
    activeDeadlineSeconds: Int64 | None = None
    readinessGates: tuple[PodReadinessGate, ...] = ()


class PodCondition(Part, frozen=True):
    type: str = ""
    status: str = ""
    reason: str = ""
    message: str = ""
    observedGeneration: Int64 = 0
    lastTransitionTime: Time | None = None
    lastProbeTime: Time | None = None


class ResourcesInForce(Part, frozen=True):
    """What is enforced on a node; no requests (None) is not the same as none asked for."""

    requests: ResourceList | None = None


class ContainerStateWaiting(Part, frozen=True):
    reason: str = ""
    message: str = ""


class ContainerStateRunning(Part, frozen=True):
    startedAt: Time | None = None


class ContainerStateTerminated(Part, frozen=True):
    exitCode: Int32 = 0
    reason: str = ""
    startedAt: Time | None = None
    finishedAt: Time | None = None
    signal: Int32 = 0


class ContainerState(Part, frozen=True):
    """One of the three; none means that it waits."""

    waiting: ContainerStateWaiting | None = None
    running: ContainerStateRunning | None = None
    terminated: ContainerStateTerminated | None = None


class ContainerStatus(Part, frozen=True):
    """How a container is, and what the kubelet has given it, which counts while a resize is under way."""

    name: str = ""
    resources: ResourcesInForce | None = None
    allocatedResources: ResourceList | None = None
    ready: bool = False
    restartCount: Int32 = 0
    state: ContainerState = ContainerState()
    lastState: ContainerState = ContainerState()
    started: bool | None = None


class PodIP(Part, frozen=True):
    ip: str = ""


class PodStatus(Part, frozen=True):
    phase: str = ""
    startTime: Time | None = None
    nominatedNodeName: str = ""
    reason: str = ""
    conditions: tuple[PodCondition, ...] = ()
    containerStatuses: tuple[ContainerStatus, ...] = ()
    initContainerStatuses: tuple[ContainerStatus, ...] = ()
    resources: ResourcesInForce | None = None
    allocatedResources: ResourceList | None = None
    resize: str = ""
    extendedResourceClaimStatus: Any = None
    message: str = ""
    hostIP: str = ""
    podIP: str = ""
    podIPs: tuple[PodIP, ...] = ()
    observedGeneration: Int64 = 0


class Pod(ApiObject, frozen=True):
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


class ContainerImage(Part, frozen=True):
    names: tuple[str, ...] = ()
    sizeBytes: Int64 = 0


class NodeCondition(Part, frozen=True):
    type: str = ""
    status: str = ""


class NodeStatus(Part, frozen=True):
    capacity: ResourceList = {}
    allocatable: ResourceList = {}
    images: tuple[ContainerImage, ...] = ()
    conditions: tuple[NodeCondition, ...] = ()
    declaredFeatures: tuple[str, ...] = ()


class Node(ApiObject, frozen=True):
    apiVersion: str = "v1"
    metadata: ObjectMeta = ObjectMeta()
    spec: NodeSpec = NodeSpec()
    status: NodeStatus = NodeStatus()


# -- what surrounds pods


class PodDisruptionBudgetSpec(Part, frozen=True):
    minAvailable: Int32 | str | None = None
    maxUnavailable: Int32 | str | None = None
    selector: LabelSelector | None = None
    unhealthyPodEvictionPolicy: str | None = None


class PodDisruptionBudgetStatus(Part, frozen=True):
    disruptionsAllowed: Int32 = 0
    disruptedPods: dict[str, Time | None] = {}
    currentHealthy: Int32 = 0
    desiredHealthy: Int32 = 0
    expectedPods: Int32 = 0
    observedGeneration: Int64 = 0
    conditions: tuple[Condition, ...] = ()


class PodDisruptionBudget(ApiObject, frozen=True):
    apiVersion: str = "policy/v1"
    metadata: ObjectMeta = ObjectMeta()
    spec: PodDisruptionBudgetSpec = PodDisruptionBudgetSpec()
    status: PodDisruptionBudgetStatus = PodDisruptionBudgetStatus()


class PriorityClass(ApiObject, frozen=True):
    apiVersion: str = "scheduling.k8s.io/v1"
    metadata: ObjectMeta = ObjectMeta()
    value: Int32 = 0
    globalDefault: bool = False
    preemptionPolicy: str = "PreemptLowerPriority"


class Namespace(ApiObject, frozen=True):
    apiVersion: str = "v1"
    metadata: ObjectMeta = ObjectMeta()


class ServiceSpec(Part, frozen=True):
    selector: dict[str, str] = {}


class Service(ApiObject, frozen=True):
    apiVersion: str = "v1"
    metadata: ObjectMeta = ObjectMeta()
    spec: ServiceSpec = ServiceSpec()


# -- what makes pods


class PodTemplate(Part, frozen=True):
    """What pods are made from (PodTemplateSpec in Go)."""

    metadata: ObjectMeta = ObjectMeta()
    spec: PodSpec = PodSpec()


class ReplicaStatus(Part, frozen=True):
    """How many pods there are of those wanted; serves all kinds of owners with replicas."""

    replicas: Int32 = 0
    readyReplicas: Int32 = 0
    availableReplicas: Int32 = 0
    observedGeneration: Int64 = 0


class ReplicationControllerSpec(Part, frozen=True):
    selector: dict[str, str] = {}
    template: PodTemplate | None = None
    replicas: Int32 | None = None


class ReplicationController(ApiObject, frozen=True):
    apiVersion: str = "v1"
    metadata: ObjectMeta = ObjectMeta()
    spec: ReplicationControllerSpec = ReplicationControllerSpec()
    status: ReplicaStatus = ReplicaStatus()


class ReplicaSetSpec(Part, frozen=True):
    """Serves Deployments too, as far as they are modelled. ``replicas``: None is 1."""

    selector: LabelSelector | None = None
    template: PodTemplate | None = None
    replicas: Int32 | None = None


class ReplicaSet(ApiObject, frozen=True):
    apiVersion: str = "apps/v1"
    metadata: ObjectMeta = ObjectMeta()
    spec: ReplicaSetSpec = ReplicaSetSpec()
    status: ReplicaStatus = ReplicaStatus()


class StatefulSetSpec(Part, frozen=True):
    selector: LabelSelector | None = None
    template: PodTemplate | None = None
    replicas: Int32 | None = None
    podManagementPolicy: str = "OrderedReady"
    volumeClaimTemplates: tuple[PersistentVolumeClaimTemplate, ...] = ()


class StatefulSet(ApiObject, frozen=True):
    apiVersion: str = "apps/v1"
    metadata: ObjectMeta = ObjectMeta()
    spec: StatefulSetSpec = StatefulSetSpec()
    status: ReplicaStatus = ReplicaStatus()


class Deployment(ApiObject, frozen=True):
    apiVersion: str = "apps/v1"
    metadata: ObjectMeta = ObjectMeta()
    spec: ReplicaSetSpec = ReplicaSetSpec()
    status: ReplicaStatus = ReplicaStatus()


class JobSpec(Part, frozen=True):
    """``parallelism``: None is 1; ``completions``: None is one for every pod that runs at once."""

    parallelism: Int32 | None = None
    completions: Int32 | None = None
    backoffLimit: Int32 | None = None
    selector: LabelSelector | None = None
    template: PodTemplate = PodTemplate()


class JobStatus(Part, frozen=True):
    active: Int32 = 0
    succeeded: Int32 = 0
    failed: Int32 = 0
    startTime: Time | None = None
    completionTime: Time | None = None
    conditions: tuple[Condition, ...] = ()


class Job(ApiObject, frozen=True):
    apiVersion: str = "batch/v1"
    metadata: ObjectMeta = ObjectMeta()
    spec: JobSpec = JobSpec()
    status: JobStatus = JobStatus()
