"""Every instance of lesson 09's exercises has one answer, and what is said to wrong ones is true."""

import random
import re
from functools import partial

import pytest

from kschedlab.build import as_yaml, node
from kschedlab_lab.exercises.exercise import State
from kschedlab_lab.exercises.predict import Predict
from kschedlab_lab.exercises.your_plugin import filter_mended, labels_of_nodes
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


def test_over_the_seeds_other_nodes_are_the_answer():
    every = [exercises(seed) for seed in range(15)]
    assert len({each[0].right for each in every}) == 3
    assert all(f"With weight 1, web goes to {each[0].right}" not in each[0].question for each in every)


def test_a_temperature_that_nobody_knows_is_refused():
    unknown, hot = "node(s) had no temperature", "node(s) were too hot"
    said = {"": unknown, "warm": unknown, "4_0": unknown, "40.5": unknown, "59": None, "60": hot}
    assert {each: filter_mended({"celsius": each}) for each in said} == said and filter_mended({}) == unknown


def as_float(labels):
    try:
        degrees = float(labels["celsius"])
    except (KeyError, ValueError):
        return "node(s) had no temperature"
    return "node(s) were too hot" if degrees >= 60 else None


def as_int(labels):
    try:
        degrees = int(labels["celsius"])
    except (KeyError, ValueError):
        return "node(s) had no temperature"
    return "node(s) were too hot" if degrees >= 60 else None


def literal(labels):
    return "node(s) had no temperature" if labels.get("celsius") in ("40.5", "4_0", "nan") else filter_numbers(labels)


def filter_numbers(labels):
    text = labels.get("celsius", "")
    return filter_mended({"celsius": text.split(".")[0].replace("_", "")})


@pytest.mark.parametrize("wrong", [as_float, as_int, literal])
def test_a_filter_that_takes_what_is_not_digits_alone_is_wrong(wrong):
    assert exercises(1)[1].check(wrong).state == State.WRONG


@pytest.mark.parametrize("labels", [each for (each,) in labels_of_nodes(random.Random(1))])
def test_the_labels_of_the_repair_are_those_that_kubernetes_allows(labels):
    assert all(re.fullmatch("([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?", value) for value in labels.values())


def test_wrong_nodes_are_told_what_is_missing():
    exercise = exercises(1)[2]

    def said(celsius: str, cpu: int = 1) -> str:
        return exercise.check(as_yaml([node("node-x", cpu, "1Gi", {"celsius": celsius})])).words

    assert says(exercise.check("").words, "one node", "name")
    assert "must be warmer than all others" in said("0")
    assert says(said("warm"), "node-x", "whole degrees")
    assert says(said("58", 64), "node-x", "more CPU than the others")
    assert said("70") == "node-x is refused: node(s) were too hot."


@pytest.mark.parametrize("seed", sampled(SEEDS, 2))
def test_the_warmest_node_has_several_answers_and_a_tie_is_named(seed):
    exercise = exercises(seed)[2]

    def said(celsius: int) -> str:
        return exercise.check(as_yaml([node("node-x", 8, "32Gi", {"celsius": str(celsius)})])).words

    every = [said(celsius) for celsius in range(20, 60)]
    assert sum("ColdNode refuses no node" in each for each in every) >= 3
    assert all("goes to either" in each or "goes to one of them" in each for each in every if " tie" in each)
    assert all(says(each, "node-x", "NodeResourcesFit and Cooler give") for each in every if "refuses no node" in each)
    assert "A tie is not enough" in exercise.question
