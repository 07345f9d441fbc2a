"""A pod in the queue, and what the queues store with it.

v1.37: pkg/scheduler/framework/types.go (QueuedPodInfo, QueueingParams). Before v1.22 the real queues store less.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cmp_to_key

from kschedlab.objects.model import Pod

NEVER = -1
"""A time before all others."""


@dataclass(slots=True, eq=False)
class QueuedPodInfo:
    """A pod in the queue, or popped from it. Times are microseconds since 1970, or ``NEVER``.

    ``timestamp``: when it last entered the queue; ``sequence``: from v1.32 on, decides between equal timestamps.
    ``attempts``: pops; ``unschedulable_count``: attempts that ended with a rejection; ``error_count``: errors
    since the last rejection.
    ``backoff_until``: a whole second; ``flushed``: it was moved at ``flushed_at`` because it had waited too long.
    ``unschedulable_plugins``, ``pending_plugins``: who rejected it; an event that helps the latter skips backoff.
    ``gate``: the PreEnqueue plugin that blocks it, or "". ``part``: its part of the queue, since ``since``.
    ``rank``: its sort key in the active queue, by priority, then by timestamp (v1.37:
    pkg/scheduler/framework/plugins/queuesort/priority_sort.go).
    """

    pod: Pod
    timestamp: int
    sequence: int = 0
    key: str = field(init=False)
    rank: tuple[int, int, int] = field(init=False)
    attempts: int = 0
    unschedulable_count: int = 0
    error_count: int = 0
    backoff_until: int = NEVER
    flushed: bool = False
    flushed_at: int = NEVER
    unschedulable_plugins: set[str] = field(default_factory=set)
    pending_plugins: set[str] = field(default_factory=set)
    gate: str = ""
    part: str = ""
    since: int = NEVER

    def __post_init__(self) -> None:
        self.key = self.pod.key
        self._set_rank()

    def _set_rank(self) -> None:
        self.rank = (-(self.pod.spec.priority or 0), self.timestamp, self.sequence)

    def update(self, pod: Pod, timestamp: int | None = None) -> None:
        """Replace the pod by its current version, and its timestamp if one is given."""
        self.pod = pod
        self.timestamp = self.timestamp if timestamp is None else timestamp
        self._set_rank()

    @property
    def rejector_plugins(self) -> set[str]:
        """All plugins that rejected it; none after an error, or before its first attempt."""
        return self.unschedulable_plugins | self.pending_plugins if self.pending_plugins else self.unschedulable_plugins

    def set_timestamp(self, now: int, sequence: int) -> None:
        self.timestamp, self.sequence = now, sequence
        self._set_rank()

    def record_failure(self, pod: Pod, unschedulable: Iterable[str] = (), pending: Iterable[str] = ()) -> None:
        """Record a failed attempt: the current pod and the plugins that rejected it, none if it was an error.

        v1.37: pkg/scheduler/schedule_one.go, handleSchedulingFailure.
        """
        self.update(pod)
        self.unschedulable_plugins, self.pending_plugins = set(unschedulable), set(pending)
        self.gate = ""


# -- the order of the active queue

Less = Callable[[QueuedPodInfo, QueuedPodInfo], bool]
"""Whether the first pod comes before the second: PrioritySort, or a queue sort plugin."""


def key_func(pod: QueuedPodInfo) -> str:
    return pod.key


def priority_sort(first: QueuedPodInfo, second: QueuedPodInfo) -> bool:
    """By priority, then by timestamp (PrioritySort)."""
    return first.rank < second.rank


def with_tie_break(less: Less) -> Less:
    """The plugin's order; ties are broken by sequence."""
    return lambda first, second: less(first, second) or (first.sequence < second.sequence and not less(second, first))


def sorted_pods(pods: Iterable[QueuedPodInfo], less: Less) -> list[QueuedPodInfo]:
    def compare(first: QueuedPodInfo, second: QueuedPodInfo) -> int:
        return -1 if less(first, second) else 1

    return sorted(pods, key=cmp_to_key(compare))
