"""Integers with limits, and numbers as text (cel-go v0.29.2: common/types/overflow.go; Go's strconv)."""

from __future__ import annotations

import math
import re
from decimal import Decimal

from kube_cel.values import INT_MAX, INT_MIN, NO_OVERLOAD, UINT_MAX, Err, UInt, Value

INT_OVERFLOW = Err("integer overflow")
UINT_OVERFLOW = Err("unsigned integer overflow")
_FLOAT = re.compile(
    r"nan|[+-]?(?:inf|infinity|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?"
    r"|0x(?:[0-9a-f]+\.?[0-9a-f]*|\.[0-9a-f]+)p[+-]?[0-9]+)",
    re.IGNORECASE,
)


def integer(value: int, like: Value) -> Value:
    """The result of arithmetic on numbers of this type, or an overflow."""
    if type(like) is UInt:
        return UInt(value) if 0 <= value <= UINT_MAX else UINT_OVERFLOW
    return value if INT_MIN <= value <= INT_MAX else INT_OVERFLOW


def divide(left: Value, right: Value) -> Value:
    """``/``: rounds towards zero."""
    if type(left) is float:
        return _divide_floats(left, right)
    if right == 0:
        return Err("division by zero")
    quotient = abs(left) // abs(right)
    return integer(quotient if (left < 0) == (right < 0) else -quotient, left)


def _divide_floats(left: float, right: float) -> float:
    if right:
        return left / right
    if left == 0 or math.isnan(left):
        return math.nan
    return math.copysign(math.inf, left) * math.copysign(1.0, right)


def remainder(left: Value, right: Value) -> Value:
    """``%``: has the sign of the dividend."""
    if type(left) is float:
        return Err("no such overload: _%_")
    if right == 0:
        return Err("modulus by zero")
    if left == INT_MIN and right == -1:
        return INT_OVERFLOW
    rest = abs(left) % abs(right)
    return integer(-rest if left < 0 else rest, left)


def to_int(value: Value) -> Value:
    """``int(x)``."""
    if type(value) is float:
        if not math.isfinite(value) or value <= -(2.0**63) or value >= 2.0**63:
            return INT_OVERFLOW
        return int(value)
    if type(value) is UInt:
        return int(value) if value <= INT_MAX else INT_OVERFLOW
    if type(value) is str:
        whole = whole_number(value)
        if whole is None or not INT_MIN <= whole <= INT_MAX:
            return conversion_error("string", "int")
        return whole
    return NO_OVERLOAD


def to_uint(value: Value) -> Value:
    """``uint(x)``."""
    if type(value) is float:
        if not math.isfinite(value) or value < 0 or value >= 2.0**64:
            return UINT_OVERFLOW
        return UInt(value)
    if type(value) is int:
        return UInt(value) if value >= 0 else UINT_OVERFLOW
    if type(value) is str:
        whole = None if value.startswith(("+", "-")) else whole_number(value)
        if whole is None or whole > UINT_MAX:
            return conversion_error("string", "uint")
        return UInt(whole)
    return NO_OVERLOAD


def to_double(value: Value) -> Value:
    """``double(x)``."""
    if type(value) is str:
        number = parse_double(value)
        return conversion_error("string", "double") if number is None else number
    return float(value)


def whole_number(text: str) -> int | None:
    """A decimal integer as strconv.ParseInt reads it."""
    return int(text) if re.fullmatch("[+-]?[0-9]+", text) and len(text) <= 4000 else None


def parse_double(text: str) -> float | None:
    """A double as strconv.ParseFloat reads it; None if the text is not a number or is out of range."""
    plain = re.sub("(?<=[0-9a-fxA-FX])_(?=[0-9a-fA-F])", "", text)
    if not _FLOAT.fullmatch(plain):
        return None
    try:
        number = float.fromhex(plain) if "0x" in plain.lower() else float(plain)
    except OverflowError:  # of hexadecimal digits
        return None
    return None if math.isinf(number) and "inf" not in plain.lower() else number


def conversion_error(source: str, target: str) -> Err:
    """A value cannot be converted."""
    return Err(f"type conversion error from '{source}' to '{target}'")


def format_double(number: float) -> str:
    """strconv.FormatFloat(number, 'g', -1, 64): an exponent from a million on."""
    if math.isnan(number):
        return "NaN"
    if math.isinf(number):
        return "+Inf" if number > 0 else "-Inf"
    if number == 0:
        return f"{number:g}"
    sign, digits, exponent = Decimal(repr(number)).normalize().as_tuple()
    assert isinstance(exponent, int)
    text = "".join(map(str, digits))
    power = len(text) + exponent - 1
    minus = "-" if sign else ""
    if power < -4 or power >= 6:
        fraction = f".{text[1:]}" if len(text) > 1 else ""
        return f"{minus}{text[0]}{fraction}e{power:+03d}"
    if exponent >= 0:
        return minus + text + "0" * exponent
    if power >= 0:
        return f"{minus}{text[: power + 1]}.{text[power + 1 :]}"
    return f"{minus}0.{'0' * (-power - 1)}{text}"


def text_of(value: Value) -> str:
    """A value inside a message, as Go's %v prints it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return format_double(value)
    return "0" if value is None else str(value)
