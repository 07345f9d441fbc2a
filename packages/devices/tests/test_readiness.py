"""Binding conditions: v1.37's dynamicresources_test.go (Test_isClaimReadyForBinding, Test_isClaimTimeout)."""

import pytest
from msgspec.structs import replace

from kschedlab.build import Manifest
from kschedlab.manifests.loading import decode_objects
from kschedlab.objects.meta import SECOND, Time
from kschedlab.objects.model import ResourceClaim
from kschedlab_devices.readiness import ReadinessError, has_conditions, is_late, is_ready, overdue
from packages.devices.tests.device_manifests import GPU, exactly, resource_claim

ALLOCATED = Time.parse("2024-01-01T00:00:00Z")


def claim(*conditions: str, needs: tuple[str, ...] = ("Attached",), status: bool = True) -> ResourceClaim:
    """A claim with one device whose conditions are these, ``-`` before one that is false."""
    device: Manifest = {"driver": GPU, "pool": "p", "device": "d"}
    result = {"request": "r", **device}
    result |= {"bindingConditions": list(needs), "bindingFailureConditions": ["Broken"]} if needs else {}
    allocation = {"devices": {"results": [result]}, "allocationTimestamp": "2024-01-01T00:00:00Z"}
    observed = [
        {"type": name.lstrip("-"), "status": str(name[0] != "-"), "reason": "Why", "message": "text"}
        for name in conditions
    ]
    devices = [device | {"conditions": observed}] if status else []
    (found,) = decode_objects([resource_claim("c", exactly(), allocation=allocation, devices=devices)]).of(
        ResourceClaim
    )
    return found


def test_a_claim_is_ready_when_all_its_conditions_are_true() -> None:
    assert is_ready(claim("Attached"))
    assert not is_ready(claim("-Attached"))
    assert not is_ready(claim())
    assert not is_ready(claim(status=False))
    assert not is_ready(claim("Attached", needs=("Attached", "Warm")))
    assert is_ready(claim(needs=(), status=False)) and not has_conditions(claim(needs=()))


def test_a_claim_without_an_allocation_is_not_ready() -> None:
    waiting = claim("Attached")
    assert not is_ready(replace(waiting, status=replace(waiting.status, allocation=None)))


def test_one_device_with_conditions_keeps_its_claim_waiting() -> None:
    waiting = claim("-Attached")
    allocation = waiting.status.allocation
    assert allocation is not None
    (result,) = allocation.devices.results
    results = replace(result, device="other", bindingConditions=(), bindingFailureConditions=()), result
    allocation = replace(allocation, devices=replace(allocation.devices, results=results))
    two = replace(waiting, status=replace(waiting.status, allocation=allocation))
    assert has_conditions(two) and not is_ready(two)
    assert is_late(two, ALLOCATED + 601 * SECOND, 600 * SECOND)


def test_a_failure_condition_is_an_error() -> None:
    with pytest.raises(ReadinessError) as raised:
        is_ready(claim("Attached", "Broken"))
    assert str(raised.value) == 'device binding failed: claim=c, reason=Why, message="text"'


def test_a_claim_is_late_after_the_timeout() -> None:
    waiting = claim("-Attached")
    assert not is_late(waiting, ALLOCATED + 600 * SECOND, 600 * SECOND)
    assert is_late(waiting, ALLOCATED + 600 * SECOND + 1, 600 * SECOND)
    assert not is_late(claim(needs=()), ALLOCATED + 601 * SECOND, 600 * SECOND)


def test_what_failed_or_is_late_is_overdue() -> None:
    claims = [claim("Attached"), claim("-Attached"), claim("Broken"), claim(needs=())]
    assert overdue(claims, ALLOCATED, 600 * SECOND) == {2}
    assert overdue(claims, ALLOCATED + 601 * SECOND, 600 * SECOND) == {1, 2}
