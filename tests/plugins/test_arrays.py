"""Plugins that answer for all nodes at once, and what is checked of their answers."""

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from kschedlab.build import cluster, node, pod
from kschedlab.generations import V1_16, V1_37
from kschedlab.plugins import (
    ArrayFilter,
    PreFilterRejection,
    Refusal,
    Refusals,
    SchedulingError,
    Scored,
    StaticFilter,
)
from kschedlab.scheduler import schedule

WORLD = cluster(node("n1"), node("n2"), node("n3"), pod("old", "n1"), pod("web", priority=5))


class Empty(ArrayFilter):
    """No node that has pods."""

    monotonic = True

    def refuse(self, pod: Any, snapshot: Any) -> Refusal:
        return Refusal(snapshot.pods_on() > 0, "node(s) had pods")


def test_an_array_filter_is_a_class_with_one_method() -> None:
    decision = schedule("default/web", WORLD, V1_37.plus(Empty()))
    assert decision.names == ["n2", "n3"] and decision.verdict("n1").reasons == ("node(s) had pods",)
    full = cluster(node("n1"), pod("old", "n1"), pod("web", priority=5))
    assert schedule("default/web", full, V1_37.plus(Empty())).nominated_node == "n1"


@dataclass(frozen=True)
class Answering:
    """A filter or score that answers what it is given."""

    answer: Any
    name: str = "Bad"

    def prepare(self, pod: Any, cluster: Any) -> Any:
        return self.answer(cluster)


@dataclass(frozen=True)
class Scoring:
    answer: Any
    name: str = "Bad"
    weight: int = 1

    def score(self, pod: Any, cluster: Any, nodes: Any) -> Any:
        return self.answer(len(nodes))


def refusing(mask: Any, reason: Any = "no", unresolvable: Any = False) -> Any:
    return lambda cluster: StaticFilter(Refusals([Refusal(mask, reason, unresolvable)]))


MASK = np.array([True, False, False])


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (refusing(MASK.astype(np.int64)), r"the mask is int64\[3\], where bool\[3\] is expected.*compare"),
        (refusing(MASK[:2]), r"the mask is bool\[2\], where bool\[3\] is expected"),
        (refusing([True]), r"the mask is \[True\], where bool\[3\]"),
        (refusing(MASK, 7), "the reason is 7, where a text is expected"),
        (refusing(MASK, "no", np.array([1, 0, 0])), r"unresolvable is int64\[3\]"),
        (lambda cluster: StaticFilter(Refusals([])), "Refusals without a part: return None"),
        (lambda cluster: StaticFilter(MASK), "where Refusals or None is expected"),  # type: ignore[arg-type]
        (lambda cluster: cluster.nodes[9], r"IndexError: .*\(in <lambda>, line \d+: .*\)"),
        (lambda cluster: "no", "prepare returned 'no', which has no depends_on_pods: return a StaticFilter"),
        (lambda cluster: StaticFilter(None, node_names=frozenset({1})), "node_names must be"),  # type: ignore[arg-type]
    ],
)
def test_a_wrong_filter_is_an_error_that_names_it_and_what_helps(answer: Any, words: str) -> None:
    decision = schedule("default/web", WORLD, V1_37.plus(Answering(answer)))
    assert decision.node is None and '"Bad"' in decision.error and re.search(words, decision.error)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (lambda n: Scored(np.ones(n), np.ones(n, np.int64)), r"raw is float64\[3\], where int64\[3\] .*with //"),  # type: ignore[arg-type]
        (lambda n: Scored(np.ones(n, np.int64), np.ones(n) / 2), r"normalized is float64\[3\]"),  # type: ignore[arg-type]
        (lambda n: Scored(np.ones(2, np.int64), np.ones(n, np.int64)), r"raw is int64\[2\], where int64\[3\]"),
        (lambda n: Scored(np.ones(n, np.int64), np.array([1, 101, 0])), "score of node n2 is 101, where 0 to 100"),
        (lambda n: Scored(np.ones(n, np.int64), np.array([1, 1, -3])), "score of node n3 is -3, where 0 to 100"),
        (lambda n: np.ones(n), "where Scored"),
        (lambda n: 1 // 0, r"ZeroDivisionError: .*\(in <lambda>, line \d+: .*\)"),
    ],
)
def test_a_wrong_score_is_an_error_that_names_it_and_what_helps(answer: Any, words: str) -> None:
    decision = schedule("default/web", WORLD, V1_37.plus(Scoring(answer)))
    assert decision.node is None and 'plugin "Bad" failed with: ' in decision.error
    assert re.search(words, decision.error)


def test_right_answers_are_taken_as_they_are() -> None:
    generation = V1_37.plus(
        Answering(lambda c: None), Scoring(lambda n: Scored(np.arange(n), np.arange(n) * 50), weight=9)
    )
    assert schedule("default/web", WORLD, generation).node == "n3"
    older = V1_16.plus(Scoring(lambda n: Scored(np.arange(n), np.arange(n) * 50)))
    scores = schedule("default/web", WORLD, older).scores
    assert scores is not None and scores.rows[-1].normalized.tolist() == [0, 5, 10], "the highest score is 10 there"
    rejected = V1_37.plus(Answering(lambda c: PreFilterRejection("Bad", ("not you",))))
    assert schedule("default/web", WORLD, rejected).message == "0/3 nodes are available: not you."


def test_a_plugin_may_end_the_decision_in_its_own_words() -> None:
    def fails(cluster: Any) -> Any:
        raise SchedulingError("the rack is on fire")

    assert schedule("default/web", WORLD, V1_37.plus(Answering(fails))).error == "the rack is on fire"


def test_the_packages_own_plugins_are_not_wrapped() -> None:
    generation = V1_37.without("ImageLocality", "NodePorts").plus(
        *(f for f in V1_37.filters if f.name == "NodePorts"), *(s for s, _ in V1_37.scores if s.name == "ImageLocality")
    )
    assert generation.plugins == () and set(generation.filters) == set(V1_37.filters)
