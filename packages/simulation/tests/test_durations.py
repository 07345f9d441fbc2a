import pytest
from hypothesis import given, strategies as st

from kschedlab_simulation.durations import duration, parse_duration, parse_run_time


@pytest.mark.parametrize(
    ("text", "microseconds"),
    [
        ("0", 0),
        ("+0", 0),
        ("0s", 0),
        ("3s", 3_000_000),
        ("300ms", 300_000),
        ("1h2m3.5s", 3_723_500_000),
        (".5s", 500_000),
        ("1.s", 1_000_000),
        ("1.5h", 5_400_000_000),
        ("1us", 1),
        ("1µs", 1),
        ("1μs", 1),
        ("1ms", 1000),
        ("0" * 63 + "s", 0),
        ("9223372036854775us", 2**63 // 1000),
        ("2000ns", 2),
        ("1m1m", 120_000_000),
    ],
)
def test_durations_as_go_reads_them(text, microseconds):
    assert parse_duration(text) == microseconds


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", '"" is not a duration such as 300ms, 3s or 1h2m3.5s'),
        ("3", '"3" has no unit: one of ns, us, ms, s, m, h, as in 3s'),
        ("s", '"s" is not a duration such as 300ms, 3s or 1h2m3.5s'),
        (".s", '".s" is not a duration such as 300ms, 3s or 1h2m3.5s'),
        ("3 s", '"3 s" has an unknown unit " s": one of ns, us, ms, s, m, h'),
        ("3d", '"3d" has an unknown unit "d": one of ns, us, ms, s, m, h'),
        ("-3s", '"-3s" is negative'),
        ("1ns", '"1ns" is finer than a microsecond, the clock\'s resolution'),
        ("9223372036854776us", '"9223372036854776us" is longer than 292 years'),
        ("3000000h", '"3000000h" is longer than 292 years'),
        ("0" * 64 + "s", f'"{"0" * 60}..." is not a duration such as 300ms, 3s or 1h2m3.5s'),
        ("1" * 65 + "s", f'"{"1" * 60}..." is not a duration such as 300ms, 3s or 1h2m3.5s'),
    ],
)
def test_invalid_durations(text, why):
    with pytest.raises(ValueError) as error:
        parse_duration(text)
    assert str(error.value) == why


@pytest.mark.parametrize(
    ("microseconds", "text"),
    [
        (0, "0s"),
        (1, "1µs"),
        (999, "999µs"),
        (1000, "1ms"),
        (2200, "2.2ms"),
        (999_999, "999.999ms"),
        (1_000_000, "1s"),
        (3_300_000, "3.3s"),
        (60_000_000, "1m0s"),
        (245_001_000, "4m5.001s"),
        (3_600_000_000, "1h0m0s"),
        (18_367_001_000, "5h6m7.001s"),
    ],
)
def test_durations_as_go_writes_them(microseconds, text):
    """Go 1.26: time/time_test.go, durationTests."""
    assert duration(microseconds) == text


def test_a_run_covers_ten_years_at_most():
    assert parse_run_time("87840h") == 10 * 366 * 24 * 3600 * 1_000_000
    with pytest.raises(ValueError, match="longer than 87840h"):
        parse_run_time("87840h1us")


@given(st.integers(0, 10**15))
def test_printed_durations_can_be_parsed(microseconds):
    assert parse_duration(duration(microseconds)) == microseconds


@given(st.text("0123456789.smhun-+ ", max_size=12))
def test_any_text_is_a_duration_or_an_error(text):
    try:
        assert parse_duration(text) >= 0
    except ValueError as error:
        assert str(error)
