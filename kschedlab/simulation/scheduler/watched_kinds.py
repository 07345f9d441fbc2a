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

OTHERS = tuple(kind for kind in RELEVANT_PART if kind is not PriorityClass)
"""Beside nodes and pods; what a priority class says, the API server writes into the pods."""

_MOVES_ALL: dict[type[ApiObject], tuple[str, str]] = {
    PersistentVolume: ("Pv", "Add Update"),
    PersistentVolumeClaim: ("Pvc", "Add Update"),
    Service: ("Service", "Add Update Delete"),
    StorageClass: ("StorageClass", "Add"),
    CSINode: ("CSINode", "Add Update"),
}
"""Before hints: the kind's name in events, and the changes that move all pods."""


def moved_by(action: str, old: ApiObject | None, new: ApiObject | None, hints: bool) -> ClusterEvent | None:
    """The event that this change of an object is, or None if it moves nobody. ``hints``: plugins say whom it moves."""
    document = old if new is None else new
    assert document is not None
    if isinstance(document, StorageClass) and not hints and document.volumeBindingMode != "WaitForFirstConsumer":
        return None
    return _event(type(document), action, hints)


@lru_cache
def _event(kind: type[ApiObject], action: str, hints: bool) -> ClusterEvent | None:
    group = RESOURCES[kind].group
    resource = f"{group}/{kind.__name__}" if group.endswith(".k8s.io") else kind.__name__
    if hints:
        return ClusterEvent(resource, frozenset([action]))
    name, actions = _MOVES_ALL.get(kind, ("", ""))
    return ClusterEvent(resource, frozenset([action]), name + action) if action in actions.split() else None
