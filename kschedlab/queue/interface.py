"""The interface of a scheduling queue, the same for all generations.

v1.37: pkg/scheduler/backend/queue/scheduling_queue.go (SchedulingQueue); before: pkg/scheduler/internal/queue.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any, NamedTuple, Protocol

from kschedlab.objects.model import Pod
from kschedlab.queue.queued_pod import QueuedPodInfo

ACTIVE, BACKOFF, UNSCHEDULABLE = "active", "backoff", "unschedulable"
"""The parts of a queue."""
IN_FLIGHT, GONE = "in flight", "gone"
"""The part of a popped pod, and of one that left the queue."""

PreCheck = Callable[[Pod], bool]
"""Whether a pod may be moved."""

Now = Callable[[], int]
"""The virtual clock: microseconds since 1970."""

OnNominated = Callable[[Pod, str | None], None]
"""Called with (pod, node) when a pod is nominated to a node, and with (pod, None) when it loses its nomination."""

OnMoved = Callable[[Pod, str, str, str], None]
"""Called when a pod moves to a different part of the queue: (pod, origin, to, why).

``origin`` is "" for a new pod, ``to`` is "in flight" for a popped one and "gone" for one that left.
"""


class ClusterEvent(NamedTuple):
    """An event as the scheduler classifies it: a resource such as ``Node``, and actions such as ``Add``.

    ``actions``: one or more of Add, Delete, Update, UpdateNodeAllocatable, UpdateNodeLabel, ...; ``label``: the name of
    the event in older generations (v1.16, v1.20: pkg/scheduler/internal/queue/events.go).
    """

    resource: str
    actions: Collection[str]
    label: str = ""


class Place(NamedTuple):
    """Where a pod is in the queue. ``part``: active, backoff, unschedulable; ``since``: since when, or -1."""

    part: str
    since: int


class SchedulingQueue(Protocol):
    """The pods that wait to be scheduled. A pod is in one part at a time."""

    @property
    def scheduling_cycle(self) -> int:
        """The number of pods popped so far."""

    @property
    def flushes(self) -> Sequence[tuple[int, Callable[[], None]]]:
        """Functions to call periodically: (period in microseconds, function)."""

    def add(self, pod: Pod) -> None: ...

    def update(self, old: Pod | None, new: Pod) -> None:
        """The pod changed; it is added if it is not in the queue."""

    def delete(self, pod: Pod) -> None:
        """Remove a pod that is deleted, or no longer this scheduler's."""

    def pop(self) -> QueuedPodInfo | None:
        """The next pod, or None where the real queue would wait."""

    def add_unschedulable(self, queued: QueuedPodInfo, cycle: int) -> None:
        """Return a popped pod that was not scheduled, after :meth:`QueuedPodInfo.record_failure`.

        ``cycle``: :attr:`scheduling_cycle` just after its pop. ValueError, with the real queue's message, if it is
        already in the queue.
        """

    def done(self, pod: Pod) -> None:
        """The popped pod is bound or deleted: stop tracking events for it."""

    def move(self, event: ClusterEvent, old: Any = None, new: Any = None, pre_check: PreCheck | None = None) -> None:
        """Move the pods that the event may help. ``pre_check``: consider only pods that pass it."""

    def assigned_pod_added(self, pod: Pod) -> None:
        """A pod was assigned to a node: move the pods whose affinity waits for it."""

    def assigned_pod_updated(self, old: Pod, new: Pod, event: ClusterEvent) -> None:
        """An assigned pod changed: move the pods whose affinity waits for it."""

    def activate(self, pods: Iterable[Pod]) -> None:
        """Move these pods to the active queue if they are in a different part."""

    def nominate(self, pod: Pod, node: str) -> None: ...

    def remove_nomination(self, pod: Pod) -> None: ...

    def nominated(self, node: str) -> list[Pod]:
        """The pods nominated to the node, in order of nomination."""

    def places(self) -> dict[str, Place]:
        """Where each queued pod is, by ``namespace/name``."""

    def __len__(self) -> int: ...
