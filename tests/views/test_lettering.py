"""Text in a drawing: nothing is lost when it flows, and no line is wider than its place."""

import re

from hypothesis import given, strategies as st

from kschedlab.views.lettering import flowed, text_width

WORDS = st.text("abcWXYZ/-. ", max_size=40)


@given(WORDS, st.integers(20, 200), st.booleans())
def test_the_whole_text_flows_in_lines_that_fit(text: str, width: int, bold: bool) -> None:
    lines = flowed(text, width, 12, bold)
    assert re.sub(" ", "", "".join(lines)) == re.sub(" ", "", text)
    assert all(text_width(line, 12, bold) <= width for line in lines)


def test_a_long_name_breaks_between_its_humps() -> None:
    assert flowed("recordSchedulingFailure now", 90) == ["record", "Scheduling", "Failure now"]
    assert flowed("two words", 200) == ["two words"] and flowed("", 50) == []
