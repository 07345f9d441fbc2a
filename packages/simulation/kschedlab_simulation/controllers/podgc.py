"""Pod garbage collection: pods of deleted nodes, terminating pods without a node, and surplus finished pods.

v1.37: pkg/controller/podgc/gc_controller.go (gcOrphaned, gcUnscheduledTerminating, gcTerminated).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import simpy
from msgspec.structs import replace

from kschedlab.objects.meta import SECOND
from kschedlab.objects.model import (
    Node,
    Pod,
    PodCondition,
)
from kschedlab_simulation.controllers.ownership import NODE, pods_by_node
from kschedlab_simulation.controllers.work_queue import WorkQueue
from kschedlab_simulation.informers import Informers
from kschedlab_simulation.pods import DISRUPTION_TARGET, TERMINAL
from kschedlab_simulation.server.api import ApiServer
from kschedlab_simulation.status import ignore_deleted

NAME = "pod-garbage-collector"

NODE_DELETED = PodCondition(DISRUPTION_TARGET, "True", "DeletionByPodGC", "PodGC: node no longer exists")


@dataclass(frozen=True)
class PodGCSettings:
    """Microseconds. ``period``: between rounds; ``quarantine``: how long a node must have been deleted.

    ``terminated_threshold``: how many finished pods to keep, the youngest (terminated-pod-gc-threshold).
    """

    period: int = 20 * SECOND
    quarantine: int = 40 * SECOND
    terminated_threshold: int = 12_500


class PodGC:
    """The pod garbage collector. It runs a round only when there is something to collect."""

    def __init__(
        self, env: simpy.Environment, api: ApiServer, informers: Informers, settings: PodGCSettings = PodGCSettings()
    ) -> None:
        self._api = api
        self._settings = settings
        self._shared_informers = informers
        self._pods = pods_by_node(informers)
        self._nodes = informers.of(Node)
        self._quarantine_ends: dict[str, int] = {}
        self._terminated: dict[str, None] = {}
        self._started_at = api.now
        self._queue: WorkQueue[str] = WorkQueue(env, lambda _: self._round())

    def start(self) -> None:
        self._nodes.add_handler(on_delete=lambda _: self._schedule_round())
        self._pods.add_handler(
            on_add=self._pod_changed, on_update=lambda _, pod: self._pod_changed(pod), on_delete=self._pod_deleted
        )
        self._queue.start(self._shared_informers.synced)

    def _pod_changed(self, pod: Pod) -> None:
        node = pod.spec.nodeName
        if pod.status.phase in TERMINAL:
            self._terminated[pod.key] = None
        orphaned = self._nodes.get(node) is None if node else pod.metadata.deletionTimestamp is not None
        if orphaned or self._settings.terminated_threshold < len(self._terminated):
            self._schedule_round()

    def _pod_deleted(self, pod: Pod) -> None:
        self._terminated.pop(pod.key, None)

    def _schedule_round(self, delay: int = 0) -> None:
        """Run a round at the first period boundary after the delay."""
        elapsed = self._api.now + delay - self._started_at
        self._queue.add("round", delay + -elapsed % self._settings.period)

    def _round(self) -> None:
        now = self._api.now
        orphaned = [name for name in self._pods.index_values(NODE) if self._nodes.get(name) is None]
        self._quarantine_ends = {
            name: self._quarantine_ends.get(name, now + self._settings.quarantine) for name in orphaned
        }
        for name, end in self._quarantine_ends.items():
            if now >= end:
                self._remove(self._pods.by_index(NODE, name), NODE_DELETED)
        self._remove(self._unscheduled_terminating())
        if self._settings.terminated_threshold < len(self._terminated):
            self._remove(self._oldest(len(self._terminated) - self._settings.terminated_threshold))
        pending = [end for end in self._quarantine_ends.values() if end > now]
        if pending:
            self._schedule_round(min(pending) - now)

    def _unscheduled_terminating(self) -> list[Pod]:
        terminating = (pod for pod in self._pods.list() if pod.metadata.deletionTimestamp is not None)
        return [pod for pod in terminating if not pod.spec.nodeName]

    def _oldest(self, count: int) -> list[Pod]:
        pods = [pod for key in self._terminated if (pod := self._pods.get(key)) is not None]
        return sorted(pods, key=_eviction_then_age)[:count]

    def _remove(self, pods: Iterable[Pod], *conditions: PodCondition) -> None:
        """Mark unfinished pods as Failed, and delete all of them at once (markFailedAndDeletePod)."""
        for pod in pods:
            _remove(self._api, pod, conditions)


def _eviction_then_age(pod: Pod) -> tuple[bool, int, str]:
    """Sort key: evicted pods first, then by age, oldest first, then by name (byEvictionAndCreationTimestamp)."""
    return pod.status.reason != "Evicted", pod.metadata.creationTimestamp or 0, pod.metadata.name


def _remove(api: ApiServer, pod: Pod, conditions: Iterable[PodCondition]) -> None:
    namespace, name, uid = pod.metadata.namespace, pod.metadata.name, pod.metadata.uid
    with ignore_deleted():
        if pod.status.phase not in TERMINAL:
            noted = [replace(condition, observedGeneration=pod.metadata.generation) for condition in conditions]
            api.patch_status(Pod, namespace, name, uid, by=NAME, phase="Failed", conditions=noted)
        api.delete(Pod, namespace, name, grace_seconds=0, uid=uid, by=NAME)
