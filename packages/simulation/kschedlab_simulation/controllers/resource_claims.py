"""The resource claim controller: makes claims from templates, and frees those that no pod needs any more.

v1.37: pkg/controller/resourceclaim/controller.go. A claim that was in use and is not any more loses its devices, so
that it can be allocated again; one that was made for a pod goes with it. With the gate DRAWorkloadResourceClaims, pod
groups have claims as pods have, and a pod that has the same claim as its group gets the group's.

(The real controller reserves a claim that others still use for a finished pod, takes that back, and goes on so; here,
finished pods reserve nothing. And when it makes one of a group's claims again, it forgets the others.)
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, TypeAlias

import simpy
from msgspec.structs import replace

from kschedlab.objects.kinds import key_of
from kschedlab.objects.meta import controller_of
from kschedlab.objects.model import (
    ObjectMeta,
    OwnerReference,
    Pod,
    PodGroup,
    PodResourceClaim,
    PodResourceClaimStatus,
    ResourceClaim,
    ResourceClaimConsumerReference,
    ResourceClaimTemplate,
)
from kschedlab_devices.binding import FINALIZER
from kschedlab_devices.claims import GROUP_API, GROUPS, consumer_of, is_reserved_for, owner_fault
from kschedlab_simulation.controllers.ownership import by_owner, owned_by
from kschedlab_simulation.controllers.work_queue import Latency, WorkQueue
from kschedlab_simulation.events import WARNING, Record
from kschedlab_simulation.informers import Informer, Informers
from kschedlab_simulation.pods import TERMINAL
from kschedlab_simulation.server.api import ApiServer
from kschedlab_simulation.status import ApiError, ignore_deleted

NAME, COMPONENT = "resource-claim-controller", "resource_claim"
"""Of the client, and in events."""
ANNOTATION = "resource.kubernetes.io/pod-claim-name"
"""The annotation of a claim that was made for a pod: which of the pod's claims it is."""
MOST_CONSUMERS = 256
"""Maximum number of pods that share a claim (v1.37: resource/v1/types.go, ResourceClaimReservedForMaxSize)."""
NO_TEMPLATE = 'resource claim template "{name}": resourceclaimtemplate.resource.k8s.io "{name}" not found'

_LONGEST_BASE = 57
_OF_TEMPLATE, _USED, _OF_GROUP = "resource claim template", "resource claim", "pod group"

Owner: TypeAlias = Pod | PodGroup


class Key(NamedTuple):
    """An object that the controller looks after: a ``Pod``, ``PodGroup`` or ``ResourceClaim``, by its key."""

    kind: str
    key: str


