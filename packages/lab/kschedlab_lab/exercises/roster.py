"""The progress of a class: the files that students hand in, as one table with their names."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from pathlib import PurePath
from typing import Any

import msgspec

from kschedlab.messages import later, say, terms
from kschedlab.text.html import Child, Html, element
from kschedlab.text.tables import row, table
from kschedlab.text.words import count
from kschedlab_lab.exercises.exercise import MARKS, State
from kschedlab_lab.exercises.lesson import LESSONS, lesson_named
from kschedlab_lab.exercises.progress import FORMULA, Record, named
from kschedlab_lab.exercises.sheet import title_of
from kschedlab_lab.kept import FILE

LARGEST = 1_000_000
"""Most characters of a file; progress with every exercise of the course takes a tenth of that."""
GREEN = "rgba(0,158,115,0.28)"
TINTS = {MARKS[State.RIGHT]: GREEN, MARKS[State.WRONG]: "rgba(213,94,0,0.18)"}
"""By the mark of a state, the colour behind it."""
BLOCK = "display:block;border-radius:0.4em;padding:0.3em 0.6em;white-space:nowrap;background:"
COLUMNS = Record.__struct_fields__[:-1]
"""Those of a record that the class's own file has."""


class HandedIn(msgspec.Struct):
    """A file of progress: the student's name, if it was given, and the records."""

    student: Any = ""
    exercises: list[Record] = []


class Roster:
    """The progress of a class, from the names and contents of its files.

    ``students``: records by name; ``troubles``: what is wrong with which file.
    """

    def __init__(self, files: Iterable[tuple[str, str]]) -> None:
        self.students: dict[str, list[Record]] = {}
        self.troubles: list[str] = []
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

    def solved(self, lesson: str) -> dict[int, int]:
        """By the number of each exercise that anybody has tried, how many have solved it."""
        tried = [[r for r in records if r.lesson == lesson] for records in self.students.values()]
        right = [{r.number for r in records if r.state is State.RIGHT} for records in tried]
        numbers = sorted({r.number for records in tried for r in records})
        return {number: sum(number in each for each in right) for number in numbers}

    def rows(self, lesson: str) -> list[list[str]]:
        """A head, a row for each student (name, seeds, what became of each exercise, and the sum), and the sums."""
        titles = {r.number: r.title for records in self.students.values() for r in records if r.lesson == lesson}
        solved = self.solved(lesson)
        body = []
        for name in sorted(self.students, key=str.casefold):
            tried = [record for record in self.students[name] if record.lesson == lesson]
            own = {each.number: each for each in sorted(tried, key=lambda each: each.state is State.RIGHT)}
            right = [number for number, record in own.items() if record.state is State.RIGHT]
            seeds = ", ".join(map(str, sorted({record.seed for record in tried})))
            done = say("{solved} of {exercises}", solved=len(right), exercises=len(solved))
            body.append([name, seeds, *(_mark(own.get(number)) for number in solved), done])
        head = [*terms("name", "seed"), *(f"{number}. {titles[number]}" for number in solved), say("solved")]
        sums = (say("{solved} of {exercises}", solved=each, exercises=len(body)) for each in solved.values())
        return [head, *body, [say("solved"), "", *sums, ""]]

    def export(self) -> str:
        """Every record as CSV, with the student's name."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(("name", *COLUMNS))
        for name in sorted(self.students, key=str.casefold):
            for record in map(msgspec.to_builtins, self.students[name]):
                writer.writerow(map(_cell, (name, *(record[column] for column in COLUMNS))))
        return out.getvalue()

    def html(self) -> Html:
        """What is wrong with which file; for each lesson its hardest exercise and a table; what the marks mean."""
        tables = list[Html]()
        for lesson in self.lessons:
            head, *rows, sums = self.rows(lesson)
            solved = [*self.solved(lesson).values()]
            hardest = say("Hardest: {exercise}.", exercise=head[2 + solved.index(min(solved))])
            cells: list[Child] = [
                *sums[:2],
                *(_bar(*each, len(rows)) for each in zip(sums[2:-1], solved, strict=True)),
                "",
            ]
            tables.append(element("p", title_of(lesson), style="margin:0.8em 0 0;"))
            if min(solved) < len(rows):
                tables.append(element("p", hardest, style="margin:0 0 0.4em;font-size:1.6em;font-weight:600;"))
            tables.append(table(head, [row(*cells), *(row(*map(_tinted, each)) for each in rows)]))
        wrong = (element("p", f"⚠ {each}", role="alert") for each in self.troubles)
        said = element("p", self.sentence) if self.students else None
        marks = say(
            "✓ 3 +1: solved at the third try, with one hint · ✗ 2: not yet, after two tries · ○: not tried · "
            "⚠: could not be run · !: the solution was seen"
        )
        return element("div", *wrong, said, *tables, element("p", element("small", marks)) if tables else None)


def _read(file: str, content: str) -> tuple[str, list[Record]]:
    """The student's name and records. ValueError says what is wrong, and where."""
    if len(content) > LARGEST:
        raise ValueError(say("larger than {size:,} bytes", size=LARGEST))
    try:
        found = msgspec.json.decode(content, type=HandedIn)
    except (msgspec.DecodeError, RecursionError) as error:
        place = str(error).partition("`$.")[2].rstrip("`")
        raise ValueError(say("{place} is wrong", place=place) if place else say("can't be read")) from None
    for record in found.exercises:
        lesson_named(record.lesson)
    return named(found.student) or _student_of(file, found.exercises), found.exercises


def _student_of(file: str, records: list[Record]) -> str:
    """Without a name inside: ``handed-in/li-na.json`` and ``li-na/.kschedlab-progress.json`` are li-na."""
    path = PurePath(file.replace("\\", "/"))
    seed = f"seed-{records[0].seed}" if records else "unnamed"
    return path.parent.name or seed if path.name == FILE else path.stem


def _mark(record: Record | None) -> str:
    """The state and the number of tries; +2: two hints; !: the solution was seen."""
    if record is None or record.state is State.UNATTEMPTED and not record.tries:
        return MARKS[State.UNATTEMPTED]
    hints = f" +{record.hints}" if record.hints else ""
    return f"{MARKS[record.state]} {record.tries}{hints}{' !' if record.solution else ''}"


def _tinted(cell: str) -> Child:
    """What became of an exercise, on the colour of its state; any other text as it is."""
    colour = TINTS.get(cell[:1])
    return element("span", cell, style=f"{BLOCK}{colour};") if colour else cell


def _bar(cell: str, solved: int, students: int) -> Html:
    """How many have solved an exercise, in words and as a bar."""
    share = f"{solved / students:.0%}"
    filled = f"linear-gradient(90deg,{GREEN} {share},rgba(128,128,128,0.12) {share})"
    return element("span", element("b", cell), style=f"{BLOCK}{filled};")


def _cell(value: object) -> object:
    """Text that no spreadsheet takes for a formula."""
    return f"'{value}" if isinstance(value, str) and value.startswith(tuple(FORMULA)) else value
