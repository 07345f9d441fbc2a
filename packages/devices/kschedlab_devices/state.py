"""The state from which an allocation starts: the slices, the device classes, and what other claims hold.

v1.37: pkg/scheduler/framework/plugins/dynamicresources/{dra_manager,allocateddevices}.go (GatherAllocatedState,
foreachAllocatedDevice).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.derived import LABELS, NAMES
from kschedlab.cluster.object_store import ObjectChange
from kschedlab.objects.api import Api
from kschedlab.objects.model import (
    AllocationResult,
    DeviceClass,
    DeviceTaintRule,
    ResourceClaim,
    ResourceSlice,
)
from kschedlab_devices.counters import Left
from kschedlab_devices.held import Held
from kschedlab_devices.known import KnownSearches, Layout
from kschedlab_devices.pools import Inventory, PoolId

_SLICES = ("ResourceSlice", "DeviceTaintRule")
_KINDS = (*_SLICES, "DeviceClass", "ResourceClaim")
LEDGER = "device ledger"
"""The source of what no change of the cluster invalidates."""


class Ledger:
    """The devices that claims held when last asked: only claims that have changed since are counted again."""

    def __init__(self) -> None:
        self._last: ObjectChange | None = None
        self._held = Held()

    def held(self, cluster: Cluster) -> Held:
        """The devices that the cluster's claims hold."""
        claims, last = cluster.objects_of(ResourceClaim), cluster.last_change(ResourceClaim)
        changes = last.since(self._last, len(claims))
        if changes is None:
            self._held = Held().after((), claims)
        elif changes := [change for change in changes if _allocation(change.old) != _allocation(change.new)]:
            gone = [change.old for change in changes if change.old is not None]
            self._held = self._held.after(gone, [change.new for change in changes if change.new is not None])
        self._last = last
        return self._held


def _allocation(claim: ResourceClaim | None) -> AllocationResult | None:
    return claim.status.allocation if claim is not None else None


@dataclass
class State:
    """The state from which an allocation starts. ``left``: the rest of each pool's counters, computed on demand.

    ``known``: what was found before. ``api``: the API's rules about devices.
    """

    inventory: Inventory
    held: Held
    class_of: Callable[[str], DeviceClass | None]
    known: KnownSearches
    api: Api
    left: dict[PoolId, Left] = field(default_factory=dict)


def state_of(cluster: Cluster) -> State:
    """The cluster's state."""
    return cluster.derived("devices", lambda: _state(cluster), *_KINDS)


def layout_of(cluster: Cluster) -> Layout:
    """The cluster's nodes at their positions."""
    return cluster.derived("device layout", lambda: Layout(len(cluster.nodes)), NAMES, LABELS, *_SLICES)


def _state(cluster: Cluster) -> State:
    def inventory() -> Inventory:
        rules = cluster.objects_of(DeviceTaintRule) if cluster.api.applies_taint_rules else ()
        slices, api = cluster.objects_of(ResourceSlice), cluster.api
        return Inventory(slices, rules, api.gates, api.sees_all_counters, api.ends_at_invalid_pool)

    ledger = cluster.derived("device ledger", Ledger, LEDGER)
    classes = {each.metadata.name: each for each in cluster.objects_of(DeviceClass)}
    known = cluster.derived("device answers", KnownSearches, *_SLICES, "DeviceClass")
    pools = cluster.derived("device inventory", inventory, *_SLICES)
    return State(pools, ledger.held(cluster), classes.get, known, cluster.api)
