"""matchLabelKeys: when a pod is created, the API server turns them into requirements of the selector beside them.

v1.37: pkg/registry/core/pod/strategy.go, applyMatchLabelKeysAndMismatchLabelKeys and applyMatchLabelKeys.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain

import msgspec

from kschedlab.objects import model

_replace = msgspec.structs.replace


def with_label_keys(pod: model.Pod) -> model.Pod:
    """The pod with its own labels of those keys in the selectors. A pod with a uid went through this when created."""
    spec, labels = pod.spec, pod.metadata.labels
    if pod.metadata.uid or not _has_keys(spec):
        return pod
    affinity = _affinity(spec.affinity, labels)
    spread = tuple(_spread(constraint, labels) for constraint in spec.topologySpreadConstraints)
    return _replace(pod, spec=_replace(spec, affinity=affinity, topologySpreadConstraints=spread))


def _has_keys(spec: model.PodSpec) -> bool:
    affinity = spec.affinity or model.Affinity()
    parts = [each for each in (affinity.podAffinity, affinity.podAntiAffinity) if each is not None]
    required = (term for part in parts for term in part.requiredDuringSchedulingIgnoredDuringExecution)
    preferred = (
        each.podAffinityTerm for part in parts for each in part.preferredDuringSchedulingIgnoredDuringExecution
    )
    return any(each.matchLabelKeys for each in spec.topologySpreadConstraints) or any(
        term.matchLabelKeys or term.mismatchLabelKeys for term in chain(required, preferred)
    )


def _affinity(affinity: model.Affinity | None, labels: Mapping[str, str]) -> model.Affinity | None:
    if affinity is None:
        return None
    return _replace(
        affinity,
        podAffinity=_terms(affinity.podAffinity, labels),
        podAntiAffinity=_terms(affinity.podAntiAffinity, labels),
    )


def _terms(affinity: model.PodAffinity | None, labels: Mapping[str, str]) -> model.PodAffinity | None:
    if affinity is None:
        return None
    return model.PodAffinity(
        tuple(_term(term, labels) for term in affinity.requiredDuringSchedulingIgnoredDuringExecution),
        tuple(
            _replace(weighted, podAffinityTerm=_term(weighted.podAffinityTerm, labels))
            for weighted in affinity.preferredDuringSchedulingIgnoredDuringExecution
        ),
    )


def _term(term: model.PodAffinityTerm, labels: Mapping[str, str]) -> model.PodAffinityTerm:
    selector = _narrowed(term.labelSelector, term.matchLabelKeys, "In", labels)
    return _replace(term, labelSelector=_narrowed(selector, term.mismatchLabelKeys, "NotIn", labels))


def _spread(constraint: model.TopologySpreadConstraint, labels: Mapping[str, str]) -> model.TopologySpreadConstraint:
    selector = _narrowed(constraint.labelSelector, constraint.matchLabelKeys, "In", labels)
    return _replace(constraint, labelSelector=selector)


def _narrowed(
    selector: model.LabelSelector | None, keys: Iterable[str], operator: str, labels: Mapping[str, str]
) -> model.LabelSelector | None:
    """The selector, with a requirement added for each of these keys that the pod's own labels have."""
    added = [model.LabelSelectorRequirement(key, operator, (labels[key],)) for key in keys if key in labels]
    if selector is None or not added:
        return selector
    return _replace(selector, matchExpressions=(*selector.matchExpressions, *added))
