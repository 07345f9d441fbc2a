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


@dataclass
class Held:
    """The devices of allocated claims. Admin access holds nothing.

    ``devices``: those of one claim alone. ``shared``: those of which claims hold shares, and how many nanos of each
    capacity, as far as the claims say.
    """

    devices: set[DeviceId] = field(default_factory=set)
    shared: dict[DeviceId, dict[str, int]] = field(default_factory=dict)

    def add(self, claim: ResourceClaim) -> None:
        """Count what the claim holds."""
        allocation = claim.status.allocation
        for result in allocation.devices.results if allocation is not None else ():
            id = DeviceId(result.driver, result.pool, result.device)
            if result.adminAccess:
                continue
            if result.shareID is None:
                self.devices.add(id)
                continue
            consumed = self.shared.setdefault(id, {})
            for name, amount in result.consumedCapacity.items():
                consumed[name] = consumed.get(name, 0) + amount.nanos

    def __contains__(self, id: DeviceId) -> bool:
        """Whether a claim holds the device or a share of it."""
        return id in self.devices or id in self.shared


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

    held = Held()
    for claim in (*cluster.objects_of(ResourceClaim), *in_flight):
        held.add(claim)
    classes = {each.metadata.name: each for each in cluster.objects_of(DeviceClass)}
    return State(cluster.derived("device inventory", inventory, *_SLICES), held, classes.get)
