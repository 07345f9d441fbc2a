"""What the loop asks of a scheduling queue, whatever the generation.

v1.37: pkg/scheduler/backend/queue/scheduling_queue.go (SchedulingQueue); before: pkg/scheduler/internal/queue.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple, Protocol

from kschedlab.objects.model import Pod

ACTIVE, BACKOFF, UNSCHEDULABLE = "active", "backoff", "unschedulable"
"""The parts of a queue."""
IN_FLIGHT, GONE = "in flight", "gone"
"""Where a pod is that was popped, and one that left."""

Now = Callable[[], int]
"""The virtual clock: microseconds since 1970."""

Told = Callable[[Pod, str | None], None]
"""Called when a pod is nominated to a node, and with None when it loses its nomination."""

Moved = Callable[[Pod, str, str, str], None]
"""Called when a pod comes to another part of the queue: (pod, origin, to, why).

``origin`` is "" for a new pod, ``to`` is "in flight" for a popped one and "gone" for one that left.
"""


class ClusterEvent(NamedTuple):
    """Something that happened to a kind of object, in the scheduler's words: ``Node``, ``Add``.

    ``actions``: one or more of Add, Delete, Update, UpdateNodeAllocatable, UpdateNodeLabel, ...; ``label``: the older
    generations' own name of the event (v1.16, v1.20: pkg/scheduler/internal/queue/events.go).
    """

    resource: str
    actions: frozenset[str]
    label: str = ""


class Place(NamedTuple):
    """Where a pod is in the queue. ``part``: active, backoff, unschedulable; ``since``: when it came there, or -1."""

    part: str
    since: int


class QueuedPod(Protocol):
    """A pod as it leaves the queue; what else is remembered of it differs between generations."""

    @property
    def pod(self) -> Pod:
        """The pod, as it was when the queue last saw it."""
        ...

    @property
    def attempts(self) -> int:
        """How often it was tried, this time included."""
        ...

    def refused(self, pod: Pod, unschedulable: Iterable[str] = (), pending: Iterable[str] = ()) -> None:
        """The attempt failed: the pod as it is now, and the plugins that refused it; none if it was an error.

        To be called before :meth:`SchedulingQueue.add_unschedulable`.
        """
        ...


class SchedulingQueue(Protocol):
    """The pods that wait. A pod is never in two parts of it."""

    @property
    def scheduling_cycle(self) -> int:
        """Counts the pods that were popped."""
        ...

    @property
    def flushes(self) -> Sequence[tuple[int, Callable[[], None]]]:
        """What is to be called again and again: (period in microseconds, function)."""
        ...

    def add(self, pod: Pod) -> None:
        """A new pod that is to be scheduled."""
        ...

    def update(self, old: Pod | None, new: Pod) -> None:
        """The pod changed; it is put in if it is not here."""
        ...

    def delete(self, pod: Pod) -> None:
        """The pod is gone, or someone else's now."""
        ...

    def pop(self) -> QueuedPod | None:
        """The next pod, or None where the real queue would wait."""
        ...

    def add_unschedulable(self, queued: QueuedPod, cycle: int) -> None:
        """Give back a popped pod that was not scheduled; ``cycle``: :attr:`scheduling_cycle` just after its pop.

        ValueError, with the real queue's message, if it is here already.
        """
        ...

    def done(self, pod: Pod) -> None:
        """The popped pod is bound, or gone: nothing that happens concerns it any more."""
        ...

    def move(
        self, event: ClusterEvent, old: Any = None, new: Any = None, only: Callable[[Pod], bool] | None = None
    ) -> None:
        """Something happened that may let pods fit: move those that it may help. ``only``: look at no other pods."""
        ...

    def assigned_pod_added(self, pod: Pod) -> None:
        """A pod came to a node: move the pods that wait for such a neighbour."""
        ...

    def assigned_pod_updated(self, old: Pod, new: Pod, event: ClusterEvent) -> None:
        """A pod on a node changed: move the pods that wait for such a neighbour."""
        ...

    def activate(self, pods: Iterable[Pod]) -> None:
        """Move these pods to the active queue if they wait elsewhere."""
        ...

    def nominate(self, pod: Pod, node: str) -> None:
        """Remember that the pod waits for room on the node."""
        ...

    def withdraw(self, pod: Pod) -> None:
        """Forget the pod's nomination."""
        ...

    def nominated(self, node: str) -> list[Pod]:
        """The pods that are nominated to the node, in the order in which they were."""
        ...

    def places(self) -> dict[str, Place]:
        """Where every waiting pod is, by ``namespace/name``."""
        ...

    def __len__(self) -> int: ...