class ResourceClaims:
    """The controller."""

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
        self._informers = informers
        self._for_groups = api.generation_api.group_claims
        self._pods, self._groups = informers.of(Pod), informers.of(PodGroup)
        self._pods.index_by(_OF_GROUP, _group)
        owners: Informer[Any]
        for owners in (self._pods, self._groups):
            owners.index_by(_OF_TEMPLATE, _templates)
            owners.index_by(_USED, _used_claims)
        self._claims = by_owner(informers, ResourceClaim)
        self._templates = informers.of(ResourceClaimTemplate)
        self._queue: WorkQueue[Key] = WorkQueue(env, self._sync, latency)

    def start(self) -> None:
        self._pods.add_handler(
            on_add=self._pod_changed,
            on_update=lambda _, pod: self._pod_changed(pod),
            on_delete=lambda pod: self._pod_changed(pod, deleted=True),
        )
        if self._for_groups:
            self._groups.add_handler(
                on_add=self._group_changed,
                on_update=lambda _, group: self._group_changed(group),
                on_delete=lambda group: self._group_changed(group, deleted=True),
            )
        self._claims.add_handler(
            on_add=self._claim_changed,
            on_update=lambda _, claim: self._claim_changed(claim),
            on_delete=self._claim_changed,
        )
        self._templates.add_handler(on_add=self._template_changed, on_update=lambda _, new: self._template_changed(new))
        self._queue.start(self._informers.synced)

    # -- event handlers

    def _pod_changed(self, pod: Pod, deleted: bool = False) -> None:
        if not pod.spec.resourceClaims and pod.status.extendedResourceClaimStatus is None:
            return
        if deleted or is_done(pod):
            for key in _used_claims(pod):
                self._queue.add(Key("ResourceClaim", key))
        elif pod.metadata.deletionTimestamp is None and any(self._work(pod)):
            self._queue.add(Key("Pod", pod.key))

    def _group_changed(self, group: PodGroup, deleted: bool = False) -> None:
        if not group.spec.resourceClaims:
            return
        if deleted:
            for key in _used_claims(group):
                self._queue.add(Key("ResourceClaim", key))
        elif group.metadata.deletionTimestamp is None and any(self._work(group)):
            self._queue.add(Key("PodGroup", key_of(group)))
        for pod in self._pods.by_index(_OF_GROUP, key_of(group)):
            self._pod_changed(pod)

    def _claim_changed(self, claim: ResourceClaim) -> None:
        self._queue.add(Key("ResourceClaim", key_of(claim)))
        self._owners_changed(_USED, key_of(claim))

    def _template_changed(self, template: ResourceClaimTemplate) -> None:
        self._owners_changed(_OF_TEMPLATE, key_of(template))

    def _owners_changed(self, index: str, key: str) -> None:
        for pod in self._pods.by_index(index, key):
            self._pod_changed(pod)
        for group in self._groups.by_index(index, key) if self._for_groups else ():
            self._group_changed(group)

    def _work(self, owner: Owner) -> Iterator[bool]:
        """For each claim of the pod or group, whether it has to be made, or reserved for a pod."""
        for entry in owner.spec.resourceClaims:
            name = claim_name(owner, entry)
            claim = None if name is None else self._claims.get(f"{owner.metadata.namespace}/{name}")
            if claim is None:
                yield entry.resourceClaimTemplateName is not None and not _needs_none(owner, entry)
            elif isinstance(owner, Pod) and (entry.resourceClaimTemplateName is None or self._is_for(claim, owner)):
                yield bool(owner.spec.nodeName) and self._is_to_reserve(claim, owner)

    def _is_for(self, claim: ResourceClaim, owner: Owner) -> bool:
        """Whether the claim was made for the pod, or the group."""
        if isinstance(owner, Pod):
            return not owner_fault(claim, owner, self._for_groups)
        controller = controller_of(claim.metadata)
        return controller is not None and controller.uid == owner.metadata.uid

    def _is_to_reserve(self, claim: ResourceClaim, pod: Pod) -> bool:
        status = claim.status
        free = status.allocation is not None and len(status.reservedFor) < MOST_CONSUMERS
        return free and not is_reserved_for(claim, pod, self._for_groups)

    # -- synchronizing

    def _sync(self, key: Key) -> None:
        if key.kind == "Pod":
            pod = self._pods.get(key.key)
            if pod is not None and pod.metadata.deletionTimestamp is None and not is_done(pod):
                self._sync_pod(pod)
        elif key.kind == "PodGroup":
            group = self._groups.get(key.key)
            if group is not None and group.metadata.deletionTimestamp is None:
                self._make_claims(group)
        elif (claim := self._claims.get(key.key)) is not None:
            self._sync_claim(claim)

    def _sync_pod(self, pod: Pod) -> None:
        """Make the claims that the pod lacks, and reserve those of a pod on a node. ApiError."""
        group = self._group_of(pod)
        self._make_claims(pod, group)
        if not pod.spec.nodeName:
            return
        for entry in pod.spec.resourceClaims:
            name = claim_name(pod, entry)
            claim = None if name is None else self._claims.get(f"{pod.metadata.namespace}/{name}")
            if claim is not None and self._is_to_reserve(claim, pod):
                consumers = (*claim.status.reservedFor, consumer_of(pod, group, entry))
                self._api.update_status(replace(claim, status=replace(claim.status, reservedFor=consumers)), by=NAME)

    def _group_of(self, pod: Pod) -> PodGroup | None:
        """The pod's group; None if it has none. ApiError (NotFound): it does not exist yet."""
        if not self._for_groups or pod.spec.schedulingGroup is None:
            return None
        name = pod.spec.schedulingGroup.podGroupName or ""
        if (group := self._groups.get(f"{pod.metadata.namespace}/{name}")) is None:
            raise ApiError.not_found(PodGroup, name)
        return group

    def _make_claims(self, owner: Owner, group: PodGroup | None = None) -> None:
        """Make the claims that the pod or group lacks, and name them in its status. ``group``: of the pod. ApiError."""
        made: dict[str, str] = {}
        for entry in owner.spec.resourceClaims:
            name = self._claim_for(owner, entry, group)
            if name is not None:
                made[entry.name] = name
        if not made:
            return
        known = {each.name: each.resourceClaimName for each in owner.status.resourceClaimStatuses}
        names = {name: claim for name, claim in known.items() if claim is not None} | made
        fields = {"resourceClaimStatuses": tuple(PodResourceClaimStatus(name, names[name]) for name in sorted(names))}
        metadata = owner.metadata
        with ignore_deleted():
            self._api.patch_status(type(owner), metadata.namespace, metadata.name, metadata.uid, by=NAME, **fields)

    def _claim_for(self, owner: Owner, entry: PodResourceClaim, group: PodGroup | None) -> str | None:
        """The name of the claim, which is new to its owner; None if there is nothing to do. ApiError."""
        if entry.resourceClaimTemplateName is None or _needs_none(owner, entry):
            return None
        name = claim_name(owner, entry)
        if name is not None:
            existing = self._api.find(ResourceClaim, owner.metadata.namespace, name)
            if existing is not None and self._is_for(existing, owner):
                return None
        shared = group is not None and entry in group.spec.resourceClaims
        for claim in owned_by(self._claims, group if shared and group is not None else owner):
            if claim.metadata.annotations.get(ANNOTATION) == entry.name:
                return claim.metadata.name
        return None if shared else self._made(owner, entry)

    def _made(self, owner: Owner, entry: PodResourceClaim) -> str:
        """The name of a new claim. ApiError."""
        try:
            return self._api.create(self._from_template(owner, entry), by=NAME).metadata.name
        except ApiError as error:
            why = f"create ResourceClaim : {error}"
            if error.reason == "NotFound":
                why = NO_TEMPLATE.format(name=entry.resourceClaimTemplateName)
            message = f"{type(owner).__name__}ResourceClaim {entry.name}: {why}"
            self._record(owner, WARNING, "FailedResourceClaimCreation", message, COMPONENT)
            raise

    def _from_template(self, owner: Owner, entry: PodResourceClaim) -> ResourceClaim:
        """ApiError (NotFound): there is no such template."""
        name = entry.resourceClaimTemplateName or ""
        template = self._templates.get(f"{owner.metadata.namespace}/{name}")
        if template is None:
            raise ApiError.not_found(ResourceClaimTemplate, name)
        return made_claim(owner, entry.name, template)

    def _sync_claim(self, claim: ResourceClaim) -> None:
        """Give back what no pod needs: reservations, then the devices, then the claim."""
        remaining = tuple(each for each in claim.status.reservedFor if self._still_uses(claim, each))
        protected = FINALIZER in claim.metadata.finalizers
        if len(remaining) < len(claim.status.reservedFor):
            status = replace(claim.status, reservedFor=remaining)
            if not remaining and protected:
                status = replace(status, allocation=None)
            claim = self._api.update_status(replace(claim, status=status), by=NAME)
            if protected and claim.status.allocation is None:
                claim = self._api.update(unprotected(claim), by=NAME)
        elif protected and claim.metadata.deletionTimestamp is not None and not remaining:
            if claim.status.allocation is not None:
                status = replace(claim.status, allocation=None)
                claim = self._api.update_status(replace(claim, status=status), by=NAME)
            claim = self._api.update(unprotected(claim), by=NAME)
        if not remaining:
            self._delete_unused(claim)

    def _delete_unused(self, claim: ResourceClaim) -> None:
        """Delete a claim whose pod exists and will not run: nobody else would delete it while the pod exists."""
        owner = controller_of(claim.metadata)
        if owner is None or owner.kind != "Pod":
            return
        pod = self._pods.get(f"{claim.metadata.namespace}/{owner.name}")
        if pod is not None and (pod.metadata.uid != owner.uid or is_done(pod)):
            with ignore_deleted():
                self._api.delete(ResourceClaim, claim.metadata.namespace, claim.metadata.name, by=NAME)

    def _still_uses(self, claim: ResourceClaim, consumer: ResourceClaimConsumerReference) -> bool:
        """Whether the consumer may still use the claim. One that is neither a pod nor a group does."""
        namespace, name = claim.metadata.namespace, consumer.name
        if self._for_groups and (consumer.apiGroup, consumer.resource) == (GROUP_API, GROUPS):
            group = self._groups.get(f"{namespace}/{name}") or self._api.find(PodGroup, namespace, name)
            return group is not None and group.metadata.uid == consumer.uid
        if consumer.apiGroup or consumer.resource != "pods":
            return True
        pod = self._pods.get(f"{namespace}/{name}") or self._api.find(Pod, namespace, name)
        return pod is not None and pod.metadata.uid == consumer.uid and not is_done(pod)


