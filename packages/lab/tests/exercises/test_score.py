"""Every instance of lesson 03's exercises has one answer, and what is said to wrong ones is true."""

from functools import partial

import numpy as np
import pytest

from kschedlab.build import as_yaml, node, pod
from kschedlab.score import stage
from kschedlab_lab.exercises import score, score_build, score_repair
from kschedlab_lab.exercises.build import Build
from kschedlab_lab.exercises.exercise import State
from kschedlab_lab.exercises.predict import Predict
from kschedlab_lab.exercises.repair import Repair
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
    assert {type(each).__bases__[0] if type(each) is score_repair.RepairDraw else type(each) for each in first} == {
        Predict,
        Build,
        Repair,
    }
    assert [each.text() for each in first] == [each.text() for each in score.exercises(1)]
    assert first[0].text() != second[0].text()


def test_over_the_seeds_each_plugin_overrules():
    assert {exercises(seed)[1].why.split()[0] for seed in range(20)} == set(score_build.RIVALS)


@pytest.mark.parametrize("seed", range(3))
def test_what_is_said_to_a_right_answer_has_no_control_characters(seed):
    for exercise in exercises(seed)[:1]:
        said = exercise.check(exercise.right)
        assert said.state is State.RIGHT and "U+" not in f"{said!r}{said.html()}"
        assert str(said.picture).count("<svg") == 2, "the table alone, wide and narrow"


def test_a_pod_that_is_forced_or_plain_does_not_overrule():
    exercise = next(e for s in range(9) for e in [exercises(s)[1]] if e.why.startswith("NodeAffinity"))
    plain, forced = pod("new"), pod("new", nodeSelector={"disk": "fast"})
    assert "is best:" in exercise.check(as_yaml([plain])).words
    assert "both nodes must stay feasible" in exercise.check(as_yaml([forced])).words
    assert exercise.check(as_yaml([pod("old")])).words == 'The pending pod must be "new"; there is old.'
    assert "and nothing else" in exercise.check(as_yaml([plain, node("node-x")])).words
    other = next(p for p in score_build.RIVALS if p != "NodeAffinity")
    assert exercise.check(as_yaml([score_build.wishing(other)])).state is State.WRONG


def test_two_wishes_are_one_too_many():
    exercise = next(e for s in range(9) for e in [exercises(s)[1]] if e.why.startswith("NodeAffinity"))
    both = score_build.wishing("NodeAffinity")
    both["spec"]["topologySpreadConstraints"] = score_build.wishing("PodTopologySpread")["spec"][
        "topologySpreadConstraints"
    ]
    assert "something else helps" in exercise.check(as_yaml([both])).words


@pytest.mark.parametrize("scores", [[9], [9, 9], [5, 9, 9, 9], [9, 5, 9, 7, 9, 9]])
def test_the_scheduler_s_own_draw_is_fair(scores):
    """Its draws are below 1/k or not; 60 equally likely places between 0 and 1 tell that exactly."""
    places = [i for i, each in enumerate(scores) if each == max(scores)]

    def by_engine(_, intn):
        class Source:
            def random(self):
                return (intn(12) + 0.5) / 12

        return f"node-{'abcdef'[stage.select_host(np.array(places), Source())]}"

    named = [(f"node-{'abcdef'[i]}", each) for i, each in enumerate(scores)]
    assert score_repair.Drawn(by_engine)(named) == score_repair.fair(named)


def test_a_draw_that_is_nearly_fair_is_refuted_with_its_probabilities():
    exercise = exercises(1)[2]
    verdict = exercise.check(exercise.broken)
    assert "expected: {'node-a': '1/2', 'node-b': '1/2'}" in verdict.evidence and "'node-b': '1'" in verdict.evidence

    def not_reset(scores, intn):
        (selected, highest), count = scores[0], 1
        for name, each in scores[1:]:
            if each > highest:
                selected, highest = name, each
            elif each == highest:
                count += 1
                selected = name if intn(count) == 0 else selected
        return selected

    assert "(('node-c'" not in exercise.check(not_reset).evidence
    assert exercise.check(not_reset).state is State.WRONG
    assert "intn(0)" in exercise.check(lambda scores, intn: intn(0)).words
    assert exercise.check(lambda scores, intn: [intn(2) for _ in iter(int, 1)]).state is State.ERROR
    assert exercise.check("select_host").state is State.ERROR


def test_any_fair_way_is_right():
    def by_place(scores, intn):
        best = [name for name, each in scores if each == max(s for _, s in scores)]
        return best[intn(len(best))]

    assert exercises(1)[2].check(by_place).state is State.RIGHT
