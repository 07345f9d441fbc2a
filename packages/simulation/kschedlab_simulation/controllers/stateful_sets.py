"""Computes a StatefulSet's next writes and status: its pods have ordinals, and come and go in that order.

v1.37: pkg/controller/statefulset/stateful_set_control.go (updateStatefulSet, processReplica, processCondemned,
updateStatefulSetAfterInvariantEstablished), stateful_set_utils.go. Ordinals start at 0, and claims outlive their pods.
The controller keeps the revisions of the template to itself: there are no ControllerRevisions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from kschedlab.objects.kinds import key_of
from kschedlab.objects.model import (
    PersistentVolumeClaim,
    PersistentVolumeClaimTemplate,
    PersistentVolumeClaimVolume,
    Pod,
    PodTemplate,
    StatefulSet,
    StatefulSetStatus,
    Volume,
)
from kschedlab_simulation.controllers.replicas import available_in, pod_from, replicas_of, template_of
from kschedlab_simulation.controllers.template_hash import revision_hash
from kschedlab_simulation.controllers.writes import Create, Delete, Write
from kschedlab_simulation.pods import TERMINAL, is_ready

POD_NAME, POD_INDEX = "statefulset.kubernetes.io/pod-name", "apps.kubernetes.io/pod-index"
REVISION = "controller-revision-hash"

GetClaim = Callable[[str], PersistentVolumeClaim | None]
"""Looks up a claim by ``namespace/name``."""


class Revisions(NamedTuple):
    """The names of the template that the pods have, and of the one that they are to have; both templates."""

    current: str
    update: str
    templates: dict[str, PodTemplate]

    def of(self, pod: Pod) -> str:
        """The pod's revision: the current one if it has no label, as a pod that was written by hand."""
        return pod.metadata.labels.get(REVISION, self.current)


def revisions(owner: StatefulSet, pods: Sequence[Pod], known: dict[str, PodTemplate]) -> Revisions:
    """``known``: the templates of earlier revisions by name; an equal one keeps its name (getStatefulSetRevisions)."""
    template, status = owner.spec.template or PodTemplate(), owner.status
    names = {pod.metadata.labels[REVISION] for pod in pods if REVISION in pod.metadata.labels}
    update = next((name for name, each in known.items() if each == template), "")
    if not update and not known:  # as the set was stored at first
        observed = status.observedGeneration == owner.metadata.generation
        update = status.updateRevision if observed else "" if status.updateRevision or len(names) != 1 else names.pop()
    update = update or f"{owner.metadata.name}-{revision_hash(template, status.collisionCount or 0)}"
    templates = {**known, update: template}
    return Revisions(status.currentRevision if status.currentRevision in templates else update, update, templates)


def ordinal(owner: StatefulSet, name: str) -> int:
    """The ordinal of the pod with this name; -1 if the name is not one of the set's."""
    number = name.removeprefix(f"{owner.metadata.name}-")
    if number == name or not number.isdecimal() or int(number) >= 2**31:
        return -1
    return int(number)


def next_writes(
    owner: StatefulSet, pods: Sequence[Pod], revisions: Revisions, claims: GetClaim, now: int
) -> list[Write]:
    """The writes that are possible before the pods' status changes.

    ``pods``: all of the set's pods, including terminating ones.
    """
    if template_of(owner) is None or owner.metadata.deletionTimestamp is not None:
        return []
    in_order = owner.spec.podManagementPolicy != "Parallel"
    numbered = {ordinal(owner, pod.metadata.name): pod for pod in pods}
    writes: list[Write] = []
    for number in range(replicas_of(owner)):
        pod = numbered.get(number)
        replica_writes, blocks_next = _process_replica(owner, revisions, number, pod, claims, now)
        writes += replica_writes
        if blocks_next and in_order:
            return writes
    condemned = [numbered[number] for number in sorted(numbered, reverse=True) if number >= replicas_of(owner)]
    if not in_order:
        writes += (Delete(pod) for pod in condemned if pod.metadata.deletionTimestamp is None)
    elif condemned:
        return [*writes, *_next_condemned(owner, condemned, now)]
    replicas = [numbered.get(number) for number in range(replicas_of(owner))]
    return [*writes, *map(Delete, _outdated(owner, replicas, revisions, now))]


def _process_replica(
    owner: StatefulSet, revisions: Revisions, number: int, pod: Pod | None, claims: GetClaim, now: int
) -> tuple[list[Write], bool]:
    """(writes for this pod, whether the pods after it must wait)."""
    if pod is None:
        needed = _claims_of(owner, number)
        existing = [claims(key_of(claim)) for claim in needed]
        if any(claim is not None and claim.metadata.deletionTimestamp is not None for claim in existing):
            return [], True
        missing = [claim for claim, current in zip(needed, existing, strict=True) if current is None]
        return [*map(Create, missing), Create(_pod(owner, revisions, number))], True
    terminating = pod.metadata.deletionTimestamp is not None
    if pod.status.phase in TERMINAL:
        return [] if terminating else [Delete(pod)], True
    return [], terminating or not _is_available(owner, pod, now)


