"""The progress of a class: what students hand in, one table, and what is wrong with which file."""

import csv
import io
import json

import msgspec
import pytest
from msgspec.structs import replace

from kschedlab_lab.exercises import Lesson, Progress, lesson as lessons
from kschedlab_lab.exercises.desk import ANSWERS, SHEETS, SOLUTIONS, RosterForm, SheetForm
from kschedlab_lab.exercises.made_up import made_up
from kschedlab_lab.exercises.predict import Predict
from kschedlab_lab.exercises.progress import EXPORTED, Record
from kschedlab_lab.exercises.roster import LARGEST, Roster
from kschedlab_lab.kept import FILE


@pytest.fixture(autouse=True)
def _two_exercises(monkeypatch):
    def made(lesson, seed):
        return [Predict(f"Number {n}", "?", str(seed), "So it is.", ("Think.",)) for n in (1, 2)]

    monkeypatch.setattr(lessons, "exercises_of", made)


def solved(path, seed, *answers):
    """The progress of a student who gave these answers."""
    progress = Progress(path)
    for number, answer in answers:
        Lesson("queue", seed, progress)[number].check(answer)
    return progress


def progress_with(record: Record) -> str:
    """An export with this record alone."""
    out = io.StringIO()
    writer = csv.DictWriter(out, EXPORTED, extrasaction="ignore")
    writer.writeheader()
    writer.writerow(msgspec.to_builtins(record))
    return out.getvalue()


def test_thirty_exports_become_one_table(tmp_path):
    exports = {}
    for seed in range(1, 31):
        progress = solved(tmp_path / str(seed) / FILE, seed, (1, str(seed)), (2, "0"))
        exports[f"student-{seed:02}.csv"] = progress.export()
    roster = Roster(exports)
    assert roster.troubles == [] and roster.sentence == "30 students, 30 solved exercises."
    head, *rows, total = roster.rows("queue")
    assert [head[0], head[1], head[4]] == ["name", "seed", "solved"] and len(rows) == 30
    assert head[2] == f"1. {Lesson('queue', 1)[1].title}" and head[3].startswith("2. ")
    assert rows[6] == ["student-07", "7", "✓ 1", "✗ 1", "1 of 2"]
    first = next(iter(roster.students.values()))[0]
    helped = Roster({"li.csv": progress_with(replace(first, hints=2, solution=True))})
    assert helped.rows("queue")[1][2] == "✓ 1 +2 !"
    assert total == ["solved", "", "30 of 30", "0 of 30", ""]
    assert "student-07" in str(roster.html()) and "<th" in str(roster.html())


def test_progress_files_in_folders_are_named_by_their_folders(tmp_path):
    files = {}
    for name, seed in (("li-na", 1), ("otto", 2)):
        (tmp_path / name).mkdir()
        solved(tmp_path / name / FILE, seed, (1, "1"))
        files[f"class/{name}/{FILE}"] = (tmp_path / name / FILE).read_text(encoding="utf-8")
    assert sorted(Roster(files).students) == ["li-na", "otto"]


def test_a_lesson_tried_with_two_seeds_counts_what_is_solved(tmp_path):
    progress = solved(tmp_path / FILE, 1, (1, "1"))
    solved(tmp_path / FILE, 9, (1, "no"))
    assert Roster({"li.csv": progress.export()}).rows("queue")[1] == ["li", "1, 9", "✓ 1", "1 of 1"]


EXPORT = "lesson,seed,number,title,state,tries,hints,solution\nqueue,1,1,Number 1,right,1,0,False\n"


@pytest.mark.parametrize("content", [EXPORT, "\ufeff" + EXPORT, EXPORT.replace(",", ";")])
def test_spreadsheets_may_have_saved_it_again(content):
    assert Roster({"li.csv": content}).rows("queue")[1] == ["li", "1", "✓ 1", "1 of 1"]


