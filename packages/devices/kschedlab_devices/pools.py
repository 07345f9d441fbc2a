"""The pools of devices that a node sees.

A driver publishes a pool in slices; slices of an older generation are ignored. A pool is incomplete while slices are
missing, and invalid if its slices contradict each other: nothing is allocated from either.

v1.37: k8s.io/dynamic-resource-allocation structured/internal/experimental/pools_experimental.go (GatherPools,
buildPool), resourceslice/tracker/tracker.go (applyPatches).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from typing import NamedTuple, TypeAlias

from kschedlab.objects.api import GROUPS, LISTS
from kschedlab.objects.model import (
    Device,
    DeviceAttribute,
    DeviceTaintRule,
    Node,
    NodeSelector,
    ResourceSlice,
    ResourceSliceSpec,
    Taint,
)
from kschedlab.objects.quantity import Quantity
from kschedlab.objects.selectors import NodeTerms

PREVENTING = ("NoSchedule", "NoExecute")
"""The effects of taints that keep a device from being allocated."""
Value: TypeAlias = tuple[str, int | bool | str]
Values: TypeAlias = frozenset[Value]
"""The values of an attribute, each with its type."""


class PoolId(NamedTuple):
    """Pools are ordered by driver, then by name."""

    driver: str
    name: str

    def __str__(self) -> str:
        return "/".join(self)


class DeviceId(NamedTuple):
    """The identity of a device in a cluster."""

    driver: str
    pool: str
    device: str

    def __str__(self) -> str:
        return "/".join(self)


class Availability:
    """The nodes that can use a slice or a device: one, all, or those that a selector matches."""

    def __init__(self, node: str | None, everywhere: bool | None, selector: NodeSelector | None) -> None:
        self.node = node
        self.everywhere = bool(everywhere)
        self.terms: NodeTerms | None = selector.compile() if selector is not None else None

    @property
    def is_known(self) -> bool:
        """Whether one of the three is set."""
        return bool(self.node) or self.everywhere or self.terms is not None

    def includes(self, node: Node) -> bool:
        """Whether the node is among them."""
        if self.node:
            return node.metadata.name == self.node
        if self.everywhere or self.terms is None:
            return self.everywhere
        return self.terms.matches(node.metadata.name, node.metadata.labels)


@dataclass(slots=True, eq=False)
class Candidate:
    """A device of a slice. ``taints``: its own and those of rules, as far as they can prevent its allocation.

    ``place``: where the device is available if its slice says so device by device. ``is_shared``: whether several
    claims can share it, each with a part of its capacity. ``lists``: whether constraints know lists. ``selected``: the
    answers of CEL expressions so far. ``usual``: what a request without amounts consumes of its capacity, and whether
    there is so much, once it is known.
    """

    id: DeviceId
    device: Device
    spec: ResourceSliceSpec
    taints: tuple[Taint, ...]
    place: Availability | None
    is_shared: bool
    lists: bool
    selected: dict[str, bool] = field(default_factory=dict)
    usual: tuple[dict[str, Quantity] | None, bool] | None = None
    _values: dict[str, Values | None] = field(default_factory=dict)

    @property
    def pool(self) -> PoolId:
        return PoolId(self.id.driver, self.id.pool)

    def attribute(self, name: str) -> DeviceAttribute | None:
        """The attribute with this fully qualified name; None if the device does not have it."""
        attributes = self.device.attributes
        value = attributes.get(name)
        if value is None:
            domain, slash, short = name.partition("/")
            value = attributes.get(short) if slash and domain == self.id.driver else None
        return value

    def values(self, name: str) -> Values | None:
        """The values of this attribute: of a list all of them, or none without the feature gate."""
        if name not in self._values:
            attribute = self.attribute(name)
            self._values[name] = None if attribute is None else frozenset(self._values_of(attribute))
        return self._values[name]

    def _values_of(self, attribute: DeviceAttribute) -> Iterator[Value]:
        for name, value in attribute.given.items():
            if not isinstance(value, tuple):
                yield name, value
            elif self.lists:
                yield from ((name.removesuffix("s"), each) for each in value)


@dataclass(slots=True, eq=False)
class Pool:
    """A pool as one node sees it. ``devices``: those for the node, in the order of the search; ``others``: the rest.

    ``counters``: the nanos of each counter by set. ``invalid``: what is wrong with the pool, or "".
    """

    id: PoolId
    incomplete: bool = False
    invalid: str = ""
    devices: tuple[Candidate, ...] = ()
    others: tuple[Candidate, ...] = ()
    counters: Mapping[str, Mapping[str, int]] = field(default_factory=dict)


class Visible(NamedTuple):
    """The pools that a node sees. ``candidates``: devices of usable pools, in the order of the search.

    ``end``: the error with which a search ends that none of them satisfies, or "".
    """

    pools: Mapping[PoolId, Pool]
    candidates: Sequence[Candidate]
    end: str


class _Slice:
    """A slice with its devices, and where it is available. ``ignored``: it has groups, without their feature gate.

    ``everywhere``: each node sees it, wherever it is.
    """

    def __init__(
        self, document: ResourceSlice, rules: Iterable[DeviceTaintRule], gates: Collection[str], sees_all_counters: bool
    ) -> None:
        self.name, self.spec = document.metadata.name, document.spec
        self.everywhere = sees_all_counters and bool(document.spec.sharedCounters)
        self.ignored = GROUPS not in gates and any(
            each.compatibilityGroups for device in self.spec.devices for each in device.consumesCounters
        )
        spec = document.spec
        self.id = PoolId(spec.driver, spec.pool.name)
        self.place = Availability(spec.nodeName, spec.allNodes, spec.nodeSelector)
        rules = [rule for rule in rules if _selects(rule, spec)]
        self.devices = tuple(self._candidate(device, rules, LISTS in gates) for device in spec.devices)

    def _candidate(self, device: Device, rules: Iterable[DeviceTaintRule], lists: bool) -> Candidate:
        added = [rule.spec.taint for rule in rules if _names(rule, device)]
        taints = tuple(taint for taint in (*device.taints, *added) if taint.effect in PREVENTING)
        each = bool(self.spec.perDeviceNodeSelection)
        place = Availability(device.nodeName, device.allNodes, device.nodeSelector) if each else None
        shared = bool(device.allowMultipleAllocations)
        return Candidate(DeviceId(*self.id, device.name), device, self.spec, taints, place, shared, lists)

    def is_for(self, node: Node) -> bool:
        if self.everywhere:
            return True
        if self.place.is_known:
            return self.place.includes(node)
        return any(device.place is not None and device.place.includes(node) for device in self.devices)


def _selects(rule: DeviceTaintRule, spec: ResourceSliceSpec) -> bool:
    selector = rule.spec.deviceSelector
    return selector is None or (selector.driver in (None, spec.driver) and selector.pool in (None, spec.pool.name))


def _names(rule: DeviceTaintRule, device: Device) -> bool:
    return rule.spec.deviceSelector is None or rule.spec.deviceSelector.device in (None, device.name)


class Inventory:
    """All slices of a cluster, with the taints that rules add to their devices. ``gates``: those that are on.

    ``sees_all_counters``, ``ends_at_invalid_pool``: the named rules of the API.
    """

    def __init__(
        self,
        slices: Iterable[ResourceSlice],
        rules: Iterable[DeviceTaintRule],
        gates: Collection[str],
        sees_all_counters: bool,
        ends_at_invalid_pool: bool,
    ) -> None:
        rules = list(rules)
        self._ends_at_invalid_pool = ends_at_invalid_pool
        self._local: dict[str, list[_Slice]] = {}
        self._elsewhere: list[_Slice] = []
        self._of_pool: dict[PoolId, list[_Slice]] = {}
        for document in slices:
            each = _Slice(document, rules, gates, sees_all_counters)
            self._of_pool.setdefault(each.id, []).append(each)
            if each.ignored:
                continue
            node = None if each.everywhere else each.place.node
            (self._local.setdefault(node, []) if node else self._elsewhere).append(each)
        self._visible: dict[str, tuple[Mapping[str, str], Visible]] = {}
        self._built: dict[tuple[_Slice, ...], Pool | None] = {}

    def slices(self) -> Iterator[tuple[ResourceSliceSpec, Availability, tuple[Candidate, ...]]]:
        """Every slice of any generation: its spec, where it is, and its devices."""
        for slices in self._of_pool.values():
            for each in slices:
                yield each.spec, each.place, each.devices

    def visible(self, node: Node) -> Visible:
        """The pools and devices for the node."""
        name, labels = node.metadata.name, node.metadata.labels
        known = self._visible.get(name)
        if known is not None and known[0] == labels:
            return known[1]
        visible = self._gather(node)
        self._visible[name] = labels, visible
        return visible

    def _gather(self, node: Node) -> Visible:
        newest: dict[PoolId, list[_Slice]] = {}
        for each in (*self._local.get(node.metadata.name, ()), *self._elsewhere):
            if each.is_for(node):
                _add(newest, each)
        pools = [pool for slices in newest.values() if (pool := self._pool(slices)) is not None]
        pools.sort(key=lambda pool: (_binds_late(pool), pool.id))
        usable, end = pools, ""
        if self._ends_at_invalid_pool:
            usable = list(takewhile(lambda pool: not pool.invalid, pools))
            end = next((f"pool {pool.id.name} is invalid: {pool.invalid}" for pool in pools if pool.invalid), "")
        candidates = [device for pool in usable for device in pool.devices]  # others have none
        return Visible({pool.id: pool for pool in pools}, candidates, end)

    def _pool(self, slices: list[_Slice]) -> Pool | None:
        """The pool of these slices; None if there is a newer generation, which has nothing for the node."""
        key = tuple(slices)
        if key not in self._built:
            self._built[key] = self._build(slices)
        return self._built[key]

    def _build(self, slices: list[_Slice]) -> Pool | None:
        pool, others = slices[0].spec.pool, list[_Slice]()
        if self._ends_at_invalid_pool:
            built = _validated(slices[0].id, sorted(slices, key=lambda each: each.name), ())
            built.incomplete = len(slices) != pool.resourceSliceCount
            return built
        if len(slices) != pool.resourceSliceCount:
            every = self._of_pool[slices[0].id]
            if any(each.spec.pool.generation > pool.generation for each in every):
                return None
            every = [each for each in every if each.spec.pool.generation == pool.generation and not each.ignored]
            if len(every) != pool.resourceSliceCount:
                return Pool(slices[0].id, incomplete=True)
            others = [each for each in every if each not in slices]
        return _validated(slices[0].id, sorted(slices, key=lambda each: each.name), others)


def _add(newest: dict[PoolId, list[_Slice]], each: _Slice) -> None:
    """Add the slice to those of its pool, of which only the newest generation stays."""
    slices = newest.setdefault(each.id, [])
    if slices and each.spec.pool.generation > slices[0].spec.pool.generation:
        slices.clear()
    if not slices or each.spec.pool.generation == slices[0].spec.pool.generation:
        slices.append(each)


def _binds_late(pool: Pool) -> bool:
    """Pools with binding conditions come last."""
    return any(device.device.bindingConditions for device in pool.devices)


def _validated(id: PoolId, slices: Sequence[_Slice], others: Sequence[_Slice]) -> Pool:
    devices = [device for each in slices if not each.spec.sharedCounters for device in each.devices]
    rest = [device for each in others if not each.spec.sharedCounters for device in each.devices]
    counters: dict[str, Mapping[str, int]] = {}
    fault = _twice(devices)
    for each in (*slices, *others):
        for counter_set in each.spec.sharedCounters:
            if counter_set.name in counters:
                fault = fault or f"duplicate counter set name {counter_set.name}"
            counters[counter_set.name] = {name: one.value.nanos for name, one in counter_set.counters.items()}
    fault = fault or _unknown_counter(counters, (*devices, *rest))
    if fault:
        return Pool(id, invalid=fault)
    return Pool(id, devices=tuple(devices), others=tuple(rest), counters=counters)


def _twice(devices: Iterable[Candidate]) -> str:
    names: set[str] = set()
    for device in devices:
        if device.id.device in names:
            return f"duplicate device name {device.id.device}"
        names.add(device.id.device)
    return ""


def _unknown_counter(counters: Mapping[str, Mapping[str, int]], devices: Iterable[Candidate]) -> str:
    for device in devices:
        for consumption in device.device.consumesCounters:
            known = counters.get(consumption.counterSet)
            if known is None:
                return f"counter set {consumption.counterSet} not found"
            for name in consumption.counters:
                if name not in known:
                    return f"counter {name} not found in counter set {consumption.counterSet}"
    return ""
