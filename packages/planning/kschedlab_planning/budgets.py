"""What PodDisruptionBudgets allow while nodes are drained, by the rules of their controller and of the API server."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeAlias

from msgspec.structs import replace

from kschedlab.cluster.cluster import Cluster
from kschedlab.objects.kinds import key_of
from kschedlab.objects.model import ApiObject, Pod, PodCondition, PodDisruptionBudget
from kschedlab_simulation.controllers.budgets import ScaleError, budget_status, failed_status, has_no_scale
from kschedlab_simulation.pods import READY, condition_of
from kschedlab_simulation.server.subresources import budget_after_eviction
from kschedlab_simulation.status import ApiError

Budgets: TypeAlias = dict[str, PodDisruptionBudget]
"""The budgets by ``namespace/name``, with their status as it is at that moment."""


def budgets_of(cluster: Cluster, objects: Iterable[ApiObject]) -> Budgets:
    """The cluster's budgets, as the controller writes their status once all pods run. ``objects``: with all owners.

    A pod whose owner has no scale keeps that owner, whatever stands in for it among the objects.
    """
    objects = list(objects)
    owners = {(type(each), *_name(each)): each for each in objects}
    unscaled = {pod.key: pod for pod in cluster.objects.pods if has_no_scale(pod)}
    placed = [each for each in objects if isinstance(each, Pod) and each.spec.nodeName]
    pods = [ready(unscaled.get(each.key, each)) for each in placed]

    def find(kind: type[Any], namespace: str, name: str) -> Any:
        return owners.get((kind, namespace, name))

    return {key_of(budget): _judged(budget, pods, find) for budget in cluster.objects_of(PodDisruptionBudget)}


def _judged(budget: PodDisruptionBudget, pods: list[Pod], find: Any) -> PodDisruptionBudget:
    try:
        status = budget_status(budget, [pod for pod in pods if covers(budget, pod)], find, 0).status
    except ScaleError as error:
        status = failed_status(budget, error, 0)
    return replace(budget, status=status)


def covers(budget: PodDisruptionBudget, pod: Pod) -> bool:
    """Whether the budget's selector matches the pod."""
    if budget.spec.selector is None or budget.metadata.namespace != pod.metadata.namespace:
        return False
    return budget.spec.selector.compile().matches(pod.metadata.labels)


def refusal(pod: Pod, budgets: Budgets) -> str:
    """Why the API server refuses to evict the pod now, or "" if it does not."""
    matching = [budget for budget in budgets.values() if covers(budget, pod)]
    try:
        budget_after_eviction(ready(pod), matching, 0)
    except ApiError as error:
        details = error.status.details
        causes = [cause.message for cause in details.causes] if details is not None else []
        return f"{error} {' '.join(causes)}".rstrip()
    return ""


def after_loss(pod: Pod, budgets: Budgets) -> Budgets:
    """The budgets once the pod is gone and nothing replaces it."""
    lost = {key: budget for key, budget in budgets.items() if covers(budget, pod)}
    return budgets | {key: _one_less(budget) for key, budget in lost.items()}


def _one_less(budget: PodDisruptionBudget) -> PodDisruptionBudget:
    status = budget.status
    fewer = max(0, status.disruptionsAllowed - 1)
    return replace(
        budget, status=replace(status, disruptionsAllowed=fewer, currentHealthy=max(0, status.currentHealthy - 1))
    )


def ready(pod: Pod) -> Pod:
    """The pod; it is ready unless its status says otherwise."""
    if condition_of(pod.status.conditions, READY) is not None:
        return pod
    return replace(pod, status=replace(pod.status, conditions=(*pod.status.conditions, PodCondition(READY, "True"))))


def _name(obj: Any) -> tuple[str, str]:
    return obj.metadata.namespace, obj.metadata.name
