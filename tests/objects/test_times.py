"""Times in RFC 3339, as the API has them."""

import pytest

from kschedlab.objects.meta import Time


@pytest.mark.parametrize(
    ("text", "microseconds"),
    [
        ("1970-01-01T00:00:00Z", 0),
        ("1970-01-01T00:00:01Z", 1_000_000),
        ("1970-01-01T00:00:00.5Z", 500_000),
        ("1970-01-01T00:00:00,000001Z", 1),
        ("1970-01-01T23:59:59Z", 86_399_000_000),
        ("1970-01-01T00:00:00-01:30", 5_400_000_000),
        ("1970-02-01T00:00:00Z", 31 * 86_400_000_000),
    ],
)
def test_a_time_is_microseconds_since_1970(text: str, microseconds: int) -> None:
    assert Time.parse(text) == microseconds


@pytest.mark.parametrize(
    "text",
    ["", "1970-01-01", "1970-01-01T00:00:00", "1970-01-01 00:00:00Z", "1970-01-01t00:00:00Z", "1970-01-01T24:00:00Z"]
    + ["1970-01-32T00:00:00Z", "1970-13-01T00:00:00Z", "1970-01-01T00:00:60Z", "1970-1-1T00:00:00Z", "1970-W01-1T00Z"]
    + ["1970-01-01T00:00:00+0100", "1970-01-01T00:00:00z", "1970/01/01T00:00:00Z", "1970-01-01T00.00:00Z"],
)
def test_what_is_not_rfc_3339_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        Time.parse(text)


def test_a_moment_within_a_second_is_stored_as_that_second():
    assert str(Time.whole_second(1_999_999)) == "1970-01-01T00:00:01Z"
    assert str(Time(1_500_000)) == "1970-01-01T00:00:01.500000Z"
