"""Schedules of CronJobs: five fields, as in ``*/15 8-18 * * 1-5``, or names such as ``@hourly``.

v1.37: github.com/robfig/cron/v3 (parser.go, ParseStandard; spec.go). Names of months and days may be used. If both the
day of the month and the day of the week are restricted, either is enough.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo

from kschedlab.objects.meta import SECOND

NAMED = {
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
    "@monthly": "0 0 1 * *",
    "@weekly": "0 0 * * 0",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@hourly": "0 * * * *",
}
_MONTHS = {name: i for i, name in enumerate("jan feb mar apr may jun jul aug sep oct nov dec".split(), start=1)}  # noqa: SIM905
_DAYS = {name: i for i, name in enumerate("sun mon tue wed thu fri sat".split())}  # noqa: SIM905
_FIELDS: tuple[tuple[int, int, dict[str, int]], ...] = (
    (0, 59, {}),
    (0, 23, {}),
    (1, 31, {}),
    (1, 12, _MONTHS),
    (0, 6, _DAYS),
)
_YEARS = 5
"""How far ahead a next time is looked for."""


@dataclass(frozen=True)
class Schedule:
    """The values of each field that are allowed; ``any_day``, ``any_weekday``: whether that field is a star."""

    minutes: frozenset[int]
    hours: frozenset[int]
    days: frozenset[int]
    months: frozenset[int]
    weekdays: frozenset[int]
    any_day: bool
    any_weekday: bool
    zone: tzinfo = UTC

    def next(self, after: int) -> int | None:
        """The first time after this one, in microseconds since 1970; None if there is none within five years."""
        moment = datetime.fromtimestamp(after // SECOND, self.zone).replace(second=0)
        moment = _later(moment, minutes=1)
        end = moment.year + _YEARS
        while moment.year <= end:
            if moment.month not in self.months or not self._on(moment):
                moment = _later(moment.replace(hour=0, minute=0) + timedelta(days=1))
            elif moment.hour not in self.hours:
                moment = _later(moment, minutes=60 - moment.minute)
            elif moment.minute not in self.minutes:
                moment = _later(moment, minutes=1)
            else:
                return int(moment.timestamp()) * SECOND
        return None

    def _on(self, moment: datetime) -> bool:
        day, weekday = moment.day in self.days, moment.isoweekday() % 7 in self.weekdays
        return day and weekday if self.any_day or self.any_weekday else day or weekday


def _later(moment: datetime, minutes: int = 0) -> datetime:
    """So many minutes later, also where the clocks change; midnight becomes 1:00 where it is left out."""
    return (moment.astimezone(UTC) + timedelta(minutes=minutes)).astimezone(moment.tzinfo)


def time_zone(name: str | None) -> tzinfo:
    """The zone of this name, UTC without one. ValueError if there is none."""
    try:
        return ZoneInfo(name) if name else UTC
    except (KeyError, ValueError, OSError):
        raise ValueError(f"unknown time zone {name}") from None


def parse_schedule(text: str, zone: tzinfo = UTC) -> Schedule:
    """The schedule. ValueError, with the reason, if the text is none."""
    fields = NAMED.get(text, text).split()
    if len(fields) != len(_FIELDS):
        raise ValueError(f"expected exactly 5 fields, found {len(fields)}: {text}")
    minutes, hours, days, months, weekdays = (
        _values(field, *bounds) for field, bounds in zip(fields, _FIELDS, strict=True)
    )
    stars = [field in ("*", "?", "*/1", "?/1") for field in fields]
    return Schedule(minutes, hours, days, months, weekdays, stars[2], stars[4], zone)


def _values(field: str, least: int, most: int, names: dict[str, int]) -> frozenset[int]:
    values: set[int] = set()
    for part in field.split(","):
        match = re.fullmatch(r"(\*|\?|(\w+)(?:-(\w+))?)(?:/(\d+))?", part)
        if match is None:
            raise ValueError(f"failed to parse {part}")
        whole, first, last, step = match.groups()
        begin = least if whole in "*?" else _number(first, names)
        end = most if whole in "*?" or (step and not last) else _number(last or first, names)
        if not least <= begin <= end <= most:
            raise ValueError(f"{part} is not between {least} and {most}")
        if step == "0":
            raise ValueError(f"step of range should be a positive number: {part}")
        values.update(range(begin, end + 1, int(step or 1)))
    return frozenset(values)


def _number(text: str, names: dict[str, int]) -> int:
    if text.lower() in names:
        return names[text.lower()]
    if not text.isdigit():
        raise ValueError(f"failed to parse int from {text}")
    return int(text)
