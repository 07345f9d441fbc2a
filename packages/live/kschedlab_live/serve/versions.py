"""Kinds of which two versions are served, and one is kept.

v1.37: pkg/apis/events/v1/conversion.go; pkg/apis/autoscaling/v1/conversion.go (the utilization of the CPU; metrics of
other kinds are shown by v2 alone).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Data = dict[str, Any]
Conversion = Callable[[Data], Data]

_NEW_TO_OLD = {
    "regarding": "involvedObject",
    "note": "message",
    "reportingController": "reportingComponent",
    "deprecatedSource": "source",
    "deprecatedFirstTimestamp": "firstTimestamp",
    "deprecatedLastTimestamp": "lastTimestamp",
    "deprecatedCount": "count",
}
_OLD_TO_NEW = {old: new for new, old in _NEW_TO_OLD.items()}


def _renamed(names: dict[str, str]) -> Conversion:
    return lambda data: {names.get(key, key): value for key, value in data.items()}


def _to_metrics(data: Data) -> Data:
    spec = data.get("spec")
    if not isinstance(spec, dict) or spec.get("targetCPUUtilizationPercentage") is None:
        return data
    percentage = spec["targetCPUUtilizationPercentage"]
    rest = {name: value for name, value in spec.items() if name != "targetCPUUtilizationPercentage"}
    target = {"type": "Utilization", "averageUtilization": percentage}
    metric = {"type": "Resource", "resource": {"name": "cpu", "target": target}}
    return {**data, "spec": {**rest, "metrics": [metric]}}


def _to_percentage(data: Data) -> Data:
    spec = dict(data.get("spec", {}))
    for metric in spec.pop("metrics", ()):
        resource = metric.get("resource") or {}
        if resource.get("name") == "cpu" and "averageUtilization" in resource.get("target", {}):
            spec["targetCPUUtilizationPercentage"] = resource["target"]["averageUtilization"]
    status = {
        name: value for name, value in data.get("status", {}).items() if name not in ("currentMetrics", "conditions")
    }
    return {**data, "spec": spec, "status": status}


_KEPT: dict[tuple[Any, Any], tuple[str, Conversion, Conversion]] = {
    ("events.k8s.io/v1", "Event"): ("v1", _renamed(_NEW_TO_OLD), _renamed(_OLD_TO_NEW)),
    ("autoscaling/v1", "HorizontalPodAutoscaler"): ("autoscaling/v2", _to_metrics, _to_percentage),
}
"""By API version and kind: the version that is kept, the way there, and the way back."""


def as_kept(data: Data) -> Data:
    """An object of any version in the one that is kept."""
    conversion = _KEPT.get((data.get("apiVersion"), data.get("kind")))
    return {**conversion[1](data), "apiVersion": conversion[0]} if conversion else data


def as_asked(data: Data, api_version: str) -> Data:
    """A kept object in the version that is asked for."""
    conversion = _KEPT.get((api_version, data.get("kind")))
    return {**(conversion[2](data) if conversion else data), "apiVersion": api_version}
