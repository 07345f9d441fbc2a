"""Text in a drawing: nothing is lost when it flows, and no line is wider than its place."""

import re

from hypothesis import given, strategies as st

from kschedlab.views.lettering import after_hyphen, flowed, text_width, wrapped

WORDS = st.text("abcWXYZ/-. ", max_size=40)


@given(WORDS, st.integers(20, 200), st.booleans())
def test_the_whole_text_flows_in_lines_that_fit(text: str, width: int, bold: bool) -> None:
    lines = flowed(text, width, 12, bold)
    assert re.sub(" ", "", "".join(lines)) == re.sub(" ", "", text)
    assert all(text_width(line, 12, bold) <= width for line in lines)


def test_a_long_name_breaks_between_its_humps() -> None:
    assert flowed("recordSchedulingFailure now", 90) == ["record", "Scheduling", "Failure now"]
    assert flowed("two words", 200) == ["two words"] and flowed("", 50) == []


def test_lines_end_between_words_and_the_last_one_says_that_there_is_more() -> None:
    assert wrapped("Insufficient cpu", 96, 3, bold=True) == ["Insufficient", "cpu"]
    first, second = wrapped("one two three four five six", 60, 2)
    assert first == "one two" and second.startswith("three") and second.endswith("…")


def test_names_are_told_apart_by_what_follows_their_common_words() -> None:
    assert after_hyphen(["node-a", "node-b"]) == ["a", "b"]
    assert after_hyphen(["gpu-01", "gpu-02"]) == ["01", "02"] and after_hyphen(["node-a"]) == ["node-a"]
