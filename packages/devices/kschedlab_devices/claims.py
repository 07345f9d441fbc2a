"""The claims of a pod or a pod group, and who may use them.

v1.37: k8s.io/dynamic-resource-allocation/resourceclaim/resourceclaim.go (Name, IsForPod, IsReservedForPod, BindTo) and
pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go (foreachPodResourceClaim). A claim is shared by as
many pods as the API server lets reserve it, so a claim in use rejects nobody.

``for_group`` (the gate DRAWorkloadResourceClaims, :attr:`~kschedlab.objects.api.Api.group_claims`): what is made or
reserved for the pod's group is the pod's, too. A pod knows its group by its name alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

from kschedlab.objects.meta import controller_of
from kschedlab.objects.model import (
    AllocationResult,
    Pod,
    PodGroup,
    PodResourceClaim,
    ResourceClaim,
    ResourceClaimConsumerReference,
)

Find: TypeAlias = Callable[[tuple[str, str]], ResourceClaim | None]
"""(namespace, name) -> the claim, or None if there is none."""
Consumer: TypeAlias = ResourceClaimConsumerReference

NOT_CREATED = "{owner}: ResourceClaim not created yet"
UNSUPPORTED = '{owner}, spec.resourceClaim "{name}": none of the supported fields are set'
NOT_FOUND = 'could not find ResourceClaim "{key}"'
TERMINATING = 'resourceclaim "{name}" is being deleted'
FOREIGN = "ResourceClaim {key} was not created for Pod {pod} ({why})"
GROUP_API, GROUPS = "scheduling.k8s.io", "podgroups"


class PendingAllocation(AllocationResult, frozen=True):
    """An allocation that a scheduler has decided on and not written yet. It holds its devices; the claim must wait."""


class SharedAllocation(AllocationResult, frozen=True):
    """An allocation for an earlier pod of the group in this cycle, not written yet. The claim's other pods share it."""


class ClaimError(Exception):
    """Why the pod has to wait for one of its claims; the message is the real scheduler's."""


def claims_of(pod: Pod, find: Find, for_group: bool) -> tuple[ResourceClaim, ...]:
    """The pod's claims, in its order; entries that need none are left out. ClaimError for the first that is not ready.

    A claim that two entries name is there twice.
    """
    return tuple(_ready(pod, find, name, own, for_group) for name, own in claim_names(pod))


def claims_fault(pod: Pod, find: Find, for_group: bool) -> str:
    """Why the pod has to wait for its claims, or "". This is the plugin's PreEnqueue."""
    try:
        claims_of(pod, find, for_group)
    except ClaimError as error:
        return str(error)
    return ""


def claim_names(owner: Pod | PodGroup) -> Iterator[tuple[str, bool]]:
    """The names of the claims, and whether the pod or group must own the claim. ClaimError if one is not made yet."""
    for entry in owner.spec.resourceClaims:
        name, own = _name(owner, entry)
        if name is not None:
            yield name, own


def owner_fault(claim: ResourceClaim, pod: Pod, for_group: bool) -> str:
    """Why the claim was not made for the pod, or "" (IsForPod)."""
    owner, group = controller_of(claim.metadata), _group_name(pod) if for_group else None
    if owner is not None and owner.uid == pod.metadata.uid:
        return ""
    is_group = owner is not None and owner.kind == "PodGroup" and owner.apiVersion.startswith(f"{GROUP_API}/")
    if owner is not None and is_group and owner.name == group:
        return ""
    why = "Pod is not owner" if group is None else f"neither Pod nor PodGroup {group} is the owner"
    return FOREIGN.format(key=f"{claim.metadata.namespace}/{claim.metadata.name}", pod=pod.key, why=why)


def is_reserved_for(claim: ResourceClaim, pod: Pod, for_group: bool = False) -> bool:
    group = GROUP_API, GROUPS, _group_name(pod) if for_group else None
    return any(
        each.uid == pod.metadata.uid or (each.apiGroup, each.resource, each.name) == group
        for each in claim.status.reservedFor
    )


def consumer_of(pod: Pod, group: PodGroup | None = None, entry: PodResourceClaim | None = None) -> Consumer:
    """For whom the pod's claim is reserved: for its group, if that has the same claim (BindTo)."""
    if group is not None and entry in group.spec.resourceClaims:
        return Consumer(GROUP_API, GROUPS, group.metadata.name, group.metadata.uid)
    return Consumer("", "pods", pod.metadata.name, pod.metadata.uid)


def _group_name(pod: Pod) -> str | None:
    return pod.spec.schedulingGroup.podGroupName if pod.spec.schedulingGroup is not None else None


def _name(owner: Pod | PodGroup, entry: PodResourceClaim) -> tuple[str | None, bool]:
    if entry.resourceClaimName is not None:
        return entry.resourceClaimName, False
    key = f"{owner.metadata.namespace}/{owner.metadata.name}"
    who = f'pod "{key}"' if isinstance(owner, Pod) else f"PodGroup {key}"
    if entry.resourceClaimTemplateName is None:
        raise ClaimError(UNSUPPORTED.format(owner=who, name=entry.name))
    for status in owner.status.resourceClaimStatuses:
        if status.name == entry.name:
            return status.resourceClaimName, True
    raise ClaimError(NOT_CREATED.format(owner=who))


def _ready(pod: Pod, find: Find, name: str, own: bool, for_group: bool) -> ResourceClaim:
    namespace = pod.metadata.namespace
    claim = find((namespace, name))
    if claim is None:
        raise ClaimError(NOT_FOUND.format(key=f"{namespace}/{name}"))
    if claim.metadata.deletionTimestamp is not None:
        raise ClaimError(TERMINATING.format(name=name))
    if own and (fault := owner_fault(claim, pod, for_group)):
        raise ClaimError(fault)
    return claim
