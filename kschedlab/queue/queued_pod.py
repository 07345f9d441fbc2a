"""A pod that waits, and what v1.37 remembers of it.

v1.37: pkg/scheduler/framework/types.go (QueuedPodInfo, QueueingParams).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cmp_to_key

from kschedlab.objects.model import Pod

NEVER = -1
"""A moment that lies before all others."""


@dataclass(slots=True, eq=False)
class WaitingPod:
    """A pod in the queue, or popped from it. Times are microseconds since 1970, or ``NEVER``.

    ``timestamp``: when it last came to the queue; ``turn`` tells those apart that came at the same moment.
    ``attempts``: pops; ``unschedulable_count``: those of them that ended with a refusal; ``error_count``: errors since.
    ``backoff_until``: a whole second; ``flushed``: it was moved for having waited too long, at ``flushed_at``.
    ``unschedulable_plugins``, ``pending_plugins``: who refused it; an event that pleases the latter spares it backoff.
    ``gate``: the plugin that keeps it from the active queue, or "". ``part``: where it is, since ``since``.
    ``rank``: its place in the active queue, by priority, then by who came first (v1.37:
    pkg/scheduler/framework/plugins/queuesort/priority_sort.go).
    """

    pod: Pod
    timestamp: int
    turn: int
    key: str = field(init=False)
    rank: tuple[int, int, int] = field(init=False)
    attempts: int = 0
    unschedulable_count: int = 0
    error_count: int = 0
    backoff_until: int = NEVER
    first_active: int = NEVER
    flushed: bool = False
    flushed_at: int = NEVER
    unschedulable_plugins: set[str] = field(default_factory=set)
    pending_plugins: set[str] = field(default_factory=set)
    gate: str = ""
    part: str = ""
    since: int = NEVER

    def __post_init__(self) -> None:
        self.key = self.pod.key
        self._rank()

    def _rank(self) -> None:
        self.rank = (-(self.pod.spec.priority or 0), self.timestamp, self.turn)

    def update(self, pod: Pod) -> None:
        """The pod as it is now."""
        self.pod = pod
        self._rank()

    @property
    def refusers(self) -> set[str]:
        """All plugins that refused it; none if it came back with an error, or was never tried."""
        return self.unschedulable_plugins | self.pending_plugins if self.pending_plugins else self.unschedulable_plugins

    def came(self, now: int, turn: int) -> None:
        """It comes to the queue anew."""
        self.timestamp, self.turn = now, turn
        self._rank()

    def refused(self, pod: Pod, unschedulable: Iterable[str] = (), pending: Iterable[str] = ()) -> None:
        """The attempt failed: who refused the pod, none if it was an error; and the pod as it is now.

        v1.37: pkg/scheduler/schedule_one.go, handleSchedulingFailure.
        """
        self.update(pod)
        self.unschedulable_plugins, self.pending_plugins = set(unschedulable), set(pending)
        self.gate = ""


# -- the order of the active queue

Less = Callable[[WaitingPod, WaitingPod], bool]
"""Whether the one pod comes before the other: PrioritySort, or a queue sort plugin."""


def key_func(pod: WaitingPod) -> str:
    """``namespace/name``."""
    return pod.key


def comes_first(one: WaitingPod, other: WaitingPod) -> bool:
    """By priority, then by who came first (PrioritySort). No two pods tie."""
    return one.rank < other.rank


def never_tying(less: Less) -> Less:
    """The plugin's order; where it sees no difference, by who came first."""
    return lambda one, other: less(one, other) or (one.turn < other.turn and not less(other, one))


def in_order(pods: Iterable[WaitingPod], less: Less) -> list[WaitingPod]:
    """The pods as they would come out."""

    def compare(one: WaitingPod, other: WaitingPod) -> int:
        return -1 if less(one, other) else 1

    return sorted(pods, key=cmp_to_key(compare))
