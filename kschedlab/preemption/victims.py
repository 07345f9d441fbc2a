"""The dry run: on every node at once, remove all lower-priority pods, then spare the most important that can stay.

v1.37: pkg/scheduler/framework/plugins/defaultpreemption/default_preemption.go (SelectVictimsOnNode) and
pkg/scheduler/framework/preemption/preemption.go (DryRunPreemption).
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.pods import PodColumns, PodInfo
from kschedlab.cluster.signatures import BoolArray, IntArray, SmallArray
from kschedlab.cluster.snapshot import Overlay
from kschedlab.filter.stage import PASSES, FilterRun, Verdicts
from kschedlab.objects.model import PodDisruptionBudget
from kschedlab.preemption.budgets import runs, violations
from kschedlab.preemption.rules import VictimRules


@dataclass(frozen=True, eq=False)
class DryRun:
    """What preemption would do on each of some nodes.

    ``nodes``: int64[nodes], the positions tried. ``emptied``: what the filters say once all potential victims are gone.
    ``rows``, ``node``: int64[potential victims], rows of pods and their nodes; a node's pods are together, the most
    important first. ``violates``: bool, evicting it breaks a budget. ``turn``: int64, its place in the order of the
    reprieve on its node. ``refused_by``: int8, the plugin that refuses the preemptor while this pod stays, PASSES
    if none does, or the plugin that refuses the emptied node. ``sorted_again``: see :class:`VictimRules`.
    """

    nodes: IntArray
    emptied: Verdicts
    rows: IntArray
    node: IntArray
    violates: BoolArray
    turn: IntArray
    refused_by: SmallArray
    sorted_again: bool

    @property
    def helps(self) -> BoolArray:
        """bool[potential victims]: the preemptor fits on this pod's node once all potential victims are gone."""
        return self.emptied.refused_by[self.node] == PASSES

    @cached_property
    def evicted(self) -> BoolArray:
        """bool[potential victims]: the victims."""
        return self.helps & (self.refused_by != PASSES)

    @cached_property
    def listed(self) -> IntArray:
        """int64[victims]: their places among the potential victims, a node's in the order in which they are listed."""
        victims = np.flatnonzero(self.evicted)
        if self.sorted_again:
            return victims
        return victims[np.lexsort((self.turn[victims], self.node[victims]))]

    def victims_on(self, node: int) -> IntArray:
        """int64[]: the rows of the victims on the node at this position, in the order in which they are listed."""
        return self.rows[self.listed[self.node[self.listed] == node]]


def dry_run(
    cluster: Cluster,
    run: FilterRun,
    nodes: IntArray,
    lower: IntArray,
    budgets: Collection[PodDisruptionBudget],
    rules: VictimRules,
) -> DryRun:
    """Try preemption on the nodes at these positions. ``lower``: the rows of all pods of lower priority.

    O(potential victims on a node) filter runs, each over all nodes.
    """
    there: BoolArray = np.zeros(len(cluster.nodes), np.bool_)
    there[nodes] = True
    rows = by_importance(cluster.pods, lower[there[cluster.pods.node[lower]]], rules.older_is_more_important)
    node = cluster.pods.node[rows]
    overlay = Overlay(cluster, cluster.pods, rows)
    everyone = np.arange(len(rows))
    overlay.set(everyone, -1)
    emptied = run.verdicts(overlay)
    violates = violations(cluster, budgets, rows, node, rules.budgets)
    turn = _turns(node, violates)
    refused_by = emptied.refused_by[node]
    fits = refused_by == PASSES
    goes = everyone[:0]
    for k in range(int(turn[fits].max(initial=-1)) + 1):
        tried = everyone[fits & (turn == k)]
        overlay.set(np.concatenate([goes, tried]), np.repeat([-1, 0], [len(goes), len(tried)]))
        refused_by[tried] = run.verdicts(overlay).refused_by[node[tried]]
        goes = tried[refused_by[tried] != PASSES]
    return DryRun(nodes, emptied, rows, node, violates, turn, refused_by, rules.sorted_again)


def lower_priority(pod: PodInfo, pods: PodColumns) -> IntArray:
    """int64[]: the rows of all running pods of lower priority, the potential victims. O(pods)."""
    return np.flatnonzero((pods.priority < pod.priority) & pods.live())


def by_importance(pods: PodColumns, rows: IntArray, older_first: bool = True) -> IntArray:
    """The rows sorted by node, then the most important first: higher priority, then earlier start (or arrival).

    v1.37: framework/preemption/util.go, MoreImportantVictim. One number holds a key and the rank by the keys before it,
    so that NumPy's fast unstable sort can be used, which is much faster than numpy.lexsort.
    """
    bits = len(rows).bit_length()
    order = np.argsort((pods.start if older_first else pods.arrival)[rows])
    for key in (-pods.priority[rows], pods.node[rows]):
        rank = np.empty_like(order)
        rank[order] = np.arange(len(order))
        order = np.argsort((key << bits) | rank)
    return rows[order]


def _turns(node: IntArray, violates: BoolArray) -> IntArray:
    """Each pod's place in its node's reprieve: those that break a budget first, else in the order given."""
    order = np.lexsort((~violates, node))
    starts, lengths = runs(node)
    within = np.arange(len(node)) - np.repeat(starts, lengths)
    turn = np.empty(len(node), np.int64)
    turn[order] = within
    return turn
