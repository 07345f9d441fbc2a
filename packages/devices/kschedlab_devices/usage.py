"""The devices of a class on each node, and those that claims hold, counted as a score counts a resource.

v1.37: pkg/scheduler/framework/plugins/noderesources/resource_allocation.go (calculateDRAResourceTotals). It counts the
devices of all slices, whatever the state of their pool. (NodeResourcesBalancedAllocation panics there if the class has
selectors; here it counts as NodeResourcesFit does.)
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.derived import LABELS, NAMES
from kschedlab.cluster.object_store import DEVICES
from kschedlab.cluster.signatures import IntArray
from kschedlab.objects.model import DeviceClass, ResourceClaim
from kschedlab_devices.errors import AllocationError
from kschedlab_devices.extended_resources import serving_class
from kschedlab_devices.held import Held
from kschedlab_devices.pools import Availability, Candidate, DeviceId, PoolId
from kschedlab_devices.requests import selected_by
from kschedlab_devices.state import state_of

SOURCES = (NAMES, LABELS, *(kind.__name__ for kind in DEVICES if kind is not ResourceClaim))


class DeviceUse(NamedTuple):
    """int64[nodes] each: the devices, and those that claims hold."""

    capacity: IntArray
    held: IntArray


def device_usage(cluster: Cluster, resource: str, nodes: IntArray) -> DeviceUse:
    """The nodes' amounts of a resource that a class serves: each node's own, or else its devices of the class."""
    served_by = serving_class(cluster, resource)
    assert served_by is not None
    key = "device usage", served_by.metadata.name
    counted = cluster.derived(key, lambda: _Counted(cluster, served_by), *SOURCES)
    devices = counted.usage(state_of(cluster).held)
    row = cluster.resources.get(resource)
    if row is None:
        return DeviceUse(devices.capacity.take(nodes), devices.held.take(nodes))
    own, requested = cluster.allocatable[row].take(nodes), cluster.requested[row].take(nodes)
    counts = (own == 0) & (devices.capacity.take(nodes) > 0)
    capacity = np.where(counts, devices.capacity.take(nodes), own)
    return DeviceUse(capacity, np.where(counts, devices.held.take(nodes), requested))


class _Counted:
    """The devices of a class: where they are, and how many of them were held when somebody asked last."""

    def __init__(self, cluster: Cluster, device_class: DeviceClass) -> None:
        self._capacity, self._taken = np.zeros(len(cluster.nodes), np.int64), np.zeros(len(cluster.nodes), np.int64)
        self._devices: dict[PoolId, list[tuple[DeviceId, IntArray]]] = {}
        self._counted: dict[PoolId, list[IntArray]] = {}
        self._failed: list[IntArray] = []
        self._held = Held()
        for spec, place, devices in state_of(cluster).inventory.slices():
            common = _nodes(cluster, place)
            for device in devices:
                if not spec.perDeviceNodeSelection:
                    self._add(common, device, device_class)
                elif device.place is not None and device.place.is_known:
                    self._add(_nodes(cluster, device.place), device, device_class)

    def _add(self, nodes: IntArray, device: Candidate, device_class: DeviceClass) -> None:
        if not len(nodes):
            return
        try:
            if selected_by(device_class, device):
                self._capacity[nodes] += 1
                self._devices.setdefault(device.pool, []).append((device.id, nodes))
        except AllocationError:
            self._failed.append(nodes)

    def usage(self, held: Held) -> DeviceUse:
        """The usage while this is held: only pools of which something else is held are counted again."""
        for pool in held.changed(self._held):
            for nodes in self._counted.get(pool, ()):
                self._taken[nodes] -= 1
            self._counted[pool] = [nodes for id, nodes in self._devices.get(pool, ()) if id in held]
            for nodes in self._counted[pool]:
                self._taken[nodes] += 1
        self._held = held
        usage = DeviceUse(self._capacity.copy(), self._taken.copy())
        for nodes in self._failed:
            usage.capacity[nodes] = usage.held[nodes] = 0
        return usage


def _nodes(cluster: Cluster, place: Availability) -> IntArray:
    """The positions of the nodes in the place. A slice that does not say where it is counts on all nodes."""
    if place.node:
        position = cluster.index.get(place.node)
        return np.array([] if position is None else [position], np.int64)
    if place.everywhere or place.terms is None:
        return np.arange(len(cluster.nodes))
    return np.flatnonzero([place.includes(node) for node in cluster.nodes])
