"""The capacity of a device that a request consumes.

A request that names no amount consumes the policy's default, or everything. A policy rounds an amount up to a step
of its range or to one of its valid values.

v1.37: k8s.io/dynamic-resource-allocation structured/internal/experimental/consumable_capacity.go. Steps of less than 1
(DRAFractionalCapacityRange) are off by default, because the default compatibility version is 1.36.
"""

from __future__ import annotations

from collections.abc import Mapping

from kschedlab.objects.model import (
    CapacityRequestPolicy,
    CapacityRequestPolicyRange,
    CapacityRequirements,
    DeviceCapacity,
)
from kschedlab.objects.quantity import INT64_MAX, NANO, Quantity


class CapacityError(Exception):
    """An amount that cannot be counted: the allocation ends."""


def consumption(
    requested: CapacityRequirements | None, capacity: Mapping[str, DeviceCapacity]
) -> dict[str, Quantity] | None:
    """The consumption of each capacity; None if the device lacks one or its policy forbids the amount.

    CapacityError if an amount cannot be counted.
    """
    amounts = requested.requests if requested is not None else {}
    if not amounts.keys() <= capacity.keys():
        return None
    consumed = {name: _consumed(name, amounts.get(name), each) for name, each in capacity.items()}
    for name, each in capacity.items():
        if each.requestPolicy is not None and _violates(consumed[name], each.requestPolicy):
            return None
    return consumed


def fits(consumed: Mapping[str, Quantity], capacity: Mapping[str, DeviceCapacity], *used: Mapping[str, int]) -> bool:
    """Whether the device has this much left. ``used``: nanos that are in use already."""
    return all(
        amount.nanos + sum(each.get(name, 0) for each in used) <= capacity[name].value.nanos
        for name, amount in consumed.items()
    )


def _consumed(name: str, requested: Quantity | None, capacity: DeviceCapacity) -> Quantity:
    try:
        amount = _amount(requested, capacity)
    except CapacityError as error:
        unrepresentable = "capacity request cannot be represented in the device's range arithmetic"
        raise CapacityError(f'capacity "{name}": {unrepresentable}: {error}') from None
    if amount.nanos < 0:
        raise CapacityError(f'capacity "{name}": capacity value is negative')
    return amount


def _amount(requested: Quantity | None, capacity: DeviceCapacity) -> Quantity:
    policy = capacity.requestPolicy
    if requested is None:
        return policy.default if policy is not None and policy.default is not None else capacity.value
    if policy is None:
        return requested
    if policy.validRange is not None and policy.validRange.min is not None:
        return _rounded_up(requested, policy.validRange.min, policy.validRange)
    return next((each for each in policy.validValues if requested.nanos <= each.nanos), requested)


def _rounded_up(requested: Quantity, least: Quantity, valid: CapacityRequestPolicyRange) -> Quantity:
    """The next step from the least amount, in whole units."""
    if requested.nanos < least.nanos:
        return least
    if valid.step is None:
        return requested
    if requested.nanos > INT64_MAX * NANO:
        raise CapacityError(f"request {requested} exceeds MaxInt64")
    start, step = least.value(), valid.step.value()
    rounded = start - (start - requested.value()) // step * step
    if rounded > INT64_MAX and start >= 0:
        raise CapacityError(f"rounding request {requested} up to the next step passes MaxInt64")
    return Quantity.from_nanos(rounded * NANO, valid.step.format)


def _violates(amount: Quantity, policy: CapacityRequestPolicy) -> bool:
    if amount == policy.default:
        return False
    if policy.validRange is None:
        return bool(policy.validValues) and amount not in policy.validValues
    valid = policy.validRange
    if valid.max is not None and amount.nanos > valid.max.nanos:
        return True
    if valid.step is None or valid.min is None:
        return False
    return (amount.value() - valid.min.value()) % valid.step.value() != 0
