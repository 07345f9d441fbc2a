"""Computes the status of a PodDisruptionBudget.

v1.37: pkg/controller/disruption/disruption.go (trySync, getExpectedPodCount, getExpectedScale, countHealthyPods,
buildDisruptedPodMap, updatePdbStatus, failSafe), component-helpers apps/poddisruptionbudget/helpers.go.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, TypeAlias

from msgspec.structs import replace

from kschedlab.objects.meta import SECOND, Time, controller_of
from kschedlab.objects.model import (
    Condition,
    Deployment,
    OwnerReference,
    Pod,
    PodDisruptionBudget,
    PodDisruptionBudgetStatus,
    ReplicaSet,
    ReplicationController,
    StatefulSet,
)
from kschedlab_simulation.controllers.replicas import replicas_of
from kschedlab_simulation.pods import condition_of, is_ready, with_condition

DELETION_TIMEOUT = 120 * SECOND
"""Microseconds for which an evicted pod counts as disrupted while it is not yet deleted."""

DISRUPTION_ALLOWED = "DisruptionAllowed"

Scaled: TypeAlias = ReplicationController | ReplicaSet | StatefulSet | Deployment
Find = Callable[[type[Scaled], str, str], Scaled | None]
"""The owner of that kind, namespace and name."""

_SCALED_KINDS: dict[tuple[str, str], type[Scaled]] = {
    ("", "ReplicationController"): ReplicationController,
    ("apps", "ReplicaSet"): ReplicaSet,
    ("apps", "StatefulSet"): StatefulSet,
    ("apps", "Deployment"): Deployment,
    ("extensions", "ReplicaSet"): ReplicaSet,
    ("extensions", "Deployment"): Deployment,
}
_RESOURCES_WITHOUT_SCALE = {
    ("batch", "Job"): "jobs.batch",
    ("apps", "DaemonSet"): "daemonsets.apps",
    ("", "Node"): "nodes",
}


class ScaleError(Exception):
    """The expected number of pods cannot be determined."""


class JudgedBudget(NamedTuple):
    """The status, the unmanaged pods, and when to sync again (microseconds since 1970, or None)."""

    status: PodDisruptionBudgetStatus
    unmanaged: list[str]
    requeue_at: int | None


def budget_status(budget: PodDisruptionBudget, pods: Sequence[Pod], find: Find, now: int) -> JudgedBudget:
    """``pods``: those that the budget selects. Returns the same status object if it does not change.

    Raises ScaleError; :func:`failed_status` then gives the status.
    """
    expected, desired, unmanaged = _expected(budget, pods, find)
    disrupted, requeue_at = _disrupted(budget, pods, now)
    healthy = sum(_is_healthy(pod, disrupted, now) for pod in pods)
    status = replace(
        budget.status,
        currentHealthy=healthy,
        desiredHealthy=desired,
        expectedPods=expected,
        disruptionsAllowed=max(0, healthy - desired) if expected > 0 else 0,
        disruptedPods=disrupted,
        observedGeneration=budget.metadata.generation,
    )
    if status == budget.status and _has_condition(budget.status, status.disruptionsAllowed > 0):
        return JudgedBudget(budget.status, unmanaged, requeue_at)
    allowed = status.disruptionsAllowed > 0
    condition = Condition(DISRUPTION_ALLOWED, "True" if allowed else "False", _reason(allowed))
    return JudgedBudget(_with_condition(status, condition, now), unmanaged, requeue_at)


def failed_status(budget: PodDisruptionBudget, error: ScaleError, now: int) -> PodDisruptionBudgetStatus:
    """The status after a ScaleError: no disruption is allowed."""
    condition = Condition(DISRUPTION_ALLOWED, "False", "SyncFailed", str(error))
    return _with_condition(replace(budget.status, disruptionsAllowed=0), condition, now)


# -- expected pods


def _expected(budget: PodDisruptionBudget, pods: Sequence[Pod], find: Find) -> tuple[int, int, list[str]]:
    """(expected pods, desired healthy pods, names of unmanaged pods)."""
    max_unavailable, min_available = budget.spec.maxUnavailable, budget.spec.minAvailable
    if max_unavailable is not None:
        expected, unmanaged = _scale(pods, find)
        return expected, max(0, expected - scaled_value(max_unavailable, expected)), unmanaged
    if isinstance(min_available, str):
        expected, unmanaged = _scale(pods, find)
        return expected, scaled_value(min_available, expected), unmanaged
    return (0, 0, []) if min_available is None else (len(pods), min_available, [])


def scaled_value(value: int | str, total: int) -> int:
    """A number unchanged; a percentage of the total, rounded up (GetScaledValueFromIntOrPercent)."""
    return value if isinstance(value, int) else -(-int(value.removesuffix("%")) * total // 100)


def _scale(pods: Iterable[Pod], find: Find) -> tuple[int, list[str]]:
    """(sum of the scales of the pods' owners, names of the pods without an owner)."""
    scales: dict[str, int] = {}
    resolved: dict[str, None] = {}
    unmanaged = []
    for pod in pods:
        owner = controller_of(pod.metadata)
        if owner is None:
            unmanaged.append(pod.metadata.name)
        elif owner.uid not in scales and owner.uid not in resolved:
            resolved[owner.uid] = None
            uid, replicas = _owner_and_scale(owner, pod, find)
            scales[uid] = replicas
    return sum(scales.values()), unmanaged


def has_no_scale(pod: Pod) -> bool:
    """Whether the pod's owner is of a kind without a scale: a Job, a DaemonSet or a Node."""
    owner = controller_of(pod.metadata)
    return owner is not None and (_group(owner), owner.kind) in _RESOURCES_WITHOUT_SCALE


def _group(reference: OwnerReference) -> str:
    return reference.apiVersion.rpartition("/")[0]


def _owner_and_scale(reference: OwnerReference, pod: Pod, find: Find) -> tuple[str, int]:
    """(uid, scale) of the owner, or of its Deployment. ScaleError if it does not exist or has no scale."""
    group = _group(reference)
    kind = _SCALED_KINDS.get((group, reference.kind))
    if kind is None:
        if resource := _RESOURCES_WITHOUT_SCALE.get((group, reference.kind)):
            raise ScaleError(f"{resource} does not implement the scale subresource")
        raise ScaleError(f'no matches for kind "{reference.kind}" in version "{reference.apiVersion}"')
    owner = find(kind, pod.metadata.namespace, reference.name)
    if owner is None or owner.metadata.uid != reference.uid:
        raise ScaleError(f'found no controllers for pod "{pod.metadata.name}"')
    deployment_reference = controller_of(owner.metadata) if kind is ReplicaSet else None
    if deployment_reference is not None and deployment_reference.kind == "Deployment":
        deployment = find(Deployment, owner.metadata.namespace, deployment_reference.name)
        if deployment is not None and deployment.metadata.uid == deployment_reference.uid:
            owner = deployment
    return owner.metadata.uid, replicas_of(owner)


# -- healthy pods


def _is_healthy(pod: Pod, disrupted: dict[str, Time | None], now: int) -> bool:
    if pod.metadata.deletionTimestamp is not None:
        return False
    moment = disrupted.get(pod.metadata.name)
    return (moment is None or moment + DELETION_TIMEOUT <= now) and is_ready(pod)


def _disrupted(budget: PodDisruptionBudget, pods: Iterable[Pod], now: int) -> tuple[dict[str, Time | None], int | None]:
    """(evicted pods that are not yet deleted, when the first of them times out)."""
    evicted = budget.status.disruptedPods
    waiting: dict[str, Time | None] = {}
    if evicted:
        for pod in pods:
            name = pod.metadata.name
            moment = evicted.get(name)
            if moment is not None and pod.metadata.deletionTimestamp is None and moment + DELETION_TIMEOUT >= now:
                waiting[name] = moment
    timeouts = [moment + DELETION_TIMEOUT for moment in waiting.values() if moment is not None]
    return waiting, min(timeouts, default=None)


# -- the condition


def _has_condition(status: PodDisruptionBudgetStatus, allowed: bool) -> bool:
    """Whether the condition already says this."""
    condition = condition_of(status.conditions, DISRUPTION_ALLOWED)
    return condition is not None and (condition.status == "True") == allowed and condition.reason == _reason(allowed)


def _reason(allowed: bool) -> str:
    return "SufficientPods" if allowed else "InsufficientPods"


def _with_condition(status: PodDisruptionBudgetStatus, condition: Condition, now: int) -> PodDisruptionBudgetStatus:
    """The status with the condition; its transition time changes only with its status (SetStatusCondition)."""
    condition = replace(condition, observedGeneration=status.observedGeneration)
    return replace(status, conditions=with_condition(status.conditions, condition, now))
