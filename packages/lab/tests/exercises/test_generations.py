"""Every instance of lesson 06's exercises has one answer, and what is said to wrong ones is true."""

from functools import partial

import pytest

from kschedlab.build import as_yaml, budget
from kschedlab_lab.exercises import generations
from kschedlab_lab.exercises.build import Build
from kschedlab_lab.exercises.predict import Predict
from kschedlab_lab.exercises.repair import Repair
from tests.answering import made, one_right_answer
from tests.samples import sampled
from tests.saying import says

exercises = partial(made, "generations")

SEEDS = range(20)


@pytest.mark.parametrize("seed", sampled(SEEDS, 2))
def test_every_instance_has_one_right_answer(seed):
    for exercise in exercises(seed):
        assert exercise.choices() or not isinstance(exercise, Predict)
        one_right_answer(exercise, wrong_ones=3)


def test_all_kinds_are_there_and_neighbours_differ():
    first, second = (exercises(seed) for seed in (1, 2))
    assert {type(each) for each in first} == {Predict, Build, Repair}
    assert [each.text() for each in first] == [each.text() for each in generations.exercises(1)]
    assert [a.text() for a in first[:2]] != [b.text() for b in second[:2]]


def test_over_the_seeds_other_rules_are_the_answer():
    assert len({exercises(seed)[0].right for seed in range(3)}) == 3


def test_a_budget_that_divides_nobody_is_told():
    exercise = exercises(1)[1]
    assert says(exercise.check(as_yaml([budget("nobody", 0)])).words, "v1.20", "not")
    assert says(exercise.check("").words, "PodDisruptionBudget", 0)


def test_a_budget_that_is_not_counted_down_is_refuted_by_the_first_instance():
    verdict = exercises(1)[2].check(lambda *given: generations.victims_broken(*given))
    assert verdict.evidence.splitlines()[1:] == ["  got:      [100, 50]", "  expected: [50, 100]"]
