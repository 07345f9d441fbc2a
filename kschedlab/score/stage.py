"""The score stage: plugins x nodes in one array, the weighted sum, and the draw among the best nodes.

v1.37: pkg/scheduler/schedule_one.go (prioritizeNodes), pkg/scheduler/framework/runtime/framework.go (RunScorePlugins).
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.pods import PodInfo
from kschedlab.cluster.signatures import BoolArray, IntArray
from kschedlab.score.plugin import Score, Scored


@dataclass(frozen=True, eq=False)
class Scores:
    """The scores of one decision.

    ``nodes``: int64[nodes], the positions scored. ``plugins``, ``weights``, ``rows``: of the plugins that did not skip
    the pod. ``results``: int64[plugins, nodes], normalized score times weight. ``total``: int64[nodes], their sum.
    ``drawn``: bool[nodes], the nodes among which v1.37 breaks ties at random: those that an extender listed, or all if
    PreFilter named the nodes, whose order is then that of a Go map. None if the order of the search decides.
    """

    nodes: IntArray
    plugins: tuple[str, ...]
    weights: tuple[int, ...]
    rows: tuple[Scored, ...]
    results: IntArray
    total: IntArray
    drawn: BoolArray | None = None

    @property
    def best(self) -> IntArray:
        """int64[]: the positions of all nodes with the highest total, in scoring order."""
        return self.nodes[self.total == self.total.max()]

    @property
    def drawn_best(self) -> IntArray:
        """int64[]: those of the best among which v1.37 draws one; none if the order of the search decides."""
        return self.best[:0] if self.drawn is None else self.nodes[(self.total == self.total.max()) & self.drawn]

    def best_names(self, names: Sequence[str]) -> list[str]:
        """The names of these nodes, sorted. ``names``: those of the cluster's nodes."""
        return sorted(names[n] for n in self.best.tolist())


def prioritize(pod: PodInfo, cluster: Cluster, nodes: IntArray, plugins: Sequence[tuple[Score, int]]) -> Scores:
    """Score the nodes with every (plugin, weight). Without plugins every node scores 1."""
    if not plugins:
        return Scores(nodes, (), (), (), np.zeros((0, len(nodes)), np.int64), np.ones(len(nodes), np.int64))
    names, weights, rows = [], [], []
    for plugin, weight in plugins:
        scored = plugin.score(pod, cluster, nodes)
        if scored is not None:
            names.append(plugin.name)
            weights.append(weight)
            rows.append(scored)
    results = np.zeros((len(rows), len(nodes)), np.int64)
    for row, (scored, weight) in enumerate(zip(rows, weights, strict=True)):
        np.multiply(scored.normalized, weight, out=results[row])
    return Scores(nodes, tuple(names), tuple(weights), tuple(rows), results, results.sum(axis=0))


class Ties(Enum):
    """The choice among several best nodes: in turn, drawn at random, or as the head of a heap of all scores."""

    IN_TURN = "in turn"
    DRAWN = "drawn"
    HEAP = "head of a heap"


def select_host(best: IntArray, rng: random.Random) -> int:
    """Draw one of the best nodes by reservoir sampling: hold the k-th with probability 1/k, else the one held before.

    Each is chosen with the same probability, in one pass. v1.20: core/generic_scheduler.go, selectHost; v1.34 does the
    same with the nodes as they leave a heap: pkg/scheduler/schedule_one.go, selectHost.
    """
    chosen = int(best[0])
    for seen, node in enumerate(best[1:].tolist(), start=2):
        if rng.random() * seen < 1:
            chosen = node
    return chosen


def head_of_heap(scores: Scores, rng: random.Random) -> int:
    """The node at the head of a heap of the scores, built in the order of the search; else a drawn one.

    heap.Init moves a child up only if it is greater than its parent, and the right one only if it is greater than
    the left one. So among equal scores the first in preorder ends up at the head: in [5, 6, 9, 9], the last
    element. An extender's nodes have a random number, too, which decides between equal scores, and nodes that
    PreFilter named come in the order of a Go map. v1.37: pkg/scheduler/framework/sorted_nodes.go, schedule_one.go
    (prioritizeNodes, findNodesThatFitPod). There, 16 workers filter nodes at once, so their order is not fully
    determined.
    """
    if scores.drawn is not None and (drawn := scores.drawn_best.tolist()):
        return int(rng.choice(drawn))
    best = np.flatnonzero(scores.total == scores.total.max())
    # The bits of a place counted from 1 spell the path from the root: left-aligned, they compare in preorder.
    paths = best + 1
    depth = np.frexp(paths)[1]
    first_in_preorder = best[(paths << (depth[-1] - depth)).argmin()]
    return int(scores.nodes[first_in_preorder])
