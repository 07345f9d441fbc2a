"""Checks of what constrains a pod's placement: tolerations, affinity, topology spread.

v1.37: pkg/apis/core/validation/validation.go (ValidateTolerations, validateAffinity,
validateTopologySpreadConstraints), pkg/registry/core/pod/strategy.go (matchLabelKeys).
"""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache

from kschedlab.manifests.fields import (
    EFFECTS,
    check_choice,
    check_expression,
    check_name,
    check_present,
    check_selector,
)
from kschedlab.objects import model
from kschedlab.objects.names import dns_label_fault, label_key_fault, label_value_fault
from kschedlab.objects.problems import Fault, Faults, Path, out_of_range, shortened
from kschedlab.objects.selectors import NAME, field_expression_fault

_NODE_OPERATORS = ("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt")
_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"


def check_placement(spec: model.PodSpec, merged: Collection[str], faults: Faults) -> None:
    """Check a pod's constraints. ``merged``: the keys of the labels that matchLabelKeys put into the selectors."""
    faults += _toleration_faults(spec.tolerations)
    if (affinity := spec.affinity) is not None:
        path: Path = ("spec", "affinity")
        if affinity.nodeAffinity is not None:
            _check_node_affinity(affinity.nodeAffinity, (*path, "nodeAffinity"), faults)
        if affinity.podAffinity is not None:
            _check_pod_affinity(affinity.podAffinity, (*path, "podAffinity"), merged, faults)
        if affinity.podAntiAffinity is not None:
            _check_pod_affinity(affinity.podAntiAffinity, (*path, "podAntiAffinity"), merged, faults)
    _check_spread(spec, merged, faults)


@lru_cache(4096)
def _toleration_faults(tolerations: tuple[model.Toleration, ...]) -> tuple[Fault, ...]:
    """What is wrong with a pod's tolerations, which most pods have in common."""
    faults = Faults()
    for i, toleration in enumerate(tolerations):
        _check_toleration(toleration, ("spec", "tolerations", i), faults)
    return tuple(faults)


def _check_toleration(toleration: model.Toleration, path: Path, faults: Faults) -> None:
    operator = toleration.operator or "Equal"
    if toleration.key:
        faults.note((*path, "key"), label_key_fault(toleration.key))
    if operator not in ("Gt", "Lt"):
        check_choice(operator, ("Equal", "Exists"), (*path, "operator"), faults)
    if not toleration.key and operator != "Exists":
        faults.note((*path, "operator"), "must be Exists when there is no key, to tolerate every taint")
    if operator == "Exists" and toleration.value:
        faults.note((*path, "value"), "Exists takes no value")
    elif operator == "Equal":
        faults.note((*path, "value"), label_value_fault(toleration.value))
    if toleration.effect:
        check_choice(toleration.effect, EFFECTS, (*path, "effect"), faults)
    if toleration.tolerationSeconds is not None and toleration.effect != "NoExecute":
        faults.note((*path, "effect"), "must be NoExecute when tolerationSeconds is set")


def _check_node_affinity(affinity: model.NodeAffinity, path: Path, faults: Faults) -> None:
    required = affinity.requiredDuringSchedulingIgnoredDuringExecution
    if required is not None:
        check_node_terms(required.nodeSelectorTerms, (*path, _REQUIRED, "nodeSelectorTerms"), faults)
    for i, preferred in enumerate(affinity.preferredDuringSchedulingIgnoredDuringExecution):
        _check_weight(preferred.weight, (*path, _PREFERRED, i), faults)
        check_node_term(preferred.preference, (*path, _PREFERRED, i, "preference"), faults, free_values=True)


def check_node_terms(terms: tuple[model.NodeSelectorTerm, ...], path: Path, faults: Faults) -> None:
    """Check the terms of a node selector, which needs at least one."""
    if not terms:
        faults.note(path, "needs at least one term")
    for i, term in enumerate(terms):
        check_node_term(term, (*path, i), faults)


def check_node_term(
    term: model.NodeSelectorTerm, path: Path, faults: Faults, free_values: bool = False, free_fields: bool = False
) -> None:
    """``free_values``: they need not be valid label values; ``free_fields``: fields may have any name and value."""
    for i, e in enumerate(term.matchExpressions):
        check_expression(e, _NODE_OPERATORS, (*path, "matchExpressions", i), faults, free_values)
    for i, f in enumerate(term.matchFields):
        field_path: Path = (*path, "matchFields", i)
        if fault := field_expression_fault(f.operator, f.values, NAME if free_fields else f.key):
            faults.note((*field_path, fault[0]), fault[1])
        for j, value in enumerate(() if free_fields else f.values):
            check_name(value, (*field_path, "values", j), faults)