WRONG = {
    "notes.txt": "I did everything!",
    "picture.csv": "\ufffdPNG\ufffd",
    "empty.csv": "",
    "state.csv": EXPORT.replace("right", "great"),
    "number.csv": EXPORT.replace(",1,1,", ",one,1,"),
    "lesson.csv": EXPORT.replace("queue", "cooking"),
    "list.json": "[]",
    "broken.json": "{",
    "other.json": json.dumps({"exercises": [{"lesson": 1}]}),
    "deep.json": '{"exercises": ' + "[" * 100_000,
    "large.csv": "x" * (LARGEST + 1),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_file_is_named_with_the_remedy(name):
    roster = Roster({name: WRONG[name], "li.csv": EXPORT})
    assert list(roster.students) == ["li"]
    (trouble,) = roster.troubles
    assert trouble.startswith(f"{name}: ") and "Save my progress" in trouble and FILE in trouble


PLACES = {
    "state.csv": 'line 2: state is "great"',
    "number.csv": 'line 2: seed is "one"',
    "lesson.csv": 'line 2: there is no lesson "cooking"; there are overview, queue',
    "short.csv": 'line 3: seed is ""',
    "broken.json": "can't be read",
    "other.json": 'exercise 1: lesson is "1"',
    "state.json": 'exercise 1: state is "x"',
    "nothing.json": 'it has no list "exercises"',
}
MORE = {
    "short.csv": EXPORT + "queue\n",
    "nothing.json": '{"exercises": 3}',
    "state.json": json.dumps({"exercises": [{"lesson": "queue", "seed": 1, "number": 1, "title": "", "state": "x"}]}),
}


@pytest.mark.parametrize("name", PLACES)
def test_a_wrong_file_is_named_with_the_place(name):
    (trouble,) = Roster({name: {**WRONG, **MORE}[name]}).troubles
    assert trouble.startswith(f"{name}: {PLACES[name]}")


def test_a_student_who_tried_nothing_stays_in_the_table():
    chose = json.dumps({"language": "zh"})
    roster = Roster({"li.csv": EXPORT.splitlines()[0] + "\n", "otto.csv": EXPORT, "wu.json": chose})
    assert roster.troubles == ["li.csv: no exercise was tried", "wu.json: no exercise was tried"]
    assert roster.rows("queue")[1] == ["li", "", "○", "0 of 1"]


def test_two_files_of_one_name_are_kept_apart():
    roster = Roster({"a/li.csv": EXPORT, "b/li.csv": EXPORT})
    assert sorted(roster.students) == ["li", "li (2)"]


def test_names_are_escaped_and_are_no_formulas():
    roster = Roster({"<b>=1+1.csv": EXPORT, "=1+1.csv": EXPORT})
    assert "<b>=" not in str(roster.html()) and "&lt;b&gt;=1+1" in str(roster.html())
    names = [row["name"] for row in csv.DictReader(io.StringIO(roster.export()))]
    assert names == ["<b>=1+1", "'=1+1"]


def told(form, **message):
    """What the form answers to its front end."""
    said = []
    form.send = said.append
    form._handle_custom_msg(message, [])
    return said[0]


def test_the_form_of_the_class_takes_files_one_after_the_other():
    form = RosterForm()
    assert "1 student" in told(form, files={"li.csv": EXPORT})["table"]
    twice = {FILE: json.dumps({"exercises": []})}
    assert "2 students" in told(form, files=twice)["table"] and "2 students" in told(form, files=twice)["table"]
    other = {FILE: json.dumps({"exercises": [], "x": 1})}
    assert "3 students" in told(form, files=other)["table"]
    assert told(form, files={})["csv"].startswith("name,lesson,seed")
    assert told(form, clear=True) == {"table": form.form["table"], "csv": ""}


def test_a_damaged_file_takes_no_student_away():
    form = RosterForm()
    told(form, files={"li.csv": EXPORT})
    again = told(form, files={"li.csv": EXPORT[: len(EXPORT) // 2] + "\0,"})["table"]
    assert "1 student" in again and 'role="alert"' in again
    assert "1 student" in told(form, files={"li.csv": EXPORT})["table"]


def test_the_form_for_sheets_makes_each_document():
    form = SheetForm("queue", "1-2")
    for contents, name in ((SHEETS, "sheets"), (SOLUTIONS, "solutions"), (ANSWERS, "answers")):
        asked = {"lesson": "queue", "seeds": "1-2, 5", "contents": contents, "then": "download", "n": 4}
        for ready in (1, 2):
            assert told(form, **asked) == {"ready": ready, "all": 3, "then": "download", "n": 4}
        reply = told(form, **asked)
        assert (reply["then"], reply["n"]) == ("download", 4)
        assert reply["name"] == f"queue-{name}-1-2+5.html" and reply["document"].startswith("<!doctype html>")
    assert told(form, lesson="queue", seeds="x", contents=SHEETS)["error"].startswith("seeds: ")
    assert "there is no lesson" in told(form, lesson="x", seeds="1", contents=SHEETS)["error"]


def test_what_is_drawn_already_is_not_drawn_again():
    form = SheetForm("queue", "1-2")
    for number in (1, 2):
        assert ("document" in told(form, lesson="queue", seeds="1-2", contents=SHEETS)) == (number == 2)
    assert "document" in told(form, lesson="queue", seeds="2-3", contents=SHEETS)
    assert told(form, lesson="queue", seeds="2-4", contents=SOLUTIONS)["ready"] == 1


@pytest.mark.parametrize(
    ("student", "file"),
    [("Li Na", "li-na.csv"), ("José Ñ.", "jose-n.csv"), ("../../etc/passwd", "etc-passwd.csv"), ("李娜", "seed-7.csv")],
)
def test_what_is_handed_in_is_named_after_the_student(student, file, tmp_path):
    progress = solved(tmp_path / FILE, 7, (1, "7"))
    assert 'download="seed-7.csv"' in Lesson("queue", 7, progress).progress()._repr_html_()
    assert f'download="{file}"' in Lesson("queue", 7, progress).progress(student)._repr_html_()
    later = Progress(tmp_path / FILE)
    assert later.student == student and f'download="{file}"' in Lesson("queue", 7, later).progress()._repr_html_()
    for name, content in (("any.csv", later.export()), (FILE, (tmp_path / FILE).read_text(encoding="utf-8"))):
        assert Roster({name: content}).rows("queue")[1][:3] == [student, "7", "✓ 1"]


@pytest.mark.parametrize("student", ["=1+1", "\tx\n y", "<b>" * 40, 3, ["x"]])
def test_a_name_is_one_short_line_and_no_formula(student, tmp_path):
    progress = solved(tmp_path / FILE, 1, (1, "1"))
    progress.sign(student)
    assert 0 < len(progress.student) <= 60 and "\n" not in progress.student and progress.student[0] not in "=\t"
    assert "<b>" not in Lesson("queue", 1, progress).progress()._repr_html_().replace("<b>✓", "")


def test_two_students_may_hand_in_files_of_one_name(tmp_path):
    form, shown = RosterForm(), ""
    for student in ("李娜", "王芳", "王芳"):
        progress = solved(tmp_path / f"{student}.json", 1, (1, "1"))
        progress.sign(student)
        shown = told(form, files={"seed-1.csv": progress.export()})["table"]
    assert "2 students" in shown and "李娜" in shown and "王芳" in shown


def test_the_class_s_own_file_can_be_read_again(tmp_path):
    one = Roster({"li.csv": EXPORT, "otto.csv": EXPORT})
    assert Roster({"class.csv": one.export()}).rows("queue") == one.rows("queue")


def test_a_made_up_class_is_read_as_one_that_hands_in():
    roster = Roster(made_up("queue"))
    assert roster.troubles == [] and len(roster.students) == 6
    marks = {cell[0] for each in roster.rows("queue")[1:-1] for cell in each[2:4]}
    assert marks >= {"✓", "✗"} and made_up("queue", seed=2) != made_up("queue") == made_up("queue")
