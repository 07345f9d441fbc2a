"""The progress of a class: the files that students hand in, as one table with their names."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator
from pathlib import PurePath
from typing import Any

import msgspec

from kschedlab.messages import later, listed, say, terms
from kschedlab.text.html import Child, Html, element, join
from kschedlab.text.tables import row, table
from kschedlab.text.words import count, listing
from kschedlab_lab.exercises.exercise import MARKS, State, lines
from kschedlab_lab.exercises.lesson import LESSONS, exercises_of, lesson_named
from kschedlab_lab.exercises.progress import FORMULA, Record, named
from kschedlab_lab.exercises.sheet import in_print, title_of
from kschedlab_lab.kept import FILE

LARGEST = 1_000_000
"""Most characters of a file; progress with every exercise of the course takes a tenth of that."""
GREEN = "rgba(0,158,115,0.28)"
RED = "rgba(213,94,0,0.18)"
TINTS = {State.RIGHT: GREEN, State.WRONG: RED, State.ERROR: RED, State.UNATTEMPTED: "none"}
"""By a state, the colour behind its mark."""
FEW = 5
"""How many students who are stuck a lesson's summary names."""
BLOCK = "display:block;border-radius:0.4em;padding:0.3em 0.6em;white-space:nowrap;background:"


class HandedIn(msgspec.Struct):
    """A file of progress: the student's name, the records and the language, each if it was given."""

    student: Any = None
    exercises: list[Record] | None = None
    language: Any = None


