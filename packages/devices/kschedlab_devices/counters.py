"""Counters that the devices of a pool share: a device that is a part of another one consumes some of them.

Devices that consume from the same counter set need a compatibility group that all of them have, or must have none.

v1.37: k8s.io/dynamic-resource-allocation structured/internal/experimental/{allocator_experimental,
compatibility_groups}.go (checkAvailableCounters, checkAndConsumeCompatibilityGroups).
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from typing import NamedTuple, TypeAlias

from kschedlab_devices.held import Held
from kschedlab_devices.pools import Candidate, DeviceId, Pool, PoolId

APART, NO_COUNTERS = "compatibility groups", "counters"
"""Why a device can't be reserved: no group in common with the others, or too little left."""
Amounts: TypeAlias = dict[str, dict[str, int]]
"""Nanos by counter set and counter."""
Groups: TypeAlias = frozenset[str | None]
"""Compatibility groups. None stands for having none, as if that were a group as well."""
NO_GROUP: Groups = frozenset([None])


class Left(NamedTuple):
    """The rest of a pool's counters beside allocated devices: negative if they consume too much.

    ``groups``: the groups that they have in common, by counter set.
    """

    amounts: Amounts
    groups: dict[str, Groups]


def left(pool: Pool, held: Container[DeviceId]) -> Left:
    """The amounts that allocated devices leave."""
    amounts = {name: dict(counters) for name, counters in pool.counters.items()}
    groups: dict[str, Groups] = {}
    for device in (*pool.devices, *pool.others):
        if device.id in held:
            _add(amounts, device, -1)
            for name, own in _groups(device):
                groups[name] = _common(groups.get(name, own), own)
    return Left(amounts, groups)


class Counters:
    """The consumption of one search's devices, and the groups that they share with allocated ones.

    ``left``: what is left of each pool, filled on demand. ``by_name``: pools of one name, of several drivers, count as
    the one that was asked about first, and shares that claims hold do not count.
    """

    def __init__(self, left: dict[PoolId, Left], held: Held, pools: Mapping[PoolId, Pool], by_name: bool) -> None:
        self._left, self._pools, self._by_name = left, pools, by_name
        self._held: Container[DeviceId] = held.devices if by_name else held
        self._consumed: dict[PoolId, Amounts] = {}
        self._groups: dict[tuple[PoolId, str], list[Groups]] = {}

    def reserve(self, device: Candidate) -> str | None:
        """Count the device, or say why not. All of the pool's counters must suffice: those of other devices as well."""
        in_common = list(self._in_common(device))
        if not all(groups for _, groups in in_common):
            return APART
        consumed = self._consumed.setdefault(self._key(device.pool), {})
        _add(consumed, device, +1)
        for name, counters in self._left_of(device.pool).amounts.items():
            used = consumed.get(name, {})
            if any(amount < used.get(counter, 0) for counter, amount in counters.items()):
                _add(consumed, device, -1)
                return NO_COUNTERS
        for name, groups in in_common:
            self._groups.setdefault((device.pool, name), []).append(groups)
        return None

    def release(self, device: Candidate) -> None:
        """Count the device no longer. It is the last one that was counted."""
        _add(self._consumed[self._key(device.pool)], device, -1)
        for name, _ in _groups(device):
            self._groups[device.pool, name].pop()

    def consumed(self) -> frozenset[tuple[PoolId, str, str, int]]:
        """(pool, counter set, counter, nanos) of all that is consumed."""
        return frozenset(
            (id, name, counter, amount)
            for id, amounts in self._consumed.items()
            for name, counters in amounts.items()
            for counter, amount in counters.items()
            if amount
        )

    def _in_common(self, device: Candidate) -> Iterator[tuple[str, Groups]]:
        """By counter set, the groups of the device that all others have."""
        allocated = self._left_of(device.pool).groups
        for name, own in _groups(device):
            before = self._groups.get((device.pool, name)) or [allocated.get(name, own)]
            yield name, before[-1] & own

    def _left_of(self, id: PoolId) -> Left:
        key = self._key(id)
        if key not in self._left:
            self._left[key] = left(self._pools[id], self._held)
        return self._left[key]

    def _key(self, id: PoolId) -> PoolId:
        return PoolId("", id.name) if self._by_name else id


def _groups(device: Candidate) -> Iterator[tuple[str, Groups]]:
    for each in device.device.consumesCounters:
        yield each.counterSet, frozenset(each.compatibilityGroups) or NO_GROUP


def _common(groups: Groups, more: Groups) -> Groups:
    """The groups that allocated devices share; a device that should not be there changes nothing."""
    return groups & more if (None in groups) == (None in more) else groups


def _add(amounts: Amounts, device: Candidate, sign: int) -> None:
    for consumption in device.device.consumesCounters:
        counters = amounts.setdefault(consumption.counterSet, {})
        for name, counter in consumption.counters.items():
            counters[name] = counters.get(name, 0) + sign * counter.value.nanos
