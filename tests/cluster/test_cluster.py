"""The cluster's columns: after loading, and while forks bind and evict pods."""

from dataclasses import dataclass, field

import numpy as np
import pytest
from hypothesis import settings, strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, invariant, rule

from kschedlab.build import cluster, node, pod
from kschedlab.cluster.clues import Clue
from kschedlab.cluster.cluster import CPU, EPHEMERAL_STORAGE, MEMORY, Cluster
from kschedlab.cluster.signatures import Signature
from tests.cluster.checking import check
from tests.verdicts import model

MIB = 1024 * 1024
NODES = ["n0", "n1", "n2"]
RESOURCES = ["cpu", "memory", "example.com/a", "example.com/b"]


def test_nodes_become_columns():
    world = cluster(
        node("a", allocatable={"cpu": "1.5", "memory": "1Gi", "pods": "7", "example.com/gpu": "2"}),
        node("b", allocatable={"cpu": "250m", "ephemeral-storage": "1Ki"}),
    )
    gpu = world.resources["example.com/gpu"]
    assert world.allocatable[[CPU, MEMORY, EPHEMERAL_STORAGE, gpu]].tolist() == [
        [1500, 250],
        [1024 * MIB, 0],
        [0, 1024],
        [2, 0],
    ]
    assert world.max_pods.tolist() == [7, 0]


def test_running_pods_are_summed_on_their_nodes():
    world = cluster(
        node("a"),
        node("b"),
        pod("p1", "a", requests={"cpu": "1", "memory": "1Mi", "example.com/gpu": "1"}),
        pod("p2", "a", cpu="500m"),
        pod("p3", "b"),
    )
    gpu = world.resources["example.com/gpu"]
    assert world.requested[[CPU, MEMORY, gpu]].tolist() == [[1500, 0], [MIB, 0], [1, 0]]
    assert world.nonzero.tolist() == [[1500, 100], [201 * MIB, 200 * MIB]]
    assert world.pods_on.tolist() == [2, 1]
    check(world)


def test_running_pending_and_finished_pods():
    world = cluster(
        node("a"),
        pod("runs", "a"),
        pod("waits"),
        pod("hopes", nominated="a"),
        pod("hopes-in-vain", nominated="gone"),
        *({**pod(name, "a"), "status": {"phase": name.title()}} for name in ("succeeded", "failed")),
    )
    assert set(world.pods.row_of) == {"default/runs"}
    assert set(world.pending) == {"default/waits", "default/hopes", "default/hopes-in-vain"}
    assert set(world.nominated.row_of) == {"default/hopes"}


def test_a_bound_pod_is_neither_pending_nor_nominated():
    world = cluster(node("a"), pod("p", nominated="a"))
    world.bind(world.pending["default/p"], "a")
    assert (world.pending, world.nominated.row_of, set(world.pods.row_of)) == ({}, {}, {"default/p"})


def test_the_objects_say_where_pods_run_and_are_nominated_now():
    here = cluster(node("n1"), node("n2"), pod("a"), pod("b", nominated="n1"), pod("c"))
    waiting = dict(here.pending)
    here.bind(waiting["default/a"], "n2")
    here.nominate(waiting["default/b"], "n2")
    here.nominate(waiting["default/c"], "n1")

    def places():
        pods = {each.metadata.name: each for each in here.objects.pods}
        return {name: (pods[name].spec.nodeName, pods[name].status.nominatedNodeName) for name in "abc"}

    assert places() == {"a": ("n2", ""), "b": ("", "n2"), "c": ("", "n1")}
    here.withdraw("default/b")
    assert places()["b"] == ("", "")
    assert Cluster(here.objects).nominated.row_of.keys() == {"default/c"}


def test_evict_returns_the_pod():
    world = cluster(node("a"), pod("p", "a", cpu="1"))
    info = world.evict("default/p")
    assert (info.key, info.request) == ("default/p", {"cpu": 1000})
    assert world.requested[CPU].tolist() == [0] and world.pods_on.tolist() == [0]


def test_the_rows_of_a_nodes_pods():
    world = cluster(node("a"), node("b"), pod("p1", "a"), pod("p2", "b"), pod("p3", "a"))
    assert [world.pods.info(row).key for row in world.pods_of(0)] == ["default/p1", "default/p3"]


def test_a_derived_value_is_computed_once_and_shared_with_forks():
    world, asked = cluster(node("a")), []

    def compute():
        asked.append(1)
        return np.zeros(1)

    first = world.derived("key", compute)
    assert world.derived("key", compute) is first and world.fork().derived("key", compute) is first
    assert asked == [1]


