"""A pod in the queue, and what v1.13, v1.16 and v1.20 store with it.

v1.20: pkg/scheduler/framework/types.go (QueuedPodInfo); v1.16: pkg/scheduler/framework/v1alpha1/interface.go (PodInfo).
The real queue of v1.13 holds bare pods.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from kschedlab.objects.model import Pod
from kschedlab.queue.order import rank


@dataclass(slots=True, eq=False)
class QueuedPodInfo:
    """A pod in the queue, or popped from it. Times are microseconds since 1970.

    ``timestamp``: orders pods of the same priority. ``attempts``: how often it was popped.
    ``part``: its part of the queue, or "", since ``since``.
    ``key``: ``namespace/name``. ``rank``: its sort key in the active queue, see :func:`~kschedlab.queue.order.rank`.
    """

    pod: Pod
    timestamp: int
    attempts: int = 0
    part: str = ""
    since: int = -1
    key: str = field(init=False)
    rank: tuple[int, int] = field(init=False)

    def __post_init__(self) -> None:
        self.update(self.pod, self.timestamp)

    def update(self, pod: Pod, timestamp: int) -> None:
        """Replace the pod by its current version, and set its timestamp."""
        self.pod, self.timestamp = pod, timestamp
        self.key = pod.key
        self.rank = rank(pod, timestamp)

    def record_failure(self, pod: Pod, unschedulable: Iterable[str] = (), pending: Iterable[str] = ()) -> None:
        """Record a failed attempt: the current pod. Before v1.22, the rejecting plugins do not matter."""
        self.update(pod, self.timestamp)


def key_func(queued: QueuedPodInfo) -> str:
    """``namespace/name`` (podInfoKeyFunc)."""
    return queued.key


def priority_sort(first: QueuedPodInfo, second: QueuedPodInfo) -> bool:
    """Whether the first pod comes before the second: by priority, then by timestamp."""
    return first.rank < second.rank
