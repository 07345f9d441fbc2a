"""The claims of a pod, and who may use them.

v1.37: k8s.io/dynamic-resource-allocation/resourceclaim/resourceclaim.go (Name, IsForPod, IsReservedForPod) and
pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go (foreachPodResourceClaim). A claim is shared by as
many pods as the API server lets reserve it, so a claim in use rejects nobody.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

from kschedlab.objects.meta import controller_of
from kschedlab.objects.model import AllocationResult, Pod, PodResourceClaim, ResourceClaim

Find: TypeAlias = Callable[[tuple[str, str]], ResourceClaim | None]
"""(namespace, name) -> the claim, or None if there is none."""

NOT_CREATED = 'pod "{pod}": ResourceClaim not created yet'
UNSUPPORTED = 'pod "{pod}", spec.resourceClaim "{name}": none of the supported fields are set'
NOT_FOUND = 'could not find ResourceClaim "{key}"'
TERMINATING = 'resourceclaim "{name}" is being deleted'
FOREIGN = "ResourceClaim {key} was not created for Pod {pod} (Pod is not owner)"


class PendingAllocation(AllocationResult, frozen=True):
    """An allocation that a scheduler has decided on and not written yet. It holds its devices; the claim must wait."""


class SharedAllocation(AllocationResult, frozen=True):
    """What an earlier pod of the group gets in this cycle, written nowhere yet. The claim's other pods share it."""


class ClaimError(Exception):
    """Why the pod has to wait for one of its claims; the message is the real scheduler's."""


def claims_of(pod: Pod, find: Find) -> tuple[ResourceClaim, ...]:
    """The pod's claims, in its order; entries that need none are left out. ClaimError for the first that is not ready.

    A claim that two entries name stands there twice.
    """
    return tuple(_ready(pod, find, name, own) for name, own in claim_names(pod))


def claims_fault(pod: Pod, find: Find) -> str:
    """Why the pod has to wait for its claims, or "". This is the plugin's PreEnqueue."""
    try:
        claims_of(pod, find)
    except ClaimError as error:
        return str(error)
    return ""


def claim_names(pod: Pod) -> Iterator[tuple[str, bool]]:
    """The names of the pod's claims, and whether the pod must own the claim. ClaimError if one is not made yet."""
    for entry in pod.spec.resourceClaims:
        name, own = _name(pod, entry)
        if name is not None:
            yield name, own


def is_reserved_for(claim: ResourceClaim, pod: Pod) -> bool:
    """Whether the claim is reserved for the pod."""
    return any(consumer.uid == pod.metadata.uid for consumer in claim.status.reservedFor)


def _name(pod: Pod, entry: PodResourceClaim) -> tuple[str | None, bool]:
    if entry.resourceClaimName is not None:
        return entry.resourceClaimName, False
    if entry.resourceClaimTemplateName is None:
        raise ClaimError(UNSUPPORTED.format(pod=pod.key, name=entry.name))
    for status in pod.status.resourceClaimStatuses:
        if status.name == entry.name:
            return status.resourceClaimName, True
    raise ClaimError(NOT_CREATED.format(pod=pod.key))


def _ready(pod: Pod, find: Find, name: str, own: bool) -> ResourceClaim:
    namespace = pod.metadata.namespace
    claim = find((namespace, name))
    if claim is None:
        raise ClaimError(NOT_FOUND.format(key=f"{namespace}/{name}"))
    if claim.metadata.deletionTimestamp is not None:
        raise ClaimError(TERMINATING.format(name=name))
    owner = controller_of(claim.metadata) if own else None
    if own and (owner is None or owner.uid != pod.metadata.uid):
        raise ClaimError(FOREIGN.format(key=f"{namespace}/{name}", pod=pod.key))
    return claim
