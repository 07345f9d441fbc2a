"""Progress is kept beside the notebooks, whatever is the matter with the file."""

import json
import subprocess
import sys
from unittest.mock import Mock

import pytest

from kschedlab_lab.exercises import lesson as lessons
from kschedlab_lab.exercises.exercise import State
from kschedlab_lab.exercises.lesson import Lesson
from kschedlab_lab.exercises.predict import Predict
from kschedlab_lab.exercises.progress import Progress, handed_in
from kschedlab_lab.kept import FILE


@pytest.fixture(autouse=True)
def _two_exercises(monkeypatch):
    def made(lesson, seed):
        return [Predict(f"Number {n}", "?", str(seed), "So it is.", ("Think.",)) for n in (1, 2)]

    monkeypatch.setattr(lessons, "exercises_of", made)


def test_what_is_solved_is_still_solved_in_the_next_session(tmp_path):
    first = Lesson("queue", 3, Progress(tmp_path / FILE))
    first[2].check("4")
    first[2].hint()
    first[2].check("3")
    later = Lesson("queue", 3, Progress(tmp_path / FILE)).progress()
    assert later.sentence == "1 of 2 solved."
    assert repr(later).splitlines()[1] == "✓ 2. Number 2: right, 2 tries, 1 hints"


def test_an_exercise_goes_on_where_it_was(tmp_path):
    first = Lesson("queue", 3, Progress(tmp_path / FILE))
    first[2].hint()
    first[2].check("4")
    again = Lesson("queue", 3, Progress(tmp_path / FILE))[2]
    assert (again.state, again.tries, again.hints_seen, again.given) == (State.WRONG, 1, 1, "4")
    assert [type(each) for each in again.replies()] == [type(each) for each in first[2].replies()]


def test_a_name_in_chinese_can_be_read_in_what_is_handed_in():
    assert '"student": "李娜"' in handed_in([], "李娜")


def test_the_answer_that_was_right_is_kept_whatever_is_tried_later(tmp_path):
    lesson = Lesson("queue", 3, Progress(tmp_path / FILE))
    lesson[2].check("3")
    lesson[2].check("4")
    assert [(r.state, r.answer) for r in Progress(tmp_path / FILE).records()] == [(State.RIGHT, "3")]


def test_a_summary_that_is_shown_follows_what_is_solved(tmp_path, monkeypatch):
    shown = []
    monkeypatch.setattr(lessons, "show", lambda _: "display")
    monkeypatch.setattr(
        lessons, "show_again", lambda name, output: shown.append((name, output["text/plain"].splitlines()[-1]))
    )
    lesson = Lesson("queue", 3, Progress(tmp_path / FILE))
    lesson.progress()._ipython_display_()
    lesson[2].check("4")
    lesson[2].check("3")
    assert shown == [("display", "0 of 2 solved."), ("display", "1 of 2 solved.")]


def test_another_seed_is_another_exercise(tmp_path):
    Lesson("queue", 3, Progress(tmp_path / FILE))[1].check("3")
    assert Lesson("queue", 4, Progress(tmp_path / FILE)).progress().solved == 0


def test_two_notebooks_write_the_same_file(tmp_path):
    one, two = (Lesson(name, 1, Progress(tmp_path / FILE)) for name in ("queue", "score"))
    one[1].check("1")
    two[1].check("1")
    one[2].check("1")
    assert [(r.lesson, r.number) for r in Progress(tmp_path / FILE).records()] == [
        ("queue", 1),
        ("queue", 2),
        ("score", 1),
    ]


def test_a_student_hands_in_what_the_file_has(tmp_path):
    lesson = Lesson("queue", 3, Progress(tmp_path / FILE))
    lesson[1].check("3")
    assert json.loads(lesson.kept.export()) == {"student": "", **json.loads((tmp_path / FILE).read_text())}


