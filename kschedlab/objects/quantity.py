"""Kubernetes quantities: ``"1.5Gi"``, ``"100m"``, ``"1e3"``.

v1.37: k8s.io/apimachinery pkg/api/resource (quantity.go, suffix.go, amount.go); the rules are the same since v1.13.
A quantity is an exact number of nanos; anything smaller is rounded away from zero. Two differences from Go are
deliberate. Amounts are Python integers, which never wrap (:meth:`Quantity.overflows` says where Go's would). Exponents
beyond 64 and texts longer than 64 characters are refused; Go computes for minutes or wraps the exponent.
"""

from __future__ import annotations

import re
from typing import ClassVar

from kschedlab.messages import later, listed, say

NANO = 10**9
INT64_MAX = 2**63 - 1

_DECIMAL = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BINARY = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
_DECIMAL_SUFFIX = {exponent: suffix for suffix, exponent in _DECIMAL.items()}
_BINARY_SUFFIX = {exponent: suffix for suffix, exponent in _BINARY.items()}
_QUANTITY = re.compile(r"([+-]?)([0-9]*)(?:\.([0-9]*))?([eEinumkKMGTP]*[-+]?[0-9]*)")
_EXPONENT = re.compile(r"[eE]([+-]?[0-9]+)")
_TRAILING_LETTERS = re.compile(r"([+-]?[0-9]+(?:\.[0-9]*)?)([A-Za-z]+)")
_MAX_LENGTH = 64
_MAX_EXPONENT = 64
_SUFFIXES = [suffix for suffix in (*_DECIMAL, *_BINARY) if suffix]


class QuantityError(ValueError):
    """The text is not a quantity. ``fault``: ``format``, ``suffix`` or ``numeric`` as in the API, or ``range``."""

    def __init__(self, fault: str, message: str) -> None:
        super().__init__(message)
        self.fault = fault