def _next_condemned(owner: StatefulSet, condemned: Sequence[Pod], now: int) -> list[Write]:
    """Delete the pod with the highest ordinal if it is healthy, or the only unhealthy pod.

    ``condemned``: by descending ordinal; all pods that stay are healthy.
    """
    first = condemned[0]
    if first.metadata.deletionTimestamp is not None:
        return []
    faulty = [pod for pod in condemned if _is_unavailable(owner, pod, now)]
    return [Delete(first)] if _is_available(owner, first, now) or faulty[-1] is first else []


def _outdated(owner: StatefulSet, replicas: Sequence[Pod | None], revisions: Revisions, now: int) -> list[Pod]:
    """The pods to replace now because of their template, from the highest ordinal down.

    ``replicas``: by ordinal, None for one that is still missing. As many as may be unavailable at a time; those that
    are unavailable anyway go first if the set's pods need no order.
    """
    strategy = owner.spec.updateStrategy
    if strategy.type != "RollingUpdate":
        return []
    down = [pod for pod in replicas if pod is None or _is_unavailable(owner, pod, now)]
    partition = strategy.rollingUpdate.partition if strategy.rollingUpdate is not None else 0
    old = [pod for pod in reversed(replicas[partition:]) if pod is not None and revisions.of(pod) != revisions.update]
    old = [pod for pod in old if pod.metadata.deletionTimestamp is None]
    budget = max(0, _max_unavailable(owner) - len(down))
    if owner.spec.podManagementPolicy != "Parallel":
        return old[:budget]
    broken = [pod for pod in old if not _is_available(owner, pod, now)]
    return [*broken, *[pod for pod in old if _is_available(owner, pod, now)][:budget]]


def _max_unavailable(owner: StatefulSet) -> int:
    rolling = owner.spec.updateStrategy.rollingUpdate
    limit = rolling.maxUnavailable if rolling is not None else None
    if isinstance(limit, str):
        limit = int(limit.removesuffix("%")) * replicas_of(owner) // 100
    return max(1, limit or 1)


def _is_available(owner: StatefulSet, pod: Pod, now: int) -> bool:
    return pod.status.phase == "Running" and available_in(pod, owner.spec.minReadySeconds, now) == 0


def _is_unavailable(owner: StatefulSet, pod: Pod, now: int) -> bool:
    return pod.metadata.deletionTimestamp is not None or not _is_available(owner, pod, now)


def status_of(owner: StatefulSet, pods: Sequence[Pod], revisions: Revisions, now: int) -> StatefulSetStatus:
    """The status: counts of the pods by health and revision; the update is complete once all pods are of its."""
    staying = [revisions.of(pod) for pod in pods if pod.metadata.deletionTimestamp is None]
    status = StatefulSetStatus(
        replicas=len(pods),
        readyReplicas=sum(pod.status.phase == "Running" and is_ready(pod) for pod in pods),
        availableReplicas=sum(_is_available(owner, pod, now) for pod in pods),
        currentReplicas=staying.count(revisions.current),
        updatedReplicas=staying.count(revisions.update),
        currentRevision=revisions.current,
        updateRevision=revisions.update,
        collisionCount=owner.status.collisionCount or 0,
        observedGeneration=owner.metadata.generation,
        conditions=owner.status.conditions,
    )
    if (status.updatedReplicas, status.readyReplicas, status.replicas) == (replicas_of(owner),) * 3:
        return replace(status, currentReplicas=status.updatedReplicas, currentRevision=revisions.update)
    return status


# -- pods and claims


def _pod(owner: StatefulSet, revisions: Revisions, number: int) -> Pod:
    """The pod with this ordinal, of the revision that the partition leaves it (newVersionedStatefulSetPod)."""
    rolling = owner.spec.updateStrategy.rollingUpdate
    revision = revisions.current if rolling is not None and number < rolling.partition else revisions.update
    name = f"{owner.metadata.name}-{number}"
    labels = {POD_NAME: name, POD_INDEX: str(number), REVISION: revision}
    pod = pod_from(owner, revisions.templates[revision], labels, name)
    claim_volumes = tuple(
        Volume(each.metadata.name, PersistentVolumeClaimVolume(_claim_name(owner, each, number)))
        for each in owner.spec.volumeClaimTemplates
    )
    names = {volume.name for volume in claim_volumes}
    volumes = (*claim_volumes, *(volume for volume in pod.spec.volumes if volume.name not in names))
    return replace(pod, spec=replace(pod.spec, volumes=volumes)) if claim_volumes else pod


def _claims_of(owner: StatefulSet, number: int) -> list[PersistentVolumeClaim]:
    selector_labels = owner.spec.selector.matchLabels if owner.spec.selector is not None else {}
    claims = []
    for template in owner.spec.volumeClaimTemplates:
        metadata = replace(
            template.metadata,
            name=_claim_name(owner, template, number),
            namespace=owner.metadata.namespace,
            labels=template.metadata.labels | selector_labels,
        )
        claims.append(PersistentVolumeClaim(metadata=metadata, spec=template.spec))
    return claims


def _claim_name(owner: StatefulSet, template: PersistentVolumeClaimTemplate, number: int) -> str:
    return f"{template.metadata.name}-{owner.metadata.name}-{number}"
