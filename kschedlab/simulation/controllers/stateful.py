"""What a StatefulSet does next: its pods have numbers, and come and go in their order.

v1.37: pkg/controller/statefulset/stateful_set_control.go (updateStatefulSet, processReplica, processCondemned),
stateful_set_utils.go. Pods are not replaced when the template changes (updateStrategy OnDelete), they start at number
0, and claims stay when their pods go.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec.structs import replace

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
from kschedlab.simulation.server.resources import key_of

POD_NAME, POD_INDEX = "statefulset.kubernetes.io/pod-name", "apps.kubernetes.io/pod-index"

Claims = Callable[[str], PersistentVolumeClaim | None]
"""Finds by ``namespace/name``."""


def ordinal(owner: StatefulSet, name: str) -> int:
    """The number of the set's pod of that name; -1 if it is none of the set's."""
    number = name.removeprefix(f"{owner.metadata.name}-")
    return int(number) if number != name and number.isdecimal() and len(number) < 10 else -1


def next_writes(owner: StatefulSet, pods: Sequence[Pod], claims: Claims) -> list[Write]:
    """The next step: as far as it can be gone before the pods have caught up.

    ``pods``: all of the set's own, those that are on their way out included.
    """
    template = template_of(owner)
    if template is None or owner.metadata.deletionTimestamp is not None:
        return []
    in_order = owner.spec.podManagementPolicy != "Parallel"
    numbered = {ordinal(owner, pod.metadata.name): pod for pod in pods}
    writes: list[Write] = []
    for number in range(replicas_of(owner)):
        step, waits = _replica(owner, template, number, numbered.get(number), claims)
        writes += step
        if waits and in_order:
            return writes
    condemned = [numbered[number] for number in sorted(numbered, reverse=True) if number >= replicas_of(owner)]
    if not in_order:
        return [*writes, *(Delete(pod) for pod in condemned if pod.metadata.deletionTimestamp is None)]
    return [*writes, *_first_to_go(condemned)]


def _replica(
    owner: StatefulSet, template: PodTemplate, number: int, pod: Pod | None, claims: Claims
) -> tuple[list[Write], bool]:
    """(what this pod needs, whether the pods after it wait for it)."""
    if pod is None:
        wanted = _claims(owner, number)
        there = [claims(key_of(claim)) for claim in wanted]
        if any(claim is not None and claim.metadata.deletionTimestamp is not None for claim in there):
            return [], True
        missing = [claim for claim, found in zip(wanted, there, strict=True) if found is None]
        return [*map(Create, missing), Create(_pod(owner, template, number))], True
    going = pod.metadata.deletionTimestamp is not None
    if pod.status.phase in TERMINAL:
        return [] if going else [Delete(pod)], True
    return [], going or not _is_up(pod)


def _first_to_go(condemned: Sequence[Pod]) -> list[Write]:
    """The pod with the highest number goes, once it is up, unless it is the lowest one that is not.

    ``condemned``: from the highest number down; all pods that stay are up.
    """
    if not condemned or condemned[0].metadata.deletionTimestamp is not None:
        return []
    first = condemned[0]
    faulty = [pod for pod in condemned if pod.metadata.deletionTimestamp is not None or not _is_up(pod)]
    return [Delete(first)] if _is_up(first) or faulty[-1] is first else []


def _is_up(pod: Pod) -> bool:
    return pod.status.phase == "Running" and is_ready(pod)


def _pod(owner: StatefulSet, template: PodTemplate, number: int) -> Pod:
    name = f"{owner.metadata.name}-{number}"
    pod = pod_from(owner, template, {POD_NAME: name, POD_INDEX: str(number)}, name)
    own = tuple(
        Volume(each.metadata.name, PersistentVolumeClaimVolume(_claim_name(owner, each, number)))
        for each in owner.spec.volumeClaimTemplates
    )
    names = {volume.name for volume in own}
    volumes = (*own, *(volume for volume in pod.spec.volumes if volume.name not in names))
    return replace(pod, spec=replace(pod.spec, volumes=volumes)) if own else pod


def _claims(owner: StatefulSet, number: int) -> list[PersistentVolumeClaim]:
    selected = owner.spec.selector.matchLabels if owner.spec.selector is not None else {}
    return [
        PersistentVolumeClaim(
            metadata=replace(
                each.metadata,
                name=_claim_name(owner, each, number),
                namespace=owner.metadata.namespace,
                labels=each.metadata.labels | selected,
            ),
            spec=each.spec,
        )
        for each in owner.spec.volumeClaimTemplates
    ]


def _claim_name(owner: StatefulSet, template: PersistentVolumeClaimTemplate, number: int) -> str:
    return f"{template.metadata.name}-{owner.metadata.name}-{number}"