class Roster:
    """The progress of a class, from the names and contents of its files.

    ``students``: records by name; ``troubles``: what is wrong with which file.
    """

    def __init__(self, files: Iterable[tuple[str, str]]) -> None:
        self.students: dict[str, list[Record]] = {}
        self.troubles: list[str] = []
        self._titles: dict[str, dict[int, str]] = {}
        for name, content in files:
            self._add(name, content)

    def _add(self, file: str, content: str) -> None:
        try:
            student, records = _read(file, content)
        except ValueError as error:
            message = later("{file}: {reason}; hand in what “Save my progress” has saved, or the file {progress_file}")
            self.troubles.append(say(message, file=file, reason=error, progress_file=FILE))
            return
        if not records:
            self.troubles.append(say("{file}: no exercise was tried", file=file))
        name, number = student, 1
        while name in self.students:
            number += 1
            name = f"{student} ({number})"
        self.students[name] = records

    @property
    def lessons(self) -> list[str]:
        """The lessons that anybody has tried, in their order."""
        tried = {record.lesson for records in self.students.values() for record in records}
        return [lesson for lesson in LESSONS if lesson in tried]

    @property
    def sentence(self) -> str:
        """How much was read."""
        solved = sum(record.state is State.RIGHT for records in self.students.values() for record in records)
        students, exercises = count(len(self.students), "student"), count(solved, "solved exercise")
        return say("{students}, {exercises}.", students=students, exercises=exercises)

    def titles(self, lesson: str) -> dict[int, str]:
        """By the number of each exercise of the lesson, tried or not, its title."""
        if lesson not in self._titles:
            self._titles[lesson] = {n: each.title for n, each in enumerate(exercises_of(lesson, 1), 1)}
        return self._titles[lesson]

    def solved(self, lesson: str) -> dict[int, int]:
        """By the number of each exercise, how many have solved it."""
        own = [self._own(student, lesson) for student in self.students]
        return {n: sum(n in each and each[n].state is State.RIGHT for each in own) for n in self.titles(lesson)}

    def stuck(self, lesson: str) -> dict[int, list[str]]:
        """By the number of each exercise, who has tried it and not solved it."""
        own = {name: self._own(name, lesson) for name in self._names}
        return {n: [name for name in own if n in own[name] and _is_stuck(own[name][n])] for n in self.solved(lesson)}

    def rows(self, lesson: str) -> list[list[str]]:
        """A head, a row for each student (name, seeds, what became of each exercise, and the sum), and the sums."""
        solved = self.solved(lesson)
        body = []
        for name in self._names:
            own = self._own(name, lesson)
            right = [number for number in solved if number in own and own[number].state is State.RIGHT]
            seeds = ", ".join(map(str, sorted({each.seed for each in self.students[name] if each.lesson == lesson})))
            done = say("{solved} of {exercises}", solved=len(right), exercises=len(solved))
            body.append([name, seeds, *(_mark(own.get(number)) for number in solved), done])
        titles = (f"{number}. {title}" for number, title in self.titles(lesson).items())
        head = [*terms("name", "seed"), *titles, say("solved")]
        sums = (say("{solved} of {exercises}", solved=each, exercises=len(body)) for each in solved.values())
        return [head, *body, [say("solved"), "", *sums, ""]]

    def answer(self, student: str, lesson: str, number: int) -> Html:
        """What this student was asked; beside it the last answer, and what is wrong with it."""
        record = self._own(student, lesson)[number]
        try:
            exercise = dict(enumerate(exercises_of(lesson, record.seed), 1))[number]
        except (ValueError, KeyError):
            return element("p", say("There is no such exercise."), role="alert")
        exercise.resume(record.state, record.tries, record.hints, record.solution, record.answer, record.verdict)
        given: Child = lines(record.answer) if "\n" in record.answer else record.answer
        said = [element("p", element("b", say("Last answer"))), element("p", given or say("No answer was handed in."))]
        title = element("p", element("b", exercise.title))
        asked = element("div", title, *exercise.paragraphs(), exercise.instance.common, in_print(exercise))
        answered = element("div", *said, *(each.html() for each in exercise.replies()))
        return element("div", asked, answered, class_=f"ks-by-{exercise.answered_by}")

    def export(self) -> str:
        """Every record as CSV, with the student's name; and each exercise of these lessons that was not tried."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(("name", *Record.__struct_fields__))
        for name in self._names:
            records = [*self.students[name], *self._untried(name)]
            for record in sorted(records, key=lambda each: (each.lesson, each.seed, each.number)):
                writer.writerow(map(_cell, (name, *msgspec.to_builtins(record).values())))
        return out.getvalue()

    def html(self) -> Html:
        """What is wrong with which file; the hardest exercise; a table for each lesson; what the marks mean."""
        wrong = (element("p", f"⚠ {each}", role="alert") for each in self.troubles)
        if not self.students:
            return element("div", *wrong)
        marks = say(
            "✓ 3 +1: solved at the third try, with one hint · ✗ 2: not yet, after two tries · ○: not tried · "
            "⚠: could not be run · !: the solution was seen"
        )
        stuck = {(lesson, n): names for lesson in self.lessons for n, names in self.stuck(lesson).items()}
        first, most = max(stuck.items(), key=lambda each: len(each[1]), default=(("", 0), []))
        hardest = [self._hardest(*first, most)] if most else []
        tables = [self._table(lesson, is_open=not most or lesson == first[0]) for lesson in self.lessons]
        noted = element("p", element("small", marks)) if tables else None
        return element("div", *wrong, element("p", self.sentence), *hardest, noted, *tables)

    @property
    def _names(self) -> list[str]:
        return sorted(self.students, key=str.casefold)

    def _own(self, student: str, lesson: str) -> dict[int, Record]:
        """By its number, a student's record of each exercise of the lesson; of two seeds the one that is solved."""
        tried = [record for record in self.students[student] if record.lesson == lesson]
        return {each.number: each for each in sorted(tried, key=lambda each: each.state is State.RIGHT)}

    def _untried(self, student: str) -> Iterator[Record]:
        """A record of each exercise that this student has left out in a lesson that was begun."""
        for lesson in self.lessons:
            own = self._own(student, lesson)
            seed = next((each.seed for each in own.values()), None)
            if seed is not None:
                yield from (Record(lesson, seed, n, title) for n, title in self.titles(lesson).items() if n not in own)

    def _hardest(self, lesson: str, number: int, names: list[str]) -> Html:
        """The exercise at which most are stuck, and who they are."""
        exercise = f"{number}. {self.titles(lesson)[number]}"
        said = say("Hardest: {lesson}, {exercise}", lesson=title_of(lesson), exercise=exercise)
        who = say("Tried and not solved: {names}.", names=listed(names))
        head = element("p", said, style="font-size:1.6em;font-weight:600;line-height:1.25;margin:0.5em 0 0.1em;")
        return join([head, element("p", who, style="margin-bottom:0.8em;")])

    def _table(self, lesson: str, is_open: bool) -> Html:
        """A lesson's table, folded; its summary says how much is solved, and who is stuck."""
        head, *rows, sums = self.rows(lesson)
        solved, students = self.solved(lesson), len(self.students)
        body = [row(*sums[:2], *(_bar(*each, students) for each in zip(sums[2:-1], solved.values(), strict=True)), "")]
        for name, seeds, *marks, of_all in rows:
            own = self._own(name, lesson)
            cells = (_tinted(mark, name, lesson, n, own.get(n)) for n, mark in zip(solved, marks, strict=True))
            body.append(row(name, seeds, *cells, of_all))
        done = say("{solved} of {exercises} solved", solved=sum(solved.values()), exercises=len(solved) * students)
        stuck = {name for names in self.stuck(lesson).values() for name in names}
        who = say(" · stuck: {names}", names=listing(sorted(stuck, key=str.casefold), FEW)) if stuck else ""
        summary = element("summary", element("b", title_of(lesson)), f" · {done}{who}")
        return element("details", summary, table(head, body), open="" if is_open else None)


