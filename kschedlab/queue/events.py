"""The cluster events of v1.37, and the events that an update of a pod causes.

v1.37: kube-scheduler/framework/types.go (ActionType, EventResource), pkg/scheduler/framework/events.go and types.go
(MatchClusterEvents). An action is a bit; a registration for several actions is their union.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator
from functools import lru_cache
from typing import Any, NamedTuple

from kschedlab.messages import later
from kschedlab.objects.model import Pod
from kschedlab.objects.problems import InputValueError
from kschedlab.objects.quantity import NANO
from kschedlab.objects.requests import Nanos, exact_requests, reported_resources
from kschedlab.queue.interface import ClusterEvent

ASSIGNED_POD, UNSCHEDULED_POD, TARGET_POD = "AssignedPod", "UnscheduledPod", "TargetPod"
"""Resources: an assigned pod, an unscheduled pod, and the rejected pod itself."""
NODE = "Node"
EVERYTHING = "*"

_OF_NODES = ("Allocatable", "Label", "Taint", "Condition", "Annotation", "DeclaredFeature", "PreemptionPolicy")
_OF_PODS = ("Label", "ScaleDown", "ScaleUp", "Toleration", "SchedulingGatesEliminated", "GeneratedResourceClaim")
_UPDATES = (*(f"UpdateNode{what}" for what in _OF_NODES), *(f"UpdatePod{what}" for what in _OF_PODS))
_BITS = {action: 1 << bit for bit, action in enumerate(("Add", "Delete", *_UPDATES))}
_ALL = sum(_BITS.values())
ACTIONS = _BITS | {"Update": _ALL - _BITS["Add"] - _BITS["Delete"], "All": _ALL}
"""The bits of each action; ``Update`` is any update, ``All`` any action."""

Hint = Callable[[Pod, Any, Any], bool]
"""(queued pod, old object, new object) -> whether the event may make the pod schedulable."""


class Narrowing(NamedTuple):
    """Which rejected pods a registration's hint is asked about: those that name one of the objects that changed.

    ``concerned``: from the old and the new object, the keys of those that the event concerns; None: any pod must be
    asked. ``names``: the keys of all objects that a pod names. (v1.37: PreQueueingHintFn, behind the gate
    SchedulerPreQueueingHints. It never changes what is decided, so here it is always on.)
    """

    concerned: Callable[[Any, Any], Iterable[Hashable] | None]
    names: Callable[[Pod], Iterable[Hashable]]


class Registration(NamedTuple):
    """A plugin's registration for an event: its ``hint`` says whether a pod that it rejected may fit now.

    ``narrowing``: which pods it is asked about; None: all.
    """

    plugin: str
    event: ClusterEvent
    hint: Hint
    narrowing: Narrowing | None = None


def event(resource: str, *actions: str, label: str = "") -> ClusterEvent:
    """The event of any of these actions on the resource. ``label``: its name, if not that of resource and action."""
    return ClusterEvent(resource, frozenset(actions), label)


def checked_event(value: object) -> ClusterEvent:
    """The value, if it is an event with actions that exist; else ValueError, which says how to write one."""
    remedy = later('write [ClusterEvent("Node", ["Add"])]')
    if not isinstance(value, ClusterEvent):
        raise InputValueError("{value!r} is not an event: {remedy}", value=value, remedy=remedy)
    if not set(value.actions) <= ACTIONS.keys():
        message = later("{actions!r} are not actions of an event: {remedy}; there are {there}")
        raise InputValueError(message, actions=value.actions, remedy=remedy, there=[*ACTIONS])
    return value._replace(actions=frozenset(value.actions))


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
"""Other reasons why a pod moves."""


def bits(actions: Collection[str]) -> int:
    """The union of the actions' bits. KeyError for an action that v1.37 does not know."""
    return _bits(frozenset(actions))


@lru_cache(1024)
def _bits(actions: frozenset[str]) -> int:
    total = 0
    for action in actions:
        total |= ACTIONS[action]
    return total


def name_of(event: ClusterEvent) -> str:
    """The name in logs and metrics, e.g. ``NodeAdd``; without an action if there are several."""
    return event.label or event.resource + (next(iter(event.actions)) if len(event.actions) == 1 else "")


def is_wildcard(event: ClusterEvent) -> bool:
    """Whether the event moves pods regardless of which plugin rejected them."""
    return event.resource == EVERYTHING and bits(event.actions) == _ALL


def matches(registered: ClusterEvent, happened: ClusterEvent) -> bool:
    """Whether the registration includes the event, which must be at least as specific.

    v1.37: pkg/scheduler/framework/types.go, MatchClusterEvents.
    """
    if is_wildcard(registered):
        return True
    any_pod = registered.resource == "Pod" and happened.resource in (ASSIGNED_POD, UNSCHEDULED_POD, TARGET_POD)
    if not any_pod and registered.resource not in (EVERYTHING, happened.resource):
        return False
    registered_bits, event_bits = bits(registered.actions), bits(happened.actions)
    return registered_bits & event_bits != 0 and event_bits <= registered_bits


# -- the events of an update


def pod_changes(old: Pod, new: Pod, target: bool = False) -> list[ClusterEvent]:
    """The events that an update of a pod causes. ``target``: the events are for this pod itself.

    v1.37: pkg/scheduler/framework/events.go, PodSchedulingPropertiesChange.
    """
    resource = ASSIGNED_POD if new.spec.nodeName else TARGET_POD if target else UNSCHEDULED_POD
    return [event(resource, action) for action in _pod_actions(old, new)] or [event(resource, "Update")]


def _pod_actions(old: Pod, new: Pod) -> Iterator[str]:
    if old.metadata.labels != new.metadata.labels:
        yield "UpdatePodLabel"
    if old.spec != new.spec or reported_resources(old) != reported_resources(new):
        before, after = exact_requests(old), exact_requests(new)
        if _exceeds(before, after):
            yield "UpdatePodScaleDown"
        if _exceeds(after, before):
            yield "UpdatePodScaleUp"
    if old.spec.schedulingGates and not new.spec.schedulingGates:
        yield "UpdatePodSchedulingGatesEliminated"
    if len(old.spec.tolerations) != len(new.spec.tolerations):
        yield "UpdatePodToleration"
    if _claims(old) != _claims(new):
        yield "UpdatePodGeneratedResourceClaim"


def _claims(pod: Pod) -> tuple[object, ...]:
    return pod.status.resourceClaimStatuses, pod.status.extendedResourceClaimStatus


def _exceeds(first: Nanos, second: Nanos) -> bool:
    """Whether the first requests a resource that the second does not, or more of it, in thousandths."""
    return any(name not in second or _milli(nanos) > _milli(second[name]) for name, nanos in first.items())


def _milli(nanos: int) -> int:
    return -(-nanos // (NANO // 1000))
