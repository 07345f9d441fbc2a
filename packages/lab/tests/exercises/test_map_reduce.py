"""Every instance of lesson 04's exercises has one answer, and what is said to wrong ones is true."""

import re
from functools import partial

import pytest

from kschedlab.build import as_yaml, node, pod
from kschedlab_lab.exercises import map_reduce
from kschedlab_lab.exercises.build import Build
from kschedlab_lab.exercises.exercise import State
from kschedlab_lab.exercises.predict import Predict
from tests.answering import made, one_right_answer
from tests.samples import sampled

exercises = partial(made, "map_reduce")

SEEDS = range(40)


@pytest.mark.parametrize("seed", sampled(SEEDS, 8))
def test_every_instance_has_one_right_answer(seed):
    for exercise in exercises(seed):
        one_right_answer(exercise)
        assert exercise.check(exercise.right).evidence == ""
        if isinstance(exercise, Predict) and not exercise.choices():
            wrong = [str(number) for number in range(0, 80) if str(number) != exercise.right]
            assert {exercise.check(each).state for each in wrong} == {State.WRONG}


def test_all_kinds_are_there_and_neighbours_differ():
    first, second = (exercises(seed) for seed in (1, 2))
    assert {each.kind for each in first} == {"predict", "build"}
    assert [each.text() for each in first] == [each.text() for each in map_reduce.exercises(1)]
    assert all(a.text() != b.text() for a, b in zip(first, second, strict=True))


def test_forgetting_weights_or_reduce_is_told():
    exercise, said = exercises(1)[0], set()
    for number in range(100):
        said.add(exercise.check(str(number)).words)
    assert any("The weights are missing" in each for each in said)
    assert any("the sum without Reduce" in each for each in said)
    tries = exercise.tries
    assert exercise.check("node-a").state is State.ERROR and exercise.tries == tries  # not a number: no attempt


def test_pods_that_change_nothing_do_not_turn_the_tables():
    exercise = exercises(1)[1]
    assert isinstance(exercise, Build)
    said = exercise.check(as_yaml([pod("idle", "node-a", "2")])).words
    assert "the order is not reversed" in said
    one, other, then, afterwards = (int(sum) for sum in re.findall(r"\d+", said))
    assert one < other and (then, afterwards) == (one + 10, other + 10), "without pods of the Service Reduce adds 10"
    assert "Add only running pods" in exercise.check(as_yaml([node("node-c")])).words
    assert "Add only running pods" in exercise.check(as_yaml([pod("waiting", "", "10m")])).words
    assert "nothing is scored" in exercise.check(as_yaml([pod("big", "node-a", "8")])).words


def test_the_picture_shows_the_order_before_reduce_and_after():
    exercise = exercises(1)[1]
    assert isinstance(exercise, Build)
    drawn = str(exercise.check(exercise.right).picture)
    assert "after Map" in drawn and "after Reduce" in drawn
