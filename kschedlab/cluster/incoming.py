"""The incoming pod as affinity terms see it: its own terms, and the terms of other pods that match it.

v1.37: pkg/scheduler/framework/plugins/interpodaffinity/plugin.go (GetNamespaceLabelsSnapshot).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from kschedlab.cluster.clues import Clue, clues_of
from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.derived import NAMESPACES, derived
from kschedlab.cluster.pods import PodInfo
from kschedlab.cluster.queries import PodQuery, Sum
from kschedlab.cluster.signatures import Signature
from kschedlab.cluster.terms import AffinityTerm, Labels, PodTerms
from kschedlab.objects.model import Namespace


@dataclass(frozen=True, slots=True)
class Selects:
    """PodQuery: do all these terms of an incoming pod match the pod? Their namespace selectors must be resolved."""

    terms: tuple[AffinityTerm, ...]

    def of(self, signature: Signature) -> int:
        return int(all(term.matches(signature.namespace, signature.labels, {}) for term in self.terms))

    @property
    def clues(self) -> tuple[Clue, ...]:
        return tuple(clue for term in self.terms for clue in clues_to(term))


REQUIRED, FORBIDDEN, PREFERRED = "required affinity", "required anti-affinity", "preferred"
"""The purpose of a pod's term."""


@dataclass(frozen=True, slots=True)
class Holds:
    """PodQuery: how often does the pod have this term for this purpose? ``weight``: 0 unless it is preferred."""

    purpose: str
    term: AffinityTerm
    weight: int = 0

    def of(self, signature: Signature) -> int:
        terms = signature.terms
        if self.purpose == PREFERRED:
            return terms.preferred.count((self.weight, self.term))
        return (terms.affinity if self.purpose == REQUIRED else terms.anti_affinity).count(self.term)

    @property
    def clues(self) -> tuple[Clue, ...]:
        return (Clue(held_terms, (self,)),)


def held_terms(signature: Signature) -> Iterator[Holds]:
    terms = signature.terms
    yield from (Holds(REQUIRED, term) for term in terms.affinity)
    yield from (Holds(FORBIDDEN, term) for term in terms.anti_affinity)
    yield from (Holds(PREFERRED, term, weight) for weight, term in terms.preferred)


def clues_to(term: AffinityTerm) -> tuple[Clue, ...]:
    return clues_of(term.selector, term.namespaces if term.namespace_selector is None else None)


@dataclass(frozen=True)
class IncomingPod:
    """The pod to be scheduled. ``terms``: its own, namespace selectors resolved. ``namespace_labels``: its own."""

    signature: Signature
    namespace_labels: Labels
    terms: PodTerms

    def matches(self, term: AffinityTerm, signature: Signature) -> bool:
        return term.matches(signature.namespace, signature.labels, {})

    def matched_by(self, term: AffinityTerm) -> bool:
        return term.matches(self.signature.namespace, self.signature.labels, self.namespace_labels)

    def terms_of_others(self, cluster: Cluster) -> Iterator[Holds]:
        """The terms of any pods, running or not, that match the incoming pod."""
        concerning = cluster.signatures.concerning(self.signature, held_terms, lambda holds: clues_to(holds.term))
        return (holds for holds in concerning if self.matched_by(holds.term))


def by_key(weighted: Iterable[tuple[str, PodQuery, int]]) -> dict[str, Sum]:
    """The sum of the queries of each topology key, in the order of the keys. The items: key, query, weight."""
    parts: dict[str, list[tuple[PodQuery, int]]] = {}
    for key, query, weight in weighted:
        parts.setdefault(key, []).append((query, weight))
    return {key: Sum(tuple(parts[key])) for key in sorted(parts)}


def incoming_pod(pod: PodInfo, cluster: Cluster) -> IncomingPod:
    signature, terms = pod.signature, pod.signature.terms
    if terms.select_namespaces:
        terms = _resolved(cluster, terms)
    return IncomingPod(signature, _namespaces(cluster).get(signature.namespace, {}), terms)


@derived(NAMESPACES)
def _resolved(cluster: Cluster, terms: PodTerms) -> PodTerms:
    return terms.resolved(_namespaces(cluster), cluster.api.keeps_namespace_selectors)


@derived(NAMESPACES)
def _namespaces(cluster: Cluster) -> Mapping[str, Labels]:
    return {namespace.metadata.name: namespace.metadata.labels for namespace in cluster.objects_of(Namespace)}
