"""ReplicaSets, ReplicationControllers, StatefulSets, Jobs and Deployments at work: they keep up their pods.

v1.37: pkg/controller/replicaset, replication, statefulset, job, deployment; the expectations of
pkg/controller/controller_utils.go: after writing, an owner waits until its informers show what it wrote. Only owners
with a template make and delete pods; what they find of theirs, they count and adopt.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, TypeAlias

import simpy
from msgspec.structs import replace

from kschedlab.objects.model import (
    ApiObject,
    Deployment,
    Job,
    PersistentVolumeClaim,
    Pod,
    ReplicaSet,
    ReplicationController,
    StatefulSet,
)
from kschedlab.objects.selectors import Selector
from kschedlab.simulation.controllers import deployments, jobs, stateful
from kschedlab.simulation.controllers.ownership import OWNER, by_owner, of_nobody, of_owner
from kschedlab.simulation.controllers.replicas import (
    Owner,
    Replicated,
    claim,
    replica_status,
    scale,
    selector_of,
    template_of,
)
from kschedlab.simulation.controllers.work_queue import Work
from kschedlab.simulation.controllers.writes import Create, Delete, UpdateStatus, Write, carry_out, meta
from kschedlab.simulation.informers import Informer, Informers
from kschedlab.simulation.pods import controller_of, is_active
from kschedlab.simulation.server.api import ApiServer

KINDS: tuple[type[Owner], ...] = (ReplicaSet, ReplicationController, StatefulSet, Job, Deployment)

_KIND: dict[str, type[Owner]] = {kind.__name__: kind for kind in KINDS}

EXPECTATIONS_TIMEOUT = 300_000_000
"""Microseconds for which an owner waits at most to see what it has written."""

Key: TypeAlias = tuple[type[Owner], str, str]
"""Kind, namespace, name."""


@dataclass(frozen=True)
class OwnersSettings:
    """``recreate``: False leaves all owners as they are, and nobody replaces pods that are gone.

    ``delay``, ``delay_by_pod``: microseconds in which changes of pods are gathered before their owner looks, and how
    many more for each pod that it has. A Job looks once in a second.
    """

    recreate: bool = True
    delay: int = 10_000
    delay_by_pod: int = 50


class Owners:
    """The controllers of all kinds of owners."""

    def __init__(
        self, env: simpy.Environment, api: ApiServer, informers: Informers, settings: OwnersSettings = OwnersSettings()
    ) -> None:
        self._api = api
        self._settings = settings
        self._shared = informers
        kinds: tuple[type[ApiObject], ...] = (*KINDS, PersistentVolumeClaim)
        self._informers: dict[type[ApiObject], Informer[Any]] = {kind: informers.of(kind) for kind in kinds}
        self._pods = by_owner(informers, Pod)
        self._sets = by_owner(informers, ReplicaSet)
        self._selectors: dict[str, dict[Key, Selector]] = {}
        self._awaited: dict[Key, dict[str, int]] = {}
        self._records: dict[str, jobs.Record] = {}
        self._vanished: dict[str, dict[str, Pod]] = {}
        self._work: Work[Key] = Work(env, self._look)

    def start(self) -> None:
        """Begin to watch, if owners are to do anything at all."""
        if not self._settings.recreate:
            return
        for kind in KINDS:
            self._informers[kind].add_handler(self._changed, lambda _, owner: self._changed(owner), self._gone)
        add, delete = (lambda new: self._owned(None, new)), (lambda old: self._owned(old, None))
        self._sets.add_handler(add, self._owned, delete)
        self._pods.add_handler(add, self._owned, delete)
        self._work.begin(self._shared.synced)

    # -- what the watches tell

    def _changed(self, owner: Owner) -> None:
        key = _key(owner)
        selector = None if isinstance(owner, Job) else selector_of(owner)
        if selector is not None:
            self._selectors.setdefault(key[1], {})[key] = selector
        self._work.add(key)

    def _gone(self, owner: Owner) -> None:
        self._selectors.get(owner.metadata.namespace, {}).pop(_key(owner), None)
        self._awaited.pop(_key(owner), None)
        self._records.pop(owner.metadata.uid, None)
        self._vanished.pop(owner.metadata.uid, None)

    def _owned(self, old: Pod | ReplicaSet | None, new: Pod | ReplicaSet | None) -> None:
        """A pod or a ReplicaSet has changed: whoever has it, or could have it, looks."""
        document = new if new is not None else old
        assert document is not None
        keys = {key: None for each in (old, new) if each is not None for key in self._managers(each)}
        if new is not None and (old is None or _links(old) != _links(new)):
            keys |= dict.fromkeys(self._takers(new))
        for key in keys:
            self._seen(key, document, gone=new is None or new.metadata.deletionTimestamp is not None)
            self._work.add(key, self._delay(key, old))
        if new is None and isinstance(old, Pod):
            self._keep_for_job(old)

    def _delay(self, key: Key, old: ApiObject | None) -> int:
        if key[0] is Job:
            return jobs.BATCH_PERIOD if old is not None else 0
        owner = self._informers[key[0]].get(f"{key[1]}/{key[2]}")
        count = 0 if owner is None else self._pods.count(OWNER, owner.metadata.uid)
        return self._settings.delay + self._settings.delay_by_pod * count

    def _managers(self, document: Pod | ReplicaSet) -> Iterable[Key]:
        """The owner that manages it, and the one above."""
        reference = controller_of(document.metadata)
        kind = _KIND.get(reference.kind) if reference is not None else None
        if reference is not None and kind is not None:
            yield kind, document.metadata.namespace, reference.name
            yield from self._above(kind, document.metadata.namespace, reference.name)

    def _takers(self, document: Pod | ReplicaSet) -> Iterable[Key]:
        """The owners that would adopt it."""
        if controller_of(document.metadata) is None:
            for key, selector in self._selectors.get(document.metadata.namespace, {}).items():
                fits = (key[0] is Deployment) == isinstance(document, ReplicaSet)
                if fits and selector.matches(document.metadata.labels):
                    yield key

    def _above(self, kind: type[Owner], namespace: str, name: str) -> Iterable[Key]:
        """The Deployment of a ReplicaSet."""
        owner = self._informers[kind].get(f"{namespace}/{name}") if kind is ReplicaSet else None
        reference = controller_of(owner.metadata) if owner is not None else None
        if reference is not None and reference.kind == "Deployment":
            yield Deployment, namespace, reference.name

    def _keep_for_job(self, pod: Pod) -> None:
        """A Job counts its pods once they have ended, those too that are gone by then."""
        reference = controller_of(pod.metadata)
        if reference is not None and reference.kind == "Job":
            self._vanished.setdefault(reference.uid, {})[pod.metadata.uid] = pod

    # -- what was written and is not seen yet

    def _seen(self, key: Key, document: Pod | ReplicaSet, gone: bool) -> None:
        awaited = self._awaited.get(key)
        if awaited is not None:
            awaited.pop(f"+{document.metadata.uid}", None)
            if gone:
                awaited.pop(f"-{document.metadata.uid}", None)

    def _is_settled(self, key: Key) -> bool:
        since = self._api.now - EXPECTATIONS_TIMEOUT
        return all(moment <= since for moment in self._awaited.get(key, {}).values())

    def _write(self, key: Key, writes: Iterable[Write]) -> None:
        """Write, and remember what is to be seen: new pods and sets, and that others are on their way out."""

        def written(write: Write, after: ApiObject | None) -> None:
            if isinstance(write.document, Pod | ReplicaSet) and isinstance(write, Create | Delete):
                made = isinstance(write, Create) and after is not None
                mark = f"+{meta(after).uid}" if made and after is not None else f"-{write.document.metadata.uid}"
                self._awaited.setdefault(key, {})[mark] = self._api.now

        carry_out(self._api, writes, by=f"{key[0].__name__.lower()}-controller", written=written)

    # -- the owners

    def _look(self, key: Key) -> None:
        kind, namespace, name = key
        owner = self._api.find(kind, namespace, name)
        if owner is None or template_of(owner) is None:
            return
        if isinstance(owner, Job):
            self._look_at_job(key, owner)
        elif isinstance(owner, Deployment):
            self._look_at_deployment(key, owner)
        elif isinstance(owner, StatefulSet):
            self._look_at_stateful_set(key, owner)
        else:
            self._look_at_replicas(key, owner)

    def _claimed(self, key: Key, owner: Owner, own: list[Any], orphans: list[Any]) -> list[Any]:
        """What is the owner's own, after it has adopted what it selects and let go what it does not."""
        assert not isinstance(owner, Job)
        claimed = claim(owner, selector_of(owner), [*own, *orphans])
        self._write(key, claimed.writes(owner))
        return [*claimed.own, *claimed.adopted]

    def _look_at_replicas(self, key: Key, owner: Replicated) -> None:
        orphans = filter(is_active, of_nobody(self._pods, owner.metadata.namespace))
        active = self._claimed(key, owner, list(filter(is_active, of_owner(self._pods, owner))), list(orphans))
        if self._is_settled(key):
            self._write(key, scale(owner, active, self._related(owner), self._api.now))
        self._tell(key, owner, active)

    def _related(self, owner: Replicated) -> list[Pod]:
        """The pods of all ReplicaSets of the same Deployment, or the owner's own."""
        above = controller_of(owner.metadata)
        if above is None:
            return of_owner(self._pods, owner)
        beside = [each for each in self._informers[ReplicaSet].list() if controller_of(each.metadata) == above]
        return [pod for each in beside for pod in of_owner(self._pods, each)]

    def _look_at_stateful_set(self, key: Key, owner: StatefulSet) -> None:
        orphans = of_nobody(self._pods, owner.metadata.namespace)
        fitting = [pod for pod in orphans if stateful.ordinal(owner, pod.metadata.name) >= 0]
        pods = self._claimed(key, owner, of_owner(self._pods, owner), fitting)
        if self._is_settled(key):
            self._write(key, stateful.next_writes(owner, pods, self._informers[PersistentVolumeClaim].get))
        self._tell(key, owner, pods)

    def _look_at_deployment(self, key: Key, owner: Deployment) -> None:
        sets = self._claimed(key, owner, of_owner(self._sets, owner), of_nobody(self._sets, owner.metadata.namespace))
        pods = [pod for each in sets for pod in of_owner(self._pods, each)]
        if self._is_settled(key):
            self._write(key, deployments.next_writes(owner, sets, pods))
        self._tell(key, owner, filter(is_active, pods))

    def _look_at_job(self, key: Key, job: Job) -> None:
        uid = job.metadata.uid
        pods = of_owner(self._pods, job)
        if uid not in self._records:
            self._records[uid] = jobs.first_record(job, pods)
        known = {pod.metadata.uid: None for pod in pods}
        lost = [pod for each, pod in self._vanished.get(uid, {}).items() if each not in known]
        step = jobs.next_step(job, [*pods, *lost], self._records[uid], self._api.now, self._is_settled(key))
        self._write(key, step.writes)
        self._records[uid] = step.record
        self._vanished.pop(uid, None)
        if step.again:
            self._work.add(key, max(step.again, jobs.BATCH_PERIOD))

    def _tell(self, key: Key, owner: Replicated | StatefulSet | Deployment, pods: Iterable[Pod]) -> None:
        status = replica_status(owner, pods)
        if status != owner.status:
            self._write(key, [UpdateStatus(replace(owner, status=status))])


def _links(document: Pod | ReplicaSet) -> tuple[Any, Any]:
    """What decides whose it can be."""
    return document.metadata.labels, document.metadata.ownerReferences


def _key(owner: Owner) -> Key:
    return type(owner), owner.metadata.namespace, owner.metadata.name
