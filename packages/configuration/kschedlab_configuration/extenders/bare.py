"""Nodes that an extender returned as objects, as scores see them: without pods and images.

v1.37 makes a NodeInfo of such a node (pkg/scheduler/extender.go, Filter: NewNodeInfo, SetNode) and hands it to the
scores. NodeResourcesFit, NodeResourcesBalancedAllocation, ImageLocality and, for the topology key of the host,
PodTopologySpread read it; the others read the snapshot or the node.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from msgspec.structs import replace as with_fields

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.pods import PodInfo
from kschedlab.cluster.signatures import IntArray
from kschedlab.score.plugin import Score
from kschedlab.score.pod_topology_spread import PodTopologySpreadScore
from kschedlab.score.stage import Scores, prioritize

READ_SNAPSHOT = frozenset({"InterPodAffinity", "NodeAffinity", "TaintToleration", "VolumeBinding", "DynamicResources"})
"""Scores that do not read the pods and images of a NodeInfo."""


def scores_of_bare_nodes(
    pod: PodInfo, cluster: Cluster, nodes: IntArray, plugins: Sequence[tuple[Score, int]]
) -> Scores:
    """The scores of these nodes as if no pods ran on them and they had no images. O(nodes + pods)."""
    bare = bare_cluster(cluster, nodes)
    parts = []
    for plugin, weight in plugins:
        seen = bare
        if isinstance(plugin, PodTopologySpreadScore):
            plugin, seen = replace(plugin, empty_hosts=True), cluster
        elif plugin.name in READ_SNAPSHOT:
            seen = cluster
        parts.append(prioritize(pod, seen, nodes, [(plugin, weight)]))
    parts = [part for part in parts if part.plugins]
    results = np.vstack([np.zeros((0, len(nodes)), np.int64), *(part.results for part in parts)])
    return Scores(
        nodes,
        tuple(name for part in parts for name in part.plugins),
        tuple(weight for part in parts for weight in part.weights),
        tuple(row for part in parts for row in part.rows),
        results,
        results.sum(axis=0),
    )


def bare_cluster(cluster: Cluster, nodes: IntArray) -> Cluster:
    """A copy without the pods and images of these nodes."""
    bare = cluster.fork()
    on = np.isin(cluster.pods.node, nodes)
    for row in np.flatnonzero(on).tolist():
        bare.evict(cluster.pods.info(row).key)
    objects = (cluster.nodes[n] for n in nodes.tolist())
    bare.change_nodes(
        (node.metadata.name, with_fields(node, status=with_fields(node.status, images=()))) for node in objects
    )
    return bare
