"""The other kinds that a scheduler watches, and which event a change of them is, if it may help waiting pods.

v1.37: pkg/scheduler/eventhandlers.go (addAllEventHandlers, where the queue itself knows which events its plugins
register for). v1.13 to v1.20: the handlers that move all pods.
"""

from __future__ import annotations

from functools import lru_cache

from kschedlab.cluster.object_store import RELEVANT_PART
from kschedlab.objects.kinds import RESOURCES
from kschedlab.objects.model import (
    ApiObject,
    CSINode,
    PersistentVolume,
    PersistentVolumeClaim,
    PriorityClass,
    Service,
    StorageClass,
)
from kschedlab.queue.interface import ClusterEvent

OTHER_KINDS = tuple(kind for kind in RELEVANT_PART if kind is not PriorityClass)
"""Beside nodes and pods; what a priority class says, the API server writes into the pods."""

_MOVES_ALL: dict[type[ApiObject], tuple[str, str]] = {
    PersistentVolume: ("Pv", "Add Update"),
    PersistentVolumeClaim: ("Pvc", "Add Update"),
    Service: ("Service", "Add Update Delete"),
    StorageClass: ("StorageClass", "Add"),
    CSINode: ("CSINode", "Add Update"),
}
"""Before hints: the kind's name in events, and the changes that move all pods."""


def event_of(action: str, old: ApiObject | None, new: ApiObject | None) -> ClusterEvent:
    """The event that this change of an object is (v1.37). Which pods it moves is for the plugins' hints."""
    return ClusterEvent(_resource(_kind(old, new)), frozenset([action]))


def event_moving_all(action: str, old: ApiObject | None, new: ApiObject | None) -> ClusterEvent | None:
    """The event that this change of an object is, which moves all pods; None if it moves none (v1.13 to v1.20)."""
    if isinstance(new, StorageClass) and new.volumeBindingMode != "WaitForFirstConsumer":
        return None
    kind = _kind(old, new)
    name, actions = _MOVES_ALL.get(kind, ("", ""))
    if action not in actions.split():
        return None
    return ClusterEvent(_resource(kind), frozenset([action]), name + action)


def _kind(old: ApiObject | None, new: ApiObject | None) -> type[ApiObject]:
    document = old if new is None else new
    assert document is not None
    return type(document)


@lru_cache
def _resource(kind: type[ApiObject]) -> str:
    group = RESOURCES[kind].group
    return f"{group}/{kind.__name__}" if group.endswith(".k8s.io") else kind.__name__