def _read(file: str, content: str) -> tuple[str, list[Record]]:
    """The student's name and records. ValueError says what is wrong, and where."""
    if len(content) > LARGEST:
        raise ValueError(say("larger than {size:,} bytes", size=LARGEST))
    try:
        found = msgspec.json.decode(content, type=HandedIn)
    except (msgspec.DecodeError, RecursionError) as error:
        place = str(error).partition("`$.")[2].rstrip("`")
        raise ValueError(say("{place} is wrong", place=place) if place else say("can't be read")) from None
    if found == HandedIn():
        raise ValueError(say("there is no progress in it"))
    records = found.exercises or []
    for record in records:
        lesson_named(record.lesson)
    return named(found.student) or _student_of(file, records), records


def _student_of(file: str, records: list[Record]) -> str:
    """Without a name inside: ``handed-in/li-na.json`` and ``li-na/.kschedlab-progress.json`` are li-na."""
    path = PurePath(file.replace("\\", "/"))
    seed = f"seed-{records[0].seed}" if records else "unnamed"
    return path.parent.name or seed if path.name == FILE else path.stem


def _is_stuck(record: Record) -> bool:
    """Whether it was answered, and never right."""
    return record.state not in (State.RIGHT, State.UNATTEMPTED)


def _mark(record: Record | None) -> str:
    """The state and the number of tries; +2: two hints; !: the solution was seen."""
    if record is None or record.state is State.UNATTEMPTED and not record.tries:
        return MARKS[State.UNATTEMPTED]
    hints = f" +{record.hints}" if record.hints else ""
    return f"{MARKS[record.state]} {record.tries}{hints}{' !' if record.solution else ''}"


def _tinted(mark: str, student: str, lesson: str, number: int, record: Record | None) -> Html:
    """What became of an exercise, on the colour of its state; by ``data-answer`` the front end asks for more."""
    tint = TINTS[record.state if record else State.UNATTEMPTED]
    is_tried = record is not None and record.tries + record.hints
    of = json.dumps([student, lesson, number], ensure_ascii=False) if is_tried else None
    return element("span", mark, style=f"{BLOCK}{tint};", data_answer=of)


def _bar(cell: str, solved: int, students: int) -> Html:
    """How many have solved an exercise, in words and as a bar."""
    share = f"{solved / students:.0%}"
    filled = f"linear-gradient(90deg,{GREEN} {share},rgba(128,128,128,0.12) {share})"
    return element("span", element("b", cell), style=f"{BLOCK}{filled};")


def _cell(value: object) -> object:
    """Text that no spreadsheet takes for a formula."""
    return f"'{value}" if isinstance(value, str) and value.startswith(tuple(FORMULA)) else value
