"""The exact amounts that the texts of quantities mean: ``"1.5Gi"``, ``"100m"``, ``"1e3"``.

v1.37: k8s.io/apimachinery pkg/api/resource (quantity.go, suffix.go). An amount is a number of nanos; smaller parts are
rounded away from zero. Exponents beyond 64 and texts longer than 64 characters are refused; Go computes for minutes or
wraps the exponent.
"""

from __future__ import annotations

import re

from kube_cel.values import INT_MAX

NANO = 10**9
DECIMAL = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
BINARY = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}

_FORMAT_WRONG = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
_SUFFIX_WRONG = "unable to parse quantity's suffix"
_NUMBER_WRONG = "unable to parse numeric part of quantity"
_AMOUNT = re.compile(r"([+-]?)([0-9]*)(?:\.([0-9]*))?([eEinumkKMGTP]*[-+]?[0-9]*)")
_EXPONENT = re.compile(r"[eE]([+-]?[0-9]+)")
_MAX_LENGTH = 64
_MAX_EXPONENT = 64


class AmountError(ValueError):
    """The text is not a quantity; the message is Go's."""


def nanos_of(text: str) -> int:
    """The amount in nanos. Raises AmountError."""
    if len(text) > _MAX_LENGTH:
        raise AmountError(_SUFFIX_WRONG)
    match = _AMOUNT.fullmatch(text)
    if match is None or not text:
        raise AmountError(_FORMAT_WRONG)
    fraction, suffix = match[3] or "", match[4]
    exponent = BINARY[suffix] if suffix in BINARY else _power(suffix)
    if not match[2] and not fraction and (suffix in ("Pi", "Ei") or exponent < -9):
        raise AmountError(_NUMBER_WRONG)  # Go's fast path, which takes no text for 0, ends at these
    number = int((match[2] + fraction) or "0")
    if suffix in BINARY:
        nanos = min(_away_from_zero((number * NANO) << exponent, 10 ** len(fraction)), INT_MAX * NANO)
    else:
        shift = exponent - len(fraction) + 9
        nanos = number * 10**shift if shift >= 0 else _away_from_zero(number, 10**-shift)
    return -nanos if match[1] == "-" else nanos


def _power(suffix: str) -> int:
    if suffix in DECIMAL:
        return DECIMAL[suffix]
    match = _EXPONENT.fullmatch(suffix)
    if match is None or abs(int(match[1])) > _MAX_EXPONENT:
        raise AmountError(_SUFFIX_WRONG)
    return int(match[1])


def _away_from_zero(number: int, divisor: int) -> int:
    return -(-number // divisor)


def text_of_nanos(nanos: int) -> str:
    """The amount with the largest suffix that needs no fraction: a binary one where that is possible."""
    if nanos == 0:
        return "0"
    if nanos % NANO == 0 and abs(nanos) >= 1024 * NANO:
        return _shortened(nanos // NANO, 1024, ["", *BINARY])
    return _shortened(nanos, 1000, list(DECIMAL))


def _shortened(amount: int, step: int, suffixes: list[str]) -> str:
    at = 0
    while amount % step == 0 and at < len(suffixes) - 1:
        amount, at = amount // step, at + 1
    return f"{amount}{suffixes[at]}"
