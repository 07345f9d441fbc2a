"""Every instance of lesson 04's exercises has one answer, and what is said to wrong ones is true."""

import re
from functools import partial

import pytest

from kschedlab.build import as_yaml, node, pod
from kschedlab_lab.exercises import map_reduce
from kschedlab_lab.exercises.build import Build
from kschedlab_lab.exercises.exercise import State
from kschedlab_lab.exercises.map_reduce import NODES
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
    assert exercise.check("29").words.endswith("SelectorSpread: 30 / 4 rounds down to 7.")
    assert "TaintToleration: 10 / 3 rounds down to 3." in exercise.check("27").words
    tries = exercise.tries
    assert exercise.check("node-a").state is State.ERROR and exercise.tries == tries  # not a number: no attempt


@pytest.mark.parametrize("seed", sampled(SEEDS, 8))
def test_a_label_alone_does_not_turn_the_tables(seed):
    exercise = exercises(seed)[1]
    assert isinstance(exercise, Build)
    for given in (exercise.start, *(as_yaml([pod("web-1", name, "0.1", labels={"app": "web"})]) for name in NODES[:2])):
        assert "node-a is not" in exercise.check(given).words


def test_what_is_missing_is_told():
    exercise = exercises(1)[1]
    assert isinstance(exercise, Build)
    idle = [pod(f"idle-{n}", "node-b", "100m") for n in range(8)]
    web = [
        pod(f"web-{n}{name}", name, "10m", labels={"app": "web"}, memory="1Mi") for n in range(8) for name in NODES[:2]
    ]
    assert re.search(
        r"node-a has \d+ and node-b \d+: node-a is not \d points ahead", exercise.check(as_yaml(idle)).words
    )
    assert "node-a is not" in exercise.check(as_yaml(web)).words, "as many on both"
    assert "Add only running pods" in exercise.check(as_yaml([node("node-c")])).words
    assert "Add only running pods" in exercise.check(as_yaml([pod("waiting", "", "10m")])).words
    assert "nothing is scored" in exercise.check(as_yaml([pod("big", "node-a", "8")])).words


def test_the_picture_shows_the_order_before_reduce_and_after():
    exercise = exercises(1)[1]
    assert isinstance(exercise, Build)
    drawn = str(exercise.check(exercise.right).picture)
    assert "after Map" in drawn and "after Reduce" in drawn
