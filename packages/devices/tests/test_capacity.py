"""How much of a device a request consumes, at its limits.

v1.37: k8s.io/dynamic-resource-allocation structured/internal/experimental/consumable_capacity.go.
"""

from __future__ import annotations

import pytest

from kschedlab.objects.model import (
    CapacityRequestPolicy,
    CapacityRequestPolicyRange,
    CapacityRequirements,
    DeviceCapacity,
)
from kschedlab.objects.quantity import NANO, Quantity
from kschedlab_devices.capacity import CapacityError, consumption, fits

MOST = 2**63 - 1


def test_amounts_fit_up_to_the_whole_capacity() -> None:
    four = {"memory": Quantity("4"), "cores": Quantity("1")}
    device = {"memory": DeviceCapacity(value=Quantity("4")), "cores": DeviceCapacity(value=Quantity("2"))}
    assert fits(four, device) and fits(four, device, {}, {"cores": NANO})
    assert not fits(four, device, {"memory": 1}) and not fits(four, device, {"cores": NANO // 2}, {"cores": NANO})


def consumed(amount: str, least: str, step: str) -> Quantity | None:
    """What is consumed of a capacity whose policy has this range."""
    range = CapacityRequestPolicyRange(min=Quantity(least), step=Quantity(step))
    policy = CapacityRequestPolicy(default=Quantity("1"), validRange=range)
    device = {"memory": DeviceCapacity(value=Quantity(str(MOST)), requestPolicy=policy)}
    found = consumption(CapacityRequirements(requests={"memory": Quantity(amount)}), device)
    return None if found is None else found["memory"]


@pytest.mark.parametrize(
    ("amount", "least", "step", "expected"),
    [
        ("0", "0", "2", "0"),
        ("3", "0", "2", "4"),
        ("4", "0", "2", "4"),
        ("1", "3", "2", "3"),
        ("4", "3", "2", "5"),
        (str(MOST), "1", "2", str(MOST)),
    ],
)
def test_an_amount_is_rounded_up_to_the_next_step(amount: str, least: str, step: str, expected: str) -> None:
    assert consumed(amount, least, step) == Quantity(expected)


@pytest.mark.parametrize(
    ("amount", "least", "why"),
    [
        (str(MOST), "0", "up to the next step passes MaxInt64"),
        (str(MOST + 1), "0", "exceeds MaxInt64"),
        ("-2", "-2", "is negative"),
    ],
)
def test_an_amount_that_cannot_be_counted_ends_the_allocation(amount: str, least: str, why: str) -> None:
    with pytest.raises(CapacityError, match=why):
        consumed(amount, least, "2")


@pytest.mark.parametrize(("amount", "expected"), [("1", "2"), ("2", "2"), ("3", "4"), ("4", "4"), ("5", None)])
def test_an_amount_is_rounded_up_to_the_next_valid_value(amount: str, expected: str | None) -> None:
    policy = CapacityRequestPolicy(default=Quantity("2"), validValues=(Quantity("2"), Quantity("4")))
    device = {"memory": DeviceCapacity(value=Quantity("8"), requestPolicy=policy)}
    found = consumption(CapacityRequirements(requests={"memory": Quantity(amount)}), device)
    assert found == (None if expected is None else {"memory": Quantity(expected)})


@pytest.mark.parametrize(("value", "expected"), [("4", None), ("5", "5"), ("7", "7"), ("9", None)])
def test_without_a_default_the_whole_capacity_must_be_a_step_of_the_range(value: str, expected: str | None) -> None:
    """violatesPolicy."""
    policy = CapacityRequestPolicy(
        validRange=CapacityRequestPolicyRange(min=Quantity("3"), max=Quantity("8"), step=Quantity("2"))
    )
    found = consumption(None, {"memory": DeviceCapacity(value=Quantity(value), requestPolicy=policy)})
    assert found == (None if expected is None else {"memory": Quantity(expected)})
