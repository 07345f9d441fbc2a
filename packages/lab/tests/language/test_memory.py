"""A language that a reader chose in a notebook is found again, and no page is surprised by it."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import Mock

import nbformat
import pytest
from nbclient import NotebookClient

from kschedlab.messages import say
from kschedlab_lab.kept import FILE, VARIABLE
from kschedlab_lab.language import language, memory
from kschedlab_lab.language.speaker import speak

LESSON = "05-preemption.ipynb"
ROOT = Path(__file__).parents[4]


class Kernels:
    """Kernels one after the other, in a folder with a lesson in both languages. ``shown``: below the cells."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder, self.shown = folder, list[str]()
        self._set = monkeypatch
        monkeypatch.setattr(memory, "_shell", lambda: SimpleNamespace(user_ns={}))
        monkeypatch.setattr(memory, "_show", self.shown.append)

    def begin(self, page: str = LESSON) -> str:
        """A new kernel for this notebook, and the language in which it begins."""
        path = self.folder / page
        self._set.chdir(path.parent)
        self._set.setenv("JPY_SESSION_NAME", str(path))
        self.shown.clear()
        speak("en")
        memory.recall()
        return language()


@pytest.fixture
def kernels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Kernels]:
    monkeypatch.delenv(VARIABLE, raising=False)
    (tmp_path / "zh").mkdir()
    for page in (LESSON, f"zh/{LESSON}", "mine.ipynb"):
        (tmp_path / page).touch()
    yield Kernels(tmp_path, monkeypatch)
    speak("en")


def test_a_choice_holds_until_it_is_taken_back(kernels: Kernels) -> None:
    assert kernels.begin("mine.ipynb") == "en"
    language("zh")
    assert kernels.begin("mine.ipynb") == "zh" and kernels.shown == []
    assert say("Event") == "事件"
    language("en")
    assert kernels.begin("mine.ipynb") == "en"


def test_an_english_page_with_chinese_panels_says_why_in_both_languages(kernels: Kernels) -> None:
    kernels.begin()
    language("zh")
    kernels.begin()
    (note,) = kernels.shown
    chinese, english, back = note.splitlines()
    assert f"[This page in 中文](zh/{LESSON})" in english and f"[本页的中文版](zh/{LESSON})" in chinese
    assert back.startswith("改回英文 · Back to English: ") and 'language("en")' in back


def test_vs_code_says_in_the_shell_which_page_is_open(kernels: Kernels, monkeypatch: pytest.MonkeyPatch) -> None:
    kernels.begin()
    language("zh")
    for opened, noted in ((LESSON, 1), ("mine.ipynb", 0)):
        shell = SimpleNamespace(user_ns={"__vsc_ipynb_file__": str(kernels.folder / opened)})
        monkeypatch.setattr(memory, "_shell", lambda shell=shell: shell)
        monkeypatch.delenv("JPY_SESSION_NAME", raising=False)
        kernels.shown.clear()
        memory.recall()
        assert len(kernels.shown) == noted


def test_a_chinese_page_is_chinese_and_leaves_the_others_alone(kernels: Kernels) -> None:
    kernels.begin(f"zh/{LESSON}")
    language("zh", remember=False)
    assert language() == "zh" and not (kernels.folder / FILE).exists()
    assert kernels.begin() == "en" and kernels.shown == []


def test_a_choice_in_a_chinese_lesson_holds_in_the_english_ones(kernels: Kernels) -> None:
    kernels.begin(f"zh/{LESSON}")
    language("zh")
    assert kernels.begin() == "zh"
    assert kernels.begin(f"zh/{LESSON}") == "zh" and kernels.shown == []


def test_the_progress_stays_in_the_file(kernels: Kernels) -> None:
    (kernels.folder / FILE).write_text('{"exercises": []}')
    kernels.begin()
    language("zh")
    assert json.loads((kernels.folder / FILE).read_text()) == {"exercises": [], "language": "zh"}


@pytest.mark.parametrize("text", ["", "[]", "{", '{"language": '])
def test_a_damaged_file_is_told_and_left_alone(kernels: Kernels, capsys, text: str) -> None:
    (kernels.folder / FILE).write_text(text)
    assert kernels.begin() == "en"
    assert language("zh") == "zh"
    out = capsys.readouterr().out
    assert f"{FILE} can't be read; delete it" in out and f"{FILE} 无法读取" in out
    assert (kernels.folder / FILE).read_text() == text


@pytest.mark.parametrize("entry", ["xx", 3, None, ["zh"]])
def test_a_language_that_there_is_not_is_told(kernels: Kernels, capsys, entry: object) -> None:
    (kernels.folder / FILE).write_text(json.dumps({"language": entry}))
    assert kernels.begin() == "en"
    assert "there is no language" in capsys.readouterr().out


def test_a_choice_that_cannot_be_saved_is_told(kernels: Kernels, capsys, monkeypatch) -> None:
    monkeypatch.setattr("kschedlab_lab.kept.os.replace", Mock(side_effect=PermissionError))
    kernels.begin()
    assert language("zh") == "zh"
    assert "语言的选择无法保存" in capsys.readouterr().out


def test_nothing_is_remembered_when_it_is_off(kernels: Kernels, monkeypatch) -> None:
    monkeypatch.setenv(VARIABLE, "off")
    kernels.begin()
    language("zh")
    assert not (kernels.folder / FILE).exists() and kernels.begin() == "en"


def test_nothing_is_remembered_outside_of_a_kernel(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv(VARIABLE, raising=False)
    language("zh")
    speak("en")
    assert list(tmp_path.iterdir()) == []


def ran(folder: Path, *cells: str) -> str:
    """What the cells show in a new kernel of Jupyter, as the text of a notebook."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(each) for each in cells])
    client = NotebookClient(notebook, kernel_name="python3", resources={"metadata": {"path": str(folder)}})
    client.execute(env={**os.environ, "PYTHONPATH": str(ROOT), "JPY_SESSION_NAME": str(folder / LESSON)})
    return "\n".join(str(cell.outputs) for cell in notebook.cells)


def test_a_new_kernel_finds_the_choice(kernels: Kernels) -> None:
    choose = ("from kschedlab_lab.language import language", 'language("zh")')
    assert "text/markdown" not in ran(kernels.folder, *choose)
    shown = ran(kernels.folder, "from kschedlab_lab.panels import preemption", "preemption.panel()")
    assert shown.count("text/markdown") == 1 and "规则 3" in shown
