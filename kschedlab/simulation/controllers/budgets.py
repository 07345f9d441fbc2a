"""What the status of a PodDisruptionBudget should be.

v1.37: pkg/controller/disruption/disruption.go (trySync, getExpectedPodCount, getExpectedScale, countHealthyPods,
buildDisruptedPodMap, updatePdbStatus, failSafe), component-helpers apps/poddisruptionbudget/helpers.go.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, TypeAlias

from msgspec.structs import replace

from kschedlab.objects.meta import SECOND, Time
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
from kschedlab.simulation.controllers.replicas import replicas_of
from kschedlab.simulation.pods import condition_of, controller_of, is_ready, with_condition

DELETION_TIMEOUT = 120 * SECOND
"""For so long an evicted pod counts as gone before it is deleted."""

DISRUPTION_ALLOWED = "DisruptionAllowed"

Scaled: TypeAlias = ReplicationController | ReplicaSet | StatefulSet | Deployment
Find = Callable[[type[Scaled], str, str], Scaled | None]
"""The owner of that kind, namespace and name."""

_KINDS: dict[tuple[str, str], type[Scaled]] = {
    ("", "ReplicationController"): ReplicationController,
    ("apps", "ReplicaSet"): ReplicaSet,
    ("apps", "StatefulSet"): StatefulSet,
    ("apps", "Deployment"): Deployment,
    ("extensions", "ReplicaSet"): ReplicaSet,
    ("extensions", "Deployment"): Deployment,
}
_WITHOUT_SCALE = {("batch", "Job"): "jobs.batch", ("apps", "DaemonSet"): "daemonsets.apps", ("", "Node"): "nodes"}


class ScaleError(Exception):
    """How many pods there should be cannot be told."""


class Judged(NamedTuple):
    """The status, the pods that no owner manages, and when to look again (microseconds since 1970; None: no need)."""

    status: PodDisruptionBudgetStatus
    unmanaged: list[str]
    again: int | None


def judge(budget: PodDisruptionBudget, pods: Sequence[Pod], find: Find, now: int) -> Judged:
    """``pods``: those that the budget selects. The same status object if nothing is to be written.

    Raises ScaleError, for which :func:`failed` gives the status.
    """
    expected, desired, unmanaged = _expected(budget, pods, find)
    disrupted, again = _disrupted(budget, pods, now)
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
    if status == budget.status and _says(budget.status, status.disruptionsAllowed > 0):
        return Judged(budget.status, unmanaged, again)
    allowed = status.disruptionsAllowed > 0
    condition = Condition(DISRUPTION_ALLOWED, "True" if allowed else "False", _reason(allowed))
    return Judged(_with(status, condition, now), unmanaged, again)


def failed(budget: PodDisruptionBudget, error: ScaleError, now: int) -> PodDisruptionBudgetStatus:
    """The status of a budget that can't be judged: nothing is allowed."""
    condition = Condition(DISRUPTION_ALLOWED, "False", "SyncFailed", str(error))
    return _with(replace(budget.status, disruptionsAllowed=0), condition, now)


# -- how many pods there should be


def _expected(budget: PodDisruptionBudget, pods: Sequence[Pod], find: Find) -> tuple[int, int, list[str]]:
    """(pods expected, pods to be healthy, pods without an owner)."""
    most, least = budget.spec.maxUnavailable, budget.spec.minAvailable
    if most is not None:
        expected, unmanaged = _scale(pods, find)
        return expected, max(0, expected - part_of(most, expected)), unmanaged
    if isinstance(least, str):
        expected, unmanaged = _scale(pods, find)
        return expected, part_of(least, expected), unmanaged
    return (0, 0, []) if least is None else (len(pods), least, [])


def part_of(share: int | str, total: int) -> int:
    """A number as it is, a percentage of the total rounded up."""
    return share if isinstance(share, int) else -(-int(share.removesuffix("%")) * total // 100)


def _scale(pods: Iterable[Pod], find: Find) -> tuple[int, list[str]]:
    """(the sum of the scales of all the pods' owners, the names of the pods without an owner)."""
    scales: dict[str, int] = {}
    known: dict[str, None] = {}
    unmanaged = []
    for pod in pods:
        owner = controller_of(pod.metadata)
        if owner is None:
            unmanaged.append(pod.metadata.name)
        elif owner.uid not in scales and owner.uid not in known:
            known[owner.uid] = None
            uid, replicas = _owner_and_scale(owner, pod, find)
            scales[uid] = replicas
    return sum(scales.values()), unmanaged


def _owner_and_scale(reference: OwnerReference, pod: Pod, find: Find) -> tuple[str, int]:
    """(uid, scale) of the owner, or of the Deployment behind it. ScaleError if there is none that has a scale."""
    group = reference.apiVersion.rpartition("/")[0]
    kind = _KINDS.get((group, reference.kind))
    if kind is None:
        if resource := _WITHOUT_SCALE.get((group, reference.kind)):
            raise ScaleError(f"{resource} does not implement the scale subresource")
        raise ScaleError(f'no matches for kind "{reference.kind}" in version "{reference.apiVersion}"')
    owner = find(kind, pod.metadata.namespace, reference.name)
    if owner is None or owner.metadata.uid != reference.uid:
        raise ScaleError(f'found no controllers for pod "{pod.metadata.name}"')
    above = controller_of(owner.metadata) if kind is ReplicaSet else None
    if above is not None and above.kind == "Deployment":
        deployment = find(Deployment, owner.metadata.namespace, above.name)
        if deployment is not None and deployment.metadata.uid == above.uid:
            owner = deployment
    return owner.metadata.uid, replicas_of(owner)


# -- how many are healthy


def _is_healthy(pod: Pod, disrupted: dict[str, Time | None], now: int) -> bool:
    if pod.metadata.deletionTimestamp is not None:
        return False
    moment = disrupted.get(pod.metadata.name)
    return (moment is None or moment + DELETION_TIMEOUT <= now) and is_ready(pod)


def _disrupted(budget: PodDisruptionBudget, pods: Iterable[Pod], now: int) -> tuple[dict[str, Time | None], int | None]:
    """(the evicted pods that are yet to be deleted, when the first of them is given up)."""
    evicted = budget.status.disruptedPods
    waiting: dict[str, Time | None] = {}
    if evicted:
        for pod in pods:
            name = pod.metadata.name
            moment = evicted.get(name)
            if moment is not None and pod.metadata.deletionTimestamp is None and moment + DELETION_TIMEOUT >= now:
                waiting[name] = moment
    ends = [moment + DELETION_TIMEOUT for moment in waiting.values() if moment is not None]
    return waiting, min(ends, default=None)


# -- the condition


def _says(status: PodDisruptionBudgetStatus, allowed: bool) -> bool:
    """Whether the condition is what it should be."""
    found = condition_of(status.conditions, DISRUPTION_ALLOWED)
    return found is not None and (found.status == "True") == allowed and found.reason == _reason(allowed)


def _reason(allowed: bool) -> str:
    return "SufficientPods" if allowed else "InsufficientPods"


def _with(status: PodDisruptionBudgetStatus, condition: Condition, now: int) -> PodDisruptionBudgetStatus:
    """The condition in its place; its transition time stays while its status does (SetStatusCondition)."""
    condition = replace(condition, observedGeneration=status.observedGeneration)
    return replace(status, conditions=with_condition(status.conditions, condition, now))
