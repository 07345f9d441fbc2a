"""NodeLabel: nodes that have certain labels, whatever their values, or lack others: required, or better.

v1.20: pkg/scheduler/framework/plugins/nodelabel/node_label.go (Filter, Score); v1.16, v1.13:
pkg/scheduler/algorithm/predicates/predicates.go (CheckNodeLabelPresence), algorithm/priorities/node_label.go. Evicting
pods can't help. The plugin was removed in v1.23.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.pods import PodInfo
from kschedlab.cluster.signatures import IntArray
from kschedlab.filter.plugin import Refusal, Refusals, SchedulingError, StaticFilter
from kschedlab.score.plugin import MAX_NODE_SCORE, Scored

NO_LABELS = "node(s) didn't have the requested labels"
PANIC = "panic: runtime error: integer divide by zero"


@dataclass(frozen=True)
class NodeLabel:
    """The filter. ``present``, ``absent``: keys of required and of forbidden labels."""

    name: str = "NodeLabel"
    present: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()

    def prepare(self, pod: PodInfo, cluster: Cluster) -> StaticFilter | None:
        """Skips if all nodes pass."""
        refused = np.zeros(len(cluster.nodes), np.bool_)
        for keys, expected in ((self.present, True), (self.absent, False)):
            for key in keys:
                refused |= (cluster.topology(key).domain >= 0) != expected
        return StaticFilter(Refusals([Refusal(refused, NO_LABELS, True)])) if refused.any() else None


@dataclass(frozen=True)
class NodeLabelScore:
    """The mean over the labels: ``highest`` for each label that is present, or absent, as preferred; truncated.

    ``present``, ``absent``: the keys of labels that should be present, or absent. Named rule ``panics_without_labels``:
    else every node gets 0 (v1.22: the same file).
    """

    name: str = "NodeLabel"
    present: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()
    highest: int = MAX_NODE_SCORE
    panics_without_labels: bool = True

    def score(self, pod: PodInfo, cluster: Cluster, nodes: IntArray) -> Scored:
        """Scores every pod. Terms: ``met``, int64[nodes given], how many preferences the node meets.

        SchedulingError if no label is configured: the real scheduler divides by zero and panics.
        """
        if self.panics_without_labels and not self.present and not self.absent:
            raise SchedulingError(PANIC)
        met = np.zeros(len(nodes), np.int64)
        for keys, expected in ((self.present, True), (self.absent, False)):
            for key in keys:
                met += (cluster.topology(key).domain[nodes] >= 0) == expected
        raw = met * self.highest // max(len(self.present) + len(self.absent), 1)
        return Scored(raw, raw, {"met": met})
