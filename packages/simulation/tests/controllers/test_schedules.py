"""Schedules of CronJobs, in the cases of their authors (github.com/robfig/cron/v3 v3.0.1, spec_test.go, TestNext)."""

import pytest

from kschedlab.objects.meta import Time
from kschedlab_simulation.controllers.schedules import parse_schedule, time_zone


def following(after: str, schedule: str, zone: str | None = None) -> Time | None:
    found = parse_schedule(schedule, time_zone(zone)).next(Time.parse(after))
    return None if found is None else Time(found)


@pytest.mark.parametrize(
    ("after", "schedule", "expected"),
    [
        ("2012-07-09T14:45:00Z", "0/15 * * * *", "2012-07-09T15:00:00Z"),
        ("2012-07-09T14:59:59Z", "0/15 * * * *", "2012-07-09T15:00:00Z"),
        ("2012-07-09T15:45:00Z", "20-35/15 * * * *", "2012-07-09T16:20:00Z"),
        ("2012-07-09T23:46:00Z", "*/15 * * * *", "2012-07-10T00:00:00Z"),
        ("2012-07-09T23:45:00Z", "20-35/15 * * * *", "2012-07-10T00:20:00Z"),
        ("2012-07-09T23:35:51Z", "20-35/15 1/2 * * *", "2012-07-10T01:20:00Z"),
        ("2012-07-09T23:35:51Z", "20-35/15 10-12 * * *", "2012-07-10T10:20:00Z"),
        ("2012-07-09T23:35:51Z", "20-35/15 1/2 */2 * *", "2012-07-11T01:20:00Z"),
        ("2012-07-09T23:35:51Z", "20-35/15 * 9-20 Jul *", "2012-07-10T00:20:00Z"),
        ("2012-07-09T23:35:00Z", "0 0 9 Apr-Oct ?", "2012-08-09T00:00:00Z"),
        ("2012-07-09T23:35:00Z", "0 0 */5 Apr,Aug,Oct Mon", "2012-08-01T00:00:00Z"),
        ("2012-07-09T23:35:00Z", "0 0 */5 Oct Mon", "2012-10-01T00:00:00Z"),
        ("2012-07-09T23:35:00Z", "0 0 * Feb Mon", "2013-02-04T00:00:00Z"),
        ("2012-07-09T23:35:00Z", "0 0 1 Feb Mon/2", "2013-02-01T00:00:00Z"),
        ("2012-12-31T23:59:45Z", "* * * * *", "2013-01-01T00:00:00Z"),
        ("2012-07-09T23:35:00Z", "0 0 29 Feb ?", "2016-02-29T00:00:00Z"),
        ("2012-07-09T23:35:00Z", "0 0 30 Feb ?", None),
        ("2012-07-09T23:35:00Z", "0 0 31 Apr ?", None),
    ],
)
def test_the_next_time(after, schedule, expected):
    assert following(after, schedule) == (expected and Time.parse(expected))


@pytest.mark.parametrize(
    ("after", "schedule", "expected"),
    [
        ("2012-03-11T00:00:00-05:00", "30 2 11 Mar ?", "2013-03-11T02:30:00-04:00"),
        ("2012-03-11T01:00:00-05:00", "0 * * * ?", "2012-03-11T03:00:00-04:00"),
        ("2012-03-11T01:00:00-05:00", "0 1 * * ?", "2012-03-12T01:00:00-04:00"),
        ("2012-03-11T00:00:00-05:00", "0 2 * * ?", "2012-03-12T02:00:00-04:00"),
        ("2012-11-04T00:00:00-04:00", "30 2 4 Nov ?", "2012-11-04T02:30:00-05:00"),
        ("2012-11-04T01:45:00-04:00", "30 1 4 Nov ?", "2012-11-04T01:30:00-05:00"),
        ("2012-11-04T01:00:00-04:00", "0 * * * ?", "2012-11-04T01:00:00-05:00"),
        ("2012-11-04T01:00:00-05:00", "0 * * * ?", "2012-11-04T02:00:00-05:00"),
        ("2012-11-04T01:00:00-04:00", "0 1 * * ?", "2012-11-04T01:00:00-05:00"),
        ("2012-11-04T01:00:00-05:00", "0 1 * * ?", "2012-11-05T01:00:00-05:00"),
        ("2012-11-04T00:00:00-04:00", "0 3 3 * ?", "2012-12-03T03:00:00-05:00"),
    ],
)
def test_where_clocks_change_an_hour_is_left_out_or_comes_twice(after, schedule, expected):
    assert following(after, schedule, "America/New_York") == Time.parse(expected)


def test_where_midnight_is_left_out_the_day_still_counts():
    expected = Time.parse("2018-11-10T09:00:00-02:00")
    assert following("2018-10-17T06:00:00-03:00", "0 9 10 * ?", "America/Sao_Paulo") == expected


@pytest.mark.parametrize(
    ("name", "first", "second"),
    [
        ("@yearly", "2027-01-01T00:00:00Z", "2028-01-01T00:00:00Z"),
        ("@annually", "2027-01-01T00:00:00Z", "2028-01-01T00:00:00Z"),
        ("@monthly", "2026-08-01T00:00:00Z", "2026-09-01T00:00:00Z"),
        ("@weekly", "2026-07-12T00:00:00Z", "2026-07-19T00:00:00Z"),
        ("@daily", "2026-07-10T00:00:00Z", "2026-07-11T00:00:00Z"),
        ("@midnight", "2026-07-10T00:00:00Z", "2026-07-11T00:00:00Z"),
        ("@hourly", "2026-07-10T00:00:00Z", "2026-07-10T01:00:00Z"),
    ],
)
def test_some_schedules_have_a_name(name, first, second):
    assert following("2026-07-09T23:35:00Z", name) == Time.parse(first)
    assert following(first, name) == Time.parse(second)


FIELDS = [(0, 59), (0, 23), (1, 31), (1, 12), (0, 6)]
"""The least and the most of a minute, an hour, a day, a month and a weekday (spec.go)."""


@pytest.mark.parametrize("place", range(5))
def test_the_numbers_of_a_field_have_bounds(place):
    """A field's least and most are taken, and one less or more is refused; a star is all of them."""
    least, most = FIELDS[place]

    def field(value):
        return " ".join("*" if i != place else str(value) for i in range(5))

    def values(value):
        schedule = parse_schedule(field(value))
        return (schedule.minutes, schedule.hours, schedule.days, schedule.months, schedule.weekdays)[place]

    assert values("*") == values("?") == values(f"{least}-{most}") == {*range(least, most + 1)}
    assert values(f"{most - 3}/2") == {most - 3, most - 1}
    for wrong in (most + 1, f"{least}-{most + 1}", *([0] if least else [])):
        with pytest.raises(ValueError, match=f"not between {least} and {most}"):
            parse_schedule(field(wrong))


@pytest.mark.parametrize("text", ["", "* * * *", "a * * * *", "*/0 * * * *", "5-3 * * * *"])
def test_invalid_schedules(text):
    with pytest.raises(ValueError):
        parse_schedule(text)


def test_a_time_within_the_fifth_year_is_awaited():
    """Next: no time within five years is none; 2100 has no February 29."""
    assert following("2099-03-01T00:00:00Z", "0 0 29 2 *") == Time.parse("2104-02-29T00:00:00Z")
    assert following("2098-03-01T00:00:00Z", "0 0 29 2 *") is None
