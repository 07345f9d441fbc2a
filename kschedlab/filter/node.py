"""NodeName and NodeUnschedulable: does the pod name this node, and is the node schedulable?

v1.37: pkg/scheduler/framework/plugins/nodename/node_name.go and nodeunschedulable/node_unschedulable.go. Evicting pods
can't help in either case.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.derived import CORDONS, derived
from kschedlab.cluster.labels import tolerated
from kschedlab.cluster.pods import PodInfo
from kschedlab.cluster.signatures import BoolArray
from kschedlab.filter.plugin import Refusal, Refusals, StaticFilter
from kschedlab.objects.model import UNSCHEDULABLE_TAINT

WRONG_NAME = "node(s) didn't match the requested node name"
WRONG_HOSTNAME = "node(s) didn't match the requested hostname"
"""The same until v1.20."""
UNSCHEDULABLE = "node(s) were unschedulable"


@dataclass(frozen=True)
class NodeName:
    """``reason``: its reason for all other nodes than that of ``spec.nodeName``.

    Named rule ``returns_node_names``: PreFilter leaves them out (PreFilterResult), so Filter never sees them.
    """

    name: str = "NodeName"
    returns_node_names: bool = True
    reason: str = WRONG_NAME

    def prepare(self, pod: PodInfo, cluster: Cluster) -> StaticFilter | None:
        node_name = pod.pod.spec.nodeName
        if not node_name:
            return None
        others = np.array([name != node_name for name in cluster.names], np.bool_)
        refused = Refusals([Refusal(others, self.reason, True)])
        return StaticFilter(refused, frozenset([node_name]) if self.returns_node_names else None)


@dataclass(frozen=True)
class NodeUnschedulable:
    """The filter: no node with ``spec.unschedulable``, unless the pod tolerates UNSCHEDULABLE_TAINT."""

    name: str = "NodeUnschedulable"

    def prepare(self, pod: PodInfo, cluster: Cluster) -> StaticFilter | None:
        cordoned = unschedulable(cluster)
        if not cordoned.any() or tolerated(UNSCHEDULABLE_TAINT, pod.pod.spec.tolerations):
            return None
        return StaticFilter(Refusals([Refusal(cordoned, UNSCHEDULABLE, True)]))


@derived(CORDONS)
def unschedulable(cluster: Cluster) -> BoolArray:
    """bool[nodes]: the nodes with ``spec.unschedulable`` (``kubectl cordon``)."""
    return np.array([node.spec.unschedulable for node in cluster.nodes], np.bool_)
