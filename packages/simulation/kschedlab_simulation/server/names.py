"""Field selectors and generated names.

v1.37: k8s.io/apiserver pkg/storage/names/generate.go, k8s.io/apimachinery pkg/util/rand/rand.go.
"""

from __future__ import annotations

import re
from operator import attrgetter
from random import Random

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
    terms = field_terms(text)
    for field, _, _ in terms:
        _check_field(kind, field)
    wanted = [(attrgetter(field), value, differs) for field, value, differs in terms]
    return lambda obj: all((_text(get(obj)) == value) != differs for get, value, differs in wanted)


def field_terms(text: str) -> list[tuple[str, str, bool]]:
    """The terms of a selector: (field, value, whether the field has to differ). ApiError.

    v1.37: k8s.io/apimachinery pkg/fields/selector.go, parseSelector.
    """
    return [_term(text, term) for term in re.findall(r"(?:\\.?|[^\\,])+", text)]


def _term(text: str, term: str) -> tuple[str, str, bool]:
    match = re.fullmatch("(.*?)(!=|==?)(.*)", term, re.DOTALL)
    if match is None:
        raise ApiError.bad_request(f"invalid selector: '{text}'; can't understand '{term}'")
    field, operator, value = match.groups()
    if wrong := re.search(r"\\[^\\,=]?|=", re.sub(r"\\[\\,=]", "", value)):
        what = "unescaped character in value" if wrong[0] == "=" else "invalid escape sequence"
        raise ApiError.bad_request(f"invalid field selector: {what}: {wrong[0]}")
    return field, re.sub(r"\\(.)", r"\1", value), operator == "!="


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
