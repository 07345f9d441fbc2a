"""YAML as Kubernetes reads it."""

import json
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from kschedlab.manifests.composer import UnreadableError
from kschedlab.manifests.json_text import compose_json
from kschedlab.manifests.yaml_text import compose_yaml

SCALARS = [
    json.loads(line)
    for line in (Path(__file__).parent / "data" / "yaml_scalars.jsonl").read_text(encoding="utf-8").splitlines()
]


def read(text: str) -> object:
    composed = compose_yaml(text)
    assert composed.faults == []
    return composed.roots[0][0]


@pytest.mark.parametrize("case", SCALARS, ids=lambda case: case["scalar"])
def test_scalars_have_the_types_of_kubernetes(case):
    if case["json"] is None:
        assert len(compose_yaml(f"a: {case['scalar']}").faults) == 1
        return
    expected, value = json.loads(case["json"], parse_float=Decimal), read(f"a: {case['scalar']}")["a"]
    assert value == expected
    if not isinstance(expected, Decimal):
        assert type(value) is type(expected)


@pytest.mark.parametrize(
    ("key", "text"), [("true", "true"), ("yes", "true"), ("off", "false"), ("010", "8"), ("'y'", "y")]
)
def test_keys_are_text(key, text):
    assert read(f"{key}: 1") == {text: 1}


def test_a_number_has_at_most_64_digits():
    assert compose_yaml(f"a: {'1' * 64}").faults == []
    assert len(compose_yaml(f"a: {'1' * 65}").faults) == 1


def test_a_number_with_a_plus_is_an_integer_up_to_the_greatest_int64():
    """As in Go: what ParseInt refuses is a fraction (ParseUint takes no sign), in JSON with its shortest digits."""
    assert read(f"a: +{2**63 - 1}") == {"a": 2**63 - 1}
    assert read(f"a: +{2**63}") == {"a": 9223372036854776000}
    assert read(f"a: {2**63}") == {"a": 2**63}


@pytest.mark.parametrize("key", ["~", "1.5", ".nan", "9" * 65, "[a]", "{a: b}"])
def test_other_keys_are_refused(key):
    with pytest.raises(UnreadableError):
        compose_yaml(f"? {key}\n: 1\n")


def test_an_unpaired_surrogate_is_refused():
    with pytest.raises(UnreadableError, match="surrogate"):
        compose_yaml("a: \ud83d")


def test_documents_are_counted_and_located_in_the_whole_file():
    composed = compose_yaml("# first\na: 1\n---\nb:\n- c\n-\n  d: 010\n", positions=True)
    assert composed.roots == [({"a": 1}, 2), ({"b": ["c", {"d": 8}]}, 4)]
    assert composed.locate(1, ("b", 1, "d")) == (7, "010")
    assert composed.locate(1, ("b", 1, "missing", 0)) == (7, None)
    assert composed.locate(0, ()) == (2, None)


def test_aliases_and_merge_keys():
    text = "a: &a {x: 1, w: 2}\nb: *a\nc: {<<: *a, w: 3}\nd: {<<: [{x: 9}, *a], z: 4}\n"
    assert read(text) == {
        "a": {"x": 1, "w": 2},
        "b": {"x": 1, "w": 2},
        "c": {"x": 1, "w": 3},
        "d": {"x": 9, "w": 2, "z": 4},
    }


def test_merged_fields_are_located_where_they_are_defined():
    composed = compose_yaml("a: &a\n  x: 1\nb:\n  <<: *a\n  w: 2\n", positions=True)
    assert composed.locate(0, ("b", "x")) == (2, "1")
    assert composed.locate(0, ("b", "w")) == (5, "2")


def test_the_aliases_of_each_document_may_expand_to_200000_values():
    hundred = f"- &a [{', '.join(['x'] * 99)}]\n- &b x\n"
    most = hundred + "- *a\n" * 1999 + "- *b\n" * 100
    assert len(compose_yaml(f"{most}---\n{most}").roots) == 2
    with pytest.raises(UnreadableError, match="aliases expand to more than 200000 values"):
        compose_yaml(f"{hundred}---\n{most}- *b\n")


@pytest.mark.parametrize("compose", [compose_yaml, compose_json])
def test_a_hundred_levels_are_read(compose):
    """Maps and lists count alike, and what is closed counts no more."""
    level = '{"a": ['
    text = f"[{level * 49}[], 1{']}' * 49}]"
    assert len(compose(text).roots) == 1
    with pytest.raises(UnreadableError, match="nested deeper than 100 levels"):
        compose(text.replace("[], 1", "[[]]"))


def test_an_anchor_ends_with_its_document():
    with pytest.raises(UnreadableError, match=r"the alias \*a has no anchor"):
        compose_yaml("a: &a 1\n---\nb: *a\n")


@pytest.mark.parametrize("text", ["a: 1\r\nb: 2\r\n", "%YAML 1.2\n---\na: 1\nb: 2\n...\n", "{a: 1, b: 2}"])
def test_equivalent_spellings(text):
    assert read(text) == {"a": 1, "b": 2}


def test_every_duplicate_key_is_reported():
    composed = compose_yaml("a: 1\na: 2\nb: {c: 1, c: 2}\n")
    assert composed.faults == [
        (2, 'the key "a" appears twice in the same map'),
        (3, 'the key "c" appears twice in the same map'),
    ]


JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**18), 10**18)
    | st.text(st.characters(codec="utf-8", categories=["L", "N", "P"])),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(st.characters(codec="ascii", categories=["L"])), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(JSON_VALUES)
def test_json_is_read_as_json(value):
    assert read(json.dumps(value, ensure_ascii=False)) == value


@given(st.text(max_size=200))
def test_any_text_is_read_or_refused(text):
    try:
        compose_yaml(text, positions=True)
    except UnreadableError as error:
        assert 1 <= error.line <= text.count("\n") + text.count("\r") + text.count("\x85") + 3
