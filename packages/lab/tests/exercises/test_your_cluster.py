"""Every instance of lesson 07's exercises has one answer, and what is said to wrong ones is true."""

from functools import partial

import pytest

from kschedlab.build import as_yaml, node, pod
from kschedlab_lab.exercises import your_cluster
from kschedlab_lab.exercises.card import WHOLE
from kschedlab_lab.exercises.exercise import State
from kschedlab_lab.exercises.pools import TAINTS, Wish, decide
from tests.answering import made, one_right_answer
from tests.samples import sampled
from tests.saying import says

exercises = partial(made, "your_cluster")

HELPS, POOL, AMOUNT, THERE, FREE = range(5)


@pytest.mark.parametrize("seed", sampled(range(60), 10))
def test_every_instance_has_one_right_answer(seed):
    for exercise in exercises(seed):
        one_right_answer(exercise)


def test_every_text_keeps_its_lines():
    for exercise in your_cluster.exercises(1):
        assert "[U+000A]" not in exercise.text() and "[U+000A]" not in str(exercise.instance.picture)
        assert "[U+" not in f"{exercise.html()}{exercise.still(WHOLE)[0]}"
        assert "\n" not in exercise.text() or any(tag in str(exercise.html()) for tag in ("<br", "<tr"))


def test_all_kinds_are_there_and_neighbours_differ():
    first, second = (exercises(seed) for seed in (1, 2))
    assert {each.kind for each in first} == {"predict", "build", "repair"}
    assert [each.text() for each in first] == [each.text() for each in your_cluster.exercises(1)]
    assert sum(a.text() != b.text() for a, b in zip(first, second, strict=True)) >= 3


def test_over_the_seeds_answers_differ():
    drawn = [exercises(seed) for seed in range(20)]
    for number in (HELPS, POOL, AMOUNT):
        assert len({each[number].right.split()[0] for each in drawn}) >= 3


@pytest.mark.parametrize("seed", range(8))
def test_one_milli_more_is_too_much_and_one_less_too_little(seed):
    exercise = exercises(seed)[AMOUNT]
    amount = int(exercise.right.removesuffix("m"))
    assert "fits nowhere" in exercise.check(f"{amount + 1}m").words
    assert "it may ask for more" in exercise.check(f"{amount - 1}m").words
    for nonsense in ("much", "-5m", "9" * 30, "", "1.2.3"):
        assert "An amount in milli is expected" in exercise.check(nonsense or " ").words
    assert says(exercise.check("9.665").words, "9.665 CPU", "9665m"), "cores are understood"


@pytest.mark.parametrize("seed", range(8))
def test_a_wrong_pool_does_not_tell_the_right_one(seed):
    exercise = exercises(seed)[POOL]
    for name in exercise.choices():
        assert name == exercise.right or exercise.right not in exercise.check(name).words


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
    assert exercise.check(your_cluster.free_cpu_broken).state is State.WRONG

    def forgets_the_finished(allocatable, pods):
        return allocatable - sum(max([sum(each["containers"]), *each["initContainers"]]) for each in pods)

    assert exercise.check(forgets_the_finished).state is State.WRONG
