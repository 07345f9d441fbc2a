"""The workload controllers: ReplicaSets, ReplicationControllers, StatefulSets, Jobs and Deployments.

v1.37: pkg/controller/replicaset, replication, statefulset, job, deployment; the expectations of
pkg/controller/controller_utils.go: after writing, an owner waits until its informers show the writes. Owners
without a template create and delete no pods.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, TypeAlias

import simpy
from msgspec.structs import replace

from kschedlab.objects.meta import controller_of
from kschedlab.objects.model import (
    ApiObject,
    Deployment,
    Job,
    PersistentVolumeClaim,
    Pod,
    PodTemplate,
    ReplicaSet,
    ReplicaStatus,
    ReplicationController,
    StatefulSet,
    StatefulSetStatus,
)
from kschedlab.objects.selectors import Selector
from kschedlab_simulation.controllers import deployments, jobs, stateful_sets
from kschedlab_simulation.controllers.deployment_status import progress_check_in
from kschedlab_simulation.controllers.ownership import OWNER, by_owner, orphans_in, owned_by
from kschedlab_simulation.controllers.replicas import (
    Owner,
    Replicated,
    claim,
    next_available_in,
    replica_status,
    scale,
    selector_of,
    template_of,
)
from kschedlab_simulation.controllers.work_queue import Latency, WorkQueue, at_once
from kschedlab_simulation.controllers.writes import Create, Delete, RecordEvent, UpdateStatus, Write, apply_writes, meta
from kschedlab_simulation.events import Record
from kschedlab_simulation.informers import Informer, Informers
from kschedlab_simulation.pods import TERMINAL, is_active
from kschedlab_simulation.server.api import ApiServer
from kschedlab_simulation.status import ApiError


def success(owner: Owner, write: Write, stored: ApiObject | None) -> RecordEvent | None:
    """The event of a pod or claim created or deleted; ``stored``: the created object."""
    if not isinstance(write, Create | Delete) or not isinstance(write.obj, Pod | PersistentVolumeClaim):
        return None
    verb = "Create" if isinstance(write, Create) else "Delete"
    name = meta(stored or write.obj).name
    return RecordEvent(
        owner, "Normal", f"Successful{verb}", _message(owner, write.obj, verb, name), component_of(owner)
    )


def component_of(owner: Owner) -> str:
    """The name of the owner's controller: ``replicaset-controller``."""
    return f"{type(owner).__name__.removesuffix('Controller').lower()}-controller"


def _message(owner: Owner, obj: Pod | PersistentVolumeClaim, verb: str, name: str) -> str:
    if not isinstance(owner, StatefulSet):
        return f"{verb}d pod: {name}"
    if isinstance(obj, Pod):
        return f"{verb} Pod {name} in StatefulSet {owner.metadata.name} successful"
    return f"{verb} Claim {name} Pod {_pod_of_claim(owner, name)} in StatefulSet {owner.metadata.name} success"


def _pod_of_claim(owner: StatefulSet, name: str) -> str:
    """The name of the pod that this claim is for."""
    claims = owner.spec.volumeClaimTemplates
    prefixes = [f"{claim.metadata.name}-" for claim in claims if name.startswith(f"{claim.metadata.name}-")]
    return name.removeprefix(max(prefixes, key=len, default=""))


def failures(owner: Owner, write: Write, error: ApiError) -> list[RecordEvent]:
    """The events of a pod or claim that could not be created or deleted."""
    obj, name = write.obj, meta(write.obj).name
    settled = "NotFound" if isinstance(write, Delete) else "AlreadyExists" if isinstance(owner, StatefulSet) else ""
    if not isinstance(write, Create | Delete) or error.reason == settled:
        return []
    verb = "Create" if isinstance(write, Create) else "Delete"
    place = f"in StatefulSet {owner.metadata.name} failed error:"
    if isinstance(owner, StatefulSet) and isinstance(obj, PersistentVolumeClaim):
        pod = _pod_of_claim(owner, name)
        texts = [f"{verb} Claim {name} for Pod {pod} {place} {error}"]
        texts.append(f"{verb} Pod {pod} {place} failed to create PVC {name}: {error}")
    elif isinstance(owner, StatefulSet):
        texts = [f"{verb} Pod {name} {place} {error}"]
    else:
        texts = [f"Error {verb.lower().removesuffix('e')}ing: {error}"] if isinstance(obj, Pod) else []
    return [RecordEvent(owner, "Warning", f"Failed{verb}", text, component_of(owner)) for text in texts]


