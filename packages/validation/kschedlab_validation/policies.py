"""Checks of request policies: which amounts of a shared device's capacity a request can have.

v1.37: pkg/apis/resource/validation/validation.go (validateRequestPolicy).
"""

from __future__ import annotations

from collections.abc import Collection

from kschedlab.messages import later
from kschedlab.objects.model import CapacityRequestPolicy, CapacityRequestPolicyRange
from kschedlab.objects.problems import Faults, Path, out_of_range
from kschedlab.objects.quantity import INT64_MAX, NANO, Quantity

_MOST_VALUES = 10


def check_policy(capacity: Quantity, policy: CapacityRequestPolicy, path: Path, faults: Faults) -> None:
    if policy.validValues and policy.validRange is not None:
        faults.note(path, "has both validValues and validRange: expected one of them")
    elif not policy.validValues and policy.validRange is None:
        return
    elif policy.default is None:
        faults.note((*path, "default"), "is missing")
    elif policy.validRange is not None:
        _check_range(capacity, policy.default, policy.validRange, (*path, "validRange"), faults)
    else:
        _check_values(capacity, policy.default, policy.validValues, (*path, "validValues"), faults)


def _check_values(
    capacity: Quantity, default: Quantity, values: tuple[Quantity, ...], path: Path, faults: Faults
) -> None:
    if len(values) > _MOST_VALUES:
        faults.note(path, too_many(values, _MOST_VALUES))
        return
    for i, value in enumerate(values):
        if i and value.nanos < values[i - 1].nanos:
            message = later("{value} is less than the one before it: sort the values", value=value)
            faults.note((*path, i), message)
        if value.value() in [each.value() for each in values[:i]]:
            faults.note((*path, i), "{value} appears twice, in whole units", value=value)
        _check_at_most(value, capacity, later("the capacity"), (*path, i), faults)
    if default not in values:
        faults.note(path, "does not have the default {default}", default=default)


def _check_range(
    capacity: Quantity, default: Quantity, valid: CapacityRequestPolicyRange, path: Path, faults: Faults
) -> None:
    least, most, step = valid.min, valid.max, valid.step
    if least is None:
        faults.note((*path, "min"), "is missing")
        return
    _check_at_most(least, capacity, later("the capacity"), (*path, "min"), faults)
    if default.nanos < least.nanos:
        message = later("{value} is less than min, {least}", value=default, least=least)
        faults.note((*path, "default"), message)
    if most is not None:
        _check_at_most(least, most, "max", (*path, "max"), faults)
        _check_at_most(most, capacity, later("the capacity"), (*path, "max"), faults)
        _check_at_most(default, most, "max", (*path, "default"), faults)
    if step is not None:
        _check_step(capacity, default, least, most, step, path, faults)


def _check_step(
    capacity: Quantity,
    default: Quantity,
    least: Quantity,
    most: Quantity | None,
    step: Quantity,
    path: Path,
    faults: Faults,
) -> None:
    if step.nanos <= 0:
        faults.note((*path, "step"), "must be greater than zero")
        return
    if least.nanos + step.nanos > capacity.nanos:
        message = later("{step} above min is more than the capacity, {capacity}", step=step, capacity=capacity)
        faults.note((*path, "step"), message)
    fields = {"default": default, "min": least, "max": most, "step": step}
    amounts = {name: amount for name, amount in fields.items() if amount is not None}
    lowest, highest = 0, INT64_MAX
    beyond = [name for name, amount in amounts.items() if not lowest * NANO <= amount.nanos <= highest * NANO]
    for name in beyond:
        faults.note((*path, name), out_of_range(fields[name], lowest, highest))
    if beyond:
        return
    for amount in (default, most):
        if amount is not None and (amount.value() - least.value()) % step.value():
            message = later(
                "{value} is not a whole number of steps of {step} above {least}", value=amount, step=step, least=least
            )
            faults.note((*path, "step"), message)


def _check_at_most(amount: Quantity, limit: Quantity, name: str, path: Path, faults: Faults) -> None:
    if amount.nanos > limit.nanos:
        faults.note(path, "{value} is more than {name}, {limit}", value=amount, name=name, limit=limit)


def too_many(items: Collection[object], most: int) -> str:
    """The fault of a list that is too long."""
    return later("has {number} items: at most {most} are allowed", number=len(items), most=most)
