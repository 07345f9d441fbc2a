"""Every instance of lesson 03's exercises has one answer, and what is said to wrong ones is true."""

from functools import partial

import pytest

from kschedlab.build import as_yaml, node, pod
from kschedlab_lab.exercises import score, score_build
from kschedlab_lab.exercises.build import Build
from kschedlab_lab.exercises.exercise import State
from kschedlab_lab.exercises.predict import Predict
from tests.answering import made, one_right_answer
from tests.samples import sampled

exercises = partial(made, "score")

SEEDS = range(40)


@pytest.mark.parametrize("seed", sampled(SEEDS, 8))
def test_every_instance_has_one_right_answer(seed):
    for exercise in exercises(seed):
        one_right_answer(exercise)
        if isinstance(exercise, Predict) and not exercise.choices():
            assert {exercise.check(each).state for each in ("-1", "0", "1000")} == {State.WRONG}
        if isinstance(exercise, Build):
            assert exercise.check("").state is State.WRONG


def test_all_kinds_are_there_and_neighbours_differ():
    first, second = (exercises(seed) for seed in (1, 2))
    assert [type(each) for each in first] == [Predict, Build]
    assert [each.text() for each in first] == [each.text() for each in score.exercises(1)]
    assert first[0].text() != second[0].text()


def test_over_the_seeds_each_label_overrules():
    solved = [exercises(seed)[1].right for seed in range(20)]
    assert all(any(f"key: {key}" in each for each in solved) for key, *_ in score_build.LABELS)


@pytest.mark.parametrize("seed", range(3))
def test_what_is_said_to_a_right_answer_has_no_control_characters(seed):
    for exercise in exercises(seed)[:1]:
        said = exercise.check(exercise.right)
        assert said.state is State.RIGHT and "U+" not in f"{said!r}{said.html()}"
        assert str(said.picture).count("<svg") == 2, "the table alone, wide and narrow"


def test_a_pod_that_is_forced_or_plain_does_not_overrule():
    exercise = next(e for s in range(9) for e in [exercises(s)[1]] if "key: disk" in e.right)
    plain, forced = pod("new"), pod("new", nodeSelector={"disk": "fast"})
    assert "is best:" in exercise.check(as_yaml([plain])).words
    assert "both nodes must stay feasible" in exercise.check(as_yaml([forced])).words
    assert exercise.check(as_yaml([pod("old")])).words == 'The pending pod must be "new"; there is old.'
    assert "and nothing else" in exercise.check(as_yaml([plain, node("node-x")])).words
    assert exercise.check(exercise.right.replace("fast", "none")).words.endswith("gives both nodes the same.")
