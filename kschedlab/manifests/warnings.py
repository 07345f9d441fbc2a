"""Warnings about fields that are accepted, but do not work as one might expect."""

from __future__ import annotations

from kschedlab.messages import later
from kschedlab.objects.model import ApiObject, NodeAffinity, NodeSelectorTerm, Pod, PodDisruptionBudget
from kschedlab.objects.problems import Fault, Path, shortened
from kschedlab.objects.selectors import parse_int64

GROUP_WARNING = later("is not modelled without the feature gate GenericWorkload: the pod is scheduled on its own")


def unmodelled(document: ApiObject) -> list[Fault]:
    if isinstance(document, Pod):
        return _pod_warnings(document)
    return _budget_warnings(document) if isinstance(document, PodDisruptionBudget) else []


def _pod_warnings(pod: Pod) -> list[Fault]:
    spec = pod.spec
    warnings: list[Fault] = []
    if spec.schedulingGroup:
        warnings.append(Fault(("spec", "schedulingGroup"), GROUP_WARNING))
    if spec.runtimeClassName and not spec.overhead and not pod.metadata.uid:
        message = later("is not resolved: the RuntimeClass adds no overhead, nodeSelector or tolerations")
        warnings.append(Fault(("spec", "runtimeClassName"), message))
    if spec.affinity is not None and spec.affinity.nodeAffinity is not None:
        warnings += _node_affinity_warnings(spec.affinity.nodeAffinity)
    for i, toleration in enumerate(spec.tolerations):
        if toleration.operator in ("Gt", "Lt"):
            message = later("{operator} tolerates nothing unless its feature gate is on", operator=toleration.operator)
            warnings.append(Fault(("spec", "tolerations", i, "operator"), message))
    return warnings


def _node_affinity_warnings(affinity: NodeAffinity) -> list[Fault]:
    """The API takes any text as the value of Gt and Lt; the scheduler parses it."""
    required, name = affinity.requiredDuringSchedulingIgnoredDuringExecution, "DuringSchedulingIgnoredDuringExecution"
    terms: list[tuple[Path, NodeSelectorTerm]] = []
    for i, term in enumerate(required.nodeSelectorTerms if required is not None else ()):
        terms.append(((f"required{name}", "nodeSelectorTerms", i), term))
    for i, preferred in enumerate(affinity.preferredDuringSchedulingIgnoredDuringExecution):
        terms.append(((f"preferred{name}", i, "preference"), preferred.preference))
    return [
        Fault(
            ("spec", "affinity", "nodeAffinity", *path, "matchExpressions", i, "values", 0),
            later('"{value}" is not a whole number, so this term matches no node', value=shortened(e.values[0])),
        )
        for path, term in terms
        for i, e in enumerate(term.matchExpressions)
        if e.operator in ("Gt", "Lt") and e.values and parse_int64(e.values[0]) is None
    ]


def _budget_warnings(budget: PodDisruptionBudget) -> list[Fault]:
    selector = budget.spec.selector
    empty = selector is not None and not (selector.matchLabels or selector.matchExpressions)
    if empty and budget.apiVersion == "policy/v1beta1":
        message = later(
            "is empty: it matches nothing in policy/v1beta1, but is read as policy/v1, where it matches every pod"
        )
        return [Fault(("spec", "selector"), message)]
    return []
