"""One attempt to place a pod group, on all nodes or on one placement after another.

v1.37: pkg/scheduler/schedule_one_podgroup.go (podGroupSchedulingAlgorithm, runRootSchedulingAlgorithm).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.pods import PodInfo
from kschedlab.generations import Generation
from kschedlab.objects.model import Pod, PodGroup
from kschedlab.scheduler import Scheduler
from kschedlab_groups.group import GROUP_UNSCHEDULABLE, SUCCESS, UNSCHEDULABLE, Status
from kschedlab_groups.place import PlacementTrial, PodResult, place


@dataclass(frozen=True, eq=False)
class GroupResult:
    """The result for the group. ``pods``: a result for each pod, in the order of the attempt.

    ``placements``: what became of each placement, with TopologyAwareWorkloadScheduling.
    """

    group: PodGroup
    status: Status
    pods: tuple[PodResult, ...]
    placements: tuple[PlacementTrial, ...]

    @property
    def placed(self) -> list[PodResult]:
        return [pod for pod in self.pods if pod.node]


def attempt(scheduler: Scheduler, group: PodGroup, pods: Sequence[PodInfo], scheduled: Sequence[Pod]) -> GroupResult:
    """Find a node for each pod, on a fork of the scheduler's cluster. ``scheduled``: pods of the group with a node.

    No preemption runs for a single pod, and nothing is given back; but its decision says what would be.
    """
    cluster, generation = scheduler.cluster, scheduler.generation
    scheduler.cluster, scheduler.generation = cluster.fork(), _without_preemption(generation)
    placements: tuple[PlacementTrial, ...] = ()
    try:
        if generation.turned_on("TopologyAwareWorkloadScheduling"):
            from kschedlab_groups.topology import place_by_topology

            tried, placements = place_by_topology(scheduler, group, pods, scheduled)
        else:
            tried = place(scheduler, group, pods, len(scheduled))
    finally:
        scheduler.cluster, scheduler.generation = cluster, generation
    status = tried.status
    if status.code == SUCCESS and not any(each.node for each in tried.pods):
        status = Status(UNSCHEDULABLE, (GROUP_UNSCHEDULABLE,))
    untried = tuple(PodResult(pod, status) for pod in pods[len(tried.pods) :])
    return GroupResult(group, status, (*tried.pods, *untried), placements)


def _without_preemption(generation: Generation) -> Generation:
    return replace(generation, preemption=replace(generation.preemption, enabled=False))


def with_pods_elsewhere(cluster: Cluster, keys: Sequence[str]) -> Cluster:
    """A fork without the pods of these keys."""
    fork = cluster.fork()
    for key in keys:
        fork.evict(key)
    return fork
