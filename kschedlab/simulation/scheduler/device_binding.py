"""Binds the devices of a pod: holds them from Reserve on, writes the claims in PreBind, or gives them back.

v1.37: pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go (Reserve, PreBind, bindClaim, Unreserve).
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace as put

from kschedlab.filter.dynamic_resources import DynamicResources, demands_devices
from kschedlab.generations import Generation
from kschedlab.objects.meta import SECOND
from kschedlab.objects.model import Pod, ResourceClaim
from kschedlab.score.dynamic_resources import DynamicResourcesScore
from kschedlab.simulation.events import NORMAL
from kschedlab.simulation.scheduler.context import Context
from kschedlab.simulation.server.interface import answered
from kschedlab.simulation.status import ApiError

if TYPE_CHECKING:
    from kschedlab.devices.binding import GivenBack, Reservation

POLLING = 5 * SECOND
"""How often the scheduler looks whether devices are ready."""
LATE = "device binding timeout: context deadline exceeded"


class DeviceBinding:
    """Binds pods' devices; keeps each pod's reservation, and what is written of it, until its binding has ended."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._decided: dict[str, Reservation] = {}
        self._reserved: dict[str, Reservation] = {}
        self._written: dict[str, list[ResourceClaim]] = {}

    def has_work(self, pod: Pod) -> bool:
        """Whether the pod has claims to write."""
        return pod.metadata.uid in self._reserved

    def expect(self, pod: Pod, decided: Reservation | None) -> None:
        """Let :meth:`reserve` take what a group's cycle has found, since the pods of a group share claims."""
        if decided is not None:
            self._decided[pod.metadata.uid] = decided

    def reserve(self, pod: Pod, node: str) -> str:
        """Hold the devices that the filter found on the node. Returns the error, or ""."""
        cache, reservation = self._context.cache, self._decided.pop(pod.metadata.uid, None) or self._found(pod, node)
        if isinstance(reservation, str):
            return reservation
        if reservation is not None and reservation.claims:
            self._reserved[pod.metadata.uid] = reservation
            self._written[pod.metadata.uid] = []
            for claim in reservation.in_flight:
                known = cache.cluster().find(ResourceClaim, (claim.metadata.namespace, claim.metadata.name))
                if known is None or known.status.allocation is None:
                    cache.put(claim)
        return ""

    def _found(self, pod: Pod, node: str) -> Reservation | str | None:
        """What the pod gets on the node, None if it demands nothing, or the error."""
        context, generation = self._context, self._context.generations[pod.spec.schedulerName]
        cluster = context.cache.cluster()
        info = cluster.on_node(pod.key)
        if not demands_devices(info, cluster):
            return None
        from kschedlab.claiming import demand_for
        from kschedlab.devices.binding import reserve
        from kschedlab.devices.demand import DemandError

        demand = demand_for(info, cluster, generation)
        try:
            return reserve(demand, cluster.index[node]) if demand is not None else None
        except DemandError as error:
            return str(error)

    def done(self, pod: Pod) -> None:
        """Forget the reservation of a pod that was bound."""
        self._reserved.pop(pod.metadata.uid, None)
        self._written.pop(pod.metadata.uid, None)

    def forget(self, pod: Pod) -> Generator[Any, Any, None]:
        """Give the devices back: what is written no longer names the pod, and the rest was never written."""
        from kschedlab.devices.binding import unreserved

        context, reservation = self._context, self._reserved.pop(pod.metadata.uid, None)
        written = self._written.pop(pod.metadata.uid, [])
        if reservation is None:
            return
        others = (claim for other in self._reserved.values() for claim in other.in_flight)
        kept = {(claim.metadata.namespace, claim.metadata.name) for claim in (*written, *others)}
        for claim in reservation.in_flight:
            if (claim.metadata.namespace, claim.metadata.name) not in kept:
                original = context.api.find(ResourceClaim, claim.metadata.namespace, claim.metadata.name)
                context.cache.put(original) if original is not None else context.cache.drop(claim)
        for claim in written:
            try:
                if reservation.extended and claim is written[-1] and claim.metadata.generateName:
                    yield from _delete(context, claim)
                else:
                    newest = yield from _newest(context, claim)
                    if (freed := unreserved(newest, pod)) is not newest:
                        yield from answered(context.api.update_status(freed, by=context.name))
            except ApiError as error:
                context.note("unreserve", f"{pod.key}: {error}")

    def bind(self, pod: Pod, node: str) -> Generator[Any, Any, str]:
        """Write all claims, then wait until their devices are ready. Returns the error, or ""."""
        from kschedlab.devices.claims import is_reserved_for
        from kschedlab.devices.demand import DemandError

        reservation, for_group = self._reserved[pod.metadata.uid], self._context.cache.cluster().api.group_claims
        try:
            for index, claim in enumerate(reservation.claims):
                if not is_reserved_for(claim, pod, for_group):
                    yield from self._write(pod, reservation, index)
        except (ApiError, DemandError) as error:
            return str(error)
        return (yield from self._wait(pod, node, reservation))

    def _write(self, pod: Pod, reservation: Reservation, index: int) -> Generator[Any, Any, None]:
        from kschedlab.devices.binding import bound, check_unchanged, protected, to_create, with_extended_claim

        claim, allocation = reservation.claims[index], reservation.allocations[index]
        consumer = reservation.consumer(index, pod)
        context, pause = self._context, self._context.latencies.status
        api, own = context.api, reservation.is_extended(claim)
        if own:
            yield context.env.timeout(pause)
            claim = yield from answered(api.create(to_create(claim), by=context.name))
            self._written[pod.metadata.uid].append(claim)
        newest = yield from _newest(context, claim)
        check_unchanged(newest, allocation)
        if allocation is not None and protected(newest) is not newest:
            yield context.env.timeout(pause)
            newest = yield from answered(api.update(protected(newest), by=context.name))
        yield context.env.timeout(pause)
        newest = bound(newest, allocation, consumer, context.now)
        written = yield from answered(api.update_status(newest, by=context.name))
        self._written[pod.metadata.uid] = [
            *(each for each in self._written[pod.metadata.uid] if each.metadata.uid != written.metadata.uid),
            written,
        ]
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

    def _wait(self, pod: Pod, node: str, reservation: Reservation) -> Generator[Any, Any, str]:
        """Check every five seconds until all devices are ready, one has failed, or it takes too long."""
        from kschedlab.devices.readiness import ReadinessError, has_conditions, is_ready

        context, cluster = self._context, self._context.cache.cluster
        keys = [(each.metadata.namespace, each.metadata.name) for each in self._written[pod.metadata.uid]]
        keys += [(each.metadata.namespace, each.metadata.name) for each in reservation.claims]
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
