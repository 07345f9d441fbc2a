"""Counters that the devices of a pool share: a device that is a part of another one consumes some of them.

v1.37: k8s.io/dynamic-resource-allocation structured/internal/incubating/allocator_incubating.go
(checkAvailableCounters).
"""

from __future__ import annotations

from collections.abc import Mapping

from kschedlab.devices.held import Held
from kschedlab.devices.pools import Candidate, Pool, PoolId
from kschedlab.devices.state import State

Amounts = dict[str, dict[str, int]]
"""Nanos by counter set and counter."""


def left(pool: Pool, held: Held) -> Amounts:
    """What allocated devices leave of the pool's counters; less than nothing if they consume too much."""
    amounts = {name: dict(counters) for name, counters in pool.counters.items()}
    for device in (*pool.devices, *pool.others):
        if device.id in held:
            _add(amounts, device, -1)
    return amounts


class Counters:
    """What the devices of one search consume."""

    def __init__(self, state: State, pools: Mapping[PoolId, Pool]) -> None:
        self._state = state
        self._pools = pools
        self._consumed: dict[PoolId, Amounts] = {}

    def reserve(self, device: Candidate) -> bool:
        """Count the device if the pool's counters suffice: all of them, those of other devices as well."""
        id = device.pool
        available = self._state.counters.get(id)
        if available is None:
            available = self._state.counters[id] = left(self._pools[id], self._state.held)
        consumed = self._consumed.setdefault(id, {})
        _add(consumed, device, +1)
        for name, counters in available.items():
            used = consumed.get(name, {})
            if any(amount < used.get(counter, 0) for counter, amount in counters.items()):
                _add(consumed, device, -1)
                return False
        return True

    def release(self, device: Candidate) -> None:
        """Count the device no longer."""
        _add(self._consumed[device.pool], device, -1)

    def consumed(self) -> frozenset[tuple[PoolId, str, str, int]]:
        """(pool, counter set, counter, nanos) of all that is consumed."""
        return frozenset(
            (id, name, counter, amount)
            for id, amounts in self._consumed.items()
            for name, counters in amounts.items()
            for counter, amount in counters.items()
            if amount
        )


def _add(amounts: Amounts, device: Candidate, sign: int) -> None:
    for consumption in device.device.consumesCounters:
        counters = amounts.setdefault(consumption.counterSet, {})
        for name, counter in consumption.counters.items():
            counters[name] = counters.get(name, 0) + sign * counter.value.nanos
