"""Moments and spans of time (cel-go v0.29.2: common/types/timestamp.go, duration.go, overflow.go; Go's time)."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from zoneinfo import ZoneInfo

from kube_cel.numbers import INT_OVERFLOW, conversion_error, whole_number
from kube_cel.values import INT_MAX, INT_MIN, Duration, Err, Timestamp, Value

_SECOND = 10**9
_UNITS = {"ns": 1, "us": 10**3, "µs": 10**3, "μs": 10**3, "ms": 10**6, "s": 10**9, "m": 60 * 10**9, "h": 3600 * 10**9}
_PART = re.compile(r"([0-9]*)(?:\.([0-9]*))?(ns|us|µs|μs|ms|s|m|h)")
_RFC3339 = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})T([0-9]{1,2}):([0-9]{2}):([0-9]{2})(?:[.,]([0-9]+))?(Z|[+-][0-9]{2}:[0-9]{2})"
)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MIN, _MAX = -62135596800, 253402300799  # the years 1 to 9999, in seconds
TIMESTAMP_OVERFLOW = Err("timestamp overflow")


def to_duration(value: Value) -> Value:
    """``duration("1h30m")``."""
    nanos = _parse_duration(value)
    return conversion_error("string", "google.protobuf.Duration") if nanos is None else Duration(nanos)


def _parse_duration(text: str) -> int | None:
    sign = -1 if text.startswith("-") else 1
    rest = text[1:] if text[:1] in ("+", "-") else text
    if rest == "0":
        return 0
    if not rest:
        return None
    total = at = 0
    while at < len(rest):
        match = _PART.match(rest, at)
        if match is None or not (match[1] or match[2]) or len(match[1].lstrip("0")) > 19:
            return None
        unit = _UNITS[match[3]]
        total += int(match[1].lstrip("0") or "0") * unit + _of_unit(match[2] or "", unit)
        at = match.end()
    nanos = sign * total
    return nanos if INT_MIN <= nanos <= INT_MAX else None


def _of_unit(digits: str, unit: int) -> int:
    """That fraction of a unit, rounded as time.ParseDuration does."""
    fraction, scale = 0, 1.0
    for digit in digits:
        longer = fraction * 10 + int(digit)
        if longer > 2**63:
            break
        fraction, scale = longer, scale * 10
    return int(fraction * (unit / scale))


def to_timestamp(value: Value) -> Value:
    """``timestamp("2020-01-01T00:00:00Z")`` or of seconds."""
    if type(value) is int:
        return _timestamp(value * _SECOND)
    match = _RFC3339.fullmatch(value)
    if match is None:
        return conversion_error("string", "google.protobuf.Timestamp")
    try:
        moment = datetime(*(int(match[i]) for i in range(1, 7)), tzinfo=UTC)  # type: ignore[arg-type,misc]
    except ValueError:
        if match[1] == "0000":
            return TIMESTAMP_OVERFLOW
        return conversion_error("string", "google.protobuf.Timestamp")
    seconds = (moment - _EPOCH) // timedelta(seconds=1)
    zone = 0
    if match[8] != "Z":
        hours, minutes = int(match[8][1:3]), int(match[8][4:6])
        if hours > 24 or minutes > 60:
            return conversion_error("string", "google.protobuf.Timestamp")
        zone = (hours * 3600 + minutes * 60) * (-1 if match[8][0] == "-" else 1)
    return _timestamp((seconds - zone) * _SECOND + int((match[7] or "0")[:9].ljust(9, "0")), zone)


def _timestamp(nanos: int, zone: int = 0) -> Value:
    return Timestamp(nanos, zone) if _MIN <= nanos // _SECOND <= _MAX else TIMESTAMP_OVERFLOW


def _duration(nanos: int) -> Value:
    return Duration(nanos) if INT_MIN <= nanos <= INT_MAX else INT_OVERFLOW


def add(left: Value, right: Value) -> Value:
    """``+`` of durations and timestamps."""
    nanos = left.nanos + right.nanos
    if type(left) is type(right):
        return _duration(nanos)
    return _timestamp(nanos, (left if type(left) is Timestamp else right).zone)


def subtract(left: Value, right: Value) -> Value:
    """``-`` of durations and timestamps."""
    nanos = left.nanos - right.nanos
    if type(left) is Duration:
        return _duration(nanos)
    if type(right) is Duration:
        return INT_OVERFLOW if right.nanos == INT_MIN else _timestamp(nanos, left.zone)
    seconds = left.nanos // _SECOND - right.nanos // _SECOND
    return _duration(nanos) if INT_MIN <= seconds * _SECOND <= INT_MAX else INT_OVERFLOW


def duration_text(value: Duration) -> str:
    """Seconds with an ``s``."""
    return f"{Decimal(repr(_seconds(value.nanos))):f}".removesuffix(".0") + "s"


def _seconds(nanos: int) -> float:
    """As Go's Duration.Seconds: a double, which does not hold the nanoseconds of many years."""
    whole, rest = divmod(abs(nanos), _SECOND)
    return math.copysign(whole + rest / _SECOND, nanos) if nanos else 0.0


