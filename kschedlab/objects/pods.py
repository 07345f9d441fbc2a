"""Pods: their spec, and the status that the kubelet, the scheduler and the controllers report.

v1.37: k8s.io/api core/v1 (types.go, toleration.go).
"""

from __future__ import annotations

import re
from typing import Any

from kschedlab.objects.meta import (
    ApiObject,
    Condition,
    Int32,
    Int64,
    LabelSelector,
    NodeSelector,
    NodeSelectorTerm,
    Part,
    ResourceList,
    Time,
)
from kschedlab.objects.nodes import Taint
from kschedlab.objects.selectors import parse_int64
from kschedlab.objects.volumes import Volume

DEFAULT_SCHEDULER = "default-scheduler"
COMPARISONS = ("Gt", "Lt")


def decimal_integer(text: str) -> int | None:
    """The number, written without a plus or leading zeros; None if it is not one, or exceeds an int64."""
    return parse_int64(text) if re.fullmatch(r"0|-?[1-9][0-9]*", text) else None


class Toleration(Part, frozen=True):
    key: str = ""
    operator: str = ""
    value: str = ""
    effect: str = ""
    tolerationSeconds: Int64 | None = None

    def tolerates(self, taint: Taint) -> bool:
        """Whether the pod tolerates the taint. An empty effect or key matches every effect or key.

        v1.37: k8s.io/api core/v1/toleration.go. Gt and Lt compare whole numbers: the taint's value with this one. (No
        pod has them without the gate TaintTolerationComparisonOperators; see :class:`~kschedlab.objects.api.Api`.)
        """
        if (self.effect and self.effect != taint.effect) or (self.key and self.key != taint.key):
            return False
        if self.operator in COMPARISONS:
            bound, value = decimal_integer(self.value), decimal_integer(taint.value)
            if bound is None or value is None:
                return False
            return value > bound if self.operator == "Gt" else value < bound
        return self.operator == "Exists" or (self.operator in ("", "Equal") and self.value == taint.value)


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


class TopologySpreadConstraint(Part, frozen=True):
    maxSkew: Int32 = 0
    topologyKey: str = ""
    whenUnsatisfiable: str = ""
    labelSelector: LabelSelector | None = None
    minDomains: Int32 | None = None
    nodeAffinityPolicy: str = "Honor"
    nodeTaintsPolicy: str = "Ignore"
    matchLabelKeys: tuple[str, ...] = ()


class ContainerClaim(Part, frozen=True):
    """A claim of the pod that a container uses: all of its requests, or the one that is named."""

    name: str = ""
    request: str = ""


class ResourceRequirements(Part, frozen=True):
    requests: ResourceList = {}
    limits: ResourceList = {}
    claims: tuple[ContainerClaim, ...] | None = None


class ContainerPort(Part, frozen=True):
    name: str = ""
    containerPort: Int32 = 0
    hostPort: Int32 = 0
    hostIP: str = ""
    protocol: str = "TCP"


class ContainerRestartRule(Part, frozen=True):
    action: str = ""
    exitCodes: Any = None


class Container(Part, frozen=True):
    name: str = ""
    image: str = ""
    resources: ResourceRequirements = ResourceRequirements()
    ports: tuple[ContainerPort, ...] = ()
    restartPolicy: str | None = None
    restartPolicyRules: tuple[ContainerRestartRule, ...] = ()


class PodSchedulingGate(Part, frozen=True):
    name: str = ""


class PodReadinessGate(Part, frozen=True):
    conditionType: str = ""


class PodResourceClaim(Part, frozen=True):
    """Exactly one of the two names is set."""

    name: str = ""
    resourceClaimName: str | None = None
    resourceClaimTemplateName: str | None = None


class PodSchedulingGroup(Part, frozen=True):
    podGroupName: str | None = None


class PodSpec(Part, frozen=True):
    nodeName: str = ""
    schedulerName: str = DEFAULT_SCHEDULER
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
    resourceClaims: tuple[PodResourceClaim, ...] = ()
    schedulingGroup: PodSchedulingGroup | None = None
    runtimeClassName: str | None = None
    hostUsers: bool | None = None
    restartPolicy: str = "Always"
    activeDeadlineSeconds: Int64 | None = None
    readinessGates: tuple[PodReadinessGate, ...] = ()


class PodCondition(Condition, frozen=True):
    lastProbeTime: Time | None = None


class EnactedResources(Part, frozen=True):
    """The resources that the kubelet has enacted. ``requests``: None means not reported, empty means none."""

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
    """At most one of the three is set; if none is, the container is waiting."""

    waiting: ContainerStateWaiting | None = None
    running: ContainerStateRunning | None = None
    terminated: ContainerStateTerminated | None = None


class ContainerStatus(Part, frozen=True):
    """``resources``, ``allocatedResources``: those that the kubelet gave it, which count during a resize."""

    name: str = ""
    resources: EnactedResources | None = None
    allocatedResources: ResourceList | None = None
    ready: bool = False
    restartCount: Int32 = 0
    state: ContainerState = ContainerState()
    lastState: ContainerState = ContainerState()
    started: bool | None = None


class PodIP(Part, frozen=True):
    ip: str = ""


class PodResourceClaimStatus(Part, frozen=True):
    """The claim made from a template; without a ``resourceClaimName`` none is needed."""

    name: str = ""
    resourceClaimName: str | None = None


class ContainerExtendedResourceRequest(Part, frozen=True):
    containerName: str = ""
    resourceName: str = ""
    requestName: str = ""


class PodExtendedResourceClaimStatus(Part, frozen=True):
    """The claim that the scheduler made for extended resources which devices provide."""

    requestMappings: tuple[ContainerExtendedResourceRequest, ...] = ()
    resourceClaimName: str = ""


class PodStatus(Part, frozen=True):
    phase: str = ""
    startTime: Time | None = None
    nominatedNodeName: str = ""
    reason: str = ""
    conditions: tuple[PodCondition, ...] = ()
    containerStatuses: tuple[ContainerStatus, ...] = ()
    initContainerStatuses: tuple[ContainerStatus, ...] = ()
    resources: EnactedResources | None = None
    allocatedResources: ResourceList | None = None
    resize: str = ""
    resourceClaimStatuses: tuple[PodResourceClaimStatus, ...] = ()
    extendedResourceClaimStatus: PodExtendedResourceClaimStatus | None = None
    message: str = ""
    hostIP: str = ""
    podIP: str = ""
    podIPs: tuple[PodIP, ...] = ()
    qosClass: str = ""
    observedGeneration: Int64 = 0


class Pod(ApiObject, frozen=True):
    spec: PodSpec = PodSpec()
    status: PodStatus = PodStatus()

    @property
    def key(self) -> str:
        """``namespace/name``."""
        return f"{self.metadata.namespace}/{self.metadata.name}"
