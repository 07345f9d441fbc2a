"""Computes a StatefulSet's next writes: its pods have ordinals, and are created and deleted in that order.

v1.37: pkg/controller/statefulset/stateful_set_control.go (updateStatefulSet, processReplica, processCondemned),
stateful_set_utils.go. A changed template does not replace pods (updateStrategy OnDelete), ordinals start
at 0, and claims outlive their pods.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec.structs import replace

from kschedlab.objects.kinds import key_of
from kschedlab.objects.model import (
    PersistentVolumeClaim,
    PersistentVolumeClaimTemplate,
    PersistentVolumeClaimVolume,
    Pod,
    PodTemplate,
    StatefulSet,
    Volume,
)
from kschedlab.simulation.controllers.replicas import pod_from, replicas_of, template_of
from kschedlab.simulation.controllers.writes import Create, Delete, Write
from kschedlab.simulation.pods import TERMINAL, is_ready

POD_NAME, POD_INDEX = "statefulset.kubernetes.io/pod-name", "apps.kubernetes.io/pod-index"

GetClaim = Callable[[str], PersistentVolumeClaim | None]
"""Looks up a claim by ``namespace/name``."""


def ordinal(owner: StatefulSet, name: str) -> int:
    """The ordinal of the pod with this name; -1 if the name is not one of the set's."""
    number = name.removeprefix(f"{owner.metadata.name}-")
    return int(number) if number != name and number.isdecimal() and len(number) < 10 else -1


def next_writes(owner: StatefulSet, pods: Sequence[Pod], claims: GetClaim) -> list[Write]:
    """The writes that are possible before the pods' status changes.

    ``pods``: all of the set's pods, including terminating ones.
    """
    template = template_of(owner)
    if template is None or owner.metadata.deletionTimestamp is not None:
        return []
    in_order = owner.spec.podManagementPolicy != "Parallel"
    numbered = {ordinal(owner, pod.metadata.name): pod for pod in pods}
    writes: list[Write] = []
    for number in range(replicas_of(owner)):
        replica_writes, blocks_next = _process_replica(owner, template, number, numbered.get(number), claims)
        writes += replica_writes
        if blocks_next and in_order:
            return writes
    condemned = [numbered[number] for number in sorted(numbered, reverse=True) if number >= replicas_of(owner)]
    if not in_order:
        return [*writes, *(Delete(pod) for pod in condemned if pod.metadata.deletionTimestamp is None)]
    return [*writes, *_next_condemned(condemned)]


def _process_replica(
    owner: StatefulSet, template: PodTemplate, number: int, pod: Pod | None, claims: GetClaim
) -> tuple[list[Write], bool]:
    """(writes for this pod, whether the pods after it must wait)."""
    if pod is None:
        needed = _claims_of(owner, number)
        existing = [claims(key_of(claim)) for claim in needed]
        if any(claim is not None and claim.metadata.deletionTimestamp is not None for claim in existing):
            return [], True
        missing = [claim for claim, current in zip(needed, existing, strict=True) if current is None]
        return [*map(Create, missing), Create(_pod(owner, template, number))], True
    terminating = pod.metadata.deletionTimestamp is not None
    if pod.status.phase in TERMINAL:
        return [] if terminating else [Delete(pod)], True
    return [], terminating or not _is_running_and_ready(pod)


def _next_condemned(condemned: Sequence[Pod]) -> list[Write]:
    """Delete the pod with the highest ordinal if it is healthy, or the only unhealthy pod.

    ``condemned``: by descending ordinal; all pods that stay are healthy.
    """
    if not condemned or condemned[0].metadata.deletionTimestamp is not None:
        return []
    first = condemned[0]
    faulty = [pod for pod in condemned if pod.metadata.deletionTimestamp is not None or not _is_running_and_ready(pod)]
    return [Delete(first)] if _is_running_and_ready(first) or faulty[-1] is first else []


def _is_running_and_ready(pod: Pod) -> bool:
    return pod.status.phase == "Running" and is_ready(pod)


def _pod(owner: StatefulSet, template: PodTemplate, number: int) -> Pod:
    name = f"{owner.metadata.name}-{number}"
    pod = pod_from(owner, template, {POD_NAME: name, POD_INDEX: str(number)}, name)
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
