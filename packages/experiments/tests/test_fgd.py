"""The example docs/examples/fgd: its scores are those of the paper's definition, written out node by node."""

import math
import random
import sys
from pathlib import Path

import numpy as np
import pytest

from kschedlab import schedule
from kschedlab.build import cluster, node, pod
from kschedlab_experiments.gpus import COUNT, EACH, MODEL, Ask

FOLDER = Path(__file__).parents[3] / "docs" / "examples" / "fgd"


@pytest.fixture(scope="module")
def example():
    sys.path.insert(0, str(FOLDER))
    try:
        import compare
        import fgd

        yield fgd, compare
    finally:
        sys.path.remove(str(FOLDER))


def fits(cpu, left, model, ask):
    accepted = not ask.models or model in ask.models
    return accepted and cpu >= ask.cpu and sum(each >= ask.each for each in left) >= ask.devices


def fragments(cpu, left, model, typical):
    """Section 3.2: what is left of the GPUs counts as lost to a pod that does not fit, or that asks for no GPU."""
    lost = 0.0
    for ask, share in typical:
        if ask.each and fits(cpu, left, model, ask):
            lost += share * sum(each for each in left if each < ask.each)
        else:
            lost += share * sum(left)
    return lost


def gain(cpu, left, model, ask, typical):
    """The best score over the devices, and the first device that has it."""
    before, best = fragments(cpu, left, model, typical), (-1, None)
    for device in range(len(left)) if ask.shares else [None]:
        after = list(left)
        if device is not None:
            if after[device] < ask.each:
                continue
            after[device] -= ask.each
        else:
            for each in [place for place, free in enumerate(left) if free == 1000][: ask.devices]:
                after[each] = 0
        change = before - fragments(cpu - ask.cpu, after, model, typical)
        score = int(100 / (1 + math.exp(-change / 1000)))
        if score > best[0]:
            best = score, device
    return best


def test_scores_are_those_of_the_definition(example):
    fgd, _ = example
    rng = random.Random(5)
    shapes = [(0, 0)] + [(1, each) for each in (220, 460, 500, 1000)] + [(count, 1000) for count in (2, 4, 8)]
    asks = [
        Ask(rng.randrange(1, 30) * 1000, each, count, () if rng.random() < 0.7 or not count else ("T4",))
        for count, each in shapes * 2
    ]
    typical = fgd.typical_pods(rng.choices(asks, k=500))
    policy = fgd.FGD(typical)
    policy.cpu = np.array([rng.randrange(0, 96) * 1000 for _ in range(200)])
    policy.left = np.array(
        [[rng.choice([0, 280, 540, 780, 1000, 1000]) if device < count else 0 for device in range(8)]
         for count in rng.choices([0, 1, 2, 8], k=200)]
    )  # fmt: skip
    policy.model = np.array(rng.choices(["T4", "G2", ""], k=200))
    checked = 0
    for ask in asks:
        states = zip(policy.cpu.tolist(), policy.left.tolist(), policy.model.tolist(), strict=True)
        able = [place for place, state in enumerate(states) if fits(*state, ask)]
        made = policy.gains(ask, np.array(able, np.int64))
        for place, row in zip(able, made, strict=True):
            state = int(policy.cpu[place]), policy.left[place].tolist(), str(policy.model[place])
            score, device = gain(*state, ask, typical)
            assert row.max() == score
            assert device is None or policy.device(ask, place) == device
            checked += 1
    assert checked > 500


def test_a_pod_asks_for_no_more_than_it_names():
    asked = {EACH: "500", COUNT: "1", MODEL: "T4|G2"}
    train = pod("train", cpu="2") | {"metadata": {"name": "train", "annotations": asked}}
    world = cluster(node("a"), train, pod("idle"))
    assert Ask.of(schedule("default/idle", world).pod) == Ask(0, 0, 0)
    assert Ask.of(schedule("default/train", world).pod) == Ask(2000, 500, 1, ("T4", "G2"))
