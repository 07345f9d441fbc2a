"""Which pods a ReplicaSet or a ReplicationController creates, adopts, releases and deletes.

v1.37: pkg/controller/replicaset/replica_set.go (manageReplicas, getPodsToDelete), replica_set_utils.go
(calculateStatus), pkg/controller/controller_utils.go (ActivePodsWithRanks), controller_ref_manager.go (ClaimPods).
A ReplicationController is handled like the ReplicaSet that it converts to
(pkg/controller/replication/conversion.go).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cmp_to_key
from typing import NamedTuple, TypeAlias, TypeVar

from msgspec.structs import replace

from kschedlab.objects.meta import SECOND, controller_of
from kschedlab.objects.model import (
    ApiObject,
    Condition,
    DaemonSet,
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
from kschedlab_simulation.controllers.writes import Create, Delete, Update, Write, meta
from kschedlab_simulation.pods import READY, condition_of, is_active, is_ready, with_condition

Owner: TypeAlias = ReplicaSet | ReplicationController | StatefulSet | Deployment | Job
Replicated: TypeAlias = ReplicaSet | ReplicationController
D = TypeVar("D", ReplicaSet, Pod)

BURST_REPLICAS = 500
"""The maximum number of pods created or deleted in one sync (BurstReplicas)."""

REPLICA_FAILURE = "ReplicaFailure"
"""The type of the condition that pods cannot be created or deleted."""

DELETION_COST = "controller.kubernetes.io/pod-deletion-cost"
_COST = re.compile("0|-?[1-9][0-9]{0,9}")
_PHASES = {"Pending": 0, "Unknown": 1, "Running": 2}


# -- templates


def template_of(owner: Owner) -> PodTemplate | None:
    """The owner's pod template. None if it has no containers: the owner then creates and deletes no pods."""
    template = owner.spec.template
    return template if template is not None and template.spec.containers else None


def reference_to(owner: ApiObject) -> OwnerReference:
    """The owner reference for an object that the owner controls."""
    api_version = owner.apiVersion
    metadata = meta(owner)
    return OwnerReference(api_version, type(owner).__name__, metadata.name, metadata.uid, controller=True)


def pod_from(
    owner: Owner | DaemonSet, template: PodTemplate, labels: Mapping[str, str] | None = None, name: str = ""
) -> Pod:
    """A new pod of the owner with these additional labels; without a name, the API server generates one."""
    metadata = template.metadata
    return Pod(
        metadata=replace(
            metadata,
            name=name,
            generateName=f"{owner.metadata.name}-",
            namespace=owner.metadata.namespace,
            labels=metadata.labels | dict(labels or {}),
            ownerReferences=(reference_to(owner),),
            uid="",
            resourceVersion="",
            creationTimestamp=None,
        ),
        spec=template.spec,
    )


# -- ownership


def selector_of(owner: Replicated | StatefulSet | Deployment) -> Selector | None:
    """The owner's selector; None if it selects nothing."""
    if isinstance(owner, ReplicationController):
        return from_map(owner.spec.selector) if owner.spec.selector else None
    try:
        return None if owner.spec.selector is None else owner.spec.selector.compile()
    except SelectorError:
        return None


class ClaimedObjects(NamedTuple):
    """Objects that the owner controls and keeps, adopts, and releases."""

    owned: list[ApiObject]
    adopted: list[ApiObject]
    released: list[ApiObject]

    def writes(self, owner: Owner) -> list[Write]:
        """The updates of owner references."""
        reference = reference_to(owner)
        adopt = [Update(_with_owners(each, (*meta(each).ownerReferences, reference))) for each in self.adopted]
        return [*adopt, *(Update(_with_owners(each, _owners_without(each, reference))) for each in self.released)]


