"""Event handlers that know pod groups.

v1.37: pkg/scheduler/eventhandlers.go (addPodGroup, updatePodGroup, deletePodGroup, addPodToSchedulingQueue).
"""

from __future__ import annotations

from kschedlab.objects.model import Pod, PodGroup
from kschedlab.queue.events import UNSCHEDULED_POD_ADD
from kschedlab_groups.queue import WithGroups
from kschedlab_groups.simulated.plugin import POD_GROUP_ADD, POD_GROUP_DELETE, POD_GROUP_UPDATE
from kschedlab_groups.simulated.states import GroupStates
from kschedlab_simulation.scheduler.context import Context
from kschedlab_simulation.scheduler.handlers import HandlersByHint


class GroupHandlers(HandlersByHint):
    """The handlers of v1.37, which also keep the groups up to date."""

    def __init__(self, context: Context, states: GroupStates) -> None:
        super().__init__(context)
        assert isinstance(context.queue, WithGroups)
        self._groups, self._states = context.queue, states

    def add_pod(self, pod: Pod) -> None:
        """A pod was added: it may complete its gang."""
        self._states.put(pod)
        super().add_pod(pod)
        if not pod.spec.nodeName and self.is_responsible_for(pod):
            self._groups.move(UNSCHEDULED_POD_ADD, None, pod)

    def update_pod(self, old: Pod, new: Pod) -> None:
        """A pod changed."""
        self._states.put(new)
        super().update_pod(old, new)

    def delete_pod(self, pod: Pod) -> None:
        """A pod was deleted."""
        super().delete_pod(pod)
        self._states.remove(pod)

    def add_group(self, group: PodGroup) -> None:
        """A group was created."""
        self._states.groups[group.metadata.namespace, group.metadata.name] = group
        self._groups.add_group(group)
        self._groups.move(POD_GROUP_ADD, None, group)

    def update_group(self, old: PodGroup, new: PodGroup) -> None:
        """A group changed."""
        self._states.groups[new.metadata.namespace, new.metadata.name] = new
        self._groups.update_group(new)
        self._groups.move(POD_GROUP_UPDATE, old, new)

    def delete_group(self, group: PodGroup) -> None:
        """A group was deleted."""
        self._states.groups.pop((group.metadata.namespace, group.metadata.name), None)
        self._groups.delete_group(group)
        self._groups.move(POD_GROUP_DELETE, group)
