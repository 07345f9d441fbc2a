"""Counts equal recounts, whether a query is summed when asked, keeps a tally or keeps a column."""

from dataclasses import dataclass, field

import numpy as np
import pytest
from hypothesis import given, strategies as st

from kschedlab.build import pod
from kschedlab.cluster.clues import Clue, labels_of
from kschedlab.cluster.counts import Counts
from kschedlab.cluster.interning import Signatures
from kschedlab.cluster.pods import PodColumns, PodInfo, Requests
from kschedlab.cluster.queries import Sum
from kschedlab.cluster.signatures import IntArray, Signature
from kschedlab.cluster.volume_answers import refresh
from tests.verdicts import model

NODES, KINDS = 3, 5


@dataclass(frozen=True)
class Weighs:
    """Answers with a number that depends on the signature, and with 0 for some signatures."""

    factor: int
    clues: tuple[Clue, ...] = ()

    def of(self, kind: Signature) -> int:
        return int(kind.labels["number"]) * self.factor % 4


def weighs(factor: int) -> Weighs:
    """Odd factors have clues."""
    numbers = tuple(("number", str(number)) for number in range(KINDS) if number * factor % 4)
    return Weighs(factor, (Clue(labels_of, numbers),) if factor % 2 else ())


class World:
    """Pods and their counts."""

    def __init__(self, few: int, nodes: int = NODES) -> None:
        self.signatures, self.pods = Signatures(), PodColumns(0)
        self.kinds = [self.signatures.of(model(pod("p", labels={"number": str(n)}))) for n in range(KINDS)]
        self.counts, self.names = Counts(self.signatures, nodes), 0
        self.counts._few = few

    def come(self, kind: Signature, node: int) -> None:
        self.names += 1
        info = PodInfo(kind.example, f"p{self.names}", 0, 0, kind, Requests({}, {}, (0, 0), (0, 0)))
        self.pods.add(info, node, {})
        self.counts.add(kind, node, +1)

    def go(self, key: str) -> None:
        row = self.pods.row_of[key]
        self.counts.add(self.pods.info(row).signature, int(self.pods.node[row]), -1)
        self.pods.remove(key)

    def count(self, query) -> list[int]:
        return self.counts.of(query, self.pods).tolist()

    def recount(self, query) -> list[int]:
        rows = self.pods.row_of.values()
        on: list[IntArray] = [np.array([r for r in rows if self.pods.node[r] == n], np.int64) for n in range(NODES)]
        return [sum(query.of(self.pods.info(row).signature) for row in here.tolist()) for here in on]


EVENTS = st.one_of(
    st.tuples(st.just("come"), st.integers(0, KINDS - 1), st.integers(0, NODES - 1)),
    st.tuples(st.just("go"), st.integers(0, 1000), st.just(0)),
    st.tuples(st.just("ask"), st.integers(0, 12), st.integers(1, 3)),
)


@given(st.lists(EVENTS, max_size=60), st.sampled_from([0, 2, 5, 100]))
def test_counts_equal_recounts(events, few):
    world, asked = World(few), [weighs(1)]
    for what, a, b in events:
        if what == "come":
            world.come(world.kinds[a], b)
        elif what == "go" and world.pods.row_of:
            world.go(list(world.pods.row_of)[a % len(world.pods.row_of)])
        elif what == "ask":
            asked.append(weighs(a))
        for query in [*asked, Sum(((asked[-1], b), (asked[0], -1)))]:
            assert world.count(query) == world.recount(query)
    assert all(world.counts.columns.get(q, np.zeros(0, np.int64)).tolist() in ([], world.recount(q)) for q in asked)


@pytest.mark.parametrize(("few", "kept"), [(3, True), (4, False)])
def test_only_a_query_about_many_pods_keeps_a_column(few, kept):
    world = World(few)
    for kind, node in ((1, 0), (1, 0), (2, 1), (4, 1), (1, 2)):
        world.come(world.kinds[kind], node)
    assert world.count(weighs(1)) == [2, 2, 1]
    assert (weighs(1) in world.counts.columns) == kept


def test_a_copy_is_independent():
    world = World(few=0)
    world.count(weighs(1))
    world.come(world.kinds[1], 0)
    assert world.count(weighs(1)) == [1, 0, 0]
    other = world.counts.copy()
    other.add(world.kinds[1], 0, +1)
    assert (other.of(weighs(1), world.pods).tolist(), world.count(weighs(1))) == ([2, 0, 0], [1, 0, 0])


def test_pods_of_a_signature_whose_answer_changes():
    world, asked = World(few=0), Changing()
    one, two = world.kinds[1:3]
    for kind, node in ((one, 0), (two, 0), (one, 2)):
        world.come(kind, node)
    assert world.count(asked) == [2, 0, 1]
    world.counts.add(one, np.array([0, 2]), -1)
    assert world.count(asked) == [1, 0, 0]
    asked.answers["1"] = 5
    refresh(world.signatures, asked.volumes, [one])
    world.counts.add(one, np.array([0, 2]), +1)
    assert world.count(asked) == [6, 0, 5]


@dataclass(eq=False)
class Changing:
    """Answers by a table that changes."""

    volumes: object = "the table"
    answers: dict[str, int] = field(default_factory=dict)
    clues: tuple[Clue, ...] = ()

    def of(self, kind: Signature) -> int:
        return self.answers.get(kind.labels["number"], 1)


def test_counts_follow_their_nodes_to_new_positions():
    world = World(few=0)
    for node in (0, 1, 1):
        world.come(world.kinds[1], node)
    assert world.count(weighs(1)) == [1, 2, 0]
    there = world.counts.rearranged(np.array([1, -1, 0, -1]))
    there.add(world.kinds[1], 3, +1)
    assert there.of(weighs(1), world.pods).tolist() == [2, 0, 1, 1]


def test_the_number_of_columns_is_limited():
    world = World(few=0, nodes=10**6)
    world.come(world.kinds[1], 7)
    for factor in range(1, 60):
        assert world.counts.of(Weighs(factor), world.pods)[7] == factor % 4 and len(world.counts.columns) <= 8
