"""Compiled selectors. They are hashable, so that a cluster can cache what they match.

v1.37: k8s.io/apimachinery pkg/labels/selector.go (Requirement.Matches), k8s.io/component-helpers
scheduling/corev1/nodeaffinity/nodeaffinity.go. The model's ``compile`` creates them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from kschedlab.messages import later
from kschedlab.objects.names import label_key_fault, label_value_fault
from kschedlab.objects.problems import one_of
from kschedlab.objects.quantity import INT64_MAX

_SET_OPERATORS = ("In", "NotIn", "Exists", "DoesNotExist")
NAME = "metadata.name"
"""The field of a node that a term can ask for."""
_INTEGER = re.compile(r"([+-]?)0*([0-9]{1,19})")


class SelectorError(ValueError):
    """An invalid selector, e.g. ``In`` without values."""


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
        number, bound = parse_int64(value), parse_int64(next(iter(self.values)))
        if number is None or bound is None:
            return False
        return number > bound if self.operator == "Gt" else number < bound


@dataclass(frozen=True, slots=True)
class Selector:
    """Matches if all requirements hold. Selectors with the same requirements in any order are equal."""

    requirements: tuple[Requirement, ...] = ()

    @property
    def empty(self) -> bool:
        return not self.requirements

    def matches(self, labels: Mapping[str, str]) -> bool:
        return all(requirement.matches(labels) for requirement in self.requirements)


@dataclass(frozen=True, slots=True)
class NodeTerm:
    """Requirements on a node's labels and fields, of which only its name is set. Without any, it matches no node."""

    labels: Selector = Selector()
    fields: Selector = Selector()

    @property
    def empty(self) -> bool:
        return self.labels.empty and self.fields.empty

    def matches(self, name: str, labels: Mapping[str, str]) -> bool:
        if self.empty or not self.labels.matches(labels):
            return False
        return all(each.matches({each.key: name if each.key == NAME else ""}) for each in self.fields.requirements)


@dataclass(frozen=True, slots=True)
class NodeTerms:
    """A node selector: matches if any term matches. Invalid terms match nothing and are left out."""

    terms: tuple[NodeTerm, ...] = ()

    def matches(self, name: str, labels: Mapping[str, str]) -> bool:
        return any(term.matches(name, labels) for term in self.terms)


def parse_int64(text: str | None) -> int | None:
    """The decimal integer, or None if the text is not one or exceeds an int64 (Go's strconv.ParseInt)."""
    match = _INTEGER.fullmatch(text) if text is not None else None
    if match is None:
        return None
    number = int(match[1] + match[2])
    return number if -INT64_MAX - 1 <= number <= INT64_MAX else None


def from_map(labels: Mapping[str, str]) -> Selector:
    """The selector of a Service or of ``nodeSelector``: every label must have this value."""
    return _selector(Requirement(key, "In", only(value)) for key, value in labels.items())


@lru_cache(4096)
def only(value: str) -> frozenset[str]:
    """The set of this value: one object for all selectors that name it."""
    return frozenset({value})


def label_selector(labels: Mapping[str, str], expressions: Iterable[tuple[str, str, tuple[str, ...]]]) -> Selector:
    """``matchLabels`` and ``matchExpressions`` combined. SelectorError if an expression is invalid."""
    return _selector([*from_map(labels).requirements, *(_requirement(*e, _SET_OPERATORS) for e in expressions)])


def node_term(
    expressions: Iterable[tuple[str, str, tuple[str, ...]]], fields: Iterable[tuple[str, str, tuple[str, ...]]]
) -> NodeTerm:
    """``matchExpressions`` and ``matchFields`` combined. SelectorError if either is invalid."""
    labels = _selector(_requirement(*e, (*_SET_OPERATORS, "Gt", "Lt")) for e in expressions)
    return NodeTerm(labels, _selector(_field_requirement(*f) for f in fields))


def _selector(requirements: Iterable[Requirement]) -> Selector:
    ordered = sorted(set(requirements), key=lambda r: (r.key, r.operator, sorted(r.values)))
    return Selector(tuple(ordered))


def _requirement(key: str, operator: str, values: tuple[str, ...], operators: tuple[str, ...]) -> Requirement:
    fault = label_expression_fault(operator, values, operators)
    messages = [fault[1] if fault else None, label_key_fault(key), *map(label_value_fault, values)]
    if any(messages):
        raise SelectorError(f'"{key}": {next(filter(None, messages))}')
    if operator in ("Gt", "Lt") and parse_int64(values[0]) is None:
        raise SelectorError(f'"{key}": {operator} needs an integer, not "{values[0]}"')
    return Requirement(key, operator, frozenset(values))


def _field_requirement(key: str, operator: str, values: tuple[str, ...]) -> Requirement:
    """Any field is asked for, as in the real scheduler; only the API server refuses others than the name."""
    if fault := field_expression_fault(operator, values):
        raise SelectorError(f'"{key}": {fault[1]}')
    return Requirement(key, operator, frozenset(values))


def label_expression_fault(
    operator: str, values: tuple[str, ...], operators: tuple[str, ...]
) -> tuple[str, str] | None:
    """(field, message) if the API refuses this expression on labels, or None."""
    if operator not in operators:
        return "operator", later(
            '"{operator}" is not a valid operator here; use {choices}', operator=operator, choices=one_of(operators)
        )
    if operator in ("In", "NotIn") and not values:
        return "values", later("{operator} needs at least one value", operator=operator)
    if operator in ("Exists", "DoesNotExist") and values:
        return "values", later("{operator} takes no values", operator=operator)
    if operator in ("Gt", "Lt") and len(values) != 1:
        return "values", later("{operator} needs exactly one value", operator=operator)
    return None


def field_expression_fault(operator: str, values: tuple[str, ...], key: str = NAME) -> tuple[str, str] | None:
    """(field, message) if a node's field is refused, or None. The API server knows only its name, the scheduler any."""
    if key != NAME:
        return "key", later('"{key}" is not a selectable field; only metadata.name is', key=key)
    if operator not in ("In", "NotIn"):
        return "operator", later('"{operator}" is not a valid operator here; use In or NotIn', operator=operator)
    if len(values) != 1:
        return "values", later("{operator} needs exactly one value here", operator=operator)
    return None
