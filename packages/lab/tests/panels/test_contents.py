"""The map of the course: every lesson is on it, with what its notebook says of itself."""

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from kschedlab_lab.exercises.exercise import State
from kschedlab_lab.exercises.lesson import exercises_of
from kschedlab_lab.exercises.progress import Record, handed_in
from kschedlab_lab.panels.contents import (
    BY_NUMBER,
    LESSONS,
    LINK,
    CourseLesson,
    Settings,
    course,
    panel,
    show,
)
from kschedlab_lab.views.course import CARD, draw_course
from kschedlab_lab.views.svg import Room
from packages.lab.tests.grids import each_of

NOTEBOOKS = Path(__file__).parents[4] / "notebooks"


each_lesson = pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.file)


def test_every_lesson_is_on_the_map() -> None:
    beside = {"00-contents.ipynb", "08-teacher.ipynb"}
    assert {path.name for path in NOTEBOOKS.glob("*.ipynb")} - beside == {lesson.file for lesson in LESSONS}


@each_lesson
def test_the_map_says_what_the_notebook_says(lesson: CourseLesson) -> None:
    text = (NOTEBOOKS / lesson.file).read_text(encoding="utf-8")
    assert f"You need about {lesson.minutes} minutes." in text
    assert [term for term in lesson.terms if term not in text] == []
    assert lesson.article in text


@each_lesson
def test_a_class_takes_as_long_as_the_teachers_page_says(lesson: CourseLesson) -> None:
    page = (NOTEBOOKS.parent / "docs" / "teaching.md").read_text(encoding="utf-8")
    section = page.partition(f"\n## {lesson.number} · ")[2]
    assert re.findall(r"### Plan: (\d+) minutes", section)[0] == str(lesson.in_class)


@each_lesson
def test_the_map_counts_the_exercises_that_a_lesson_has(lesson: CourseLesson) -> None:
    assert len(exercises_of(lesson.name.replace(" ", "-"), seed=1)) == lesson.exercises


def test_an_exercise_that_was_solved_is_full_on_the_map(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = tmp_path / "progress.json"
    monkeypatch.setenv("KSCHEDLAB_PROGRESS", str(kept))
    records = [
        Record("map_reduce", 1, 1, "", State.RIGHT),
        Record("map_reduce", 2, 1, "", State.RIGHT),
        Record("map_reduce", 1, 2, "", State.WRONG),
        Record("devices", 1, 2, "", State.RIGHT),
    ]
    kept.write_text(handed_in(records), encoding="utf-8")
    drawn = str(show(Settings()).picture(Room()))
    assert {card.number: card.solved for card in course("01") if card.solved[0]} == {"04": (1, 2), "10": (1, 2)}
    assert drawn.count("1 of 2 exercises solved") == 2 and drawn.count("0 of 3 exercises solved") == 6


def test_lessons_build_on_earlier_ones_and_their_order_is_their_numbers() -> None:
    numbers = [lesson.number for lesson in LESSONS]
    assert numbers == sorted(numbers)
    assert all(before < lesson.number for lesson in LESSONS for before in lesson.after)


def test_every_lesson_has_a_link() -> None:
    for lesson in LESSONS:
        assert f'<a href="{lesson.file}" style="{LINK}">' in str(show(Settings(lesson.title)).table)


@pytest.mark.parametrize("settings", list(each_of(Settings)), ids=str)
def test_every_place_on_the_map(settings: Settings) -> None:
    view, lesson = show(settings), BY_NUMBER[settings.lesson[:2]]
    assert view.sentence == f"{lesson.title}: {lesson.question} {lesson.acts}" and view.sentence in view.text
    assert callable(view.picture)
    for number in lesson.after:
        assert BY_NUMBER[number].title in view.text and BY_NUMBER[number].title in str(view.picture(Room()))
    assert lesson.follows in view.text


@pytest.mark.parametrize("room", [Room(280, 400), Room(400, 400), Room(550, 330), Room(), Room(1200, 500)], ids=str)
def test_the_map_is_a_card_for_each_lesson_and_an_arrow_for_each_way(room: Room) -> None:
    drawing = ElementTree.fromstring(str(draw_course(course("06"), "the course", room)))
    cards = {each.get("data-key", ""): each for each in drawing.iter() if each.get("data-key")}
    assert set(cards) == {f"lesson/{lesson.number}" for lesson in LESSONS}
    for lesson in LESSONS:
        assert cards[f"lesson/{lesson.number}"].get("data-set") == f"lesson: {lesson.title}"
    spots = [tuple(map(float, re.findall(r"[\d.]+", each.get("transform", "")))) for each in cards.values()]
    wide = min(CARD[0], room.width / 2 - 12)
    assert all(x >= 0 and x + wide <= room.width for x, _ in spots)
    assert all(abs(a[0] - b[0]) >= wide or abs(a[1] - b[1]) >= CARD[1] for a in spots for b in spots if a != b)
    thick = [each for each in drawing.iter() if each.get("stroke-width") == "3" and each.tag.endswith("path")]
    assert len(thick) == 5  # 01-02, 02-03, 02-05, 03-06, 05-06


def test_the_ways_that_lead_to_a_lesson_are_lit() -> None:
    assert {card.number for card in course("06") if card.lit} == {"01", "02", "03", "05"}
    assert [card.number for card in course("06") if card.here] == ["06"]
    assert not any(card.lit for card in course("01"))


def test_the_panel_walks() -> None:
    moved = panel().move(lesson="03 score")
    assert moved.settings == panel(lesson="03 score").settings
    assert moved.view.sentence.startswith("03 score: ")
