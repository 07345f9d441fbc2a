"""The pod groups that the scheduler knows, and where their pods are.

v1.37: pkg/scheduler/backend/cache/podgroupstate.go.
"""

from __future__ import annotations

from collections.abc import Mapping

from kschedlab.objects.model import Pod, PodGroup
from kschedlab_groups.queued_group import GroupKey, group_of


class GroupStates:
    """``placed``: the scheduler's versions of pods on nodes, assumed or bound, by uid. Set once the cache exists."""

    def __init__(self) -> None:
        self.groups: dict[GroupKey, PodGroup] = {}
        self.placed: Mapping[str, Pod] = {}
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
        return [self.placed[uid] for uid in self._pods.get(key, ()) if uid in self.placed]

    def scheduled_count(self, key: GroupKey) -> int:
        """The number of pods of the group that are assumed or bound."""
        return len(self._pods[key].keys() & self.placed.keys()) if key in self._pods else 0

    def unscheduled(self, key: GroupKey) -> Pod | None:
        """A pod of the group without a node, or None."""
        return next((pod for uid, pod in self._pods.get(key, {}).items() if uid not in self.placed), None)
