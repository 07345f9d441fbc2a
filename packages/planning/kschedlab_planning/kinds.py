"""The kinds of nodes that a cluster can get more of: those of its pools, by zone, and others that a user names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from msgspec.structs import replace

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.pools import OTHERS, ZONE, pools
from kschedlab.objects.model import Node, Pod
from kschedlab.whatif.another_node import copies

ILL = ("node.kubernetes.io/", "node.cloudprovider.kubernetes.io/")
"""How keys of taints begin that say what is wrong with a node."""


@dataclass(frozen=True)
class NodeKind:
    """Nodes like one example. ``pool``, ``zone``: "" where there is none; ``there``: whether the cluster has it."""

    name: str
    pool: str
    zone: str
    node: Node
    there: bool = True
    price: Fraction = Fraction(1)

    def __hash__(self) -> int:
        return hash(self.name)


def kinds_of(cluster: Cluster, label: str = "", more: Iterable[Node] = ()) -> list[NodeKind]:
    """The kinds by pool and zone, then one for each of these nodes. ``label``: the one that names pools."""
    kinds = []
    for pool, places in pools(cluster, label).items():
        zones: dict[str, Node] = {}
        for node in sorted((cluster.nodes[place] for place in places), key=lambda node: node.metadata.name):
            if _is_well(node):
                zones.setdefault(node.metadata.labels.get(ZONE, ""), node)
        for zone, node in zones.items() if pool != OTHERS else ():
            name = f"{pool} in {zone}" if len(zones) > 1 else pool
            kinds.append(NodeKind(name, pool, zone, node))
    taken = {kind.name for kind in kinds}
    for node in more:
        if node.metadata.name not in taken:
            zone = node.metadata.labels.get(ZONE, "")
            kinds.append(NodeKind(node.metadata.name, node.metadata.name, zone, node, there=False))
    return kinds


def _is_well(node: Node) -> bool:
    return not node.spec.unschedulable and not any(taint.key.startswith(ILL) for taint in node.spec.taints)


def new_objects(cluster: Cluster, numbers: Mapping[NodeKind, int]) -> list[Node | Pod]:
    """As many new nodes of each kind, with the DaemonSet pods that a node of the pool has."""
    made: list[Node | Pod] = []
    for kind, number in numbers.items():
        for i in range(number):
            if kind.there:
                made += copies(cluster, kind.node.metadata.name, i)
            else:
                made.append(_named(kind.node, f"{kind.node.metadata.name}-{i + 1}"))
    return made


def _named(node: Node, name: str) -> Node:
    labels = node.metadata.labels | {"kubernetes.io/hostname": name}
    return replace(node, metadata=replace(node.metadata, name=name, labels=labels))


def more_nodes(cluster: Cluster, numbers: Mapping[NodeKind, int]) -> Cluster:
    """A fork with these nodes."""
    return cluster.fork().add(*new_objects(cluster, numbers))
