"""The resource claim controller: makes claims from templates, and frees those that no pod needs any more.

v1.37: pkg/controller/resourceclaim/controller.go. A claim that was in use and is not any more loses its devices, so
that it can be allocated anew; one that was made for a pod goes with it. (The real controller reserves a claim that
others still use for a finished pod, takes that back, and goes on so; here, finished pods reserve nothing.)
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import simpy
from msgspec.structs import replace

from kschedlab.devices.binding import FINALIZER
from kschedlab.devices.claims import is_reserved_for
from kschedlab.objects.kinds import key_of
from kschedlab.objects.meta import controller_of
from kschedlab.objects.model import (
    ObjectMeta,
    OwnerReference,
    Pod,
    PodResourceClaim,
    PodResourceClaimStatus,
    ResourceClaim,
    ResourceClaimConsumerReference,
    ResourceClaimTemplate,
)
from kschedlab.simulation.controllers.ownership import by_owner, owned_by
from kschedlab.simulation.controllers.work_queue import Latency, WorkQueue, at_once
from kschedlab.simulation.events import WARNING, Record, silent
from kschedlab.simulation.informers import Informers
from kschedlab.simulation.pods import TERMINAL
from kschedlab.simulation.server.api import ApiServer
from kschedlab.simulation.status import ApiError, ignore_deleted

NAME, COMPONENT = "resource-claim-controller", "resource_claim"
"""Of the client, and in events."""
ANNOTATION = "resource.kubernetes.io/pod-claim-name"
"""The annotation of a claim that was made for a pod: which of the pod's claims it is."""
MOST_CONSUMERS = 256
"""How many pods may share a claim (v1.37: resource/v1/types.go, ResourceClaimReservedForMaxSize)."""
NO_TEMPLATE = 'resource claim template "{name}": resourceclaimtemplate.resource.k8s.io "{name}" not found'

_LONGEST_BASE = 57
_OF_TEMPLATE, _USED = "resource claim template", "resource claim"


class Key(NamedTuple):
    """What the controller looks after: a ``Pod`` or a ``ResourceClaim``, by its key."""

    kind: str
    key: str


