"""The dry run: on every node at once, remove all lower-priority pods, then reprieve the most important that fit.

v1.37: pkg/scheduler/framework/plugins/defaultpreemption/default_preemption.go (SelectVictimsOnNode) and
pkg/scheduler/framework/preemption/preemption.go (DryRunPreemption).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.pods import PodColumns, PodInfo
from kschedlab.cluster.signatures import BoolArray, IntArray, SmallArray
from kschedlab.cluster.snapshot import Overlay
from kschedlab.filter.stage import PASSES, FilterRun, Verdicts
from kschedlab.preemption.budgets import runs, violations
from kschedlab.preemption.rules import VictimRules


@dataclass(frozen=True, eq=False)
class DryRun:
    """The result of preempting on each of some nodes.

    ``nodes``: int64[nodes], the positions tried. ``emptied``: the verdicts with all potential victims removed.
    ``rows``, ``node``: int64[potential victims], the pods' rows and nodes; a node's pods are contiguous, the most
    important first. ``violates``: bool, evicting it violates a budget. ``reprieve_order``: int64, its place in its
    node's order of reprieve. ``refused_by``: int16, the plugin that refuses the preemptor if this pod stays, PASSES if
    none does, or the plugin that refuses the emptied node. ``sorted_again``: see VictimRules.
    """

    nodes: IntArray
    emptied: Verdicts
    rows: IntArray
    node: IntArray
    violates: BoolArray
    reprieve_order: IntArray
    refused_by: SmallArray
    sorted_again: bool

    @property
    def helps(self) -> BoolArray:
        """bool[potential victims]: the preemptor fits on this pod's node with all potential victims removed."""
        return self.emptied.refused_by[self.node] == PASSES

    @cached_property
    def evicted(self) -> BoolArray:
        """bool[potential victims]: the victims, where evicting helps and the pod can't be reprieved."""
        return self.helps & (self.refused_by != PASSES)

    @cached_property
    def in_listed_order(self) -> IntArray:
        """int64[victims]: their places among the potential victims, each node's in listed order."""
        victims = np.flatnonzero(self.evicted)
        if self.sorted_again:
            return victims
        return victims[np.lexsort((self.reprieve_order[victims], self.node[victims]))]

    def victims_on(self, node: int) -> IntArray:
        """int64[]: the rows of the victims on the node at this position, in listed order."""
        return self.rows[self.in_listed_order[self.node[self.in_listed_order] == node]]


def dry_run(cluster: Cluster, run: FilterRun, nodes: IntArray, lower: IntArray, rules: VictimRules) -> DryRun:
    """Dry-run preemption on the nodes at these positions. ``lower``: the rows of all pods of lower priority.

    Runs the filters on all nodes O(potential victims on a node) times.
    """
    is_tried: BoolArray = np.zeros(len(cluster.nodes), np.bool_)
    is_tried[nodes] = True
    rows = by_importance(cluster.pods, lower[is_tried[cluster.pods.node[lower]]], rules.older_is_more_important)
    node = cluster.pods.node[rows]
    overlay = Overlay(cluster, cluster.pods, rows)
    all_pods = np.arange(len(rows))
    overlay.set(all_pods, -1)
    emptied = run.dry_run(overlay)
    violates = violations(cluster, rows, node, rules.budgets)
    reprieve_order = _reprieve_order(node, violates)
    refused_by = emptied.refused_by[node]
    fits = refused_by == PASSES
    evicted = all_pods[:0]
    for turn in range(int(reprieve_order[fits].max(initial=-1)) + 1):  # on every node, put back its next pod
        tried = all_pods[fits & (reprieve_order == turn)]
        weights = np.repeat([-1, 0], [len(evicted), len(tried)])  # those just refused go, the next ones return
        overlay.set(np.concatenate([evicted, tried]), weights)
        refused_by[tried] = run.dry_run(overlay).refused_by[node[tried]]
        evicted = tried[refused_by[tried] != PASSES]
    return DryRun(nodes, emptied, rows, node, violates, reprieve_order, refused_by, rules.sorted_again)


def lower_priority(pod: PodInfo, pods: PodColumns) -> IntArray:
    """int64[]: the rows of all running pods of lower priority, the potential victims. O(pods)."""
    return np.flatnonzero((pods.priority < pod.priority) & pods.live())


def by_importance(pods: PodColumns, rows: IntArray, older_first: bool) -> IntArray:
    """The rows sorted by node, then the most important first: higher priority, then earlier start, then arrival.

    v1.37: framework/preemption/util.go, MoreImportantVictim. One number holds a key and the rank by the previous keys,
    so that NumPy's unstable sort can be used, which is much faster than numpy.lexsort.
    """
    bits = len(rows).bit_length()
    start, arrival = pods.start[rows], pods.arrival[rows]
    order = np.argsort(start if older_first else arrival)
    if older_first and (start[order[1:]] == start[order[:-1]]).any():
        order = np.lexsort((arrival, start))  # a changed cluster's rows are in another order than a fresh one's
    for key in (-pods.priority[rows], pods.node[rows]):
        rank = np.empty_like(order)
        rank[order] = np.arange(len(order))
        order = np.argsort((key << bits) | rank)
    return rows[order]


def _reprieve_order(node: IntArray, violates: BoolArray) -> IntArray:
    """Each pod's place in its node's reprieve: pods that violate a budget first, else in the given order."""
    order = np.lexsort((~violates, node))
    starts, lengths = runs(node)
    position = np.arange(len(node)) - np.repeat(starts, lengths)
    reprieve_order = np.empty(len(node), np.int64)
    reprieve_order[order] = position
    return reprieve_order
