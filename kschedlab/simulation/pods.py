"""What controllers ask of pods.

v1.37: pkg/api/v1/pod/util.go, pkg/controller/controller_utils.go, apimachinery pkg/apis/meta/v1/controller_ref.go.
"""

from __future__ import annotations

from kschedlab.objects.meta import ObjectMeta, OwnerReference
from kschedlab.objects.model import Pod, PodCondition

SECOND = 1_000_000
"""In microseconds."""

READY = "Ready"
DISRUPTION_TARGET = "DisruptionTarget"
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
    found = condition_of(pod, READY)
    return found is not None and found.status == "True"


def condition_of(pod: Pod, type: str) -> PodCondition | None:
    """The pod's condition of that type, if it has one."""
    return next((condition for condition in pod.status.conditions if condition.type == type), None)
