"""Durations in Go's notation: ``300ms``, ``3s``, ``1h2m3.5s``.

Go 1.26: time/format.go (ParseDuration), time.go (String). The virtual clock has a resolution of one microsecond; a
finer duration is an error.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from typing import Any

from kschedlab.messages import say
from kschedlab.objects.meta import SECOND, Time
from kschedlab.objects.model import ApiObject, ContainerState, Job, Node, Pod
from kschedlab.objects.problems import Fault, Path, shortened


def newest_time(objects: Iterable[ApiObject]) -> Time | None:
    """The newest moment at which something happened to one of the objects; None if they have no times.

    A deletionTimestamp is left out: it may lie ahead, at the end of the pod's grace period.
    """
    return max((moment for obj in objects for moment in _moments(obj) if moment is not None), default=None)


def _moments(obj: ApiObject) -> Iterator[Time | None]:
    metadata = obj.metadata
    yield metadata.creationTimestamp
    if isinstance(obj, Node):
        yield from (taint.timeAdded for taint in obj.spec.taints)
    elif isinstance(obj, Job):
        yield from (obj.status.startTime, obj.status.completionTime)
    elif isinstance(obj, Pod):
        yield obj.status.startTime
        yield from (condition.lastTransitionTime for condition in obj.status.conditions)
        for container in (*obj.status.containerStatuses, *obj.status.initContainerStatuses):
            yield from _of_state(container.state)
            yield from _of_state(container.lastState)


def _of_state(state: ContainerState) -> Iterator[Time | None]:
    if state.running is not None:
        yield state.running.startedAt
    if state.terminated is not None:
        yield from (state.terminated.startedAt, state.terminated.finishedAt)


_UNITS = {
    "ns": Fraction(1, 1000),
    "us": Fraction(1),
    "µs": Fraction(1),
    "μs": Fraction(1),
    "ms": Fraction(1_000),
    "s": Fraction(SECOND),
    "m": Fraction(60_000_000),
    "h": Fraction(3_600_000_000),
}
_PART = re.compile(r"([0-9]*)(?:\.([0-9]*))?([^0-9.]*)")
_MAX_TEXT = 64
LONGEST = 2**63 // 1000
"""Microseconds: the maximum of Go's durations, 292 years."""
LONGEST_RUN = 10 * 366 * 24 * 3600 * SECOND
"""Microseconds: ten years, more than any trace. A pod that waits is tried every few minutes, all of it in the log."""


def parse_duration(text: str) -> int:
    """Whole microseconds. ValueError, with the reason, if the text is not a duration or is negative."""
    if len(text) > _MAX_TEXT:
        raise ValueError(say('"{text}" is not a duration such as 300ms, 3s or 1h2m3.5s', text=shortened(text)))
    if text.startswith("-") and text.strip("-0"):
        raise ValueError(say('"{text}" is negative', text=shortened(text)))
    total = sum(_parts(text, text.removeprefix("+")), Fraction(0))
    if total.denominator != 1:
        raise ValueError(say('"{text}" is finer than a microsecond, the clock\'s resolution', text=shortened(text)))
    if total > LONGEST:
        raise ValueError(say('"{text}" is longer than 292 years', text=shortened(text)))
    return int(total)


def parse_run_time(text: str) -> int:
    """A moment of a run, in whole microseconds after its start. ValueError as :func:`parse_duration`."""
    moment = parse_duration(text)
    if moment > LONGEST_RUN:
        hours = LONGEST_RUN // (3600 * SECOND)
        raise ValueError(
            say(
                '"{text}" is longer than {hours}h, the longest time that a run covers',
                text=shortened(text),
                hours=hours,
            )
        )
    return moment


def _parts(whole: str, rest: str) -> list[Fraction]:
    if rest == "0":
        return []
    parts: list[Fraction] = []
    while rest or not parts:
        match = _PART.match(rest)
        assert match is not None
        number, fraction, unit = match[1], match[2] or "", match[3]
        if not (number or fraction):
            raise ValueError(say('"{whole}" is not a duration such as 300ms, 3s or 1h2m3.5s', whole=shortened(whole)))
        if not unit:
            raise ValueError(
                say(
                    '"{whole}" has no unit: one of ns, us, ms, s, m, h, as in {number}s',
                    whole=shortened(whole),
                    number=number or 0,
                )
            )
        if unit not in _UNITS:
            raise ValueError(
                say(
                    '"{whole}" has an unknown unit "{unit}": one of ns, us, ms, s, m, h',
                    whole=shortened(whole),
                    unit=shortened(unit),
                )
            )
        parts.append(Fraction(int(number + fraction), 10 ** len(fraction)) * _UNITS[unit])
        rest = rest[match.end() :]
    return parts


def duration_of(
    value: Any, path: Path, faults: list[Fault], parse: Callable[[str], int] = parse_duration
) -> int | None:
    """Microseconds; None, with a fault, if the value is not a duration."""
    if value is None:
        faults.append(Fault(path, "is missing"))
        return None
    try:
        return parse(value if isinstance(value, str) else str(value))
    except ValueError as error:
        faults.append(Fault(path, str(error)))
        return None


def duration(microseconds: int) -> str:
    """Format microseconds as Go prints a time.Duration: ``1h0m5s``, ``2.5s``, ``300ms``."""
    if microseconds < SECOND:
        if microseconds == 0:
            return "0s"
        return f"{microseconds / 1000:.6g}ms" if microseconds >= 1000 else f"{microseconds}µs"
    minutes, rest = divmod(microseconds, 60 * SECOND)
    hours, minutes = divmod(minutes, 60)
    whole, fraction = divmod(rest, SECOND)
    seconds = f"{whole}.{fraction:06}".rstrip("0").rstrip(".") + "s"
    return (f"{hours}h{minutes}m" if hours else f"{minutes}m" if minutes else "") + seconds
