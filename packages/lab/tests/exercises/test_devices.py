"""Every instance of lesson 10's exercises has one answer, and what is said to wrong ones is true."""

import re
from functools import partial

import pytest

from kschedlab_lab.exercises.exercise import State
from tests.answering import made, one_right_answer
from tests.samples import sampled
from tests.saying import says

SEEDS = range(12)


exercises = partial(made, "devices")


@pytest.mark.parametrize("seed", sampled(SEEDS, 4))
def test_every_instance_has_one_right_answer(seed):
    for exercise in exercises(seed):
        one_right_answer(exercise)


def test_over_the_seeds_other_devices_are_the_answer():
    assert len({exercises(seed)[0].right for seed in SEEDS}) >= 5


@pytest.mark.parametrize("seed", sampled(SEEDS, 4))
def test_a_claim_without_the_constraint_gets_devices_on_two_roots_or_none(seed):
    exercise = exercises(seed)[1]
    apart = exercise.right.partition("    constraints:")
    said = exercise.check(apart[0] + apart[2].partition("\n    - matchAttribute")[2].partition("\n")[2]).words
    assert says(said, "on root p0", "on root p1", "not 2 a100")


def test_wrong_claims_are_told_what_is_missing():
    exercise = exercises(1)[1]
    assert exercise.check("").words == "Give one claim, gpus, and nothing else."
    assert exercise.check(exercise.right.replace("count: 2", "count: 1")).words.endswith(" or more on one root.")
    assert exercise.check(exercise.right.replace("a100", "t4")).words.endswith("the claim wants t4.")
    unknown = exercise.check(re.sub(r'\.model\s+== "a100"', '.firmware == "2"', exercise.right)).words
    assert unknown.startswith("The decision ends with an error: ") and "no such key: firmware" in unknown
    status = "status: {allocation: {devices: {results: []}}}\n"
    assert says(exercise.check(exercise.right + status).words, "status", "scheduler")


@pytest.mark.parametrize("seed", sampled(SEEDS, 4))
def test_a_claim_that_is_right_by_luck_is_wrong(seed):
    two = exercises(seed)[1]
    small = re.sub(r'quantity\("\d+Gi"\)', 'quantity("1Gi")', two.right)
    for loose in (small, re.sub(r'== "a100"', '!= "t4"', two.right)):
        assert loose != two.right and two.check(loose).state is State.WRONG
    stricter = re.sub(r'quantity\("(\d+)Gi"\)', 'quantity("80Gi")', two.right)
    assert stricter == two.right or two.check(stricter).state is State.WRONG
