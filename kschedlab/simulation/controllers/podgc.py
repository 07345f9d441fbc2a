"""Pods that nobody else removes: of nodes that are gone, of owners that are deleted, and those that never had a node.

v1.37: pkg/controller/podgc/gc_controller.go (gcOrphaned, gcUnscheduledTerminating, gcTerminated), pkg/controller/
garbagecollector (what has lost its owner is deleted; here only when the owner's deletion is seen).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import simpy

from kschedlab.objects.meta import SECOND
from kschedlab.objects.model import (
    Deployment,
    Document,
    Job,
    Node,
    PersistentVolumeClaim,
    Pod,
    PodCondition,
    ReplicaSet,
    ReplicationController,
    StatefulSet,
)
from kschedlab.simulation.controllers.work import Work
from kschedlab.simulation.controllers.writes import meta
from kschedlab.simulation.informers import Informers
from kschedlab.simulation.pods import DISRUPTION_TARGET, TERMINAL, controller_of
from kschedlab.simulation.server.api import ApiServer
from kschedlab.simulation.server.status import unless_gone

NAME = "pod-garbage-collector"

OWNERS: tuple[type[Document], ...] = (ReplicaSet, ReplicationController, StatefulSet, Deployment, Job)

NODE_GONE = PodCondition(DISRUPTION_TARGET, "True", "DeletionByPodGC", "PodGC: node no longer exists")


@dataclass(frozen=True)
class PodGCSettings:
    """Microseconds. ``period``: between two rounds; ``quarantine``: for so long a node must have been gone.

    ``ended``: no more pods than that are kept once they have ended, the oldest go; 0: all are kept.
    """

    period: int = 20 * SECOND
    quarantine: int = 40 * SECOND
    ended: int = 12_500


class PodGC:
    """The collector. It has rounds only when there is something to collect."""

    def __init__(
        self, env: simpy.Environment, api: ApiServer, informers: Informers, settings: PodGCSettings = PodGCSettings()
    ) -> None:
        self._api = api
        self._settings = settings
        self._shared = informers
        self._pods = informers.of(Pod)
        self._nodes = informers.of(Node)
        self._on: dict[str, dict[str, None]] = {}
        self._missing: dict[str, int] = {}
        self._ended: dict[str, None] = {}
        self._began = api.now
        self._work: Work[str] = Work(env, lambda _: self._round())

    def start(self) -> None:
        """Begin to watch."""
        self._nodes.add_handler(on_delete=lambda _: self._plan())
        self._pods.add_handler(on_add=self._see, on_update=lambda _, pod: self._see(pod), on_delete=self._forget)
        self._work.begin(self._shared.synced)

    def _see(self, pod: Pod) -> None:
        node = pod.spec.nodeName
        if node:
            self._on.setdefault(node, {})[pod.key] = None
        if pod.status.phase in TERMINAL:
            self._ended[pod.key] = None
        lost = self._nodes.get(node) is None if node else pod.metadata.deletionTimestamp is not None
        if lost or 0 < self._settings.ended < len(self._ended):
            self._plan()

    def _forget(self, pod: Pod) -> None:
        self._on.get(pod.spec.nodeName, {}).pop(pod.key, None)
        self._ended.pop(pod.key, None)

    def _plan(self, delay: int = 0) -> None:
        """Have a round, at the first of its times that is at least so far away."""
        passed = self._api.now + delay - self._began
        self._work.add("round", delay + -passed % self._settings.period)

    def _round(self) -> None:
        now = self._api.now
        for name, pods in self._on.items():
            if not pods or self._nodes.get(name) is not None:
                self._missing.pop(name, None)
            elif now >= self._missing.setdefault(name, now + self._settings.quarantine):
                self._remove(list(pods), NODE_GONE)
        self._remove(self._unscheduled())
        if 0 < self._settings.ended < len(self._ended):
            self._remove(self._oldest(len(self._ended) - self._settings.ended))
        later = [moment for moment in self._missing.values() if moment > now]
        if later:
            self._plan(min(later) - now)

    def _unscheduled(self) -> list[str]:
        going = (pod for pod in self._pods.list() if pod.metadata.deletionTimestamp is not None)
        return [pod.key for pod in going if not pod.spec.nodeName]

    def _oldest(self, count: int) -> list[str]:
        pods = [pod for key in self._ended if (pod := self._pods.get(key)) is not None]
        return [pod.key for pod in sorted(pods, key=_by_age)[:count]]

    def _remove(self, keys: Iterable[str], *conditions: PodCondition) -> None:
        """The pods become Failed, if they have not ended, and are deleted at once (markFailedAndDeletePod)."""
        for key in keys:
            pod = self._pods.get(key)
            if pod is not None:
                _remove(self._api, pod, conditions)


def _by_age(pod: Pod) -> tuple[bool, int, str]:
    """Evicted ones before all others, then the older, then by name (byEvictionAndCreationTimestamp)."""
    return pod.status.reason != "Evicted", pod.metadata.creationTimestamp or 0, pod.metadata.name


def _remove(api: ApiServer, pod: Pod, conditions: Iterable[PodCondition]) -> None:
    namespace, name, uid = pod.metadata.namespace, pod.metadata.name, pod.metadata.uid
    with unless_gone():
        if pod.status.phase not in TERMINAL:
            api.patch_status(Pod, namespace, name, uid, by=NAME, phase="Failed", conditions=list(conditions))
        api.delete(Pod, namespace, name, grace_seconds=0, uid=uid, by=NAME)


class Garbage:
    """Deletes what a deleted owner had: pods, ReplicaSets, claims (background deletion)."""

    def __init__(self, api: ApiServer, informers: Informers) -> None:
        self._api = api
        owners: tuple[type[Document], ...] = (*OWNERS, Pod)
        self._owners = [informers.of(kind) for kind in owners]
        self._owned = [informers.of(kind) for kind in (Pod, ReplicaSet, PersistentVolumeClaim)]
        self._of: dict[str, dict[str, Document]] = {}

    def start(self) -> None:
        """Begin to watch."""
        for informer in self._owned:
            informer.add_handler(self._put, lambda _, new: self._put(new), self._forget)
        for informer in self._owners:
            informer.add_handler(on_delete=self._collect)

    def _put(self, document: Document) -> None:
        owner = controller_of(meta(document))
        if owner is not None:
            self._of.setdefault(owner.uid, {})[meta(document).uid] = document

    def _forget(self, document: Document) -> None:
        owner = controller_of(meta(document))
        if owner is not None:
            self._of.get(owner.uid, {}).pop(meta(document).uid, None)

    def _collect(self, owner: Document) -> None:
        for document in self._of.pop(meta(owner).uid, {}).values():
            metadata = meta(document)
            with unless_gone():
                self._api.delete(
                    type(document), metadata.namespace, metadata.name, uid=metadata.uid, by="generic-garbage-collector"
                )
