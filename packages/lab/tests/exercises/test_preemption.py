"""Every instance of lesson 05's exercises has one answer, and what is said to wrong ones is true."""

from collections import Counter
from functools import partial
from random import Random

import pytest

from kschedlab.build import as_yaml, budget
from kschedlab_lab.exercises import preemption
from kschedlab_lab.exercises.build import Build
from kschedlab_lab.exercises.exercise import State, in_turn
from kschedlab_lab.exercises.predict import Predict
from kschedlab_lab.exercises.repair import Repair
from tests.answering import made, one_right_answer
from tests.samples import sampled
from tests.saying import says

exercises = partial(made, "preemption")

SEEDS = range(60)


@pytest.mark.parametrize("seed", sampled(SEEDS, 10))
def test_every_instance_has_one_right_answer(seed):
    for exercise in exercises(seed):
        assert exercise.choices() or not isinstance(exercise, Predict)
        one_right_answer(exercise)


@pytest.mark.parametrize("seed", sampled(SEEDS, 10))
def test_every_budget_covers_a_pod(seed):
    for exercise in exercises(seed)[:2]:
        text = exercise.instance.text
        pods, _, budgets = text.partition("budget of app")
        for line in budgets.splitlines()[1:]:
            assert f"app={line.split()[0]}" in pods
        assert ("The budget" in str(exercise.instance.picture)) is bool(budgets)


def test_all_kinds_are_there_and_neighbours_differ():
    first, second = (exercises(seed) for seed in (1, 2))
    assert {type(each) for each in first} == {Predict, Build, Repair}
    assert [each.text() for each in first] == [each.text() for each in preemption.exercises(1)]
    assert [a.text() for a in first[:2]] != [b.text() for b in second[:2]]


@pytest.mark.parametrize("rule", (1, 2, 3, 5))
def test_who_ignores_the_budget_finds_another_node(rule):
    case = preemption.ladder_case(Random(1), rule)
    pods_only = preemption.Case([each for each in case.manifests if each["kind"] != "PodDisruptionBudget"])
    assert case.deciding == rule
    assert case.preemption.nominated_node != pods_only.preemption.nominated_node


def test_a_wrong_node_is_told_where_it_drops_out():
    exercise = exercises(1)[0]
    wrong = next(each for each in exercise.choices() if each != exercise.right)
    assert f"{wrong} drops out at rule" in exercise.check(wrong).words


def test_a_budget_that_changes_nothing_is_told_why():
    exercise = exercises(1)[1]
    nobody = exercise.check(as_yaml([budget("nobody", 0)])).words
    assert says(nobody, "node-a is still chosen", "it would lose mail-a0", "does not cover")
    large = exercises(3)[1].check(as_yaml([budget("mail", 2)])).words
    assert says(large, "node-b is still chosen", "lets 2 pods go, so evicting mail-b0 breaks nothing")
    assert says(exercise.check("").words, "PodDisruptionBudget", 0)
    more = as_yaml([budget("shop", 0), {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "x"}}])
    assert exercise.check(more).words == "Only PodDisruptionBudgets may be added."


def test_a_budget_that_nobody_breaks_is_told_the_rule_that_decides_and_that_it_changed_the_victims():
    exercise = exercises(5)[1]
    broken, kept = (exercise.judge(as_yaml([budget("mail", allowed)])).words for allowed in (0, 2))
    assert says(broken, "Rule 1 decides") and "step 1" not in broken
    assert says(
        kept, "Rule 3 decides", "step 1", "node-b would lose mail-b1 and mail-b0", "with it, mail-b2 and mail-b1"
    )
    assert "Rule 1" not in kept


def test_a_beginning_that_is_not_filled_in_is_told_and_not_judged():
    exercise = preemption.exercises(1)[1]
    for text, line in (
        (exercise.start, "`selector: {matchLabels: {app: }}`"),
        (exercise.start.replace("{app: }", "{app: shop}"), "`status: {disruptionsAllowed: }`"),
    ):
        verdict = exercise.check(text)
        assert verdict.words == f"A value is missing: {line}" and not verdict.read
    assert exercise.tries == 0


def test_each_rule_is_right_equally_often():
    turns = Counter(in_turn(seed, (1, 2, 3, 5)) for seed in range(40))
    assert turns == {1: 10, 2: 10, 3: 10, 5: 10}


def test_fifth_rule_of_the_beginning_is_refuted_by_a_small_instance():
    exercise = exercises(1)[2]
    verdict = exercise.check(lambda *given: preemption.latest_start_broken(*given))
    assert verdict.state is State.WRONG and verdict.evidence.count("node-") == 4
