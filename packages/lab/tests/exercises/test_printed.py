"""A sheet that was printed, and an answer that was handed in, stay what they were: a seed keeps its exercises.

``python -m packages.lab.tests.exercises.test_printed`` writes the record again; then old sheets and files are void.
"""

import hashlib
import re
from pathlib import Path

import pytest

from kschedlab_lab.exercises.build import Build
from kschedlab_lab.exercises.exercise import Exercise
from kschedlab_lab.exercises.lesson import LESSONS
from tests.answering import made

PRINTED = Path(__file__).with_name("printed.txt")
SEEDS = range(1, 9)


def recorded(lesson: str) -> list[str]:
    """A line for each exercise of each seed: what is right, and a digest of it with all given numbers."""
    return [
        f"{lesson} {number} seed {seed}: {first} {digest(exercise, right)}"
        for number in range(len(made(lesson, 1)))
        for seed in SEEDS
        for exercise in [made(lesson, seed)[number]]
        for right in [exercise.model()]
        for first in [right.partition("\n")[0]]
    ]


def digest(exercise: Exercise, right: str) -> str:
    """Without the words, which an editor may better."""
    given = [exercise.instance.text, exercise.start, exercise.base if isinstance(exercise, Build) else ""]
    numbers = [number for text in given for number in re.findall(r"\d+", text)]
    return hashlib.sha256(" ".join([*numbers, right]).encode()).hexdigest()[:12]


@pytest.mark.parametrize("lesson", LESSONS)
def test_a_seed_keeps_its_exercises(lesson):
    printed = [line for line in PRINTED.read_text(encoding="utf-8").splitlines() if line.startswith(f"{lesson} ")]
    assert recorded(lesson) == printed


if __name__ == "__main__":
    PRINTED.write_text("\n".join(line for lesson in LESSONS for line in recorded(lesson)) + "\n", encoding="utf-8")
