"""A sheet that was printed, and an answer that was handed in, stay what they were: a seed keeps its exercises.

``python -m packages.lab.tests.exercises.test_printed`` writes the record again; then old sheets and files are void.
"""

import re
from pathlib import Path

import pytest

from kschedlab_lab.exercises.build import Build
from kschedlab_lab.exercises.exercise import Exercise
from kschedlab_lab.exercises.lesson import LESSONS
from tests.answering import made
from tests.records import digest, lines_about, write

PRINTED = Path(__file__).with_name("printed.txt")
SEEDS = range(1, 9)


def recorded(lesson: str) -> list[str]:
    """A line for each exercise of each seed: what is right, and a digest of it with all given numbers."""
    return [
        f"{lesson} {number} seed {seed}: {first} {digest(given(exercise, right))}"
        for number in range(len(made(lesson, 1)))
        for seed in SEEDS
        for exercise in [made(lesson, seed)[number]]
        for right in [exercise.model()]
        for first in [right.partition("\n")[0]]
    ]


def given(exercise: Exercise, right: str) -> str:
    """All given numbers and what is right, without the words, which an editor may better."""
    texts = [exercise.instance.text, exercise.start, exercise.base if isinstance(exercise, Build) else ""]
    return " ".join([*(number for text in texts for number in re.findall(r"\d+", text)), right])


@pytest.mark.parametrize("lesson", LESSONS)
def test_a_seed_keeps_its_exercises(lesson):
    assert recorded(lesson) == lines_about(PRINTED, lesson)


if __name__ == "__main__":
    write(PRINTED, LESSONS, recorded)
