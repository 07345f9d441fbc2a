"""Informer indices: the pods of a node, the objects of an owner, and the orphans of a namespace."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeVar

import simpy

from kschedlab.objects.meta import controller_of
from kschedlab.objects.model import (
    ApiObject,
    CronJob,
    DaemonSet,
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
from kschedlab_simulation.controllers.work_queue import Latency, at_once
from kschedlab_simulation.controllers.writes import meta
from kschedlab_simulation.informers import Informer, Informers
from kschedlab_simulation.server.api import ApiServer
from kschedlab_simulation.status import ignore_deleted

NAME = "generic-garbage-collector"

OWNERS: tuple[type[ApiObject], ...] = (
    *(ReplicaSet, ReplicationController, StatefulSet, Deployment, DaemonSet, Job, CronJob),
    *(Pod, PodGroup),
)
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


D = TypeVar("D", bound=ApiObject)

NODE, OWNER = "node", "owner"
"""Names of the indices."""


def pods_by_node(informers: Informers) -> Informer[Pod]:
    """The pod informer, with the index ``NODE`` by node name."""
    pods = informers.of(Pod)
    pods.index_by(NODE, lambda pod: [pod.spec.nodeName] if pod.spec.nodeName else [])
    return pods


def by_owner(informers: Informers, kind: type[D]) -> Informer[D]:
    """The kind's informer, with the index that :func:`owned_by` and :func:`orphans_in` read."""
    informer = informers.of(kind)
    informer.index_by(OWNER, _owner)
    return informer


def owned_by(informer: Informer[D], owner: ApiObject) -> list[D]:
    """The objects that the owner controls."""
    return informer.by_index(OWNER, meta(owner).uid)


def orphans_in(informer: Informer[D], namespace: str) -> list[D]:
    """The objects in the namespace without a controlling owner."""
    return informer.by_index(OWNER, f"{namespace}/")


def _owner(obj: Any) -> Iterable[str]:
    reference = controller_of(obj.metadata)
    return [f"{obj.metadata.namespace}/" if reference is None else reference.uid]
