"""What bounds the pods of a namespace or a workload: limit ranges, quotas, autoscalers.

v1.37: k8s.io/api core/v1 and autoscaling/v2 (types.go). An autoscaler's metrics are not read: only its bounds are.
"""

from __future__ import annotations

from kschedlab.objects.meta import ApiObject, Int32, Part, ResourceList


class LimitRangeItem(Part, frozen=True):
    type: str = ""
    max: ResourceList = {}
    min: ResourceList = {}
    default: ResourceList = {}
    defaultRequest: ResourceList = {}
    maxLimitRequestRatio: ResourceList = {}


class LimitRangeSpec(Part, frozen=True):
    limits: tuple[LimitRangeItem, ...] = ()


class LimitRange(ApiObject, frozen=True):
    spec: LimitRangeSpec = LimitRangeSpec()


class ScopedResourceSelectorRequirement(Part, frozen=True):
    scopeName: str = ""
    operator: str = ""
    values: tuple[str, ...] = ()


class ScopeSelector(Part, frozen=True):
    matchExpressions: tuple[ScopedResourceSelectorRequirement, ...] = ()


class ResourceQuotaSpec(Part, frozen=True):
    hard: ResourceList = {}
    scopes: tuple[str, ...] = ()
    scopeSelector: ScopeSelector | None = None


class ResourceQuotaStatus(Part, frozen=True):
    hard: ResourceList = {}
    used: ResourceList = {}


class ResourceQuota(ApiObject, frozen=True):
    spec: ResourceQuotaSpec = ResourceQuotaSpec()
    status: ResourceQuotaStatus = ResourceQuotaStatus()


class CrossVersionObjectReference(Part, frozen=True):
    kind: str = ""
    name: str = ""
    apiVersion: str = ""


class HorizontalPodAutoscalerSpec(Part, frozen=True):
    """``minReplicas``: None means 1."""

    scaleTargetRef: CrossVersionObjectReference = CrossVersionObjectReference()
    minReplicas: Int32 | None = None
    maxReplicas: Int32 = 0


class HorizontalPodAutoscalerStatus(Part, frozen=True):
    currentReplicas: Int32 = 0
    desiredReplicas: Int32 = 0


class HorizontalPodAutoscaler(ApiObject, frozen=True):
    apiVersion: str = "autoscaling/v2"
    spec: HorizontalPodAutoscalerSpec = HorizontalPodAutoscalerSpec()
    status: HorizontalPodAutoscalerStatus = HorizontalPodAutoscalerStatus()
