"""The pods of a group are placed one after another: each sees those before it on their nodes.

v1.37: pkg/scheduler/schedule_one_podgroup.go (podGroupSchedulingDefaultAlgorithm).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from kschedlab.cluster.pods import PodInfo
from kschedlab.decision import Decision
from kschedlab.objects.model import PodGroup
from kschedlab.scheduler import Scheduler
from kschedlab_groups.assume import NOTHING, Taken, assume
from kschedlab_groups.group import ERROR, GROUP_UNSCHEDULABLE, UNRESOLVABLE, UNSCHEDULABLE, Status, feasible

if TYPE_CHECKING:
    from kschedlab.filter.dynamic_resources import GivenBack


@dataclass(frozen=True, eq=False)
class PodResult:
    """The result for one pod. ``decision``: None if the attempt ended before it. ``taken``: what it gets there."""

    pod: PodInfo
    status: Status
    decision: Decision | None = None
    taken: Taken = NOTHING

    @property
    def node(self) -> str:
        """The pod's node, or ""."""
        return (self.decision.node or "") if self.decision is not None else ""

    @property
    def given_back(self) -> GivenBack | None:
        """The claim that DynamicResources gives back for the pod if the group finds no place, or None."""
        return self.taken.given_back or (self.decision.given_back if self.decision is not None else None)


@dataclass(frozen=True, eq=False)
class PlacementTrial:
    """The result of trying the group on some nodes. ``pods``: those that were tried, in order.

    With TopologyAwareWorkloadScheduling, ``placement`` is the name of the nodes' domain, and ``scores`` has the scores
    by plugin, if there were several placements to choose from.
    """

    status: Status
    pods: tuple[PodResult, ...] = ()
    placement: str = ""
    scores: Mapping[str, int] = field(default_factory=dict)

    @property
    def total(self) -> int:
        return sum(self.scores.values())


def place(scheduler: Scheduler, group: PodGroup, pods: Sequence[PodInfo], scheduled: int) -> PlacementTrial:
    """Place one pod after another on the scheduler's cluster, until it is clear that the group cannot be placed."""
    results: list[PodResult] = []
    remaining = len(pods)
    status = feasible(group, scheduled, remaining)
    if status.code == UNSCHEDULABLE:
        return PlacementTrial(Status(UNSCHEDULABLE, (GROUP_UNSCHEDULABLE, *status.reasons)))
    for pod in pods:
        decision = scheduler.cycle(pod)
        status = status_of(decision)
        taken = assume(scheduler.cluster, decision, group) if decision.node is not None else NOTHING
        results.append(PodResult(pod, status, decision, taken))
        if status.code == ERROR:
            why = f"failed to schedule other pod from a pod group: {decision.error}"
            return PlacementTrial(Status(ERROR, (why,)), tuple(results))
        remaining -= 1
        scheduled += decision.node is not None
        status = feasible(group, scheduled, remaining)
        if status.code == UNSCHEDULABLE:
            break
    return PlacementTrial(status, tuple(results))


def status_of(decision: Decision) -> Status:
    """The status of one pod's decision."""
    if decision.node is not None:
        return Status()
    code = ERROR if decision.error else UNSCHEDULABLE if decision.cluster.nodes else UNRESOLVABLE
    return Status(code, (decision.message,))
