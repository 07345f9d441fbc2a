"""matchLabelKeys: when a pod is created, the API server turns them into requirements of the selector beside them.

v1.37: pkg/registry/core/pod/strategy.go, applyMatchLabelKeysAndMismatchLabelKeys and applyMatchLabelKeys.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec

from kschedlab.objects import model

_replace = msgspec.structs.replace


def with_label_keys(pod: model.Pod) -> model.Pod:
    """The pod with its own labels of those keys in the selectors. A pod with a uid went through this when created."""
    spec, labels = pod.spec, pod.metadata.labels
    if pod.metadata.uid or not _has_keys(spec):
        return pod
    if (affinity := spec.affinity) is not None:
        near, apart = (_terms(part, labels) for part in (affinity.podAffinity, affinity.podAntiAffinity))
        affinity = _replace(affinity, podAffinity=near, podAntiAffinity=apart)
    spread = tuple(
        _replace(each, labelSelector=_narrowed(each.labelSelector, each.matchLabelKeys, "In", labels))
        for each in spec.topologySpreadConstraints
    )
    return _replace(pod, spec=_replace(spec, affinity=affinity, topologySpreadConstraints=spread))


def _has_keys(spec: model.PodSpec) -> bool:
    affinity = spec.affinity or model.Affinity()
    terms: list[model.PodAffinityTerm] = []
    for part in (affinity.podAffinity, affinity.podAntiAffinity):
        if part is not None:
            terms += part.requiredDuringSchedulingIgnoredDuringExecution
            terms += [each.podAffinityTerm for each in part.preferredDuringSchedulingIgnoredDuringExecution]
    if any(each.matchLabelKeys for each in spec.topologySpreadConstraints):
        return True
    return any(term.matchLabelKeys or term.mismatchLabelKeys for term in terms)


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


def _narrowed(
    selector: model.LabelSelector | None, keys: Iterable[str], operator: str, labels: Mapping[str, str]
) -> model.LabelSelector | None:
    """The selector, with a requirement added for each of these keys that the pod's own labels have."""
    added = [model.LabelSelectorRequirement(key, operator, (labels[key],)) for key in keys if key in labels]
    if selector is None or not added:
        return selector
    return _replace(selector, matchExpressions=(*selector.matchExpressions, *added))
