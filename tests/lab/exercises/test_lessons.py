"""What holds of every lesson's exercises."""

import importlib.util

import pytest

from kschedlab.lab.exercises.build import Build
from kschedlab.lab.exercises.exercise import State
from kschedlab.lab.exercises.lesson import LESSONS, exercises_of
from kschedlab.lab.exercises.predict import Predict
from kschedlab.lab.exercises.repair import Repair
from tests.answering import one_right_answer

each_lesson = pytest.mark.parametrize("lesson", LESSONS)


@each_lesson
def test_at_least_four_of_all_three_kinds(lesson):
    made = exercises_of(lesson, 1)
    assert len(made) >= 4
    assert all(any(isinstance(each, kind) for each in made) for kind in (Predict, Build, Repair))


@each_lesson
@pytest.mark.parametrize("seed", [1, 2, 30])
def test_the_right_answer_is_right_and_the_broken_function_wrong(lesson, seed):
    for exercise in exercises_of(lesson, seed):
        one_right_answer(exercise)
        assert exercise.check("\x00<b>").state in (State.WRONG, State.ERROR)
        assert exercise.hints


@each_lesson
def test_a_broken_function_can_be_copied_into_a_cell_as_it_is(lesson):
    for exercise in exercises_of(lesson, 1):
        if isinstance(exercise, Repair):
            cell: dict[str, object] = {}
            exec(exercise.source, cell)
            assert exercise.check(cell[exercise.broken.__name__]).state is State.WRONG


@each_lesson
def test_it_is_drawn_from_the_seed_alone(lesson):
    one, same, other = (exercises_of(lesson, seed) for seed in (5, 5, 6))
    assert [each.text() for each in one] == [each.text() for each in same]
    assert [each.text() for each in one] != [each.text() for each in other]


def test_every_lesson_that_is_named_is_there():
    assert [name for name in LESSONS if importlib.util.find_spec(f"kschedlab.lab.exercises.{name}") is None] == []
