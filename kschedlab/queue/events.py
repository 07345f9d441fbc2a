"""What can happen to a cluster, in the words of v1.37: cluster events, and which of them a change is.

v1.37: kube-scheduler/framework/types.go (ActionType, EventResource), pkg/scheduler/framework/events.go and types.go
(MatchClusterEvents). An action is a bit; a plugin that registers for several registers for their sum.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any, NamedTuple

from kschedlab.objects.model import Node, Pod
from kschedlab.objects.quantity import NANO
from kschedlab.objects.requests import Nanos, exact_requests
from kschedlab.queue.interface import ClusterEvent

ASSIGNED_POD, UNSCHEDULED_POD, TARGET_POD = "AssignedPod", "UnscheduledPod", "TargetPod"
"""Resources: a pod on a node, a pod that waits, and that very pod which an event is asked about."""
NODE = "Node"
EVERYTHING = "*"

_SINGLE = (
    "Add",
    "Delete",
    "UpdateNodeAllocatable",
    "UpdateNodeLabel",
    "UpdateNodeTaint",
    "UpdateNodeCondition",
    "UpdateNodeAnnotation",
    "UpdateNodeDeclaredFeature",
    "UpdateNodePreemptionPolicy",
    "UpdatePodLabel",
    "UpdatePodScaleDown",
    "UpdatePodScaleUp",
    "UpdatePodToleration",
    "UpdatePodSchedulingGatesEliminated",
    "UpdatePodGeneratedResourceClaim",
)
_ALL = (1 << len(_SINGLE)) - 1
ACTIONS = {action: 1 << bit for bit, action in enumerate(_SINGLE)} | {"Update": _ALL & ~0b11, "All": _ALL}
"""The bits of every action; ``Update`` is any update, ``All`` is anything."""

Hint = Callable[[Pod, Any, Any], bool]
"""(the waiting pod, the object before, the object after) -> is the pod worth another try?"""


class Registration(NamedTuple):
    """A plugin asks to be told: if the event happens, its ``hint`` says whether a pod that it refused may fit now."""

    plugin: str
    event: ClusterEvent
    hint: Hint


def event(resource: str, *actions: str, label: str = "") -> ClusterEvent:
    """The event that one of these happens to the resource. ``label``: its name, if it has one of its own."""
    return ClusterEvent(resource, frozenset(actions), label)


ASSIGNED_POD_ADD = event(ASSIGNED_POD, "Add")
ASSIGNED_POD_DELETE = event(ASSIGNED_POD, "Delete")
UNSCHEDULED_POD_ADD = event(UNSCHEDULED_POD, "Add")
UNSCHEDULED_POD_DELETE = event(UNSCHEDULED_POD, "Delete")
NODE_ADD = event(NODE, "Add")
NODE_DELETE = event(NODE, "Delete")
UNSCHEDULABLE_TIMEOUT = event(EVERYTHING, "All", label="UnschedulableTimeout")
FORCE_ACTIVATE = event(EVERYTHING, "All", label="ForceActivate")

SCHEDULE_ATTEMPT_FAILURE = "ScheduleAttemptFailure"
BACKOFF_COMPLETE = "BackoffComplete"
POP_FROM_BACKOFF = "PopFromBackoffQ"
"""Other reasons for which a pod moves."""


@lru_cache(1024)
def bits(actions: frozenset[str]) -> int:
    """The actions' sum. KeyError for an action that v1.37 does not know."""
    total = 0
    for action in actions:
        total |= ACTIONS[action]
    return total


def name_of(event: ClusterEvent) -> str:
    """The name in logs and metrics, e.g. ``NodeAdd``; a sum of actions has none."""
    return event.label or event.resource + (next(iter(event.actions)) if len(event.actions) == 1 else "")


def is_wildcard(event: ClusterEvent) -> bool:
    """Whether the event moves pods whatever refused them."""
    return event.resource == EVERYTHING and bits(event.actions) == _ALL


