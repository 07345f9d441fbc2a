"""The cluster of lesson 03: settings -> manifests -> Cluster -> Decision.

The pod ``shop-new`` is scheduled on four nodes, and three of v1.20's score plugins give them points. node-a is the
emptiest node and node-b the fullest; node-c and node-d are in zone west, and node-d has the fast disk and a taint.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from kschedlab.build import Manifest, node, pod
from kschedlab.cluster.cluster import Cluster
from kschedlab.decision import Decision
from kschedlab.generations import V1_20, Generation
from kschedlab.manifests.loading import decode_objects
from kschedlab.scheduler import schedule
from kschedlab_lab.panels.preferences import labelled, preferring
from kschedlab_lab.panels.settings import Restorable, switch

NEW = "default/shop-new"
ZONE, DISK = "topology.kubernetes.io/zone", "disk"
SIZES = {"node-a": (4, 16), "node-b": (4, 8), "node-c": (8, 16), "node-d": (4, 16)}
"""By node: its CPU, and its memory in GiB."""
NODES = tuple(SIZES)
PODS: dict[str, tuple[str, float, float]] = {
    "shop-a": ("node-a", 1, 4),
    "shop-b": ("node-b", 1, 2),
    "cache-b": ("node-b", 1, 2.5),
    "shop-c": ("node-c", 1, 2),
    "batch-c": ("node-c", 2.5, 4.25),
    "db-d": ("node-d", 2, 2),
}
"""By pod: its node, its CPU, and its memory in GiB."""
NEED = (0.5, 1)
"""What the new pod asks for."""
WISHES = {ZONE: 20, DISK: 40}
"""By the label's key: the points of a wish."""
MAINTENANCE = {"key": "maintenance", "value": "soon", "effect": "PreferNoSchedule"}

PLUGINS = ("NodeResourcesLeastAllocated", "NodeAffinity", "TaintToleration")
"""The score plugins of the lesson, in the order in which they come."""
THREE = replace(V1_20, scores=tuple(each for name in PLUGINS for each in V1_20.scores if each[0].name == name))
"""v1.20 with these plugins alone, and with their weights."""


@dataclass(frozen=True)
class Cause(Restorable):
    """The inputs of the scores."""

    fast: bool = switch("fast disk on node-d", True)
    tainted: bool = switch("taint on node-d", True)


def manifests(cause: Cause) -> list[Manifest]:
    """The cluster's manifests, as ``kubectl get -o yaml`` prints them."""
    wishes = [labelled(WISHES[DISK], DISK, "fast"), labelled(WISHES[ZONE], ZONE, "west")]
    new = pod("shop-new", "", _cpu(NEED[0]), memory=_memory(NEED[1]), affinity=preferring(wishes))
    return [
        *(_node(name, cause) for name in NODES),
        *(pod(name, on, _cpu(cpu), memory=_memory(memory)) for name, (on, cpu, memory) in PODS.items()),
        new,
    ]


def _node(name: str, cause: Cause) -> Manifest:
    cpu, memory = SIZES[name]
    is_last = name == NODES[-1]
    labels = {ZONE: "west" if name in NODES[2:] else "east", DISK: "fast" if is_last and cause.fast else "slow"}
    return node(name, cpu, _memory(memory), labels, [MAINTENANCE] if is_last and cause.tainted else ())


def _cpu(cores: float) -> str:
    return f"{int(cores * 1000)}m" if cores % 1 else str(cores)


def _memory(gibibytes: float) -> str:
    return f"{int(gibibytes * 1024)}Mi" if gibibytes % 1 else f"{gibibytes}Gi"


def cluster(cause: Cause) -> Cluster:
    """The cluster of these manifests."""
    return Cluster(decode_objects(manifests(cause)), V1_20.api)


def decide(cause: Cause, rules: Generation = THREE) -> Decision:
    """The scheduler's decision for the new pod."""
    return schedule(NEW, cluster(cause), rules)
