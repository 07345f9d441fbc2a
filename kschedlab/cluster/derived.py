"""Values derived from a cluster's nodes and objects: computed once, dropped when their sources change."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Set
from functools import wraps
from typing import Concatenate, ParamSpec, Protocol, TypeVar

from kschedlab.objects.model import Node

P = ParamSpec("P")
T = TypeVar("T")

LABELS = "metadata.labels"
ANNOTATIONS = "metadata.annotations"
TAINTS = "spec.taints"
CORDONS = "spec.unschedulable"
CONDITIONS = "status.conditions"
IMAGES = "status.images"
ALLOCATABLE = "status.allocatable"
DECLARED_FEATURES = "status.declaredFeatures"
NAMES = "metadata.name"
"""Fields of nodes as sources. Each is the field of all nodes, in their order, so adding, removing or moving a
node changes all of them."""

READ_FIELD: dict[str, Callable[[Node], object]] = {
    LABELS: lambda node: node.metadata.labels,
    ANNOTATIONS: lambda node: node.metadata.annotations,
    TAINTS: lambda node: node.spec.taints,
    CORDONS: lambda node: node.spec.unschedulable,
    CONDITIONS: lambda node: [(condition.type, condition.status) for condition in node.status.conditions],
    IMAGES: lambda node: node.status.images,
    ALLOCATABLE: lambda node: node.status.allocatable,
    DECLARED_FEATURES: lambda node: node.status.declaredFeatures,
}
"""The readers of each field. A node's name never changes."""

EVERY_FIELD = frozenset([NAMES, *READ_FIELD])

NAMESPACES = "Namespace"
BUDGETS = "PodDisruptionBudget"
SERVICES = "Service"
OWNERS = (SERVICES, "ReplicationController", "ReplicaSet", "StatefulSet")
CLAIMS = "PersistentVolumeClaim"
PERSISTENT_VOLUMES = "PersistentVolume"
CLASSES = "StorageClass"
CSI_NODES = "CSINode"
CSI_DRIVERS = "CSIDriver"
CAPACITIES = "CSIStorageCapacity"
ATTACHMENTS = "VolumeAttachment"
"""Kinds of objects as sources."""

VOLUMES = "volumes"
"""Source of values that refer to a cluster's Volumes, which a copy may replace."""

LIMIT = 4096
"""The most values kept for the same sources."""


def bindable(class_name: str) -> Hashable:
    """Source of values about the volumes of a class to which claims can still be bound."""
    return "bindable", class_name


def changed_fields(old: Node, new: Node) -> frozenset[str]:
    """The source fields that differ. Resource versions and heartbeats are not among them."""
    return frozenset(field for field, read in READ_FIELD.items() if read(old) != read(new))


class Deriving(Protocol):
    """A cluster."""

    def derived(self, key: Hashable, compute: Callable[[], T], *sources: Hashable) -> T: ...


C = TypeVar("C", bound=Deriving)
Function = Callable[Concatenate[C, P], T]


def derived(*sources: Hashable) -> Callable[[Function[C, P, T]], Function[C, P, T]]:
    """Decorates a function of a cluster and hashable arguments: its value is a derived one. Do not change arrays."""

    def decorate(compute: Function[C, P, T]) -> Function[C, P, T]:
        name = f"{compute.__module__}.{compute.__qualname__}"

        @wraps(compute)
        def value(cluster: C, /, *arguments: P.args, **named: P.kwargs) -> T:
            key = (name, arguments, *named.items())
            return cluster.derived(key, lambda: compute(cluster, *arguments, **named), *sources)

        return value

    return decorate


class DerivedValues:
    """Values by their sources, then by key. Forks share them: :meth:`without` leaves this object as it is."""

    def __init__(self, kept: dict[tuple[Hashable, ...], dict[Hashable, object]] | None = None) -> None:
        self._by_source = kept or {}

    def find(self, key: Hashable, compute: Callable[[], T], sources: tuple[Hashable, ...]) -> T:
        values = self._by_source.get(sources)
        if values is None:
            values = self._by_source[sources] = {}
        value = values.get(key)
        if value is None:
            value = compute()
            if len(values) >= LIMIT:
                values.clear()
            values[key] = value
        return value  # type: ignore[return-value]  # the key names what is stored

    def items(self) -> list[tuple[Hashable, object]]:
        return [item for values in self._by_source.values() for item in values.items()]

    def without(self, changed: Set[Hashable]) -> DerivedValues:
        """The values that depend on none of these sources."""
        if not changed:
            return self
        return DerivedValues({s: values for s, values in self._by_source.items() if changed.isdisjoint(s)})