def matches(registered: ClusterEvent, happened: ClusterEvent) -> bool:
    """Whether a plugin that registered for the one is told of the other, which must be as specific or more so.

    v1.37: pkg/scheduler/framework/types.go, MatchClusterEvents.
    """
    if is_wildcard(registered):
        return True
    if not _covers(registered.resource, happened.resource):
        return False
    wanted, given = bits(registered.actions), bits(happened.actions)
    return wanted & given != 0 and given <= wanted


def _covers(registered: str, happened: str) -> bool:
    if registered in (EVERYTHING, happened):
        return True
    return registered == "Pod" and happened in (ASSIGNED_POD, UNSCHEDULED_POD, TARGET_POD)


# -- which events a change is


def node_changes(old: Node, new: Node) -> list[ClusterEvent]:
    """The events that an update of a node is; none if it is nothing to the scheduler, such as a heartbeat.

    v1.37: pkg/scheduler/framework/events.go, NodeSchedulingPropertiesChange. (``spec.podPreemptionPolicy`` is not
    modelled.)
    """
    return [event(NODE, f"UpdateNode{change}") for change, _ in _of_node(old, new)]


def node_change(old: Node, new: Node) -> str:
    """What made the node more schedulable, by the name that v1.16 and v1.20 give it, or "".

    v1.16, v1.20: pkg/scheduler/eventhandlers.go, nodeSchedulingPropertiesChange.
    """
    return next((f"Node{name}Change" for _, name in _of_node(old, new) if name), "")


def _of_node(old: Node, new: Node) -> Iterator[tuple[str, str]]:
    """(what changed in the words of v1.37, and in those of v1.20 or "") in the order in which all of them ask."""
    if old.spec.unschedulable and not new.spec.unschedulable:
        yield "Taint", "SpecUnschedulable"
    if old.status.allocatable != new.status.allocatable:
        yield "Allocatable", "Allocatable"
    if old.metadata.labels != new.metadata.labels:
        yield "Label", "Label"
    if old.spec.taints != new.spec.taints:
        yield "Taint", "Taint"
    if _conditions(old) != _conditions(new):
        yield "Condition", "Condition"
    if old.metadata.annotations != new.metadata.annotations:
        yield "Annotation", ""
    if old.status.declaredFeatures != new.status.declaredFeatures:
        yield "DeclaredFeature", ""


def _conditions(node: Node) -> dict[str, str]:
    return {condition.type: condition.status for condition in node.status.conditions}


def pod_changes(old: Pod, new: Pod, itself: bool = False) -> list[ClusterEvent]:
    """The events that an update of a pod is. ``itself``: they are to be asked about this very pod.

    v1.37: pkg/scheduler/framework/events.go, PodSchedulingPropertiesChange.
    """
    resource = ASSIGNED_POD if new.spec.nodeName else TARGET_POD if itself else UNSCHEDULED_POD
    return [event(resource, action) for action in _pod_actions(old, new)] or [event(resource, "Update")]


def _pod_actions(old: Pod, new: Pod) -> Iterator[str]:
    if old.metadata.labels != new.metadata.labels:
        yield "UpdatePodLabel"
    before, after = exact_requests(old), exact_requests(new)
    if _exceeds(before, after):
        yield "UpdatePodScaleDown"
    if _exceeds(after, before):
        yield "UpdatePodScaleUp"
    if old.spec.schedulingGates and not new.spec.schedulingGates:
        yield "UpdatePodSchedulingGatesEliminated"
    if len(old.spec.tolerations) != len(new.spec.tolerations):
        yield "UpdatePodToleration"
    if old.status.extendedResourceClaimStatus != new.status.extendedResourceClaimStatus:
        yield "UpdatePodGeneratedResourceClaim"


def _exceeds(one: Nanos, other: Nanos) -> bool:
    """Whether the one asks for something that the other does not, or, in thousandths, for more of it."""
    return any(name not in other or _milli(nanos) > _milli(other[name]) for name, nanos in one.items())


def _milli(nanos: int) -> int:
    return -(-nanos // (NANO // 1000))
