"""One attempt to place a pod group: its pods one after another, each sees those before it on their nodes.

v1.37: pkg/scheduler/schedule_one_podgroup.go (podGroupSchedulingDefaultAlgorithm, runRootSchedulingAlgorithm).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.pods import PodInfo
from kschedlab.decision import Decision
from kschedlab.generations import Generation
from kschedlab.groups.group import ERROR, GROUP_UNSCHEDULABLE, UNRESOLVABLE, UNSCHEDULABLE, WAIT, Status, feasible
from kschedlab.objects.model import PodGroup
from kschedlab.scheduler import Scheduler


@dataclass(frozen=True, eq=False)
class PodResult:
    """What became of one pod. ``decision``: None if the attempt ended before it."""

    pod: PodInfo
    status: Status
    decision: Decision | None = None

    @property
    def node(self) -> str:
        """The pod's node, or ""."""
        return (self.decision.node or "") if self.decision is not None else ""


@dataclass(frozen=True, eq=False)
class GroupResult:
    """What became of the group. ``pods``: a result for each pod, in the order of the attempt."""

    group: PodGroup
    status: Status
    pods: tuple[PodResult, ...] = ()

    @property
    def placed(self) -> list[PodResult]:
        """The pods that got a node."""
        return [each for each in self.pods if each.node]


def attempt(scheduler: Scheduler, group: PodGroup, pods: Sequence[PodInfo], scheduled: int) -> GroupResult:
    """Find a node for each pod, on a fork of the scheduler's cluster. ``scheduled``: pods of the group with a node.

    Neither PostFilter nor preemption runs for a single pod.
    """
    cluster, generation = scheduler.cluster, scheduler.generation
    scheduler.cluster, scheduler.generation = cluster.fork(), _without_post_filter(generation)
    try:
        status, results = _attempt(scheduler, group, pods, scheduled)
    finally:
        scheduler.cluster, scheduler.generation = cluster, generation
    if status.code == WAIT:
        status = Status(UNSCHEDULABLE, (GROUP_UNSCHEDULABLE, *status.reasons))
    if not status.reasons and not any(each.node for each in results):
        status = Status(UNSCHEDULABLE, (GROUP_UNSCHEDULABLE,))
    untried = tuple(PodResult(pod, status) for pod in pods[len(results) :])
    return GroupResult(group, status, (*results, *untried))


def _attempt(
    scheduler: Scheduler, group: PodGroup, pods: Sequence[PodInfo], scheduled: int
) -> tuple[Status, list[PodResult]]:
    results: list[PodResult] = []
    remaining = len(pods)
    status = feasible(group, scheduled, remaining)
    if status.code == UNSCHEDULABLE:
        return Status(UNSCHEDULABLE, (GROUP_UNSCHEDULABLE, *status.reasons)), results
    for pod in pods:
        decision = scheduler.cycle(pod)
        result = PodResult(pod, status_of(decision), decision)
        results.append(result)
        if result.status.code == ERROR:
            why = f"failed to schedule other pod from a pod group: {decision.error}"
            return Status(ERROR, (why,)), results
        remaining -= 1
        if decision.node is not None:
            scheduled += 1
            scheduler.commit(decision)
        status = feasible(group, scheduled, remaining)
        if status.code == UNSCHEDULABLE:
            break
    return status, results


def status_of(decision: Decision) -> Status:
    """The status of one pod's decision."""
    if decision.node is not None:
        return Status()
    code = ERROR if decision.error else UNSCHEDULABLE if decision.cluster.nodes else UNRESOLVABLE
    return Status(code, (decision.message,))


def _without_post_filter(generation: Generation) -> Generation:
    return replace(generation, preemption=replace(generation.preemption, enabled=False, after_dynamic_resources=False))


def with_pods_elsewhere(cluster: Cluster, keys: Sequence[str]) -> Cluster:
    """A fork without the pods of these keys."""
    fork = cluster.fork()
    for key in keys:
        fork.evict(key)
    return fork
