"""What an allocation starts from: the slices, the device classes, and what other claims hold.

v1.37: pkg/scheduler/framework/plugins/dynamicresources/{dra_manager,allocateddevices}.go (GatherAllocatedState,
foreachAllocatedDevice).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import count

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.object_store import Change
from kschedlab.devices.known import Known
from kschedlab.devices.pools import DeviceId, Inventory, PoolId
from kschedlab.objects.model import (
    DeviceClass,
    DeviceTaintRule,
    ResourceClaim,
    ResourceSlice,
)

_SLICES = ("ResourceSlice", "DeviceTaintRule")
_KINDS = (*_SLICES, "DeviceClass", "ResourceClaim")
_VERSIONS = count(1)
LEDGER = "device ledger"
"""The source of what no change of the cluster invalidates."""


@dataclass
class Held:
    """The devices of allocated claims. Admin access holds nothing.

    ``devices``: those of one claim alone, each with the number of claims that say so. ``shared``: those of which claims
    hold shares, and how many nanos of each capacity, as far as the claims say; ``shares``: how many shares.
    ``versions``: a number for each pool whose devices were ever held. Where it is the same, the same is held.
    """

    devices: dict[DeviceId, int] = field(default_factory=dict)
    shared: dict[DeviceId, dict[str, int]] = field(default_factory=dict)
    shares: dict[DeviceId, int] = field(default_factory=dict)
    versions: dict[PoolId, int] = field(default_factory=dict)

    def add(self, claim: ResourceClaim, times: int = 1) -> None:
        """Count what the claim holds; -1 times: no longer."""
        allocation = claim.status.allocation
        for result in allocation.devices.results if allocation is not None else ():
            id = DeviceId(result.driver, result.pool, result.device)
            if result.adminAccess:
                continue
            self.versions[PoolId(result.driver, result.pool)] = next(_VERSIONS)
            if result.shareID is None:
                _count(self.devices, id, times)
                continue
            _count(self.shares, id, times)
            consumed = dict(self.shared.get(id, {}))
            for name, amount in result.consumedCapacity.items():
                consumed[name] = consumed.get(name, 0) + times * amount.nanos
            self.shared[id] = consumed
            if id not in self.shares:
                del self.shared[id]

    def after(self, gone: Iterable[ResourceClaim], new: Iterable[ResourceClaim]) -> Held:
        """What is held when some claims have made room for others. This object stays as it is."""
        held = Held(dict(self.devices), dict(self.shared), dict(self.shares), dict(self.versions))
        for claim in gone:
            held.add(claim, -1)
        for claim in new:
            held.add(claim)
        return held

    def __contains__(self, id: DeviceId) -> bool:
        """Whether a claim holds the device or a share of it."""
        return id in self.devices or id in self.shared


def _count(counts: dict[DeviceId, int], id: DeviceId, times: int) -> None:
    number = counts.get(id, 0) + times
    if number:
        counts[id] = number
    else:
        del counts[id]


class Ledger:
    """What claims held when somebody asked last: only claims that have changed since are counted anew."""

    def __init__(self) -> None:
        self._last: Change | None = None
        self._held = Held()

    def held(self, cluster: Cluster) -> Held:
        """What the cluster's claims hold."""
        claims, last = cluster.objects_of(ResourceClaim), cluster.last_change(ResourceClaim)
        changes = last.since(self._last, len(claims))
        if changes is None:
            self._held = Held().after((), claims)
        elif changes:
            gone = [each.old for each in changes if each.old is not None]
            self._held = self._held.after(gone, [each.new for each in changes if each.new is not None])
        self._last = last
        return self._held


@dataclass
class State:
    """What an allocation starts from. ``counters``: what is left of each pool's counters, filled on demand.

    ``known``: what was found before.
    """

    inventory: Inventory
    held: Held
    class_of: Callable[[str], DeviceClass | None]
    counters: dict[object, dict[str, dict[str, int]]] = field(default_factory=dict)
    known: Known = field(default_factory=Known)


def state_of(cluster: Cluster, in_flight: Iterable[ResourceClaim] = ()) -> State:
    """The cluster's state. ``in_flight``: claims whose allocation is not yet in their status in the cluster."""
    in_flight = list(in_flight)
    if in_flight:
        return _state(cluster, in_flight)
    return cluster.derived("devices", lambda: _state(cluster, ()), *_KINDS)


def _state(cluster: Cluster, in_flight: Iterable[ResourceClaim]) -> State:
    def inventory() -> Inventory:
        return Inventory(cluster.objects_of(ResourceSlice), cluster.objects_of(DeviceTaintRule))

    ledger = cluster.derived("device ledger", Ledger, LEDGER)
    held = ledger.held(cluster)
    if in_flight:
        held = held.after((), in_flight)
    classes = {each.metadata.name: each for each in cluster.objects_of(DeviceClass)}
    known = cluster.derived("device answers", Known, *_SLICES, "DeviceClass")
    return State(cluster.derived("device inventory", inventory, *_SLICES), held, classes.get, known=known)
