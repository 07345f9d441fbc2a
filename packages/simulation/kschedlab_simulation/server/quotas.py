"""ResourceQuotas: how much the objects of a namespace may ask for together.

v1.37: k8s.io/apiserver pkg/admission/plugin/resourcequota/controller.go (CheckRequest), pkg/quota/v1/evaluator/core
(pods.go, persistent_volume_claims.go). What is used is always up to date here; the real quota controller counts deleted
objects off a moment later. Only counts, pods and claims are limited: neither services' ports nor devices.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

from msgspec.structs import replace

from kschedlab.cluster.volumes import claim_class
from kschedlab.objects.kinds import RESOURCES
from kschedlab.objects.meta import SECOND, ResourceList
from kschedlab.objects.model import (
    ApiObject,
    PersistentVolumeClaim,
    Pod,
    PodSpec,
    ResourceQuota,
    ResourceQuotaStatus,
    ScopedResourceSelectorRequirement,
)
from kschedlab.objects.quantity import Quantity
from kschedlab.objects.requests import exact_requests, is_served_by_classes
from kschedlab_simulation.pods import TERMINAL
from kschedlab_simulation.qos import BEST_EFFORT, qos_class
from kschedlab_simulation.server.limit_ranges import limits_as_requests

Nanos: TypeAlias = dict[str, int]
ONE = 10**9
COMPUTE = ("cpu", "memory", "ephemeral-storage")
MUST_BE_SET = frozenset(("cpu", "memory", "requests.cpu", "requests.memory", "limits.cpu", "limits.memory"))
"""If a quota limits one of these, each container must ask for it."""
COUNTED = frozenset(("pods", "services", "replicationcontrollers", "resourcequotas", "persistentvolumeclaims"))
"""Kinds that a quota can also count by their name alone."""


def usage(obj: ApiObject, now: int) -> Nanos:
    """What the object counts in a quota, in nanos."""
    resource = RESOURCES[type(obj)]
    counts = {f"count/{resource.qualified}": ONE}
    if isinstance(obj, Pod):
        return counts | (_of_pod(obj) if _counts(obj, now) else {})
    if isinstance(obj, PersistentVolumeClaim):
        return counts | _of_claim(obj)
    return counts | ({resource.name: ONE} if resource.name in COUNTED else {})


def _counts(pod: Pod, now: int) -> bool:
    """Whether the pod is neither finished nor stuck while it terminates (QuotaV1Pod)."""
    if pod.status.phase in TERMINAL:
        return False
    deleted, grace = pod.metadata.deletionTimestamp, pod.metadata.deletionGracePeriodSeconds
    return deleted is None or grace is None or now <= deleted + grace * SECOND


def _of_pod(pod: Pod) -> Nanos:
    used = {"pods": ONE}
    for name, nanos in exact_requests(pod).items():
        if name in COMPUTE or name.startswith("hugepages-"):
            used[name] = nanos
        if name in COMPUTE or name.startswith("hugepages-") or is_served_by_classes(name):
            used[f"requests.{name}"] = nanos
    limited = _limited(pod.spec)
    for name, nanos in exact_requests(limits_as_requests(pod)).items():
        if name in COMPUTE and name in limited:  # overhead alone is no limit
            used[f"limits.{name}"] = nanos
    return used


def _limited(spec: PodSpec) -> set[str]:
    """The resources that a container, or the pod itself, limits."""
    limits = [each.resources.limits for each in (*spec.containers, *spec.initContainers)]
    return {name for each in (*limits, spec.resources.limits if spec.resources is not None else {}) for name in each}


def _of_claim(claim: PersistentVolumeClaim) -> Nanos:
    storage = claim.spec.resources.requests.get("storage")
    amounts = {"persistentvolumeclaims": ONE} | ({"requests.storage": storage.nanos} if storage is not None else {})
    if name := claim_class(claim):
        prefix = f"{name}.storageclass.storage.k8s.io/"
        amounts |= {f"{prefix}{each}": nanos for each, nanos in list(amounts.items())}
    return amounts


def matches(quota: ResourceQuota, obj: ApiObject) -> bool:
    """Whether the quota's scopes include the object. Only pods have scopes."""
    scopes = [ScopedResourceSelectorRequirement(scope, "Exists") for scope in quota.spec.scopes]
    if quota.spec.scopeSelector is not None:
        scopes += quota.spec.scopeSelector.matchExpressions
    return all(isinstance(obj, Pod) and _in_scope(obj, scope) for scope in scopes)


