"""Every instance of lesson 09's exercises has one answer, and what is said to wrong ones is true."""

from functools import partial

import pytest

from kschedlab.build import as_yaml, node
from kschedlab.plugins import check_plugin, node_filter
from kschedlab_lab.exercises.predict import Predict
from kschedlab_lab.exercises.your_plugin import DECLARATIONS, SOURCES
from tests.answering import made, one_right_answer
from tests.samples import sampled
from tests.saying import says

exercises = partial(made, "your_plugin")

SEEDS = range(20)


@pytest.mark.parametrize("seed", sampled(SEEDS, 2))
def test_every_instance_has_one_right_answer(seed):
    for exercise in exercises(seed):
        assert exercise.choices() or not isinstance(exercise, Predict)
        one_right_answer(exercise)


def test_over_the_seeds_other_nodes_and_declarations_are_the_answer():
    every = [exercises(seed) for seed in range(15)]
    assert len({each[0].right for each in every}) == 3
    assert all(f"With weight 1, web goes to {each[0].right}" not in each[0].question for each in every)
    assert len({each[1].right for each in every}) == 3


@pytest.mark.parametrize("name", SOURCES)
def test_what_is_said_of_declarations_is_what_check_plugin_finds(name):
    expression, sort = SOURCES[name]
    judge = eval(f"lambda pod, node: {expression}")
    declarations = {
        "static": {"depends_on_pods": False},
        "hurt": {"depends_on_pods": True, "monotonic": True},
        "help": {"depends_on_pods": True, "monotonic": False},
    }
    assert list(declarations) == list(DECLARATIONS)
    assert check_plugin(node_filter(name, **declarations[sort])(judge)).ok
    for other in list(declarations)[: list(declarations).index(sort)]:
        if name != "NearCache":
            assert not check_plugin(node_filter(name, **declarations[other])(judge)).ok, other


def test_wrong_nodes_are_told_what_is_missing():
    exercise = exercises(1)[2]

    def said(celsius: str, cpu: int = 1) -> str:
        return exercise.check(as_yaml([node("node-x", cpu, "1Gi", {"celsius": celsius})])).words

    assert says(exercise.check("").words, "one node", "name")
    assert "must be warmer than all others" in said("0")
    assert says(said("warm"), "node-x", "whole degrees")
    assert says(said("58", 64), "node-x", "larger than the others")
    assert said("70") == "node-x is refused: node(s) were too hot."
