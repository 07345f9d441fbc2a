"""Every instance of lesson 07's exercises has one answer, and what is said to wrong ones is true."""

from functools import partial

import pytest

from kschedlab.build import as_yaml, node, pod
from kschedlab_lab.exercises import your_cluster
from kschedlab_lab.exercises.card import WHOLE
from kschedlab_lab.exercises.exercise import State
from kschedlab_lab.exercises.your_cluster import TAINTS, Wish, decide
from tests.answering import made, one_right_answer
from tests.samples import sampled

exercises = partial(made, "your_cluster")

HELPS, THERE, FREE = range(3)


@pytest.mark.parametrize("seed", sampled(range(60), 10))
def test_every_instance_has_one_right_answer(seed):
    for exercise in exercises(seed):
        one_right_answer(exercise)


def test_every_text_keeps_its_lines():
    for exercise in your_cluster.exercises(1):
        assert "[U+000A]" not in exercise.text() and "[U+000A]" not in str(exercise.instance.picture)
        assert "[U+" not in f"{exercise.html()}{exercise.still(WHOLE)[0]}"
        assert "\n" not in exercise.instance.text or any(tag in str(exercise.html()) for tag in ("<br", "<tr"))


def test_all_kinds_are_there_and_neighbours_differ():
    first, second = (exercises(seed) for seed in (1, 2))
    assert {each.kind for each in first} == {"predict", "build", "repair"}
    assert [each.text() for each in first] == [each.text() for each in your_cluster.exercises(1)]
    assert all(a.text() != b.text() for a, b in zip(first[:FREE], second[:FREE], strict=True))


def test_over_the_seeds_answers_differ():
    drawn = [exercises(seed) for seed in range(20)]
    assert len({each[HELPS].right.split()[0] for each in drawn}) >= 3


def test_a_toleration_alone_is_told_where_else_it_fits():
    exercise = exercises(1)[THERE]
    pool = next(name for name in TAINTS if f"pool {name} " in exercise.question)
    assert exercise.check(as_yaml([Wish(600, (pool,)).manifest])).words.startswith("It fits elsewhere")
    only_elsewhere = exercise.check(as_yaml([Wish(600, ()).manifest])).words
    assert only_elsewhere.startswith(f"{pool} refuses it") and "It fits elsewhere: general" in only_elsewhere
    assert "It fits nowhere" in exercise.check(as_yaml([Wish(600, (), pool).manifest])).words
    assert "at least; yours asks for 1m" in exercise.check(as_yaml([Wish(1, (pool,), pool).manifest])).words
    right = exercise.right
    assert exercise.check(f"{right}---\n{as_yaml([node('x')])}").words == "Give one pod, and nothing else."
    assert exercise.check("").words == "Give one pod, and nothing else."
    assert exercise.check("a: [").state is State.ERROR


def test_a_pod_with_the_name_of_another_is_decided_all_the_same():
    running = pod("kafka-3", "", "100m")
    running["metadata"]["namespace"] = "data"
    assert decide(running).node is not None


def test_adding_up_all_containers_is_refuted():
    exercise = exercises(1)[FREE]
    assert exercise.check(lambda *given: your_cluster.free_cpu_broken(*given)).state is State.WRONG

    def forgets_the_finished(allocatable, pods):
        return allocatable - sum(max([sum(each["containers"]), *each["initContainers"]]) for each in pods)

    assert exercise.check(forgets_the_finished).state is State.WRONG
