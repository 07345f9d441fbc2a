"""The parts of a kube-scheduler that schedules pod groups."""

from __future__ import annotations

import random
from collections.abc import Callable

from kschedlab.cluster.cluster import Cluster
from kschedlab.generations import Generation
from kschedlab.manifests.loading import Objects
from kschedlab.objects.model import Pod, PodGroup
from kschedlab.scheduler import Scheduler
from kschedlab_groups.queue import WithGroups
from kschedlab_groups.simulated.evictions import GroupEvictions
from kschedlab_groups.simulated.handlers import GroupHandlers
from kschedlab_groups.simulated.loop import GroupLoop
from kschedlab_groups.simulated.plugin import GangScheduling, gate_state
from kschedlab_groups.simulated.states import GroupStates
from kschedlab_groups.victims import GroupScheduler
from kschedlab_simulation.informers import Informers
from kschedlab_simulation.scheduler.binding import Binding
from kschedlab_simulation.scheduler.context import Context
from kschedlab_simulation.scheduler.failure import Failures
from kschedlab_simulation.scheduler.parts import Parts
from kschedlab_simulation.scheduler.preemption import Preempting


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