class ResourceClaims:
    """The controller."""

    def __init__(
        self,
        env: simpy.Environment,
        api: ApiServer,
        informers: Informers,
        record: Record = silent,
        latency: Latency = at_once,
    ) -> None:
        self._api = api
        self._record = record
        self._informers = informers
        self._pods = informers.of(Pod)
        self._pods.index_by(_OF_TEMPLATE, _templates)
        self._pods.index_by(_USED, _used_claims)
        self._claims = by_owner(informers, ResourceClaim)
        self._templates = informers.of(ResourceClaimTemplate)
        self._queue: WorkQueue[Key] = WorkQueue(env, self._sync, latency)

    def start(self) -> None:
        """Begin to watch."""
        self._pods.add_handler(
            on_add=self._pod_changed,
            on_update=lambda _, pod: self._pod_changed(pod),
            on_delete=lambda pod: self._pod_changed(pod, deleted=True),
        )
        self._claims.add_handler(
            on_add=self._claim_changed,
            on_update=lambda _, claim: self._claim_changed(claim),
            on_delete=lambda claim: self._claim_changed(claim, deleted=True),
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

    def _claim_changed(self, claim: ResourceClaim, deleted: bool = False) -> None:
        if not deleted:
            self._queue.add(Key("ResourceClaim", key_of(claim)))
        for pod in self._pods.by_index(_USED, key_of(claim)):
            self._pod_changed(pod)

    def _template_changed(self, template: ResourceClaimTemplate) -> None:
        for pod in self._pods.by_index(_OF_TEMPLATE, key_of(template)):
            self._pod_changed(pod)

    def _work(self, pod: Pod) -> Iterator[bool]:
        """For each claim of the pod, whether it has to be made or reserved."""
        for entry in pod.spec.resourceClaims:
            name = claim_name(pod, entry)
            claim = None if name is None else self._claims.get(f"{pod.metadata.namespace}/{name}")
            if claim is None:
                yield entry.resourceClaimTemplateName is not None and not _needs_none(pod, entry)
            elif entry.resourceClaimTemplateName is None or is_made_for(claim, pod):
                yield bool(pod.spec.nodeName) and _is_to_reserve(claim, pod)

    # -- synchronizing

    def _sync(self, key: Key) -> None:
        if key.kind == "Pod":
            pod = self._pods.get(key.key)
            if pod is not None and pod.metadata.deletionTimestamp is None and not is_done(pod):
                self._sync_pod(pod)
        elif (claim := self._claims.get(key.key)) is not None:
            self._sync_claim(claim)

    def _sync_pod(self, pod: Pod) -> None:
        """Make the claims that the pod lacks, name them in its status, and reserve those of a pod on a node."""
        made: dict[str, str] = {}
        for entry in pod.spec.resourceClaims:
            name = self._claim_for(pod, entry)
            if name is not None:
                made[entry.name] = name
        if made:
            known = {each.name: each.resourceClaimName for each in pod.status.resourceClaimStatuses}
            names = {name: claim for name, claim in known.items() if claim is not None} | made
            statuses = tuple(PodResourceClaimStatus(name, names[name]) for name in sorted(names))
            metadata = pod.metadata
            fields = {"resourceClaimStatuses": statuses}
            with ignore_deleted():
                self._api.patch_status(Pod, metadata.namespace, metadata.name, metadata.uid, by=NAME, **fields)
        if not pod.spec.nodeName:
            return
        for entry in pod.spec.resourceClaims:
            name = claim_name(pod, entry)
            claim = None if name is None else self._claims.get(f"{pod.metadata.namespace}/{name}")
            if claim is not None and _is_to_reserve(claim, pod):
                consumer = ResourceClaimConsumerReference("", "pods", pod.metadata.name, pod.metadata.uid)
                status = replace(claim.status, reservedFor=(*claim.status.reservedFor, consumer))
                self._api.update_status(replace(claim, status=status), by=NAME)

    def _claim_for(self, pod: Pod, entry: PodResourceClaim) -> str | None:
        """The name of the claim, which is new to the pod; None if there is nothing to do. ApiError."""
        if entry.resourceClaimTemplateName is None or _needs_none(pod, entry):
            return None
        name = claim_name(pod, entry)
        if name is not None:
            existing = self._api.find(ResourceClaim, pod.metadata.namespace, name)
            if existing is not None and is_made_for(existing, pod):
                return None
        for claim in owned_by(self._claims, pod):
            if claim.metadata.annotations.get(ANNOTATION) == entry.name:
                return claim.metadata.name
        try:
            return self._api.create(self._from_template(pod, entry), by=NAME).metadata.name
        except ApiError as error:
            why = f"create ResourceClaim : {error}"
            if error.reason == "NotFound":
                why = NO_TEMPLATE.format(name=entry.resourceClaimTemplateName)
            message = f"PodResourceClaim {entry.name}: {why}"
            self._record(pod, WARNING, "FailedResourceClaimCreation", message, COMPONENT)
            raise

    def _from_template(self, pod: Pod, entry: PodResourceClaim) -> ResourceClaim:
        """ApiError (NotFound): there is no such template."""
        name = entry.resourceClaimTemplateName or ""
        template = self._templates.get(f"{pod.metadata.namespace}/{name}")
        if template is None:
            raise ApiError.not_found(ResourceClaimTemplate, name)
        return made_claim(pod, entry.name, template)

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
        """Whether the consumer may still use the claim. One that is no pod does."""
        if consumer.apiGroup or consumer.resource != "pods":
            return True
        pod = self._pods.get(f"{claim.metadata.namespace}/{consumer.name}")
        if pod is None:
            pod = self._api.find(Pod, claim.metadata.namespace, consumer.name)
        return pod is not None and pod.metadata.uid == consumer.uid and not is_done(pod)


def is_done(pod: Pod) -> bool:
    """Whether no container of the pod runs or will ever run."""
    return pod.status.phase in TERMINAL or (pod.metadata.deletionTimestamp is not None and not pod.spec.nodeName)


def claim_name(pod: Pod, entry: PodResourceClaim) -> str | None:
    """The name of the claim that belongs to this entry; None if it is not made yet, or none is needed."""
    if entry.resourceClaimTemplateName is None:
        return entry.resourceClaimName
    names = {each.name: each.resourceClaimName for each in pod.status.resourceClaimStatuses}
    return names.get(entry.name)


def is_made_for(claim: ResourceClaim, pod: Pod) -> bool:
    """Whether the claim was made for the pod."""
    owner = controller_of(claim.metadata)
    return owner is not None and owner.uid == pod.metadata.uid


def made_claim(pod: Pod, entry: str, template: ResourceClaimTemplate) -> ResourceClaim:
    """A new claim for the pod's entry of that name; the pod owns it."""
    base = f"{pod.metadata.name}-{entry}-"
    if len(base) > _LONGEST_BASE:
        pod_part, entry_part = (text[: len(text) * _LONGEST_BASE // len(base)] for text in (pod.metadata.name, entry))
        base = f"{pod_part}-{entry_part}"
    wanted = template.spec.metadata
    return ResourceClaim(
        metadata=ObjectMeta(
            generateName=base,
            namespace=pod.metadata.namespace,
            labels=wanted.labels,
            annotations={**wanted.annotations, ANNOTATION: entry},
            ownerReferences=(OwnerReference("v1", "Pod", pod.metadata.name, pod.metadata.uid, controller=True),),
        ),
        spec=template.spec.spec,
    )


def unprotected(claim: ResourceClaim) -> ResourceClaim:
    """The claim without the finalizer that keeps it while it is allocated."""
    finalizers = tuple(each for each in claim.metadata.finalizers if each != FINALIZER)
    return replace(claim, metadata=replace(claim.metadata, finalizers=finalizers))


def _is_to_reserve(claim: ResourceClaim, pod: Pod) -> bool:
    status = claim.status
    return (
        status.allocation is not None and not is_reserved_for(claim, pod) and len(status.reservedFor) < MOST_CONSUMERS
    )


def _needs_none(pod: Pod, entry: PodResourceClaim) -> bool:
    """Whether the status says that the entry needs no claim."""
    return any(each.name == entry.name and each.resourceClaimName is None for each in pod.status.resourceClaimStatuses)


def _used_claims(pod: Pod) -> list[str]:
    """The keys of the pod's claims, as far as they have a name."""
    names = [claim_name(pod, entry) for entry in pod.spec.resourceClaims]
    if (extended := pod.status.extendedResourceClaimStatus) is not None:
        names.append(extended.resourceClaimName)
    return [f"{pod.metadata.namespace}/{name}" for name in names if name]


def _templates(pod: Pod) -> list[str]:
    names = [entry.resourceClaimTemplateName for entry in pod.spec.resourceClaims]
    return [f"{pod.metadata.namespace}/{name}" for name in names if name]
