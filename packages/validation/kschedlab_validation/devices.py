"""Checks of what drivers publish: slices, device classes and taint rules.

v1.37: pkg/apis/resource/validation/validation.go.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from typing import Any, TypeVar

import msgspec

from kschedlab.manifests.fields import check_choice, check_name, check_present
from kschedlab.manifests.placement import check_node_terms
from kschedlab.messages import later
from kschedlab.objects.model import (
    ApiObject,
    Counter,
    Device,
    DeviceAttribute,
    DeviceClass,
    DeviceCounterConsumption,
    DeviceSelector,
    DeviceTaintRule,
    NodeSelector,
    OpaqueDeviceConfiguration,
    ResourceSlice,
    ResourceSliceSpec,
    Taint,
)
from kschedlab.objects.names import dns_label_fault, label_key_fault, label_value_fault, name_fault
from kschedlab.objects.problems import Faults, Path, shortened
from kschedlab.objects.requests import is_extended
from kschedlab_validation.policies import check_policy, too_many
from kschedlab_validation.volumes import all_of, driver_name_fault

T = TypeVar("T")
EFFECTS = ("NoSchedule", "NoExecute", "None")
_SAME_SHAPE = ("resource.k8s.io/v1", "resource.k8s.io/v1beta2", "resource.k8s.io/v1alpha3")
"""The versions in which these kinds have the fields of v1."""
_MOST_DEVICES, _MOST_WITH_EXTRAS, _MOST_VALUES = 128, 64, 48
"""The most devices of a slice, also if one has taints, counters or lists; the most values of a device's attributes."""
_LARGEST_PARAMETERS = 10 * 1024
_PLACES = ("nodeName", "nodeSelector", "allNodes", "perDeviceNodeSelection")
_NUMBER, _LATER = r"(0|[1-9]\d*)", r"(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)"
_SEMVER = re.compile(
    rf"{_NUMBER}\.{_NUMBER}\.{_NUMBER}(-{_LATER}(\.{_LATER})*)?(\+[0-9a-zA-Z-]+(\.[0-9a-zA-Z-]+)*)?", re.ASCII
)
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,31}")


def check_version(document: ApiObject, faults: Faults) -> bool:
    """Check that the object's version has the fields of v1."""
    version = document.apiVersion
    if version in _SAME_SHAPE:
        return True
    message = later(
        '"{version}" has other fields: write the object as {other}', version=shortened(version), other=_SAME_SHAPE[0]
    )
    faults.note(("apiVersion",), message)
    return False


# -- parts that several kinds share


def check_items(
    items: Collection[T],
    most: int,
    path: Path,
    faults: Faults,
    check: Callable[[T, Path, Faults], None],
    key: Callable[[T], object] | None = None,
) -> None:
    """Check a list's length and items. ``key``: what must not appear twice."""
    if len(items) > most:
        faults.note(path, too_many(items, most))
        return
    seen: set[object] = set()
    for i, each in enumerate(items):
        check(each, (*path, i), faults)
        if key is not None and key(each) in seen:
            faults.note((*path, i), '"{name}" appears twice', name=shortened(str(key(each))))
        seen.add(key(each) if key is not None else i)


def check_pool_name(name: str, path: Path, faults: Faults) -> None:
    """Check a pool's name: names separated by slashes."""
    if len(name) > 253:
        faults.note(path, "has more than 253 characters")
    for part in name.split("/"):
        check_name(part, path, faults)


def check_attribute_name(name: str, path: Path, faults: Faults, full: bool = False) -> None:
    """Check the name of an attribute or capacity: an identifier, if ``full`` after a domain and a slash."""
    parts = name.split("/")
    if full and len(parts) == 1:
        message = later(
            '"{text}" is not a full name: expected domain/name, such as gpu.example.com/model', text=shortened(name)
        )
        faults.note(path, message)
    if len(parts) > 2:
        return
    if len(parts) == 2:
        check_name(parts[0], path, faults, name_fault if full else driver_name_fault)
        if full and len(parts[0]) > 63:  # the other check says so itself
            faults.note(path, "has a domain of more than 63 characters")
    if not _IDENTIFIER.fullmatch(parts[-1]):
        message = later(
            '"{text}" is not a valid name: use letters, digits and _ (at most 32), not starting with a digit, '
            "optionally after a domain/",
            text=shortened(name),
        )
        faults.note(path, message)


def check_selector_of_devices(selector: DeviceSelector, path: Path, faults: Faults) -> None:
    """Check a selector: it must compile, and the highest cost that it can have must be within the limit.

    One that does so only with the feature gate of lists has no fault.
    """
    from kube_cel import fault  # most files have no selectors

    if selector.cel is None:
        faults.note((*path, "cel"), "is missing: a selector is an expression")
    elif (wrong := fault(selector.cel.expression)) and fault(selector.cel.expression, lists=True):
        first = wrong.split("\n | ", 1)[0]
        message = later('"{expression}": {fault}', expression=shortened(selector.cel.expression), fault=first)
        faults.note((*path, "cel", "expression"), message)


