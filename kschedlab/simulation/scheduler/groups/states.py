"""The pod groups that the scheduler knows, and where their pods are.

v1.37: pkg/scheduler/backend/cache/podgroupstate.go.
"""

from __future__ import annotations

from collections.abc import Callable

from kschedlab.objects.model import Pod, PodGroup
from kschedlab.queue.queued_group import GroupKey, group_of


class GroupStates:
    """``placed``: the scheduler's version of a pod on a node, assumed or bound, or None. Set once the cache exists."""

    def __init__(self) -> None:
        self.groups: dict[GroupKey, PodGroup] = {}
        self.placed: Callable[[Pod], Pod | None] = lambda _: None
        self._pods: dict[GroupKey, dict[str, Pod]] = {}

    def find(self, namespace: str, name: str) -> PodGroup | None:
        """The group, or None."""
        return self.groups.get((namespace, name))

    def put(self, pod: Pod) -> None:
        """A pod was added or changed."""
        if (key := group_of(pod)) is not None:
            self._pods.setdefault(key, {})[pod.metadata.uid] = pod

    def remove(self, pod: Pod) -> None:
        """A pod is gone."""
        if (key := group_of(pod)) is not None:
            self._pods.get(key, {}).pop(pod.metadata.uid, None)

    def count(self, key: GroupKey) -> int:
        """The number of pods of the group, with and without a node."""
        return len(self._pods.get(key, ()))

    def scheduled(self, key: GroupKey) -> list[Pod]:
        """The pods of the group that are assumed or bound."""
        found = (self.placed(pod) for pod in self._pods.get(key, {}).values())
        return [pod for pod in found if pod is not None]

    def unscheduled(self, key: GroupKey) -> list[Pod]:
        """The pods of the group without a node."""
        return [pod for pod in self._pods.get(key, {}).values() if self.placed(pod) is None]
