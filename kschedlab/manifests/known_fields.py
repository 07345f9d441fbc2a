"""Finds what Kubernetes does not know: misspelt fields, kinds and API versions.

kubectl refuses them; without its strict mode, the API server drops such fields in silence. known_fields.txt holds the
types of v1.37 (tools/fields generates it), with what older versions since v1.13 had besides.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from kschedlab.objects.problems import Fault


class Known(NamedTuple):
    """``types``: the fields of each type, each with the type of the maps in it, or "". ``kinds``: by API version.

    A type that starts with "*" is that of the values of a map with any keys.
    """

    types: dict[str, dict[str, str]]
    kinds: dict[str, list[str]]


@cache
def known() -> Known:
    """What known_fields.txt lists."""
    found = Known({}, {})
    for line in files("kschedlab.manifests").joinpath("known_fields.txt").read_text(encoding="utf-8").splitlines():
        version, equals, kinds = line.partition(" = ")
        if equals:
            found.kinds[version] = kinds.split()
            continue
        name, _, fields = line.partition(":")
        pairs = (field.partition(">") for field in fields.split())
        found.types[name] = {field: inner for field, _, inner in pairs}
    return found


def unknown_kind(data: dict[str, Any]) -> Fault | None:
    """What is wrong with the kind or the API version of an object; None for kinds of other API groups."""
    if data.get("kind") in known().kinds.get(data.get("apiVersion") or "v1", ()):
        return None
    from kschedlab.manifests.misspelt import kind_fault

    return kind_fault(data, known().kinds)


def unknown_fields(data: dict[str, Any], kind: str) -> list[Fault]:
    """A fault for each field that the kind does not have."""
    types = known().types
    if _all_known(data, types[kind], types):
        return []
    from kschedlab.manifests.misspelt import field_faults

    return field_faults(data, kind, types)


def respelt(data: dict[str, Any], kind: str) -> dict[str, Any]:
    """The object with fields in Kubernetes' spelling where only the case differs: Go's encoding/json ignores it."""
    types = known().types

    def respell(value: Any, name: str) -> Any:
        if isinstance(value, list):
            return [respell(each, name) for each in value]
        if not isinstance(value, dict) or not name:
            return value
        if name.startswith("*"):
            return {key: respell(each, name[1:]) for key, each in value.items()}
        fields, spelt = types[name], {field.casefold(): field for field in types[name]}
        found = {}
        for written, inside in value.items():
            field: str = written if written in fields else spelt.get(str(written).casefold(), str(written))
            found[field] = respell(inside, fields.get(field, ""))
        return found

    respelt: dict[str, Any] = respell(data, kind)
    return respelt


def _all_known(data: dict[str, Any], fields: dict[str, str], types: dict[str, dict[str, str]]) -> bool:
    """Whether there is nothing to find: this is asked of every map of every object, so it is quick."""
    for name, value in data.items():
        inner = fields.get(name)
        if inner is None:
            return False
        if inner and value:
            values: Iterable[Any] = value if type(value) is list else (value,)
            if inner[0] == "*":
                inner, values = inner[1:], value.values() if type(value) is dict else ()
            for each in values:
                if type(each) is dict and not _all_known(each, types[inner], types):
                    return False
    return True
