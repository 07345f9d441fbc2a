"""Binds the devices of a pod: holds them from Reserve on, writes the claims in PreBind, or gives them back.

v1.37: pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go (Reserve, PreBind, bindClaim, Unreserve)
and dra_manager.go (SignalClaimPendingAllocation, MaybeRemoveClaimPendingAllocation).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace as put

from kschedlab.cluster.object_store import key_of
from kschedlab.filter.dynamic_resources import DynamicResources, demands_devices
from kschedlab.generations import Generation
from kschedlab.objects.meta import SECOND
from kschedlab.objects.model import Pod, ResourceClaim
from kschedlab.score.dynamic_resources import DynamicResourcesScore
from kschedlab_simulation.events import NORMAL
from kschedlab_simulation.scheduler.context import Context
from kschedlab_simulation.server.interface import answered
from kschedlab_simulation.status import ApiError

if TYPE_CHECKING:
    from kschedlab.filter.dynamic_resources import GivenBack
    from kschedlab.objects.model import AllocationResult
    from kschedlab_devices.binding import Reservation
    from kschedlab_devices.claims import Consumer

POLLING = 5 * SECOND
"""The time between two looks at whether devices are ready."""
RETRIES, PAUSE = 4, SECOND // 100
"""Attempts for a write that conflicts, and the pauses (k8s.io/client-go util/retry, DefaultRetry)."""
LATE = "device binding timeout: context deadline exceeded"


@dataclass
class _Held:
    """What a pod reserves, and the claims of it that are written."""

    reservation: Reservation
    written: list[ResourceClaim] = field(default_factory=list)

    def note(self, written: ResourceClaim) -> None:
        """The newest version of a claim is written."""
        self.written = [each for each in self.written if each.metadata.uid != written.metadata.uid] + [written]


class DeviceBinding:
    """Binds pods' devices; keeps what each pod holds until its binding has ended.

    ``_sharers``: how many pods wait for the devices of a claim in flight.
    """

    def __init__(self, context: Context) -> None:
        self._context = context
        self._decided: dict[str, Reservation] = {}
        self._held: dict[str, _Held] = {}
        self._sharers: Counter[tuple[str, str]] = Counter()

    def has_work(self, pod: Pod) -> bool:
        """Whether the pod has claims to write."""
        return pod.metadata.uid in self._held

    def expect(self, pod: Pod, decided: Reservation | None) -> None:
        """Let :meth:`reserve` take what a group's cycle has found, since the pods of a group share claims."""
        if decided is not None:
            self._decided[pod.metadata.uid] = decided

    def reserve(self, pod: Pod, node: str) -> str:
        """Hold the devices that the filter found on the node. Returns the error, or ""."""
        reservation = self._decided.pop(pod.metadata.uid, None) or self._found(pod, node)
        if isinstance(reservation, str):
            return reservation
        if reservation is not None and reservation.claims:
            self._held[pod.metadata.uid] = _Held(reservation)
            for claim in reservation.in_flight:
                self._hold(claim)
        return ""

    def _hold(self, claim: ResourceClaim) -> None:
        """The claim's devices are taken from now on, unless it has got some in the meantime."""
        cache, key = self._context.cache, key_of(claim)
        if key not in cache.in_flight:
            known = cache.cluster().find(ResourceClaim, key)
            if claim.status.allocation is None or (known is not None and known.status.allocation is not None):
                return
            cache.in_flight[key] = claim.status.allocation
            cache.put(claim)
        self._sharers[key] += 1

    def _found(self, pod: Pod, node: str) -> Reservation | str | None:
        """The pod's reservation on the node, None if it demands nothing, or the error."""
        context, generation = self._context, self._context.generations[pod.spec.schedulerName]
        cluster = context.cache.cluster()
        info = cluster.on_node(pod.key)
        if not demands_devices(info, cluster):
            return None
        from kschedlab_devices.binding import reserve
        from kschedlab_devices.claiming import demand_for
        from kschedlab_devices.demand import DemandError

        demand = demand_for(info, cluster, generation)
        try:
            return reserve(demand, cluster.index[node]) if demand is not None else None
        except DemandError as error:
            return str(error)

    def done(self, pod: Pod) -> None:
        """Forget the reservation of a pod that was bound."""
        held = self._held.pop(pod.metadata.uid, None)
        for key in map(key_of, held.reservation.in_flight if held is not None else ()):
            self._sharers.pop(key, None)
            self._context.cache.in_flight.pop(key, None)

    def forget(self, pod: Pod) -> Generator[Any, Any, None]:
        """Give the devices back: what is written no longer names the pod, and the rest was never written."""
        from kschedlab_devices.binding import unreserved

        context, held = self._context, self._held.pop(pod.metadata.uid, None)
        if held is None:
            return
        reservation = held.reservation
        for claim in reservation.in_flight:
            key = key_of(claim)
            if key in context.cache.in_flight:
                self._sharers[key] -= 1
                if not self._sharers[key]:
                    del context.cache.in_flight[key]
                    original = context.api.find(ResourceClaim, *key)
                    context.cache.put(original) if original is not None else context.cache.drop(claim)
        for claim in held.written:
            try:
                if reservation.extended and claim is held.written[-1] and claim.metadata.generateName:
                    yield from _delete(context, claim)
                else:
                    newest = yield from _newest(context, claim)
                    if (freed := unreserved(newest, pod)) is not newest:
                        yield from answered(context.api.update_status(freed, by=context.name))
            except ApiError as error:
                context.note("unreserve", f"{pod.key}: {error}")

    def bind(self, pod: Pod, node: str) -> Generator[Any, Any, str]:
        """Write all claims, then wait until their devices are ready. Returns the error, or ""."""
        from kschedlab_devices.claims import is_reserved_for
        from kschedlab_devices.demand import DemandError

        held, for_group = self._held[pod.metadata.uid], self._context.cache.cluster().api.group_claims
        try:
            for index, claim in enumerate(held.reservation.claims):
                if not is_reserved_for(claim, pod, for_group):
                    yield from self._write(pod, held, index)
        except (ApiError, DemandError) as error:
            return str(error)
        return (yield from self._wait(pod, node, held))

    def _write(self, pod: Pod, held: _Held, index: int) -> Generator[Any, Any, None]:
        from kschedlab_devices.binding import to_create, with_extended_claim

        reservation = held.reservation
        claim, allocation = reservation.claims[index], reservation.allocations[index]
        context, pause = self._context, self._context.latencies.status
        api, own = context.api, reservation.is_extended(claim)
        if own:
            yield context.env.timeout(pause)
            claim = yield from answered(api.create(to_create(claim), by=context.name))
            held.note(claim)
        for left in reversed(range(RETRIES + 1)):
            try:
                written = yield from self._store(claim, allocation, reservation.consumer(index, pod))
                break
            except ApiError as error:
                if error.reason != "Conflict" or not left:
                    raise
            yield context.env.timeout(PAUSE)
            claim = yield from _newest(context, claim)
        held.note(written)
        context.cache.put(written)
        if own:
            for each in reservation.in_flight[-1:]:
                context.cache.drop(each)
            yield context.env.timeout(pause)
            status = with_extended_claim(pod, written, reservation.mappings).status.extendedResourceClaimStatus
            metadata = pod.metadata
            fields: dict[str, Any] = {"extendedResourceClaimStatus": status}
            where = metadata.namespace, metadata.name, metadata.uid
            yield from answered(api.patch_status(Pod, *where, by=context.name, **fields))

    def _store(
        self, claim: ResourceClaim, allocation: AllocationResult | None, consumer: Consumer
    ) -> Generator[Any, Any, ResourceClaim]:
        """Write the allocation and the reservation. ApiError, DemandError."""
        from kschedlab_devices.binding import bound, check_unchanged, protected

        context = self._context
        check_unchanged(claim, allocation)
        if allocation is not None and protected(claim) is not claim:
            yield context.env.timeout(context.latencies.status)
            claim = yield from answered(context.api.update(protected(claim), by=context.name))
        yield context.env.timeout(context.latencies.status)
        changed = bound(claim, allocation, consumer, context.now)
        return (yield from answered(context.api.update_status(changed, by=context.name)))

    def _wait(self, pod: Pod, node: str, held: _Held) -> Generator[Any, Any, str]:
        """Check every five seconds until all devices are ready, one has failed, or it takes too long."""
        from kschedlab_devices.readiness import ReadinessError, has_conditions, is_ready

        context, cluster = self._context, self._context.cache.cluster
        keys = [(each.metadata.namespace, each.metadata.name) for each in held.written]
        keys += [(each.metadata.namespace, each.metadata.name) for each in held.reservation.claims]
        claims = [claim for key in dict.fromkeys(keys) if (claim := cluster().find(ResourceClaim, key)) is not None]
        if not any(map(has_conditions, claims)):
            return ""
        text = f"waiting for binding conditions for device on node {node}"
        context.record(pod, NORMAL, "BindingConditionsPending", text, "Scheduling")
        plugin = next(
            each for each in context.generations[pod.spec.schedulerName].filters if isinstance(each, DynamicResources)
        )
        for _ in range(plugin.binding_timeout // POLLING):
            newest = []
            for claim in claims:
                newest.append((yield from _newest(context, claim)))
            try:
                if all(map(is_ready, newest)):
                    return ""
            except ReadinessError as error:
                return str(error)
            yield context.env.timeout(POLLING)
        return LATE


def on_clock(generation: Generation, clock: Callable[[], int]) -> Generation:
    """The generation whose DynamicResources tells by this clock what is late."""

    def wound(plugin: DynamicResources) -> DynamicResources:
        return replace(plugin, now=clock)

    filters = tuple(wound(each) if isinstance(each, DynamicResources) else each for each in generation.filters)
    scores = tuple(
        (replace(each, filter=wound(each.filter)) if isinstance(each, DynamicResourcesScore) else each, weight)
        for each, weight in generation.scores
    )
    return replace(generation, filters=filters, scores=scores)


def give_back(context: Context, result: GivenBack) -> Generator[Any, Any, None]:
    """Write what PostFilter gives back. ApiError."""
    claim = result.claim
    if claim is None:
        return
    if result.deleted:
        yield from _delete(context, claim)
    else:
        yield from answered(context.api.update_status(claim, by=context.name))


def _delete(context: Context, claim: ResourceClaim) -> Generator[Any, Any, None]:
    newest = yield from _newest(context, claim)
    unprotected = put(newest, metadata=put(newest.metadata, finalizers=()))
    yield from answered(context.api.update(unprotected, by=context.name))
    where = claim.metadata.namespace, claim.metadata.name
    yield from answered(context.api.delete(ResourceClaim, *where, by=context.name))


def _newest(context: Context, claim: ResourceClaim) -> Generator[Any, Any, ResourceClaim]:
    return answered(context.api.get(ResourceClaim, claim.metadata.namespace, claim.metadata.name))
