"""Manifests of slices, device classes, claims and taint rules in few words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from kschedlab.build import Manifest
from kschedlab.manifests.decoding import decode
from kschedlab.manifests.defaults import with_defaults
from kschedlab.objects.model import ApiObject

VERSION = "resource.k8s.io/v1"
GPU = "gpu.example.com"


def device(name: str, *, capacity: Mapping[str, str] | None = None, **fields: Any) -> Manifest:
    """A device; ``attributes`` as plain values: a text, a whole number, a truth value, or a list of these."""
    attributes = {key: {_field(value): value} for key, value in fields.pop("attributes", {}).items()}
    made: Manifest = {"name": name, **fields}
    if attributes:
        made["attributes"] = attributes
    if capacity:
        made["capacity"] = {key: {"value": value} for key, value in capacity.items()}
    return made


def _field(value: Any) -> str:
    if isinstance(value, list):
        return f"{_field(value[0])}s"
    return {bool: "bool", int: "int", str: "string"}[type(value)]


def resource_slice(
    pool: str, devices: Iterable[Manifest], driver: str = GPU, *, name: str = "", pool_slices: int = 1, **spec: Any
) -> Manifest:
    """A slice of the pool on the node of the same name, unless the spec says where it is."""
    where = {"nodeName", "nodeSelector", "allNodes", "perDeviceNodeSelection"}
    if not where & set(spec):
        spec["nodeName"] = pool
    named = {"name": pool, "generation": spec.pop("generation", 1), "resourceSliceCount": pool_slices}
    spec = {"driver": driver, "pool": named, **spec} | ({"devices": found} if (found := list(devices)) else {})
    return _object("ResourceSlice", name or f"{pool}-{driver}", spec)


def device_class(name: str = "gpu", *selectors: str, **spec: Any) -> Manifest:
    """A class with these CEL selectors."""
    return _object("DeviceClass", name, {"selectors": cel(*selectors), **spec})


def cel(*selectors: str) -> list[Manifest]:
    """The selectors as the API has them."""
    return [{"cel": {"expression": each}} for each in selectors]


def exactly(name: str = "r", of: str = "gpu", *selectors: str, **fields: Any) -> Manifest:
    """A request for devices of a class."""
    return {"name": name, "exactly": {"deviceClassName": of, "selectors": cel(*selectors), **fields}}


def resource_claim(name: str, *requests: Manifest, constraints: Iterable[Manifest] = (), **status: Any) -> Manifest:
    """A claim in the namespace default. Further fields go to its status."""
    made = _object("ResourceClaim", name, {"devices": {"requests": list(requests), "constraints": list(constraints)}})
    made["metadata"] |= {"namespace": "default", "uid": f"uid-{name}"}
    return made | ({"status": status} if status else {})


def taint_rule(name: str, effect: str = "NoSchedule", **selector: str) -> Manifest:
    """A rule that taints the selected devices with the key "broken"."""
    return _object("DeviceTaintRule", name, {"deviceSelector": selector, "taint": {"key": "broken", "effect": effect}})


def unchecked(manifest: Manifest) -> ApiObject:
    """The object, even if the API server would refuse it."""
    document, faults = decode(manifest, manifest["kind"])
    assert not faults, faults
    return with_defaults(document, {})


def _object(kind: str, name: str, spec: Manifest) -> Manifest:
    return {"apiVersion": VERSION, "kind": kind, "metadata": {"name": name}, "spec": spec}