def is_done(pod: Pod) -> bool:
    """Whether no container of the pod runs or will ever run."""
    return pod.status.phase in TERMINAL or (pod.metadata.deletionTimestamp is not None and not pod.spec.nodeName)


def claim_name(owner: Owner, entry: PodResourceClaim) -> str | None:
    """The name of the claim that belongs to this entry; None if it is not made yet, or none is needed."""
    if entry.resourceClaimTemplateName is None:
        return entry.resourceClaimName
    names = {each.name: each.resourceClaimName for each in owner.status.resourceClaimStatuses}
    return names.get(entry.name)


def made_claim(owner: Owner, entry: str, template: ResourceClaimTemplate) -> ResourceClaim:
    """A new claim for the entry of that name; the pod or group owns it."""
    name = owner.metadata.name
    base = f"{name}-{entry}-"
    if len(base) > _LONGEST_BASE:
        owner_part, entry_part = (text[: len(text) * _LONGEST_BASE // len(base)] for text in (name, entry))
        base = f"{owner_part}-{entry_part}"
    wanted = template.spec.metadata
    return ResourceClaim(
        metadata=ObjectMeta(
            generateName=base,
            namespace=owner.metadata.namespace,
            labels=wanted.labels,
            annotations={**wanted.annotations, ANNOTATION: entry},
            ownerReferences=(OwnerReference(owner.apiVersion, type(owner).__name__, name, owner.metadata.uid, True),),
        ),
        spec=template.spec.spec,
    )


def unprotected(claim: ResourceClaim) -> ResourceClaim:
    """The claim without the finalizer that keeps it while it is allocated."""
    finalizers = tuple(each for each in claim.metadata.finalizers if each != FINALIZER)
    return replace(claim, metadata=replace(claim.metadata, finalizers=finalizers))


def _needs_none(owner: Owner, entry: PodResourceClaim) -> bool:
    """Whether the status says that the entry needs no claim."""
    statuses = owner.status.resourceClaimStatuses
    return any(status.name == entry.name and status.resourceClaimName is None for status in statuses)


def _used_claims(owner: Owner) -> list[str]:
    """The keys of the claims, as far as they have a name."""
    names = [claim_name(owner, entry) for entry in owner.spec.resourceClaims]
    if isinstance(owner, Pod) and (extended := owner.status.extendedResourceClaimStatus) is not None:
        names.append(extended.resourceClaimName)
    return [f"{owner.metadata.namespace}/{name}" for name in names if name]


def _templates(owner: Owner) -> list[str]:
    names = [entry.resourceClaimTemplateName for entry in owner.spec.resourceClaims]
    return [f"{owner.metadata.namespace}/{name}" for name in names if name]


def _group(pod: Pod) -> list[str]:
    group = pod.spec.schedulingGroup
    return [f"{pod.metadata.namespace}/{group.podGroupName}"] if group is not None else []
