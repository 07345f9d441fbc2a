"""The events that an update of a node causes."""

import pytest
from msgspec.structs import replace

from kschedlab.objects.model import Node, NodeCondition, NodeSpec, NodeStatus, ObjectMeta, Taint
from kschedlab.objects.quantity import Quantity
from kschedlab_simulation.scheduler.node_changes import node_change, node_changes

OLD = Node(metadata=ObjectMeta(name="n1"), spec=NodeSpec(unschedulable=True))


@pytest.mark.parametrize(
    ("new", "actions", "name"),
    [
        (OLD, [], ""),
        (replace(OLD, spec=NodeSpec()), ["UpdateNodeTaint"], "NodeSpecUnschedulableChange"),
        (
            replace(OLD, status=NodeStatus(allocatable={"cpu": Quantity("1")})),
            ["UpdateNodeAllocatable"],
            "NodeAllocatableChange",
        ),
        (replace(OLD, metadata=ObjectMeta(name="n1", labels={"a": ""})), ["UpdateNodeLabel"], "NodeLabelChange"),
        (
            replace(OLD, spec=NodeSpec(unschedulable=True, taints=(Taint("k", effect="NoSchedule"),))),
            ["UpdateNodeTaint"],
            "NodeTaintChange",
        ),
        (
            replace(OLD, status=NodeStatus(conditions=(NodeCondition("Ready", "True"),))),
            ["UpdateNodeCondition"],
            "NodeConditionChange",
        ),
        (replace(OLD, metadata=ObjectMeta(name="n1", annotations={"a": ""})), ["UpdateNodeAnnotation"], ""),
        (
            replace(OLD, metadata=ObjectMeta(name="n1", labels={"a": ""}, annotations={"a": ""})),
            ["UpdateNodeLabel", "UpdateNodeAnnotation"],
            "NodeLabelChange",
        ),
    ],
)
def test_the_events_of_a_node_update_in_v1_37_and_v1_20(new: Node, actions: list[str], name: str) -> None:
    assert [event.actions for event in node_changes(OLD, new)] == [frozenset([action]) for action in actions]
    assert node_change(OLD, new) == name
