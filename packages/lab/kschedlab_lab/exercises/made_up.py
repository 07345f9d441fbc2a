"""A class that does not exist, to see what a roster looks like."""

from __future__ import annotations

import random

from kschedlab_lab.exercises.exercise import State
from kschedlab_lab.exercises.lesson import exercises_of
from kschedlab_lab.exercises.progress import Record, exported

NAMES = ("ada", "li-na", "mei", "noor", "otto", "sam")


def made_up(lesson: str = "preemption", seed: int = 1) -> dict[str, str]:
    """The files that it hands in, by name. Each exercise is harder than the one before."""
    rng = random.Random(f"class {seed}")
    titles = [exercise.title for exercise in exercises_of(lesson, 1)]
    return {f"{name}.csv": _file(lesson, place, titles, rng) for place, name in enumerate(NAMES, 1)}


def _file(lesson: str, seed: int, titles: list[str], rng: random.Random) -> str:
    records = []
    for number, title in enumerate(titles, 1):
        tries = rng.randint(0 if number > 2 else 1, 2 + number)
        solved = tries > 0 and rng.random() > 0.2 * number
        state = State.RIGHT if solved else State.WRONG if tries else State.UNATTEMPTED
        hints = min(rng.randint(0, 2), max(tries - 1, 0))
        records.append(Record(lesson, seed, number, title, state, tries, hints, hints == 2 and not solved))
    return exported(records)
