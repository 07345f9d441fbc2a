"""Nodes. v1.37: k8s.io/api core/v1 (types.go)."""

from __future__ import annotations

from kschedlab.objects.meta import ApiObject, Int64, Part, ResourceList, Time


class Taint(Part, frozen=True):
    key: str = ""
    value: str = ""
    effect: str = ""
    timeAdded: Time | None = None


UNSCHEDULABLE_TAINT = Taint("node.kubernetes.io/unschedulable", effect="NoSchedule")
"""The taint of a cordoned node: a pod that tolerates it passes on nodes with ``spec.unschedulable``, too."""


class NodeSpec(Part, frozen=True):
    unschedulable: bool = False
    taints: tuple[Taint, ...] = ()


class ContainerImage(Part, frozen=True):
    names: tuple[str, ...] = ()
    sizeBytes: Int64 = 0


class NodeCondition(Part, frozen=True):
    type: str = ""
    status: str = ""


class NodeStatus(Part, frozen=True):
    capacity: ResourceList = {}
    allocatable: ResourceList = {}
    images: tuple[ContainerImage, ...] = ()
    conditions: tuple[NodeCondition, ...] = ()
    declaredFeatures: tuple[str, ...] = ()


class Node(ApiObject, frozen=True):
    spec: NodeSpec = NodeSpec()
    status: NodeStatus = NodeStatus()