@pytest.mark.parametrize("text", ["", "{", "[]", '{"exercises": 3}', '{"exercises": [{"lesson": 1}]}', "[" * 100_000])
def test_a_damaged_file_is_told_and_left_alone(tmp_path, text):
    (tmp_path / FILE).write_text(text)
    lesson = Lesson("queue", 3, Progress(tmp_path / FILE))
    lesson[1].check("3")
    assert "can't be read" in lesson.progress().trouble
    assert (tmp_path / FILE).read_text() == text


def test_a_name_for_a_damaged_file_is_not_written(tmp_path):
    (tmp_path / FILE).write_text("{")
    progress = Progress(tmp_path / FILE)
    progress.sign("Li")
    assert "can't be read" in progress.trouble and (tmp_path / FILE).read_text() == "{"


def test_a_file_that_cannot_be_written_is_told(tmp_path):
    lesson = Lesson("queue", 3, Progress(tmp_path / "nowhere" / FILE))
    lesson[1].check("3")
    assert lesson.progress().solved == 1
    assert "can't be written" in repr(lesson.progress())


def test_what_was_deleted_because_it_was_damaged_is_begun_anew(tmp_path):
    (tmp_path / FILE).write_text("{")
    lesson = Lesson("queue", 3, Progress(tmp_path / FILE))
    lesson[1].check("3")
    (tmp_path / FILE).unlink()
    lesson[2].check("3")
    assert lesson.progress().trouble == "" and lesson.progress().solved == 2
    assert len(Progress(tmp_path / FILE).records()) == 2


def test_a_folder_that_became_read_only_forgets_nothing_now_or_later(tmp_path, monkeypatch):
    lesson = Lesson("queue", 3, Progress(tmp_path / FILE))
    lesson[1].check("3")
    with monkeypatch.context() as patched:
        patched.setattr("kschedlab_lab.kept.os.replace", Mock(side_effect=PermissionError))
        lesson[2].check("3")
        assert lesson.progress().solved == 2 and "can't be written" in lesson.progress().trouble
    lesson[2].check("3")
    assert lesson.progress().trouble == "" and len(Progress(tmp_path / FILE).records()) == 2


def test_nothing_is_kept_when_it_is_off(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("KSCHEDLAB_PROGRESS", "off")
    Lesson("queue", 3)[1].check("3")
    assert list(tmp_path.iterdir()) == []


def test_the_file_lies_beside_the_notebook(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("KSCHEDLAB_PROGRESS", raising=False)
    Lesson("queue", 3)[1].check("3")
    assert json.loads((tmp_path / FILE).read_text())["exercises"][0]["state"] == "right"


def test_exercises_are_numbered_from_one():
    lesson = Lesson("queue", 3, Progress(None))
    assert [each.title for each in lesson] == ["Number 1", "Number 2"]
    for number in (0, 3):
        with pytest.raises(IndexError, match="1 to 2"):
            lesson[number]


WRITER = """
import sys
from unittest.mock import Mock
import subprocess
import sys
from unittest.mock import Mock
from pathlib import Path
from kschedlab_lab.kept import Kept
for number in range(100):
    Kept(Path(sys.argv[1])).write(**{f"{sys.argv[2]}-{number}": number})
"""


def test_two_kernels_that_write_at_once_lose_nothing(tmp_path):
    command = [sys.executable, "-c", WRITER, str(tmp_path / FILE)]
    writers = [subprocess.Popen([*command, name]) for name in ("one", "two")]
    assert [writer.wait(60) for writer in writers] == [0, 0]
    assert len(json.loads((tmp_path / FILE).read_text())) == 200
    assert [path.name for path in tmp_path.iterdir()] == [FILE]


def test_a_notebook_shows_the_table_and_the_trouble(tmp_path):
    (tmp_path / FILE).write_text("{")
    lesson = Lesson("queue", 3, Progress(tmp_path / FILE))
    lesson[2].check("3")
    shown = lesson.progress()._repr_html_()
    assert shown.count("<tr>") == 3 and "2. Number 2" in shown and "✓" in shown
    assert lesson.progress().sentence in shown and 'role="alert"' in shown and "can&#x27;t be read" in shown
