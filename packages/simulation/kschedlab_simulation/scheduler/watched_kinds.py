"""The other kinds that a scheduler watches, and the events that their changes cause.

v1.37: pkg/scheduler/eventhandlers.go (addAllEventHandlers, where the queue filters the events by its plugins'
registrations). v1.13 to v1.20: the handlers that move all pods.
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
"""All kinds but nodes, pods, and priority classes, whose values the API server writes into the pods."""

_MOVES_ALL: dict[type[ApiObject], tuple[str, str]] = {
    PersistentVolume: ("Pv", "Add Update"),
    PersistentVolumeClaim: ("Pvc", "Add Update"),
    Service: ("Service", "Add Update Delete"),
    StorageClass: ("StorageClass", "Add"),
    CSINode: ("CSINode", "Add Update"),
}
"""Before queueing hints: the kind's name in events, and the actions that move all pods."""


def event_of(action: str, old: ApiObject | None, new: ApiObject | None) -> ClusterEvent:
    """The event for this change (v1.37); queueing hints decide which pods it moves."""
    return ClusterEvent(_resource(_kind(old, new)), frozenset([action]))


def event_moving_all(action: str, old: ApiObject | None, new: ApiObject | None) -> ClusterEvent | None:
    """The event for this change, which moves all pods; None if it moves none (v1.13 to v1.20)."""
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
