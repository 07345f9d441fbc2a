"""The progress of a class: what students hand in, one table, and what is wrong with which file."""

import csv
import html
import io
import json
from unittest.mock import Mock

import pytest
from msgspec.structs import replace

from kschedlab_lab.exercises import Lesson, Progress, lesson as lessons, roster as rosters
from kschedlab_lab.exercises.desk import ANSWERS, SHEETS, SOLUTIONS, RosterForm, SheetForm, made_up
from kschedlab_lab.exercises.exercise import State
from kschedlab_lab.exercises.predict import Predict
from kschedlab_lab.exercises.preemption import latest_of_earliest
from kschedlab_lab.exercises.progress import Record, handed_in
from kschedlab_lab.exercises.repair import Repair
from kschedlab_lab.exercises.roster import LARGEST, Roster
from kschedlab_lab.kept import FILE
from tests.cells import run_cell


@pytest.fixture(autouse=True)
def _two_exercises(monkeypatch):
    def made(lesson, seed):
        return [Predict(f"Number {n}", "?", str(seed), "So it is.", ("Think.",)) for n in (1, 2)]

    monkeypatch.setattr(lessons, "exercises_of", made)
    monkeypatch.setattr(rosters, "exercises_of", made)


def solved(path, seed, *answers):
    """The progress of a student who gave these answers."""
    progress = Progress(path)
    for number, answer in answers:
        Lesson("queue", seed, progress)[number].check(answer)
    return progress


def roster_of(files):
    """The roster of these files, by name."""
    return Roster(files.items())


def test_thirty_exports_become_one_table(tmp_path):
    exports = {}
    for seed in range(1, 31):
        progress = solved(tmp_path / str(seed) / FILE, seed, (1, str(seed)), (2, "0"))
        exports[f"student-{seed:02}.json"] = progress.export()
    roster = roster_of(exports)
    assert roster.troubles == [] and roster.sentence == "30 students, 30 solved exercises."
    head, *rows, total = roster.rows("queue")
    assert [head[0], head[1], head[4]] == ["name", "seed", "solved"] and len(rows) == 30
    assert head[2] == f"1. {Lesson('queue', 1)[1].title}" and head[3].startswith("2. ")
    assert rows[6] == ["student-07", "7", "✓ 1", "✗ 1", "1 of 2"]
    first = next(iter(roster.students.values()))[0]
    helped = roster_of({"li.json": handed_in([replace(first, hints=2, solution=True)])})
    assert helped.rows("queue")[1][2] == "✓ 1 +2 !"
    assert total == ["solved", "", "30 of 30", "0 of 30", ""]
    assert "student-07" in str(roster.html()) and "<th" in str(roster.html())


def test_progress_files_in_folders_are_named_by_their_folders(tmp_path):
    files = {}
    for name, seed in (("li-na", 1), ("otto", 2)):
        (tmp_path / name).mkdir()
        solved(tmp_path / name / FILE, seed, (1, "1"))
        files[f"class/{name}/{FILE}"] = (tmp_path / name / FILE).read_text(encoding="utf-8")
    assert sorted(roster_of(files).students) == ["li-na", "otto"]


def test_a_lesson_tried_with_two_seeds_counts_what_is_solved(tmp_path):
    progress = solved(tmp_path / FILE, 1, (1, "1"))
    solved(tmp_path / FILE, 9, (1, "no"))
    assert roster_of({"li.json": progress.export()}).rows("queue")[1] == ["li", "1, 9", "✓ 1", "○", "1 of 2"]


