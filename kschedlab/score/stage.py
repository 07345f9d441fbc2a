"""The score stage: plugins x nodes in one array, summed with weights, and the host drawn among the best.

v1.37: pkg/scheduler/schedule_one.go (prioritizeNodes), pkg/scheduler/framework/runtime/framework.go (RunScorePlugins).
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.pods import PodInfo
from kschedlab.cluster.signatures import IntArray
from kschedlab.score.plugin import Score, Scored


@dataclass(frozen=True, eq=False)
class Scores:
    """The scores of one decision.

    ``nodes``: int64[nodes], the positions that were scored. ``plugins``, ``weights``, ``rows``: those that did not skip
    the pod. ``results``: int64[plugins, nodes], normalised score times weight. ``total``: int64[nodes], its sum.
    """

    nodes: IntArray
    plugins: tuple[str, ...]
    weights: tuple[int, ...]
    rows: tuple[Scored, ...]
    results: IntArray
    total: IntArray

    @property
    def best(self) -> IntArray:
        """int64[]: the positions of all nodes with the highest total, in the order in which they were scored."""
        return self.nodes[self.total == self.total.max()]


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


def select_host(best: IntArray, rng: random.Random) -> int:
    """Draw one of the best nodes by reservoir sampling: the k-th replaces the one held with probability 1/k.

    So each is drawn with the same probability, in one pass. v1.20: core/generic_scheduler.go, selectHost.
    v1.37 takes the head of a heap instead (framework/sorted_nodes.go); a random number beside the score breaks a tie
    only where an extender has scored (schedule_one.go, prioritizeNodes), else the order of the list does.
    """
    chosen = int(best[0])
    for seen, node in enumerate(best[1:].tolist(), start=2):
        if rng.random() * seen < 1:
            chosen = node
    return chosen
