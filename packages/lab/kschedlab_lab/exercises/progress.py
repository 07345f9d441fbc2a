"""A student's progress: an entry of the file beside the notebooks."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from unicodedata import normalize

import msgspec
from msgspec.structs import replace

from kschedlab.messages import later, say
from kschedlab_lab.exercises.exercise import Exercise, State
from kschedlab_lab.kept import DamagedError, Kept
from kschedlab_lab.language import LANGUAGES

ENTRY, STUDENT = "exercises", "student"
LONGEST = 60
"""Most letters of a student's name."""
FORMULA = "=+-@\t\r"
"""How what a spreadsheet would compute begins."""


class Record(msgspec.Struct, frozen=True):
    """The progress with one exercise. ``seed``: its instance; ``answer``: the last; ``verdict``: on code."""

    lesson: str
    seed: int
    number: int
    title: str
    state: State = State.UNATTEMPTED
    tries: int = 0
    hints: int = 0
    solution: bool = False
    answer: str = ""
    verdict: str = ""


class Progress:
    """Records of exercises, in a JSON file. ``path``: None keeps them in memory only.

    ``trouble``: a sentence if the file can't be read or written; the notebook then keeps everything in memory, and a
    damaged file stays untouched.
    """

    def __init__(self, path: Path | None) -> None:
        self.trouble = ""
        self._file = Kept(path)
        self._kept: dict[tuple[str, int, int], Record] = {}
        self._damaged = self._unsaved = False
        self._student = ""

    @classmethod
    def usual(cls) -> Progress:
        """The file in this folder, or the one that the environment variable names."""
        return cls(Kept.usual(LANGUAGES).path)

    def of(self, lesson: str, seed: int, number: int) -> Record | None:
        self._read()
        return self._kept.get((lesson, seed, number))

    def keep(self, lesson: str, seed: int, number: int, exercise: Exercise) -> None:
        """Record the progress with the exercise; a right answer stays, whatever is tried later."""
        self._read()
        before = self._kept.get((lesson, seed, number))
        now = Record(
            lesson,
            seed,
            number,
            exercise.title,
            exercise.state,
            exercise.tries,
            exercise.hints_seen,
            exercise.solution_seen,
            exercise.given,
            exercise.verdict,
        )
        if before is not None and before.state is State.RIGHT:
            now = replace(now, state=before.state, answer=before.answer, verdict=before.verdict)
        self._kept[lesson, seed, number] = now
        self._write(**{ENTRY: msgspec.to_builtins([self._kept[key] for key in sorted(self._kept)])})

    def records(self) -> list[Record]:
        """All records, in the order of lesson, seed and number."""
        self._read()
        return [self._kept[key] for key in sorted(self._kept)]

    def export(self) -> str:
        """What a student hands in: the same as the file."""
        return handed_in(self.records(), self.student)

    @property
    def student(self) -> str:
        """The student's name, "" before it was given."""
        try:
            return self._student or named(self._file.read().get(STUDENT))
        except DamagedError:
            return ""

    def sign(self, student: str) -> None:
        """Keep the student's name beside the records."""
        self._student = named(student)
        self._write(**{STUDENT: self._student})

    def _read(self) -> None:
        if self._unsaved:  # what could not be written is in memory only
            return
        try:
            found = msgspec.convert(self._file.read().get(ENTRY, []), list[Record])
        except (DamagedError, msgspec.ValidationError):
            self._refuse()
            return
        self._damaged, self.trouble = False, ""
        if found:
            self._kept = {(record.lesson, record.seed, record.number): record for record in found}

    def _write(self, **entries: Any) -> None:
        if self._damaged:
            return
        try:
            self._file.write(**entries)
        except DamagedError:
            self._refuse()
        except OSError as error:
            self._unsaved = True
            message = later("{name} can't be written ({error}); progress is kept for now only.")
            self.trouble = say(message, name=self._file.name, error=error.strerror)
        else:
            self._unsaved, self.trouble = False, ""

    def _refuse(self) -> None:
        self._damaged, self._unsaved = True, False
        message = later("{name} can't be read; delete it to start again. Nothing is saved until then.")
        self.trouble = say(message, name=self._file.name)


def named(student: object) -> str:
    """A student's name as it was typed, in one short line that no spreadsheet computes; "" for anything else."""
    line = " ".join(str(student or "").split()).lstrip(FORMULA)
    return "".join(filter(str.isprintable, line))[:LONGEST].strip()


def file_name(student: str, seed: int) -> str:
    """``Li Na``: li-na.json. A name without Latin letters or digits gives way to the seed: seed-17.json."""
    latin = normalize("NFKD", student).encode("ascii", "ignore").decode().lower()
    return f"{'-'.join(re.findall('[a-z0-9]+', latin)) or f'seed-{seed}'}.json"


def handed_in(records: Iterable[Record], student: str = "") -> str:
    """The records as a student hands them in, with the name if it was given."""
    return json.dumps({STUDENT: student, ENTRY: msgspec.to_builtins([*records])}, ensure_ascii=False, indent=1)
