"""Field selectors: which objects a list or a watch is about.

v1.37: k8s.io/apimachinery pkg/fields/selector.go, pkg/apis/core/v1/conversion.go (the fields that can be selected by).
"""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import Any

from kschedlab.objects.model import ApiObject, Node, Pod
from kschedlab.simulation.server.status import ApiError
from kschedlab.simulation.server.store import Filter

_COMMON = ("metadata.name", "metadata.namespace")
_FIELDS: dict[type[ApiObject], tuple[str, ...]] = {
    Pod: (
        *_COMMON,
        "spec.nodeName",
        "spec.restartPolicy",
        "spec.schedulerName",
        "spec.hostNetwork",
        "status.phase",
        "status.podIP",
        "status.nominatedNodeName",
    ),
    Node: ("metadata.name", "spec.unschedulable"),
}


def field_selector(kind: type[ApiObject], text: str) -> Filter:
    """The filter that ``status.phase!=Succeeded,spec.nodeName=n1`` stands for. ApiError if it cannot be asked."""
    terms = [_term(kind, term) for term in text.split(",") if term]
    return lambda document: all(term(document) for term in terms)


def _term(kind: type[ApiObject], term: str) -> Callable[[Any], bool]:
    for operator in ("!=", "==", "="):
        field, found, wanted = term.partition(operator)
        if found:
            _check(kind, field)
            of, differs = attrgetter(field), operator == "!="
            return lambda document: (_written(of(document)) == wanted) != differs
    raise ApiError.bad_request(f"invalid selector: '{term}'; can't understand '{term}'")


def _written(value: str | bool) -> str:
    return value if isinstance(value, str) else str(value).lower()


def _check(kind: type[ApiObject], field: str) -> None:
    if field in _FIELDS.get(kind, _COMMON):
        return
    if kind in _FIELDS:
        raise ApiError.bad_request(f"field label not supported: {field}")
    raise ApiError.bad_request(f'"{field}" is not a known field selector: only "metadata.name", "metadata.namespace"')
