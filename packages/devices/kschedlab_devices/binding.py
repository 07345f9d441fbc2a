"""From a decision to allocated claims: what Reserve, PreBind, Unreserve and PostFilter write.

These are functions from objects to objects. Whoever keeps them (an API server, a cluster) stores the results.

v1.37: pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go (Reserve, bindClaim, Unreserve, PostFilter)
and extendeddynamicresources.go (createExtendedResourceClaimInAPI, patchPodExtendedResourceClaimStatus).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from msgspec.structs import asdict, replace

from kschedlab.filter.dynamic_resources import GivenBack
from kschedlab.objects.meta import Time
from kschedlab.objects.model import (
    AllocationResult,
    Pod,
    PodExtendedResourceClaimStatus,
    PodGroup,
    ResourceClaim,
)
from kschedlab_devices.claims import Consumer, PendingAllocation, consumer_of, is_reserved_for
from kschedlab_devices.demand import NOT_AVAILABLE, Demand, DemandError
from kschedlab_devices.extended_resources import IN_MEMORY, Mappings

FINALIZER = "resource.kubernetes.io/delete-protection"
NO_ALLOCATION = "claim allocation not found for node"
DELETED = "claim {claim} got deleted in the meantime"
ALLOCATED = "claim {claim} got allocated elsewhere in the meantime"
DEALLOCATED = "claim {claim} got deallocated elsewhere in the meantime"
NO_MAPPINGS = "nil or empty request mappings, no update of pod {pod} ExtendedResourceClaimStatus"
GIVEN_BACK = "deallocation of ResourceClaim completed"
DISCARDED = "deletion of ResourceClaim completed"


@dataclass(frozen=True)
class Reservation:
    """The writes that a pod on its node still has to make.

    ``claims``: all claims of the pod, as the decision saw them, with the requests of the one for extended resources;
    ``allocations``: for each of them the devices that it is to get, None if it has them. ``extended``: whether the last
    one is for extended resources; ``mappings``: which of its requests serves which container. ``consumers``: for whom
    the claims are reserved, as far as it need not be the pod.
    """

    claims: tuple[ResourceClaim, ...] = ()
    allocations: tuple[AllocationResult | None, ...] = ()
    extended: bool = False
    mappings: Mappings = ()
    consumers: tuple[Consumer, ...] = ()

    def consumer(self, index: int, pod: Pod) -> Consumer:
        """For whom the claim at this index is reserved."""
        return self.consumers[index] if index < len(self.consumers) else consumer_of(pod)

    def is_extended(self, claim: ResourceClaim) -> bool:
        """Whether it is the claim for extended resources, which nobody has created yet."""
        return self.extended and claim is self.claims[-1]

    @property
    def in_flight(self) -> tuple[ResourceClaim, ...]:
        """The claims that hold their devices from now on, although nothing is written yet."""
        return tuple(
            _in_flight(claim, allocation)
            for claim, allocation in zip(self.claims, self.allocations, strict=True)
            if allocation is not None
        )


def reserve(demand: Demand, position: int, consumers: tuple[Consumer, ...] = ()) -> Reservation:
    """Reserve the devices that the node at this position offers. DemandError if it offers none."""
    answer = demand.on(position)
    claims, extended = demand.claims, demand.extended is not None
    if answer.claim is not None:
        claims = (*claims[:-1], answer.claim)
    elif extended and not answer.allocations and not demand.user_claims:  # the node's device plugin serves the pod
        return Reservation()
    if demand.unallocated and not answer.allocations:
        raise DemandError(NO_ALLOCATION)
    by_index = dict(zip(demand.unallocated, answer.allocations or (), strict=True))
    allocations = tuple(by_index.get(index) for index in range(len(claims)))
    return Reservation(claims, allocations, extended, answer.mappings, consumers)


def _in_flight(claim: ResourceClaim, allocation: AllocationResult) -> ResourceClaim:
    pending = PendingAllocation(**asdict(allocation))
    metadata = protected(claim).metadata
    if metadata.name == IN_MEMORY:
        metadata = replace(metadata, name=f"{IN_MEMORY}/{metadata.uid}")
    return replace(claim, metadata=metadata, status=replace(claim.status, allocation=pending))


# -- PreBind


def to_create(claim: ResourceClaim) -> ResourceClaim:
    """The claim for extended resources as it is sent to the API server, which names it."""
    metadata = replace(claim.metadata, name="", uid="")
    return replace(claim, metadata=metadata, status=replace(claim.status, allocation=None))


def protected(claim: ResourceClaim) -> ResourceClaim:
    """The claim with the finalizer that keeps it while it is allocated."""
    finalizers = claim.metadata.finalizers
    if FINALIZER in finalizers:
        return claim
    return replace(claim, metadata=replace(claim.metadata, finalizers=(*finalizers, FINALIZER)))


def check_unchanged(claim: ResourceClaim, allocation: AllocationResult | None) -> None:
    """DemandError if somebody has deleted, allocated or deallocated the newest claim since the decision."""
    name = f"{claim.metadata.namespace}/{claim.metadata.name}"
    if claim.metadata.deletionTimestamp is not None:
        raise DemandError(DELETED.format(claim=name))
    if allocation is not None and claim.status.allocation is not None:
        raise DemandError(ALLOCATED.format(claim=name))
    if allocation is None and claim.status.allocation is None:
        raise DemandError(DEALLOCATED.format(claim=name))


def bound(claim: ResourceClaim, allocation: AllocationResult | None, consumer: Consumer, now: int) -> ResourceClaim:
    """The claim allocated, if it was not, and reserved for the consumer. ``now``: microseconds since 1970."""
    allocated = allocation or claim.status.allocation
    if allocated is not None and allocated.allocationTimestamp is None:
        allocated = replace(allocated, allocationTimestamp=Time.whole_second(now))
    status = replace(claim.status, allocation=allocated, reservedFor=(*claim.status.reservedFor, consumer))
    return replace(claim, status=status)


def with_extended_claim(pod: Pod, claim: ResourceClaim, mappings: Mappings) -> Pod:
    """The pod with the claim for its extended resources in its status. DemandError without mappings."""
    if not mappings:
        raise DemandError(NO_MAPPINGS.format(pod=pod.key))
    status = PodExtendedResourceClaimStatus(mappings, claim.metadata.name)
    return replace(pod, status=replace(pod.status, extendedResourceClaimStatus=status))


def written(reservation: Reservation, pod: Pod, now: int) -> tuple[list[ResourceClaim], Pod]:
    """All that PreBind writes, at once: the pod's claims, and the pod if its status names one of them.

    The claim for extended resources is named after the pod's uid, since no API server draws its name.
    """
    claims = []
    for claim, allocation in zip(reservation.claims, reservation.allocations, strict=True):
        own = reservation.is_extended(claim)
        if own:
            name = f"{claim.metadata.generateName}{pod.metadata.uid or pod.metadata.name}"
            claim = replace(claim, metadata=replace(claim.metadata, name=name, uid=f"{claim.metadata.uid}-claim"))
        if not is_reserved_for(claim, pod):
            newest = protected(claim) if allocation is not None else claim
            claims.append(bound(newest, allocation, consumer_of(pod), now))
        if own:
            pod = with_extended_claim(pod, claim, reservation.mappings)
    return claims, pod


# -- Unreserve, PostFilter


def unreserved(claim: ResourceClaim, owner: Pod | PodGroup) -> ResourceClaim:
    """The claim without the reservation for the pod or group; the same if there is none, or nothing is allocated."""
    left = tuple(each for each in claim.status.reservedFor if each.uid != owner.metadata.uid)
    if claim.status.allocation is None or len(left) == len(claim.status.reservedFor):
        return claim
    return replace(claim, status=replace(claim.status, reservedFor=left))


def deallocated(claim: ResourceClaim) -> ResourceClaim:
    """The claim with neither devices nor consumers."""
    return replace(claim, status=replace(claim.status, allocation=None, reservedFor=(), devices=()))


def lacking(demand: Demand, refusing: Iterable[int]) -> list[ResourceClaim]:
    """The allocated claims whose devices some of these nodes lack. ``refusing``: see :func:`give_back`."""
    indices = {i for n in refusing if demand.on(n).reason == NOT_AVAILABLE for i in demand.unavailable_on(n)}
    return [demand.claims[i] for i in sorted(indices)]


def give_back(demand: Demand, refusing: Iterable[int]) -> GivenBack:
    """Give back an allocated claim that nobody else uses and a node lacks, so that it can be allocated elsewhere.

    ``refusing``: the positions of the nodes that the filter refuses. The real scheduler takes any such claim. Without
    one, a claim for extended resources that an earlier attempt has left is deleted.
    """
    extended = demand.extended
    for claim in lacking(demand, refusing):
        consumers = claim.status.reservedFor
        if claim is extended:
            continue
        if not consumers or (len(consumers) == 1 and is_reserved_for(claim, demand.pod)):
            return GivenBack(GIVEN_BACK, deallocated(claim) if claim.status.allocation is not None else None)
    if extended is not None and extended.metadata.name != IN_MEMORY:
        return GivenBack(DISCARDED, extended, deleted=True)
    return GivenBack()
