"""Pods that nobody else removes: of nodes that are gone, those that never had a node, and too many that have ended.

v1.37: pkg/controller/podgc/gc_controller.go (gcOrphaned, gcUnscheduledTerminating, gcTerminated).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import simpy

from kschedlab.objects.meta import SECOND
from kschedlab.objects.model import (
    Node,
    Pod,
    PodCondition,
)
from kschedlab.simulation.controllers.ownership import NODE, pods_by_node
from kschedlab.simulation.controllers.work_queue import Work
from kschedlab.simulation.informers import Informers
from kschedlab.simulation.pods import DISRUPTION_TARGET, TERMINAL
from kschedlab.simulation.server.api import ApiServer
from kschedlab.simulation.server.status import ignore_deleted

NAME = "pod-garbage-collector"

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
        self._pods = pods_by_node(informers)
        self._nodes = informers.of(Node)
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
        if pod.status.phase in TERMINAL:
            self._ended[pod.key] = None
        lost = self._nodes.get(node) is None if node else pod.metadata.deletionTimestamp is not None
        if lost or 0 < self._settings.ended < len(self._ended):
            self._plan()

    def _forget(self, pod: Pod) -> None:
        self._ended.pop(pod.key, None)

    def _plan(self, delay: int = 0) -> None:
        """Have a round, at the first of its times that is at least so far away."""
        passed = self._api.now + delay - self._began
        self._work.add("round", delay + -passed % self._settings.period)

    def _round(self) -> None:
        now = self._api.now
        lost = [name for name in self._pods.indexed(NODE) if self._nodes.get(name) is None]
        self._missing = {name: self._missing.get(name, now + self._settings.quarantine) for name in lost}
        for name, moment in self._missing.items():
            if now >= moment:
                self._remove(self._pods.by_index(NODE, name), NODE_GONE)
        self._remove(self._unscheduled())
        if 0 < self._settings.ended < len(self._ended):
            self._remove(self._oldest(len(self._ended) - self._settings.ended))
        later = [moment for moment in self._missing.values() if moment > now]
        if later:
            self._plan(min(later) - now)

    def _unscheduled(self) -> list[Pod]:
        going = (pod for pod in self._pods.list() if pod.metadata.deletionTimestamp is not None)
        return [pod for pod in going if not pod.spec.nodeName]

    def _oldest(self, count: int) -> list[Pod]:
        pods = [pod for key in self._ended if (pod := self._pods.get(key)) is not None]
        return sorted(pods, key=_by_age)[:count]

    def _remove(self, pods: Iterable[Pod], *conditions: PodCondition) -> None:
        """The pods become Failed, if they have not ended, and are deleted at once (markFailedAndDeletePod)."""
        for pod in pods:
            _remove(self._api, pod, conditions)


def _by_age(pod: Pod) -> tuple[bool, int, str]:
    """Evicted ones before all others, then the older, then by name (byEvictionAndCreationTimestamp)."""
    return pod.status.reason != "Evicted", pod.metadata.creationTimestamp or 0, pod.metadata.name


def _remove(api: ApiServer, pod: Pod, conditions: Iterable[PodCondition]) -> None:
    namespace, name, uid = pod.metadata.namespace, pod.metadata.name, pod.metadata.uid
    with ignore_deleted():
        if pod.status.phase not in TERMINAL:
            api.patch_status(Pod, namespace, name, uid, by=NAME, phase="Failed", conditions=list(conditions))
        api.delete(Pod, namespace, name, grace_seconds=0, uid=uid, by=NAME)
