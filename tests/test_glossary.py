"""The glossary: each word once, on the page."""

from tools.glossary import PAGE, SECTIONS, page


def test_the_page_is_the_list() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "python -m tools.glossary"


def test_each_word_stands_once_and_has_all_of_its_parts() -> None:
    terms = [term for section in SECTIONS.values() for term in section]
    assert len(terms) == len({term.english for term in terms})
    for term in terms:
        assert term.chinese and term.meaning and "|" not in term.meaning + term.chinese
        assert set(term.documents.split()) <= {"000", "001", "002", "003", "004"}
        assert term.meaning.count("`") % 2 == 0
