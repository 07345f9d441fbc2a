"""Properties of every exercise, whatever its seed."""

from functools import cache

from kschedlab_lab.exercises.exercise import Exercise, State
from kschedlab_lab.exercises.lesson import exercises_of
from kschedlab_lab.exercises.repair import Repair

made = cache(exercises_of)
"""Each lesson's exercises for a seed, made once: what is said to an answer does not depend on earlier ones."""


def one_right_answer(exercise: Exercise, wrong_ones: int = 2) -> None:
    """Exactly one choice is right, at least ``wrong_ones`` are wrong; the broken function of a repair is wrong."""
    verdict = exercise.check(exercise.right)
    assert verdict.state is State.RIGHT, (exercise.title, verdict)
    if exercise.choices():
        wrong = [each for each in exercise.choices() if each != exercise.right]
        assert len(wrong) >= wrong_ones, exercise.title
        assert {exercise.check(each).state for each in wrong} == {State.WRONG}, exercise.title
    if isinstance(exercise, Repair):
        assert exercise.judge(exercise.broken).state is State.WRONG, exercise.title