TRIED = Record("queue", 1, 1, "Number 1", State.RIGHT, 1)
EXPORT = handed_in([TRIED])
WRONG = {
    "notes.txt": "I did everything!",
    "picture.json": "\ufffdPNG\ufffd",
    "empty.json": "",
    "state.json": EXPORT.replace("right", "great"),
    "number.json": EXPORT.replace('"seed": 1', '"seed": "one"'),
    "lesson.json": EXPORT.replace("queue", "cooking"),
    "list.json": "[]",
    "broken.json": "{",
    "notes.json": "{}",
    "package.json": '{"name": "mine"}',
    "other.json": json.dumps({"exercises": [{"lesson": 1}]}),
    "nothing.json": '{"exercises": 3}',
    "deep.json": '{"student": ' + "[" * 100_000,
    "large.json": EXPORT.ljust(LARGEST + 1),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_file_is_named_with_the_remedy(name):
    roster = roster_of({name: WRONG[name], "li.json": EXPORT})
    assert list(roster.students) == ["li"]
    (trouble,) = roster.troubles
    assert trouble.startswith(f"{name}: ") and "Save my progress" in trouble and FILE in trouble


PLACES = {
    "state.json": "exercises[0].state is wrong",
    "number.json": "exercises[0].seed is wrong",
    "lesson.json": 'there is no lesson "cooking"; there are overview, queue',
    "broken.json": "can't be read",
    "notes.json": "there is no progress in it",
    "package.json": "there is no progress in it",
    "other.json": "exercises[0].lesson is wrong",
    "nothing.json": "exercises is wrong",
    "deep.json": "can't be read",
    "large.json": "larger than 1,000,000 bytes",
}


@pytest.mark.parametrize("name", PLACES)
def test_a_wrong_file_is_named_with_the_place(name):
    (trouble,) = roster_of({name: WRONG[name]}).troubles
    assert trouble.startswith(f"{name}: {PLACES[name]}")


def test_a_file_may_be_large_and_no_larger():
    assert roster_of({"li.json": EXPORT.ljust(LARGEST)}).troubles == []


def test_a_student_who_tried_nothing_stays_in_the_table():
    chose = json.dumps({"language": "zh"})
    roster = roster_of({"li.json": handed_in([]), "otto.json": EXPORT, "wu.json": chose})
    assert roster.troubles == ["li.json: no exercise was tried", "wu.json: no exercise was tried"]
    assert roster.rows("queue")[1] == ["li", "", "○", "○", "0 of 2"]


def test_an_exercise_that_nobody_tried_has_its_column():
    head, *_, sums = roster_of({"li.json": EXPORT}).rows("queue")
    assert head[2:4] == ["1. Number 1", "2. Number 2"] and sums[2:4] == ["1 of 1", "0 of 1"]


def test_two_files_of_one_name_are_kept_apart():
    roster = roster_of({"a/li.json": EXPORT, "b/li.json": EXPORT, "c/li.json": EXPORT})
    assert sorted(roster.students) == ["li", "li (2)", "li (3)"]


def test_names_are_escaped_and_are_no_formulas():
    handed = handed_in([replace(TRIED, answer="=2+2")])
    roster = roster_of({"<b>=1+1.json": handed, "=1+1.json": handed})
    assert "<b>=" not in str(roster.html()) and "&lt;b&gt;=1+1" in str(roster.html())
    rows = [*csv.reader(io.StringIO(roster.export()))]
    head = ["name", "lesson", "seed", "number", "title", "state", "tries", "hints", "solution", "answer", "verdict"]
    tried = ["1", "Number 1", "right", "1", "0", "False", "'=2+2", ""]
    other = ["2", "Number 2", "not tried", "0", "0", "False", "", ""]
    assert rows[0] == head
    assert rows[1:] == [[name, "queue", "1", *each] for name in ("<b>=1+1", "'=1+1") for each in (tried, other)]


def told(form, **message):
    """What the form answers to its front end, or has then merged."""
    said = []
    form.send = said.append
    form._handle_custom_msg(message, [])
    return said[0] if said else form.merged


def test_the_form_of_the_class_takes_files_one_after_the_other():
    form = RosterForm()
    first = form.merged
    assert not first["begun"] and "1 student" in told(form, files={"li.json": EXPORT})["table"]
    for seed, students in ((7, 2), (7, 2), (8, 3)):  # each without a name, and in a file of one name
        handed = {FILE: handed_in([replace(TRIED, seed=seed)])}
        assert f"{students} students" in told(form, files=handed)["table"]
    assert "seed-8" in told(form, files={})["csv"]
    assert form.get_state()["merged"]["begun"]  # what a page that is loaded again shows
    assert told(form, clear=True) == first


def test_a_damaged_file_takes_no_student_away():
    form = RosterForm()
    told(form, files={"li.json": EXPORT})
    again = told(form, files={"li.json": EXPORT[: len(EXPORT) // 2]})["table"]
    assert "1 student" in again and 'role="alert"' in again
    assert 'role="alert"' not in told(form, files={"otto.json": EXPORT})["table"]
    mended = told(form, files={"li.json": EXPORT})["table"]
    assert "2 students" in mended and 'role="alert"' not in mended


def test_the_form_for_sheets_makes_each_document():
    form = SheetForm("queue", "1-2")
    for contents, name in ((SHEETS, "sheets"), (SOLUTIONS, "solutions"), (ANSWERS, "answers")):
        asked = {"lesson": "queue", "seeds": "1-2, 5", "contents": contents, "then": "download", "n": 4}
        reply = told(form, **asked)
        assert (reply["then"], reply["n"]) == ("download", 4)
        assert reply["name"] == f"queue-{name}-1-2+5.html" and reply["document"].startswith("<!doctype html>")
    assert told(form, lesson="queue", seeds="x", contents=SHEETS)["error"].startswith("seeds: ")
    assert "there is no lesson" in told(form, lesson="x", seeds="1", contents=SHEETS)["error"]
    too_many = told(form, lesson="queue", seeds="1-101", contents=SOLUTIONS)["error"]
    assert "101 seeds" in too_many and 'kschedlab sheet queue --seeds "1-101" --solutions > solutions.html' in too_many


@pytest.mark.parametrize(
    ("student", "file"),
    [
        ("Li Na", "li-na.json"),
        ("José Ñ.", "jose-n.json"),
        ("../../etc/passwd", "etc-passwd.json"),
        ("李娜", "seed-7.json"),
    ],
)
def test_what_is_handed_in_is_named_after_the_student(student, file, tmp_path):
    progress = solved(tmp_path / FILE, 7, (1, "7"))
    assert 'download="seed-7.json"' in Lesson("queue", 7, progress).progress()._repr_html_()
    assert f'download="{file}"' in Lesson("queue", 7, progress).progress(student)._repr_html_()
    later = Progress(tmp_path / FILE)
    assert later.student == student and f'download="{file}"' in Lesson("queue", 7, later).progress()._repr_html_()
    for name, content in (("any.json", later.export()), (FILE, (tmp_path / FILE).read_text(encoding="utf-8"))):
        assert roster_of({name: content}).rows("queue")[1][:3] == [student, "7", "✓ 1"]


@pytest.mark.parametrize("student", ["=1+1", "\tx\n y", "<b>" * 40, 3, ["x"]])
def test_a_name_is_one_short_line_and_no_formula(student, tmp_path):
    progress = solved(tmp_path / FILE, 1, (1, "1"))
    progress.sign(student)
    assert 0 < len(progress.student) <= 60 and "\n" not in progress.student and progress.student[0] not in "=\t"
    assert "<b>" not in Lesson("queue", 1, progress).progress()._repr_html_().replace("<b>✓", "")


def test_a_wrong_file_leaves_the_example_where_it_is():
    form = RosterForm()
    example = form.merged["table"]
    shown = told(form, files={"notes.txt": "I did everything!"})
    table = shown["table"]
    assert table.index('role="alert"') < table.index("made up") and table.endswith(example) and shown["begun"]


def test_the_hardest_exercise_is_named_unless_all_are_solved():
    tried = [TRIED, replace(TRIED, number=2, title="Number 2", state=State.WRONG)]
    assert "Hardest: 02 queue, 2. Number 2<" in str(roster_of({"li.json": handed_in(tried)}).html())
    assert "Hardest" not in str(roster_of({"li.json": EXPORT}).html())


def test_the_lesson_of_the_hardest_exercise_is_open_or_else_all_are():
    def opened(state):
        tried = [replace(TRIED, state=state), replace(TRIED, lesson="score")]
        page = str(roster_of({"li.json": handed_in(tried)}).html())
        assert page.count("solved at the third try") == 1
        return ["open" in each.partition(">")[0] for each in page.split("<details")[1:]]

    assert sorted(opened(State.WRONG)) == [False, True] and opened(State.RIGHT) == [True, True]
    nothing = str(roster_of({"li.json": handed_in([])}).html())
    assert "<details" not in nothing and "solved at the third try" not in nothing


def test_only_a_mark_of_what_was_tried_leads_to_an_answer():
    for tries, hints, leads in ((0, 0, 0), (0, 1, 1), (1, 0, 1), (1, 1, 1)):
        handed = handed_in([replace(TRIED, state=State.WRONG, tries=tries, hints=hints)])
        assert str(roster_of({"li.json": handed}).html()).count("data-answer") == leads


def test_every_row_of_the_table_is_as_long_as_its_head():
    page = str(roster_of({"li.json": EXPORT, "wu.json": EXPORT}).html())
    rows = page.partition("<table")[2].split("<tr")[1:]
    assert [each.count("<td") + each.count("<th ") + each.count("<th>") for each in rows] == [5] * 4


def test_a_lesson_s_summary_names_five_who_are_stuck():
    def summary(number):
        wrong = handed_in([replace(TRIED, state=State.WRONG)])
        page = str(roster_of({f"s{each}.json": wrong for each in range(number)}).html())
        return page.partition("<summary>")[2].partition("</summary>")[0]

    assert summary(5).endswith(" · 0 of 10 solved · stuck: s0, s1, s2, s3, s4")
    assert summary(6).endswith(" · 0 of 12 solved · stuck: s0, s1, s2, s3, s4 and 1 more")


def test_a_record_without_counts_has_no_tries_and_no_help():
    record = {"lesson": "queue", "seed": 1, "number": 1, "title": "Number 1"}
    for state, mark in (({"state": "right"}, "✓ 0"), ({}, "○")):
        roster = roster_of({"li.json": json.dumps({"exercises": [record | state]})})
        assert roster.rows("queue")[1] == ["li", "1", mark, "○", "1 of 2" if state else "0 of 2"]


def test_a_name_of_sixty_letters_is_whole():
    for letters, kept in ((60, 60), (61, 60)):
        assert list(roster_of({"x.json": handed_in([TRIED], "n" * letters)}).students) == ["n" * kept]


def test_who_has_not_tried_is_not_stuck():
    files = {f"{name}.json": handed_in([replace(TRIED, state=state, tries=0)]) for name, state in STUCK.items()}
    roster = roster_of(files)
    assert roster.stuck("queue")[1] == ["li", "otto"] and "Tried and not solved: li, otto." in str(roster.html())


STUCK = {"li": State.WRONG, "mei": State.UNATTEMPTED, "otto": State.ERROR, "sam": State.RIGHT}


def test_a_mark_leads_to_the_answer_and_what_is_wrong_with_it(tmp_path):
    form = RosterForm()
    wrong = replace(TRIED, lesson="preemption", state=State.WRONG, answer="node-b", hints=1)
    place = json.dumps(["李娜", "preemption", 1], ensure_ascii=False)
    shown = told(form, files={"any.json": handed_in([wrong], "李娜")})["table"]
    assert html.escape(place) in shown
    reply = told(form, show=place)
    assert reply["of"] == place and "node-b" in reply["answer"] and "Hint 1 of 1" in reply["answer"]


def no_better(starts):
    return "<b>node-b"


def test_code_is_handed_in_with_its_verdict_and_never_run_again(monkeypatch, tmp_path):
    for module in (lessons, rosters):
        monkeypatch.setattr(module, "exercises_of", lambda _, seed: [latest_of_earliest(seed)])
    mended = solved(tmp_path / FILE, 3, (1, no_better))
    again = Lesson("queue", 3, Progress(tmp_path / FILE))[1]
    again.hint()  # in the next session, before the cell was run
    monkeypatch.setattr(Repair, "judge", Mock(side_effect=AssertionError("code of a student was run")))
    shown = str(roster_of({"li.json": mended.export()}).answer("li", "queue", 1))
    assert "return &quot;&lt;b&gt;node-b&quot;" in shown and "Case 1 goes wrong." in shown
    assert "expected: &#x27;node-" in shown and "<b>node-b" not in shown


def test_long_code_is_handed_in_in_part(tmp_path, monkeypatch):
    monkeypatch.setattr(lessons, "exercises_of", lambda _, seed: [latest_of_earliest(seed)])
    long = run_cell(f"def mine(starts):\n    return '{'x' * 99_999}'")["mine"]
    (record,) = solved(tmp_path / FILE, 3, (1, long)).records()
    assert 0 < len(record.answer) < 10_000 and 0 < len(record.verdict) < 10_000


def test_a_file_without_an_answer_says_so():
    roster = roster_of({"li.json": handed_in([replace(TRIED, state=State.WRONG)])})
    assert "No answer was handed in." in str(roster.answer("li", "queue", 1))


@pytest.mark.parametrize("number", [0, 9])
def test_a_record_of_no_exercise_is_no_error(number):
    roster = roster_of({"li.json": handed_in([replace(TRIED, number=number)])})
    assert "There is no such exercise." in str(roster.answer("li", "queue", number))


def test_two_students_may_hand_in_files_of_one_name(tmp_path):
    form, shown = RosterForm(), ""
    for student in ("李娜", "王芳", "王芳"):
        progress = solved(tmp_path / f"{student}.json", 1, (1, "1"))
        progress.sign(student)
        shown = told(form, files={"seed-1.json": progress.export()})["table"]
    assert "2 students" in shown and "李娜" in shown and "王芳" in shown


def test_a_made_up_class_is_read_as_one_that_hands_in():
    roster = Roster(made_up())
    assert roster.troubles == [] and len(roster.students) == 6
    marks = {cell[0] for each in roster.rows("preemption")[1:-1] for cell in each[2:4]}
    assert marks >= {"✓", "✗"} and [*made_up()] == [*made_up()]
