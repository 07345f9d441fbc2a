"""What must hold of any exercise, whatever it was drawn from."""

from kschedlab.lab.exercises.exercise import Exercise, State
from kschedlab.lab.exercises.repair import Repair


def one_right_answer(exercise: Exercise, wrong_ones: int = 2) -> None:
    """Its right answer is right; of the answers to pick from, all others are wrong; what is broken is wrong."""
    verdict = exercise.check(exercise.right)
    assert verdict.state is State.RIGHT, (exercise.title, verdict)
    if exercise.choices():
        wrong = [each for each in exercise.choices() if each != exercise.right]
        assert len(wrong) >= wrong_ones, exercise.title
        assert {exercise.check(each).state for each in wrong} == {State.WRONG}, exercise.title
    if isinstance(exercise, Repair):
        assert exercise.check(exercise.broken).state is State.WRONG, exercise.title
