"""Checks of what pods claim: claims for devices, their allocation, and templates of claims.

v1.37: pkg/apis/resource/validation/validation.go.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from kschedlab.manifests.fields import check_choice, check_name, check_present
from kschedlab.manifests.placement import check_node_terms
from kschedlab.objects.model import (
    ALL_DEVICES,
    EXACT_COUNT,
    AllocationResult,
    DeviceAllocationConfiguration,
    DeviceClaimConfiguration,
    DeviceConstraint,
    DeviceRequest,
    DeviceRequestAllocationResult,
    DeviceSubRequest,
    DeviceToleration,
    Request,
    ResourceClaim,
    ResourceClaimConsumerReference,
    ResourceClaimSpec,
    ResourceClaimStatus,
    ResourceClaimTemplate,
)
from kschedlab.objects.names import dns_label_fault, label_key_fault, label_value_fault
from kschedlab.objects.problems import Faults, Path, shortened
from kschedlab_validation.devices import (
    EFFECTS,
    check_attribute_name,
    check_binding,
    check_items,
    check_opaque,
    check_pool_name,
    check_selector_of_devices,
    check_version,
)
from kschedlab_validation.volumes import driver_name_fault

_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_MOST = 32
"""The most requests, constraints, settings and devices of a claim."""

Names = Mapping[str, frozenset[str]]
"""The names of a claim's requests, with those of their alternatives."""


def check_resource_claim(claim: ResourceClaim, faults: Faults) -> None:
    if check_version(claim, faults):
        _check_spec(claim.spec, ("spec",), faults)
        _check_status(claim.status, _names(claim.spec), ("status",), faults)


def check_claim_template(template: ResourceClaimTemplate, faults: Faults) -> None:
    """Check a ResourceClaimTemplate, except its claim's metadata."""
    if check_version(template, faults):
        _check_spec(template.spec.spec, ("spec", "spec"), faults)


def _names(spec: ResourceClaimSpec) -> Names:
    return {request.name: frozenset(sub.name for sub in request.firstAvailable) for request in spec.devices.requests}


def _check_spec(spec: ResourceClaimSpec, path: Path, faults: Faults) -> None:
    devices, names = spec.devices, _names(spec)
    path = (*path, "devices")
    check_items(devices.requests, _MOST, (*path, "requests"), faults, _check_request, lambda each: each.name)

    def check_constraint(constraint: DeviceConstraint, path: Path, faults: Faults) -> None:
        _check_references(constraint.requests, names, (*path, "requests"), faults)
        attributes = {"matchAttribute": constraint.matchAttribute, "distinctAttribute": constraint.distinctAttribute}
        for field, name in attributes.items():
            if name is not None:
                check_attribute_name(name, (*path, field), faults, full=True)
        if not any(name is not None for name in attributes.values()):
            faults.note(path, "is empty: expected matchAttribute or distinctAttribute")

    check_items(devices.constraints, _MOST, (*path, "constraints"), faults, check_constraint)
    check_items(
        devices.config,
        _MOST,
        (*path, "config"),
        faults,
        lambda each, path, found: _check_configuration(each, names, path, found),
    )


def _check_configuration(
    config: DeviceClaimConfiguration | DeviceAllocationConfiguration, names: Names, path: Path, faults: Faults
) -> None:
    _check_references(config.requests, names, (*path, "requests"), faults)
    check_opaque(config.opaque, path, faults)


def _check_references(requests: tuple[str, ...], names: Names, path: Path, faults: Faults) -> None:
    check_items(
        requests, _MOST, path, faults, lambda each, path, found: _check_reference(each, names, path, found), str
    )


def _check_reference(reference: str, names: Names, path: Path, faults: Faults) -> None:
    name, slash, alternative = reference.partition("/")
    if name not in names or (slash and alternative not in names[name]):
        faults.note(
            path,
            '"{reference}" is not a request of the claim: expected request or request/alternative',
            reference=shortened(reference),
        )


# -- requests


def _check_request(request: DeviceRequest, path: Path, faults: Faults) -> None:
    check_name(request.name, (*path, "name"), faults, dns_label_fault)
    if bool(request.firstAvailable) == (request.exactly is not None):
        faults.note(path, "must have exactly one of exactly and firstAvailable")
    elif request.exactly is not None:
        _check_asked(request.exactly, (*path, "exactly"), faults)
    else:
        check_items(
            request.firstAvailable, 8, (*path, "firstAvailable"), faults, _check_alternative, lambda each: each.name
        )


