"""The events that an update of a node causes."""

from __future__ import annotations

from collections.abc import Iterator

from kschedlab.objects.model import Node
from kschedlab.queue.events import NODE, event
from kschedlab.queue.interface import ClusterEvent


def node_changes(old: Node, new: Node) -> list[ClusterEvent]:
    """The events that an update of a node causes; none if it is irrelevant to scheduling, such as a heartbeat.

    v1.37: pkg/scheduler/framework/events.go, NodeSchedulingPropertiesChange. (``spec.podPreemptionPolicy`` is not
    modelled.)
    """
    return [event(NODE, f"UpdateNode{change}") for change, _ in _node_changes(old, new)]


def node_change(old: Node, new: Node) -> str:
    """The name in v1.16 and v1.20 of the change that made the node more schedulable, or "".

    v1.16, v1.20: pkg/scheduler/eventhandlers.go, nodeSchedulingPropertiesChange.
    """
    return next((f"Node{name}Change" for _, name in _node_changes(old, new) if name), "")


def _node_changes(old: Node, new: Node) -> Iterator[tuple[str, str]]:
    """(the change's name in v1.37, its name in v1.20 or "") in the order in which all generations check."""
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
