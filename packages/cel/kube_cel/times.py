"""Moments and spans of time (cel-go v0.29.2: common/types/timestamp.go, duration.go, overflow.go; Go's time)."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from fractions import Fraction
from zoneinfo import ZoneInfo

from kube_cel.numbers import INT_OVERFLOW, conversion_error
from kube_cel.values import INT_MAX, INT_MIN, Duration, Err, Timestamp, Value

_SECOND = 10**9
_UNITS = {"ns": 1, "us": 10**3, "µs": 10**3, "μs": 10**3, "ms": 10**6, "s": 10**9, "m": 60 * 10**9, "h": 3600 * 10**9}
_PART = re.compile(r"([0-9]*)(?:\.([0-9]*))?(ns|us|µs|μs|ms|s|m|h)")
_RFC3339 = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})T([0-9]{2}):([0-9]{2}):([0-9]{2})(?:[.,]([0-9]+))?(Z|[+-][0-9]{2}:[0-9]{2})"
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
    total, at = Fraction(0), 0
    while at < len(rest):
        match = _PART.match(rest, at)
        if match is None or not (match[1] or match[2]) or len(match.group()) > 400:
            return None
        fraction = Fraction(int(match[2]), 10 ** len(match[2])) if match[2] else Fraction(0)
        total += int(match[1] or "0") * _UNITS[match[3]] + int(fraction * _UNITS[match[3]])
        at = match.end()
    nanos = sign * int(total)
    return nanos if INT_MIN <= nanos <= INT_MAX else None


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
    return _duration(nanos) if type(left) is type(right) else _timestamp(nanos, left.zone)


def duration_text(value: Duration) -> str:
    """Seconds with an ``s``."""
    whole, rest = divmod(abs(value.nanos), _SECOND)
    return f"{'-' if value.nanos < 0 else ''}{whole}{_fraction(rest)}s"


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


def getter(function: str) -> Callable[..., Value]:
    """``getHours`` and the like, of timestamps (with a time zone or without) and durations."""

    def get(value: Value, zone: str | None = None) -> Value:
        if type(value) is Duration:
            whole = abs(value.nanos) // _SPANS[function]
            return -whole if value.nanos < 0 else whole
        seconds, nanos = divmod(value.nanos, _SECOND)
        moment = _EPOCH + timedelta(seconds=seconds)
        if zone is not None:
            place = _zone(zone)
            if isinstance(place, Err):
                return place
            try:
                moment = moment.astimezone(place)
            except OverflowError:  # the day before the year 1 or after the year 9999
                cycle = 400 if moment.year == 1 else -400
                moment = moment.replace(year=moment.year + cycle).astimezone(place)
                return _GETTERS[function](moment, nanos) - (cycle if function == "getFullYear" else 0)
        return _GETTERS[function](moment, nanos)

    return get


def _zone(name: str) -> tzinfo | Err:
    if ":" not in name:
        if ".." in name or name.startswith(("/", "\\")):
            return Err("time: invalid location name")
        if not re.fullmatch(r"[A-Za-z0-9_+\-/]*", name):
            return Err(f"unknown time zone {name}")
        try:
            return UTC if name in ("", "UTC") else ZoneInfo(name)
        except (KeyError, ValueError, OSError):
            return Err(f"unknown time zone {name}")
    hours, _, minutes = name.partition(":")
    if not re.fullmatch(r"[+-]?[0-9]{1,9}", hours):
        return Err(f'strconv.Atoi: parsing "{hours}": invalid syntax')
    if not re.fullmatch(r"[+-]?[0-9]{1,9}", minutes):
        return Err(f'strconv.Atoi: parsing "{minutes}": invalid syntax')
    total = int(hours) * 60 + (-int(minutes) if hours.startswith("-") else int(minutes))
    try:
        return timezone(timedelta(minutes=total))
    except ValueError:
        return Err(f"unknown time zone {name}")
