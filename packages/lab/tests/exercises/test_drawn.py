"""What exercises draw, and what they say to each answer, is as it was when somebody last read it; for a few seeds.

So is what a teacher sees of the class that is made up.

The transcripts have the words of two other seeds. On the way, each exercise accepts its solution and nothing else.
``python -m packages.lab.tests.exercises.test_drawn`` records it again, and so does ``make refresh``.
"""

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from kschedlab_lab.exercises.desk import EXAMPLE, made_up
from kschedlab_lab.exercises.exercise import Exercise
from kschedlab_lab.exercises.lesson import LESSONS, exercises_of
from kschedlab_lab.exercises.repair import Repair
from kschedlab_lab.exercises.roster import Roster
from tests.records import digest, lines_about, write
from tools.transcripts.exercises import exercises

RECORD = Path(__file__).with_name("drawn.txt")
SEEDS = (3, 4)
CLASS = "The class that is made up"


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


def class_recorded() -> list[str]:
    return [f"{CLASS} shows {digest(*of_class())}"]


def of_class() -> Iterator[str]:
    """What there is to see of it: the table, as CSV too, and the answers of one student."""
    roster = Roster(made_up())
    yield str(roster.html())
    yield roster.export()
    student, records = next(iter(roster.students.items()))
    yield from (str(roster.answer(student, EXAMPLE, each.number)) for each in records)


def drawn(exercise: Exercise) -> str:
    """A digest of what is shown, wide, narrow and printed; and of the calls that a function is tried with."""
    tried = [*exercise.cases(random.Random(exercise.seed))] if isinstance(exercise, Repair) else []
    return digest(exercise.html(), exercise.html(saved=True), exercise.instance, exercise.drawing(), tried)


@pytest.mark.parametrize("lesson", LESSONS)
def test_an_exercise_draws_and_says_what_was_read(lesson: str) -> None:
    assert recorded(lesson) == lines_about(RECORD, lesson)


def test_a_teacher_sees_of_the_class_that_is_made_up_what_was_read() -> None:
    assert class_recorded() == lines_about(RECORD, CLASS)


if __name__ == "__main__":
    write(RECORD, [*LESSONS, CLASS], lambda name: class_recorded() if name == CLASS else recorded(name))
