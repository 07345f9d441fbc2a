"""Selectors, ready to be asked: hashable, so that a cluster can keep what they match.

v1.37: k8s.io/apimachinery pkg/labels/selector.go (Requirement.Matches), k8s.io/component-helpers
scheduling/corev1/nodeaffinity/nodeaffinity.go. The objects of the model give them: ``LabelSelector.compile()``,
``NodeSelectorTerm.compile()``, ``NodeSelector.compile()``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from kschedlab.objects.names import label_key_fault, label_value_fault
from kschedlab.objects.quantity import INT64_MAX

_SET_OPERATORS = ("In", "NotIn", "Exists", "DoesNotExist")
_INTEGER = re.compile(r"[+-]?[0-9]+")


class SelectorError(ValueError):
    """A selector that cannot be asked, e.g. ``In`` without values."""


@dataclass(frozen=True, slots=True)
class Requirement:
    """One condition on a map of labels. ``operator``: In, NotIn, Exists, DoesNotExist, Gt or Lt."""

    key: str
    operator: str
    values: frozenset[str] = frozenset()

    def matches(self, labels: Mapping[str, str]) -> bool:
        """Whether the labels meet the condition. An absent label meets NotIn and DoesNotExist only."""
        value = labels.get(self.key)
        match self.operator:
            case "In":
                return value is not None and value in self.values
            case "NotIn":
                return value is None or value not in self.values
            case "Exists":
                return value is not None
            case "DoesNotExist":
                return value is None
        number, bound = integer(value), integer(next(iter(self.values)))
        if number is None or bound is None:
            return False
        return number > bound if self.operator == "Gt" else number < bound


@dataclass(frozen=True, slots=True)
class Selector:
    """All of its requirements must hold. Equal if the requirements are the same, in whatever order written."""

    requirements: tuple[Requirement, ...] = ()

    @property
    def empty(self) -> bool:
        """Whether it has no requirements, and so matches everything."""
        return not self.requirements

    def matches(self, labels: Mapping[str, str]) -> bool:
        """Whether the labels meet all requirements."""
        return all(requirement.matches(labels) for requirement in self.requirements)


@dataclass(frozen=True, slots=True)
class NodeTerm:
    """A node selector's term: conditions on the node's labels and on its name. Without any, it matches no node."""

    labels: Selector = Selector()
    fields: Selector = Selector()

    @property
    def empty(self) -> bool:
        """Whether it has no requirements, and so matches no node."""
        return self.labels.empty and self.fields.empty

    def matches(self, name: str, labels: Mapping[str, str]) -> bool:
        """Whether the node of that name with those labels meets all requirements."""
        return not self.empty and self.labels.matches(labels) and self.fields.matches({"metadata.name": name})


@dataclass(frozen=True, slots=True)
class NodeTerms:
    """A node selector: one of its terms must match. Terms that cannot be asked are left out: they match nothing."""

    terms: tuple[NodeTerm, ...] = ()

    def matches(self, name: str, labels: Mapping[str, str]) -> bool:
        """Whether one of the terms matches the node of that name with those labels."""
        return any(term.matches(name, labels) for term in self.terms)


def integer(text: str | None) -> int | None:
    """A decimal integer that fits an int64, or None (Go's strconv.ParseInt)."""
    if text is None or len(text) > 40 or not _INTEGER.fullmatch(text):
        return None
    number = int(text)
    return number if -INT64_MAX - 1 <= number <= INT64_MAX else None


def from_map(labels: Mapping[str, str]) -> Selector:
    """The selector of a Service or of ``nodeSelector``: every label must have the given value."""
    return _selector(Requirement(key, "In", frozenset({value})) for key, value in labels.items())


def label_selector(labels: Mapping[str, str], expressions: Iterable[tuple[str, str, tuple[str, ...]]]) -> Selector:
    """``matchLabels`` and ``matchExpressions`` together. SelectorError if an expression cannot be asked."""
    return _selector([*from_map(labels).requirements, *(_requirement(*e, _SET_OPERATORS) for e in expressions)])


def node_term(
    expressions: Iterable[tuple[str, str, tuple[str, ...]]], fields: Iterable[tuple[str, str, tuple[str, ...]]]
) -> NodeTerm:
    """``matchExpressions`` and ``matchFields`` together. SelectorError if one of them cannot be asked."""
    labels = _selector(_requirement(*e, (*_SET_OPERATORS, "Gt", "Lt")) for e in expressions)
    return NodeTerm(labels, _selector(_field_requirement(*f) for f in fields))


def _selector(requirements: Iterable[Requirement]) -> Selector:
    ordered = sorted(set(requirements), key=lambda r: (r.key, r.operator, sorted(r.values)))
    return Selector(tuple(ordered))


def _requirement(key: str, operator: str, values: tuple[str, ...], known: tuple[str, ...]) -> Requirement:
    fault = fault_of(operator, values, known)
    wrong = fault[1] if fault else label_key_fault(key) or next(filter(None, map(label_value_fault, values)), None)
    if wrong:
        raise SelectorError(f'"{key}": {wrong}')
    if operator in ("Gt", "Lt") and integer(values[0]) is None:
        raise SelectorError(f'"{key}": {operator} needs an integer, not "{values[0]}"')
    return Requirement(key, operator, frozenset(values))


def _field_requirement(key: str, operator: str, values: tuple[str, ...]) -> Requirement:
    if fault := field_fault_of(key, operator, values):
        raise SelectorError(f'"{key}": {fault[1]}')
    return Requirement(key, operator, frozenset(values))


def fault_of(operator: str, values: tuple[str, ...], known: tuple[str, ...]) -> tuple[str, str] | None:
    """(field, what is wrong with it) of an expression on labels that the API refuses, or None."""
    if operator not in known:
        return "operator", f'"{operator}" is not an operator here; known are {", ".join(known)}'
    if operator in ("In", "NotIn") and not values:
        return "values", f"{operator} needs at least one value"
    if operator in ("Exists", "DoesNotExist") and values:
        return "values", f"{operator} takes no values"
    if operator in ("Gt", "Lt") and len(values) != 1:
        return "values", f"{operator} needs exactly one value"
    return None


def field_fault_of(key: str, operator: str, values: tuple[str, ...]) -> tuple[str, str] | None:
    """(field, what is wrong with it) of an expression on a node's fields that the API refuses, or None."""
    if key != "metadata.name":
        return "key", f'"{key}" is not a field that can be selected by; only metadata.name is'
    if operator not in ("In", "NotIn"):
        return "operator", f'"{operator}" is not an operator here; known are In, NotIn'
    if len(values) != 1:
        return "values", f"{operator} needs exactly one value here"
    return None
