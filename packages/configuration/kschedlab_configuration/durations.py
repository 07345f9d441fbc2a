"""Durations as Go writes them: ``1m30s``. v1.37: k8s.io/apimachinery pkg/apis/meta/v1/duration.go."""

from __future__ import annotations

import re
from fractions import Fraction

from kschedlab.messages import later
from kschedlab.objects.problems import Fault, Path
from kschedlab_configuration.faults import invalid

_EXPONENTS = {"ms": 3, "us": 6, "µs": 6, "ns": 9}
_UNITS = {"h": Fraction(3600), "m": Fraction(60), "s": Fraction(1)}
_UNITS |= {unit: Fraction(1, 10**exponent) for unit, exponent in _EXPONENTS.items()}
_PART = r"(\d+(?:\.\d*)?|\.\d+)(h|ms|m|s|us|µs|ns)"
_LONGEST = 64
REMEDY = later("is not a duration: write 500ms, 5s or 1m30s")


def seconds_of(duration: str, path: Path, faults: list[Fault]) -> Fraction:
    """The duration in seconds. Any other text is a fault and counts as 0."""
    text = duration.removeprefix("-")
    if text == "0":
        return Fraction(0)
    if len(text) > _LONGEST or not re.fullmatch(f"({_PART})+", text, re.ASCII):
        faults.append(invalid(path, duration[:_LONGEST], REMEDY))
        return Fraction(0)
    total = sum((Fraction(amount) * _UNITS[unit] for amount, unit in re.findall(_PART, text)), Fraction(0))
    return -total if duration.startswith("-") else total