def _check_weight(weight: int, path: Path, faults: Faults) -> None:
    least, most = 1, 100
    if not least <= weight <= most:
        faults.note((*path, "weight"), out_of_range(weight, least, most))


def _check_pod_affinity(affinity: model.PodAffinity, path: Path, merged: Collection[str], faults: Faults) -> None:
    for i, term in enumerate(affinity.requiredDuringSchedulingIgnoredDuringExecution):
        _check_affinity_term(term, (*path, _REQUIRED, i), merged, faults)
    for i, weighted in enumerate(affinity.preferredDuringSchedulingIgnoredDuringExecution):
        _check_weight(weighted.weight, (*path, _PREFERRED, i), faults)
        _check_affinity_term(weighted.podAffinityTerm, (*path, _PREFERRED, i, "podAffinityTerm"), merged, faults)


def _check_affinity_term(term: model.PodAffinityTerm, path: Path, merged: Collection[str], faults: Faults) -> None:
    check_name(term.topologyKey, (*path, "topologyKey"), faults, label_key_fault)
    for i, namespace in enumerate(term.namespaces):
        faults.note((*path, "namespaces", i), dns_label_fault(namespace))
    check_selector(term.labelSelector, (*path, "labelSelector"), faults)
    check_selector(term.namespaceSelector, (*path, "namespaceSelector"), faults)
    for field, keys in (("matchLabelKeys", term.matchLabelKeys), ("mismatchLabelKeys", term.mismatchLabelKeys)):
        if keys:
            _check_keys(keys, term.labelSelector, (*path, field), faults)
    if term.matchLabelKeys:
        _check_overlap(term.matchLabelKeys, term.labelSelector, (*path, "matchLabelKeys"), merged, faults)
        for key in {*term.matchLabelKeys}.intersection(term.mismatchLabelKeys):
            faults.note((*path, "matchLabelKeys"), '"{key}" is also in mismatchLabelKeys', key=shortened(key))


def _check_keys(keys: tuple[str, ...], selector: model.LabelSelector | None, path: Path, faults: Faults) -> None:
    if selector is None:
        faults.note(path, "needs a labelSelector beside it: add one ({} selects every pod)")
    for i, key in enumerate(keys):
        faults.note((*path, i), label_key_fault(key))


def _check_overlap(
    keys: tuple[str, ...], selector: model.LabelSelector | None, path: Path, merged: Collection[str], faults: Faults
) -> None:
    """Check that the selector does not have these keys already: in matchLabels, or in an earlier expression.

    The API server has already added one expression for each key that is a label of the pod (``merged``).
    """
    if selector is None:
        return
    seen = set(selector.matchLabels)
    expressions = [each.key for each in selector.matchExpressions]
    for key in (*expressions, *(key for key in keys if key in merged)):
        if key in keys and key in seen:
            faults.note(
                path, '"{key}" is already in the labelSelector: remove it from one of the two', key=shortened(key)
            )
        seen.add(key)


def _check_spread(spec: model.PodSpec, merged: Collection[str], faults: Faults) -> None:
    seen: set[tuple[str, str]] = set()
    for i, constraint in enumerate(spec.topologySpreadConstraints):
        path: Path = ("spec", "topologySpreadConstraints", i)
        if constraint.maxSkew < 1:
            faults.note((*path, "maxSkew"), "{value} must be at least 1", value=constraint.maxSkew)
        check_present(constraint.topologyKey, (*path, "topologyKey"), faults)
        actions = ("DoNotSchedule", "ScheduleAnyway")
        check_choice(constraint.whenUnsatisfiable, actions, (*path, "whenUnsatisfiable"), faults)
        for field in ("nodeAffinityPolicy", "nodeTaintsPolicy"):
            check_choice(getattr(constraint, field), ("Honor", "Ignore"), (*path, field), faults)
        if (least := constraint.minDomains) is not None and least < 1:
            faults.note((*path, "minDomains"), "{value} must be at least 1", value=least)
        if least is not None and constraint.whenUnsatisfiable != "DoNotSchedule":
            faults.note((*path, "minDomains"), "is allowed only with whenUnsatisfiable: DoNotSchedule")
        check_selector(constraint.labelSelector, (*path, "labelSelector"), faults)
        if keys := constraint.matchLabelKeys:
            _check_keys(keys, constraint.labelSelector, (*path, "matchLabelKeys"), faults)
            _check_overlap(keys, constraint.labelSelector, (*path, "matchLabelKeys"), merged, faults)
        pair = (constraint.topologyKey, constraint.whenUnsatisfiable)
        if pair in seen:
            faults.note(
                path, "an earlier constraint already has topologyKey {key} with {action}", key=pair[0], action=pair[1]
            )
        seen.add(pair)
