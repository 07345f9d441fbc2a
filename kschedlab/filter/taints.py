"""TaintToleration: does the pod tolerate the taints that keep pods away from the node?

v1.37: pkg/scheduler/framework/plugins/tainttoleration/taint_toleration.go (Filter). Only the effects NoSchedule and
NoExecute count; PreferNoSchedule is the score's affair. Evicting pods can't help.
"""

from __future__ import annotations

from dataclasses import dataclass

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.labels import untolerated
from kschedlab.cluster.pods import PodInfo
from kschedlab.filter.plugin import Part, Refused, Static

UNTOLERATED = "node(s) had untolerated taint(s)"


@dataclass(frozen=True)
class TaintToleration:
    """The filter."""

    name: str = "TaintToleration"

    def prepare(self, pod: PodInfo, cluster: Cluster) -> Static | None:
        """Skips a pod that every node's taints let in."""
        mask = untolerated(cluster, pod.pod.spec.tolerations)
        return Static(Refused([Part(mask, UNTOLERATED, True)])) if mask.any() else None
