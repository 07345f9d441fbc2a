"""No translation loses a value, and what is missing is reported; `make release-check` wants everything."""

from pathlib import Path

import pytest

from kschedlab_lab.language import catalogue
from kschedlab_lab.language.catalogue import empty, front_end_words, read, texts, write
from tools.catalogue import LANGUAGE, added, fields, messages, missing, of_python, stale, updated

CATALOGUE = read(LANGUAGE)


def test_a_translation_has_the_fields_of_its_message() -> None:
    assert {each: text for each, text in texts(CATALOGUE).items() if "{" in each and fields(each) != fields(text)} == {}


def test_what_a_release_needs_is_named() -> None:
    known = dict.fromkeys(messages(), "有") | {"Check": "", "gone": "没有了"}
    assert missing(known) == ["Check"]
    assert missing(known, "no/such/file") == []
    assert stale(known) == ["no translation: 'Check'", "no source says 'gone'"]


def test_a_new_catalogue_marks_nothing_as_doubtful(tmp_path: Path) -> None:
    write(empty("de"), tmp_path / "de.po")
    text = (tmp_path / "de.po").read_text()
    assert "kschedlab" in text and "fuzzy" not in text


def test_a_catalogue_that_was_written_is_read_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A message has one line, however long it is, and no line of its source, which changes with other lines."""
    monkeypatch.setattr(catalogue, "FOLDER", tmp_path)
    made = empty("de")
    write(made, catalogue.path_of("de"))
    assert texts(read("de")) == {}
    made.add("long " * 40, "lang " * 40, locations=[("a.py", 12)])
    write(made, catalogue.path_of("de"))
    assert texts(read("de")) == {"long " * 40: "lang " * 40}
    text = catalogue.path_of("de").read_text()
    assert f'msgid "{"long " * 40}"\n' in text and "#: a.py\n" in text


def test_only_what_javascript_shows_has_its_files() -> None:
    files = {file for each in updated({}) for file, _ in each.locations}
    assert files and all(file.endswith(".js") for file in files)
    assert front_end_words(updated({"Check": "检查", "{number} node": "{number} 个节点"})) == {"Check": "检查"}


def test_the_head_of_a_catalogue_and_what_has_no_translation_are_no_texts() -> None:
    made = empty("de")
    made.add("yes", "ja", context="answer")
    made.add("no")
    assert [each.id for each in made] == ["", "yes", "no"]
    assert texts(made) == {"answer\4yes": "ja"}


SOURCE = """
def shown(number):
    label = say("a {pod}", pod=say("b")) if number else say("c" if number > 1 else "d")
    return label + count(number, "pod") + str(terms("e", "f")) + "no message", text.count("x"), later("b")
speed = slider("g", range(3), 1)
wrong = Fault(path, "h"), Fault(path, later("{i} j", i=meant("k", "l")))
"""


def test_what_is_a_message(tmp_path: Path) -> None:
    file = tmp_path / "source.py"
    file.write_text(SOURCE, encoding="utf-8")
    assert list(of_python(file)) == ["a {pod}", "b", "c", "d", "{number} pod", "e", "f", "b", "g", "h", "{i} j", "l\4k"]


@pytest.mark.parametrize(
    ("given", "wrong"),
    [
        ({"no such message": "无"}, "no source says 'no such message'"),
        ({"{number} node": "节点"}, "'{number} node': the fields are"),
        (["Check"], "the file is to hold"),
    ],
)
def test_a_translation_that_does_not_fit_is_refused(given: object, wrong: str) -> None:
    with pytest.raises(ValueError, match=wrong):
        added(given)


def test_an_empty_translation_is_left_for_later() -> None:
    assert added({"Check": "", "{number} node": "{number} 个节点"}) == {"{number} node": "{number} 个节点"}
