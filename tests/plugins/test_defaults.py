"""What a plugin gets that declares nothing, and what its PreScore decides."""

from typing import Any

import pytest

from kschedlab.build import cluster, node, pod
from kschedlab.generations import V1_37
from kschedlab.plugins import ArrayFilter, Plugin, Refusal, Skip, Status, check_plugin, node_filter, node_score
from kschedlab.scheduler import schedule

WORLD = cluster(node("n1"), node("n2"), pod("web"))


class Scoring(Plugin):
    """It prefers n1, and answers in PreScore what it is given."""

    highest = 10

    def __init__(self, answer: Any = None) -> None:
        self.answer = answer

    def pre_score(self, pod: Any, nodes: list[str]) -> Any:
        return self.answer

    def score(self, pod: Any, node: Any) -> int:
        return 7 if node.name == "n1" else 0


class Bare:
    """No base class, no weight."""

    def score(self, pod: Any, node: Any) -> int:
        return 0


@pytest.mark.parametrize("plugin", [Scoring(), Bare(), node_score("Zero")(lambda pod, node: 0)])
def test_a_score_without_a_weight_counts_once(plugin: Any) -> None:
    scores = schedule("default/web", WORLD, V1_37.plus(plugin)).scores
    assert scores is not None and scores.weights[-1] == 1


def test_a_score_out_of_10_is_brought_to_100() -> None:
    scores = schedule("default/web", WORLD, V1_37.plus(Scoring())).scores
    assert scores is not None and scores.results[-1].tolist() == [70, 0]


def test_a_skip_in_pre_score_leaves_the_score_out() -> None:
    """v1.37: pkg/scheduler/framework/runtime/framework.go, RunPreScorePlugins."""
    scores = schedule("default/web", WORLD, V1_37.plus(Scoring(Skip()))).scores
    assert scores is not None and "Scoring" not in scores.plugins


@pytest.mark.parametrize("answer", [Status("Error", "no data"), Status("Unschedulable", "no data")])
def test_another_answer_in_pre_score_is_an_error(answer: Status) -> None:
    """v1.37: the same function; any status but Success and Skip ends the decision."""
    assert (
        schedule("default/web", WORLD, V1_37.plus(Scoring(answer))).error
        == 'running PreScore plugin "Scoring": no data'
    )


class Company(Plugin):
    def filter(self, pod: Any, node: Any) -> str | None:
        return None if node.pods else "lonely"


class Companies(ArrayFilter):
    def refuse(self, pod: Any, snapshot: Any) -> Refusal:
        return Refusal(snapshot.pods_on() == 0, "lonely")


@pytest.mark.parametrize("plugin", [Company(), Companies(), node_filter("Company")(Company().filter)])
def test_a_filter_that_declares_nothing_may_depend_on_pods_in_any_way(plugin: Any) -> None:
    assert check_plugin(plugin).ok, check_plugin(plugin)