def timestamp_text(value: Timestamp) -> str:
    """RFC 3339 with as many digits as needed."""
    seconds, rest = divmod(value.nanos, _SECOND)
    moment = _EPOCH + timedelta(seconds=seconds + value.zone)
    hours, minutes = divmod(abs(value.zone) // 60, 60)
    zone = f"{'-' if value.zone < 0 else '+'}{hours:02d}:{minutes:02d}" if value.zone else "Z"
    return f"{moment.year:04d}{moment:-%m-%dT%H:%M:%S}{_fraction(rest)}{zone}"


def _fraction(nanos: int) -> str:
    return f".{nanos:09d}".rstrip("0").rstrip(".")


_GETTERS: dict[str, Callable[[datetime, int], int]] = {
    "getFullYear": lambda t, n: t.year,
    "getMonth": lambda t, n: t.month - 1,
    "getDayOfYear": lambda t, n: t.timetuple().tm_yday - 1,
    "getDayOfMonth": lambda t, n: t.day - 1,
    "getDate": lambda t, n: t.day,
    "getDayOfWeek": lambda t, n: t.isoweekday() % 7,
    "getHours": lambda t, n: t.hour,
    "getMinutes": lambda t, n: t.minute,
    "getSeconds": lambda t, n: t.second,
    "getMilliseconds": lambda t, n: n // 10**6,
}
_SPANS = {"getHours": 3600 * _SECOND, "getMinutes": 60 * _SECOND, "getSeconds": _SECOND, "getMilliseconds": 10**6}


_CYCLE = 146_097 * 86_400  # the seconds of 400 years, after which the calendar repeats


def getter(function: str) -> Callable[..., Value]:
    """``getHours`` and the like, of timestamps (with a time zone or without) and durations."""

    def get(value: Value, zone: str | None = None) -> Value:
        if type(value) is Duration:
            whole = abs(value.nanos) // _SPANS[function]
            return -whole if value.nanos < 0 else whole
        seconds, nanos = divmod(value.nanos, _SECOND)
        offset = 0 if zone is None else _offset(zone, seconds)
        if isinstance(offset, Err):
            return offset
        cycles, seconds = divmod(seconds + offset, _CYCLE)
        part = _GETTERS[function](_EPOCH + timedelta(seconds=seconds), nanos)
        return part + 400 * cycles if function == "getFullYear" else part

    return get


def _offset(zone: str, seconds: int) -> int | Err:
    """By how many seconds the zone is before UTC at that moment (stdlib/standard.go, inTimeZone)."""
    if ":" not in zone:
        return _offset_of_place(zone, seconds)
    hours, minutes = (_whole(text) for text in zone.split(":", 1))
    for number in (hours, minutes):
        if isinstance(number, Err):
            return number
    total = hours * 60 + (-minutes if zone.startswith("-") else minutes)
    nanos = (total * _UNITS["m"] - INT_MIN) % 2**64 + INT_MIN  # Go's integers overflow
    return int(_seconds(nanos))


def _offset_of_place(name: str, seconds: int) -> int | Err:
    if ".." in name or name.startswith(("/", "\\")):
        return Err("time: invalid location name")
    if not re.fullmatch(r"[A-Za-z0-9_+\-/]*", name):
        return Err(f"unknown time zone {name}")
    try:
        place = ZoneInfo(name or "UTC")
    except (KeyError, ValueError, OSError):
        return Err(f"unknown time zone {name}")
    day = 86_400  # the calendar of Python ends before and after the years 1 and 9999
    moment = _EPOCH + timedelta(seconds=min(max(seconds, _MIN + day), _MAX - day))
    return (moment.astimezone(place).utcoffset() or timedelta()) // timedelta(seconds=1)


def _whole(text: str) -> Value:
    number = whole_number(text)
    if number is None or not INT_MIN <= number <= INT_MAX:
        reason = "invalid syntax" if number is None else "value out of range"
        return Err(f'strconv.Atoi: parsing "{text}": {reason}')
    return number
