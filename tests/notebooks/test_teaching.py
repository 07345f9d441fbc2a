"""The teacher's page keeps to the notebooks: a section for each lesson, an answer for each question, and its code runs.

Code in a section is run as a teacher would run it: in a new cell at the end of the lesson's notebook.
"""

import doctest
import re
from pathlib import Path
from textwrap import dedent
from typing import Any

import nbformat
import pytest

from kschedlab.lab.panels.contents import LESSONS, Lesson
from kschedlab.program.main import main
from tools.refresh import NOTEBOOKS

PAGE = NOTEBOOKS.parent / "docs" / "teaching.md"
TEXT = PAGE.read_text(encoding="utf-8")
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
CODE = re.compile(r"^ *```python\n(.*?)^ *```", re.DOTALL | re.MULTILINE)
QUESTION = re.compile(r"^(\d+)\. ", re.MULTILINE)
each_lesson = pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.file)


def part(text: str, heading: str) -> str:
    """What stands below the heading, up to the next one of its rank or a higher one."""
    rank = heading.index(" ")
    found = re.search(rf"^{re.escape(heading)}.*?\n(.*?)(?=^#{{1,{rank}}} |\Z)", text, re.DOTALL | re.MULTILINE)
    assert found is not None, f"there is no {heading}"
    return found[1]


def section(lesson: Lesson) -> str:
    """What the page says of a lesson."""
    return part(TEXT, f"## {lesson.number} · ")


def cells(lesson: Lesson, kind: str) -> list[str]:
    """The sources of a notebook's cells."""
    notebook = nbformat.read(NOTEBOOKS / lesson.file, as_version=4)
    return [cell.source for cell in notebook.cells if cell.cell_type == kind]


@each_lesson
def test_every_question_of_try_it_has_its_answer(lesson: Lesson) -> None:
    asked = QUESTION.findall(part("\n\n".join(cells(lesson, "markdown")), "## Try it"))
    assert len(asked) >= 3
    assert QUESTION.findall(part(section(lesson), "### The key of “Try it”")) == asked


@each_lesson
def test_the_plan_adds_up(lesson: Lesson) -> None:
    found = re.search(r"^### Plan: (\d+) minutes$", section(lesson), re.MULTILINE)
    assert found is not None
    steps = re.findall(r"^\| (\d+) \|", part(section(lesson), "### Plan"), re.MULTILINE)
    assert sum(map(int, steps)) == int(found[1])


@each_lesson
def test_the_code_gives_what_the_page_says(lesson: Lesson, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KSCHEDLAB_PROGRESS", "off")
    monkeypatch.chdir(NOTEBOOKS)
    names: dict[str, Any] = {}
    for source in cells(lesson, "code"):
        exec(compile(source, lesson.file, "exec"), names)
    runner = doctest.DocTestRunner(verbose=False, optionflags=FLAGS)
    said: list[str] = []
    for number, code in enumerate(CODE.findall(section(lesson)), 1):
        test = doctest.DocTestParser().get_doctest(dedent(code), names, f"{lesson.number}.{number}", str(PAGE), 0)
        runner.run(test, out=said.append, clear_globs=False)
        names.update(test.globs)
    assert runner.tries and not runner.failures, "".join(said)


def test_the_commands_of_the_page_run(capsys: pytest.CaptureFixture[str]) -> None:
    commands = re.findall(r"^ +kschedlab (sheet [^>#|\n]+)", TEXT, re.MULTILINE)
    assert len(commands) >= 3
    for command in commands:
        assert main(command.split()) == 0
        assert capsys.readouterr().out


def test_every_file_named_exists() -> None:
    named = re.findall(r"\]\(([^)#:]+)\)", TEXT)
    assert named and [each for each in named if not (PAGE.parent / Path(each)).exists()] == []
