"""What an exercise says in words: its instance, its remark on each answer, its hints and its solution.

What must hold of every exercise is checked on the way: its solution is accepted, and nothing else that is tried.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice

from kschedlab_lab.exercises.build import Build
from kschedlab_lab.exercises.desk import ANSWERS, SHEETS, SOLUTIONS, RosterForm, SheetForm
from kschedlab_lab.exercises.exercise import Exercise, State
from kschedlab_lab.exercises.lesson import exercises_of
from kschedlab_lab.exercises.repair import Repair
from tools.transcripts.facts import facts, together

NUMBER = re.compile(r"\b\d+(?=\b|m\b|Gi\b|Mi\b|%)")


MOST = 40
"""How many lines of a picture or a document are told."""


class WrongExerciseError(Exception):
    """An exercise refuses its solution, or accepts what is none."""


def exercises(lesson: str, seeds: range) -> Iterator[str]:
    """The exercises of a lesson for these seeds; the pictures for the first."""
    for seed in seeds:
        for number, each in enumerate(exercises_of(lesson, seed), 1):
            yield f"== {lesson}, seed {seed}, exercise {number}"
            yield from _exercise(each, drawn=seed == seeds[0])


def desk() -> Iterator[str]:
    """What a teacher's forms make: each kind of document, and the table of a class."""
    for contents in (SHEETS, SOLUTIONS, ANSWERS):
        made = SheetForm("score", "1-2").obey({"lesson": "score", "seeds": "1-2", "contents": contents})
        yield f"> {contents}: {made['name']}"
        yield from islice(facts(made["document"]), MOST)
    yield from facts(RosterForm().merged["table"])


def _exercise(each: Exercise, drawn: bool) -> Iterator[str]:
    yield from each.text().splitlines()
    for answer in _answers(each):
        verdict = each.check(answer)
        if (verdict.state is State.RIGHT) != (answer == each.right):
            raise WrongExerciseError(f"{each.title}: {answer} is {verdict.state.name}")
        yield f"> {answer if isinstance(answer, str) else 'as it is given'}"
        yield from _said(repr(verdict))
    if isinstance(each, Build):
        yield from _variations(each)
    each.state = State.UNATTEMPTED  # hints are for those who have not solved it
    for _ in each.hints:
        yield from _said(repr(each.hint()))
    yield from (f"> {line}" for line in each.model().splitlines())
    yield from _said(repr(each.check(each.right)))
    if each.state is not State.RIGHT:
        raise WrongExerciseError(f"{each.title}: its solution is {each.state.name}")
    yield from _said(repr(each.solution()))
    yield from (f"  {line}" for line in islice(together(facts(each.drawing() if drawn else "")), MOST))


def _said(words: str) -> Iterable[str]:
    return (f"  {line}" for line in words.splitlines())


def _answers(each: Exercise) -> list[object]:
    """The choices, or what is wrong: what one begins with, numbers beside the right one, no answer at all."""
    if isinstance(each, Repair):
        return [each.broken]
    if isinstance(each, Build):
        return [each.start] if each.start else ["kind: Pod"]
    if each.choices():
        return [*each.choices(), "?"]
    right = str(each.right)
    near = [str(int(right) + off) for off in (-1, 1)] if right.isdecimal() else ["0"]
    return [*near, "?"]


def _variations(each: Build) -> Iterator[str]:
    """What is said of the solution with one number one more or one less, and without one of its lines."""
    said: dict[str, list[str]] = {}
    for name, text in _varied(each.right):
        verdict = each.judge(text)
        said.setdefault(f"{verdict.state.name.lower()}: {verdict.words}", []).append(name)
    for words, names in said.items():
        yield f"> the solution with {'; '.join(names)}"
        yield from _said(words)


def _varied(example: str) -> Iterator[tuple[str, str]]:
    """By what differs, the texts."""
    for found in NUMBER.finditer(example):
        for number in (int(found[0]) - 1, int(found[0]) + 1):
            if number >= 0:
                text = f"{example[: found.start()]}{number}{example[found.end() :]}"
                yield f"`{text.splitlines()[example[: found.start()].count(chr(10))].strip()}`", text
    lines = example.splitlines()
    for place, line in enumerate(lines):
        if ":" in line:
            yield f"no `{line.strip()}`", "\n".join([*lines[:place], *lines[place + 1 :]])