def check_opaque(opaque: OpaqueDeviceConfiguration | None, path: Path, faults: Faults) -> None:
    """Check the settings for a driver."""
    if opaque is None:
        faults.note((*path, "opaque"), "is missing")
        return
    check_name(opaque.driver, (*path, "opaque", "driver"), faults, driver_name_fault)
    if not isinstance(opaque.parameters, dict):
        faults.note((*path, "opaque", "parameters"), "must be a map of fields")
    elif len(msgspec.json.encode(opaque.parameters)) > _LARGEST_PARAMETERS:
        faults.note((*path, "opaque", "parameters"), "must not be larger than 10 KiB")


def check_binding(conditions: tuple[str, ...], failures: tuple[str, ...], path: Path, faults: Faults) -> None:
    """Check binding conditions, which come with failure conditions."""

    def check(name: str, path: Path, faults: Faults) -> None:
        check_name(name, path, faults, label_key_fault)
        if path[-2] == "bindingFailureConditions" and name in conditions:
            faults.note(path, '"{name}" is among bindingConditions, too', name=shortened(name))

    check_items(conditions, 4, (*path, "bindingConditions"), faults, check, str)
    check_items(failures, 4, (*path, "bindingFailureConditions"), faults, check, str)
    if bool(conditions) != bool(failures):
        missing = "bindingFailureConditions" if conditions else "bindingConditions"
        faults.note((*path, missing), "is missing: the two lists of conditions come together")


def check_taint(taint: Taint, path: Path, faults: Faults) -> None:
    check_name(taint.key, (*path, "key"), faults, label_key_fault)
    faults.note((*path, "value"), label_value_fault(taint.value))
    check_choice(taint.effect, EFFECTS, (*path, "effect"), faults)


# -- slices


def check_slice(document: ResourceSlice, faults: Faults) -> None:
    if not check_version(document, faults):
        return
    spec, path = document.spec, ("spec",)
    check_name(spec.driver, (*path, "driver"), faults, driver_name_fault)
    check_pool_name(spec.pool.name, (*path, "pool", "name"), faults)
    if spec.pool.resourceSliceCount <= 0:
        faults.note((*path, "pool", "resourceSliceCount"), "must be greater than zero")
    if spec.pool.generation < 0:
        faults.note((*path, "pool", "generation"), "{value} is negative", value=spec.pool.generation)
    _check_place(spec, _PLACES, path, faults)
    if spec.sharedCounters and spec.devices:
        faults.note(path, "has both sharedCounters and devices: put them into two slices")
    scarce = any(device.taints or device.consumesCounters or _lists(device) for device in spec.devices)
    most = _MOST_WITH_EXTRAS if scarce else _MOST_DEVICES

    def check(device: Device, path: Path, faults: Faults) -> None:
        _check_device(device, bool(spec.perDeviceNodeSelection), path, faults)

    check_items(spec.devices, most, (*path, "devices"), faults, check, lambda device: device.name)
    check_items(
        spec.sharedCounters,
        8,
        (*path, "sharedCounters"),
        faults,
        lambda each, path, faults: _check_counters(each.name, "name", each.counters, path, faults),
        lambda each: each.name,
    )


def _check_place(part: Any, fields: Iterable[str], path: Path, faults: Faults) -> None:
    """Check that exactly one of the fields says where the slice or the device is."""
    places = []
    for field in fields:
        value = getattr(part, field)
        if value is None:
            continue
        if value in (False, ""):
            faults.note((*path, field), "must not be set to nothing: leave it out")
            continue
        places.append(field)
        if field == "nodeName":
            check_name(value, (*path, field), faults)
        elif field == "nodeSelector":
            _check_node_selector(value, (*path, field), faults, isinstance(part, ResourceSliceSpec))
    if len(places) != 1:
        which = later("has {names}", names=all_of(places)) if places else later("does not say where it is")
        faults.note(path, "{which}: expected exactly one of {names}", which=which, names=list(fields))


def _check_node_selector(selector: NodeSelector, path: Path, faults: Faults, single: bool) -> None:
    terms = selector.nodeSelectorTerms
    check_node_terms(terms, (*path, "nodeSelectorTerms"), faults)
    if single and len(terms) > 1:
        faults.note((*path, "nodeSelectorTerms"), "must have exactly one term")


