"""Would one more node of a pool help? The decision with it, as a cluster autoscaler tries it.

A new node is like a healthy one of its pool, with its labels, taints and resources. Of its pods it has those of
DaemonSets.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice

from msgspec.structs import replace as put

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.pools import OTHERS, ZONE, pools
from kschedlab.decision import Decision
from kschedlab.objects.model import Node, Pod, controller_of
from kschedlab.whatif.case import Case

HOSTNAME = "kubernetes.io/hostname"
ILL = ("node.kubernetes.io/", "node.cloudprovider.kubernetes.io/")
"""Such a taint says what is wrong with a node; a new one is well."""
MOST = 40
"""The most kinds of nodes that are tried."""


@dataclass(frozen=True, eq=False)
class AnotherNode:
    """One more node of ``pool``, in ``zone`` if not every zone of the pool would do. ``decision``: the one with it."""

    pool: str
    zone: str
    node: str
    decision: Decision


def another_node(case: Case, label: str = "") -> Iterator[AnotherNode]:
    """For each pool: one more node with which the pod fits, if there is one. ``label``: the label that names pools."""
    left = MOST
    for pool, places in pools(case.cluster, label).items():
        helping: list[AnotherNode] = []
        zones = _by_zone(case.cluster, places) if pool != OTHERS else {}
        for zone, like in islice(zones.items(), left):
            bigger = case.cluster.fork().add(*copies(case.cluster, like))
            decision = case.in_cluster(bigger).decide()
            if decision.node is not None:
                helping.append(AnotherNode(pool, zone, f"{like}-new", decision))
        left = max(left - len(zones), 0)
        if helping:
            yield helping[0] if len(helping) < len(zones) else replace(helping[0], zone="")


def _by_zone(cluster: Cluster, places: list[int]) -> dict[str, str]:
    """The first healthy node of each zone."""
    nodes = sorted((cluster.nodes[place] for place in places), key=lambda node: node.metadata.name)
    by_zone: dict[str, str] = {}
    for node in nodes:
        if not node.spec.unschedulable and not any(taint.key.startswith(ILL) for taint in node.spec.taints):
            by_zone.setdefault(node.metadata.labels.get(ZONE, ""), node.metadata.name)
    return by_zone


def copies(cluster: Cluster, like: str, before: int = 0) -> list[Node | Pod]:
    """A new node like this one, and the pods of DaemonSets on it. ``before``: how many copies there are already."""
    place, ending = cluster.index[like], f"new-{before + 1}" if before else "new"
    node, name = cluster.nodes[place], f"{like}-{ending}"
    labels = node.metadata.labels | ({HOSTNAME: name} if HOSTNAME in node.metadata.labels else {})
    made: list[Node | Pod] = [put(node, metadata=put(node.metadata, name=name, labels=labels, uid=""))]
    for row in cluster.pods_of(place).tolist():
        pod = cluster.pods.info(row).pod
        owner = controller_of(pod.metadata)
        if owner is not None and owner.kind in ("DaemonSet", "Node"):
            metadata = put(pod.metadata, name=f"{pod.metadata.name}-{ending}", uid="")
            made.append(put(pod, metadata=metadata, spec=put(pod.spec, nodeName=name)))
    return made
