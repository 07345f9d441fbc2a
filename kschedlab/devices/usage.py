"""How many devices of a class each node has, and how many of them claims hold: what a score counts of a resource.

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
from kschedlab.devices.errors import AllocationError
from kschedlab.devices.extended_resources import serving_class
from kschedlab.devices.pools import Candidate, Place
from kschedlab.devices.requests import selected_by
from kschedlab.devices.state import state_of
from kschedlab.objects.model import DeviceClass

SOURCES = (NAMES, LABELS, *(kind.__name__ for kind in DEVICES))


class Usage(NamedTuple):
    """int64[nodes] each: the devices, and those that claims hold."""

    capacity: IntArray
    held: IntArray


def device_usage(cluster: Cluster, resource: str, nodes: IntArray) -> Usage:
    """What these nodes have of a resource that a class serves: the node's own amount, or else the class's devices."""
    served_by = serving_class(cluster, resource)
    assert served_by is not None
    key = "device usage", served_by.metadata.name
    devices = cluster.derived(key, lambda: _usage(cluster, served_by), *SOURCES)
    row = cluster.resources.get(resource)
    if row is None:
        return Usage(devices.capacity.take(nodes), devices.held.take(nodes))
    own, requested = cluster.allocatable[row].take(nodes), cluster.requested[row].take(nodes)
    counts = (own == 0) & (devices.capacity.take(nodes) > 0)
    capacity = np.where(counts, devices.capacity.take(nodes), own)
    return Usage(capacity, np.where(counts, devices.held.take(nodes), requested))


def _usage(cluster: Cluster, device_class: DeviceClass) -> Usage:
    state = state_of(cluster)
    capacity, held = np.zeros(len(cluster.nodes), np.int64), np.zeros(len(cluster.nodes), np.int64)
    failed: list[IntArray] = []

    def add(nodes: IntArray, device: Candidate) -> None:
        if not len(nodes):
            return
        try:
            if selected_by(device_class, device):
                capacity[nodes] += 1
                held[nodes] += device.id in state.held
        except AllocationError:
            failed.append(nodes)

    for spec, place, devices in state.inventory.slices():
        common = _nodes(cluster, place)
        for device in devices:
            if not spec.perDeviceNodeSelection:
                add(common, device)
            elif device.place is not None and device.place.is_known:
                add(_nodes(cluster, device.place), device)
    for nodes in failed:
        capacity[nodes] = held[nodes] = 0
    return Usage(capacity, held)


def _nodes(cluster: Cluster, place: Place) -> IntArray:
    """The positions of the nodes in the place. A slice that does not say where it is counts on all nodes."""
    if place.node:
        position = cluster.index.get(place.node)
        return np.array([] if position is None else [position], np.int64)
    if place.everywhere or place.terms is None:
        return np.arange(len(cluster.nodes))
    return np.flatnonzero([place.includes(node) for node in cluster.nodes])
