"""InterPodAffinity: are the pods near that the pod wants near, and those far that want it, or that it wants, far?

v1.37: pkg/scheduler/framework/plugins/interpodaffinity/filtering.go. Near means: on nodes with the same value of the
term's topology key. Required affinity asks for pods that match *all* terms at once; the first pod of a group that
wants only its like passes where the nodes have the keys. Evicting pods can't help where affinity is missing.
v1.16, v1.13: pkg/scheduler/algorithm/predicates/predicates.go (InterPodAffinityMatches) and metadata.go (AddPod).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.incoming import IncomingPod, incoming_pod
from kschedlab.cluster.pods import PodInfo
from kschedlab.cluster.signatures import BoolArray, Signature
from kschedlab.cluster.snapshot import Snapshot
from kschedlab.filter.plugin import Refusal, Refusals, first_of

NO_AFFINITY_OR_ANTI_AFFINITY = "node(s) didn't match pod affinity/anti-affinity"
NO_AFFINITY = "node(s) didn't match pod affinity rules"
ANTI_AFFINITY = "node(s) didn't match pod anti-affinity rules"
OTHERS_ANTI_AFFINITY = "node(s) didn't satisfy existing pods anti-affinity rules"


@dataclass(frozen=True, slots=True)
class AffinityCount:
    """PodQuery: does the pod match all terms of the incoming pod's required affinity?"""

    by: IncomingPod

    def of(self, signature: Signature) -> int:
        """1 if pods of this signature do."""
        return int(all(self.by.matches(term, signature) for term in self.by.terms.affinity))


@dataclass(frozen=True, slots=True)
class AntiAffinityCount:
    """PodQuery: how many terms of the incoming pod's required anti-affinity with that key mean the pod?"""

    by: IncomingPod
    key: str

    def of(self, signature: Signature) -> int:
        """The number of terms that mean pods of this signature."""
        return sum(term.key == self.key and self.by.matches(term, signature) for term in self.by.terms.anti_affinity)


@dataclass(frozen=True, slots=True)
class AntiAffinityOfOtherKeys:
    """PodQuery: is the pod meant by a term of the incoming pod's required anti-affinity, but by none with that key?"""

    by: IncomingPod
    key: str

    def of(self, signature: Signature) -> int:
        """1 if pods of this signature are."""
        keys = {term.key for term in self.by.terms.anti_affinity if self.by.matches(term, signature)}
        return int(bool(keys) and self.key not in keys)


@dataclass(frozen=True, slots=True)
class ExistingAntiAffinityCount:
    """PodQuery: how many terms with that key of the pod's required anti-affinity mean the incoming pod?"""

    whom: IncomingPod
    key: str

    def of(self, signature: Signature) -> int:
        """The number of such terms of pods of this signature."""
        return sum(term.key == self.key and self.whom.matched_by(term) for term in signature.terms.anti_affinity)


def anti_affinity_keys(signature: Signature) -> tuple[str, ...]:
    """The topology keys of the signature's required anti-affinity."""
    return tuple(term.key for term in signature.terms.anti_affinity)


@dataclass(frozen=True)
class InterPodAffinity:
    """The filter.

    ``common_reason``: a reason given for every refused node, before the specific one. Named rules:

    ``skips_in_pre_filter``: PreFilter skips a pod without required terms that no *running* pod's anti-affinity matches.
    ``existing_anti_affinity_first``: the anti-affinity of existing pods is checked before the pod's own terms.
    ``first_pod_needs_topology_keys``: the first pod of a group passes only on nodes with the topology keys.
    ``own_terms_see_nominated_pods``: the pod's own terms count nominated pods; else only the nominated pods' terms
    apply to the pod.
    ``reprieved_pods_count_per_term``: a reprieved victim counts for the anti-affinity terms that match it; else for the
    topology keys of all the pod's anti-affinity terms if any of them matches it.
    """

    name: str = "InterPodAffinity"
    common_reason: str = ""
    skips_in_pre_filter: bool = True
    existing_anti_affinity_first: bool = False
    first_pod_needs_topology_keys: bool = True
    own_terms_see_nominated_pods: bool = True
    reprieved_pods_count_per_term: bool = True

    def prepare(self, pod: PodInfo, cluster: Cluster) -> AffinityCheck | None:
        """Skips a pod that no term can affect, or (``skips_in_pre_filter``) only terms of nominated pods."""
        signatures = cluster.signatures
        keys = signatures.extracted(anti_affinity_keys)
        if not keys and not signatures[pod.signature].terms.affinity:
            return None
        asked = incoming_pod(pod, cluster)
        repels = tuple(r for key in keys if signatures.evaluate(r := ExistingAntiAffinityCount(asked, key)).any())
        concerned = asked.terms.affinity or asked.terms.anti_affinity or (repels and not self.skips_in_pre_filter)
        if concerned or any(_asked_somewhere(r, cluster) for r in repels):
            return AffinityCheck(asked, repels, cluster, self)
        return None


