"""Checks of what drivers publish and pods claim: slices, device classes, claims and taint rules.

v1.37: pkg/apis/resource/validation/validation.go.
"""

from __future__ import annotations

from kschedlab.objects.devices import DeviceSelector, ResourceClaimSpec
from kschedlab.objects.model import DeviceClass, DeviceTaintRule, ResourceClaim, ResourceClaimTemplate, ResourceSlice
from kschedlab.objects.problems import Fault, quoted

_GROUP = "resource.k8s.io"
_SAME_SHAPE = (f"{_GROUP}/v1", f"{_GROUP}/v1beta2", f"{_GROUP}/v1alpha3")
"""The versions in which these kinds have the fields of v1."""


def check_devices(
    document: ResourceSlice | DeviceClass | ResourceClaim | ResourceClaimTemplate | DeviceTaintRule, faults: list[Fault]
) -> None:
    """Check the object's version and its selectors."""
    if document.apiVersion not in _SAME_SHAPE:
        message = f"{quoted(document.apiVersion)} has other fields: write the object as {_GROUP}/v1"
        faults.append(Fault(("apiVersion",), message))
    if isinstance(document, DeviceClass):
        _check_selectors(document.spec.selectors, ("spec", "selectors"), faults)
    elif isinstance(document, ResourceClaim):
        _check_claim(document.spec, ("spec",), faults)
    elif isinstance(document, ResourceClaimTemplate):
        _check_claim(document.spec.spec, ("spec", "spec"), faults)


def _check_claim(spec: ResourceClaimSpec, path: tuple[str | int, ...], faults: list[Fault]) -> None:
    for at, request in enumerate(spec.devices.requests):
        place = (*path, "devices", "requests", at)
        if request.exactly is not None:
            _check_selectors(request.exactly.selectors, (*place, "exactly", "selectors"), faults)
        for number, choice in enumerate(request.firstAvailable):
            _check_selectors(choice.selectors, (*place, "firstAvailable", number, "selectors"), faults)


def _check_selectors(selectors: tuple[DeviceSelector, ...], path: tuple[str | int, ...], faults: list[Fault]) -> None:
    """Check the expressions: they must compile, and the highest cost that they can have must be within the limit."""
    if selectors:
        from kschedlab.cel import fault  # most files have no selectors

    for at, selector in enumerate(selectors):
        if selector.cel is None:
            faults.append(Fault((*path, at, "cel"), "is missing: a selector is an expression"))
        elif wrong := fault(selector.cel.expression):
            first = wrong.split("\n | ", 1)[0]
            faults.append(Fault((*path, at, "cel", "expression"), f"{quoted(selector.cel.expression)}: {first}"))
