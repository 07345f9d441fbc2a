"""Which pods a ReplicaSet or a ReplicationController makes, adopts, lets go and deletes.

v1.37: pkg/controller/replicaset/replica_set.go (manageReplicas, getPodsToDelete), replica_set_utils.go
(calculateStatus), pkg/controller/controller_utils.go (ActivePodsWithRanks), controller_ref_manager.go (ClaimPods).
A ReplicationController is handled as the ReplicaSet that its conversion makes of it
(pkg/controller/replication/conversion.go).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cmp_to_key
from typing import NamedTuple, TypeAlias, TypeVar

from msgspec.structs import replace

from kschedlab.objects.model import (
    ApiObject,
    Deployment,
    Job,
    OwnerReference,
    Pod,
    PodTemplate,
    ReplicaSet,
    ReplicaStatus,
    ReplicationController,
    StatefulSet,
)
from kschedlab.objects.selectors import Selector, SelectorError, from_map
from kschedlab.simulation.controllers.writes import Create, Delete, Update, Write, meta
from kschedlab.simulation.pods import READY, condition_of, controller_of, is_active, is_ready

Owner: TypeAlias = ReplicaSet | ReplicationController | StatefulSet | Deployment | Job
Replicated: TypeAlias = ReplicaSet | ReplicationController
D = TypeVar("D", ReplicaSet, Pod)

BURST = 500
"""No more pods are made or deleted at a time (BurstReplicas)."""

DELETION_COST = "controller.kubernetes.io/pod-deletion-cost"
_COST = re.compile("0|-?[1-9][0-9]{0,9}")
_PHASES = {"Pending": 0, "Unknown": 1, "Running": 2}


# -- what is made from templates


def template_of(owner: Owner) -> PodTemplate | None:
    """What the owner's pods are made from. None if nothing is given: then the owner makes and deletes none."""
    template = owner.spec.template
    return template if template is not None and template.spec.containers else None


def reference_to(owner: ApiObject) -> OwnerReference:
    """The reference of what the owner manages."""
    api_version: str = owner.apiVersion  # type: ignore[attr-defined]  # every kind has it
    metadata = meta(owner)
    return OwnerReference(api_version, type(owner).__name__, metadata.name, metadata.uid, controller=True)


def pod_from(owner: Owner, template: PodTemplate, labels: Mapping[str, str] | None = None, name: str = "") -> Pod:
    """A new pod of the owner, with these labels added; without a name it is the API server that finds one."""
    made = template.metadata
    return Pod(
        metadata=replace(
            made,
            name=name,
            generateName=f"{owner.metadata.name}-",
            namespace=owner.metadata.namespace,
            labels=made.labels | dict(labels or {}),
            ownerReferences=(reference_to(owner),),
            uid="",
            resourceVersion="",
            creationTimestamp=None,
        ),
        spec=template.spec,
    )


# -- whose pods they are


def selector_of(owner: Replicated | StatefulSet | Deployment) -> Selector | None:
    """What the owner selects; None if it selects nothing."""
    if isinstance(owner, ReplicationController):
        return from_map(owner.spec.selector) if owner.spec.selector else None
    try:
        return None if owner.spec.selector is None else owner.spec.selector.compile()
    except SelectorError:
        return None


class Claimed(NamedTuple):
    """What an owner has, what it takes over, and what is no longer its own."""

    own: list[ApiObject]
    adopted: list[ApiObject]
    released: list[ApiObject]

    def writes(self, owner: Owner) -> list[Write]:
        """The changes of ownership."""
        reference = reference_to(owner)
        adopt = [Update(_with_owners(each, (*meta(each).ownerReferences, reference))) for each in self.adopted]
        return [*adopt, *(Update(_with_owners(each, _without(each, reference))) for each in self.released)]


def claim(owner: Owner, selector: Selector | None, candidates: Iterable[ApiObject]) -> Claimed:
    """Sort out whose the candidates of the owner's namespace are: those of other owners are left alone."""
    result = Claimed([], [], [])
    if selector is None:
        return result
    going = owner.metadata.deletionTimestamp is not None
    for candidate in candidates:
        metadata = meta(candidate)
        reference = controller_of(metadata)
        matches = selector.matches(metadata.labels)
        if reference is None and matches and not going and metadata.deletionTimestamp is None:
            result.adopted.append(candidate)
        elif reference is not None and reference.uid == owner.metadata.uid and matches:
            result.own.append(candidate)
        elif reference is not None and reference.uid == owner.metadata.uid and not going:
            result.released.append(candidate)
    return result


def _with_owners(document: ApiObject, owners: tuple[OwnerReference, ...]) -> ApiObject:
    return replace(document, metadata=replace(meta(document), ownerReferences=owners))


def _without(document: ApiObject, reference: OwnerReference) -> tuple[OwnerReference, ...]:
    return tuple(each for each in meta(document).ownerReferences if each.uid != reference.uid)


