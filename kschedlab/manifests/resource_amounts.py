"""Which resource names and amounts the API accepts.

v1.37: pkg/apis/core/validation/validation.go (ValidateContainerResourceName, ValidateResourceQuantityValue). Each
function returns the fault as the end of a sentence, or None, and caches its results.
"""

from __future__ import annotations

from functools import lru_cache

from kschedlab.objects.names import label_key_fault
from kschedlab.objects.problems import WRITTEN, quoted
from kschedlab.objects.quantity import INT64_MAX, NANO, Quantity
from kschedlab.objects.requests import is_extended

_STANDARD = frozenset({"cpu", "memory", "ephemeral-storage"})


@lru_cache(4096)
def resource_fault(name: str) -> str | None:
    """What is wrong with the name of a resource that a container requests."""
    if name in _STANDARD or name.startswith("hugepages-"):
        return None
    if "/" not in name:
        return f"{quoted(name)} is not a resource: use cpu, memory, ephemeral-storage, hugepages-... or domain/name"
    return label_key_fault(name) if "kubernetes.io/" in name or is_extended(name) else _not_extended(name)


def _not_extended(name: str) -> str:
    return f'{quoted(name)} is not a resource: a name with a domain must not start with "requests."'


@lru_cache(65536)
def amount_fault(resource: str, amount: Quantity) -> str | None:
    """What is wrong with an amount: negative, a fraction where only whole numbers count, or too large."""
    if amount.nanos < 0:
        return f"{WRITTEN} is negative"
    if (resource == "pods" or is_extended(resource)) and amount.nanos % NANO:
        return f"{WRITTEN} is not a whole number: {resource} cannot be divided"
    if amount.overflows(milli=resource == "cpu"):
        unit = "milli cpu" if resource == "cpu" else "units"
        return f"{WRITTEN} is too large: the scheduler counts at most {INT64_MAX} {unit}"
    return None
