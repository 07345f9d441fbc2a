"""Whether allocated devices are ready: binding conditions, which a driver sets after the allocation.

v1.37: pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go (isClaimReadyForBinding, isClaimTimeout).
"""

from __future__ import annotations

from collections.abc import Iterable

from kschedlab.objects.model import AllocatedDeviceStatus, DeviceRequestAllocationResult, ResourceClaim

FAILED = 'device binding failed: claim={claim}, reason={reason}, message="{message}"'


def is_ready(claim: ResourceClaim) -> bool:
    """Whether all binding conditions of the claim's devices are true; devices without any are ready.

    ReadinessError if a failure condition is true. Devices are checked in order; the first that is not ready decides.
    """
    allocation = claim.status.allocation
    if allocation is None:
        return False
    for result in allocation.devices.results:
        if not result.bindingConditions:
            continue
        status = _status_of(claim, result)
        if status is None:
            return False
        conditions = {condition.type: condition for condition in reversed(status.conditions)}
        for name in result.bindingFailureConditions:
            if name in conditions and conditions[name].status == "True":
                failed = conditions[name]
                raise ReadinessError(
                    FAILED.format(claim=claim.metadata.name, reason=failed.reason, message=failed.message)
                )
        if not all(name in conditions and conditions[name].status == "True" for name in result.bindingConditions):
            return False
    return True


class ReadinessError(Exception):
    """A device's driver reports that it cannot get ready; the message is the real scheduler's."""


def has_conditions(claim: ResourceClaim) -> bool:
    """Whether one of the claim's devices has binding conditions."""
    allocation = claim.status.allocation
    return allocation is not None and any(result.bindingConditions for result in allocation.devices.results)


def is_late(claim: ResourceClaim, now: int, timeout: int) -> bool:
    """Whether the claim was allocated longer ago than the timeout. All in microseconds."""
    allocation = claim.status.allocation
    if allocation is None or allocation.allocationTimestamp is None or not has_conditions(claim):
        return False
    return allocation.allocationTimestamp + timeout < now


def overdue(claims: Iterable[ResourceClaim], now: int, timeout: int) -> frozenset[int]:
    """The indices of the allocated claims whose devices have failed to get ready, or have had their time."""
    return frozenset(i for i, claim in enumerate(claims) if has_conditions(claim) and _is_overdue(claim, now, timeout))


def _is_overdue(claim: ResourceClaim, now: int, timeout: int) -> bool:
    try:
        return not is_ready(claim) and is_late(claim, now, timeout)
    except ReadinessError:
        return True


def _status_of(claim: ResourceClaim, result: DeviceRequestAllocationResult) -> AllocatedDeviceStatus | None:
    device = result.driver, result.pool, result.device
    return next((each for each in claim.status.devices if (each.driver, each.pool, each.device) == device), None)
