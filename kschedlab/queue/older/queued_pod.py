"""A pod that waits, and what v1.13, v1.16 and v1.20 remember of it.

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

    ``timestamp``: by which it is ordered among pods of the same priority. ``attempts``: how often it was popped.
    ``part``: where it is, or "", since ``since``.
    ``key``: ``namespace/name``. ``rank``: its place in the active queue, see :func:`~kschedlab.queue.order.rank`.
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
        """The pod as it is now, and its timestamp."""
        self.pod, self.timestamp = pod, timestamp
        self.key = pod.key
        self.rank = rank(pod, timestamp)

    def refused(self, pod: Pod, unschedulable: Iterable[str] = (), pending: Iterable[str] = ()) -> None:
        """The attempt failed: the pod as it is now. Who refused it plays no role before v1.22."""
        self.update(pod, self.timestamp)


def key_func(queued: QueuedPodInfo) -> str:
    """``namespace/name`` (podInfoKeyFunc)."""
    return queued.key


def priority_sort(one: QueuedPodInfo, other: QueuedPodInfo) -> bool:
    """Whether the one is tried before the other: by priority, then by timestamp."""
    return one.rank < other.rank
