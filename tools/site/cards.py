"""An exercise as a recording: replies to its choices, hints and the solution; and the table of a lesson's progress."""

from __future__ import annotations

from typing import Any

from kschedlab_lab.exercises.exercise import MARKS, Exercise, State
from kschedlab_lab.exercises.lesson import Summary
from kschedlab_lab.exercises.predict import SEPARATORS, Predict

NUMBERS = 120
"""How far wrong numbers are recorded on both sides of the right one, and from 0 on."""


def recorded(exercise: Exercise) -> dict[str, Any]:
    """The recording. ``replies``: by answer, whether it is right, and what is said; empty where code has to run."""
    exercise.on_progress = lambda _: None
    exercise.shown_in.clear()
    _begin_again(exercise)
    face, replies = exercise.face("whole"), list[str]()
    answers = {}
    for answer in _answers(exercise):
        verdict = exercise.check(answer)
        reply = str(verdict.html())
        if reply not in replies:
            replies.append(reply)
        answers[_plain(answer)] = [verdict.state is State.RIGHT, replies.index(reply)]
    marked = {}
    for state in (State.UNATTEMPTED, State.WRONG, State.RIGHT):
        exercise.state = state
        marked[state.name] = str(exercise.html())
    _begin_again(exercise)
    missing = str(exercise.check().html())
    hints, early = list[str](), list[str]()
    for _ in exercise.hints:
        early.append(str(exercise.solution().html()))
        hints.append(str(exercise.hint().html()))
    return {
        "face": {**face, "question": marked["UNATTEMPTED"], "reply": ""},
        "marked": marked,
        "answers": answers,
        "replies": replies,
        "missing": missing,
        "hints": hints,
        "early": early,
        "solution": str(exercise.solution().html()),
    }


def progress(summary: Summary, names: dict[str, str]) -> dict[str, Any]:
    """The table's words. ``names``: by title, the recordings of the exercises that can be answered on the page."""
    shown = (State.UNATTEMPTED, State.WRONG, State.RIGHT)
    return {
        "exercises": [names.get(row.title) for row in summary.rows],
        "states": {state.name: [MARKS[state], state.words] for state in shown},
        "solved": [summary.said(number) for number in range(len(summary.rows) + 1)],
    }


def _begin_again(exercise: Exercise) -> None:
    exercise.resume(State.UNATTEMPTED, 0, 0, False, "")
    exercise.reply = None


def _answers(exercise: Exercise) -> list[str]:
    """The answers that can be judged without code. A typed one: the right one, and wrong numbers."""
    if exercise.choices():
        return exercise.choices()
    if not isinstance(exercise, Predict):
        return []
    right = exercise.right
    near = range(max(int(right) - NUMBERS, 0), int(right) + NUMBERS) if right.isdecimal() else range(0)
    numbers = sorted({*range(NUMBERS if near else 0), *near})
    return [right, *map(str, numbers)]


def _plain(answer: str) -> str:
    """The answer as the page compares it."""
    return SEPARATORS.sub("", answer).casefold()
