"""Fields that need a feature gate that is off by default: mostly of devices.

Without the gate, the API server drops the field. An attribute that was a list has no value then, so it refuses the
slice; it refuses a selector that treats attributes as lists, too.

v1.37: pkg/registry/resource/resourceslice/strategy.go (dropDisabledFields), pkg/apis/resource/validation/validation.go.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from msgspec.structs import replace

from kschedlab.messages import later
from kschedlab.objects.api import GROUPS, LISTS, without
from kschedlab.objects.model import (
    ApiObject,
    DeviceClass,
    DeviceSelector,
    Pod,
    ResourceClaim,
    ResourceClaimSpec,
    ResourceClaimTemplate,
    ResourceSlice,
)
from kschedlab.objects.pods import COMPARISONS, decimal_integer
from kschedlab.objects.problems import Fault, Path

_GROUPS_FIELD = "compatibilityGroups"
GATED = (ResourceSlice, DeviceClass, ResourceClaim, ResourceClaimTemplate)
"""The kinds in which something may need a gate."""


def needs(gate: str) -> str:
    return later("needs the feature gate {gate}, which is off by default", gate=gate)


def gated(document: ApiObject) -> Iterator[tuple[str, Fault]]:
    """The fields that need a gate, with the gate."""
    paths = _paths_of_slice(document) if isinstance(document, ResourceSlice) else _paths_of_selectors(document)
    for gate, path in paths:
        yield gate, Fault(path, needs(gate))


def refused(document: ApiObject, gates: Collection[str]) -> list[Fault]:
    """For what the API server refuses the object when only these gates are on."""
    return [fault for gate, fault in gated(document) if gate == LISTS and gate not in gates]


def without_groups(document: ResourceSlice, gates: Collection[str]) -> ResourceSlice:
    """The slice without the groups that the API server drops when only these gates are on."""
    if GROUPS in gates:
        return document
    spec = without(document.spec, {"devices": {"consumesCounters": {_GROUPS_FIELD: None}}})
    return document if spec is document.spec else replace(document, spec=spec)


def comparison_faults(pod: Pod) -> list[Fault]:
    """The values that Gt and Lt of tolerations cannot compare; the gate TaintTolerationComparisonOperators is on."""
    return [
        Fault(("spec", "tolerations", i, "value"), "must be a whole number of 64 bits, without leading zeros")
        for i, each in enumerate(pod.spec.tolerations)
        if each.operator in COMPARISONS and decimal_integer(each.value) is None
    ]


def _paths_of_slice(document: ResourceSlice) -> Iterator[tuple[str, Path]]:
    for i, device in enumerate(document.spec.devices):
        path = ("spec", "devices", i)
        for name, attribute in device.attributes.items():
            if any(isinstance(value, tuple) for value in attribute.given.values()):
                yield LISTS, (*path, "attributes", name)
        for k, each in enumerate(device.consumesCounters):
            if each.compatibilityGroups:
                yield GROUPS, (*path, "consumesCounters", k, _GROUPS_FIELD)


def _paths_of_selectors(document: ApiObject) -> Iterator[tuple[str, Path]]:
    from kube_cel import fault  # most files have no selectors

    for path, selectors in _selectors(document):
        for i, each in enumerate(selectors):
            text = each.cel.expression if each.cel is not None else "true"
            if fault(text) and not fault(text, lists=True):
                yield LISTS, (*path, i, "cel", "expression")


def _selectors(document: ApiObject) -> Iterator[tuple[Path, tuple[DeviceSelector, ...]]]:
    if isinstance(document, DeviceClass):
        yield ("spec", "selectors"), document.spec.selectors
    elif isinstance(document, ResourceClaim):
        yield from _selectors_of_claim(document.spec, ("spec",))
    elif isinstance(document, ResourceClaimTemplate):
        yield from _selectors_of_claim(document.spec.spec, ("spec", "spec"))


def _selectors_of_claim(spec: ResourceClaimSpec, path: Path) -> Iterator[tuple[Path, tuple[DeviceSelector, ...]]]:
    for i, request in enumerate(spec.devices.requests):
        at = (*path, "devices", "requests", i)
        if request.exactly is not None:
            yield (*at, "exactly", "selectors"), request.exactly.selectors
        for k, alternative in enumerate(request.firstAvailable):
            yield (*at, "firstAvailable", k, "selectors"), alternative.selectors
