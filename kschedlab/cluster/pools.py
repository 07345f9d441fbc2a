"""The pools of a cluster: groups of nodes that a label names, as cloud providers and autoscalers set it."""

from __future__ import annotations

from collections import Counter

from kschedlab.cluster.cluster import Cluster
from kschedlab.objects.model import Node

USUAL = (
    "karpenter.sh/nodepool",
    "cloud.google.com/gke-nodepool",
    "eks.amazonaws.com/nodegroup",
    "alpha.eksctl.io/nodegroup-name",
    "kubernetes.azure.com/agentpool",
    "agentpool",
    "doks.digitalocean.com/node-pool",
    "k8s.scaleway.com/pool-name",
)
NAMES = frozenset({"pool", "nodepool", "node-pool", "nodegroup", "node-group"})
"""Labels that name a node's pool; the second: the last part of such a label's key."""
INSTANCE_TYPE, ZONE = "node.kubernetes.io/instance-type", "topology.kubernetes.io/zone"
TAINTS = "taints"
"""The name in place of a label where nodes are grouped by their taints."""
POOLS = 12
"""Maximum number of pools; the smallest ones are merged."""
OTHERS = "others"
UNNAMED = "nodes"
"""The name of the pool of nodes that neither a label nor a taint sets apart."""


def pools(cluster: Cluster, label: str = "") -> dict[str, list[int]]:
    """Indices of each pool's nodes, the largest pool first. ``label``: by default the likeliest one."""
    label = label or usual_label(cluster)
    places: dict[str, list[int]] = {}
    for place, node in enumerate(cluster.nodes):
        places.setdefault(_pool(node, label), []).append(place)
    largest = sorted(places, key=lambda name: (-len(places[name]), name))
    kept = largest if len(largest) <= POOLS else largest[: POOLS - 1]
    rest = [place for name in largest[len(kept) :] for place in places[name]]
    merged = {name: places[name] for name in kept}
    if rest:
        merged[OTHERS] = sorted([*merged.get(OTHERS, []), *rest])
    return merged


def usual_label(cluster: Cluster) -> str:
    """The label that names pools by default; ``taints`` if no label does."""
    has = Counter(key for node in cluster.nodes for key in node.metadata.labels)
    named = sorted(key for key in has if key.rpartition("/")[2] in NAMES)
    return next((key for key in (*USUAL, *named, INSTANCE_TYPE) if has[key]), TAINTS)


def _pool(node: Node, label: str) -> str:
    if label != TAINTS:
        return node.metadata.labels.get(label, "") or OTHERS
    return ", ".join(sorted({taint.key for taint in node.spec.taints})) or UNNAMED
