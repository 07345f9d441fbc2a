"""The map of the course: every lesson is on it, with what its notebook says of itself."""

import re
from pathlib import Path

import pytest

from kschedlab.lab.panels.contents import BY_NUMBER, LESSONS, Contents, Lesson, Settings, course, panel, show

NOTEBOOKS = Path(__file__).parents[3] / "notebooks"


each_lesson = pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.file)


def test_every_lesson_is_on_the_map() -> None:
    beside = {"00-contents.ipynb", "08-teacher.ipynb"}
    assert {path.name for path in NOTEBOOKS.glob("*.ipynb")} - beside == {lesson.file for lesson in LESSONS}


@each_lesson
def test_the_map_says_what_the_notebook_says(lesson: Lesson) -> None:
    text = (NOTEBOOKS / lesson.file).read_text(encoding="utf-8")
    assert f"You need about {lesson.minutes} minutes." in text
    assert [term for term in lesson.terms if term not in text] == []
    assert not lesson.document or re.search(rf"[Dd]ocument `?{lesson.document}(\b|_)", text)


@each_lesson
def test_a_class_takes_as_long_as_the_teachers_page_says(lesson: Lesson) -> None:
    page = (NOTEBOOKS.parent / "docs" / "teaching.md").read_text(encoding="utf-8")
    section = page.partition(f"\n## {lesson.number} · ")[2]
    assert re.findall(r"### Plan: (\d+) minutes", section)[0] == str(lesson.in_class)


def test_lessons_build_on_earlier_ones_and_their_order_is_their_numbers() -> None:
    numbers = [lesson.number for lesson in LESSONS]
    assert numbers == sorted(numbers)
    assert all(before < lesson.number for lesson in LESSONS for before in lesson.after)


def test_every_lesson_has_a_link() -> None:
    table = Contents()._repr_html_()
    for lesson in LESSONS:
        assert f'<a href="{lesson.file}">{lesson.title}</a>' in table and lesson.title in repr(Contents())
        assert f'<a href="{lesson.file}">' in str(show(Settings(lesson.title)).table)


@pytest.mark.parametrize("settings", list(Settings.grid()), ids=str)
def test_every_place_on_the_map(settings: Settings) -> None:
    view, lesson = show(settings), BY_NUMBER[settings.lesson[:2]]
    assert view.sentence == f"{lesson.title} asks: {lesson.question}"
    box = re.search(rf'data-key="box/{lesson.number}".*?(?=data-key="box|$)', str(view.picture), re.DOTALL)
    assert box is not None and "▶" not in str(view.picture).replace(box[0], "") and view.sentence in view.text
    for number in lesson.after:
        assert BY_NUMBER[number].title in str(view.table)
    assert lesson.follows in view.text and f"{lesson.title} (here)" in view.text


def test_the_ways_that_lead_to_a_lesson_are_lit() -> None:
    lit = {(edge.source, edge.target) for edge in course("06").edges if edge.lit}
    assert lit == {("01", "02"), ("02", "03"), ("02", "05"), ("03", "06"), ("05", "06")}
    assert not any(edge.lit for edge in course("01").edges) and not any(edge.lit for edge in course().edges)


def test_the_panel_walks() -> None:
    moved = panel().move(lesson="03 score")
    assert moved.settings == panel(lesson="03 score").settings
    assert moved.view is not None and moved.view.sentence.startswith("03 score asks:")


def test_the_table_says_the_same_in_text() -> None:
    lines = repr(Contents()).splitlines()
    assert len(lines) == len(LESSONS) + 1 and lines[5].split()[:5] == ["05", "preemption", "40", "000", "v1.20"]
