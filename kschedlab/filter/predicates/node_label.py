"""NodeLabel: has the node the labels that it must have, whatever their values, and none that it must not have?

v1.20: pkg/scheduler/framework/plugins/nodelabel/node_label.go (Filter); v1.16, v1.13:
pkg/scheduler/algorithm/predicates/predicates.go (CheckNodeLabelPresence). Evicting pods can't help.
The plugin was removed before v1.37.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.pods import PodInfo
from kschedlab.filter.plugin import Refusal, Refusals, StaticFilter

NO_LABELS = "node(s) didn't have the requested labels"


@dataclass(frozen=True)
class NodeLabel:
    """The filter. ``present``, ``absent``: keys of labels."""

    name: str = "NodeLabel"
    present: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()

    def prepare(self, pod: PodInfo, cluster: Cluster) -> StaticFilter | None:
        """Skips if every node is as it must be."""
        wrong = np.zeros(len(cluster.nodes), np.bool_)
        for keys, there in ((self.present, True), (self.absent, False)):
            for key in keys:
                wrong |= (cluster.topology(key).domain >= 0) != there
        return StaticFilter(Refusals([Refusal(wrong, NO_LABELS, True)])) if wrong.any() else None
