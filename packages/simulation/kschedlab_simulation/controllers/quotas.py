"""The status of ResourceQuotas: what their namespace uses.

v1.37: pkg/controller/resourcequota/resource_quota_controller.go (syncResourceQuota). Only for who reads it: requests
are checked against what is stored.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import simpy

from kschedlab.objects.model import PersistentVolumeClaim, Pod, ResourceQuota
from kschedlab_simulation.controllers.work_queue import Latency, WorkQueue
from kschedlab_simulation.controllers.writes import UpdateStatus, apply_writes
from kschedlab_simulation.informers import Informer, Informers
from kschedlab_simulation.server.api import ApiServer
from kschedlab_simulation.server.quotas import used_of, with_status

NAME = "resourcequota-controller"
Key: TypeAlias = tuple[str, str]


class Quotas:
    """The controller of all quotas."""

    def __init__(self, env: simpy.Environment, api: ApiServer, informers: Informers, latency: Latency) -> None:
        self._api = api
        self._shared_informers = informers
        self._quotas = informers.of(ResourceQuota)
        self._watched: list[Informer[Any]] = [
            informers.of(kind) for kind in (ResourceQuota, Pod, PersistentVolumeClaim)
        ]
        self._queue: WorkQueue[Key] = WorkQueue(env, self._sync, latency)

    def start(self) -> None:
        """Begin to watch."""
        for informer in self._watched:
            informer.add_handler(self._changed, lambda _, new: self._changed(new), self._changed)
        self._queue.start(self._shared_informers.synced)

    def _changed(self, obj: Any) -> None:
        for quota in self._quotas.list():
            if quota.metadata.namespace == obj.metadata.namespace:
                self._queue.add((quota.metadata.namespace, quota.metadata.name))

    def _sync(self, key: Key) -> None:
        quota = self._api.find(ResourceQuota, *key)
        if quota is None:
            return
        counted = with_status(quota, used_of(quota, self._api.in_namespace(key[0]), self._api.now))
        if counted != quota:
            apply_writes(self._api, [UpdateStatus(counted)], NAME)
