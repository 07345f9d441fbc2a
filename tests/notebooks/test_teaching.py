"""The teachers' guides keep to the notebooks: a section for each lesson, an answer for each question, code that runs.

Code in a section is run as a teacher would run it: in a new cell at the end of the lesson's notebook. The Chinese
guide goes with the Chinese notebooks; before a release it is in step with the English one.
"""

import doctest
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise, product
from pathlib import Path
from textwrap import dedent
from typing import Any

import nbformat
import pytest

from kschedlab.program.main import main
from kschedlab_lab.language import ENGLISH, language
from kschedlab_lab.panels.contents import LESSONS, CourseLesson
from tests.notebooks.in_step import LANGUAGE, code, numbers, shape
from tests.notebooks.test_saved import SAMPLE
from tools.refresh import NOTEBOOKS

DOCS = NOTEBOOKS.parent / "docs"
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
CODE = re.compile(r"^ *```python\n(.*?)^ *```", re.DOTALL | re.MULTILINE)
COMMAND = re.compile(r"^ +kschedlab (sheet [^#|\n]+)", re.MULTILINE)
QUESTION = re.compile(r"^(\d+)\. ", re.MULTILINE)
BESIDE = re.compile(r"^\*\*(?:Try it|动手试试)(?:[,，] ?(\d+))?[.。]\*\*", re.MULTILINE)
"""A question of “Try it” where its picture is; a single one has no number."""
HEADING = re.compile(r"^(?=#{1,3} )", re.MULTILINE)


@dataclass(frozen=True)
class Guide:
    """The guide of a language, its notebooks, and the headings that are looked for: ``asked``, ``key``, ``plan``."""

    language: str
    page: Path
    notebooks: Path
    asked: str
    key: str
    plan: str
    minutes: str

    @property
    def text(self) -> str:
        return self.page.read_text(encoding="utf-8")

    def section(self, lesson: CourseLesson) -> str:
        """What the guide says of a lesson."""
        return part(self.text, f"## {lesson.number} · ")

    def cells(self, lesson: CourseLesson, kind: str) -> list[str]:
        """The sources of a notebook's cells."""
        notebook = nbformat.read(self.notebooks / lesson.file, as_version=4)
        return [cell.source for cell in notebook.cells if cell.cell_type == kind]


ENGLISH_GUIDE = Guide(
    language=ENGLISH,
    page=DOCS / "teaching.md",
    notebooks=NOTEBOOKS,
    asked="## Try it",
    key="### The key of “Try it”",
    plan="### Plan",
    minutes=r"^### Plan: (\d+) minutes$",
)
CHINESE_GUIDE = Guide(
    language="zh",
    page=DOCS / "zh" / "teaching.md",
    notebooks=NOTEBOOKS / "zh",
    asked="## 动手试试",
    key="### “动手试试”的答案",
    plan="### 教案",
    minutes=r"^### 教案：(\d+) 分钟$",
)
GUIDES = (ENGLISH_GUIDE, CHINESE_GUIDE)
each_guide = pytest.mark.parametrize("guide", GUIDES, ids=lambda guide: guide.language)


def sections(*marks: pytest.MarkDecorator) -> pytest.MarkDecorator:
    """Each lesson of each guide; ``marks``: of the Chinese ones, but for the sample."""
    each = [
        pytest.param(guide, lesson, marks=() if guide is ENGLISH_GUIDE or lesson.file == SAMPLE else marks)
        for guide, lesson in product(GUIDES, LESSONS)
    ]
    return pytest.mark.parametrize(
        ("guide", "lesson"), each, ids=lambda each: each.file if isinstance(each, CourseLesson) else each.language
    )


each_section = sections(pytest.mark.release)


def part(text: str, heading: str) -> str:
    """What stands below the heading, up to the next one of its rank or a higher one."""
    rank = heading.index(" ")
    found = re.search(rf"^{re.escape(heading)}.*?\n(.*?)(?=^#{{1,{rank}}} |\Z)", text, re.DOTALL | re.MULTILINE)
    assert found is not None, f"there is no {heading}"
    return found[1]


@pytest.fixture
def as_before() -> Iterator[None]:
    """A Chinese notebook speaks Chinese from its first cell on."""
    yield
    language(ENGLISH)


@each_section
def test_every_question_of_try_it_has_its_answer(guide: Guide, lesson: CourseLesson) -> None:
    text = "\n\n".join(guide.cells(lesson, "markdown"))
    asked = [number or "1" for number in BESIDE.findall(text)] or QUESTION.findall(part(text, guide.asked))
    assert asked
    assert QUESTION.findall(part(guide.section(lesson), guide.key)) == asked


