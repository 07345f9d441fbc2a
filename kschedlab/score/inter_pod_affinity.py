"""InterPodAffinity: the greater the weight of affinity terms in the node's domain, minus anti-affinity, the better.

v1.37: pkg/scheduler/framework/plugins/interpodaffinity/scoring.go. Weights come from the pod's own preferred terms, and
from the preferred terms of running pods that match it; required affinity of running pods has a small weight too.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce

import numpy as np

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.incoming import PREFERRED, REQUIRED, IncomingPod, Selects, by_key, incoming_pod
from kschedlab.cluster.pods import PodInfo
from kschedlab.cluster.queries import PodQuery, Sum
from kschedlab.cluster.signatures import BoolArray, IntArray
from kschedlab.score.plugin import MAX_NODE_SCORE, Scored


@dataclass(frozen=True)
class InterPodAffinityScore:
    """The sum, over the topology keys, of the weights in the node's domain, stretched to 0..``highest``.

    ``hard_pod_affinity_weight``: the weight of a running pod's required affinity.
    ``ignores_preferred_terms_of_existing_pods``: a pod without preferred terms is skipped (InterPodAffinityArgs). Named
    rules:

    ``skips_in_pre_score``: PreScore skips a pod that no term ties to a running pod; else all nodes get 0.
    ``range_includes_zero``: the range of raw scores always includes 0 (v1.20: the same file).
    ``has_normalize_step``: the raw score is the sum; else the plugin returns the final score at once (v1.16, v1.13:
    algorithm/priorities/interpod_affinity.go).
    """

    name: str = "InterPodAffinity"
    hard_pod_affinity_weight: int = 1
    ignores_preferred_terms_of_existing_pods: bool = False
    skips_in_pre_score: bool = True
    range_includes_zero: bool = False
    has_normalize_step: bool = True
    highest: int = MAX_NODE_SCORE

    def score(self, pod: PodInfo, cluster: Cluster, nodes: IntArray) -> Scored | None:
        terms = self._weights(pod, cluster, nodes)
        if not terms:
            return None if self.skips_in_pre_score else Scored(np.zeros_like(nodes), np.zeros_like(nodes))
        raw = reduce(np.add, terms.values())
        final = _stretched(raw, self.range_includes_zero, self.highest)
        return Scored(raw if self.has_normalize_step else final, final, terms)

    def _weights(self, pod: PodInfo, cluster: Cluster, nodes: IntArray) -> dict[str, IntArray]:
        """By topology key: int64[nodes given], the weight; keys without terms are left out."""
        incoming = incoming_pod(pod, cluster)
        if self.ignores_preferred_terms_of_existing_pods and not incoming.terms.preferred:
            return {}
        sums = {}
        for key, weights in by_key(self._weighted(incoming, cluster)).items():
            topology, count = cluster.topology(key), cluster.count(weights)
            has_key = topology.domain >= 0
            if ((count != 0) & has_key).any() or _cancel_out(weights, has_key, cluster):
                sums[key] = topology.total(count)[topology.domain[nodes]]
        return sums

    def _weighted(self, incoming: IncomingPod, cluster: Cluster) -> Iterator[tuple[str, PodQuery, int]]:
        """The terms between the incoming pod and any other: topology key, query about the other, weight."""
        for weight, term in incoming.terms.preferred:
            yield term.key, Selects((term,)), weight
        for holds in incoming.terms_of_others(cluster):
            if holds.purpose == PREFERRED:
                yield holds.term.key, holds, holds.weight
            elif holds.purpose == REQUIRED and self.hard_pod_affinity_weight > 0:
                yield holds.term.key, holds, self.hard_pod_affinity_weight


def _cancel_out(weights: Sum, has_key: BoolArray, cluster: Cluster) -> bool:
    """Whether running pods on nodes with the key have terms, although their weights add up to 0."""
    terms = Sum(tuple((query, 1) for query, _ in weights.parts))
    return bool(((cluster.count(terms) != 0) & has_key).any())


def _stretched(raw: IntArray, range_includes_zero: bool, highest: int) -> IntArray:
    """The least becomes 0 and the most ``highest``, in floating point, rounded down; all 0 if they are equal."""
    least, most = raw.min(), raw.max()
    if range_includes_zero:
        least, most = min(least, 0), max(most, 0)
    if most == least:
        return np.zeros_like(raw)
    return (highest * ((raw - least) / (most - least))).astype(np.int64)
