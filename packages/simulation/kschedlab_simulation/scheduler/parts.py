"""The parts of a kube-scheduler that a feature gate can replace.

A package that models such a gate names a subclass of :class:`Parts` after the gate, in its pyproject.toml::

    [project.entry-points."kschedlab_simulation.parts"]
    GenericWorkload = "my_groups:GroupParts"
"""

from __future__ import annotations

import random
from collections.abc import Callable
from importlib.metadata import entry_points

from kschedlab.cluster.cluster import Cluster
from kschedlab.generations import Generation
from kschedlab.manifests.loading import Objects
from kschedlab.objects.model import Pod
from kschedlab.scheduler import Scheduler
from kschedlab_simulation.informers import Informers
from kschedlab_simulation.scheduler.binding import Binding
from kschedlab_simulation.scheduler.context import Context
from kschedlab_simulation.scheduler.evictions import EVICTIONS
from kschedlab_simulation.scheduler.failure import Failures
from kschedlab_simulation.scheduler.handlers import Handlers, HandlersByHint, HandlersMovingAll
from kschedlab_simulation.scheduler.loop import Loop
from kschedlab_simulation.scheduler.preemption import Preempting

GROUP = "kschedlab_simulation.parts"


class Parts:
    """The parts that schedule pods one by one. ``plugins``: added to every profile, before the user's."""

    plugins: tuple[object, ...] = ()

    def preempting(self, context: Context, binding: Binding) -> Preempting:
        """Who evicts victims."""
        return EVICTIONS[context.rules.eviction](context, binding)

    def watch_gates(self, context: Context, is_running: Callable[[Pod], bool]) -> None:
        """The queue exists now; ``is_running``: whether a pod's victims are still being evicted."""

    def engine(self, generation: Generation, percentage: int | None, rng: random.Random | None) -> Scheduler:
        """Who decides. The loop hands it the cluster before each decision."""
        return Scheduler(Cluster(Objects(), generation.api), generation, percentage, rng)

    def loop(
        self, context: Context, engine: Scheduler, failures: Failures, binding: Binding, preempting: Preempting
    ) -> Loop:
        return Loop(context, engine, failures, binding, preempting)

    def handlers(self, context: Context, informers: Informers, generation: Generation) -> Handlers:
        """What follows from changes of nodes, pods and other objects."""
        return (HandlersByHint if generation.queue.hints else HandlersMovingAll)(context)

    def tries(self) -> dict[str, int]:
        """How often each group was tried, by name: a run ends once that is all that still happens."""
        return {}


def parts_for(generation: Generation) -> Parts:
    """The parts for the gates that leave their defaults."""
    on = {gate for gate, value in generation.feature_gates if value}
    if not on:  # looking for entry points reads the disk, and panels build schedulers by the dozen
        return Parts()
    made = [entry.load()() for entry in entry_points(group=GROUP) if entry.name in on]
    return made[0] if made else Parts()
