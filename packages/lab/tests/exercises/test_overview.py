"""Every instance of lesson 01's exercises has one answer, and what is said to wrong ones is true."""

import random
import re
from functools import partial

import pytest

from kschedlab.build import as_yaml, pod
from kschedlab_lab.exercises import overview
from kschedlab_lab.exercises.overview import random_meeting
from kschedlab_lab.panels.overview_gate import SEEN, judged
from tests.answering import made, one_right_answer
from tests.samples import sampled
from tests.saying import says

exercises = partial(made, "overview")

SEEDS = range(40)


@pytest.mark.parametrize("seed", sampled(SEEDS, 8))
def test_every_instance_has_one_right_answer(seed):
    for exercise in exercises(seed):
        one_right_answer(exercise)


def test_all_kinds_are_there_and_neighbours_differ():
    first, second = (exercises(seed) for seed in (1, 2))
    assert {each.kind for each in first} == {"predict", "build", "repair"}
    assert [each.text() for each in first] == [each.text() for each in overview.exercises(1)]
    assert [a.text() for a in first[:2]] != [b.text() for b in second[:2]]


def test_over_the_seeds_each_predicate_is_the_answer_and_each_place_of_the_list_has_it():
    made = [exercises(seed)[0] for seed in SEEDS]
    assert {each.right for each in made} == set(SEEN)
    assert {each.choices().index(each.right) for each in made} == set(range(len(SEEN)))


def test_what_is_told_of_ports_and_cpu_is_what_the_engine_sees():
    for seed in range(100):
        met = random_meeting(random.Random(seed))
        ports = re.findall("8080/(TCP|UDP)", " ".join(met.texts))
        (room, taken, wanted), *_ = *(re.findall(r"\b\d+\b", fact) for fact in met.texts if "CPU" in fact), "900"
        crowded = len(ports) == 2 and len({*ports}) == 1 or int(taken) + int(wanted) > int(room)
        verdict = judged(met.manifests).verdict("node-a")
        assert ("GeneralPredicates" in (verdict.plugin, *verdict.also)) == crowded, met.texts


def test_a_predicate_that_comes_later_is_told_so():
    said = [
        exercise.check(each).words
        for exercise in (exercises(seed)[0] for seed in range(10))
        for each in exercise.choices()
        if each != exercise.right
    ]
    assert any("would refuse too" in words for words in said)
    assert any("lets web pass" in words for words in said)


def test_what_is_no_answer_is_told_so():
    exercise = exercises(1)[1]
    assert says(exercise.check("").words, "one pod")
    assert exercise.check(as_yaml([pod("other", "", 1)])).words.startswith("Name the pod web")
    fits = as_yaml([pod("web", "", "1m", tolerations=[{"operator": "Exists"}])])
    assert "web fits" in exercise.check(fits).words


def test_another_message_is_told():
    exercise = exercises(1)[1]
    assert "v1.16 says something else: 0/4" in exercise.check(as_yaml([pod("web", "", 99)])).words


def test_the_broken_function_is_refuted_by_a_small_instance():
    bounds = exercises(1)[2]
    assert "(50, 0)" in bounds.check(lambda *given: bounds.broken(*given)).evidence


def test_each_bound_is_right_or_wrong_by_itself():
    bounds = exercises(1)[2]

    def least(nodes, percentage):
        percentage = percentage or max(5, 50 - nodes // 125)
        return max(100, nodes * percentage // 100)

    def small(nodes, percentage):
        return nodes if nodes < 100 else bounds.broken(nodes, percentage)

    both = bounds.judge(lambda *given: bounds.broken(*given))
    assert says(both.words, "Right already: a percentage that is set", "Wrong: fewer than 100 nodes, no percentage")
    assert "(50, 0)" in both.evidence and "(1000, 0)" in both.evidence
    for mended, still, wrong in ((least, "(50, 0)", "fewer than 100 nodes"), (small, "(1000, 0)", "no percentage")):
        verdict = bounds.judge(mended)
        assert verdict.words.endswith(f"Wrong: {wrong}.") and verdict.evidence.startswith(f"my_nodes_to_find{still}")
        assert verdict.evidence.count("my_nodes_to_find") == 1
