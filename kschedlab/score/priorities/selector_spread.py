"""SelectorSpread: the fewer pods of the pod's Services and controllers are on the node and in its zone, the better.

v1.13, v1.16: pkg/scheduler/algorithm/priorities/selector_spreading.go and metadata.go (getSelectors); v1.20:
framework/plugins/selectorspread/selector_spread.go. The zone counts for two thirds. Since v1.20 topology
spread constraints do this by default.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kschedlab.cluster.clues import Clue, clues_of
from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.derived import LABELS, OWNERS, derived
from kschedlab.cluster.pods import PodInfo
from kschedlab.cluster.signatures import FloatArray, IntArray, Signature
from kschedlab.cluster.topology import Topology, zone_of
from kschedlab.objects.model import ReplicaSet, ReplicationController, Service, StatefulSet
from kschedlab.objects.selectors import Selector, from_map
from kschedlab.score.plugin import MAX_NODE_SCORE, Scored

ZONE_WEIGHT = 2.0 / 3.0


@dataclass(frozen=True, slots=True)
class SelectedBy:
    """PodQuery: do the selectors select the pod (``all_must``: all of them, or any), unless it is terminating?"""

    namespace: str
    selectors: tuple[Selector, ...]
    all_must: bool

    def of(self, signature: Signature) -> int:
        if signature.terminating or signature.namespace != self.namespace or not self.selectors:
            return 0
        matches = (selector.matches(signature.labels) for selector in self.selectors)
        return int(all(matches) if self.all_must else any(matches))

    @property
    def clues(self) -> tuple[Clue, ...]:
        demanded = self.selectors if self.all_must else self.selectors[:1] * (len(self.selectors) == 1)
        return tuple(clue for selector in demanded or (Selector(),) for clue in clues_of(selector, [self.namespace]))


@dataclass(frozen=True)
class SelectorSpread:
    """The number of selected pods, reversed: 0 where there are the most, ``highest`` where there are none. Rules:

    ``requires_all_selectors``: a pod counts if all selectors select it; else one is enough (v1.13).
    ``yields_to_spread_constraints``: a pod with its own topology spread constraints gets 0 everywhere (v1.20).
    """

    name: str = "SelectorSpread"
    highest: int = MAX_NODE_SCORE
    requires_all_selectors: bool = True
    yields_to_spread_constraints: bool = False

    def score(self, pod: PodInfo, cluster: Cluster, nodes: IntArray) -> Scored:
        """Scores every pod. Terms: ``pods`` selected on the node, and ``in zone`` in its zone (-1: it has no zone)."""
        if self.yields_to_spread_constraints and pod.pod.spec.topologySpreadConstraints:
            return Scored(np.zeros_like(nodes), np.zeros_like(nodes))
        selectors = selectors_of(cluster, pod.signature)
        count = cluster.count(SelectedBy(pod.pod.metadata.namespace, selectors, self.requires_all_selectors))[nodes]
        zone = zones(cluster).domain[nodes]
        share = _reversed(count, float(self.highest))
        in_zone = np.full(len(nodes), -1, np.int64)
        zoned = zone >= 0
        if zoned.any():
            sums = np.bincount(zone[zoned], weights=count[zoned]).astype(np.int64)
            in_zone[zoned] = sums[zone[zoned]]
            zone_share = _reversed(in_zone, float(self.highest))
            share = np.where(zoned, share * (1.0 - ZONE_WEIGHT) + ZONE_WEIGHT * zone_share, share)
        return Scored(count, share.astype(np.int64), {"pods": count, "in zone": in_zone})


@derived(*OWNERS)
def selectors_of(cluster: Cluster, signature: Signature) -> tuple[Selector, ...]:
    """The selectors of all Services and controllers of the namespace that select such pods; empty ones don't count."""
    maps: tuple[Service | ReplicationController, ...] = (
        *cluster.objects_of(Service),
        *cluster.objects_of(ReplicationController),
    )
    owners: tuple[ReplicaSet | StatefulSet, ...] = (*cluster.objects_of(ReplicaSet), *cluster.objects_of(StatefulSet))
    listed = [(each.metadata.namespace, from_map(each.spec.selector)) for each in maps]
    for each in owners:
        if each.spec.selector is not None:
            listed.append((each.metadata.namespace, each.spec.selector.compile()))
    own = [selector for namespace, selector in listed if namespace == signature.namespace and not selector.empty]
    return tuple(selector for selector in own if selector.matches(signature.labels))


@derived(LABELS)
def zones(cluster: Cluster) -> Topology:
    """The zones as domains; a node with neither region nor zone is in none."""
    zones = [zone_of(node, cluster.api.older_zone_labels_only) for node in cluster.nodes]
    return Topology.of("zone", [{"zone": "/".join(zone)} if any(zone) else {} for zone in zones])


def _reversed(count: IntArray, highest: float) -> FloatArray:
    """``highest * (most - count) / most``, all ``highest`` if the most is 0. In Go's order of operations."""
    most = int(count.max(initial=0))
    if most == 0:
        return np.full(len(count), highest)
    return highest * ((most - count) / float(most))
