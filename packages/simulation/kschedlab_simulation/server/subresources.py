"""The subresources of pods: binding and eviction.

v1.37: pkg/registry/core/pod/storage/storage.go (assignPod), pkg/registry/core/pod/storage/eviction.go,
pkg/api/pod/util.go (UpdatePodCondition). Eviction checks budgets as v1.37 does, in all generations.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from kschedlab.objects.meta import Condition, Time
from kschedlab.objects.model import Pod, PodCondition, PodDisruptionBudget, PodDisruptionBudgetStatus
from kschedlab.objects.names import name_fault
from kschedlab_simulation.pods import (
    DISRUPTION_TARGET,
    EVICTED,
    SCHEDULED,
    TERMINAL,
    condition_of,
    is_ready,
    with_condition,
)
from kschedlab_simulation.status import ApiError, StatusCause

MAX_DISRUPTED_PODS = 2000
"""Above this number of unconfirmed evictions, further ones wait for the disruption controller (MaxDisruptedPodSize)."""

_VIOLATED = "Cannot evict pod as it would violate the pod's disruption budget."
_SEVERAL_BUDGETS = "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support."
_DISRUPTION_TARGET = PodCondition(
    type=DISRUPTION_TARGET, status="True", reason=EVICTED, message="Eviction API: evicting"
)
_replace = msgspec.structs.replace


# -- binding


def bound(pod: Pod, node: str, now: int, keeps_nomination: bool) -> Pod:
    """The pod, assigned to the node. ApiError if it is already assigned, being deleted, or gated."""
    name = pod.metadata.name
    if fault := name_fault(node) if node else "Required value":
        raise ApiError.unknown(f"target.name: {fault}" if not node else f"target.name: Invalid value: {fault}")
    if pod.metadata.deletionTimestamp is not None:
        raise _unbindable(name, f"pod {name} is being deleted, cannot be assigned to a host")
    if pod.spec.nodeName:
        raise _unbindable(name, f'pod {name} is already assigned to node "{pod.spec.nodeName}"')
    if pod.spec.schedulingGates:
        raise _unbindable(name, f"pod {name} has non-empty .spec.schedulingGates")
    status = pod.status
    conditions = with_condition(status.conditions, PodCondition(type=SCHEDULED, status="True"), now)
    nominated = status.nominatedNodeName if keeps_nomination else ""
    return _replace(
        pod,
        spec=_replace(pod.spec, nodeName=node),
        status=_replace(status, conditions=conditions, nominatedNodeName=nominated),
    )


def _unbindable(name: str, why: str) -> ApiError:
    return ApiError.conflict(Pod, name, why, resource_name="pods/binding")


# -- eviction


def evicted(pod: Pod, now: int) -> Pod:
    """The pod with the condition that records the eviction (DisruptionTarget)."""
    conditions = with_condition(pod.status.conditions, _DISRUPTION_TARGET, now)
    return _replace(pod, status=_replace(pod.status, conditions=conditions))


def checks_budgets(pod: Pod) -> bool:
    """Whether budgets apply: not to a pod that is pending, finished, or already being deleted (canIgnorePDB)."""
    return pod.status.phase not in (*TERMINAL, "Pending") and pod.metadata.deletionTimestamp is None


def budget_after_eviction(pod: Pod, budgets: Iterable[PodDisruptionBudget], now: int) -> PodDisruptionBudget | None:
    """The pod's budget after its eviction, or None if no budget is charged. ApiError if it may not be evicted."""
    matching = [budget for budget in budgets if _selects(budget, pod)]
    if len(matching) > 1:
        raise ApiError.unknown(_SEVERAL_BUDGETS)
    if not matching or _may_evict_unhealthy(pod, matching[0]):
        return None
    _check_budget(matching[0])
    return _with_disruption(matching[0], pod.metadata.name, now)


def _selects(budget: PodDisruptionBudget, pod: Pod) -> bool:
    selector = budget.spec.selector
    if selector is None or budget.metadata.namespace != pod.metadata.namespace:
        return False
    return selector.compile().matches(pod.metadata.labels)  # the API server lets no invalid one in


def _may_evict_unhealthy(pod: Pod, budget: PodDisruptionBudget) -> bool:
    """Whether the pod is unhealthy and its eviction is free: it does not reduce the number of healthy pods."""
    if is_ready(pod):
        return False
    if budget.spec.unhealthyPodEvictionPolicy == "AlwaysAllow":
        return True
    status = budget.status
    return status.currentHealthy >= status.desiredHealthy > 0


def _check_budget(budget: PodDisruptionBudget) -> None:
    """ApiError if the budget currently allows no disruption."""
    name, status = budget.metadata.name, budget.status
    if status.observedGeneration < budget.metadata.generation:
        cause = _cause(f"The disruption budget {name} is still being processed by the server.")
        raise ApiError.too_many_requests(_VIOLATED, 10, cause)
    refusal = f"The disruption budget {name} does not allow evicting pods currently"
    if len(status.disruptedPods) > MAX_DISRUPTED_PODS:
        why = "DisruptedPods map too big - too many evictions not confirmed by PDB controller"
        raise _forbidden(name, why, f"{refusal}: too many pending evictions not confirmed by PDB controller")
    if status.disruptionsAllowed == 0:
        raise ApiError.too_many_requests(_VIOLATED, 0, _cause(_no_disruptions_message(status, name, refusal)))


def _no_disruptions_message(status: PodDisruptionBudgetStatus, name: str, refusal: str) -> str:
    condition = condition_of(status.conditions, "DisruptionAllowed")
    if condition is None or condition.status != "False" or not condition.message:
        condition = None
    if condition is not None and condition.reason == "SyncFailed":
        return f"{refusal} because it failed sync: {condition.message}"
    if status.currentHealthy <= status.desiredHealthy:
        have = f"{status.desiredHealthy} healthy pods and has {status.currentHealthy} currently"
        return f"The disruption budget {name} needs {have}"
    return f"{refusal} ({condition.reason}): {condition.message}" if condition is not None else refusal


def _cause(message: str) -> StatusCause:
    return StatusCause("DisruptionBudget", message)


def _forbidden(name: str, why: str, cause: str) -> ApiError:
    return ApiError.forbidden(PodDisruptionBudget, name, why, (_cause(cause),), resource_name="poddisruptionbudget")


def _with_disruption(budget: PodDisruptionBudget, pod: str, now: int) -> PodDisruptionBudget:
    status = budget.status
    allowed, conditions = status.disruptionsAllowed - 1, status.conditions
    if not allowed:
        none_left = Condition(
            type="DisruptionAllowed",
            status="False",
            reason="InsufficientPods",
            observedGeneration=status.observedGeneration,
        )
        conditions = with_condition(conditions, none_left, now)
    disrupted = {**status.disruptedPods, pod: Time.whole_second(now)}
    status = _replace(status, disruptionsAllowed=allowed, disruptedPods=disrupted, conditions=conditions)
    return _replace(budget, status=status)
