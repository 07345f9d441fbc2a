"""How much of a device's capacity a request consumes.

A request that names no amount consumes the policy's default, or everything. A policy rounds an amount up to a step
of its range or to one of its valid values.

v1.37: k8s.io/dynamic-resource-allocation structured/internal/incubating/consumable_capacity.go.
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

_MILLI = NANO // 1000


class CapacityError(Exception):
    """An amount that cannot be counted: the allocation ends."""


def consumption(
    requested: CapacityRequirements | None, capacity: Mapping[str, DeviceCapacity]
) -> dict[str, Quantity] | None:
    """What a request consumes of each capacity; None if the device lacks one of them or its policy forbids the amount.

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
    """The next step from the least amount, in thousandths if all of the range can be counted in them."""
    if requested.nanos < least.nanos:
        return least
    if valid.step is None:
        return requested
    milli = _in_milli(valid)
    unit = _MILLI if milli else NANO
    if milli and not _is_milli(requested):
        raise CapacityError(f"request {requested} is not a representable milli value")
    if not milli and requested.nanos > INT64_MAX * NANO:
        raise CapacityError(f"request {requested} exceeds MaxInt64")
    amount, step, start = (each.milli() if milli else each.value() for each in (requested, valid.step, least))
    rounded = start - (start - amount) // step * step
    if rounded > INT64_MAX and (milli or start >= 0):
        limit = "the milli-value range" if milli else "MaxInt64"
        raise CapacityError(f"rounding request {requested} up to the next step passes {limit}")
    return Quantity.from_nanos(rounded * unit, valid.step.format)


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
    if _in_milli(valid):
        return not _is_milli(amount) or (amount.milli() - valid.min.milli()) % valid.step.milli() != 0
    return (amount.value() - valid.min.value()) % valid.step.value() != 0


def _in_milli(valid: CapacityRequestPolicyRange) -> bool:
    given = [each for each in (valid.min, valid.max, valid.step) if each is not None]
    return all(map(_is_milli, given)) and (valid.step is None or valid.step.milli() >= 1)


def _is_milli(amount: Quantity) -> bool:
    return amount.is_milli and not amount.overflows(milli=True)