def test_check_finds_a_wrong_column():
    world = cluster(node("a"), pod("p", "a"))
    world.pods_on[0] += 1
    with pytest.raises(AssertionError, match="pods_on disagrees"):
        check(world)


@dataclass(frozen=True)
class Weighs:
    """Answers by the pod's label; one query for each factor."""

    factor: int
    clues: tuple[Clue, ...] = ()

    def of(self, kind: Signature) -> int:
        return int(kind.labels["number"]) * self.factor % 3


@dataclass
class Expected:
    """One cluster and its expected contents: by key, the node, the label and the amounts."""

    cluster: Cluster
    running: dict[str, tuple[str, int, dict[str, int]]] = field(default_factory=dict)
    nominated: dict[str, str] = field(default_factory=dict)

    def fork(self) -> "Expected":
        return Expected(self.cluster.fork(), dict(self.running), dict(self.nominated))


class Forks(RuleBasedStateMachine):
    """Forks of one cluster are independent: each equals plain bookkeeping after every step."""

    def __init__(self):
        super().__init__()
        self.worlds = [Expected(cluster(*(node(name) for name in NODES)))]
        self.asked = set()
        self.born = 0

    pods = Bundle("pods")
    some_world = st.integers(0, 3)

    def world(self, number):
        return self.worlds[number % len(self.worlds)]

    @rule(number=some_world)
    def fork(self, number):
        if len(self.worlds) < 4:
            self.worlds.append(self.world(number).fork())

    @rule(number=some_world)
    def close(self, number):
        if len(self.worlds) > 1:
            self.worlds.pop(number % len(self.worlds))

    @rule(factor=st.integers(0, 4), number=some_world)
    def ask(self, factor, number):
        self.asked.add(Weighs(factor))
        self.world(number).cluster.count(Weighs(factor))

    @rule(
        target=pods,
        label=st.integers(0, 4),
        amounts=st.dictionaries(
            st.sampled_from(["cpu", "memory", "example.com/a", "example.com/b"]), st.integers(1, 9)
        ),
    )
    def write(self, label, amounts):
        self.born += 1
        requests = {name: f"{amount}m" if name == "cpu" else str(amount) for name, amount in amounts.items()}
        return model(pod(f"p{self.born}", labels={"number": str(label)}, requests=requests)), label, amounts

    @rule(written=pods, number=some_world, on=st.sampled_from(NODES))
    def bind(self, written, number, on):
        world, (manifest, label, amounts) = self.world(number), written
        info = world.cluster.info(manifest)
        if info.key not in world.running:
            world.cluster.bind(info, on)
            world.running[info.key] = on, label, amounts
            world.nominated.pop(info.key, None)

    @rule(number=some_world, which=st.integers(0, 99))
    def evict(self, number, which):
        world = self.world(number)
        if world.running:
            key = list(world.running)[which % len(world.running)]
            del world.running[key]
            assert world.cluster.evict(key).key == key

    @rule(written=pods, number=some_world, on=st.sampled_from([*NODES, "gone"]))
    def nominate(self, written, number, on):
        world = self.world(number)
        info = world.cluster.info(written[0])
        if info.key not in world.running:
            world.cluster.nominate(info, on)
            world.nominated.pop(info.key, None)
            if on in NODES:
                world.nominated[info.key] = on

    @rule(written=consumes(pods), number=some_world)
    def withdraw(self, written, number):
        world = self.world(number)
        key = written[0].key
        world.cluster.withdraw(key)
        world.nominated.pop(key, None)

    @invariant()
    def every_world_is_as_expected(self):
        for world in self.worlds:
            check(world.cluster)
            self.compare(world)

    def compare(self, world):
        found, places = world.cluster, world.cluster.names
        assert set(found.pods.row_of) == set(world.running)
        assert {k: places[found.nominated.node[row]] for k, row in found.nominated.row_of.items()} == world.nominated
        for place, name in enumerate(places):
            here = [(label, amounts) for on, label, amounts in world.running.values() if on == name]
            assert found.pods_on[place] == len(here)
            for resource, row in found.resources.items():
                assert found.requested[row, place] == sum(amounts.get(resource, 0) for _, amounts in here)
            assert found.nonzero[0, place] == sum(amounts.get("cpu", 100) for _, amounts in here)
            for query in self.asked:
                assert found.count(query)[place] == sum(label * query.factor % 3 for label, _ in here)


class TestForks(Forks.TestCase):
    settings = settings(max_examples=30, stateful_step_count=40, deadline=None)


@pytest.mark.nightly
class TestManyForks(Forks.TestCase):
    settings = settings(max_examples=150, stateful_step_count=40, deadline=None)
