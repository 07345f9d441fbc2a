"""The facts about a device that a selector can use, and the variable ``device`` that holds them.

k8s.io/dynamic-resource-allocation v0.37.0: cel/compile.go. Any objects with these fields will do.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from kube_cel.errors import CelError
from kube_cel.kubernetes import quantity_of, semver_of
from kube_cel.values import EMPTY, Err, Map, Value


class Attribute(Protocol):
    @property
    def given(self) -> Mapping[str, Any]:
        """Its value by the name of the field in a manifest, such as ``{"string": "a100"}``; a list is a tuple."""


class Capacity(Protocol):
    @property
    def value(self) -> object:
        """A quantity: a text such as ``40Gi``, or an object whose ``str`` is one."""


class Device(Protocol):
    """A device of a ResourceSlice. It must not change: what a selector says about it is kept."""

    @property
    def attributes(self) -> Mapping[str, Attribute]: ...
    @property
    def capacity(self) -> Mapping[str, Capacity]: ...
    @property
    def allowMultipleAllocations(self) -> bool | None: ...  # noqa: N802  (the name in the API)


_KEPT_DEVICES = 50_000
_devices: dict[tuple[int, str], tuple[Device, Map]] = {}


def device_value(driver: str, device: Device) -> Map:
    """The variable ``device``. Raises CelError if an attribute or a capacity is not valid."""
    known = _devices.get((id(device), driver))
    if known is not None:
        return known[1]
    attributes = {name: _attribute(name, attribute) for name, attribute in device.attributes.items()}
    capacity = {name: _capacity(name, each) for name, each in device.capacity.items()}
    value = Map(
        [
            ("driver", driver),
            ("allowMultipleAllocations", bool(device.allowMultipleAllocations)),
            ("attributes", _by_domain(driver, attributes)),
            ("capacity", _by_domain(driver, capacity)),
        ]
    )
    if len(_devices) >= _KEPT_DEVICES:
        _devices.clear()
    _devices[id(device), driver] = (device, value)
    return value


def _by_domain(driver: str, values: Mapping[str, Value]) -> Map:
    """The values by domain and name; a name without a domain is the driver's."""
    domains: dict[str, list[tuple[str, Value]]] = {}
    for name, value in values.items():
        domain, slash, id_ = name.partition("/")
        domains.setdefault(domain if slash else driver, []).append((id_ if slash else name, value))
    return Map(((domain, Map(items)) for domain, items in domains.items()), EMPTY)


def _attribute(name: str, attribute: Attribute) -> Value:
    for field, value in attribute.given.items():
        if isinstance(value, tuple):
            return [_item(name, field, each) for each in value]
        return _item(name, field, value)
    raise CelError(f"attribute {name}: unsupported attribute value")


def _item(name: str, field: str, value: int | bool | str) -> Value:
    if not (field.startswith("version") and isinstance(value, str)):
        return value
    version = semver_of(value)
    if isinstance(version, Err):
        raise CelError(f"attribute {name}: parse semantic version: {version}")
    return version


def _capacity(name: str, capacity: Capacity) -> Value:
    quantity = quantity_of(str(capacity.value))
    if isinstance(quantity, Err):
        raise CelError(f"capacity {name}: {quantity}")
    return quantity
