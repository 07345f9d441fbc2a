"""What follows from the nodes and objects of a cluster: worked out once, dropped when what it follows from changes."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Set
from typing import TypeVar

from kschedlab.objects.model import Node

T = TypeVar("T")

LABELS = "metadata.labels"
ANNOTATIONS = "metadata.annotations"
TAINTS = "spec.taints"
CORDONS = "spec.unschedulable"
CONDITIONS = "status.conditions"
IMAGES = "status.images"
ALLOCATABLE = "status.allocatable"
NAMES = "metadata.name"
"""Fields of nodes that facts follow from. Each stands for the field on all nodes, in their order: nodes that come, go
or change places change them all."""

READ: dict[str, Callable[[Node], object]] = {
    LABELS: lambda node: node.metadata.labels,
    ANNOTATIONS: lambda node: node.metadata.annotations,
    TAINTS: lambda node: node.spec.taints,
    CORDONS: lambda node: node.spec.unschedulable,
    CONDITIONS: lambda node: [(condition.type, condition.status) for condition in node.status.conditions],
    IMAGES: lambda node: node.status.images,
    ALLOCATABLE: lambda node: node.status.allocatable,
}
"""How the fields are read. A node keeps its name."""

EVERY_FIELD = frozenset([NAMES, *READ])

NAMESPACES = "Namespace"
SERVICES = "Service"
OWNERS = (SERVICES, "ReplicationController", "ReplicaSet", "StatefulSet")
CLAIMS = "PersistentVolumeClaim"
PERSISTENT_VOLUMES = "PersistentVolume"
CLASSES = "StorageClass"
CSI_NODES = "CSINode"
CSI_DRIVERS = "CSIDriver"
CAPACITIES = "CSIStorageCapacity"
ATTACHMENTS = "VolumeAttachment"
"""Kinds of objects that facts follow from."""

VOLUMES = "volumes"
"""For facts that hold a cluster's Volumes: an independent copy took their place."""

LIMIT = 4096
"""How many facts are kept that follow from the same things."""


def bindable(class_name: str) -> Hashable:
    """For facts about the volumes of one class that may yet be bound."""
    return "bindable", class_name


def changed_fields(old: Node, new: Node) -> frozenset[str]:
    """The fields that facts follow from and that differ. The resource version and heartbeats are none of them."""
    return frozenset(field for field, read in READ.items() if read(old) != read(new))


class DerivedValues:
    """Facts by what they follow from, then by their key.

    Forks share them until one changes: :meth:`without` leaves this object as it is, and what it keeps stays common.
    """

    def __init__(self, kept: dict[tuple[Hashable, ...], dict[Hashable, object]] | None = None) -> None:
        self._by_source = kept or {}

    def __len__(self) -> int:
        return sum(len(facts) for facts in self._by_source.values())

    def find(self, key: Hashable, compute: Callable[[], T], sources: tuple[Hashable, ...]) -> T:
        """The fact of that key, computed if it is not known."""
        facts = self._by_source.get(sources)
        if facts is None:
            facts = self._by_source[sources] = {}
        found = facts.get(key)
        if found is None:
            found = compute()
            if len(facts) >= LIMIT:
                facts.clear()
            facts[key] = found
        return found  # type: ignore[return-value]  # the key names what is stored

    def items(self) -> list[tuple[Hashable, object]]:
        """All facts with their keys."""
        return [item for facts in self._by_source.values() for item in facts.items()]

    def without(self, changed: Set[Hashable]) -> DerivedValues:
        """The facts that follow from none of these."""
        if not changed:
            return self
        return DerivedValues({s: facts for s, facts in self._by_source.items() if changed.isdisjoint(s)})