@each_section
def test_the_plan_adds_up(guide: Guide, lesson: CourseLesson) -> None:
    found = re.search(guide.minutes, guide.section(lesson), re.MULTILINE)
    assert found is not None and int(found[1]) == lesson.in_class
    steps = re.findall(r"^\| (\d+) \|", part(guide.section(lesson), guide.plan), re.MULTILINE)
    assert sum(map(int, steps)) == lesson.in_class


class Wrapped(doctest.OutputChecker):
    """Lets a line end after a Chinese mark, as an English one may end at a space."""

    MARK = re.compile(r"(?<=[，。：；、）])\s*")

    def check_output(self, want: str, got: str, optionflags: int) -> bool:
        return super().check_output(self.MARK.sub(" ", want), self.MARK.sub(" ", got), optionflags)


@sections(pytest.mark.nightly)
def test_the_code_gives_what_the_page_says(
    guide: Guide, lesson: CourseLesson, monkeypatch: pytest.MonkeyPatch, as_before: None
) -> None:
    monkeypatch.setenv("KSCHEDLAB_PROGRESS", "off")
    monkeypatch.chdir(guide.notebooks)
    names: dict[str, Any] = {}
    for source in guide.cells(lesson, "code"):
        exec(compile(source, lesson.file, "exec"), names)
    assert language() == guide.language
    runner = doctest.DocTestRunner(checker=Wrapped(), verbose=False, optionflags=FLAGS)
    said: list[str] = []
    for number, block in enumerate(CODE.findall(guide.section(lesson)), 1):
        test = doctest.DocTestParser().get_doctest(
            dedent(block), names, f"{lesson.number}.{number}", str(guide.page), 0
        )
        runner.run(test, out=said.append, clear_globs=False)
        names.update(test.globs)
    assert runner.tries and not runner.failures, "".join(said)


@pytest.mark.parametrize("guide", [GUIDES[0], pytest.param(GUIDES[1], marks=pytest.mark.nightly)], ids=("en", "zh"))
def test_the_commands_of_the_page_run(guide: Guide, capsys: pytest.CaptureFixture[str]) -> None:
    commands = [command.partition(">")[0] for command in COMMAND.findall(guide.text)]
    assert len(commands) >= 3
    for command in commands:
        assert main(command.replace("1-30", "1-3").split()) == 0  # thirty students take long
        assert capsys.readouterr().out


@each_guide
def test_every_file_named_exists(guide: Guide) -> None:
    named = re.findall(r"\]\(([^)#:]+)", guide.text)
    assert named and [each for each in named if not (guide.page.parent / each).exists()] == []


def parts(guide: Guide) -> list[str]:
    """The guide by its headings, down to the third rank."""
    return HEADING.split(guide.text)[1:]


@pytest.mark.release
def test_both_guides_have_the_same_shape() -> None:
    english, other = map(parts, GUIDES)
    assert len(english) == len(other)
    different = [
        (two.splitlines()[0], key, value, shape(two)[key])
        for one, two in zip(english, other, strict=True)
        for key, value in shape(one).items()
        if value != shape(two)[key]
    ]
    assert different == []


@pytest.mark.release
def test_both_guides_have_the_same_paragraphs_questions_and_mistakes() -> None:
    def blocks(text: str) -> list[str]:
        """How each paragraph, item and block begins."""
        lines = re.sub(r"^ *```python\n.*?^ *```", "", text, flags=re.DOTALL | re.MULTILINE).split("\n")
        begins = (line for before, line in pairwise(["", *lines]) if line and not before or line[:2] == "- ")
        return [match[0] if (match := re.match(r"- |\d+\. |\| |#+ |\*\*|\*| {4}", line)) else "" for line in begins]

    assert [*map(blocks, parts(ENGLISH_GUIDE))] == [*map(blocks, parts(CHINESE_GUIDE))]


@pytest.mark.release
def test_both_guides_have_the_same_numbers() -> None:
    different = {
        two.splitlines()[0]: (numbers(one) - numbers(two), numbers(two) - numbers(one))
        for one, two in zip(*map(parts, GUIDES), strict=True)
        if set(numbers(one)) != set(numbers(two))
    }
    assert different == {}


@pytest.mark.release
def test_both_guides_have_the_same_code_but_for_its_texts() -> None:
    def examples(guide: Guide) -> list[str]:
        blocks = map(dedent, CODE.findall(guide.text))
        return [each.source for block in blocks for each in doctest.DocTestParser().get_examples(block)]

    english, other = map(examples, GUIDES)
    assert len(english) == len(other)
    assert [two for one, two in zip(english, other, strict=True) if len({*code(one, two)}) != 1] == []


@pytest.mark.release
def test_both_guides_have_the_same_commands() -> None:
    english, other = ([LANGUAGE.sub("", each).strip() for each in COMMAND.findall(guide.text)] for guide in GUIDES)
    assert english == other
    assert all("--language zh" in each for each in COMMAND.findall(CHINESE_GUIDE.text)[:-1])
