"""Namespaces, services, disruption budgets, priority classes, pod groups, and the workloads that create pods.

v1.37: k8s.io/api core/v1, policy/v1, scheduling/v1 and v1beta1, apps/v1 and batch/v1 (types.go).
"""

from __future__ import annotations

from typing import Any

from kschedlab.objects.meta import ApiObject, Condition, Int32, Int64, LabelSelector, ObjectMeta, Part, Time
from kschedlab.objects.pods import PodResourceClaim, PodResourceClaimStatus, PodSpec
from kschedlab.objects.volumes import PersistentVolumeClaimTemplate


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
    spec: PodDisruptionBudgetSpec = PodDisruptionBudgetSpec()
    status: PodDisruptionBudgetStatus = PodDisruptionBudgetStatus()


class PriorityClass(ApiObject, frozen=True):
    apiVersion: str = "scheduling.k8s.io/v1"
    value: Int32 = 0
    globalDefault: bool = False
    preemptionPolicy: str = "PreemptLowerPriority"


class GangSchedulingPolicy(Part, frozen=True):
    minCount: Int32 = 0


class PodGroupSchedulingPolicy(Part, frozen=True):
    basic: Part | None = None
    gang: GangSchedulingPolicy | None = None


class TopologyConstraint(Part, frozen=True):
    key: str = ""


class PodGroupSchedulingConstraints(Part, frozen=True):
    topology: tuple[TopologyConstraint, ...] = ()


class DisruptionMode(Part, frozen=True):
    single: Part | None = None
    all: Part | None = None


class PodGroupSpec(Part, frozen=True):
    parentCompositePodGroupName: str | None = None
    workloadRef: Any = None
    schedulingPolicy: PodGroupSchedulingPolicy = PodGroupSchedulingPolicy()
    schedulingConstraints: PodGroupSchedulingConstraints | None = None
    resourceClaims: tuple[PodResourceClaim, ...] = ()
    disruptionMode: DisruptionMode | None = None
    priorityClassName: str = ""
    priority: Int32 | None = None
    preemptionPolicy: str | None = None


class PodGroupStatus(Part, frozen=True):
    conditions: tuple[Condition, ...] = ()
    resourceClaimStatuses: tuple[PodResourceClaimStatus, ...] = ()


class PodGroup(ApiObject, frozen=True):
    apiVersion: str = "scheduling.k8s.io/v1beta1"
    spec: PodGroupSpec = PodGroupSpec()
    status: PodGroupStatus = PodGroupStatus()


class Namespace(ApiObject, frozen=True):
    pass


class ServiceSpec(Part, frozen=True):
    selector: dict[str, str] = {}


class Service(ApiObject, frozen=True):
    spec: ServiceSpec = ServiceSpec()


class PodTemplate(Part, frozen=True):
    """The template of a workload's pods (PodTemplateSpec in Go)."""

    metadata: ObjectMeta = ObjectMeta()
    spec: PodSpec = PodSpec()


class ReplicaStatus(Part, frozen=True):
    """The pods of a ReplicaSet or a ReplicationController that exist."""

    replicas: Int32 = 0
    fullyLabeledReplicas: Int32 = 0
    readyReplicas: Int32 = 0
    availableReplicas: Int32 = 0
    terminatingReplicas: Int32 | None = None
    observedGeneration: Int64 = 0
    conditions: tuple[Condition, ...] = ()


class Replicated(Part, frozen=True):
    """What all owners of like pods say. ``replicas``: None means 1."""

    template: PodTemplate | None = None
    replicas: Int32 | None = None
    minReadySeconds: Int32 = 0


class ReplicationControllerSpec(Replicated, frozen=True):
    selector: dict[str, str] = {}


class ReplicationController(ApiObject, frozen=True):
    spec: ReplicationControllerSpec = ReplicationControllerSpec()
    status: ReplicaStatus = ReplicaStatus()


class ReplicaSetSpec(Replicated, frozen=True):
    selector: LabelSelector | None = None


class ReplicaSet(ApiObject, frozen=True):
    apiVersion: str = "apps/v1"
    spec: ReplicaSetSpec = ReplicaSetSpec()
    status: ReplicaStatus = ReplicaStatus()


class RollingUpdateStatefulSet(Part, frozen=True):
    """``partition``: the smallest ordinal that gets a new template."""

    partition: Int32 = 0
    maxUnavailable: Int32 | str | None = None


class StatefulSetUpdateStrategy(Part, frozen=True):
    type: str = "RollingUpdate"
    rollingUpdate: RollingUpdateStatefulSet | None = None


class StatefulSetSpec(Replicated, frozen=True):
    selector: LabelSelector | None = None
    podManagementPolicy: str = "OrderedReady"
    updateStrategy: StatefulSetUpdateStrategy = StatefulSetUpdateStrategy()
    volumeClaimTemplates: tuple[PersistentVolumeClaimTemplate, ...] = ()


