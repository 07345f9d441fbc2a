"""What exercises draw, and what they say to each answer, is as it was when somebody last read it; for a few seeds.

The transcripts have the words of two other seeds. On the way, each exercise accepts its solution and nothing else.
``python -m packages.lab.tests.exercises.test_drawn`` records it again, and so does ``make refresh``.
"""

import random
from pathlib import Path

import pytest

from kschedlab_lab.exercises.exercise import Exercise
from kschedlab_lab.exercises.lesson import LESSONS, exercises_of
from kschedlab_lab.exercises.repair import Repair
from tests.records import digest, lines_about, write
from tools.transcripts.exercises import exercises

RECORD = Path(__file__).with_name("drawn.txt")
SEEDS = (3, 4)


def recorded(lesson: str) -> list[str]:
    """For each seed a line on all that is said, and one on what each exercise draws."""
    return [
        line
        for seed in SEEDS
        for line in (
            f"{lesson} seed {seed} says {digest(*exercises(lesson, range(seed, seed + 1)))}",
            *(
                f"{lesson} {number} seed {seed} draws {drawn(each)}"
                for number, each in enumerate(exercises_of(lesson, seed))
            ),
        )
    ]


def drawn(exercise: Exercise) -> str:
    """A digest of what is shown, wide, narrow and printed; and of the calls that a function is tried with."""
    tried = [*exercise.cases(random.Random(exercise.seed))] if isinstance(exercise, Repair) else []
    return digest(exercise.html(), exercise.html(saved=True), exercise.instance, exercise.drawing(), tried)


@pytest.mark.parametrize("lesson", LESSONS)
def test_an_exercise_draws_and_says_what_was_read(lesson: str) -> None:
    assert recorded(lesson) == lines_about(RECORD, lesson)


if __name__ == "__main__":
    write(RECORD, LESSONS, recorded)
