"""PrioritySort: the order of the active queue.

v1.37: pkg/scheduler/framework/plugins/queuesort/priority_sort.go. Before it was a plugin: v1.13, v1.16:
pkg/scheduler/internal/queue/scheduling_queue.go (activeQComp).
"""

from __future__ import annotations

from collections.abc import Iterable

from kschedlab.cluster.pods import PodInfo
from kschedlab.objects.model import Pod

SCHEDULED = "PodScheduled"
ZERO = -62_135_596_800_000_000
"""Go's zero time, the beginning of the year 1: the value of an unset time."""


def rank(pod: Pod, timestamp: int) -> tuple[int, int]:
    """The pod's sort key: higher priority first, then the earlier timestamp (microseconds)."""
    return -(pod.spec.priority or 0), timestamp


def queue_order(pods: Iterable[PodInfo]) -> list[PodInfo]:
    """The pods in the order in which the scheduler takes them, without terminating ones."""
    waiting = (pod for pod in pods if pod.pod.metadata.deletionTimestamp is None)
    return sorted(waiting, key=lambda pod: rank(pod.pod, pod.pod.metadata.creationTimestamp or 0))


def pod_timestamp(pod: Pod) -> int:
    """When the pod was last tried, else created; v1.13 reads it from the pod itself (podTimestamp).

    The condition PodScheduled has the time of its last probe, else of its last transition, even if that is unset.
    """
    for condition in pod.status.conditions:
        if condition.type == SCHEDULED:
            probed = condition.lastProbeTime
            return _or_zero(condition.lastTransitionTime if probed is None else probed)
    return _or_zero(pod.metadata.creationTimestamp)


def active_q_comp(pod1: Pod, pod2: Pod) -> bool:
    """Whether v1.13 tries pod1 before pod2 (activeQComp)."""
    return rank(pod1, pod_timestamp(pod1)) < rank(pod2, pod_timestamp(pod2))


def _or_zero(moment: int | None) -> int:
    return ZERO if moment is None else moment
