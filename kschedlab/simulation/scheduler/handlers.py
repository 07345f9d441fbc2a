"""Event handlers: what the informers tell goes to the cache and to the queue.

v1.37, v1.20, v1.16: pkg/scheduler/eventhandlers.go. v1.13: pkg/scheduler/factory/factory.go.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from kschedlab.objects.model import ApiObject, Node, Pod
from kschedlab.queue.events import (
    ASSIGNED_POD_ADD,
    ASSIGNED_POD_DELETE,
    NODE_ADD,
    NODE_DELETE,
    node_change,
    node_changes,
    pod_changes,
)
from kschedlab.queue.interface import ClusterEvent
from kschedlab.queue.older.without_backoff import WithoutBackoff
from kschedlab.simulation.scheduler.cache import CacheError
from kschedlab.simulation.scheduler.context import Context
from kschedlab.simulation.scheduler.watched_kinds import moved_by


class Handlers:
    """The handlers of one scheduler. ``responsible``: whether it looks after the pod."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._cache, self._queue = context.cache, context.queue

    def responsible(self, pod: Pod) -> bool:
        """Whether one of the profiles is for the pod."""
        return pod.spec.schedulerName in self._context.frameworks

    def _cached(self, change: Callable[..., None], *arguments: Any) -> None:
        """Tell the cache. What it has against that is written to the log, and nothing else follows."""
        try:
            change(*arguments)
        except CacheError as error:
            self._context.note("cache", str(error))

    # -- nodes

    def add_node(self, node: Node) -> None:
        """A node came."""
        self._cache.add_node(node)
        self._move(NODE_ADD, None, node, "NodeAdd")

    def update_node(self, old: Node, new: Node) -> None:
        """A node changed: pods are moved if it became more schedulable."""
        self._cache.update_node(old, new)
        if self._context.rules.hints:
            for event in node_changes(old, new):
                self._queue.move(event, old, new)
        elif self._nobody_waits():
            self._queue.move(ClusterEvent("Unknown", frozenset(), "Unknown"))
        elif change := node_change(old, new):
            self._queue.move(ClusterEvent("Node", frozenset(["Update"]), change), old, new)

    def delete_node(self, node: Node) -> None:
        """A node is gone. Only since v1.21 or so can that help a pod."""
        if self._context.rules.hints:
            self._queue.move(NODE_DELETE, node)
        self._cached(self._cache.remove_node, node)

    def _nobody_waits(self) -> bool:
        return isinstance(self._queue, WithoutBackoff) and not len(self._queue.unschedulable_q)

    # -- pods

    def add_pod(self, pod: Pod) -> None:
        """A pod came, or is seen for the first time."""
        if pod.spec.nodeName:
            self._to_cache(pod)
        elif self.responsible(pod):
            self._queue.add(pod)

    def update_pod(self, old: Pod, new: Pod) -> None:
        """A pod changed: on its node, by coming to one, or while it waits."""
        if old.spec.nodeName:
            self._in_cache(old, new)
        elif new.spec.nodeName:
            self._to_cache(new)
            if self.responsible(old):
                self._off_queue(old, bound=True)
        elif self.responsible(old):
            self._in_queue(old, new)

    def delete_pod(self, pod: Pod) -> None:
        """A pod is gone."""
        if pod.spec.nodeName:
            self._cached(self._cache.remove_pod, pod)
            self._move(ASSIGNED_POD_DELETE, pod, None, "AssignedPodDelete")
        elif self.responsible(pod):
            self._off_queue(pod, bound=False)

    def _to_cache(self, pod: Pod) -> None:
        self._cached(self._cache.add_pod, pod)
        if self._context.rules.hints:
            self._queue.move(ASSIGNED_POD_ADD, None, pod)
        else:
            self._queue.assigned_pod_added(pod)

    def _in_cache(self, old: Pod, new: Pod) -> None:
        if old.metadata.uid != new.metadata.uid:
            self.delete_pod(old)
            self.add_pod(new)
            return
        self._cached(self._cache.update_pod, old, new)
        for event in pod_changes(old, new):
            self._queue.assigned_pod_updated(old, new, event)
            if not self._context.rules.hints:
                return

    def _in_queue(self, old: Pod, new: Pod) -> None:
        context, hints = self._context, self._context.rules.hints
        if context.rules.permits_before_binding and old.metadata.resourceVersion == new.metadata.resourceVersion:
            return
        if self._cache.is_assumed(new):
            dies = new.metadata.deletionTimestamp is not None and old.metadata.deletionTimestamp is None
            if hints and dies:
                self._assumed_deleted(new)
            if hints or says_nothing_new(context, new):
                return
        self._queue.update(old, new)
        before = old.status.nominatedNodeName
        if hints and before and before != new.status.nominatedNodeName:
            self._room_left_by(old)

    def _off_queue(self, pod: Pod, bound: bool) -> None:
        """The pod left the queue, because it is bound, or because it is gone."""
        context = self._context
        self._queue.delete(pod)
        self._cache.discard(pod)
        if not bound:
            context.came.pop(pod.metadata.uid, None)
        if not context.rules.hints:
            if context.rules.permits_before_binding:
                context.waiting.reject(pod)
        elif not bound and self._cache.is_assumed(pod):
            self._assumed_deleted(pod)
        elif not bound and pod.status.nominatedNodeName:
            self._room_left_by(pod)

    def _assumed_deleted(self, pod: Pod) -> None:
        """An assumed pod is being deleted: it must not hold room (v1.37: handleAssumedPodDeletion)."""
        assumed = self._cache.pod(pod)
        if assumed is None:
            return
        if not self._context.waiting.reject(pod):
            self._cached(self._cache.remove_pod, assumed)
        self._queue.move(ASSIGNED_POD_DELETE, assumed)

    def _room_left_by(self, pod: Pod) -> None:
        """A nominated pod gave up its place, which may help others of the same or lower priority."""
        priority = pod.spec.priority or 0
        self._queue.move(ASSIGNED_POD_DELETE, pod, None, lambda other: (other.spec.priority or 0) <= priority)

    # -- all other kinds

    def add(self, document: ApiObject) -> None:
        """An object of another kind came."""
        self._cache.put(document)
        self._other("Add", None, document)

    def update(self, old: ApiObject, new: ApiObject) -> None:
        """An object of another kind changed."""
        self._cache.put(new)
        self._other("Update", old, new)

    def delete(self, document: ApiObject) -> None:
        """An object of another kind is gone."""
        self._cache.drop(document)
        self._other("Delete", document, None)

    def _other(self, action: str, old: ApiObject | None, new: ApiObject | None) -> None:
        event = moved_by(action, old, new, self._context.rules.hints)
        if event is not None:
            self._queue.move(event, old, new)

    def _move(self, event: ClusterEvent, old: Any, new: Any, label: str) -> None:
        self._queue.move(event if self._context.rules.hints else event._replace(label=label), old, new)


def says_nothing_new(context: Context, pod: Pod) -> bool:
    """Whether the assumed pod differs from what was assumed only in what does not bear on scheduling.

    v1.13 to v1.20: skipPodUpdate.
    """
    assumed = context.cache.pod(pod)
    if assumed is None:
        return False
    return _stripped(assumed, context.rules.update_ignores) == _stripped(pod, context.rules.update_ignores)


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
