"""Finds what Kubernetes does not know: misspelt fields, kinds and API versions.

kubectl refuses them; without its strict mode, the API server drops such fields in silence. known_fields.txt holds the
types of v1.37 (tools/fields generates it), with what older versions since v1.13 had besides.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from functools import cache, lru_cache
from importlib.resources import files
from itertools import islice
from typing import Any, NamedTuple, TypeAlias

from kschedlab.messages import later
from kschedlab.objects.problems import Fault, Path, one_of, shortened

MOST = 100
"""The most unknown fields of one object that are named."""

MEANT = {("NodeSelectorTerm", "matchLabels"): "matchExpressions"}
"""By type and unknown field: the one that is meant, where another is spelt more like it."""

Types: TypeAlias = Mapping[str, Mapping[str, str]]


class Known(NamedTuple):
    """``types``: the fields of each type, each with the type of the maps in it, or "". ``kinds``: by API version.

    A type that starts with "*" is that of the values of a map with any keys.
    """

    types: dict[str, dict[str, str]]
    kinds: dict[str, list[str]]


@cache
def known() -> Known:
    """The content of known_fields.txt."""
    listed = Known({}, {})
    for line in files("kschedlab.manifests").joinpath("known_fields.txt").read_text(encoding="utf-8").splitlines():
        version, equals, kinds = line.partition(" = ")
        if equals:
            listed.kinds[version] = kinds.split()
            continue
        name, _, fields = line.partition(":")
        pairs = (field.partition(">") for field in fields.split())
        listed.types[name] = {field: inner for field, _, inner in pairs}
    return listed


def unknown_kind(data: dict[str, Any]) -> Fault | None:
    """What is wrong with the kind or the API version of an object; None in API groups that Kubernetes does not have."""
    if data.get("kind") in known().kinds.get(data.get("apiVersion") or "v1", ()):
        return None
    return _kind_fault(data, known().kinds)


def unknown_fields(data: dict[str, Any], kind: str) -> list[Fault]:
    types = known().types
    if _all_known(data, types[kind], types):
        return []
    return list(islice(_unknown(data, kind, types, ()), MOST))


def _all_known(data: dict[str, Any], fields: dict[str, str], types: dict[str, dict[str, str]]) -> bool:
    """Whether all fields are known. It is quick, because it runs for every map of every object."""
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


def _kind_fault(data: dict[str, Any], kinds: Mapping[str, list[str]]) -> Fault | None:
    kind, version = str(data.get("kind")), str(data.get("apiVersion") or "v1")
    group, named = version.rpartition("/")[0], {"version": shortened(version)}
    if group == "extensions" or ("." in group and group not in {each.rpartition("/")[0] for each in kinds}):
        return None
    if kind.endswith("List"):
        return Fault(("items",), "is missing: a list has items")
    every = {each for names in kinds.values() for each in names}
    if kind in every:
        homes = [each for each in kinds if kind in kinds[each]]
        lacks = later('"{version}" has no {kind}: expected {choices}', kind=kind, choices=one_of(homes), **named)
        return Fault(("apiVersion",), lacks) if "apiVersion" in data else None
    if near := _near(kind, tuple(kinds.get(version, every))):
        return Fault(("kind",), later('"{kind}" is not a kind{near}', kind=shortened(kind), near=near))
    if version in kinds:
        wrong = later('"{kind}" is not a kind of {version}', kind=shortened(kind), **named)
        return Fault(("kind",), wrong) if "apiVersion" in data else None
    return Fault(
        ("apiVersion",), later('"{version}" is not an API version{near}', near=_near(version, tuple(kinds)), **named)
    )


def _unknown(data: dict[str, Any], type_name: str, types: Types, path: Path) -> Iterator[Fault]:
    fields = types[type_name]
    for name, value in data.items():
        inner = fields.get(name) if isinstance(name, str) else None
        if inner is None:
            meant = MEANT.get((type_name, str(name)), str(name))
            near = _near(meant, tuple(fields)) or later(", so it is ignored")
            yield Fault((*path, str(name)), later("is not a field of {type}{near}", type=type_name, near=near))
        elif inner.startswith("*"):
            for key, each in value.items() if isinstance(value, dict) else ():
                if isinstance(each, dict):
                    yield from _unknown(each, inner[1:], types, (*path, name, str(key)))
        elif inner and isinstance(value, dict):
            yield from _unknown(value, inner, types, (*path, name))
        elif inner and isinstance(value, list):
            for i, each in enumerate(value):
                if isinstance(each, dict):
                    yield from _unknown(each, inner, types, (*path, name, i))


@lru_cache(1000)
def _near(name: str, known: Iterable[str]) -> str:
    """The question after the known name that differs only in case, or the nearest one; "" if none is near."""
    wanted, by_case = name[:60].lower(), {each.lower(): each for each in known}
    near = [wanted] if wanted in by_case else get_close_matches(wanted, by_case)
    return later(": did you mean {name}?", name=by_case[near[0]]) if near else ""
