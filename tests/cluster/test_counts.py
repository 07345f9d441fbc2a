"""Updated counts equal recounts, whatever is added, removed and queried in between."""

from dataclasses import dataclass, field

import numpy as np
from hypothesis import given, strategies as st

from kschedlab.cluster.counts import Counts
from kschedlab.cluster.signatures import Signature, Signatures
from kschedlab.testing import pod
from tests.verdicts import model

NODES, KINDS = 3, 5


@dataclass(frozen=True)
class Weighs:
    """Answers with a number that depends on the signature, and with 0 for some signatures."""

    factor: int

    def of(self, kind: Signature) -> int:
        return int(kind.labels["number"]) * self.factor % 4


EVENTS = st.one_of(
    st.tuples(st.just("come"), st.integers(0, KINDS - 1), st.integers(0, NODES - 1)),
    st.tuples(st.just("go"), st.integers(0, 1000), st.just(0)),
    st.tuples(st.just("ask"), st.integers(0, 12), st.just(0)),
)


def recount(signatures: Signatures, query: Weighs, pods: list[tuple[int, int]]) -> list[int]:
    return [sum(query.of(signatures[kind]) for kind, on in pods if on == node) for node in range(NODES)]


@given(st.lists(EVENTS, max_size=60))
def test_kept_counts_equal_recounts(events):
    signatures, pods, asked = Signatures(), [], set()
    numbers = [signatures.of(model(pod("p", labels={"number": str(n)}))) for n in range(KINDS)]
    counts = Counts(signatures, NODES)
    for what, a, b in events:
        if what == "come":
            pods.append((numbers[a], b))
            counts.add(numbers[a], b, +1)
        elif what == "go" and pods:
            kind, node = pods.pop(a % len(pods))
            counts.add(kind, node, -1)
        elif what == "ask" and Weighs(a) not in counts:
            asked.add(Weighs(a))
            columns = np.array(pods, np.int64).reshape(-1, 2)
            counts.start(Weighs(a), columns[:, 1], columns[:, 0])
        assert set(counts.queries()) == asked
        for query in asked:
            assert counts[query].tolist() == recount(signatures, query, pods)


def test_a_copy_is_independent():
    signatures = Signatures()
    kind = signatures.of(model(pod("p", labels={"number": "1"})))
    nobody = np.zeros(0, np.int64)
    counts = Counts(signatures, NODES)
    counts.start(Weighs(1), nobody, nobody)
    counts.add(kind, 0, +1)
    other = counts.copy()
    other.add(kind, 0, +1)
    other.start(Weighs(2), nobody, nobody)
    assert (counts[Weighs(1)].tolist(), other[Weighs(1)].tolist()) == ([1, 0, 0], [2, 0, 0])
    assert Weighs(2) not in counts


def test_pods_of_a_signature_whose_answer_changes():
    signatures = Signatures()
    one, two = (signatures.of(model(pod("p", labels={"number": number}))) for number in "12")
    counts, asked = Counts(signatures, NODES), Changing()
    for kind, node in ((one, 0), (two, 0), (one, 2)):
        counts.add(kind, node, +1)
    counts.start(asked, np.array([0, 0, 2]), np.array([one, two, one]))
    assert counts[asked].tolist() == [2, 0, 1]
    counts.exclude(one, np.array([0, 2]))
    assert counts[asked].tolist() == [1, 0, 0]
    asked.answers["1"] = 5
    signatures.refresh(asked.volumes, [one])
    counts.include(one, np.array([0, 2]))
    assert counts[asked].tolist() == [6, 0, 5]


@dataclass(eq=False)
class Changing:
    """Answers by a table that changes."""

    volumes: object = "the table"
    answers: dict[str, int] = field(default_factory=dict)

    def of(self, kind: Signature) -> int:
        return self.answers.get(kind.labels["number"], 1)


def test_counts_follow_their_nodes_to_new_positions():
    signatures = Signatures()
    kind = signatures.of(model(pod("p", labels={"number": "1"})))
    counts = Counts(signatures, NODES)
    counts.start(Weighs(1), np.array([0, 1, 1]), np.array([kind] * 3))
    there = counts.rearranged(np.array([1, -1, 0, -1]))
    there.add(kind, 3, +1)
    assert (there[Weighs(1)].tolist(), counts[Weighs(1)].tolist()) == ([2, 0, 1, 1], [1, 2, 0])


def test_the_number_of_counts_is_limited():
    signatures, many = Signatures(), 10**6
    kind = signatures.of(model(pod("p", labels={"number": "1"})))
    counts = Counts(signatures, many)
    for factor in range(1, 60):
        counts.start(Weighs(factor), np.array([7]), np.array([kind]))
        assert counts[Weighs(factor)][7] == factor % 4 and len(counts.queries()) <= 8