def _asked_somewhere(repels: ExistingAntiAffinityCount, cluster: Cluster) -> bool:
    return bool((cluster.count(repels)[cluster.topology(repels.key).domain >= 0] > 0).any())


class AffinityCheck:
    """``repels``: queries about those topology keys of other pods' anti-affinity that can concern the pod."""

    node_names: frozenset[str] | None = None
    depends_on_pods: bool = True

    def __init__(
        self,
        asked: IncomingPod,
        repels: tuple[ExistingAntiAffinityCount, ...],
        cluster: Cluster,
        rules: InterPodAffinity,
    ) -> None:
        terms = asked.terms
        self._rules = rules
        self.monotonic = not terms.affinity
        self._repels = repels
        self._unwanted = tuple(
            AntiAffinityCount(asked, key) for key in dict.fromkeys(t.key for t in terms.anti_affinity)
        )
        self._wanted = AffinityCount(asked)
        self._near = tuple(dict.fromkeys(t.key for t in terms.affinity))
        self._likes_itself = all(asked.matches(term, asked.signature) for term in terms.affinity)
        labelled = [cluster.topology(key).domain >= 0 for key in self._near]
        self._labelled: BoolArray = np.logical_and.reduce(labelled)
        self._nearby: BoolArray = np.logical_or.reduce(labelled)

    def filter(self, snapshot: Snapshot) -> Refusals | None:
        """The nodes without the affinity that the pod requires, and those with anti-affinity on either side.

        Terms: for each topology key, how many pods (or their terms) there are in the node's domain.
        """
        refused = first_of(self._parts(snapshot))
        if refused is None or not self._rules.common_reason:
            return refused
        return Refusals([Refusal(refused.mask, self._rules.common_reason), *refused.parts])

    def _parts(self, snapshot: Snapshot) -> Iterator[Refusal]:
        own = snapshot if self._rules.own_terms_see_nominated_pods else snapshot.running_only()
        if self._rules.existing_anti_affinity_first:
            yield from self._others(snapshot)
        if self._near:
            yield self._affinity(own)
        for query in self._unwanted:
            count = own.count_in_domain(query, query.key)
            if not self._rules.reprieved_pods_count_per_term:
                labelled = own.cluster.topology(query.key).domain >= 0
                count = count + labelled * own.reprieved(AntiAffinityOfOtherKeys(query.by, query.key))
            yield Refusal(count > 0, ANTI_AFFINITY, terms={query.key: count})
        if not self._rules.existing_anti_affinity_first:
            yield from self._others(snapshot)

    def _affinity(self, snapshot: Snapshot) -> Refusal:
        near = {key: snapshot.count_in_domain(self._wanted, key) for key in self._near}
        found = np.logical_and.reduce([count > 0 for count in near.values()])
        if self._rules.first_pod_needs_topology_keys:
            fits = self._labelled & (found | self._first(snapshot))
        else:
            fits = (self._labelled & found) | self._first(snapshot)
        return Refusal(~fits, NO_AFFINITY, True, near)

    def _others(self, snapshot: Snapshot) -> Iterator[Refusal]:
        for query in self._repels:
            count = snapshot.count_in_domain(query, query.key)
            yield Refusal(count > 0, OTHERS_ANTI_AFFINITY, terms={query.key: count})

    def _first(self, snapshot: Snapshot) -> BoolArray:
        """bool[nodes]: the pod wants its like near, and there is none so far on any node that has one of the keys."""
        if not self._likes_itself:
            return np.zeros(len(snapshot.cluster.nodes), np.bool_)
        known = snapshot.cluster.count(self._wanted)[self._nearby].sum()
        return known + snapshot.overlay_count(self._wanted) * self._nearby == 0
