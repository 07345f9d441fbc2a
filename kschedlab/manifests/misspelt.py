"""What somebody may have meant by a field, a kind or an API version that Kubernetes does not know."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from functools import lru_cache
from itertools import islice
from typing import Any, TypeAlias

from kschedlab.messages import later
from kschedlab.objects.problems import Fault, Path, one_of, shortened

MOST = 100
"""How many unknown fields of one object are named."""

_OTHER_GROUPS = ("autoscaling", "extensions")
"""Groups of Kubernetes without a dot whose kinds kschedlab does not read."""

Types: TypeAlias = Mapping[str, Mapping[str, str]]


def kind_fault(data: dict[str, Any], kinds: Mapping[str, list[str]]) -> Fault | None:
    """What is wrong with a kind or an API version that is not among the known ones; None in other API groups."""
    kind, version = str(data.get("kind")), str(data.get("apiVersion") or "v1")
    group = version.rpartition("/")[0]
    if group in _OTHER_GROUPS or ("." in group and group not in {each.rpartition("/")[0] for each in kinds}):
        return None
    if kind.endswith("List"):
        return Fault(("items",), "is missing: a list has items")
    every = {each for listed in kinds.values() for each in listed}
    if kind in every:
        homes = [each for each in kinds if kind in kinds[each]]
        lacks = later(
            '"{version}" has no {kind}: expected {choices}',
            version=shortened(version),
            kind=kind,
            choices=one_of(homes),
        )
        return Fault(("apiVersion",), lacks) if "apiVersion" in data else None
    if near := _near(kind, tuple(kinds.get(version, every))):
        return Fault(("kind",), later('"{kind}" is not a kind{near}', kind=shortened(kind), near=near))
    if version in kinds:
        return (
            Fault(("kind",), later('"{kind}" is not a kind of {version}', kind=shortened(kind), version=version))
            if "apiVersion" in data
            else None
        )
    return Fault(
        ("apiVersion",),
        later('"{version}" is not an API version{near}', version=shortened(version), near=_near(version, tuple(kinds))),
    )


def field_faults(data: dict[str, Any], kind: str, types: Types) -> list[Fault]:
    """A fault for each field that the kind does not have, up to :data:`MOST`."""
    return list(islice(_unknown(data, kind, types, ()), MOST))


def _unknown(data: dict[str, Any], type_name: str, types: Types, path: Path) -> Iterator[Fault]:
    fields = types[type_name]
    for name, value in data.items():
        inner = fields.get(name) if isinstance(name, str) else None
        if inner is None:
            near = _near(str(name), tuple(fields)) or later(", so it is ignored")
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
    near = [wanted] if wanted in by_case else get_close_matches(wanted, by_case, 1)
    return later(": did you mean {name}?", name=by_case[near[0]]) if near else ""
