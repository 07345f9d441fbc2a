"""What the subresources of pods do: binding and eviction.

v1.37: pkg/registry/core/pod/storage/storage.go (assignPod), pkg/registry/core/pod/storage/eviction.go,
pkg/api/pod/util.go (UpdatePodCondition). Eviction asks the budgets as v1.37 does, in all generations.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from kschedlab.objects.meta import Condition, Time
from kschedlab.objects.model import Pod, PodCondition, PodDisruptionBudget, PodDisruptionBudgetStatus
from kschedlab.objects.names import name_fault
from kschedlab.objects.selectors import SelectorError
from kschedlab.simulation.pods import DISRUPTION_TARGET, SCHEDULED, TERMINAL, condition_of, is_ready, with_condition
from kschedlab.simulation.server.status import ApiError, StatusCause

MOST_DISRUPTED = 2000
"""More evictions than that must have been noticed by the disruption controller before there are others."""

_VIOLATED = "Cannot evict pod as it would violate the pod's disruption budget."
_SEVERAL = "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support."
_TARGET = PodCondition(
    type=DISRUPTION_TARGET, status="True", reason="EvictionByEvictionAPI", message="Eviction API: evicting"
)
_replace = msgspec.structs.replace


# -- binding


def bound(pod: Pod, node: str, now: int, keeps_nomination: bool = False) -> Pod:
    """The pod on the node. ApiError if it is on one already, or going, or not to be scheduled yet."""
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
    return ApiError.conflict(Pod, name, why, called="pods/binding")


# -- eviction


def evicted(pod: Pod, now: int) -> Pod:
    """The pod with the condition that says why it goes."""
    conditions = with_condition(pod.status.conditions, _TARGET, now)
    return _replace(pod, status=_replace(pod.status, conditions=conditions))


def needs_budget(pod: Pod) -> bool:
    """Whether budgets have a say: not for a pod that does not run (any more), or is going anyway."""
    return pod.status.phase not in (*TERMINAL, "Pending") and pod.metadata.deletionTimestamp is None


def budget_spent(pod: Pod, budgets: Iterable[PodDisruptionBudget], now: int) -> PodDisruptionBudget | None:
    """The pod's budget after its eviction, or None if that costs nothing. ApiError if it may not be evicted."""
    own = [budget for budget in budgets if _covers(budget, pod)]
    if len(own) > 1:
        raise ApiError.unknown(_SEVERAL)
    if not own or _is_unhealthy_and_free(pod, own[0]):
        return None
    _check(own[0])
    return _spent(own[0], pod.metadata.name, now)


def _covers(budget: PodDisruptionBudget, pod: Pod) -> bool:
    selector = budget.spec.selector
    if selector is None or budget.metadata.namespace != pod.metadata.namespace:
        return False
    try:
        return selector.compile().matches(pod.metadata.labels)
    except SelectorError:
        return False


def _is_unhealthy_and_free(pod: Pod, budget: PodDisruptionBudget) -> bool:
    """A pod that is not ready does not count as healthy, so that its end disrupts nothing."""
    if is_ready(pod):
        return False
    if budget.spec.unhealthyPodEvictionPolicy == "AlwaysAllow":
        return True
    status = budget.status
    return status.currentHealthy >= status.desiredHealthy > 0


def _check(budget: PodDisruptionBudget) -> None:
    """ApiError if the budget does not allow a disruption now."""
    name, status = budget.metadata.name, budget.status
    if status.observedGeneration < budget.metadata.generation:
        cause = _cause(f"The disruption budget {name} is still being processed by the server.")
        raise ApiError.too_many_requests(_VIOLATED, 10, cause)
    does_not = f"The disruption budget {name} does not allow evicting pods currently"
    if status.disruptionsAllowed < 0:
        raise _refused(name, "pdb disruptions allowed is negative", f"{does_not}: pdb disruptions allowed is negative")
    if len(status.disruptedPods) > MOST_DISRUPTED:
        why = "DisruptedPods map too big - too many evictions not confirmed by PDB controller"
        raise _refused(name, why, f"{does_not}: too many pending evictions not confirmed by PDB controller")
    if status.disruptionsAllowed == 0:
        raise ApiError.too_many_requests(_VIOLATED, 0, _cause(_why_none(status, name, does_not)))


def _why_none(status: PodDisruptionBudgetStatus, name: str, does_not: str) -> str:
    found = condition_of(status.conditions, "DisruptionAllowed")
    if found is None or found.status != "False" or not found.message:
        found = None
    if found is not None and found.reason == "SyncFailed":
        return f"{does_not} because it failed sync: {found.message}"
    if status.currentHealthy <= status.desiredHealthy:
        have = f"{status.desiredHealthy} healthy pods and has {status.currentHealthy} currently"
        return f"The disruption budget {name} needs {have}"
    return f"{does_not} ({found.reason}): {found.message}" if found is not None else does_not


def _cause(message: str) -> StatusCause:
    return StatusCause("DisruptionBudget", message)


def _refused(name: str, why: str, cause: str) -> ApiError:
    return ApiError.forbidden(PodDisruptionBudget, name, why, (_cause(cause),), called="poddisruptionbudget")


def _spent(budget: PodDisruptionBudget, pod: str, now: int) -> PodDisruptionBudget:
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
    disrupted = {**status.disruptedPods, pod: Time.second(now)}
    status = _replace(status, disruptionsAllowed=allowed, disruptedPods=disrupted, conditions=conditions)
    return _replace(budget, status=status)