class Quantity:
    """An immutable quantity: ``Quantity("1.5Gi")``, ``Quantity(2)``. Equal texts give the same object.

    ``nanos``: the exact amount in units of 10^-9. ``is_milli``: whether it is a whole number of thousandths.
    ``format``: ``DecimalSI``, ``BinarySI`` or ``DecimalExponent``.
    Raises :class:`QuantityError` if the text is not a quantity.
    """

    __slots__ = ("_milli", "_text", "_value", "format", "is_milli", "nanos")
    _cache: ClassVar[dict[str, Quantity]] = {}

    nanos: int
    format: str
    is_milli: bool
    _text: str | None
    _value: int
    _milli: int

    def __new__(cls, text: str | int = "0") -> Quantity:
        text = str(text) if not isinstance(text, str) else text
        quantity = cls._cache.get(text)
        if quantity is None:
            if len(cls._cache) >= 65536:
                cls._cache.clear()
            quantity = cls._cache[text] = cls.from_nanos(*_parse(text))
        return quantity

    @classmethod
    def from_nanos(cls, nanos: int, format: str = "DecimalSI", text: str | None = None) -> Quantity:
        """The quantity of that many nanos. ``text``: its text form; by default the canonical one of the format."""
        quantity = object.__new__(cls)
        set_field = object.__setattr__
        set_field(quantity, "nanos", nanos)
        set_field(quantity, "format", format)
        set_field(quantity, "_text", text)
        set_field(quantity, "is_milli", nanos % (NANO // 1000) == 0)
        set_field(quantity, "_value", _away_from_zero(nanos, NANO))
        set_field(quantity, "_milli", _away_from_zero(nanos, NANO // 1000))
        return quantity

    def value(self) -> int:
        """The amount in whole units, rounded away from zero: ``100m`` is 1."""
        return self._value

    def milli(self) -> int:
        """The amount in whole thousandths, rounded away from zero: ``0.1m`` is 1."""
        return self._milli

    def amount(self, resource: str) -> int:
        """As the scheduler counts the resource: cpu in milli, others whole. v1.37: framework/types.go, Resource.Add."""
        return self._milli if resource == "cpu" else self._value

    def overflows(self, milli: bool = False) -> bool:
        """Whether :meth:`value` (or :meth:`milli`) exceeds an int64, so that it would wrap in the real scheduler."""
        return abs(self._milli if milli else self._value) > INT64_MAX

    def rounded_to_milli(self) -> Quantity:
        """The amount rounded away from zero to thousandths, as the API server stores it."""
        if self.is_milli:
            return self
        return Quantity.from_nanos(self._milli * (NANO // 1000), self.format)

    def __str__(self) -> str:
        if self._text is None:
            object.__setattr__(self, "_text", _canonical(self.nanos, self.format))
        assert self._text is not None
        return self._text

    def __repr__(self) -> str:
        return f'Quantity("{self}")'

    def __eq__(self, other: object) -> bool:
        return self.nanos == other.nanos if isinstance(other, Quantity) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.nanos)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("a Quantity is immutable")

    def __reduce__(self) -> tuple[type[Quantity], tuple[str]]:
        return Quantity, (str(self),)


def _away_from_zero(number: int, divisor: int) -> int:
    return -(-number // divisor) if number >= 0 else number // divisor


def _parse(text: str) -> tuple[int, str, str | None]:
    """(nanos, format, text if it is canonical already)."""
    if len(text) > _MAX_LENGTH:
        message = later('"{text}..." is not a quantity: it has more than {most} characters')
        raise QuantityError("range", say(message, text=text[:20], most=_MAX_LENGTH))
    match = _QUANTITY.fullmatch(text)
    if match is None or not text:
        raise _refused("format", text, _remedy(text))
    whole, fraction, suffix = match[2].lstrip("0") or "0", match[3] or "", match[4]
    binary, exponent, format = _scale(text, suffix)
    narrow = _is_narrow(len(whole), len(fraction), exponent, binary)
    if not narrow and not match[2] and not fraction:
        raise _refused("numeric", text, say("it has no digits"))
    number = int(whole + fraction)
    nanos = _nanos(number, len(fraction), exponent, binary)
    if binary and not narrow:
        nanos = min(nanos, INT64_MAX * NANO)
        format = "DecimalSI" if 0 < nanos < NANO else format
    canonical = narrow and _is_canonical(whole + fraction, len(fraction), exponent, binary)
    return -nanos if match[1] == "-" else nanos, format, text if canonical else None


def _scale(text: str, suffix: str) -> tuple[bool, int, str]:
    """(whether binary, exponent, format) of a suffix."""
    if suffix in _DECIMAL:
        return False, _DECIMAL[suffix], "DecimalSI"
    if suffix in _BINARY:
        return True, _BINARY[suffix], "BinarySI"
    match = _EXPONENT.fullmatch(suffix)
    if match is None or abs(int(match[1])) > INT64_MAX:
        raise _refused("suffix", text, _remedy(text))
    if abs(int(match[1])) > _MAX_EXPONENT:
        raise _refused("range", text, say("its exponent is beyond {most}", most=_MAX_EXPONENT))
    return False, int(match[1]), "DecimalExponent"


def _nanos(number: int, decimals: int, exponent: int, binary: bool) -> int:
    if binary:
        return _away_from_zero((number * NANO) << exponent, 10**decimals)
    shift = exponent - decimals + 9
    return number * 10**shift if shift >= 0 else _away_from_zero(number, 10**-shift)


def _is_narrow(whole: int, decimals: int, exponent: int, binary: bool) -> bool:
    """Whether Go stores the amount as an int64 and a scale (ParseQuantity's fast path). ``whole``: number of digits."""
    if binary:
        return decimals == 0 and 15 - whole - exponent * 3 // 10 - 1 >= 0
    return whole + decimals <= 18 and exponent - decimals >= -9


def _is_canonical(digits: str, decimals: int, exponent: int, binary: bool) -> bool:
    """Whether Go prints the text unchanged."""
    if binary:
        return int(digits) % 8 != 0
    return (exponent - decimals) % 3 == 0 and not digits.endswith("000") and digits[0] != "0"


def _canonical(nanos: int, format: str) -> str:
    """The text with the largest suffix that needs no fraction."""
    if nanos == 0:
        return "0"
    if format == "BinarySI" and nanos % NANO == 0 and abs(nanos) >= 1024 * NANO:
        amount, exponent = nanos // NANO, 0
        while amount % 1024 == 0:
            amount, exponent = amount // 1024, exponent + 10
        return f"{amount}{_BINARY_SUFFIX[exponent]}" if exponent else str(amount)
    amount, exponent = nanos, -9
    while amount % 1000 == 0 and (exponent < 18 or format == "DecimalExponent"):
        amount, exponent = amount // 1000, exponent + 3
    if format == "DecimalExponent":
        return f"{amount}e{exponent}" if exponent else str(amount)
    return f"{amount}{_DECIMAL_SUFFIX[exponent]}"


def _refused(fault: str, text: str, why: str) -> QuantityError:
    return QuantityError(fault, say('"{text}" is not a quantity ({why})', text=text, why=why))


def _remedy(text: str) -> str:
    if re.fullmatch(r"[+-]?[0-9]+,[0-9]+[A-Za-z]*", text):
        return say('use a decimal point: "{number}"', number=text.replace(",", "."))
    letters = _TRAILING_LETTERS.fullmatch(text)
    if letters is None:
        return say("expected a number such as 2, 0.5, 500m, 64Mi, 1.5Gi or 1e3")
    number, suffix = letters.groups()
    likely = suffix[0].upper()
    if likely in "KMGTPE" and suffix[1:].lower() in ("", "b", "i", "ib"):
        power = "k" if likely == "K" else likely
        message = later('unknown suffix "{suffix}"; {binary} uses powers of 1024, {decimal} powers of 1000')
        return say(message, suffix=suffix, binary=f"{number}{likely}i", decimal=f"{number}{power}")
    message = later('unknown suffix "{suffix}"; use {suffixes} or an exponent such as e3')
    return say(message, suffix=suffix, suffixes=listed(_SUFFIXES))