# -- how many there should be


def replicas_of(owner: Replicated | StatefulSet | Deployment) -> int:
    """How many pods are wanted; one if nothing is said."""
    return 1 if owner.spec.replicas is None else owner.spec.replicas


def scale(owner: Replicated, pods: Sequence[Pod], related: Iterable[Pod], now: int) -> list[Write]:
    """Make the pods that are missing, or delete those that are too many.

    ``pods``: the owner's active ones; ``related``: those of all ReplicaSets of the same Deployment.
    """
    template = template_of(owner)
    if template is None or owner.metadata.deletionTimestamp is not None:
        return []
    missing = replicas_of(owner) - len(pods)
    if missing < 0:
        return [Delete(pod) for pod in pods_to_delete(pods, related, min(-missing, BURST), now)]
    return [Create(pod_from(owner, template))] * min(missing, BURST)


def replica_status(owner: Owner, pods: Iterable[Pod]) -> ReplicaStatus:
    """How many of the owner's pods there are, and are ready; a ready pod is available (minReadySeconds is 0)."""
    pods = list(pods)
    ready = sum(map(is_ready, pods))
    return ReplicaStatus(len(pods), ready, ready, observedGeneration=owner.metadata.generation)


# -- which of too many go


def pods_to_delete(pods: Sequence[Pod], related: Iterable[Pod], count: int, now: int) -> list[Pod]:
    """The ``count`` pods that are missed least; those that are alike in the order given (getPodsToDelete)."""
    neighbours = Counter(pod.spec.nodeName for pod in related if is_active(pod))
    return sorted(pods, key=cmp_to_key(removal_order(neighbours, now)))[:count]


def oldest_last(pods: Sequence[Pod], count: int) -> list[Pod]:
    """The ``count`` pods that a Job misses least: neighbours and costs do not count, ages do exactly (ActivePods)."""
    return sorted(pods, key=cmp_to_key(removal_order({}, None)))[:count]


def removal_order(neighbours: Mapping[str, int], now: int | None) -> Callable[[Pod, Pod], int]:
    """Unassigned first, then pending, not ready, cheap to delete, doubled up, ready for less time, ..."""

    def compare(a: Pod, b: Pod) -> int:
        return (
            _sign(_rank(a, neighbours, now is not None), _rank(b, neighbours, now is not None))
            or _ages(_ready_since(a), _ready_since(b), a, b, now)
            or _rest(a, b, now)
        )

    return compare


def _rank(pod: Pod, neighbours: Mapping[str, int], costs: bool) -> tuple[bool, int, bool, int, int]:
    node = pod.spec.nodeName
    cost = _deletion_cost(pod.metadata.annotations.get(DELETION_COST, "0")) if costs else 0
    return bool(node), _PHASES.get(pod.status.phase, 0), is_ready(pod), cost, -neighbours.get(node, 0)


def _deletion_cost(text: str) -> int:
    """0 if it is not a whole number of 32 bits, written as the API wants it (GetDeletionCostFromPodAnnotations)."""
    cost = int(text) if _COST.fullmatch(text) else 0
    return cost if -(2**31) <= cost < 2**31 else 0


def _rest(a: Pod, b: Pod, now: int | None) -> int:
    """More restarts of containers, then of sidecars, go first; then the younger."""
    made = a.metadata.creationTimestamp, b.metadata.creationTimestamp
    return _sign(_restarts(b), _restarts(a)) or _ages(*made, a, b, now)


def _restarts(pod: Pod) -> tuple[int, int]:
    sidecars = {container.name for container in pod.spec.initContainers if container.restartPolicy == "Always"}
    initial = (s.restartCount for s in pod.status.initContainerStatuses if s.name in sidecars)
    return max((s.restartCount for s in pod.status.containerStatuses), default=0), max(initial, default=0)


def _ready_since(pod: Pod) -> int | None:
    found = condition_of(pod.status.conditions, READY)
    return found.lastTransitionTime if found is not None and found.status == "True" else None


def _ages(a: int | None, b: int | None, first: Pod, second: Pod, now: int | None) -> int:
    """The younger goes first, where ages of the same power of two are alike and the uid decides.

    A time that is not known comes before all others.
    """
    if a == b:
        return 0
    if a is None or b is None:
        return -1 if a is None else 1
    if now is None:
        return -1 if a > b else 1
    return _sign(_power(now - a), _power(now - b)) or _sign(first.metadata.uid, second.metadata.uid)


def _power(age: int) -> int:
    """The power of two in an age's nanoseconds (logarithmicRankDiff)."""
    return (age * 1000).bit_length() - 1 if age > 0 else -1


C = TypeVar("C", int, str, tuple[int, int], tuple[bool, int, bool, int, int])


def _sign(a: C, b: C) -> int:
    return (a > b) - (a < b)
