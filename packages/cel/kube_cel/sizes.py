"""Ranges of costs and sizes, and how large the parts of a device can be.

cel-go v0.29.2: checker/cost.go; k8s.io/dynamic-resource-allocation v0.37.0: cel/compile.go (the limits of v1's fields).
"""

from __future__ import annotations

import math
from typing import NamedTuple

MOST = 2**64 - 1


class Range(NamedTuple):
    """A lowest and a highest number, of cost or of elements; sums and products end at the highest uint64."""

    low: int
    high: int

    def __add__(self, other: Range) -> Range:  # type: ignore[override]
        return Range(min(self.low + other.low, MOST), min(self.high + other.high, MOST))

    def __mul__(self, other: Range) -> Range:  # type: ignore[override]
        return Range(min(self.low * other.low, MOST), min(self.high * other.high, MOST))

    def __or__(self, other: Range) -> Range:
        return Range(min(self.low, other.low), max(self.high, other.high))

    def scaled(self, factor: float) -> Range:
        """Times a factor, rounded up."""
        return Range(_scaled(self.low, factor), _scaled(self.high, factor))


def _scaled(number: int, factor: float) -> int:
    product = math.ceil(float(number) * factor)
    return MOST if product >= 2**64 or float(number) * factor > float(MOST) else product


def fixed(number: int) -> Range:
    """Exactly this."""
    return Range(number, number)


def limited(most: int) -> Range:
    return Range(0, most)


NO_SIZE = Range(0, MOST)

# The most characters or elements at each path; a star stands for any key.
_SIZES = {
    ("device",): 0,
    ("device", "driver"): 63,
    ("device", "allowMultipleAllocations"): 1,
    ("device", "attributes"): 32,
    ("device", "attributes", "@keys"): 63,
    ("device", "attributes", "@values"): 32,
    ("device", "attributes", "@values", "@keys"): 32,
    ("device", "capacity"): 32,
    ("device", "capacity", "@keys"): 63,
    ("device", "capacity", "@values"): 32,
    ("device", "capacity", "@values", "@keys"): 32,
    ("device", "capacity", "@values", "@values"): 0,
}
_ATTRIBUTE = 64


def path_size(path: tuple[str, ...]) -> Range | None:
    """The most elements or characters of what is at a path of the device."""
    if not path or path[0] != "device":
        return None
    if len(path) >= 2 and path[1] in ("attributes", "capacity"):
        known = list(path[:2])
        for step in path[2:]:
            if tuple(known) == ("device", "attributes", "@values") and step != "@keys":
                known.append("@attribute")
                continue
            if known[-1] == "@attribute" or step not in ("@keys", "@values"):
                return None
            known.append(step)
        if known[-1] == "@attribute":
            return limited(_ATTRIBUTE)
        path = tuple(known)
    return limited(_SIZES[path]) if path in _SIZES else None
