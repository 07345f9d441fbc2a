"""The cluster of lesson 03: settings -> manifests -> Cluster -> Decision.

A new pod of the shop is scheduled on four nodes, and four of v1.20's score plugins give them points. The nodes differ
in more than that, so that the other plugins have an opinion, too:

* node-a and node-b, in zone east, have the pod's image, three pods of the shop, and the cache that it prefers nearby.
* node-c and node-d, in zone west, have one pod of the shop; node-c is large, node-d has the fast disk and a taint.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from kschedlab.build import Manifest, node, pod
from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.spread_constraints import HOSTNAME
from kschedlab.decision import Decision
from kschedlab.generations import V1_20, Generation
from kschedlab.manifests.loading import decode_objects
from kschedlab.scheduler import schedule
from kschedlab_lab.panels.preferences import labelled, preferring, with_app
from kschedlab_lab.panels.settings import Restorable, switch

NEW = "default/shop-new"
ZONE, DISK = "topology.kubernetes.io/zone", "disk"
MIB = 1 << 20
NODES = ("node-a", "node-b", "node-c", "node-d")
MAINTENANCE = {"key": "maintenance", "value": "soon", "effect": "PreferNoSchedule"}

PLUGINS = ("NodeResourcesLeastAllocated", "NodeAffinity", "TaintToleration", "PodTopologySpread")
"""The score plugins of the lesson, in the order in which they come."""
FOUR = replace(V1_20, scores=tuple(each for name in PLUGINS for each in V1_20.scores if each[0].name == name))
"""v1.20 with these plugins alone, and with their weights."""


@dataclass(frozen=True)
class Cause(Restorable):
    """The inputs of the scores."""

    fast: bool = switch("fast disk on node-d", True)
    tainted: bool = switch("taint on node-d", True)


def manifests(cause: Cause) -> list[Manifest]:
    """The cluster's manifests, as ``kubectl get -o yaml`` prints them."""
    return [
        *nodes(cause),
        _shop("shop-a", "node-a", "1", "4Gi"),
        _shop("shop-b", "node-b", "500m", "1Gi"),
        _shop("shop-b2", "node-b", "500m", "1Gi"),
        pod("cache-b", "node-b", "500m", labels={"app": "cache"}, memory="2Gi"),
        pod("batch-b", "node-b", "500m", labels={"app": "batch"}, memory="512Mi"),
        _shop("shop-c", "node-c", "1", "2Gi"),
        pod("batch-c", "node-c", "1", labels={"app": "batch"}, memory="7Gi"),
        pod("db-d", "node-d", "2", memory="2Gi"),
        _shop("shop-new", "", "500m", "1Gi", **wishes()),
    ]


def nodes(cause: Cause) -> list[Manifest]:
    made = [
        node("node-a", 4, "16Gi", _labels("node-a", "east", "slow")),
        node("node-b", 4, "8Gi", _labels("node-b", "east", "slow")),
        node("node-c", 8, "16Gi", _labels("node-c", "west", "slow")),
        node(
            "node-d",
            4,
            "16Gi",
            _labels("node-d", "west", "fast" if cause.fast else "slow"),
            [MAINTENANCE] if cause.tainted else (),
        ),
    ]
    for each in made[:2]:
        each["status"]["images"] = [{"names": ["example/app:1"], "sizeBytes": 900 * MIB}]
    return made


def _labels(name: str, zone: str, disk: str) -> dict[str, str]:
    return {HOSTNAME: name, ZONE: zone, DISK: disk}


def _shop(name: str, on: str, cpu: str, memory: str, **spec: Any) -> Manifest:
    return pod(name, on, cpu, labels={"app": "shop"}, memory=memory, **spec)


def wishes() -> dict[str, Any]:
    """The new pod's preferences: a fast disk, zone west, the cache nearby, no batch job on its node, an even spread."""
    shop = {"matchLabels": {"app": "shop"}}
    spread = {"maxSkew": 1, "topologyKey": ZONE, "whenUnsatisfiable": "ScheduleAnyway", "labelSelector": shop}
    return {
        "affinity": preferring(
            [labelled(40, DISK, "fast"), labelled(20, ZONE, "west")],
            near=[with_app(50, "cache", ZONE)],
            apart=[with_app(30, "batch", HOSTNAME)],
        ),
        "topologySpreadConstraints": [spread],
    }


def cluster(cause: Cause) -> Cluster:
    """The cluster of these manifests."""
    return Cluster(decode_objects(manifests(cause)), V1_20.api)


def decide(cause: Cause, rules: Generation = FOUR) -> Decision:
    """The scheduler's decision for the new pod."""
    return schedule(NEW, cluster(cause), rules)
