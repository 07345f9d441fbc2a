"""A pod group in the queue, and its backoff.

v1.37: pkg/scheduler/framework/types.go (QueuedPodGroupInfo, PodGroupMemberPodsOrderingFunc),
pkg/scheduler/backend/queue/backoff_queue.go (calculateBackoffDuration).
"""

from __future__ import annotations

import math
from bisect import insort
from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any

from kschedlab.objects.model import Pod, PodGroup
from kschedlab.queue.backoff import Backoff
from kschedlab.queue.queued_pod import NEVER, QueuedPodInfo

GroupKey = tuple[str, str]
"""The namespace and the name of a group."""


def group_of(pod: Pod) -> GroupKey | None:
    """The key of the pod's group, or None."""
    group = pod.spec.schedulingGroup
    return (pod.metadata.namespace, group.podGroupName or "") if group is not None else None


def key_of(group: PodGroup) -> GroupKey:
    return group.metadata.namespace, group.metadata.name


def entry_name(key: GroupKey) -> str:
    """The group's key in the queue, unlike that of any pod."""
    return f"PodGroup/{key[0]}/{key[1]}"


class Pods(tuple[Pod, ...]):
    __slots__ = ()


@dataclass(slots=True, eq=False)
class QueuedGroup:
    """A pod group in the queue, with its pods that wait. The fields are those of a queued pod, for the whole group.

    ``unasked``: the pods that PreEnqueue has not seen as they are, by key; ``asked_in``: when the others were asked
    (:attr:`~kschedlab_groups.queue.WithGroups.gate_state`).
    """

    group: PodGroup
    timestamp: int
    sequence: int
    members: list[QueuedPodInfo] = field(default_factory=list)
    attempts: int = 0
    unschedulable_count: int = 0
    error_count: int = 0
    backoff_until: int = NEVER
    flushed: bool = False
    flushed_at: int = NEVER
    gate: str = ""
    part: str = ""
    since: int = NEVER
    unasked: dict[str, QueuedPodInfo] = field(default_factory=dict)
    asked_in: Hashable = None

    @property
    def key(self) -> str:
        """Its key in the queue."""
        return entry_name(key_of(self.group))

    @property
    def rank(self) -> tuple[int, int, int]:
        """Its sort key in the active queue: by priority, then by timestamp."""
        return -(self.group.spec.priority or 0), self.timestamp, self.sequence

    @property
    def pod(self) -> Pods:
        """All its pods, where one is expected."""
        return Pods(member.pod for member in self.members)

    @property
    def rejector_plugins(self) -> set[str]:
        """None: plugins reject its pods, not the group."""
        return set()

    pending_plugins = rejector_plugins

    def add(self, queued: QueuedPodInfo) -> None:
        """Add a pod, in the order in which a cycle takes them (PodGroupMemberPodsOrderingFunc)."""
        insort(self.members, queued, key=_order)
        self.unasked[queued.key] = queued

    def update(self, queued: QueuedPodInfo, pod: Pod) -> None:
        """Replace one of its pods by its current version."""
        queued.update(pod)
        self.unasked[queued.key] = queued

    def remove(self, key: str) -> QueuedPodInfo | None:
        """Remove and return the pod, or None."""
        member = next((each for each in self.members if each.key == key), None)
        if member is not None:
            self.members.remove(member)
            self.unasked.pop(key, None)
        return member


def _order(queued: QueuedPodInfo) -> tuple[int, int, int, str]:
    return -(queued.pod.spec.priority or 0), -queued.attempts, queued.timestamp, queued.pod.metadata.name


class GroupBackoff(Backoff):
    """Backoff, in which the maximum of a group is larger: multiplied by the root of its number of pods."""

    def set(self, pod: Any) -> None:
        plain = self._maximum
        if isinstance(pod, QueuedGroup):
            self._maximum = int(plain * math.sqrt(len(pod.members)))
        super().set(pod)
        self._maximum = plain
