"""What the real scheduler says of a field that it refuses, in its own words, and fields that it does not know.

v1.37: k8s.io/apimachinery pkg/util/validation/field/errors.go and the strict decoding of pkg/runtime/serializer.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from types import UnionType
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

import msgspec

from kschedlab.manifests.schema import decode_value, validated
from kschedlab.objects.meta import Part
from kschedlab.objects.problems import Fault, Path, quoted

P = TypeVar("P", bound=Part)


def invalid(path: Path, value: object, why: str) -> Fault:
    """The value will not do."""
    return Fault(path, f"Invalid value: {quoted(value) if isinstance(value, str) else value}: {why}")


def required(path: Path, why: str = "") -> Fault:
    """The field is missing or empty."""
    return Fault(path, f"Required value: {why}" if why else "Required value")


def unsupported(path: Path, value: str, known: Iterable[str]) -> Fault:
    """Only some words are allowed."""
    return Fault(path, f"Unsupported value: {quoted(value)}: supported values: {', '.join(map(quoted, known))}")


def duplicate(path: Path, value: str) -> Fault:
    """The same was given before."""
    return Fault(path, f"Duplicate value: {quoted(value)}")


def forbidden(path: Path, why: str) -> Fault:
    """The field must not be given here."""
    return Fault(path, f"Forbidden: {why}")


def unknown_fields(data: Any, wanted: Any, path: Path = ()) -> Iterator[Path]:
    """The way to every field in the data that has no place there. What does not have the shape at all is left out."""
    if get_origin(wanted) in (Union, UnionType):
        wanted = get_args(wanted)[0]
    if get_origin(wanted) is tuple and isinstance(data, list):
        for i, item in enumerate(data):
            yield from unknown_fields(item, get_args(wanted)[0], (*path, i))
    elif isinstance(wanted, type) and issubclass(wanted, msgspec.Struct) and isinstance(data, dict):
        known = _hints(wanted)
        for name, value in data.items():
            if name in known:
                yield from unknown_fields(value, known[name], (*path, name))
            else:
                yield (*path, name)


def decoded(data: Any, wanted: type[P], path: Path, faults: list[Fault], unknown: list[Fault] | None = None) -> P:
    """The typed data, without what does not fit and what has no place there; that is told.

    ``unknown``: takes the fields that have no place, instead of ``faults``.
    """
    if not isinstance(data, dict):
        faults.append(Fault(path, "a map of fields is expected here"))
        return wanted()
    fit, unfit = validated(data, wanted)
    faults += [Fault((*path, *fault.path), fault.message, fault.value) for fault in unfit]
    strangers = [Fault((*path, *way), f"unknown field {quoted(str(way[-1]))}") for way in unknown_fields(data, wanted)]
    (faults if unknown is None else unknown).extend(strangers)
    return msgspec.convert(fit, wanted, dec_hook=decode_value)


@cache
def _hints(struct: type[msgspec.Struct]) -> dict[str, Any]:
    return get_type_hints(struct, include_extras=True)
