"""HorizontalPodAutoscalers: the bounds of a workload's replicas.

v1.37: pkg/controller/podautoscaler/horizontal.go (reconcileAutoscaler). Pods use nothing here, so no metric can be
computed; without metrics, the real controller keeps the replicas between minReplicas and maxReplicas, too. A workload
scaled to zero is left alone.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import simpy
from msgspec.structs import replace

from kschedlab.objects.meta import SECOND
from kschedlab.objects.model import (
    ApiObject,
    Deployment,
    HorizontalPodAutoscaler,
    ReplicaSet,
    ReplicationController,
    StatefulSet,
)
from kschedlab_simulation.controllers.replicas import replicas_of
from kschedlab_simulation.controllers.work_queue import Latency, WorkQueue
from kschedlab_simulation.controllers.writes import Update, UpdateStatus, Write, apply_writes
from kschedlab_simulation.events import Record
from kschedlab_simulation.informers import Informers
from kschedlab_simulation.server.api import ApiServer
from kschedlab_simulation.status import ApiError

NAME = "horizontal-pod-autoscaler"
PERIOD = 15 * SECOND
"""Microseconds between two looks (--horizontal-pod-autoscaler-sync-period)."""
SCALED: tuple[type[ApiObject], ...] = (Deployment, ReplicaSet, ReplicationController, StatefulSet)
Key: TypeAlias = tuple[str, str]


def desired_replicas(current: int, autoscaler: HorizontalPodAutoscaler) -> tuple[int, str]:
    """The number of replicas within the bounds, and why it differs from the current one."""
    least = 1 if autoscaler.spec.minReplicas is None else autoscaler.spec.minReplicas
    if current == 0 and least != 0:
        return 0, ""
    if current > autoscaler.spec.maxReplicas:
        return autoscaler.spec.maxReplicas, "Current number of replicas above Spec.MaxReplicas"
    if current < least:
        return least, "Current number of replicas below Spec.MinReplicas"
    return current, ""


class Autoscalers:
    """The controller of all autoscalers. It looks when an autoscaler or its target changes, at most every period."""

    def __init__(
        self,
        env: simpy.Environment,
        api: ApiServer,
        informers: Informers,
        record: Record,
        latency: Latency,
    ) -> None:
        self._api = api
        self._record = record
        self._shared_informers = informers
        self._autoscalers = informers.of(HorizontalPodAutoscaler)
        self._targets = {kind.__name__: informers.of(kind) for kind in SCALED}
        self._queue: WorkQueue[Key] = WorkQueue(env, self._sync, latency)

    def start(self) -> None:
        """Begin to watch."""
        add = self._changed
        self._autoscalers.add_handler(add, lambda _, new: add(new), lambda _: None)
        for informer in self._targets.values():
            informer.add_handler(self._target_changed, lambda _, new: self._target_changed(new), lambda _: None)
        self._queue.start(self._shared_informers.synced)

    def _changed(self, autoscaler: HorizontalPodAutoscaler, delay: int = 0) -> None:
        self._queue.add((autoscaler.metadata.namespace, autoscaler.metadata.name), delay)

    def _target_changed(self, target: Any) -> None:
        for each in self._autoscalers.list():
            reference = each.spec.scaleTargetRef
            same = (reference.kind, reference.name) == (type(target).__name__, target.metadata.name)
            if same and each.metadata.namespace == target.metadata.namespace:
                current = replicas_of(target)
                if desired_replicas(current, each)[0] != current:
                    self._changed(each, PERIOD)

    def _sync(self, key: Key) -> None:
        autoscaler = self._api.find(HorizontalPodAutoscaler, *key)
        if autoscaler is None or autoscaler.metadata.deletionTimestamp is not None:
            return
        reference = autoscaler.spec.scaleTargetRef
        kind = next((kind for kind in SCALED if kind.__name__ == reference.kind), None)
        target: Any = self._api.find(kind, key[0], reference.name) if kind is not None else None
        if target is None:
            group = reference.apiVersion.rpartition("/")[0]
            unknown = f'no matches for kind "{reference.kind}" in group "{group}"'
            why = str(ApiError.not_found(kind, reference.name)) if kind is not None else unknown
            self._record(autoscaler, "Warning", "FailedGetScale", why, NAME)
            return
        current = replicas_of(target)
        desired, why = desired_replicas(current, autoscaler)
        writes: list[Write] = []
        if desired != current:
            writes.append(Update(replace(target, spec=replace(target.spec, replicas=desired))))
        status = replace(autoscaler.status, currentReplicas=current, desiredReplicas=desired)
        if status != autoscaler.status:
            writes.append(UpdateStatus(replace(autoscaler, status=status)))
        apply_writes(self._api, writes, NAME)
        if why:
            self._record(autoscaler, "Normal", "SuccessfulRescale", f"New size: {desired}; reason: {why}", NAME)
