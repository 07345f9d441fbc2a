"""What everyone asks of pods: do they still count, who manages them, what do their conditions say?

v1.37: pkg/api/v1/pod/util.go, pkg/controller/controller_utils.go, apimachinery pkg/apis/meta/v1/controller_ref.go.
"""

from __future__ import annotations

from typing import TypeVar

from msgspec.structs import replace

from kschedlab.objects.meta import Condition, ObjectMeta, OwnerReference, Time
from kschedlab.objects.model import Pod, PodCondition

C = TypeVar("C", bound=PodCondition | Condition)

SCHEDULED, READY, DISRUPTION_TARGET = "PodScheduled", "Ready", "DisruptionTarget"
"""Types of conditions."""

NODE_NOT_READY = "NodeNotReady"
"""Why a pod that runs is not ready: its node is not."""

TERMINAL = ("Succeeded", "Failed")


def controller_of(metadata: ObjectMeta) -> OwnerReference | None:
    """The owner that manages the object, if there is one."""
    return next((owner for owner in metadata.ownerReferences if owner.controller), None)


def is_active(pod: Pod) -> bool:
    """Neither finished nor on its way out."""
    return pod.metadata.deletionTimestamp is None and pod.status.phase not in TERMINAL


def is_ready(pod: Pod) -> bool:
    """Whether the pod's Ready condition holds."""
    found = condition_of(pod.status.conditions, READY)
    return found is not None and found.status == "True"


# -- conditions, of any kind of object


def condition_of(conditions: tuple[C, ...], type: str) -> C | None:
    """The condition of that type, if there is one."""
    return next((condition for condition in conditions if condition.type == type), None)


def with_condition(conditions: tuple[C, ...], condition: C, now: int) -> tuple[C, ...]:
    """The conditions with this one in the place of the one of its type; its time stays as long as its status does."""
    for i, old in enumerate(conditions):
        if old.type == condition.type:
            since = old.lastTransitionTime if old.status == condition.status else Time.second(now)
            return (*conditions[:i], replace(condition, lastTransitionTime=since), *conditions[i + 1 :])
    return (*conditions, replace(condition, lastTransitionTime=Time.second(now)))
