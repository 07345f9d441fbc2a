"""InterPodAffinity: the more strongly the pods near a node pull the pod, and the less they push it away, the better.

v1.37: pkg/scheduler/framework/plugins/interpodaffinity/scoring.go. TermWeight comes from the preferred terms of the pod
itself and from those of running pods that mean it; required affinity of running pods pulls a little too.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce

import numpy as np

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.incoming import IncomingPod, incoming_pod
from kschedlab.cluster.pods import PodInfo
from kschedlab.cluster.signatures import IntArray, Signature
from kschedlab.score.plugin import MAX_NODE_SCORE, Scored


@dataclass(frozen=True, slots=True)
class TermWeight:
    """PodQuery: the weight with which a pod pulls the incoming one (negative: pushes it) to nodes near by that key.

    ``required``: the weight of a required affinity term of the pod, which the term itself does not state.
    """

    whom: IncomingPod
    key: str
    required: int

    def of(self, signature: Signature) -> int:
        """The sum of the weights."""
        return sum(self.weights(signature))

    def weights(self, signature: Signature) -> list[int]:
        """The weight of each term that ties pods of this signature to the incoming one."""
        whom, key = self.whom, self.key
        weights = [weight for weight, t in whom.terms.preferred if t.key == key and whom.matches(t, signature)]
        weights += [weight for weight, t in signature.terms.preferred if t.key == key and whom.matched_by(t)]
        if self.required > 0:
            weights += [self.required for t in signature.terms.affinity if t.key == key and whom.matched_by(t)]
        return weights


@dataclass(frozen=True, slots=True)
class TermCount:
    """PodQuery: by how many terms is a pod tied to the incoming one, whichever way they pull?"""

    pull: TermWeight

    def of(self, signature: Signature) -> int:
        """The number of terms."""
        return len(self.pull.weights(signature))


def pulling_keys(signature: Signature) -> tuple[str, ...]:
    """The topology keys of the signature's terms that can pull other pods, or be pulled by them."""
    return (*(term.key for term in signature.terms.affinity), *(term.key for _, term in signature.terms.preferred))


@dataclass(frozen=True)
class InterPodAffinityScore:
    """The sum, over the topology keys, of the weights in the node's domain, stretched to 0..``highest``.

    ``hard_pod_affinity_weight``: the weight of a running pod's required affinity. ``others_count_always``: preferred
    terms of existing pods count even if the pod itself prefers nothing (unless
    InterPodAffinityArgs.ignorePreferredTermsOfExistingPods). Named rules:

    ``skips_in_pre_score``: PreScore skips a pod that no term ties to a running pod; else all nodes get 0.
    ``range_includes_zero``: the range of raw scores always includes 0 (v1.20: the same file).
    ``has_normalize_step``: the raw score is the sum; else the plugin returns the final score at once (v1.16, v1.13:
    algorithm/priorities/interpod_affinity.go).
    """

    name: str = "InterPodAffinity"
    hard_pod_affinity_weight: int = 1
    others_count_always: bool = True
    skips_in_pre_score: bool = True
    range_includes_zero: bool = False
    has_normalize_step: bool = True
    highest: int = MAX_NODE_SCORE

    def score(self, pod: PodInfo, cluster: Cluster, nodes: IntArray) -> Scored | None:
        """Skips a pod that is tied to no running pod. Terms: the pull for each topology key."""
        terms = self._pulls(pod, cluster, nodes)
        if not terms:
            return None if self.skips_in_pre_score else Scored(np.zeros_like(nodes), np.zeros_like(nodes))
        raw = reduce(np.add, terms.values())
        final = _stretched(raw, self.range_includes_zero, self.highest)
        return Scored(raw if self.has_normalize_step else final, final, terms)

    def _pulls(self, pod: PodInfo, cluster: Cluster, nodes: IntArray) -> dict[str, IntArray]:
        """By topology key: int64[nodes given], the pull; without keys that tie the pod to nobody."""
        if not (keys := cluster.signatures.extracted(pulling_keys)):
            return {}
        whom = incoming_pod(pod, cluster)
        if not (self.others_count_always or whom.terms.preferred):
            return {}
        pulls = [TermWeight(whom, key, self.hard_pod_affinity_weight) for key in keys]
        return {pull.key: _total(pull, cluster, nodes) for pull in pulls if _tied(pull, cluster)}


def _tied(pull: TermWeight, cluster: Cluster) -> bool:
    """Whether the pod is tied to one on a node that has the key: it is pulled, or pulled by equals both ways."""
    labelled = cluster.topology(pull.key).domain >= 0
    for query in (pull, TermCount(pull)):
        if cluster.signatures.evaluate(query).any() and ((cluster.count(query) != 0) & labelled).any():
            return True
    return False


def _total(pull: TermWeight, cluster: Cluster, nodes: IntArray) -> IntArray:
    """int64[nodes given]: the pull of all pods in the node's domain."""
    topology = cluster.topology(pull.key)
    return topology.total(cluster.count(pull))[topology.domain[nodes]]


def _stretched(raw: IntArray, range_includes_zero: bool, highest: int) -> IntArray:
    """The least becomes 0 and the most ``highest``, in floating point, rounded down; all 0 if they are equal."""
    least, most = (raw.min(), raw.max()) if not range_includes_zero else (min(raw.min(), 0), max(raw.max(), 0))
    if most == least:
        return np.zeros_like(raw)
    return (highest * ((raw - least) / (most - least))).astype(np.int64)
