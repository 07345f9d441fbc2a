"""The scheduling cycle of a pod group: an attempt, preemption if it fails, and what each pod is told.

v1.37: pkg/scheduler/schedule_one_podgroup.go (podGroupCycle, validatePodGroup, applyPodGroupPostFilterResult,
submitPodGroupAlgorithmResult) and pkg/scheduler/framework/runtime/framework.go (RunPodGroupPostFilterPlugins).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.pods import PodInfo
from kschedlab.objects.model import Pod, PodGroup
from kschedlab.scheduler import Scheduler
from kschedlab_groups.assume import NOTHING, Taken
from kschedlab_groups.attempt import GroupResult, attempt
from kschedlab_groups.claims import Released, release
from kschedlab_groups.group import (
    ERROR,
    GROUP_UNSCHEDULABLE,
    SUCCESS,
    UNRESOLVABLE,
    UNSCHEDULABLE,
    Groups,
    Status,
    priority_of,
)
from kschedlab_groups.place import PlacementTrial, PodResult
from kschedlab_groups.preemption import GroupPreemption, preempt
from kschedlab_groups.queued_group import group_of

if TYPE_CHECKING:
    from kschedlab.filter.dynamic_resources import GivenBack

LOWER = "PreemptLowerPriority"


@dataclass(frozen=True)
class PodVerdict:
    """The answer to one pod. ``node``: where it is bound, or "". ``nominated``: "" clears it, None keeps it.

    ``plugins``: those that rejected it. ``taken``: what it takes with its node.
    """

    pod: PodInfo
    node: str
    message: str = ""
    rejected: bool = True
    nominated: str | None = None
    plugins: tuple[str, ...] = ()
    taken: Taken = NOTHING


@dataclass(frozen=True, eq=False)
class GroupDecision:
    """The result of a cycle. ``tried``: the status before preemption; ``status``: the condition's.

    ``preemption``: None if it was not asked. ``pods``: the decision about each pod. ``placements``: what became of
    each, with TopologyAwareWorkloadScheduling. ``given_back``: claims that the pods or the group give back, whatever
    preemption does.
    """

    group: PodGroup
    tried: Status
    status: Status
    verdicts: tuple[PodVerdict, ...]
    preemption: GroupPreemption | None
    pods: tuple[PodResult, ...]
    placements: tuple[PlacementTrial, ...]
    given_back: tuple[GivenBack, ...]

    @property
    def waits(self) -> bool:
        """Whether the group waits for its victims to go."""
        return self.preemption is not None and self.preemption.status.code == SUCCESS


def decide(scheduler: Scheduler, group: PodGroup, pods: Sequence[PodInfo], groups: Groups) -> GroupDecision:
    """Decide for all waiting pods of a group, of which there is at least one."""
    key = group_of(pods[0].pod)
    assert key is not None
    cluster, scheduled = scheduler.cluster, groups.scheduled(key)
    scheduler.cluster = cluster.fork()
    for pod in pods:  # the real queue, which has popped the group, knows nothing of these pods but their names
        scheduler.cluster.withdraw(pod.key)
    try:
        result = attempt(scheduler, group, pods, scheduled)
        preemption: GroupPreemption | None = None
        status, claims = result.status, Released(result.status)
        if status.code == UNSCHEDULABLE:
            claims = release(scheduler.generation, scheduler.cluster, group, result.pods, scheduled)
            if claims.status.code == UNSCHEDULABLE:
                preemption = _preempt(scheduler, group, pods, scheduled, groups)
            status = _after_post_filter(status, claims.status, preemption)
    finally:
        scheduler.cluster = cluster
    decision = GroupDecision(
        group, result.status, status, (), preemption, result.pods, result.placements, claims.given_back
    )
    return replace(decision, verdicts=tuple(_verdict(decision, each) for each in result.pods))


def _preempt(
    scheduler: Scheduler, group: PodGroup, pods: Sequence[PodInfo], scheduled: Sequence[Pod], groups: Groups
) -> GroupPreemption:
    cluster, generation = scheduler.cluster, scheduler.generation

    def retry(emptied: Cluster) -> GroupResult:
        scheduler.cluster = emptied
        try:
            return attempt(scheduler, group, pods, scheduled)
        finally:
            scheduler.cluster = cluster

    group_decides = generation.turned_on("PodGroupPreemptionPolicy")
    preemption = preempt(cluster, group, pods, groups, generation.filters, retry, group_decides)
    reasons = (f"pod group preemption: {preemption.status.message}",)
    return replace(preemption, status=Status(preemption.status.code, reasons))


def _failed(plugin: str, why: str) -> Status:
    return Status(ERROR, (f'error in "{plugin}" PodGroupPostFilter plugins: {why}',))


def _after_post_filter(tried: Status, claims: Status, preemption: GroupPreemption | None) -> Status:
    """The group's status with what the PodGroupPostFilter plugins say: DynamicResources first, then preemption."""
    if claims.code == ERROR:
        return _failed("DynamicResources", claims.message)
    if preemption is None:
        return tried.because(claims.message)
    if preemption.status.code == ERROR:
        return _failed("DefaultPreemption", preemption.status.message)
    before = claims.reasons if preemption.status.code == UNSCHEDULABLE else ()
    return tried.because(", ".join((*before, *preemption.status.reasons)))


def _verdict(decided: GroupDecision, result: PodResult) -> PodVerdict:
    pod, status, own = result.pod, decided.status, result.status
    nominated = decided.preemption.nominated.get(pod.key) if decided.waits and decided.preemption else None
    if status.code == ERROR:
        message = own.message if own.code == ERROR else status.message
        return PodVerdict(pod, "", message, rejected=False, nominated="")
    if result.node:
        if status.code == SUCCESS:
            return PodVerdict(pod, result.node, taken=result.taken)
        if decided.waits:
            return PodVerdict(pod, "", status.message, nominated=nominated)
        return PodVerdict(pod, "", f"{GROUP_UNSCHEDULABLE}, {status.message}", nominated="")
    plugins = result.decision.rejectors if result.decision is not None else ()
    if own.code == UNRESOLVABLE and nominated is None:
        nominated = ""
    return PodVerdict(pod, "", own.message, nominated=nominated, plugins=plugins)


# -- before the cycle


def fault(group: PodGroup, waiting: Iterable[Pod], running: Iterable[Pod], group_decides: bool) -> str:
    """Why the group cannot be scheduled at all, or "" (validatePodGroup).

    ``group_decides``: see :func:`~kschedlab_groups.preemption.preempt`.
    """
    name, policy = "", (group.spec.preemptionPolicy or LOWER) if group_decides else ""
    for pod in (*waiting, *running):
        name = name or pod.spec.schedulerName
        if pod.spec.schedulerName != name:
            got = f'"{pod.spec.schedulerName}" and "{name}"'
            return f"all pods in a single pod group should have the same .spec.schedulerName set, got: {got}"
        if (priority := pod.spec.priority or 0) != priority_of(group):
            text = "all pods in a single pod group should have the same priority as the pod group's priority, got"
            return f"{text} {priority} and {priority_of(group)}"
        own = pod.spec.preemptionPolicy or LOWER
        policy = policy or own
        if own != policy:
            like = " as the pod group's preemption policy" if group_decides else ""
            return (
                f"all pods in a single pod group should have the same preemption policy{like}, got {own} and {policy}"
            )
    return ""
