"""Event handlers: pass changes from the informers to the cache and the queue.

v1.37, v1.20, v1.16: pkg/scheduler/eventhandlers.go. v1.13: pkg/scheduler/factory/factory.go.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from kschedlab.objects.model import ApiObject, Node, Pod
from kschedlab.queue.events import ASSIGNED_POD_ADD, ASSIGNED_POD_DELETE, NODE_ADD, NODE_DELETE, pod_changes
from kschedlab.queue.interface import ClusterEvent
from kschedlab.queue.older.without_backoff import WithoutBackoff
from kschedlab_simulation.scheduler.cache import CacheError
from kschedlab_simulation.scheduler.context import Context
from kschedlab_simulation.scheduler.node_changes import node_change, node_changes
from kschedlab_simulation.scheduler.rules import SkippedPods
from kschedlab_simulation.scheduler.watched_kinds import event_moving_all, event_of


class Handlers(ABC):
    """Event handlers of one scheduler. The two subclasses decide how a change moves waiting pods."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._cache, self._queue = context.cache, context.queue

    # -- differences between generations

    @abstractmethod
    def _node_updated(self, old: Node, new: Node) -> None: ...

    @abstractmethod
    def _node_deleted(self, node: Node) -> None:
        """A node is about to be removed from the cache."""

    @abstractmethod
    def _pod_assigned(self, pod: Pod) -> None: ...

    @abstractmethod
    def _assigned_pod_changed(self, old: Pod, new: Pod) -> None: ...

    @abstractmethod
    def _waiting_pod_changed(self, old: Pod, new: Pod) -> None:
        """A pending pod changed. Identical updates do not get here if the rules ignore them."""

    @abstractmethod
    def _removed_from_queue(self, pod: Pod, bound: bool) -> None:
        """A pod was removed from the queue because it was bound or deleted."""

    @abstractmethod
    def _move(self, event: ClusterEvent, old: Any, new: Any, label: str) -> None:
        """Move waiting pods for the event. ``label``: its name before v1.37."""

    @abstractmethod
    def _event_of(self, action: str, old: ApiObject | None, new: ApiObject | None) -> ClusterEvent | None:
        """The event for a change of another object; None: it moves no pods."""

    # -- nodes

    def add_node(self, node: Node) -> None:
        self._cache.add_node(node)
        self._move(NODE_ADD, None, node, "NodeAdd")

    def update_node(self, old: Node, new: Node) -> None:
        """A node changed: move pods if it became more schedulable."""
        self._cache.update_node(old, new)
        self._node_updated(old, new)

    def delete_node(self, node: Node) -> None:
        self._node_deleted(node)
        self._update_cache(self._cache.remove_node, node)

    # -- pods

    def is_responsible_for(self, pod: Pod) -> bool:
        """Whether a profile has the pod's schedulerName."""
        return pod.spec.schedulerName in self._context.frameworks

    def add_pod(self, pod: Pod) -> None:
        if pod.spec.nodeName:
            self._add_to_cache(pod)
        elif self.is_responsible_for(pod):
            self._queue.add(pod)

    def update_pod(self, old: Pod, new: Pod) -> None:
        """An assigned, newly assigned or pending pod changed."""
        if old.spec.nodeName:
            self._update_in_cache(old, new)
        elif new.spec.nodeName:
            self._add_to_cache(new)
            if self.is_responsible_for(old):
                self._remove_from_queue(old, bound=True)
        elif self.is_responsible_for(old):
            same = old.metadata.resourceVersion == new.metadata.resourceVersion
            if not (same and self._context.rules.ignores_identical_updates):
                self._waiting_pod_changed(old, new)

    def delete_pod(self, pod: Pod) -> None:
        if pod.spec.nodeName:
            self._update_cache(self._cache.remove_pod, pod)
            self._move(ASSIGNED_POD_DELETE, pod, None, "AssignedPodDelete")
        elif self.is_responsible_for(pod):
            self._context.queued_since.pop(pod.metadata.uid, None)
            self._remove_from_queue(pod, bound=False)

    def _add_to_cache(self, pod: Pod) -> None:
        self._update_cache(self._cache.add_pod, pod)
        self._pod_assigned(pod)

    def _update_in_cache(self, old: Pod, new: Pod) -> None:
        if old.metadata.uid != new.metadata.uid:
            self.delete_pod(old)
            self.add_pod(new)
            return
        self._update_cache(self._cache.update_pod, old, new)
        self._assigned_pod_changed(old, new)

    def _remove_from_queue(self, pod: Pod, bound: bool) -> None:
        self._queue.delete(pod)
        self._cache.forget_pending(pod)
        self._removed_from_queue(pod, bound)

    def _update_cache(self, change: Callable[..., None], *arguments: Any) -> None:
        """Change the cache; log a CacheError."""
        try:
            change(*arguments)
        except CacheError as error:
            self._context.note("cache", str(error))

    # -- all other kinds

    def add(self, document: ApiObject) -> None:
        """An object of another kind was added."""
        self._cache.put(document)
        self._changed("Add", None, document)

    def update(self, old: ApiObject, new: ApiObject) -> None:
        """An object of another kind changed."""
        self._cache.put(new)
        self._changed("Update", old, new)

    def delete(self, document: ApiObject) -> None:
        """An object of another kind was deleted."""
        self._cache.drop(document)
        self._changed("Delete", document, None)

    def _changed(self, action: str, old: ApiObject | None, new: ApiObject | None) -> None:
        event = self._event_of(action, old, new)
        if event is not None:
            self._queue.move(event, old, new)


