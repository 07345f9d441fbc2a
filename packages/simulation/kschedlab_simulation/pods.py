"""Helpers for pods: whether they are active, their controlling owner, and their conditions.

v1.37: pkg/api/v1/pod/util.go, pkg/controller/controller_utils.go, apimachinery pkg/apis/meta/v1/controller_ref.go.
"""

from __future__ import annotations

from typing import TypeVar

from msgspec.structs import replace

from kschedlab.objects.meta import Condition, Time
from kschedlab.objects.model import DeploymentCondition, Pod, PodCondition

C = TypeVar("C", bound=PodCondition | Condition | DeploymentCondition)

SCHEDULED, READY, DISRUPTION_TARGET = "PodScheduled", "Ready", "DisruptionTarget"
"""Condition types."""

TERMINAL = ("Succeeded", "Failed")
EVICTED = "EvictionByEvictionAPI"
"""The reason of the condition DisruptionTarget."""


def is_active(pod: Pod) -> bool:
    """Whether the pod is neither finished nor terminating."""
    return pod.metadata.deletionTimestamp is None and pod.status.phase not in TERMINAL


def node_of(pod: Pod | None) -> str:
    """The node whose resources the pod takes: "" before it is bound, after it has ended, and for None."""
    return "" if pod is None or pod.status.phase in TERMINAL else pod.spec.nodeName


def is_evicted(pod: Pod) -> bool:
    """Whether the pod was evicted through the API. v1.37: pkg/registry/core/pod/storage/eviction.go."""
    return any(condition.reason == EVICTED for condition in pod.status.conditions)


def is_ready(pod: Pod) -> bool:
    """Whether the pod's Ready condition is True."""
    condition = condition_of(pod.status.conditions, READY)
    return condition is not None and condition.status == "True"


# -- conditions of any kind of object


def condition_of(conditions: tuple[C, ...], type: str) -> C | None:
    """The condition of that type, or None."""
    return next((condition for condition in conditions if condition.type == type), None)


def with_condition(conditions: tuple[C, ...], condition: C, now: int) -> tuple[C, ...]:
    """The conditions, with this one added or replaced; its transition time changes only with its status."""
    for i, old in enumerate(conditions):
        if old.type == condition.type:
            since = old.lastTransitionTime if old.status == condition.status else Time.whole_second(now)
            return (*conditions[:i], replace(condition, lastTransitionTime=since), *conditions[i + 1 :])
    return (*conditions, replace(condition, lastTransitionTime=Time.whole_second(now)))
