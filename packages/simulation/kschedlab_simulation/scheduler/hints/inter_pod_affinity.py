"""Hints of InterPodAffinity: does the event change which pods match the terms?

v1.37: pkg/scheduler/framework/plugins/interpodaffinity/plugin.go (isSchedulableAfter...). Only required terms count.
Namespaces are not looked up: a namespace selector is evaluated against empty labels.
"""

from __future__ import annotations

from collections.abc import Iterable

from kschedlab.cluster.terms import AffinityTerm, PodTerms
from kschedlab.objects.model import Node, Pod
from kschedlab_simulation.scheduler.hints.pod_cache import PodCache
from kschedlab_simulation.scheduler.hints.resources import held_resources

_terms = PodCache(PodTerms.of)


def affinity_after_pod(pod: Pod, old: Pod | None, new: Pod | None) -> bool:
    """A pod that satisfies the affinity was assigned, or one that violates the anti-affinity of either was removed."""
    if not all(held_resources(changed) for changed in (old, new) if changed is not None):
        return False
    affinity, anti_affinity = _terms(pod).affinity, _terms(pod).anti_affinity
    if old is None:
        return new is not None and _matches_all(affinity, new)
    if new is not None:
        now_matches = not _matches_all(affinity, old) and _matches_all(affinity, new)
        return now_matches or (_matches_any(anti_affinity, old) and not _matches_any(anti_affinity, new))
    return _matches_any(anti_affinity, old) or _matches_any(PodTerms.of(old).anti_affinity, pod)


def affinity_after_node(pod: Pod, old: Node | None, new: Node) -> bool:
    """The node joined a domain of an affinity term, or left a domain of an anti-affinity term."""
    terms, new_labels = _terms(pod), new.metadata.labels
    if old is None:
        return bool(terms.anti_affinity) or any(term.key in new_labels for term in terms.affinity)
    old_labels = old.metadata.labels
    joins = (term.key in new_labels and old_labels.get(term.key) != new_labels[term.key] for term in terms.affinity)
    leaves = (
        term.key in old_labels and old_labels[term.key] != new_labels.get(term.key) for term in terms.anti_affinity
    )
    return any(joins) or any(leaves)


def _matches_all(terms: Iterable[AffinityTerm], pod: Pod) -> bool:
    """Whether there are terms and all of them match the pod."""
    return bool(terms) and all(_matches(term, pod) for term in terms)


def _matches_any(terms: Iterable[AffinityTerm], pod: Pod) -> bool:
    return any(_matches(term, pod) for term in terms)


def _matches(term: AffinityTerm, pod: Pod) -> bool:
    return term.matches(pod.metadata.namespace, pod.metadata.labels, {})