def _check_alternative(request: DeviceSubRequest, path: Path, faults: Faults) -> None:
    check_name(request.name, (*path, "name"), faults, dns_label_fault)
    _check_asked(request, path, faults)


def _check_asked(request: Request, path: Path, faults: Faults) -> None:
    check_name(request.deviceClassName, (*path, "deviceClassName"), faults)
    check_items(request.selectors, _MOST, (*path, "selectors"), faults, check_selector_of_devices)
    mode = request.allocationMode or EXACT_COUNT
    check_choice(mode, (EXACT_COUNT, ALL_DEVICES), (*path, "allocationMode"), faults)
    if mode == ALL_DEVICES and request.count:
        faults.note((*path, "count"), "cannot be set in mode All")
    if mode == EXACT_COUNT and request.count < 0:
        faults.note((*path, "count"), "{value} is negative", value=request.count)
    for i, toleration in enumerate(request.tolerations):
        _check_toleration(toleration, (*path, "tolerations", i), faults)


def _check_toleration(toleration: DeviceToleration, path: Path, faults: Faults) -> None:
    if toleration.key:
        check_name(toleration.key, (*path, "key"), faults, label_key_fault)
    operator = toleration.operator or "Equal"
    check_choice(operator, ("Exists", "Equal"), (*path, "operator"), faults)
    if operator == "Exists" and toleration.value:
        faults.note((*path, "value"), "must be empty with operator Exists")
    elif operator == "Equal":
        faults.note((*path, "value"), label_value_fault(toleration.value))
    if toleration.effect:
        check_choice(toleration.effect, EFFECTS, (*path, "effect"), faults)


# -- status


def _check_status(status: ResourceClaimStatus, names: Names, path: Path, faults: Faults) -> None:
    check_items(status.reservedFor, 256, (*path, "reservedFor"), faults, _check_consumer, lambda consumer: consumer.uid)
    if status.allocation is None:
        if status.reservedFor:
            faults.note((*path, "reservedFor"), "cannot be set without an allocation")
    else:
        _check_allocation(status.allocation, names, (*path, "allocation"), faults)
    results = status.allocation.devices.results if status.allocation is not None else ()
    allocated = {(result.driver, result.pool, result.device, result.shareID or "") for result in results}
    for i, device in enumerate(status.devices):
        if (device.driver, device.pool, device.device, device.shareID or "") not in allocated:
            faults.note((*path, "devices", i), "is not a device that is allocated to the claim")


def _check_consumer(consumer: ResourceClaimConsumerReference, path: Path, faults: Faults) -> None:
    for field in ("resource", "name", "uid"):
        check_present(getattr(consumer, field), (*path, field), faults)


def _check_allocation(allocation: AllocationResult, names: Names, path: Path, faults: Faults) -> None:
    check_items(
        allocation.devices.results,
        _MOST,
        (*path, "devices", "results"),
        faults,
        lambda each, path, found: _check_result(each, names, path, found),
    )
    for i, config in enumerate(allocation.devices.config):
        config_path: Path = (*path, "devices", "config", i)
        check_choice(config.source, ("FromClass", "FromClaim"), (*config_path, "source"), faults)
        _check_configuration(config, names, config_path, faults)
    if allocation.nodeSelector is not None:
        terms = allocation.nodeSelector.nodeSelectorTerms
        check_node_terms(terms, (*path, "nodeSelector", "nodeSelectorTerms"), faults)


def _check_result(result: DeviceRequestAllocationResult, names: Names, path: Path, faults: Faults) -> None:
    _check_reference(result.request, names, (*path, "request"), faults)
    check_name(result.driver, (*path, "driver"), faults, driver_name_fault)
    check_pool_name(result.pool, (*path, "pool"), faults)
    check_name(result.device, (*path, "device"), faults, dns_label_fault)
    check_binding(result.bindingConditions, result.bindingFailureConditions, path, faults)
    for i, toleration in enumerate(result.tolerations):
        _check_toleration(toleration, (*path, "tolerations", i), faults)
    if result.shareID is not None and not _UUID.fullmatch(result.shareID):
        faults.note((*path, "shareID"), '"{uid}" is not a UUID in lowercase', uid=shortened(result.shareID))
