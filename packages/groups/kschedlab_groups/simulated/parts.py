"""The parts of a kube-scheduler that schedules pod groups."""

from __future__ import annotations

import random
from collections.abc import Callable

from kschedlab.cluster.cluster import Cluster
from kschedlab.generations import Generation
from kschedlab.manifests.loading import Objects
from kschedlab.objects.model import Pod, PodGroup
from kschedlab.queue.events import UNSCHEDULED_POD_ADD
from kschedlab.scheduler import Scheduler
from kschedlab_groups.queue import WithGroups
from kschedlab_groups.simulated.evictions import GroupEvictions
from kschedlab_groups.simulated.loop import GroupLoop
from kschedlab_groups.simulated.plugin import (
    POD_GROUP_ADD,
    POD_GROUP_DELETE,
    POD_GROUP_UPDATE,
    GangScheduling,
    GroupStates,
    gate_state,
)
from kschedlab_groups.victims import GroupScheduler
from kschedlab_simulation.informers import Informers
from kschedlab_simulation.scheduler.binding import Binding
from kschedlab_simulation.scheduler.context import Context
from kschedlab_simulation.scheduler.failure import Failures
from kschedlab_simulation.scheduler.handlers import HandlersByHint
from kschedlab_simulation.scheduler.parts import Parts
from kschedlab_simulation.scheduler.preemption import Preempting


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
        self._states.put(new)
        super().update_pod(old, new)

    def delete_pod(self, pod: Pod) -> None:
        super().delete_pod(pod)
        self._states.remove(pod)

    def add_group(self, group: PodGroup) -> None:
        self._states.groups[group.metadata.namespace, group.metadata.name] = group
        self._groups.add_group(group)
        self._groups.move(POD_GROUP_ADD, None, group)

    def update_group(self, old: PodGroup, new: PodGroup) -> None:
        self._states.groups[new.metadata.namespace, new.metadata.name] = new
        self._groups.update_group(new)
        self._groups.move(POD_GROUP_UPDATE, old, new)

    def delete_group(self, group: PodGroup) -> None:
        self._states.groups.pop((group.metadata.namespace, group.metadata.name), None)
        self._groups.delete_group(group)
        self._groups.move(POD_GROUP_DELETE, group)


class GroupParts(Parts):
    """Parts that share the states of all groups."""

    def __init__(self) -> None:
        self.states = GroupStates()
        self._gang = GangScheduling(self.states)
        self.plugins = (self._gang,)

    def preempting(self, context: Context, binding: Binding) -> GroupEvictions:
        """Groups are evicted as a whole where they ask for it."""
        return GroupEvictions(context, binding, self.states)

    def watch_gates(self, context: Context, is_running: Callable[[Pod], bool]) -> None:
        """PreEnqueue's answers are kept until what they depend on changes."""
        assert isinstance(context.queue, WithGroups)
        context.queue.gate_state = gate_state(context, self._gang, is_running)

    def engine(self, generation: Generation, percentage: int | None, rng: random.Random | None) -> GroupScheduler:
        """A scheduler that knows the groups."""
        engine = GroupScheduler(Cluster(Objects(), generation.api), generation, percentage, rng)
        engine.groups = self.states
        return engine

    def loop(
        self, context: Context, engine: Scheduler, failures: Failures, binding: Binding, preempting: Preempting
    ) -> GroupLoop:
        """The loop with scheduleOnePodGroup."""
        assert isinstance(preempting, GroupEvictions)
        self._loop = GroupLoop(context, engine, failures, binding, preempting, self.states)
        return self._loop

    def handlers(self, context: Context, informers: Informers, generation: Generation) -> GroupHandlers:
        """Handlers that also watch PodGroups."""
        self.states.placed = context.cache.pods
        handlers = GroupHandlers(context, self.states)
        informers.of(PodGroup).add_handler(handlers.add_group, handlers.update_group, handlers.delete_group)
        return handlers

    def tries(self) -> dict[str, int]:
        """How often each group was tried."""
        return self._loop.tries()
