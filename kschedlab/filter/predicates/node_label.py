"""NodeLabel: does the node have all required labels, whatever their values, and no forbidden ones?

v1.20: pkg/scheduler/framework/plugins/nodelabel/node_label.go (Filter); v1.16, v1.13:
pkg/scheduler/algorithm/predicates/predicates.go (CheckNodeLabelPresence). Evicting pods can't help.
The plugin was removed in v1.23.
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
