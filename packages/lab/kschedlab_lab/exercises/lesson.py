"""The exercises of a lesson for one seed; each seed gives different clusters."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from typing import cast

from msgspec.structs import replace

from kschedlab.messages import listed, say, terms
from kschedlab.objects.problems import InputValueError
from kschedlab.text.html import Html, element, join, visible
from kschedlab.text.tables import row, table
from kschedlab_lab.exercises.exercise import MARKS, Exercise, State
from kschedlab_lab.exercises.progress import Progress, Record, file_name
from kschedlab_lab.panels import contents
from kschedlab_lab.stage.live import show, show_again
from kschedlab_lab.views.coded import coded

LESSONS = tuple(each.module for each in contents.LESSONS)
"""The lessons with exercises: each is a module of this folder with a function ``exercises(seed)``."""


def lesson_named(text: str) -> str:
    """The lesson of this name, which may have hyphens, as its file has. ValueError lists the names."""
    if (name := text.replace("-", "_")) not in LESSONS:
        raise InputValueError('there is no lesson "{name}"; there are {names}', name=text, names=listed(LESSONS))
    return name


def exercises_of(lesson: str, seed: int) -> list[Exercise]:
    """The exercises of a lesson, generated from the seed. ValueError if there is no such lesson or seed."""
    make = import_module(f"kschedlab_lab.exercises.{lesson_named(lesson)}").exercises
    if not isinstance(seed, int) or seed < 0:
        raise InputValueError('seed: "{seed}" is not a whole number, 0 or more', seed=str(seed)[:40])
    return cast(Callable[[int], list[Exercise]], make)(seed)


class Lesson:
    """``lesson[1]`` is the first exercise. ``progress``: the record of the student's progress."""

    def __init__(self, name: str, seed: int = 1, progress: Progress | None = None) -> None:
        self.name, self.seed = name, seed
        self.kept = Progress.usual() if progress is None else progress
        self._exercises = exercises_of(name, seed)
        self._summaries: list[str] = []
        for number, exercise in enumerate(self._exercises, 1):
            exercise.call, exercise.seed = f"exercises[{number}]", seed
            if kept := self.kept.of(name, seed, number):
                exercise.resume(kept.state, kept.tries, kept.hints, kept.solution, kept.answer, kept.verdict)
            exercise.on_progress = partial(self._keep, number)

    def __getitem__(self, number: int) -> Exercise:
        if number not in range(1, len(self) + 1):
            raise IndexError(say("the exercises of this lesson are 1 to {last}", last=len(self)))
        return self._exercises[number - 1]

    def __iter__(self) -> Iterator[Exercise]:
        return iter(self._exercises)

    def __len__(self) -> int:
        return len(self._exercises)

    def __repr__(self) -> str:
        return repr(self.progress())

    def progress(self, student: str = "") -> Summary:
        """What is solved. ``student``: the name for what is handed in, from now on."""
        if student:
            self.kept.sign(student)
        return Summary(self)

    def follow(self, display: str) -> None:
        """Keep the summary with this display id up to date."""
        self._summaries.append(display)

    def _keep(self, number: int, exercise: Exercise) -> None:
        self.kept.keep(self.name, self.seed, number, exercise)
        for display in self._summaries:
            show_again(display, self.progress().output())


class Summary:
    """A student's progress with a lesson at one moment; as the last line of a cell it follows the exercises."""

    def __init__(self, lesson: Lesson) -> None:
        self.lesson = lesson
        self.rows: list[Record] = []
        for number, exercise in enumerate(lesson, 1):
            place = lesson.name, lesson.seed, number
            kept = lesson.kept.of(*place) or Record(*place, exercise.title)
            self.rows.append(replace(kept, title=exercise.title))  # it may be kept in another language
        self.trouble = lesson.kept.trouble
        self.export = lesson.kept.export() if lesson.kept.records() else ""
        self.solved = sum(each.state is State.RIGHT for each in self.rows)

    @property
    def sentence(self) -> str:
        return self.said(self.solved)

    def said(self, solved: int) -> str:
        """The result as text if so many are solved."""
        return say("{solved} of {all} solved.", solved=solved, all=len(self.rows))

    def __repr__(self) -> str:
        lines = [
            f"{MARKS[each.state]} {each.number}. "
            + say("{title}: {state}", title=each.title, state=each.state.words)
            + (say(", {tries} tries, {hints} hints", tries=each.tries, hints=each.hints) if each.tries else "")
            for each in self.rows
        ]
        return "\n".join(map(visible, [*lines, self.sentence, *([self.trouble] if self.trouble else [])]))

    def html(self) -> Html:
        rows = (
            row(MARKS[each.state], f"{each.number}. {each.title}", each.state.words, each.tries, each.hints)
            for each in self.rows
        )
        trouble = element("p", self.trouble, role="alert") if self.trouble else Html()
        shown = table(("", *terms("exercise", "state", "tries", "hints")), rows)
        return join([shown, element("p", self.sentence), trouble, self._link()])

    def _link(self) -> Html:
        """A file of all progress to save, for a teacher; nothing before there is any."""
        if not self.export:
            return Html()
        data = b64encode(self.export.encode()).decode()
        student = self.lesson.kept.student
        name = file_name(student, self.lesson.seed)
        where = {"href": f"data:application/json;base64,{data}", "download": name}
        sign = "" if student else say("With your name: {code}.", code='`exercises.progress("Li Na")`')
        return element("p", element("a", say("Save my progress"), **where), f" ({name}) ", coded(sign))

    def _repr_html_(self) -> str:
        return str(self.html())

    def _ipython_display_(self) -> None:
        self.lesson.follow(show(self.output()))

    def output(self) -> dict[str, str]:
        """What a notebook shows, as text and as HTML."""
        return {"text/plain": repr(self), "text/html": self._repr_html_()}
