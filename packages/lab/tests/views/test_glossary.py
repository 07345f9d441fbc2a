"""The glossary: each word once, on the page and in a lesson's own table."""

import re
from pathlib import Path

import pytest

from kschedlab_lab.views.glossary import SECTIONS, TERMS, Glossary, page

PAGE = Path(__file__).parents[4] / "docs" / "glossary.md"
WRITE = "python -c 'from kschedlab_lab.views.glossary import page; print(page(), end=\"\")' > docs/glossary.md"


def test_the_page_is_the_list() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), WRITE


def test_each_word_stands_once_and_has_all_of_its_parts() -> None:
    terms = [term for section in SECTIONS.values() for term in section]
    assert len(terms) == len(TERMS)
    for term in terms:
        assert term.chinese and term.meaning and "|" not in term.meaning + term.chinese
        assert set(term.documents.split()) <= {"000", "001", "002", "003", "004"}
        assert term.meaning.count("`") % 2 == 0


def test_a_lesson_shows_its_own_words_in_its_own_order() -> None:
    own = Glossary("heap", "active queue")
    assert [line.split()[0] for line in repr(own).splitlines()] == ["English", "heap", "active"]
    table = own._repr_html_()
    assert re.findall(r'scope="row"[^>]*>([^<]*)<', table) == ["heap", "active queue"]
    assert '<td lang="zh"' in table and ">堆</td>" in table


def test_code_is_marked_as_code_and_nothing_else_is_markup() -> None:
    assert "<code>spec.priority</code>" in Glossary("priority")._repr_html_()
    assert len(Glossary().terms) == len(TERMS)


def test_a_word_that_there_is_not_is_an_error_with_its_neighbours() -> None:
    with pytest.raises(ValueError, match='"heaps" is not in the glossary; there are heap, '):
        Glossary("heaps")
