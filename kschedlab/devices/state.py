"""What an allocation starts from: the slices, the device classes, and what other claims hold.

v1.37: pkg/scheduler/framework/plugins/dynamicresources/{dra_manager,allocateddevices}.go (GatherAllocatedState,
foreachAllocatedDevice).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from kschedlab.cluster.cluster import Cluster
from kschedlab.devices.pools import DeviceId, Inventory
from kschedlab.objects.model import (
    DeviceClass,
    DeviceTaintRule,
    ResourceClaim,
    ResourceSlice,
)

_SLICES = ("ResourceSlice", "DeviceTaintRule")
_KINDS = (*_SLICES, "DeviceClass", "ResourceClaim")
LEDGER = "device ledger"
"""The source of what no change of the cluster invalidates."""


@dataclass
class Held:
    """The devices of allocated claims. Admin access holds nothing.

    ``devices``: those of one claim alone, each with the number of claims that say so. ``shared``: those of which claims
    hold shares, and how many nanos of each capacity, as far as the claims say; ``shares``: how many shares.
    """

    devices: dict[DeviceId, int] = field(default_factory=dict)
    shared: dict[DeviceId, dict[str, int]] = field(default_factory=dict)
    shares: dict[DeviceId, int] = field(default_factory=dict)

    def add(self, claim: ResourceClaim, times: int = 1) -> None:
        """Count what the claim holds; -1 times: no longer."""
        allocation = claim.status.allocation
        for result in allocation.devices.results if allocation is not None else ():
            id = DeviceId(result.driver, result.pool, result.device)
            if result.adminAccess:
                continue
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
        held = Held(dict(self.devices), dict(self.shared), dict(self.shares))
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
    """The claims that were counted last, and what they hold: only claims that have changed since are counted anew."""

    def __init__(self) -> None:
        self._claims: dict[int, ResourceClaim] = {}  # by their id: it holds them, so no id is used again
        self._held = Held()

    def held(self, claims: Iterable[ResourceClaim]) -> Held:
        """What these claims hold."""
        now = {id(claim): claim for claim in claims}
        before = self._claims
        gone, new = before.keys() - now.keys(), now.keys() - before.keys()
        if gone or new:
            self._held = self._held.after(map(before.__getitem__, gone), map(now.__getitem__, new))
            self._claims = now
        return self._held


@dataclass
class State:
    """What an allocation starts from. ``counters``: what is left of each pool's counters, filled on demand."""

    inventory: Inventory
    held: Held
    class_of: Callable[[str], DeviceClass | None]
    counters: dict[object, dict[str, dict[str, int]]] = field(default_factory=dict)


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
    held = ledger.held(cluster.objects_of(ResourceClaim))
    if in_flight:
        held = held.after((), in_flight)
    classes = {each.metadata.name: each for each in cluster.objects_of(DeviceClass)}
    return State(cluster.derived("device inventory", inventory, *_SLICES), held, classes.get)
