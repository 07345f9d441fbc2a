"""What holds of every lesson's exercises."""

import importlib.util
import re

import nbformat
import pytest

from kschedlab_lab.exercises.build import Build
from kschedlab_lab.exercises.exercise import State
from kschedlab_lab.exercises.lesson import LESSONS, Lesson, exercises_of
from kschedlab_lab.exercises.predict import Predict
from kschedlab_lab.exercises.progress import Progress
from kschedlab_lab.exercises.repair import Repair
from kschedlab_lab.panels.contents import LESSONS as NOTEBOOKS_OF
from tests.answering import made, one_right_answer
from tests.cells import run_cell
from tests.samples import sampled
from tools.refresh import NOTEBOOKS

each_lesson = pytest.mark.parametrize("lesson", LESSONS)


@each_lesson
def test_some_are_to_predict_and_some_to_make(lesson):
    exercises = made(lesson, 1)
    assert all(any(isinstance(each, kind) for each in exercises) for kind in (Predict, Build))


@each_lesson
@pytest.mark.parametrize("seed", [1, 2, pytest.param(30, marks=pytest.mark.nightly)])
def test_the_right_answer_is_right_and_the_broken_function_wrong(lesson, seed):
    for exercise in made(lesson, seed):
        one_right_answer(exercise)
        assert exercise.check("\x00<b>").state in (State.WRONG, State.ERROR)
        assert exercise.hints


@each_lesson
@pytest.mark.parametrize("seed", sampled(range(1, 7), 2))
def test_what_one_begins_with_is_not_right(lesson, seed):
    for exercise in made(lesson, seed):
        if isinstance(exercise, Build):
            assert exercise.judge(exercise.start).state is not State.RIGHT, exercise.title


@each_lesson
def test_the_cell_of_a_broken_function_runs_as_it_is(lesson):
    for exercise in exercises_of(lesson, 1):
        if isinstance(exercise, Repair):
            mine = run_cell(exercise.cell, exercise=exercise)[exercise.name]
            assert exercise.judge(mine).state is State.WRONG and exercise.check(mine).state is State.UNATTEMPTED
            assert exercise.is_as_given(mine) and exercise.tries == 0
            assert not exercise.is_as_given(exercise.right)


@each_lesson
def test_its_notebook_has_each_exercise_and_the_cells_to_repair_functions_in(lesson):
    (file,) = (each.file for each in NOTEBOOKS_OF if each.file[3:-6].replace("-", "_") == lesson)
    cells = [cell.source for cell in nbformat.read(NOTEBOOKS / file, as_version=4).cells if cell.cell_type == "code"]
    exercises = Lesson(lesson, 1, Progress(None))
    asked = [cell.splitlines()[-1] for cell in cells if cell.splitlines()[-1].startswith("exercises[")]
    assert asked == [exercise.call for exercise in exercises]
    answered = [cell for cell in cells if ".answer\n" in cell]
    assert answered == [exercise.cell for exercise in exercises if isinstance(exercise, Repair)]


@each_lesson
def test_only_what_can_be_the_answer_can_be_picked_in_a_picture(lesson):
    for exercise in exercises_of(lesson, 1):
        assert {*re.findall('data-pick="([^"]*)"', str(exercise.html()))} <= {*exercise.choices()}, exercise.title


@each_lesson
def test_it_is_drawn_from_the_seed_alone(lesson):
    one, same, other = exercises_of(lesson, 1), made(lesson, 1), made(lesson, 2)
    assert [each.text() for each in one] == [each.text() for each in same]
    assert [each.text() for each in one] != [each.text() for each in other]


@pytest.mark.parametrize("seed", [-1, 1.5, "1"])
def test_a_seed_is_a_whole_number(seed):
    assert exercises_of("queue", 0)
    with pytest.raises(ValueError, match=f'seed: "{seed}" is not a whole number, 0 or more'):
        exercises_of("queue", seed)


def test_every_lesson_that_is_named_is_there():
    assert [name for name in LESSONS if importlib.util.find_spec(f"kschedlab_lab.exercises.{name}") is None] == []


def test_a_card_names_its_seed_and_sets_the_words_of_a_solution_as_words():
    exercise = Lesson("preemption", 17, Progress(None))[2]
    assert "seed 17" in exercise.face("whole")["question"]
    while exercise.solution().title != "Solution":
        exercise.hint()
    said = exercise.face("whole")["reply"]
    assert "<p>urgent goes to " in said and "disruptionsAllowed: 0" in said
