"""Markup is taken apart and put together again; what states share is stored once."""

import pytest
from hypothesis import given, strategies as st

from kschedlab.text.html import Html, element
from tools.site.parts import Parts

TREES = st.recursive(
    st.text(max_size=40),
    lambda inside: st.lists(inside, max_size=4).map(lambda some: element("g", *some, aria_label="a > b")),
    max_leaves=20,
)


@given(TREES)
def test_what_is_taken_apart_is_whole_again(tree: Html | str) -> None:
    parts = Parts()
    markup = str(element("svg", tree, element("br")))
    assert parts.whole(parts.markup(markup)) == markup


def test_equal_elements_are_stored_once() -> None:
    parts = Parts()
    shared = element("g", element("text", "a" * 200), element("text", "b" * 200))
    for number in range(3):
        parts.markup(str(element("svg", shared, element("text", str(number) * 200))))
    texts = [each for each in parts.all if isinstance(each, str)]
    assert sum("a" * 200 in each for each in texts) == 1
    assert len(texts) == 2 + 3 + len({"<svg>", "</svg>", "<g>", "</g>"})


@pytest.mark.parametrize("markup", ["<g>", "</g>", "<g></g></g>"])
def test_tags_that_do_not_match_are_an_error(markup: str) -> None:
    with pytest.raises(ValueError, match="end"):
        Parts().markup(markup)


def test_parts_are_stored_in_an_order_of_their_own() -> None:
    parts = Parts()
    pictures = [str(element("svg", element("text", letter * 200), element("text", "c" * 200))) for letter in "ba"]
    record = parts.stored(
        {"rooms": (1, 2), "states": [{"at": [3], "picture": parts.markup(each)} for each in pictures]}
    )
    assert record["rooms"] == [1, 2] and [state["at"] for state in record["states"]] == [[3], [3]]
    texts = [part for part in record["parts"] if isinstance(part, str)]
    assert texts == sorted(texts) == record["parts"][: len(texts)]
    parts.all = record["parts"]
    assert [parts.whole(state["picture"]) for state in record["states"]] == pictures
