"""Garbage collection: deletes the pods, ReplicaSets and claims of deleted owners (background deletion).

v1.37: pkg/controller/garbagecollector; here it acts only when it observes the owner's deletion.
"""

from __future__ import annotations

import simpy

from kschedlab.objects.model import (
    ApiObject,
    Deployment,
    Job,
    PersistentVolumeClaim,
    Pod,
    PodGroup,
    ReplicaSet,
    ReplicationController,
    ResourceClaim,
    StatefulSet,
)
from kschedlab_simulation.clock import after
from kschedlab_simulation.controllers.ownership import by_owner, owned_by
from kschedlab_simulation.controllers.work_queue import Latency, at_once
from kschedlab_simulation.controllers.writes import meta
from kschedlab_simulation.informers import Informers
from kschedlab_simulation.server.api import ApiServer
from kschedlab_simulation.status import ignore_deleted

NAME = "generic-garbage-collector"

OWNERS: tuple[type[ApiObject], ...] = (ReplicaSet, ReplicationController, StatefulSet, Deployment, Job, Pod, PodGroup)
OWNED: tuple[type[ApiObject], ...] = (Pod, ReplicaSet, PersistentVolumeClaim, ResourceClaim)


class GarbageCollector:
    """Deletes the dependents of deleted owners."""

    def __init__(
        self, env: simpy.Environment, api: ApiServer, informers: Informers, latency: Latency = at_once
    ) -> None:
        self._env = env
        self._latency = latency
        self._api = api
        self._owners = [informers.of(kind) for kind in OWNERS]
        self._owned = [by_owner(informers, kind) for kind in OWNED]

    def start(self) -> None:
        """Begin to watch."""
        for informer in self._owners:
            informer.add_handler(on_delete=self._owner_deleted)

    def _owner_deleted(self, owner: ApiObject) -> None:
        if any(owned_by(informer, owner) for informer in self._owned):
            after(self._env, self._latency(), self._collect, owner)

    def _collect(self, owner: ApiObject) -> None:
        for informer in self._owned:
            for obj in owned_by(informer, owner):
                metadata = meta(obj)
                with ignore_deleted():
                    self._api.delete(type(obj), metadata.namespace, metadata.name, uid=metadata.uid, by=NAME)
