"""NodeAffinity: the more of the pod's preferred terms the node matches, by weight, the better.

v1.37: pkg/scheduler/framework/plugins/nodeaffinity/node_affinity.go (Score) and
component-helpers/scheduling/corev1/nodeaffinity/nodeaffinity.go (PreferredSchedulingTerms).
"""

from __future__ import annotations

from dataclasses import dataclass

import msgspec
import numpy as np

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.derived import LABELS, derived
from kschedlab.cluster.labels import matches
from kschedlab.cluster.pods import PodInfo
from kschedlab.cluster.signatures import IntArray
from kschedlab.filter.plugin import SchedulingError
from kschedlab.objects.model import PodSpec, PreferredSchedulingTerm
from kschedlab.objects.selectors import SelectorError
from kschedlab.score.plugin import MAX_NODE_SCORE, Scored, default_normalize

Terms = tuple[PreferredSchedulingTerm, ...]


@dataclass(frozen=True)
class NodeAffinityScore:
    """The sum of the weights of the terms that match, scaled to 0..``highest``.

    ``added``: terms that the scheduler prefers for every pod (NodeAffinityArgs.addedAffinity). Named rules:

    ``skips_in_pre_score``: PreScore skips a pod that prefers nothing; else all nodes get 0.
    ``reads_match_fields``: a term can prefer nodes by name (matchFields); else matchFields is ignored (v1.16, v1.13:
    algorithm/priorities/node_affinity.go).
    """

    name: str = "NodeAffinity"
    added: Terms = ()
    skips_in_pre_score: bool = True
    highest: int = MAX_NODE_SCORE
    reads_match_fields: bool = True

    def __post_init__(self) -> None:
        """SelectorError if ``added`` has an invalid term."""
        for term in self.added:
            term.preference.compile()

    def score(self, pod: PodInfo, cluster: Cluster, nodes: IntArray) -> Scored | None:
        """Skips a pod without preferred terms. SchedulingError if one of its terms is invalid."""
        preferred = preferred_terms(pod.pod.spec)
        if self.skips_in_pre_score and not preferred and not self.added:
            return None
        if not self.reads_match_fields:
            preferred = tuple(map(without_fields, preferred))
        try:
            raw = weight_of(cluster, self.added + preferred)[nodes]
        except SelectorError as error:
            raise SchedulingError(f'running PreScore plugin "{self.name}": {error}') from error
        return Scored(raw, default_normalize(raw, highest=self.highest))


def preferred_terms(spec: PodSpec) -> Terms:
    affinity = spec.affinity.nodeAffinity if spec.affinity is not None else None
    return affinity.preferredDuringSchedulingIgnoredDuringExecution if affinity is not None else ()


def without_fields(term: PreferredSchedulingTerm) -> PreferredSchedulingTerm:
    """The term without ``matchFields``; a term with nothing else matches no node."""
    return msgspec.structs.replace(term, preference=msgspec.structs.replace(term.preference, matchFields=()))


@derived(LABELS)
def weight_of(cluster: Cluster, terms: Terms) -> IntArray:
    """int64[nodes]: the sum of the weights of the terms that match each node. Terms of weight 0 are not even parsed."""
    weights = np.zeros(len(cluster.nodes), np.int64)
    for term in terms:
        if term.weight:
            weights += term.weight * matches(cluster, term.preference)
    return weights
