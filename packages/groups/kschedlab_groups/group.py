"""A PodGroup's demands, and the status of an attempt to schedule it.

v1.37: pkg/scheduler/framework/plugins/gangscheduling/gangscheduling.go (PlacementFeasible, getMinCount),
pkg/scheduler/util/utils.go (PodGroupPriority), kube-scheduler/framework/interface.go (Status).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from kschedlab.objects.model import Pod, PodGroup
from kschedlab_groups.queued_group import GroupKey

SUCCESS, WAIT, ERROR = "Success", "Wait", "Error"
UNSCHEDULABLE, UNRESOLVABLE = "Unschedulable", "UnschedulableAndUnresolvable"
GROUP_UNSCHEDULABLE = "pod group is unschedulable"


class Groups(Protocol):
    """All groups, with their pods that are on a node, assumed or bound; the node may be gone."""

    def find(self, namespace: str, name: str) -> PodGroup | None:
        """The group, or None."""
        ...

    def scheduled(self, key: GroupKey) -> Sequence[Pod]:
        """The group's pods that have a node."""
        ...


@dataclass(frozen=True)
class Status:
    """The code, and the reasons for it."""

    code: str = SUCCESS
    reasons: tuple[str, ...] = ()

    @property
    def message(self) -> str:
        return ", ".join(self.reasons)

    @property
    def as_error(self) -> str:
        """The text of the real status as an error: the error that it wraps, or else the message."""
        return GROUP_UNSCHEDULABLE if GROUP_UNSCHEDULABLE in self.reasons[:1] else self.message

    @property
    def rejected(self) -> bool:
        """Whether the group or pod is refused; otherwise it succeeds, or an error ends the attempt."""
        return self.code in (UNSCHEDULABLE, UNRESOLVABLE)

    def because(self, *reasons: str) -> Status:
        """The status with these reasons after its own."""
        return replace(self, reasons=(*self.reasons, *reasons))


def group_name(pod: Pod) -> str:
    """The name of the pod's group, or ""."""
    return (pod.spec.schedulingGroup.podGroupName or "") if pod.spec.schedulingGroup is not None else ""


def priority_of(group: PodGroup) -> int:
    return group.spec.priority or 0


def min_count(group: PodGroup) -> int:
    """The number of pods that must have a node; 1 without a gang policy."""
    gang = group.spec.schedulingPolicy.gang
    return 1 if gang is None else gang.minCount


def topology_key(group: PodGroup) -> str:
    """The label whose value all nodes of the group must share, or ""."""
    constraints = group.spec.schedulingConstraints
    return constraints.topology[0].key if constraints is not None and constraints.topology else ""


def is_disrupted_as_one(group: PodGroup | None) -> bool:
    """Whether preemption evicts all pods of the group or none."""
    return group is not None and group.spec.disruptionMode is not None and group.spec.disruptionMode.all is not None


def feasible(group: PodGroup, scheduled: int, remaining: int) -> Status:
    """Whether the group has enough pods with a node, can still get them (Wait), or cannot."""
    wanted = min_count(group)
    counts = f"{scheduled} scheduled, {remaining} remaining"
    if remaining + scheduled < wanted:
        return Status(UNSCHEDULABLE, (f"minCount ({wanted}) cannot be satisfied: {counts}",))
    if scheduled < wanted:
        return Status(WAIT, (f"minCount ({wanted}) is not yet satisfied: {counts}",))
    return Status()
