"""JSON with line numbers."""

import json
from decimal import Decimal

import pytest
from hypothesis import given, strategies as st

from kschedlab.manifests.composer import UnreadableError
from kschedlab.manifests.json_text import compose_json

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**60), 10**60) | st.text(st.characters(codec="utf-8")),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(st.characters(codec="utf-8")), inner),
    max_leaves=20,
)


@given(st.lists(VALUES, min_size=1, max_size=3), st.sampled_from([None, 0, 2]))
def test_reads_what_python_writes(values, indent):
    composed = compose_json("\n".join(json.dumps(value, indent=indent) for value in values))
    assert [root for root, _ in composed.roots] == values
    assert composed.faults == []


def test_fractions_keep_their_digits():
    ((value, _),) = compose_json("[0.30000000000000004, 1E3, 1.50]").roots
    assert value == [Decimal("0.30000000000000004"), Decimal("1E+3"), Decimal("1.50")]


def test_a_number_has_at_most_64_digits():
    assert compose_json("1" * 64).roots == [(int("1" * 64), 1)]
    with pytest.raises(UnreadableError, match="more than 64 digits"):
        compose_json("1" * 65)


def test_lines():
    composed = compose_json('{"a":\n [1,\n  {"b": 2}\n ]}\n\n{"c": 3}', positions=True)
    assert composed.locate(0, ("a", 1, "b")) == (3, "2")
    assert composed.locate(1, ("c",)) == (6, "3")


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("[1,\n]", 2, 'remove the "," before "]"'),
        ("[1\n2]", 2, '"," or "]" is missing before "2"'),
        ('{"a"\n1}', 2, '":" is missing after the key'),
        ("{a: 1}", 1, 'expected a key in double quotes, not "a"'),
        ('{"a": "b', 1, "unterminated string starting"),
        ('["a\nb"]', 1, "invalid control character"),
        ("[01]", 1, '"01" is not a value'),
        ("[Infinity]", 1, '"Infinity" is not a value'),
        ("[1", 1, 'the input ends before the closing "]"'),
        ('["\\ud800"]', 1, "unpaired surrogate"),
        ("{} x", 1, '"x" is not a value'),
        ("]", 1, '"]" is not a value'),
        ("x" * 40, 1, f'"{"x" * 40}" is not a value'),
        ("x" * 41, 1, f'"{"x" * 40}" is not a value'),
    ],
)
def test_errors(text, line, message):
    with pytest.raises(UnreadableError) as caught:
        compose_json(text)
    assert (caught.value.line, caught.value.message) == (line, f"not valid JSON: {message}")


@given(st.text(alphabet='{}[]",:0123456789.eE+- \n\\untrfalse', max_size=60))
def test_accepts_exactly_what_python_accepts(text):
    """A single value is valid if and only if Python's reader accepts it (apart from duplicate keys)."""
    try:
        expected = json.loads(text, parse_float=Decimal, parse_int=int)
    except (ValueError, RecursionError):
        expected = None
        valid = False
    else:
        valid = True
    try:
        composed = compose_json(text)
    except UnreadableError:
        assert not valid
    else:
        if valid:
            assert [root for root, _ in composed.roots] == [expected]
        else:
            assert len(composed.roots) != 1
