"""The file beside the notebooks: entries of several owners, replaced as a whole, never overwritten when damaged."""

import json
from pathlib import Path

import pytest

from kschedlab_lab.kept import FILE, DamagedError, Kept


def test_who_writes_an_entry_leaves_the_others_as_they_are(tmp_path: Path) -> None:
    one, two = Kept(tmp_path / FILE), Kept(tmp_path / FILE)
    assert one.read() == {}
    one.write(exercises=[1])
    two.write(language="zh")
    one.write(exercises=[1, 2])
    assert two.read() == {"exercises": [1, 2], "language": "zh"}
    assert [each.name for each in tmp_path.iterdir()] == [FILE]


@pytest.mark.parametrize("text", ["", "{", "[]", "3", "\x00", "[" * 100_000])
def test_a_damaged_file_is_neither_read_nor_written(tmp_path: Path, text: str) -> None:
    (tmp_path / FILE).write_text(text)
    for act in (Kept(tmp_path / FILE).read, lambda: Kept(tmp_path / FILE).write(language="zh")):
        with pytest.raises(DamagedError, match=FILE):
            act()
    assert (tmp_path / FILE).read_text() == text


def test_translated_notebooks_share_the_file_of_the_folder_around_them(tmp_path, monkeypatch) -> None:
    monkeypatch.delenv("KSCHEDLAB_PROGRESS", raising=False)
    (tmp_path / "zh").mkdir()
    monkeypatch.chdir(tmp_path / "zh")
    Kept.usual({"zh"}).write(language="zh")
    assert json.loads((tmp_path / FILE).read_text()) == {"language": "zh"}
    monkeypatch.chdir(tmp_path)
    assert Kept.usual({"zh"}).read() == {"language": "zh"}


def test_the_environment_names_another_file_or_none(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("KSCHEDLAB_PROGRESS", "li-na.json")
    Kept.usual(()).write(language="zh")
    assert json.loads((tmp_path / "li-na.json").read_text()) == {"language": "zh"}
    monkeypatch.setenv("KSCHEDLAB_PROGRESS", "off")
    Kept.usual(()).write(language="en")
    assert Kept.usual(()).read() == {} and len(list(tmp_path.iterdir())) == 1
