"""InterPodAffinity: do running pods satisfy the pod's required affinity, and does no anti-affinity forbid the node?

v1.37: pkg/scheduler/framework/plugins/interpodaffinity/filtering.go. A term applies to the node's topology domain: all
nodes with the same value of the term's topology key. Required affinity counts only pods that match *all* its terms. The
first pod of a group, whose affinity matches only pods like itself, passes on nodes with the keys. Evicting pods can't
help where affinity is missing. Required anti-affinity counts in both directions: the pod's own terms, and those of
existing pods. v1.16, v1.13: pkg/scheduler/algorithm/predicates/predicates.go (InterPodAffinityMatches) and
metadata.go (AddPod).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from kschedlab.cluster.clues import Clue
from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.incoming import FORBIDDEN, IncomingPod, Selects, by_key, incoming_pod
from kschedlab.cluster.pods import PodInfo
from kschedlab.cluster.queries import Sum
from kschedlab.cluster.signatures import BoolArray, Signature
from kschedlab.cluster.snapshot import Snapshot
from kschedlab.cluster.terms import PodTerms
from kschedlab.filter.plugin import PodsFilter, Refusal, Refusals, first_of

NO_AFFINITY_OR_ANTI_AFFINITY = "node(s) didn't match pod affinity/anti-affinity"
NO_AFFINITY = "node(s) didn't match pod affinity rules"
ANTI_AFFINITY = "node(s) didn't match pod anti-affinity rules"
EXISTING_ANTI_AFFINITY = "node(s) didn't satisfy existing pods anti-affinity rules"


@dataclass(frozen=True)
class AntiAffinityOfOtherKeys:
    """PodQuery: does the required anti-affinity in ``terms`` match the pod, but by no term with that key?"""

    terms: PodTerms
    key: str
    clues: tuple[Clue, ...] = ()

    def of(self, signature: Signature) -> int:
        matching = (t for t in self.terms.anti_affinity if t.matches(signature.namespace, signature.labels, {}))
        keys = {term.key for term in matching}
        return int(bool(keys) and self.key not in keys)


@dataclass(frozen=True)
class InterPodAffinity:
    """``common_reason``: a reason given for every refused node, before the specific one. Named rules:

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
        """Skips a pod that no term can affect; with ``skips_in_pre_filter``, also if only nominated pods' terms can."""
        incoming = incoming_pod(pod, cluster)
        forbidding = (holds for holds in incoming.terms_of_others(cluster) if holds.purpose == FORBIDDEN)
        existing = by_key((holds.term.key, holds, 1) for holds in forbidding)
        if incoming.terms.affinity or incoming.terms.anti_affinity or (existing and not self.skips_in_pre_filter):
            return AffinityCheck(incoming, existing, cluster, self)
        for key, query in existing.items():  # does a running pod on a node with the topology key have such a term?
            if (cluster.count(query)[cluster.topology(key).domain >= 0] > 0).any():
                return AffinityCheck(incoming, existing, cluster, self)
        return None


class AffinityCheck(PodsFilter):
    """``existing``: by topology key, how many terms of existing pods' anti-affinity match the pod."""

    def __init__(
        self, incoming: IncomingPod, existing: dict[str, Sum], cluster: Cluster, rules: InterPodAffinity
    ) -> None:
        self._terms = terms = incoming.terms
        self._rules = rules
        self.monotonic = not terms.affinity
        self._existing = existing
        self._anti_affinity = by_key((term.key, Selects((term,)), 1) for term in terms.anti_affinity)
        self._affinity = Selects(terms.affinity)
        self._affinity_keys = tuple(dict.fromkeys(t.key for t in terms.affinity))
        self._matches_itself = all(incoming.matches(term, incoming.signature) for term in terms.affinity)
        has_key = [cluster.topology(key).domain >= 0 for key in self._affinity_keys]
        self._has_all_keys: BoolArray = np.logical_and.reduce(has_key)
        self._has_any_key: BoolArray = np.logical_or.reduce(has_key)

    def filter(self, snapshot: Snapshot) -> Refusals | None:
        """The nodes without the affinity that the pod requires, and those that anti-affinity forbids.

        Terms: for each topology key, how many pods match (or how many of their terms) in the node's domain.
        """
        refused = first_of(self._parts(snapshot))
        if refused is None or not self._rules.common_reason:
            return refused
        return Refusals([Refusal(refused.mask, self._rules.common_reason), *refused.parts])

    def _parts(self, snapshot: Snapshot) -> Iterator[Refusal]:
        for_own_terms = snapshot if self._rules.own_terms_see_nominated_pods else snapshot.running_only()
        if self._rules.existing_anti_affinity_first:
            yield from self._refused_by_existing_pods(snapshot)
        if self._affinity_keys:
            yield self._without_affinity(for_own_terms)
        yield from self._refused_by_anti_affinity(for_own_terms)
        if not self._rules.existing_anti_affinity_first:
            yield from self._refused_by_existing_pods(snapshot)

    def _without_affinity(self, snapshot: Snapshot) -> Refusal:
        counts = {key: snapshot.count_in_domain(self._affinity, key) for key in self._affinity_keys}
        satisfied = np.logical_and.reduce([count > 0 for count in counts.values()])
        if self._rules.first_pod_needs_topology_keys:
            fits = self._has_all_keys & (satisfied | self._is_first(snapshot))
        else:
            fits = (self._has_all_keys & satisfied) | self._is_first(snapshot)
        return Refusal(~fits, NO_AFFINITY, True, counts)

    def _refused_by_anti_affinity(self, snapshot: Snapshot) -> Iterator[Refusal]:
        for key, query in self._anti_affinity.items():
            count = snapshot.count_in_domain(query, key)
            if not self._rules.reprieved_pods_count_per_term:
                has_key = snapshot.cluster.topology(key).domain >= 0
                count = count + has_key * snapshot.reprieved(AntiAffinityOfOtherKeys(self._terms, key))
            yield Refusal(count > 0, ANTI_AFFINITY, terms={key: count})

    def _refused_by_existing_pods(self, snapshot: Snapshot) -> Iterator[Refusal]:
        for key, query in self._existing.items():
            count = snapshot.count_in_domain(query, key)
            yield Refusal(count > 0, EXISTING_ANTI_AFFINITY, terms={key: count})

    def _is_first(self, snapshot: Snapshot) -> BoolArray:
        """bool[nodes]: the pod matches its own affinity, and no pod on any node with one of the keys does."""
        if not self._matches_itself:
            return np.zeros(len(snapshot.cluster.nodes), np.bool_)
        matching = snapshot.cluster.count(self._affinity)[self._has_any_key].sum()
        return matching + snapshot.overlay_count(self._affinity) * self._has_any_key == 0
