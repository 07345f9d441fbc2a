"""A student's progress, stored in a file beside the notebooks."""

from __future__ import annotations

import csv
import io
import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from kschedlab.lab.exercises.exercise import Exercise, State
from kschedlab.language import ENGLISH, language, say

FILE = ".kschedlab-progress.json"
VARIABLE = "KSCHEDLAB_PROGRESS"
"""Environment variable: another path for the file, or ``off`` to keep nothing."""


@dataclass(frozen=True)
class Record:
    """The progress with one exercise. ``seed``: its instance; ``answer``: the last answer that is text."""

    lesson: str
    seed: int
    number: int
    title: str
    state: str = State.UNATTEMPTED.value
    tries: int = 0
    hints: int = 0
    solution: bool = False
    answer: str = ""


EXPORTED = ("lesson", "seed", "number", "title", "state", "tries", "hints", "solution")
"""The columns for a teacher."""


class Progress:
    """Records of exercises, in a JSON file. ``path``: None keeps them in memory only.

    ``trouble``: a sentence if the file can't be read or written; the notebook then keeps everything in memory, and a
    damaged file stays untouched.
    """

    def __init__(self, path: Path | None) -> None:
        self.path, self.trouble = path, ""
        self._kept: dict[tuple[str, int, int], Record] = {}
        self._damaged = False

    @classmethod
    def usual(cls) -> Progress:
        """The file in this folder, or the one that the environment variable names."""
        where = os.environ.get(VARIABLE, _beside_the_notebooks())
        return cls(None if where == "off" else Path(where))

    def of(self, lesson: str, seed: int, number: int) -> Record | None:
        """The record of an exercise."""
        self._read()
        return self._kept.get((lesson, seed, number))

    def keep(self, lesson: str, seed: int, number: int, exercise: Exercise) -> None:
        """Record the progress with the exercise; a right answer stays right."""
        self._read()
        before = self._kept.get((lesson, seed, number))
        solved = exercise.state is State.RIGHT or (before is not None and before.state == State.RIGHT.value)
        self._kept[lesson, seed, number] = Record(
            lesson,
            seed,
            number,
            exercise.title,
            State.RIGHT.value if solved else exercise.state.value,
            exercise.tries,
            exercise.hints_seen,
            exercise.solution_seen,
            exercise.given,
        )
        self._write()

    def records(self) -> list[Record]:
        """All records, in the order of lesson, seed and number."""
        self._read()
        return [self._kept[key] for key in sorted(self._kept)]

    def export(self) -> str:
        """All records as CSV, for a teacher."""
        out = io.StringIO()
        writer = csv.DictWriter(out, EXPORTED, extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        writer.writerows(asdict(record) for record in self.records())
        return out.getvalue()

    def save(self, path: str | Path) -> Path:
        """Write the export to a file, such as ``li-na.csv``: a teacher's table takes the name from it."""
        Path(path).write_text(self.export(), encoding="utf-8")
        return Path(path)

    def _read(self) -> None:
        if self.path is None or not self.path.exists():
            return
        try:
            found = [record_of(each) for each in json.loads(self.path.read_text(encoding="utf-8"))["exercises"]]
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            self._damaged = True
            self.trouble = say(
                "{name} can't be read; delete it to begin anew. Nothing is saved until then.", name=self.path.name
            )
            return
        self._damaged, self.trouble = False, ""
        self._kept = {(record.lesson, record.seed, record.number): record for record in found}

    def _write(self) -> None:
        if self.path is None or self._damaged:
            return
        written = {"exercises": [asdict(self._kept[key]) for key in sorted(self._kept)]}
        try:
            beside = self.path.with_name(f"{self.path.name}.new")
            beside.write_text(json.dumps(written, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
            beside.replace(self.path)
        except OSError as error:
            self.trouble = say(
                "{name} can't be written ({error}); progress is kept for now only.",
                name=self.path.name,
                error=error.strerror,
            )


def _beside_the_notebooks() -> str:
    """The path of the file: all languages share one, and a translated set of notebooks is a folder in the English."""
    translated = language() != ENGLISH and Path.cwd().name == language()
    return str(Path("..", FILE)) if translated else FILE


def record_of(data: Any) -> Record:
    """The record of this data. TypeError or ValueError if it is none."""
    record = Record(**data)
    if {type(getattr(record, name)) for name in ("lesson", "title", "state", "answer")} != {str}:
        raise TypeError("not a record")
    if {type(getattr(record, name)) for name in ("seed", "number", "tries", "hints")} != {int}:
        raise TypeError("not a record")
    State(record.state)
    return record
