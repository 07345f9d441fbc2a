"""The plugin GangScheduling: a gang waits until it is complete, and is bound as a whole.

v1.37: pkg/scheduler/framework/plugins/gangscheduling/gangscheduling.go. Its PlacementFeasible is
:func:`kschedlab_groups.group.feasible`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from kschedlab.objects.model import Pod, PodGroup, ResourceClaim
from kschedlab.plugins.framework import UNRESOLVABLE, Answer, Plugin, Status, Wait, method
from kschedlab.queue.events import ASSIGNED_POD_ADD, UNSCHEDULED_POD_ADD, event
from kschedlab.queue.interface import ClusterEvent
from kschedlab_groups.group import min_count
from kschedlab_groups.queued_group import GroupKey, group_of

if TYPE_CHECKING:
    from kschedlab_simulation.scheduler.context import Context


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
        if (key := group_of(pod)) is not None:
            self._pods.setdefault(key, {})[pod.metadata.uid] = pod

    def remove(self, pod: Pod) -> None:
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
        return len(self._pods.get(key, {}).keys() & self.placed.keys())

    def unscheduled(self, key: GroupKey) -> Pod | None:
        """A pod of the group without a node, or None."""
        return next((pod for uid, pod in self._pods.get(key, {}).items() if uid not in self.placed), None)


POD_GROUP = "scheduling.k8s.io/PodGroup"
POD_GROUP_ADD, POD_GROUP_UPDATE = event(POD_GROUP, "Add"), event(POD_GROUP, "Update")
POD_GROUP_DELETE = event(POD_GROUP, "Delete")
LONGEST_WAIT = 300.0
"""Seconds that a pod waits on Permit for the rest of its gang."""


class GangScheduling(Plugin):
    """One for each scheduler, because it reads that scheduler's groups."""

    name = "GangScheduling"

    def __init__(self, states: GroupStates) -> None:
        self._states = states

    def pre_enqueue(self, pod: Pod) -> Answer:
        """Keep the pod out until its group has enough pods. The queue asks once the group exists."""
        key = group_of(pod)
        group = self._states.groups.get(key) if key is not None else None
        if key is None or group is None:
            return None
        if group.spec.schedulingPolicy.gang is not None and self._states.count(key) < min_count(group):
            return Status(UNRESOLVABLE, "waiting for minCount pods from a gang to appear in scheduling queue")
        return None

    def permit(self, pod: Pod, node: str) -> Answer | Wait:
        """Let the pod wait until enough of its gang have a node; the last one lets the others go."""
        key = group_of(pod)
        group = self._states.groups.get(key) if key is not None else None
        if key is None or group is None or group.spec.schedulingPolicy.gang is None:
            return None
        if self._states.scheduled_count(key) < min_count(group):
            if (unscheduled := self._states.unscheduled(key)) is not None:
                self.handle.activate([unscheduled])  # with it all that wait in the queue
            return Wait(LONGEST_WAIT)
        for waiting in self.handle.waiting_pods:
            if group_of(waiting.pod) == key:
                waiting.allow(self.name)
        return None

    def events_to_register(self) -> Iterable[tuple[ClusterEvent, Callable[[Pod, Any, Any], bool]]]:
        """A new pod or group, and a smaller minCount."""
        return [
            (UNSCHEDULED_POD_ADD, _of_the_same_group),
            (ASSIGNED_POD_ADD, _of_the_same_group),
            (POD_GROUP_ADD, _is_its_group),
            (POD_GROUP_UPDATE, _needs_fewer),
        ]


def gate_state(context: Context, gang: GangScheduling, preempts: Callable[[Pod], bool]) -> Callable[[Pod], Hashable]:
    """The objects besides the pod on which PreEnqueue's answer depends: its group, and all claims.

    None: on what a user's plugin looks at.
    """
    plugins = {id(plugin): plugin for each in context.generations.values() for _, plugin in each.plugins}
    if any(plugin is not gang and method(plugin, "pre_enqueue") is not None for plugin in plugins.values()):
        return lambda _: None

    def state(pod: Pod) -> Hashable:
        return preempts(pod), gang.pre_enqueue(pod) is None, context.cache.cluster().last_change(ResourceClaim)

    return state


def _of_the_same_group(pod: Pod, old: Any, new: Any) -> bool:
    return group_of(pod) is not None and group_of(pod) == group_of(new if new is not None else old)


def _is_its_group(pod: Pod, old: Any, new: Any) -> bool:
    return group_of(pod) == (new.metadata.namespace, new.metadata.name)


def _needs_fewer(pod: Pod, old: Any, new: Any) -> bool:
    before, after = old.spec.schedulingPolicy.gang, new.spec.schedulingPolicy.gang
    fewer = before is not None and after is not None and after.minCount < before.minCount
    return fewer and _is_its_group(pod, old, new)
