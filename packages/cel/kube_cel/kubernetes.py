"""Quantities and semantic versions, as Kubernetes adds them to CEL.

k8s.io/apiserver v0.37.0: pkg/cel/quantity.go, semver.go, library/quantity.go, library/semverlib.go;
blang/semver v4.0.0; k8s.io/apimachinery v0.37.0: pkg/api/resource.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from kube_cel.amounts import BINARY, DECIMAL, NANO, AmountError, nanos_of
from kube_cel.errors import go_quote
from kube_cel.values import INT_MAX, INT_MIN, NO_OVERLOAD, Err, Foreign, Function, Value

_NARROW = re.compile(r"([+-]?)([0-9]*)(?:\.([0-9]*))?(n|u|m||k|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi|Ei|[eE][+-]?[0-9]+)")


class QuantityValue(Foreign):
    """A quantity as Go holds it: an int64 with a power of ten while that is exact, else (``wide``) any integer with it.

    ``pointer``: the result of an addition, which Go's comparison does not accept on its right side.
    """

    __slots__ = ("nanos", "pointer", "scale", "value", "wide")
    type_name = "kubernetes.Quantity"
    short = "Quantity"

    def __init__(self, nanos: int, value: int = 0, scale: int = 0, wide: bool = True, pointer: bool = False) -> None:
        self.nanos = nanos
        self.value = value
        self.scale = scale
        self.wide = wide
        self.pointer = pointer

    @property
    def go_type(self) -> str:  # type: ignore[override]
        """The Go type that messages name."""
        return "*cel.Quantity" if self.pointer else "cel.Quantity"

    def equals(self, other: Value) -> Value:
        """Whether the other quantity is equal, or an error."""
        if type(other) is not QuantityValue or other.pointer:
            return NO_OVERLOAD
        return self.nanos == other.nanos

    def whole(self) -> int | None:
        """The amount as an int64, if Go holds it so."""
        if self.wide or self.scale < 0:
            return None
        amount = int(self.value * 10**self.scale)
        return amount if INT_MIN <= amount <= INT_MAX else None

    def plus(self, other: QuantityValue) -> QuantityValue:
        nanos, scale = self.nanos + other.nanos, min(self.scale, other.scale)
        if self.wide or other.wide:
            return QuantityValue(nanos, scale=scale, pointer=True)
        if other.value == 0:
            return QuantityValue(nanos, self.value, self.scale, False, True)
        if self.value == 0:
            return QuantityValue(nanos, other.value, other.scale, False, True)
        parts = [part.value * 10 ** (part.scale - scale) for part in (self, other)]
        if all(INT_MIN <= number <= INT_MAX for number in (*parts, sum(parts))):
            return QuantityValue(nanos, sum(parts), scale, False, True)
        return QuantityValue(nanos, scale=scale, pointer=True)

    def minus(self, other: QuantityValue) -> QuantityValue:
        """The difference. Go negates the smallest int64 to itself."""
        if not self.wide and not other.wide and other.value == INT_MIN:
            wrapped = self.plus(other)
            nanos = self.nanos - other.nanos
            return wrapped if not wrapped.wide else QuantityValue(nanos, scale=wrapped.scale, pointer=True)
        return self.plus(QuantityValue(-other.nanos, -other.value, other.scale, other.wide))


@lru_cache(maxsize=4096)
def quantity_of(text: str) -> QuantityValue | Err:
    """``quantity("1Gi")``."""
    try:
        return _held(text, nanos_of(text))
    except AmountError as error:
        return Err(str(error))


def _held(text: str, nanos: int) -> QuantityValue:
    match = _NARROW.fullmatch(text)
    assert match, "an amount, which nanos_of has read"
    whole, fraction, suffix = match[2].lstrip("0") or "0", match[3] or "", match[4]
    if text == "0":
        return QuantityValue(0, wide=False)
    if suffix in BINARY:
        precision = 14 - len(whole) - BINARY[suffix] * 3 // 10 if not fraction else -1
        value, scale = int(whole) << BINARY[suffix], 0
    else:
        power = DECIMAL[suffix] if suffix in DECIMAL else int(suffix[1:])
        precision, scale = 18 - len(whole) - len(fraction), power - len(fraction)
        value = int(whole + fraction)
    if precision < 0 or scale < -9:
        return QuantityValue(nanos, scale=-9)
    return QuantityValue(nanos, -value if match[1] == "-" else value, scale, False)


def _integer(quantity: QuantityValue) -> Value:
    whole = quantity.whole()
    return Err("cannot convert value to integer") if whole is None else whole


def _approximate(quantity: QuantityValue) -> float:
    places = 9 + quantity.scale
    base = float(quantity.nanos // 10**places if quantity.wide else quantity.value)
    return base * float(f"1e{quantity.scale}") if quantity.scale else base


def _compare_quantities(one: QuantityValue, other: QuantityValue) -> int:
    return (one.nanos > other.nanos) - (one.nanos < other.nanos)


def _of_int(number: int) -> QuantityValue:
    return QuantityValue(number * NANO, number, 0, False)


class Semver(Foreign):
    """A semantic version; what follows ``+`` does not count in comparisons."""

    __slots__ = ("build", "key", "numbers", "pre")
    type_name = "kubernetes.Semver"
    go_type = "cel.Semver"
    is_hashable = False
    short = "Semver"

    def __init__(self, numbers: tuple[int, int, int], pre: tuple[str, ...]) -> None:
        self.numbers = numbers
        self.pre = pre
        self.key = (numbers, not pre, [(0, int(p), "") if p.isdigit() else (1, 0, p) for p in pre])

    def same(self, other: Any) -> bool:
        return bool(self.key == other.key)

    def compare(self, other: Semver) -> int:
        """-1, 0 or 1."""
        return (self.key > other.key) - (self.key < other.key)


@lru_cache(maxsize=4096)
def semver_of(text: str, normalize: bool = False) -> Semver | Err:
    """``semver("1.2.3")``; ``normalize`` accepts ``v1.2`` as well."""
    if normalize:
        normal = _normalized(text)
        if isinstance(normal, Err):
            return normal
        text = normal
    if not text:
        return Err("Version string empty")
    parts = text.split(".", 2)
    if len(parts) != 3:
        return Err("No Major.Minor.Patch elements found")
    rest, plus, build = parts[2].partition("+")
    patch, dash, pre = rest.partition("-")
    numbers = []
    for name, part in zip(("Major", "Minor", "Patch"), (*parts[:2], patch), strict=True):
        number = _number(name, part)
        if isinstance(number, Err):
            return number
        numbers.append(number)
    identifiers = pre.split(".") if dash else []
    for identifier in identifiers:
        problem = _identifier(identifier)
        if problem:
            return Err(problem)
    for identifier in build.split(".") if plus else []:
        if not identifier:
            return Err("Build meta data is empty")
        if not re.fullmatch("[0-9A-Za-z-]+", identifier):
            return Err(f"Invalid character(s) found in build meta data {go_quote(identifier)}")
    return Semver((numbers[0], numbers[1], numbers[2]), tuple(identifiers))


def _number(name: str, text: str) -> int | Err:
    if not re.fullmatch("[0-9]*", text):
        return Err(f"Invalid character(s) found in {name.lower()} number {go_quote(text)}")
    if len(text) > 1 and text.startswith("0"):
        return Err(f"{name} number must not contain leading zeroes {go_quote(text)}")
    if not text:
        return Err('strconv.ParseUint: parsing "": invalid syntax')
    if len(text) > 20 or int(text) > 2**64 - 1:
        return Err(f"strconv.ParseUint: parsing {go_quote(text)}: value out of range")
    return int(text)


def _identifier(text: str) -> str:
    if not text:
        return "Prerelease is empty"
    if re.fullmatch("[0-9]+", text):
        if len(text) > 1 and text.startswith("0"):
            return f"Numeric PreRelease version must not contain leading zeroes {go_quote(text)}"
        if len(text) > 20 or int(text) > 2**64 - 1:
            return f"strconv.ParseUint: parsing {go_quote(text)}: value out of range"
        return ""
    if not re.fullmatch("[0-9A-Za-z-]+", text):
        return f"Invalid character(s) found in prerelease {go_quote(text)}"
    return ""


def _normalized(text: str) -> str | Err:
    parts = text.removeprefix("v").split(".", 2)
    for at, part in enumerate(parts):
        if len(part.encode()) > 1:
            bare = part.lstrip("0")
            parts[at] = bare if bare and bare[0] in "0123456789" else "0" + bare
    if len(parts) < 3:
        if "+" in parts[-1] or "-" in parts[-1]:
            return Err("short version cannot contain PreRelease/Build meta data")
        parts += ["0"] * (3 - len(parts))
    return ".".join(parts)


def _int64(number: int) -> int:
    """The uint64 as Go converts it."""
    return number if number <= INT_MAX else number - 2**64


def _valid(value: Value) -> bool:
    return not isinstance(value, Err)


OVERLOADS: dict[str, Function] = {
    "quantity_is_greater_than": lambda one, other: one.nanos > other.nanos,
    "quantity_is_less_than": lambda one, other: one.nanos < other.nanos,
    "quantity_compare_to": _compare_quantities,
    "quantity_add": QuantityValue.plus,
    "quantity_add_int": lambda one, number: one.plus(_of_int(number)),
    "quantity_sub": QuantityValue.minus,
    "quantity_sub_int": lambda one, number: one.minus(_of_int(number)),
    "semver_is_greater_than": lambda one, other: one.compare(other) == 1,
    "semver_is_less_than": lambda one, other: one.compare(other) == -1,
    "semver_compare_to": Semver.compare,
}
FUNCTIONS: dict[str, Function] = {
    "quantity": quantity_of,
    "isQuantity": lambda text: _valid(quantity_of(text)),
    "sign": lambda quantity: (quantity.nanos > 0) - (quantity.nanos < 0),
    "asInteger": _integer,
    "isInteger": lambda quantity: quantity.whole() is not None,
    "asApproximateFloat": _approximate,
    "semver": semver_of,
    "isSemver": lambda text, normalize=False: _valid(semver_of(text, normalize)),
    "major": lambda version: _int64(version.numbers[0]),
    "minor": lambda version: _int64(version.numbers[1]),
    "patch": lambda version: _int64(version.numbers[2]),
}
