"""Field selectors: which objects a list or a watch returns.

v1.37: k8s.io/apimachinery pkg/fields/selector.go, pkg/apis/core/v1/conversion.go (the supported fields).
"""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import Any

from kschedlab.objects.model import ApiObject, Node, Pod
from kschedlab_simulation.server.store import Filter
from kschedlab_simulation.status import ApiError

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
    """Parse a selector such as ``status.phase!=Succeeded,spec.nodeName=n1``. ApiError if it is not supported."""
    terms = [_term(kind, term) for term in text.split(",") if term]
    return lambda obj: all(term(obj) for term in terms)


def _term(kind: type[ApiObject], term: str) -> Callable[[Any], bool]:
    for operator in ("!=", "==", "="):
        field, separator, wanted = term.partition(operator)
        if separator:
            _check_field(kind, field)
            value_of, differs = attrgetter(field), operator == "!="
            return lambda obj: (_text(value_of(obj)) == wanted) != differs
    raise ApiError.bad_request(f"invalid selector: '{term}'; can't understand '{term}'")


def _text(value: str | bool) -> str:
    return value if isinstance(value, str) else str(value).lower()


def _check_field(kind: type[ApiObject], field: str) -> None:
    if field in _FIELDS.get(kind, _COMMON):
        return
    if kind in _FIELDS:
        raise ApiError.bad_request(f"field label not supported: {field}")
    raise ApiError.bad_request(f'"{field}" is not a known field selector: only "metadata.name", "metadata.namespace"')
