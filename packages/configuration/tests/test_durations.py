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


@pytest.mark.parametrize("text", ["0", "-0", "0s", f"{'0' * 62}s"])
def test_nothing_is_no_time(text: str):
    faults = []
    assert (seconds_of(text, (), faults), faults) == (0, [])


@pytest.mark.parametrize("text", ["", "-", "5", "1 s", "1d", "s", ".s", "+1s", "1s5", f"{'0' * 64}s"])
def test_what_is_no_duration_is_a_fault_and_no_time(text: str):
    faults = []
    assert (seconds_of(text, (), faults), len(faults)) == (0, 1)


def test_a_duration_has_up_to_64_characters():
    for zeros, seconds, number in ((62, 1, 0), (63, 0, 1)):
        faults = []
        assert (seconds_of(f"{'0' * zeros}1s", (), faults), len(faults)) == (seconds, number)
