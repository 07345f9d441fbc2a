"""Which pod is next: PrioritySort, the order of the active queue.

v1.37: pkg/scheduler/framework/plugins/queuesort/priority_sort.go.
"""

from __future__ import annotations

from collections.abc import Iterable

from kschedlab.cluster.pods import PodInfo

NAME = "PrioritySort"


def sort_key(pod: PodInfo) -> tuple[int, int]:
    """Higher priority first; among equals the pod that came to the queue first, here the one created first."""
    return -pod.priority, pod.pod.metadata.creationTimestamp or 0


def queue_order(pods: Iterable[PodInfo]) -> list[PodInfo]:
    """The pods in the order in which the scheduler takes them; those being deleted are skipped."""
    return sorted((pod for pod in pods if pod.pod.metadata.deletionTimestamp is None), key=sort_key)
