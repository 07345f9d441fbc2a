"""The map of the course: every lesson is on it, and only those that are there have a link."""

from pathlib import Path

import pytest

from kschedlab.panels.contents import BY_NUMBER, COMING, LESSONS, Contents, Settings, course, panel, show

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"


@pytest.fixture
def two_lessons(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in ("02", "07"):
        (tmp_path / BY_NUMBER[number].file).touch()
    monkeypatch.chdir(tmp_path)


def test_every_notebook_is_on_the_map() -> None:
    there = {path.name for path in NOTEBOOKS.glob("*.ipynb")} - {"00-contents.ipynb"}
    assert there <= {lesson.file for lesson in LESSONS}
    assert [lesson.file for lesson in LESSONS][-1] == "07-your-cluster.ipynb"


def test_lessons_build_on_earlier_ones_and_their_order_is_their_numbers() -> None:
    numbers = [lesson.number for lesson in LESSONS]
    assert numbers == sorted(numbers)
    assert all(before < lesson.number for lesson in LESSONS for before in lesson.after)


@pytest.mark.usefixtures("two_lessons")
def test_only_lessons_that_are_there_have_a_link() -> None:
    table = Contents()._repr_html_()
    assert table.count("<a href=") == 2 and '<a href="07-your-cluster.ipynb">07 your cluster</a>' in table
    assert table.count(COMING) == len(LESSONS) - 2
    assert '<a href="02-queue.ipynb">' in str(show(Settings("02 queue")).table)
    assert "<a" not in str(show(Settings("05 preemption")).table)


@pytest.mark.parametrize("settings", list(Settings.grid()), ids=str)
@pytest.mark.usefixtures("two_lessons")
def test_every_place_on_the_map(settings: Settings) -> None:
    view, lesson = show(settings), BY_NUMBER[settings.lesson[:2]]
    assert view.sentence == f"{lesson.title} asks: {lesson.question}"
    assert f"▶\u00a0{lesson.title}" in str(view.picture) and view.sentence in view.text
    for number in lesson.after:
        assert BY_NUMBER[number].title in str(view.table)
    assert lesson.document in view.text and f"{lesson.title} (here)" in view.text


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
    assert len(lines) == len(LESSONS) + 1 and lines[5].split()[:4] == ["05", "preemption", "000", "v1.20"]
