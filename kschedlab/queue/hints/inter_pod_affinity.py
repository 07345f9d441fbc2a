"""Hints of InterPodAffinity: does the event change which pods are near?

v1.37: pkg/scheduler/framework/plugins/interpodaffinity/plugin.go (isSchedulableAfter...). Only required terms count.
Namespaces are not looked up: a term's namespace selector is asked about a namespace without labels.
"""

from __future__ import annotations

from collections.abc import Iterable

from kschedlab.cluster.terms import AffinityTerm, PodTerms
from kschedlab.objects.model import Node, Pod
from kschedlab.queue.hints.prepared_pod import Prepared
from kschedlab.queue.hints.resources import held_room

_terms = Prepared(PodTerms.of)


def affinity_after_pod(pod: Pod, old: Pod | None, new: Pod | None) -> bool:
    """A pod on a node came that this one wants near, or one left that must not be near (or did not want it near)."""
    if not all(held_room(changed) for changed in (old, new) if changed is not None):
        return False
    wants, shuns = _terms(pod).affinity, _terms(pod).anti_affinity
    if old is None:
        return new is not None and _meets_all(wants, new)
    if new is not None:
        came = not _meets_all(wants, old) and _meets_all(wants, new)
        return came or (_meets_any(shuns, old) and not _meets_any(shuns, new))
    return _meets_any(shuns, old) or _meets_any(PodTerms.of(old).anti_affinity, pod)


def affinity_after_node(pod: Pod, old: Node | None, new: Node) -> bool:
    """The node came into a domain that the pod asks about, or went to another one."""
    terms, after = _terms(pod), new.metadata.labels
    if old is None:
        return bool(terms.anti_affinity) or any(term.key in after for term in terms.affinity)
    before = old.metadata.labels
    joins = (term.key in after and before.get(term.key) != after[term.key] for term in terms.affinity)
    leaves = (term.key in before and before[term.key] != after.get(term.key) for term in terms.anti_affinity)
    return any(joins) or any(leaves)


def _meets_all(terms: Iterable[AffinityTerm], pod: Pod) -> bool:
    """Whether there are terms and all of them mean the pod."""
    return bool(terms) and all(_meets(term, pod) for term in terms)


def _meets_any(terms: Iterable[AffinityTerm], pod: Pod) -> bool:
    return any(_meets(term, pod) for term in terms)


def _meets(term: AffinityTerm, pod: Pod) -> bool:
    return term.matches(pod.metadata.namespace, pod.metadata.labels, {})