def _in_scope(pod: Pod, scope: ScopedResourceSelectorRequirement) -> bool:
    spec, name = pod.spec, pod.spec.priorityClassName
    match scope.scopeName:
        case "Terminating":
            return spec.activeDeadlineSeconds is not None
        case "NotTerminating":
            return spec.activeDeadlineSeconds is None
        case "BestEffort":
            return qos_class(pod) == BEST_EFFORT
        case "NotBestEffort":
            return qos_class(pod) != BEST_EFFORT
        case "PriorityClass":
            within = {"In": name in scope.values, "NotIn": name not in scope.values, "DoesNotExist": not name}
            return within.get(scope.operator, bool(name))
        case "CrossNamespacePodAffinity":
            return any(term.namespaces or term.namespaceSelector is not None for term in _terms(pod))
    return False


def _terms(pod: Pod) -> Iterable[Any]:
    affinity = pod.spec.affinity
    for each in (affinity.podAffinity, affinity.podAntiAffinity) if affinity is not None else ():
        if each is not None:
            yield from each.requiredDuringSchedulingIgnoredDuringExecution
            yield from (one.podAffinityTerm for one in each.preferredDuringSchedulingIgnoredDuringExecution)


def used_of(quota: ResourceQuota, objects: Iterable[ApiObject], now: int) -> Nanos:
    """The sum of what these objects of the namespace use, of the resources that the quota limits."""
    used = dict.fromkeys(quota.spec.hard, 0)
    for obj in objects:
        if matches(quota, obj):
            for name, nanos in usage(obj, now).items():
                if name in used:
                    used[name] += nanos
    return used


def refusal(quota: ResourceQuota, used: Mapping[str, int], obj: ApiObject, now: int) -> str:
    """Why the quota forbids the new object, in the API server's words; "" if it allows it."""
    if not matches(quota, obj):
        return ""
    if isinstance(obj, Pod) and (missing := _missing(quota, obj)):
        return f"failed quota: {quota.metadata.name}: must specify {missing}"
    asked = {name: nanos for name, nanos in usage(obj, now).items() if nanos and name in quota.spec.hard}
    over = [name for name, nanos in asked.items() if used[name] + nanos > quota.spec.hard[name].nanos]
    if not over:
        return ""
    texts = [_listed(quota, over, amounts) for amounts in (asked, used)]
    limited = ",".join(f"{name}={quota.spec.hard[name]}" for name in sorted(over))
    return f"exceeded quota: {quota.metadata.name}, requested: {texts[0]}, used: {texts[1]}, limited: {limited}"


def _missing(quota: ResourceQuota, pod: Pod) -> str:
    """The resources that containers must specify, and which do not; "" if none is missing."""
    if pod.spec.resources is not None and (pod.spec.resources.requests or pod.spec.resources.limits):
        return ""
    without: dict[str, list[str]] = {}
    for name in sorted(MUST_BE_SET & quota.spec.hard.keys()):
        kind, _, resource = name.rpartition(".")
        for container in (*pod.spec.containers, *pod.spec.initContainers):
            given = container.resources.limits if kind == "limits" else container.resources.requests
            if resource not in given and resource not in container.resources.limits:
                without.setdefault(name, []).append(container.name)
    return "; ".join(f"{name} for: {','.join(sorted(set(containers)))}" for name, containers in without.items())


def _listed(quota: ResourceQuota, names: Iterable[str], amounts: Mapping[str, int]) -> str:
    return ",".join(f"{name}={_quantity(quota, name, amounts[name])}" for name in sorted(names))


def _quantity(quota: ResourceQuota, name: str, nanos: int) -> Quantity:
    return Quantity.from_nanos(nanos, quota.spec.hard[name].format)


def with_status(quota: ResourceQuota, used: Mapping[str, int]) -> ResourceQuota:
    """The quota, whose status says what is used."""
    amounts: ResourceList = {name: _quantity(quota, name, nanos) for name, nanos in used.items()}
    return replace(quota, status=ResourceQuotaStatus(quota.spec.hard, amounts))