class StatefulSetStatus(Part, frozen=True):
    """``currentRevision``, ``updateRevision``: the names of the template that pods have, and that they are to have."""

    replicas: Int32 = 0
    readyReplicas: Int32 = 0
    availableReplicas: Int32 = 0
    currentReplicas: Int32 = 0
    updatedReplicas: Int32 = 0
    currentRevision: str = ""
    updateRevision: str = ""
    collisionCount: Int32 | None = None
    observedGeneration: Int64 = 0
    conditions: tuple[Condition, ...] = ()


class StatefulSet(ApiObject, frozen=True):
    apiVersion: str = "apps/v1"
    spec: StatefulSetSpec = StatefulSetSpec()
    status: StatefulSetStatus = StatefulSetStatus()


class RollingUpdateDeployment(Part, frozen=True):
    """The pods beyond the desired number that may exist, and those that may be missing: numbers or percentages."""

    maxUnavailable: Int32 | str = "25%"
    maxSurge: Int32 | str = "25%"


class DeploymentStrategy(Part, frozen=True):
    type: str = "RollingUpdate"
    rollingUpdate: RollingUpdateDeployment | None = None


class DeploymentSpec(Replicated, frozen=True):
    selector: LabelSelector | None = None
    strategy: DeploymentStrategy = DeploymentStrategy()
    revisionHistoryLimit: Int32 = 10
    paused: bool = False
    progressDeadlineSeconds: Int32 = 600


class DeploymentCondition(Condition, frozen=True):
    lastUpdateTime: Time | None = None


class DeploymentStatus(Part, frozen=True):
    """``updatedReplicas``: the pods with the newest template; ``unavailableReplicas``: those still to come."""

    observedGeneration: Int64 = 0
    replicas: Int32 = 0
    updatedReplicas: Int32 = 0
    readyReplicas: Int32 = 0
    availableReplicas: Int32 = 0
    unavailableReplicas: Int32 = 0
    terminatingReplicas: Int32 | None = None
    conditions: tuple[DeploymentCondition, ...] = ()
    collisionCount: Int32 | None = None


class Deployment(ApiObject, frozen=True):
    apiVersion: str = "apps/v1"
    spec: DeploymentSpec = DeploymentSpec()
    status: DeploymentStatus = DeploymentStatus()


class JobSpec(Part, frozen=True):
    """``parallelism``: None means 1. ``completions``: None means that one success completes the Job."""

    parallelism: Int32 | None = None
    completions: Int32 | None = None
    backoffLimit: Int32 | None = None
    selector: LabelSelector | None = None
    suspend: bool | None = None
    template: PodTemplate = PodTemplate()


class JobStatus(Part, frozen=True):
    active: Int32 = 0
    ready: Int32 | None = None
    terminating: Int32 | None = None
    succeeded: Int32 = 0
    failed: Int32 = 0
    startTime: Time | None = None
    completionTime: Time | None = None
    conditions: tuple[Condition, ...] = ()


class Job(ApiObject, frozen=True):
    apiVersion: str = "batch/v1"
    spec: JobSpec = JobSpec()
    status: JobStatus = JobStatus()


class RollingUpdateDaemonSet(Part, frozen=True):
    maxUnavailable: Int32 | str = 1
    maxSurge: Int32 | str = 0


class DaemonSetUpdateStrategy(Part, frozen=True):
    type: str = "RollingUpdate"
    rollingUpdate: RollingUpdateDaemonSet | None = None


class DaemonSetSpec(Part, frozen=True):
    selector: LabelSelector | None = None
    template: PodTemplate | None = None
    updateStrategy: DaemonSetUpdateStrategy = DaemonSetUpdateStrategy()
    minReadySeconds: Int32 = 0


class DaemonSetStatus(Part, frozen=True):
    currentNumberScheduled: Int32 = 0
    numberMisscheduled: Int32 = 0
    desiredNumberScheduled: Int32 = 0
    numberReady: Int32 = 0
    updatedNumberScheduled: Int32 = 0
    numberAvailable: Int32 = 0
    numberUnavailable: Int32 = 0
    observedGeneration: Int64 = 0
    conditions: tuple[Condition, ...] = ()


class DaemonSet(ApiObject, frozen=True):
    apiVersion: str = "apps/v1"
    spec: DaemonSetSpec = DaemonSetSpec()
    status: DaemonSetStatus = DaemonSetStatus()


class JobTemplate(Part, frozen=True):
    """The template of a CronJob's Jobs (JobTemplateSpec in Go)."""

    metadata: ObjectMeta = ObjectMeta()
    spec: JobSpec = JobSpec()


class CronJobSpec(Part, frozen=True):
    schedule: str = ""
    timeZone: str | None = None
    startingDeadlineSeconds: Int64 | None = None
    concurrencyPolicy: str = "Allow"
    suspend: bool | None = None
    jobTemplate: JobTemplate = JobTemplate()
    successfulJobsHistoryLimit: Int32 = 3
    failedJobsHistoryLimit: Int32 = 1


class CronJobStatus(Part, frozen=True):
    lastScheduleTime: Time | None = None
    lastSuccessfulTime: Time | None = None


class CronJob(ApiObject, frozen=True):
    apiVersion: str = "batch/v1"
    spec: CronJobSpec = CronJobSpec()
    status: CronJobStatus = CronJobStatus()