def claim(owner: Owner, selector: Selector | None, candidates: Iterable[ApiObject]) -> ClaimedObjects:
    """Sort the candidates from the owner's namespace; objects of other owners are ignored."""
    result = ClaimedObjects([], [], [])
    if selector is None:
        return result
    deleting = owner.metadata.deletionTimestamp is not None
    for candidate in candidates:
        metadata = meta(candidate)
        reference = controller_of(metadata)
        matches = selector.matches(metadata.labels)
        if reference is None and matches and not deleting and metadata.deletionTimestamp is None:
            result.adopted.append(candidate)
        elif reference is not None and reference.uid == owner.metadata.uid and matches:
            result.owned.append(candidate)
        elif reference is not None and reference.uid == owner.metadata.uid and not deleting:
            result.released.append(candidate)
    return result


def _with_owners(obj: ApiObject, owners: tuple[OwnerReference, ...]) -> ApiObject:
    return replace(obj, metadata=replace(meta(obj), ownerReferences=owners))


def _owners_without(obj: ApiObject, reference: OwnerReference) -> tuple[OwnerReference, ...]:
    return tuple(each for each in meta(obj).ownerReferences if each.uid != reference.uid)


# -- scale


def replicas_of(owner: Replicated | StatefulSet | Deployment) -> int:
    """The desired number of pods; 1 by default."""
    return 1 if owner.spec.replicas is None else owner.spec.replicas


def scale(owner: Replicated, pods: Sequence[Pod], related: Iterable[Pod], now: int) -> list[Write]:
    """Create the missing pods, or delete the surplus ones.

    ``pods``: the owner's active pods; ``related``: the pods of all ReplicaSets of the same Deployment.
    """
    template = template_of(owner)
    if template is None or owner.metadata.deletionTimestamp is not None:
        return []
    missing = replicas_of(owner) - len(pods)
    if missing < 0:
        return [Delete(pod) for pod in pods_to_delete(pods, related, min(-missing, BURST_REPLICAS), now)]
    return [Create(pod_from(owner, template))] * min(missing, BURST_REPLICAS)


def replica_status(owner: Replicated, pods: Sequence[Pod], terminating: int, failure: str, now: int) -> ReplicaStatus:
    """The status: counts of the owner's active and terminating pods, and why the last sync failed, if it did."""
    template = template_of(owner)
    labels = template.metadata.labels.items() if template is not None else ()
    return ReplicaStatus(
        replicas=len(pods),
        fullyLabeledReplicas=sum(labels <= pod.metadata.labels.items() for pod in pods) if labels else len(pods),
        readyReplicas=sum(map(is_ready, pods)),
        availableReplicas=sum(available_in(pod, owner.spec.minReadySeconds, now) == 0 for pod in pods),
        terminatingReplicas=terminating if isinstance(owner, ReplicaSet) else None,
        observedGeneration=owner.metadata.generation,
        conditions=_failure_conditions(owner, len(pods), failure, now),
    )


def _failure_conditions(owner: Replicated, count: int, failure: str, now: int) -> tuple[Condition, ...]:
    conditions = owner.status.conditions
    if not failure:
        return tuple(condition for condition in conditions if condition.type != REPLICA_FAILURE)
    reason = "FailedCreate" if count < replicas_of(owner) else "FailedDelete" if count > replicas_of(owner) else ""
    known = condition_of(conditions, REPLICA_FAILURE)
    return conditions if known else with_condition(conditions, Condition(REPLICA_FAILURE, "True", reason, failure), now)


def available_in(pod: Pod, min_ready_seconds: int, now: int) -> int | None:
    """Microseconds until the pod has been ready for long enough; 0: it has; None: it is not ready."""
    since = _ready_since(pod) if is_ready(pod) else None
    if since is None or not min_ready_seconds:
        return 0 if is_ready(pod) else None
    return max(0, since + min_ready_seconds * SECOND - now)


def next_available_in(pods: Iterable[Pod], min_ready_seconds: int, now: int) -> int | None:
    """Microseconds until the next of the pods becomes available; None if no pod waits for that."""
    waits = (available_in(pod, min_ready_seconds, now) for pod in pods)
    return min((wait for wait in waits if wait), default=None)


