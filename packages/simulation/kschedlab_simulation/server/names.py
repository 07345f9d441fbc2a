"""Generated names.

v1.37: k8s.io/apiserver pkg/storage/names/generate.go, k8s.io/apimachinery pkg/util/rand/rand.go.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from random import Random
from typing import Any

from kschedlab.objects.model import ApiObject, Node, Pod
from kschedlab_simulation.server.store import ObjectFilter
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


def field_selector(kind: type[ApiObject], text: str) -> ObjectFilter:
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


_LETTERS = "bcdfghjklmnpqrstvwxz2456789"
_LONGEST_BASE = 58


def generated_name(base: str, random: Random) -> str:
    """The base (generateName), truncated if too long, with a random suffix."""
    return base[:_LONGEST_BASE] + "".join(random.choices(_LETTERS, k=5))


def safe_encoded(text: str) -> str:
    """The text in an alphabet that spells no bad words (SafeEncodeString)."""
    return "".join(_LETTERS[ord(letter) % len(_LETTERS)] for letter in text)
