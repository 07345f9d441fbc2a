"""The score stage: plugins x nodes, weights, and an even draw among the best."""

import random
from collections import Counter
from dataclasses import dataclass, replace

import numpy as np
import pytest

from kschedlab.build import cluster, node, pod
from kschedlab.generations import V1_37
from kschedlab.scheduler import schedule
from kschedlab.score.plugin import Scored, default_normalize
from kschedlab.score.stage import Scores, head_of_heap, prioritize, select_host


@dataclass(frozen=True)
class Fixed:
    """Scores the nodes with these numbers, or skips the pod."""

    name: str
    by_node: tuple[int, ...] | None

    def score(self, pod, cluster, nodes):
        if self.by_node is None:
            return None
        raw = np.array(self.by_node, np.int64)[nodes]
        return Scored(raw, default_normalize(raw))


def run(plugins, nodes=(0, 1, 2)):
    world = cluster(*(node(f"n{i}") for i in range(3)), pod("p"))
    return prioritize(world.pending["default/p"], world, np.array(nodes), plugins)


def test_scores_are_normalized_weighted_and_summed():
    scores = run([(Fixed("A", (1, 2, 4)), 1), (Fixed("B", (50, 0, 100)), 3)])
    assert scores.plugins == ("A", "B") and scores.weights == (1, 3)
    assert [row.raw.tolist() for row in scores.rows] == [[1, 2, 4], [50, 0, 100]]
    assert scores.results.tolist() == [[25, 50, 100], [150, 0, 300]]
    assert scores.total.tolist() == [175, 50, 400]
    assert scores.best.tolist() == [2]


def test_only_the_nodes_given_are_scored_and_normalized():
    scores = run([(Fixed("A", (1, 2, 4)), 1)], nodes=(1, 0))
    assert scores.total.tolist() == [100, 50] and scores.best.tolist() == [1]


def test_a_plugin_that_skips_the_pod_has_no_row():
    scores = run([(Fixed("A", None), 5), (Fixed("B", (1, 1, 2)), 1)])
    assert scores.plugins == ("B",) and scores.results.shape == (1, 3)
    assert scores.total.tolist() == [50, 50, 100]


def test_all_best_nodes_are_kept_in_their_order():
    assert run([(Fixed("A", (2, 1, 2)), 1)], nodes=(2, 1, 0)).best.tolist() == [2, 0]


def test_without_plugins_every_node_scores_one():
    scores = run([])
    assert scores.total.tolist() == [1, 1, 1] and scores.best.tolist() == [0, 1, 2]


def test_if_every_plugin_skips_all_nodes_score_0():
    assert run([(Fixed("A", None), 1)]).total.tolist() == [0, 0, 0]


def test_one_feasible_node_is_not_scored():
    decision = schedule("default/p", cluster(node("n1"), node("n2", unschedulable=True), pod("p")))
    assert (decision.node, decision.scores) == ("n1", None)


def test_a_generation_without_score_plugins_draws_among_all():
    world = cluster(*(node(f"n{i}") for i in range(3)), pod("p"))
    decision = schedule("default/p", world, replace(V1_37, scores=()))
    assert decision.best == ["n0", "n1", "n2"] and decision.scores.total.tolist() == [1, 1, 1]


@pytest.mark.parametrize(
    ("raw", "reverse", "want"),
    [
        ([1, 2, 3, 4], False, [25, 50, 75, 100]),
        ([1, 2, 3, 4], True, [75, 50, 25, 0]),
        ([1000, 10, 20, 30], False, [100, 1, 2, 3]),
        ([1000, 10, 20, 30], True, [0, 99, 98, 97]),
        ([1, 1, 1, 1], False, [100, 100, 100, 100]),
        ([0, 0, 0], False, [0, 0, 0]),
        ([0, 0, 0], True, [100, 100, 100]),
        ([2, 3], False, [66, 100]),
        ([], False, []),
    ],
    ids=[
        "scores",
        "reversed",
        "beyond 100",
        "beyond 100, reversed",
        "equal",
        "zeros",
        "zeros, reversed",
        "cut off",
        "none",
    ],
)
def test_default_normalize(raw, reverse, want):
    """Rows of v1.37: framework/plugins/helper/normalize_score_test.go."""
    assert default_normalize(np.array(raw, np.int64), reverse=reverse).tolist() == want


def test_a_single_best_node_is_chosen():
    assert select_host(np.array([7]), random.Random(0)) == 7


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_host_is_drawn_evenly(seed):
    """Pearson's chi-square with 9 degrees of freedom stays below 27.9 in 99.9 % of all samples."""
    rng, best, draws = random.Random(seed), np.arange(100, 110), 5000
    drawn = Counter(select_host(best, rng) for _ in range(draws))
    expected = draws / len(best)
    assert set(drawn) == set(best.tolist())
    assert sum((drawn[host] - expected) ** 2 / expected for host in best.tolist()) < 27.9


def heap_of(totals: list[int]) -> int:
    """container/heap by the book: what Pop returns after Init, as an index of the list."""
    items = list(enumerate(totals))
    for start in range(len(items) // 2 - 1, -1, -1):
        i = start
        while (child := 2 * i + 1) < len(items):
            if child + 1 < len(items) and items[child + 1][1] > items[child][1]:
                child += 1
            if not items[child][1] > items[i][1]:
                break
            items[i], items[child] = items[child], items[i]
            i = child
    return items[0][0]


@pytest.mark.parametrize("seed", range(5))
def test_the_head_of_the_heap_is_the_one_that_go_s_heap_pops(seed):
    rng = random.Random(seed)
    for _ in range(200):
        totals = [rng.randint(1, 3) for _ in range(rng.randint(1, 40))]
        scores = Scores(np.arange(len(totals)) + 7, (), (), (), np.zeros((0, len(totals)), np.int64), np.array(totals))
        assert head_of_heap(scores, rng) == heap_of(totals) + 7, totals


def test_among_nodes_that_an_extender_scored_the_head_is_drawn():
    none = np.zeros((0, 4), np.int64)
    scores = Scores(np.arange(4), (), (), (), none, np.array([9, 9, 9, 8]), np.array([False, True, True, True]))
    rng = random.Random(1)
    assert {head_of_heap(scores, rng) for _ in range(50)} == {1, 2}


def test_the_same_seed_draws_the_same_hosts():
    best = np.arange(5)
    first, second = ([select_host(best, rng) for _ in range(50)] for rng in (random.Random(4), random.Random(4)))
    assert first == second
