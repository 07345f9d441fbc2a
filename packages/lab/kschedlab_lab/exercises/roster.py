"""The progress of a class: the files that students hand in, as one table with their names."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Mapping
from pathlib import PurePath
from typing import Any

import msgspec

from kschedlab.messages import later, say, terms
from kschedlab.text.html import Child, Html, element
from kschedlab.text.tables import row, table
from kschedlab.text.words import count
from kschedlab_lab.exercises.exercise import MARKS, State
from kschedlab_lab.exercises.lesson import LESSONS, lesson_named
from kschedlab_lab.exercises.pages import title_of
from kschedlab_lab.exercises.progress import ENTRY, EXPORTED, FORMULA, STUDENT, Record, as_csv, named
from kschedlab_lab.kept import FILE

LARGEST = 1_000_000
"""Most characters of a file; progress with every exercise of the course takes a tenth of that."""
TINTS = {MARKS[State.RIGHT]: "rgba(0,158,115,0.22)", MARKS[State.WRONG]: "rgba(213,94,0,0.16)"}
"""By the mark of a state, the colour behind it."""


class WrongError(ValueError):
    """A file that cannot be read: the place and what is wrong there."""


class Roster:
    """The progress of a class. ``students``: records by name; ``troubles``: what is wrong with which file."""

    def __init__(self, files: Mapping[str, str]) -> None:
        self.students: dict[str, list[Record]] = {}
        self.troubles: list[str] = []
        for name, content in files.items():
            self._add(name, content)

    def _add(self, file: str, content: str) -> None:
        if len(content) > LARGEST:
            self._refuse(file, say("larger than {size:,} bytes", size=LARGEST))
            return
        try:
            records = _records(content)
        except (ValueError, RecursionError, csv.Error) as error:
            self._refuse(file, str(error) if isinstance(error, WrongError) else say("can't be read"))
            return
        if not any(records.values()):
            self.troubles.append(say("{file}: no exercise was tried", file=file))
        for signed, own in records.items():
            known = name = signed or student_of(file)
            number = 1
            while name in self.students:
                number += 1
                name = f"{known} ({number})"
            self.students[name] = own

    def _refuse(self, file: str, reason: str) -> None:
        message = later("{file}: {reason}; hand in what “Save my progress” has saved, or the file {progress_file}")
        self.troubles.append(say(message, file=file, reason=reason, progress_file=FILE))

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

    def rows(self, lesson: str) -> list[list[str]]:
        """A head, a row for each student (name, seeds, what became of each exercise, and the sum), and the sums."""
        titles = {r.number: r.title for records in self.students.values() for r in records if r.lesson == lesson}
        numbers, solved = sorted(titles), Counter[int]()
        body = []
        for name in sorted(self.students, key=str.casefold):
            tried = [record for record in self.students[name] if record.lesson == lesson]
            own = {each.number: each for each in sorted(tried, key=lambda each: each.state is State.RIGHT)}
            right = [number for number, record in own.items() if record.state is State.RIGHT]
            solved.update(right)
            seeds = ", ".join(map(str, sorted({record.seed for record in tried})))
            done = say("{solved} of {exercises}", solved=len(right), exercises=len(numbers))
            body.append([name, seeds, *(_mark(own.get(number)) for number in numbers), done])
        head = [*terms("name", "seed"), *(f"{number}. {titles[number]}" for number in numbers), say("solved")]
        sums = (say("{solved} of {exercises}", solved=solved[number], exercises=len(body)) for number in numbers)
        return [head, *body, [say("solved"), "", *sums, ""]]

    def export(self) -> str:
        """Every record as CSV, with the student's name."""
        rows = (
            {key: _cell(value) for key, value in {"name": name, **msgspec.to_builtins(record)}.items()}
            for name in sorted(self.students, key=str.casefold)
            for record in self.students[name]
        )
        return as_csv(("name", *EXPORTED), rows)

    def html(self) -> Html:
        """A table for each lesson, and what is wrong with which file."""
        tables = list[Html]()
        for lesson in self.lessons:
            head, *rows = self.rows(lesson)
            title = element("p", element("b", title_of(lesson)))
            tables += [title, table(head, (row(*map(_tinted, each)) for each in rows))]
        wrong = (element("p", f"⚠ {each}", role="alert") for each in self.troubles)
        said = element("p", self.sentence) if self.students else None
        return element("div", said, *tables, *wrong)


def student_of(file: str) -> str:
    """``handed-in/li-na.csv``: li-na; ``li-na/.kschedlab-progress.json``: li-na, too."""
    path = PurePath(file.replace("\\", "/"))
    return path.parent.name or "unnamed" if path.name == FILE else path.stem


def _records(content: str) -> dict[str, list[Record]]:
    """By the name in it ("": none), the records of an export or of a progress file. WrongError with the place if it is
    neither."""
    text = content.removeprefix("\ufeff").strip()
    if text.startswith("{"):
        entries = json.loads(text)
        given = entries.get(
            ENTRY, [] if entries.keys() & {"language", STUDENT} else None
        )  # a choice, but no answer yet
        if not isinstance(given, list):
            raise WrongError(say('it has no list "exercises"'))
        places = (say("exercise {number}", number=number) for number in range(1, len(given) + 1))
        return {named(entries.get(STUDENT)): [*map(_record, places, given)]}
    first = text.partition("\n")[0]
    reader = csv.DictReader(io.StringIO(text), delimiter=";" if first.count(";") > first.count(",") else ",")
    if not set(EXPORTED) <= set(reader.fieldnames or ()):
        raise WrongError(say("this is not a progress file"))
    found: dict[str, list[Record]] = {}
    for each in reader:
        record = _record(
            say("line {number}", number=reader.line_num), {key: (each[key] or "").strip() for key in EXPORTED}
        )
        found.setdefault(named(each.get("name")), []).append(record)
    return found or {"": []}


def _record(place: str, given: Mapping[str, Any]) -> Record:
    """The record of what is given there. WrongError names the place and what is wrong in it."""
    try:
        record = msgspec.convert(given, Record, strict=False)
        lesson_named(record.lesson)
        return record
    except msgspec.ValidationError as error:
        what = say("not as exported")
        if field := str(error).partition("`$.")[2].rstrip("`"):
            what = say('{field} is "{value}"', field=field, value=str(given[field])[:40])
        raise WrongError(say("{place}: {what}", place=place, what=what)) from None
    except ValueError as error:
        raise WrongError(say("{place}: {what}", place=place, what=error)) from None


def _mark(record: Record | None) -> str:
    """The state and the number of tries; +2: two hints; !: the solution was seen."""
    if record is None or record.state is State.UNATTEMPTED and not record.tries:
        return MARKS[State.UNATTEMPTED]
    hints = f" +{record.hints}" if record.hints else ""
    return f"{MARKS[record.state]} {record.tries}{hints}{' !' if record.solution else ''}"


def _tinted(cell: str) -> Child:
    """What became of an exercise, on the colour of its state; any other text as it is."""
    colour = TINTS.get(cell[:1])
    look = "border-radius:0.6em;padding:0.1em 0.5em;white-space:nowrap;background-color:"
    return element("span", cell, style=f"{look}{colour};") if colour else cell


def _cell(value: object) -> object:
    """Text that no spreadsheet takes for a formula."""
    return f"'{value}" if isinstance(value, str) and value.startswith(tuple(FORMULA)) else value
