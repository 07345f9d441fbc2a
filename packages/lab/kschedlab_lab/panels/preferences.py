"""The nodes that a pod would like, as its manifest says it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kschedlab.build import Manifest


def preferring(terms: Sequence[Manifest]) -> dict[str, Any]:
    """An affinity of these terms, made by :func:`labelled`."""
    return {"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [*terms]}}


def labelled(weight: int, key: str, value: str) -> Manifest:
    """A preference for nodes with this label."""
    expression = {"key": key, "operator": "In", "values": [value]}
    return {"weight": weight, "preference": {"matchExpressions": [expression]}}
