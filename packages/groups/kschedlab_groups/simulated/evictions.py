"""The victims of a pod group are evicted as those of a pod, in a separate task, while PreEnqueue holds the whole group.

v1.37: pkg/scheduler/framework/preemption/executor.go (actuatePodGroupPreemption, podGroupExecutorPreemptor) and
pkg/scheduler/framework/plugins/defaultpreemption/default_preemption.go (PreEnqueue).
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from kschedlab.objects.model import ObjectMeta, Pod, PodGroup, PodSchedulingGroup, PodSpec
from kschedlab_groups.queued_group import group_of
from kschedlab_groups.simulated.plugin import GroupStates
from kschedlab_simulation.events import NORMAL
from kschedlab_simulation.scheduler.binding import Binding
from kschedlab_simulation.scheduler.context import PREEMPT, Context
from kschedlab_simulation.scheduler.evictions import Async

WHERE = "cluster"
"""The text in events in place of a node."""


class GroupEvictions(Async):
    """Evictions for pods and for groups. A group is passed where a pod is expected, with its own name and uid."""

    def __init__(self, context: Context, binding: Binding, states: GroupStates) -> None:
        super().__init__(context, binding)
        self._states = states

    def is_running(self, pod: Pod) -> bool:
        """Whether the victims of the pod, or of its group, are still being evicted."""
        key = group_of(pod)
        if key is None:
            return super().is_running(pod)
        group = self._states.groups.get(key)
        return group is not None and super().is_running(_preemptor(group, pod))

    def evict_for(self, group: PodGroup, pod: Pod, victims: Sequence[Pod]) -> None:
        """Let a separate task evict the victims. ``pod``: any of the group."""
        context, preemptor = self._context, _preemptor(group, pod)
        names = ", ".join(victim.key for victim in victims)
        context.metrics.preempting()
        context.step(preemptor, PREEMPT, WHERE, f"victims: {names}")
        self._start(preemptor, WHERE, victims)

    def _record(self, pod: Pod, node: str, victim: Pod, more: str = "") -> None:
        if group_of(pod) is None:
            super()._record(pod, node, victim, more)
            return
        text = f"Preempted by podgroup {pod.metadata.uid} on node {node}{more}"
        self._context.record(victim, NORMAL, "Preempted", text, "Preempting", preemptor=pod)


def _preemptor(group: PodGroup, pod: Pod) -> Pod:
    metadata = ObjectMeta(name=group.metadata.name, namespace=group.metadata.namespace, uid=group.metadata.uid)
    spec = PodSpec(
        schedulerName=pod.spec.schedulerName,
        priority=group.spec.priority,
        schedulingGroup=PodSchedulingGroup(group.metadata.name),
    )
    return replace(Pod(), metadata=metadata, spec=spec)
