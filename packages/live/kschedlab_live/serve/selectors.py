"""Label and field selectors of lists and watches.

v1.37: k8s.io/apimachinery pkg/labels/selector.go, pkg/fields/selector.go; pkg/registry/core/event/strategy.go.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from kschedlab.objects.selectors import SelectorError, label_selector
from kschedlab_live.serve.kinds import Kept, Served
from kschedlab_simulation.server.names import field_selector, field_terms
from kschedlab_simulation.server.store import ObjectFilter
from kschedlab_simulation.status import ApiError

_TERM = re.compile(
    r"\s*(?:(?P<key>[^\s!=<>(),]+)\s*(?:(?P<op>==|!=|=)\s*(?P<value>[^\s,()!=]*)|\s(?P<set>in|notin)\s*\((?P<values>[^()]*)\))?"
    r"|!\s*(?P<absent>[^\s!=<>(),]+))\s*(?:,|$)"
)
_REFERENCE = ["kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath"]
_EVENT_FIELDS = {
    **{
        f"{prefix}.{name}": ("involvedObject", name)
        for name in _REFERENCE
        for prefix in ("involvedObject", "regarding")
    },
    "reason": ("reason",),
    "reportingComponent": ("reportingComponent",),
    "source": ("source", "component"),
    "type": ("type",),
    "metadata.name": ("metadata", "name"),
    "metadata.namespace": ("metadata", "namespace"),
}
"""The fields by which events can be selected, and where they are in a v1 Event."""


def selected(served: Served, query: Mapping[str, str]) -> ObjectFilter | None:
    """A test for the objects that the two selectors of a request let through; None for all. ApiError (400)."""
    filters: list[Callable[[Any], bool]] = []
    if labels := query.get("labelSelector"):
        matches = _labels(labels)
        filters.append(lambda obj: matches(obj.metadata.labels))
    if fields := query.get("fieldSelector"):
        filters.append(_fields(served, fields))
    if not filters:
        return None
    return lambda obj: all(selects(obj) for selects in filters)


def _labels(text: str) -> Callable[[Mapping[str, str]], bool]:
    requirements, at = [], 0
    while at < len(text):
        term = _TERM.match(text, at)
        if term is None or term.end() == at:
            raise ApiError.bad_request(f"unable to parse requirement: '{text}' is not a label selector")
        at = term.end()
        requirements.append(_requirement(term))
    try:
        return label_selector({}, requirements).matches
    except SelectorError as error:
        raise ApiError.bad_request(f"unable to parse requirement: {error}") from None


def _requirement(term: re.Match[str]) -> tuple[str, str, tuple[str, ...]]:
    if term["absent"]:
        return term["absent"], "DoesNotExist", ()
    if term["set"]:
        values = tuple(value.strip() for value in term["values"].split(","))
        return term["key"], "In" if term["set"] == "in" else "NotIn", values
    if term["op"]:
        return term["key"], "NotIn" if term["op"] == "!=" else "In", (term["value"],)
    return term["key"], "Exists", ()


def _fields(served: Served, text: str) -> Callable[[Any], bool]:
    if served.model is not None:
        return field_selector(served.model, text)
    terms = []
    for field, wanted, differs in field_terms(text):
        path = _EVENT_FIELDS.get(field) if served.is_event else tuple(field.split("."))
        if path is None or (not served.is_event and path[0] != "metadata"):
            raise ApiError.bad_request(f"field label not supported: {field}")
        terms.append((path, wanted, differs))
    return lambda obj: all((_value(obj, path) == wanted) != differs for path, wanted, differs in terms)


def _value(obj: Kept, path: tuple[str, ...]) -> Any:
    value: Any = obj.data
    for name in path:
        value = value.get(name, "") if isinstance(value, dict) else ""
    return value
