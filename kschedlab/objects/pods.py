"""Pods.

v1.37: k8s.io/api core/v1 (types.go).
"""

# ruff: noqa: D101 (a class is the API's type of that name, which the API documents)

from __future__ import annotations

from typing import Any

from kschedlab.objects.meta import (
    ApiObject,
    Int32,
    Int64,
    LabelSelector,
    NodeSelector,
    NodeSelectorTerm,
    ObjectMeta,
    Part,
    ResourceList,
)
from kschedlab.objects.pod_status import PodStatus
from kschedlab.objects.tolerations import Toleration
from kschedlab.objects.volumes import Volume

DEFAULT_SCHEDULER = "default-scheduler"


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


class Pod(ApiObject, frozen=True):
    apiVersion: str = "v1"
    metadata: ObjectMeta = ObjectMeta()
    spec: PodSpec = PodSpec()
    status: PodStatus = PodStatus()

    @property
    def key(self) -> str:
        """``namespace/name``."""
        return f"{self.metadata.namespace}/{self.metadata.name}"
