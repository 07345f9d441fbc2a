"""Every instance of lesson 02's exercises has one answer, and what is said to wrong ones is true."""

import re
from functools import partial

import pytest

from kschedlab.build import HOUR, as_yaml
from kschedlab_lab.exercises import queue
from kschedlab_lab.exercises.build import Build
from kschedlab_lab.exercises.exercise import State
from kschedlab_lab.exercises.predict import Predict
from kschedlab_lab.exercises.repair import Repair
from kschedlab_lab.panels.queue_waiting import UNSET, waiting
from kschedlab_lab.views.style import CHOSEN
from tests.answering import made, one_right_answer
from tests.samples import sampled
from tests.saying import says

exercises = partial(made, "queue")

SEEDS = range(60)


@pytest.mark.parametrize("seed", sampled(SEEDS, 10))
def test_every_instance_has_one_right_answer(seed):
    for exercise in exercises(seed):
        one_right_answer(exercise)


def test_all_kinds_are_there_and_neighbours_differ():
    first, second = (exercises(seed) for seed in (1, 2))
    assert {type(each) for each in first} == {Predict, Build, Repair}
    assert [each.text() for each in first] == [each.text() for each in queue.exercises(1)]
    assert [a.text() for a in first[:2]] != [b.text() for b in second[:2]]


def test_over_the_seeds_the_answers_differ():
    drawn = [exercises(seed) for seed in range(30)]
    assert len({each[0].right for each in drawn}) >= 4


def built(seed):
    exercise = exercises(seed)[1]
    (elder,) = re.findall(r"name: (?!main)(\w+)", exercise.start)
    return exercise, elder, exercise.question.partition(" ")[0]


def test_what_is_missing_in_a_built_pod_is_said_step_by_step():
    exercise, elder, younger = built(1)
    at = 8 * HOUR

    def said(*made):
        return exercise.check(as_yaml(made)).words

    assert said(waiting(elder, 100, at), waiting(younger, 100, at)).startswith(f"Write one pod, {elder}; you gave ")
    assert said(waiting(elder, 50, at)).startswith(f"Change no priority: now {elder} has 50, {younger} 100")
    assert "Leave creationTimestamp" in said(waiting(elder, 100, at + 40))
    assert says(said(waiting(elder, 100, at)), "v1.13 compares", "creationTimestamp", f"{elder} is popped first")
    failed = said(waiting(elder, 100, at, at + 10))
    assert says(failed, "v1.13 compares", "lastTransitionTime", f"{elder} is popped first")
    assert says(exercise.check(exercise.start).words, "v1.13 compares", "lastProbeTime", f"{elder} is popped first")
    unread = re.sub("lastTransitionTime: .*", "lastTransitionTime: 2026-03-02T11:00:00Z", exercise.start)
    assert exercise.check(unread).words.startswith("v1.13 does not read lastTransitionTime")
    assert "are blank" in exercise.check(re.sub("(Transition|Probe)Time: .*", r"\1Time: ", exercise.start)).words


def test_classmates_have_other_times():
    questions = [built(seed)[0].question for seed in range(1, 13)]
    assert len({text.split("created at ")[1][:20] for text in questions}) > 8


@pytest.mark.parametrize(
    ("times", "right"),
    [
        pytest.param((8 * HOUR, 9 * HOUR), True, id="the last attempt is late"),
        pytest.param((9 * HOUR, UNSET), True, id="the first failure is late, and the only time"),
        pytest.param((9 * HOUR, 8 * HOUR), False, id="the last attempt is early"),
    ],
)
def test_the_time_of_the_last_attempt_counts(times, right):
    exercise, elder, _younger = built(1)
    verdict = exercise.check(as_yaml([waiting(elder, 100, 8 * HOUR, *times)]))
    assert (verdict.state is State.RIGHT) == right


def test_equal_times_are_told_from_an_earlier_one():
    exercise, elder, younger = built(1)
    created = f"2026-03-02T{re.search('created at ([0-9:]+)', exercise.question)[1]}:00Z"
    equal = exercise.check(re.sub("lastProbeTime: .*", f"lastProbeTime: {created}", exercise.start)).words
    assert equal == f"{elder}'s lastProbeTime equals {younger}'s creationTimestamp: neither is first."
    assert f"{elder} is popped first" in exercise.check(exercise.start).words


def test_the_broken_function_is_refuted_by_a_small_instance():
    down = exercises(1)[2]
    assert "my_popped([" in down.check(lambda heap: queue.popped_broken(heap)).evidence


def test_a_wrong_heap_is_drawn_as_a_tree():
    down = exercises(1)[2]
    verdict = down.judge(lambda heap: queue.popped_broken(heap))
    above, below = re.search(r"(\d+) is above (\d+), which comes before it", str(verdict.picture)).groups()
    assert int(above) < int(below) and str(verdict.picture).count(">? ") == 4, "both, in a wide and a narrow drawing"
    for odd in (None, [], ["a"], [[]], [1] * 99, [True, 2]):
        assert not str(queue.heap_of([3, 2, 1], odd))
    assert "as a tree" in str(queue.heap_of([3, 2, 1], [2, 1])), "a heap, but another one"


def test_backoff_counted_from_the_event_never_gives_the_right_time():
    for seed in SEEDS:
        exercise = exercises(seed)[0]
        event = int(re.findall(r"(\d+) s +a pod on a node ends", exercise.text())[0])
        failures = exercise.text().count("fails: no room")
        wrong = f"at {event + 2 ** (failures - 1)} s"
        assert wrong in exercise.choices() and wrong != exercise.right


@pytest.mark.parametrize("seed", sampled(SEEDS, 4))
def test_the_times_that_decide_are_full_in_the_picture(seed):
    exercise = exercises(seed)[1]
    for answer in (exercise.start, exercise.right):
        verdict = exercise.judge(answer)
        wide = str(verdict.picture).partition("ks-narrow")[0]
        first = re.search("popped first: (\\w+)", wide)[1]
        assert exercise.question.startswith(first) == (verdict.state is State.RIGHT)
        assert len(re.findall(f'<circle[^>]*fill="{re.escape(str(CHOSEN))}"', wide)) == 2
