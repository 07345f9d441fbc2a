"""The example docs/examples/fgd: its scores are those of the paper's definition, written out node by node."""

import math
import random
import sys
from pathlib import Path

import numpy as np
import pytest

from kschedlab import schedule
from kschedlab.build import cluster, node, pod
from kschedlab.generations import V1_37
from kschedlab.plugins.framework import Plugin
from kschedlab_experiments.gpus import COUNT, EACH, MODEL, Ask, SharedGpus
from packages.simulation.tests.plane import Plane

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


def gpu_node(name, devices, model="T4"):
    return node(name, labels={MODEL: model}, allocatable={"cpu": 8, "memory": "8Gi", "pods": 20, COUNT: devices})


def gpu_pod(name, each, devices=1, models="", cpu="1"):
    made = pod(name, cpu=cpu)
    made["metadata"]["annotations"] = {EACH: str(each), COUNT: str(devices), MODEL: models}
    return made


def test_a_pod_asks_for_no_more_than_it_names():
    world = cluster(node("a"), gpu_pod("train", 500, models="T4|G2", cpu="2"), pod("idle"))
    assert Ask.of(schedule("default/idle", world).pod) == Ask(0, 0, 0)
    assert Ask.of(schedule("default/train", world).pod) == Ask(2000, 500, 1, ("T4", "G2"))


@pytest.fixture
def gpus():
    return SharedGpus()


@pytest.fixture
def plane(gpus):
    return Plane(gpu_node("a", 2), node("none"), generation=V1_37.plus(gpus))


def placed(plane, made):
    plane.create(made)
    plane.run(5)
    return plane.where()[made["metadata"]["name"]]


def test_shares_fill_one_device_after_the_other_and_come_back(plane, gpus):
    left = {}
    for name, each in (("half", 500), ("third", 300), ("most", 900), ("more", 300)):
        left[name] = placed(plane, gpu_pod(name, each)), gpus.left[0].tolist()
    full = [200, 100]
    assert left == {"half": ("a", [500, 1000]), "third": ("a", [200, 1000]), "most": ("a", full), "more": ("", full)}
    assert "2 node(s) had too little left of each GPU" in plane.condition("more")[2]
    plane.delete("half", 0)
    plane.run(30)
    assert plane.where()["more"] == "a" and gpus.left[0].tolist() == [400, 100]


def test_a_share_is_taken_of_the_fullest_device_that_has_enough_and_several_shares_of_as_many_devices(plane, gpus):
    left = []
    for each, devices in ((500, 1), (700, 1), (200, 1), (100, 2)):
        assert placed(plane, gpu_pod(f"p{each}", each, devices)) == "a"
        left.append(gpus.left[0].tolist())
    assert left == [[500, 1000], [500, 300], [500, 100], [400, 0]]


def test_whole_devices_are_taken_where_they_are_free_and_of_the_model(plane, gpus):
    assert placed(plane, gpu_pod("half", 500)) == "a"
    assert placed(plane, gpu_pod("two", 1000, 2)) == ""
    assert placed(plane, gpu_pod("other", 1000, models="G2|V100")) == ""
    assert placed(plane, gpu_pod("one", 1000, models="T4")) == "a"
    assert placed(plane, pod("idle")) != ""
    assert gpus.left.tolist() == [[500, 0], [0, 0]]
    plane.create(gpu_node("b", 3, "G2"))
    plane.run(30)
    assert (plane.where()["two"], plane.where()["other"]) == ("b", "b")
    assert gpus.left.tolist() == [[500, 0, 0], [0, 0, 0], [0, 0, 0]]


def test_a_pod_that_is_not_bound_gives_its_devices_back(gpus):
    class Refusing(Plugin):
        def pre_bind(self, pod, node):
            return "not today"

    plane = Plane(gpu_node("a", 2), generation=V1_37.plus(gpus), plugins=[Refusing()])
    assert placed(plane, gpu_pod("half", 500)) == ""
    assert "reserve" in plane.steps("half") and gpus.left.tolist() == [[1000, 1000]]


def test_an_answer_is_asked_again_only_where_something_changed(plane, gpus):
    asked = []

    def answer(nodes):
        asked.append(nodes.tolist())
        return gpus.left[nodes].sum(axis=1)

    both = np.array([0, 1])
    assert placed(plane, gpu_pod("half", 500)) == "a"
    assert gpus.remembered("left", both, answer).tolist() == gpus.remembered("left", both, answer).tolist() == [1500, 0]
    assert placed(plane, gpu_pod("third", 300)) == "a"
    assert gpus.remembered("left", both, answer).tolist() == [1200, 0]
    assert asked == [[0, 1], [0]]
