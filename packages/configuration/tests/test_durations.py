"""Durations as Go writes them. Go: time.ParseDuration."""

import pytest

from kschedlab_configuration.durations import seconds_of


@pytest.mark.parametrize(
    ("larger", "smaller"),
    [
        ("1h", "60m"),
        ("1m", "60s"),
        ("1s", "1000ms"),
        ("1ms", "1000us"),
        ("1us", "1000ns"),
        ("1µs", "1us"),
        ("1.5h", "90m"),
    ],
)
def test_a_unit_is_as_many_of_the_next(larger: str, smaller: str):
    faults = []
    seconds = seconds_of(larger, (), faults)
    assert seconds_of("1s", (), faults) == 1
    assert seconds == seconds_of(smaller, (), faults) > 0
    assert seconds_of(f"-{larger}{smaller}", (), faults) == -2 * seconds
    assert faults == []