# -- which pods to delete


def pods_to_delete(pods: Sequence[Pod], related: Iterable[Pod], count: int, now: int) -> list[Pod]:
    """The ``count`` pods to delete first; equal pods keep their order (getPodsToDelete)."""
    neighbours = Counter(pod.spec.nodeName for pod in related if is_active(pod))
    return sorted(pods, key=cmp_to_key(removal_order(neighbours, now)))[:count]


def job_pods_to_delete(pods: Sequence[Pod], count: int) -> list[Pod]:
    """The ``count`` pods that a Job deletes first, without neighbours and costs, and by exact age (ActivePods)."""
    return sorted(pods, key=cmp_to_key(removal_order({}, None)))[:count]


def removal_order(neighbours: Mapping[str, int], now: int | None) -> Callable[[Pod, Pod], int]:
    """Compare pods: unassigned first, then pending, not ready, low deletion cost, more neighbours, ready later, ..."""

    def compare(a: Pod, b: Pod) -> int:
        return (
            _compare(_rank(a, neighbours, now is not None), _rank(b, neighbours, now is not None))
            or _compare_times(_ready_since(a), _ready_since(b), a, b, now)
            or _compare_restarts_and_ages(a, b, now)
        )

    return compare


def _rank(pod: Pod, neighbours: Mapping[str, int], costs: bool) -> tuple[bool, int, bool, int, int]:
    node = pod.spec.nodeName
    cost = _deletion_cost(pod.metadata.annotations.get(DELETION_COST, "0")) if costs else 0
    return bool(node), _PHASES.get(pod.status.phase, 0), is_ready(pod), cost, -neighbours.get(node, 0)


def _deletion_cost(text: str) -> int:
    """0 unless the text is a 32-bit integer in the API's notation (GetDeletionCostFromPodAnnotations)."""
    cost = int(text) if _COST.fullmatch(text) else 0
    return cost if -(2**31) <= cost < 2**31 else 0


def _compare_restarts_and_ages(a: Pod, b: Pod, now: int | None) -> int:
    """Pods with more restarts of containers, then of sidecars, go first; then younger pods."""
    metadata = a.metadata.creationTimestamp, b.metadata.creationTimestamp
    return _compare(_restarts(b), _restarts(a)) or _compare_times(*metadata, a, b, now)


def _restarts(pod: Pod) -> tuple[int, int]:
    sidecars = {container.name for container in pod.spec.initContainers if container.restartPolicy == "Always"}
    initial = (s.restartCount for s in pod.status.initContainerStatuses if s.name in sidecars)
    return max((s.restartCount for s in pod.status.containerStatuses), default=0), max(initial, default=0)


def _ready_since(pod: Pod) -> int | None:
    condition = condition_of(pod.status.conditions, READY)
    return condition.lastTransitionTime if condition is not None and condition.status == "True" else None


def _compare_times(a: int | None, b: int | None, first: Pod, second: Pod, now: int | None) -> int:
    """The younger goes first. Ages within the same power of two are equal, and then the uid decides.

    An unknown time comes before all others. Without ``now``, exact times decide.
    """
    if a == b:
        return 0
    if a is None or b is None:
        return _compare(b is None, a is None)
    if now is None:
        return _compare(b, a)
    return _compare(_age_magnitude(now - a), _age_magnitude(now - b)) or _compare(
        first.metadata.uid, second.metadata.uid
    )


def _age_magnitude(age: int) -> int:
    """The digits of an age in nanoseconds as a binary number; 0 of one in the future (logarithmicRankDiff)."""
    return (max(age, 0) * 1000).bit_length()


C = TypeVar("C", int, str, tuple[int, int], tuple[bool, int, bool, int, int])


def _compare(a: C, b: C) -> int:
    return (a > b) - (a < b)
