"""The dry run: on every node at once, remove all lower-priority pods, then spare the most important that can stay.

v1.37: pkg/scheduler/framework/plugins/defaultpreemption/default_preemption.go (SelectVictimsOnNode) and
pkg/scheduler/framework/preemption/preemption.go (DryRunPreemption).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.kinds import BoolArray, IntArray
from kschedlab.cluster.pods import PodColumns, PodInfo
from kschedlab.cluster.world import Overlay
from kschedlab.filter.stage import PASSES, FilterRun, Verdicts
from kschedlab.objects.model import PodDisruptionBudget
from kschedlab.preemption.budgets import violations

REPRIEVED = -1
"""Value of ``refused_by`` for a pod that may stay."""


@dataclass(frozen=True, eq=False)
class DryRun:
    """What preemption would do on each of some nodes.

    ``nodes``: int64[nodes], the positions tried. ``emptied``: what the filters say once all potential victims are gone.
    ``rows``, ``node``: int64[potential victims], rows of pods and their nodes; a node's pods are together, the most
    important first. ``violates``: bool, evicting it breaks a budget. ``turn``: int64, its place in the order of the
    reprieve on its node. ``refused_by``: int64, the plugin that refuses the preemptor while this pod stays, REPRIEVED
    if none does, or the plugin that refuses the emptied node.
    """

    nodes: IntArray
    emptied: Verdicts
    rows: IntArray
    node: IntArray
    violates: BoolArray
    turn: IntArray
    refused_by: IntArray

    @property
    def helps(self) -> BoolArray:
        """bool[potential victims]: the preemptor fits on this pod's node once all potential victims are gone."""
        return self.emptied.refused_by[self.node] == PASSES

    @property
    def evicted(self) -> BoolArray:
        """bool[potential victims]: the victims."""
        return self.helps & (self.refused_by != REPRIEVED)


def dry_run(
    pod: PodInfo, cluster: Cluster, run: FilterRun, nodes: IntArray, budgets: list[PodDisruptionBudget]
) -> DryRun:
    """Try preemption on the nodes at these positions. O(potential victims on a node) filter runs over all nodes."""
    rows, node = potential_victims(pod, cluster, nodes)
    overlay = Overlay(cluster, cluster.pods, rows)
    everyone = np.arange(len(rows))
    overlay.set(everyone, -1)
    emptied = run.verdicts(overlay)
    violates = violations(cluster, budgets, rows, node)
    turn = _turns(node, violates)
    refused_by = emptied.refused_by[node]
    fits = refused_by == PASSES
    for k in range(int(turn[fits].max(initial=-1)) + 1):
        tried = everyone[fits & (turn == k)]
        overlay.set(tried, 0)
        verdict = run.verdicts(overlay).refused_by[node[tried]]
        refused_by[tried] = verdict
        overlay.set(tried[verdict != PASSES], -1)
    return DryRun(nodes, emptied, rows, node, violates, turn, refused_by)


def potential_victims(pod: PodInfo, cluster: Cluster, nodes: IntArray) -> tuple[IntArray, IntArray]:
    """(rows, nodes) of all pods of lower priority there; by node, then the most important first.

    More important: higher priority, then earlier start. v1.37: framework/preemption/util.go, MoreImportantVictim.
    """
    pods = cluster.pods
    there: BoolArray = np.zeros(len(cluster.nodes) + 1, np.bool_)
    there[nodes] = True
    rows = lower_priority(pod, pods)
    rows = rows[there[pods.node[rows]]]
    by_node_and_priority = (pods.node[rows] << 32) - pods.priority[rows]
    rows = rows[np.lexsort((pods.start[rows], by_node_and_priority))]
    return rows, pods.node[rows]


def lower_priority(pod: PodInfo, pods: PodColumns) -> IntArray:
    """int64[]: the rows of all running pods of lower priority."""
    return np.flatnonzero(pods.live() & (pods.priority < pod.priority))


def _turns(node: IntArray, violates: BoolArray) -> IntArray:
    """Each pod's place in its node's reprieve: those that break a budget first, else in the order given."""
    order = np.lexsort((~violates, node))
    starts = np.flatnonzero(np.diff(node, prepend=-1))
    within = np.arange(len(node)) - np.repeat(starts, np.diff(np.append(starts, len(node))))
    turn = np.empty(len(node), np.int64)
    turn[order] = within
    return turn