class HandlersByHint(Handlers):
    """v1.37: a change causes one or more events; the queueing hints decide which pods each event moves."""

    def _node_updated(self, old: Node, new: Node) -> None:
        for event in node_changes(old, new):
            self._queue.move(event, old, new)

    def _node_deleted(self, node: Node) -> None:
        self._queue.move(NODE_DELETE, node)

    def _pod_assigned(self, pod: Pod) -> None:
        self._queue.move(ASSIGNED_POD_ADD, None, pod)

    def _assigned_pod_changed(self, old: Pod, new: Pod) -> None:
        for event in pod_changes(old, new):
            self._queue.assigned_pod_updated(old, new, event)

    def _waiting_pod_changed(self, old: Pod, new: Pod) -> None:
        if self._cache.is_assumed(new):
            if new.metadata.deletionTimestamp is not None and old.metadata.deletionTimestamp is None:
                self._assumed_deleted(new)
            return
        self._queue.update(old, new)
        before = old.status.nominatedNodeName
        if before and before != new.status.nominatedNodeName:
            self._move_into_room_of(old)

    def _removed_from_queue(self, pod: Pod, bound: bool) -> None:
        if bound:
            return
        if self._cache.is_assumed(pod):
            self._assumed_deleted(pod)
        elif pod.status.nominatedNodeName:
            self._move_into_room_of(pod)

    def _assumed_deleted(self, pod: Pod) -> None:
        """Release the resources of an assumed pod that is being deleted (v1.37: handleAssumedPodDeletion)."""
        assumed = self._cache.pod(pod)
        if assumed is None:
            return
        if not self._reject_waiting(pod):
            self._update_cache(self._cache.remove_pod, assumed)
        self._queue.move(ASSIGNED_POD_DELETE, assumed)

    def _reject_waiting(self, pod: Pod) -> bool:
        return self._context.rules.rejects_deleted_waiting_pods and self._context.waiting.reject(pod)

    def _move_into_room_of(self, pod: Pod) -> None:
        """A nominated pod no longer reserves its node: move pods of the same or lower priority."""
        priority = pod.spec.priority or 0
        self._queue.move(ASSIGNED_POD_DELETE, pod, None, lambda other: (other.spec.priority or 0) <= priority)

    def _move(self, event: ClusterEvent, old: Any, new: Any, label: str) -> None:
        self._queue.move(event, old, new)

    def _event_of(self, action: str, old: ApiObject | None, new: ApiObject | None) -> ClusterEvent | None:
        return event_of(action, old, new)


class HandlersMovingAll(Handlers):
    """v1.13 to v1.30: a change moves all pods or none."""

    def _node_updated(self, old: Node, new: Node) -> None:
        rules, queue = self._context.rules, self._queue
        if rules.moves_for_any_node and isinstance(queue, WithoutBackoff) and not len(queue.unschedulable_q):
            self._queue.move(ClusterEvent("Unknown", frozenset(), "Unknown"))
        elif change := node_change(old, new):
            self._queue.move(ClusterEvent("Node", frozenset(["Update"]), change), old, new)

    def _node_deleted(self, node: Node) -> None:
        """A deleted node moves no pods."""

    def _pod_assigned(self, pod: Pod) -> None:
        self._queue.assigned_pod_added(pod)

    def _assigned_pod_changed(self, old: Pod, new: Pod) -> None:
        self._queue.assigned_pod_updated(old, new, pod_changes(old, new)[0])

    def _waiting_pod_changed(self, old: Pod, new: Pod) -> None:
        if self._cache.is_assumed(new):
            skips = self._context.rules.skips
            if skips is SkippedPods.ASSUMED or is_unchanged(self._context, new):
                return
        self._queue.update(old, new)

    def _removed_from_queue(self, pod: Pod, bound: bool) -> None:
        rules = self._context.rules
        if not rules.rejects_deleted_waiting_pods or not self._context.waiting.reject(pod):
            return
        if rules.moves_pods_after_failed_binding:
            self._move(ASSIGNED_POD_DELETE, pod, None, "AssignedPodDelete")

    def _move(self, event: ClusterEvent, old: Any, new: Any, label: str) -> None:
        self._queue.move(event._replace(label=label), old, new)

    def _event_of(self, action: str, old: ApiObject | None, new: ApiObject | None) -> ClusterEvent | None:
        return event_moving_all(action, old, new)


def is_unchanged(context: Context, pod: Pod) -> bool:
    """Whether the pod differs from its assumed version only in fields that the generation ignores.

    v1.13 to v1.20: skipPodUpdate.
    """
    assumed, ignored = context.cache.pod(pod), context.rules.ignored_changes
    return assumed is not None and _stripped(assumed, ignored) == _stripped(pod, ignored)


def _stripped(pod: Pod, ignored: tuple[str, ...]) -> Pod:
    empty = Pod()
    metadata = {field: getattr(empty.metadata, field) for field in ignored if hasattr(empty.metadata, field)}
    status = {field: getattr(empty.status, field) for field in ignored if hasattr(empty.status, field)}
    return replace(
        pod,
        metadata=replace(pod.metadata, **metadata),
        spec=replace(pod.spec, nodeName=""),
        status=replace(pod.status, **status),
    )