def _check_device(device: Device, each: bool, path: Path, faults: Faults) -> None:
    check_name(device.name, (*path, "name"), faults, dns_label_fault)
    if len(device.attributes) + len(device.capacity) > 32:
        faults.note(path, "has more than 32 attributes and capacities")
    if len(device.attributes) + sum(len(each) - 1 for each in _lists(device) if each) > _MOST_VALUES:
        faults.note(path, "has more than 48 values of attributes")
    for name, attribute in device.attributes.items():
        check_attribute_name(name, (*path, "attributes", name), faults)
        _check_attribute(attribute, (*path, "attributes", name), faults)
    for name, capacity in device.capacity.items():
        check_attribute_name(name, (*path, "capacity", name), faults)
        if capacity.requestPolicy is not None:
            policy_path: Path = (*path, "capacity", name, "requestPolicy")
            if device.allowMultipleAllocations:
                check_policy(capacity.value, capacity.requestPolicy, policy_path, faults)
            else:
                faults.note(policy_path, "needs allowMultipleAllocations: true")
    check_items(device.taints, 16, (*path, "taints"), faults, check_taint)
    check_items(
        device.consumesCounters,
        2,
        (*path, "consumesCounters"),
        faults,
        _check_consumption,
        lambda each: each.counterSet,
    )
    if each:
        _check_place(device, _PLACES[:3], path, faults)
    elif any(getattr(device, field) is not None for field in _PLACES[:3]):
        faults.note(path, "says where it is, which only a slice with perDeviceNodeSelection: true allows")
    check_binding(device.bindingConditions, device.bindingFailureConditions, path, faults)


def _lists(device: Device) -> list[tuple[object, ...]]:
    values = (value for attribute in device.attributes.values() for value in attribute.given.values())
    return [value for value in values if isinstance(value, tuple)]


def _check_attribute(attribute: DeviceAttribute, path: Path, faults: Faults) -> None:
    values = attribute.given
    if len(values) != 1:
        faults.note(path, "must have exactly one of int, bool, string, version, ints, bools, strings, versions")
    for field, value in values.items():
        if not isinstance(value, tuple):
            _check_value(field, value, (*path, field), faults)
            continue
        check_present(value, (*path, field), faults)
        for i, each in enumerate(value):
            _check_value(field, each, (*path, field, i), faults)


def _check_value(field: str, value: int | bool | str, path: Path, faults: Faults) -> None:
    if not isinstance(value, str):
        return
    if len(value.encode()) > 64:
        faults.note(path, "has more than 64 characters")
    if field.startswith("version") and not _SEMVER.fullmatch(value):
        message = later('"{version}" is not a semantic version such as 1.2.3', version=shortened(value))
        faults.note(path, message)


def _check_consumption(consumption: DeviceCounterConsumption, path: Path, faults: Faults) -> None:
    _check_counters(consumption.counterSet, "counterSet", consumption.counters, path, faults)
    groups = consumption.compatibilityGroups
    check_items(groups, 2, (*path, "compatibilityGroups"), faults, _check_group, str)


def _check_group(name: str, path: Path, faults: Faults) -> None:
    check_name(name, path, faults, dns_label_fault)


def _check_counters(name: str, field: str, counters: dict[str, Counter], path: Path, faults: Faults) -> None:
    check_name(name, (*path, field), faults, dns_label_fault)
    check_present(counters, (*path, "counters"), faults)
    if len(counters) > 32:
        faults.note((*path, "counters"), too_many(counters, 32))
    for counter in counters:
        check_name(counter, (*path, "counters", counter), faults, dns_label_fault)


# -- classes and taint rules


def check_device_class(document: DeviceClass, faults: Faults) -> None:
    if not check_version(document, faults):
        return
    spec = document.spec
    check_items(spec.selectors, 32, ("spec", "selectors"), faults, check_selector_of_devices)
    check_items(
        spec.config, 32, ("spec", "config"), faults, lambda each, path, found: check_opaque(each.opaque, path, found)
    )
    name = spec.extendedResourceName
    if name is not None and not _is_extended(name):
        message = later(
            '"{name}" is not an extended resource: expected domain/name, such as example.com/gpu', name=shortened(name)
        )
        faults.note(("spec", "extendedResourceName"), message)


def _is_extended(name: str) -> bool:
    return is_extended(name) and label_key_fault(f"requests.{name}") is None


def check_taint_rule(document: DeviceTaintRule, faults: Faults) -> None:
    if not check_version(document, faults):
        return
    selector, path = document.spec.deviceSelector, ("spec", "deviceSelector")
    if selector is not None:
        if selector.driver is not None:
            check_name(selector.driver, (*path, "driver"), faults, driver_name_fault)
        if selector.pool is not None:
            check_pool_name(selector.pool, (*path, "pool"), faults)
        if selector.device is not None:
            check_name(selector.device, (*path, "device"), faults, dns_label_fault)
    check_taint(document.spec.taint, ("spec", "taint"), faults)
