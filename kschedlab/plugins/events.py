"""The events that may help a rejected pod, as plugins name them.

v1.37: kube-scheduler/framework/types.go (ClusterEvent, ActionType, EventResource).
"""

from __future__ import annotations

from typing import NamedTuple

from kschedlab.messages import later, say
from kschedlab.objects.problems import InputValueError

SINGLE_ACTIONS = (
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
ACTIONS = (*SINGLE_ACTIONS, "Update", "All")
"""``Update`` is any update, ``All`` any action."""


class ClusterEvent(NamedTuple):
    """An event as the scheduler classifies it: a resource such as ``Node``, and actions such as ``Add``.

    ``actions``: one or more of Add, Delete, Update, UpdateNodeAllocatable, UpdateNodeLabel, ...; ``label``: the name of
    the event in older generations (v1.16, v1.20: pkg/scheduler/internal/queue/events.go).
    """

    resource: str
    actions: frozenset[str]
    label: str = ""


def checked_event(value: object) -> ClusterEvent:
    """The value, if it is an event with actions that exist; else ValueError, which says how to write one."""
    remedy = later('write [ClusterEvent("Node", frozenset(["Add"]))]')
    if not isinstance(value, ClusterEvent):
        raise InputValueError(say("{value!r} is not an event: {remedy}", value=value, remedy=remedy))
    if not set(value.actions) <= set(ACTIONS):
        message = later("{actions!r} are not actions of an event: {remedy}; there are {there}")
        raise InputValueError(say(message, actions=value.actions, remedy=remedy, there=[*ACTIONS]))
    return value