KINDS: tuple[type[Owner], ...] = (ReplicaSet, ReplicationController, StatefulSet, Job, Deployment)

_KIND_BY_NAME: dict[str, type[Owner]] = {kind.__name__: kind for kind in KINDS}

EXPECTATIONS_TIMEOUT = 300_000_000
"""The longest time, in microseconds, that an owner waits for its informers to show its writes."""

Key: TypeAlias = tuple[type[Owner], str, str]
"""Kind, namespace, name."""


@dataclass(frozen=True)
class OwnersSettings:
    """``recreate``: False disables these controllers, so that nothing replaces deleted pods.

    ``delay``, ``delay_by_pod``: microseconds for which an owner batches pod changes, plus more for each of its pods.
    A Job syncs once per second.
    """

    recreate: bool = True
    delay: int = 10_000
    delay_by_pod: int = 50


class Owners:
    """The controllers for all kinds of owners."""

    def __init__(
        self,
        env: simpy.Environment,
        api: ApiServer,
        informers: Informers,
        settings: OwnersSettings,
        record: Record,
        latency: Latency = at_once,
    ) -> None:
        self._api = api
        self._settings = settings
        self._record = record
        self._shared_informers = informers
        kinds: tuple[type[ApiObject], ...] = (*KINDS, PersistentVolumeClaim)
        self._informers: dict[type[ApiObject], Informer[Any]] = {kind: informers.of(kind) for kind in kinds}
        self._pods = by_owner(informers, Pod)
        self._sets = by_owner(informers, ReplicaSet)
        self._selectors: dict[str, dict[Key, Selector]] = {}
        self._expectations: dict[Key, dict[str, int]] = {}
        self._records: dict[str, jobs.JobRecord] = {}
        self._templates: dict[str, dict[str, PodTemplate]] = {}
        self._deleted_job_pods: dict[str, dict[str, Pod]] = {}
        self._queue: WorkQueue[Key] = WorkQueue(env, self._sync, latency)

    def start(self) -> None:
        """Begin to watch, unless the controllers are disabled."""
        if not self._settings.recreate:
            return
        for kind in KINDS:
            self._informers[kind].add_handler(
                self._owner_changed, lambda _, owner: self._owner_changed(owner), self._owner_deleted
            )
        add, delete = (lambda new: self._dependent_changed(None, new)), (lambda old: self._dependent_changed(old, None))
        self._sets.add_handler(add, self._dependent_changed, delete)
        self._pods.add_handler(add, self._dependent_changed, delete)
        self._queue.start(self._shared_informers.synced)

    # -- event handlers

    def _owner_changed(self, owner: Owner) -> None:
        key = _key(owner)
        selector = None if isinstance(owner, Job) else selector_of(owner)
        if selector is not None:
            self._selectors.setdefault(key[1], {})[key] = selector
        self._queue.add(key)

    def _owner_deleted(self, owner: Owner) -> None:
        self._selectors.get(owner.metadata.namespace, {}).pop(_key(owner), None)
        self._expectations.pop(_key(owner), None)
        self._records.pop(owner.metadata.uid, None)
        self._templates.pop(owner.metadata.uid, None)
        self._deleted_job_pods.pop(owner.metadata.uid, None)

    def _dependent_changed(self, old: Pod | ReplicaSet | None, new: Pod | ReplicaSet | None) -> None:
        """A pod or a ReplicaSet has changed: enqueue its owners and those that could adopt it."""
        obj = new if new is not None else old
        assert obj is not None
        keys = {key: None for each in (old, new) if each is not None for key in self._controllers_of(each)}
        if new is not None and (old is None or _labels_and_owners(old) != _labels_and_owners(new)):
            keys |= dict.fromkeys(self._adopters_of(new))
        for key in keys:
            self._observe(key, obj, gone=new is None or new.metadata.deletionTimestamp is not None)
            self._queue.add(key, self._delay(key, old))
        if new is None and isinstance(old, Pod):
            self._keep_deleted_job_pod(old)

    def _delay(self, key: Key, old: ApiObject | None) -> int:
        if key[0] is Job:
            return jobs.BATCH_PERIOD if old is not None else 0
        owner = self._informers[key[0]].get(f"{key[1]}/{key[2]}")
        count = 0 if owner is None else self._pods.count(OWNER, owner.metadata.uid)
        return self._settings.delay + self._settings.delay_by_pod * count

    def _controllers_of(self, obj: Pod | ReplicaSet) -> Iterable[Key]:
        """Its controlling owner, and that owner's Deployment."""
        reference = controller_of(obj.metadata)
        kind = _KIND_BY_NAME.get(reference.kind) if reference is not None else None
        if reference is not None and kind is not None:
            yield kind, obj.metadata.namespace, reference.name
            yield from self._deployment_of(kind, obj.metadata.namespace, reference.name)

    def _adopters_of(self, obj: Pod | ReplicaSet) -> Iterable[Key]:
        """The owners that could adopt it."""
        if controller_of(obj.metadata) is None:
            for key, selector in self._selectors.get(obj.metadata.namespace, {}).items():
                fits = (key[0] is Deployment) == isinstance(obj, ReplicaSet)
                if fits and selector.matches(obj.metadata.labels):
                    yield key

    def _deployment_of(self, kind: type[Owner], namespace: str, name: str) -> Iterable[Key]:
        """The Deployment of a ReplicaSet."""
        owner = self._informers[kind].get(f"{namespace}/{name}") if kind is ReplicaSet else None
        reference = controller_of(owner.metadata) if owner is not None else None
        if reference is not None and reference.kind == "Deployment":
            yield Deployment, namespace, reference.name

    def _keep_deleted_job_pod(self, pod: Pod) -> None:
        """Keep a Job's deleted pod: the Job still has to count it."""
        reference = controller_of(pod.metadata)
        if reference is not None and reference.kind == "Job":
            self._deleted_job_pods.setdefault(reference.uid, {})[pod.metadata.uid] = pod

    # -- expectations: writes that the informers do not show yet

    def _observe(self, key: Key, obj: Pod | ReplicaSet, gone: bool) -> None:
        expected = self._expectations.get(key)
        if expected is not None:
            expected.pop(f"+{obj.metadata.uid}", None)
            if gone:
                expected.pop(f"-{obj.metadata.uid}", None)

    def _expectations_met(self, key: Key) -> bool:
        since = self._api.now - EXPECTATIONS_TIMEOUT
        return all(moment <= since for moment in self._expectations.get(key, {}).values())

    def _write(self, owner: Owner, writes: Iterable[Write]) -> None:
        """Write, record events, and expect to observe the created and deleted pods and ReplicaSets."""
        key = _key(owner)

        def expect(write: Write, stored: ApiObject | None) -> None:
            if isinstance(write.obj, Pod | ReplicaSet) and isinstance(write, Create | Delete):
                mark = f"-{write.obj.metadata.uid}" if stored is None else f"+{meta(stored).uid}"
                self._expectations.setdefault(key, {})[mark] = self._api.now
            if event := success(owner, write, stored):
                self._record(*event)

        def explain(write: Write, error: ApiError) -> None:
            for event in failures(owner, write, error):
                self._record(*event)

        apply_writes(self._api, writes, f"{key[0].__name__.lower()}-controller", expect, self._record, explain)

    # -- sync

    def _sync(self, key: Key) -> None:
        kind, namespace, name = key
        owner = self._api.find(kind, namespace, name)
        if owner is None or template_of(owner) is None:
            return
        if isinstance(owner, Job):
            self._sync_job(key, owner)
        elif isinstance(owner, Deployment):
            self._sync_deployment(key, owner)
        elif isinstance(owner, StatefulSet):
            self._sync_stateful_set(key, owner)
        else:
            self._sync_replicas(key, owner)

    def _claim_dependents(self, owner: Owner, owned: list[Any], orphans: list[Any]) -> list[Any]:
        """The owner's objects, after it has adopted those that it selects and released those that it does not."""
        assert not isinstance(owner, Job)
        claimed = claim(owner, selector_of(owner), [*owned, *orphans])
        self._write(owner, claimed.writes(owner))
        return [*claimed.owned, *claimed.adopted]

    def _sync_replicas(self, key: Key, owner: Replicated) -> None:
        orphans = filter(is_active, orphans_in(self._pods, owner.metadata.namespace))
        owned = owned_by(self._pods, owner)
        active = self._claim_dependents(owner, list(filter(is_active, owned)), list(orphans))
        error: ApiError | None = None
        if self._expectations_met(key):
            try:
                self._write(owner, scale(owner, active, self._pods_of_deployment(owner), self._api.now))
            except ApiError as refusal:
                error = refusal
        terminating = [
            pod for pod in owned if pod.metadata.deletionTimestamp is not None and pod.status.phase not in TERMINAL
        ]
        why = "" if error is None else str(error)
        self._update_status(owner, replica_status(owner, active, len(terminating), why, self._api.now))
        self._requeue(key, next_available_in(active, owner.spec.minReadySeconds, self._api.now))
        if error is not None:
            raise error

    def _pods_of_deployment(self, owner: Replicated) -> list[Pod]:
        """The pods of all ReplicaSets of the same Deployment, or only the owner's pods."""
        deployment = controller_of(owner.metadata)
        if deployment is None:
            return owned_by(self._pods, owner)
        siblings = [each for each in self._informers[ReplicaSet].list() if controller_of(each.metadata) == deployment]
        return [pod for each in siblings for pod in owned_by(self._pods, each)]

    def _sync_stateful_set(self, key: Key, owner: StatefulSet) -> None:
        orphans = orphans_in(self._pods, owner.metadata.namespace)
        named_orphans = [pod for pod in orphans if stateful_sets.ordinal(owner, pod.metadata.name) >= 0]
        pods = self._claim_dependents(owner, owned_by(self._pods, owner), named_orphans)
        uid, now = owner.metadata.uid, self._api.now
        revisions = stateful_sets.revisions(owner, pods, self._templates.get(uid, {}))
        self._templates[uid] = revisions.templates
        try:
            if self._expectations_met(key):
                claims = self._informers[PersistentVolumeClaim].get
                self._write(owner, stateful_sets.next_writes(owner, pods, revisions, claims, now))
        finally:
            self._update_status(owner, stateful_sets.status_of(owner, pods, revisions, now))
        self._requeue(key, next_available_in(pods, owner.spec.minReadySeconds, now))

    def _sync_deployment(self, key: Key, owner: Deployment) -> None:
        sets = self._claim_dependents(
            owner, owned_by(self._sets, owner), orphans_in(self._sets, owner.metadata.namespace)
        )
        pods = [pod for each in sets for pod in owned_by(self._pods, each)]
        if self._expectations_met(key):
            writes = deployments.next_writes(owner, sets, pods, self._api.now)
            self._write(owner, writes)
            if not writes:
                self._requeue(key, progress_check_in(owner, self._api.now), idle=True)

    def _sync_job(self, key: Key, job: Job) -> None:
        uid = job.metadata.uid
        pods = owned_by(self._pods, job)
        if uid not in self._records:
            self._records[uid] = jobs.initial_record(job, pods)
        uids = {pod.metadata.uid: None for pod in pods}
        deleted_pods = [pod for each, pod in self._deleted_job_pods.get(uid, {}).items() if each not in uids]
        pods, record, now = [*pods, *deleted_pods], self._records[uid], self._api.now
        plan = jobs.plan(job, pods, record, now, self._expectations_met(key))
        try:
            self._write(job, plan.writes)
        except ApiError:
            self._write(job, jobs.plan(job, pods, record, now, expectations_met=False).writes)
            raise
        self._records[uid] = plan.record
        self._deleted_job_pods.pop(uid, None)
        if plan.requeue_after:
            self._queue.add(key, max(plan.requeue_after, jobs.BATCH_PERIOD))

    def _requeue(self, key: Key, delay: int | None, idle: bool = False) -> None:
        if delay is not None:
            self._queue.add(key, delay, idle)

    def _update_status(self, owner: Replicated | StatefulSet, status: ReplicaStatus | StatefulSetStatus) -> None:
        if status != owner.status:
            self._write(owner, [UpdateStatus(replace(owner, status=status))])


def _labels_and_owners(obj: Pod | ReplicaSet) -> tuple[Any, Any]:
    """The fields that decide which owners can adopt the object."""
    return obj.metadata.labels, obj.metadata.ownerReferences


def _key(owner: Owner) -> Key:
    return type(owner), owner.metadata.namespace, owner.metadata.name
