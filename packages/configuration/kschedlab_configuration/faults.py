"""Faults in the real scheduler's words, and strict decoding, which reports unknown fields.

v1.37: k8s.io/apimachinery pkg/util/validation/field/errors.go and the strict decoding of pkg/runtime/serializer.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from types import UnionType
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

import msgspec

from kschedlab.manifests.schema import decode_value, validated
from kschedlab.messages import later
from kschedlab.objects.meta import Part
from kschedlab.objects.problems import Fault, Path, quoted, shortened

P = TypeVar("P", bound=Part)


def invalid(path: Path, value: object, why: str) -> Fault:
    return Fault(
        path,
        later(
            "Invalid value: {value}: {why}", value=quoted(value) if isinstance(value, str) else value, why=later(why)
        ),
    )


def required(path: Path, why: str = "") -> Fault:
    return Fault(path, later("Required value: {why}", why=later(why)) if why else later("Required value"))


def unsupported(path: Path, value: str, supported: Iterable[str]) -> Fault:
    """The value is not one of the supported ones."""
    return Fault(
        path,
        later(
            'Unsupported value: "{value}": supported values: {supported}',
            value=shortened(value),
            supported=[*map(quoted, supported)],
        ),
    )


def duplicate(path: Path, value: str) -> Fault:
    """An earlier entry has the same value."""
    return Fault(path, later('Duplicate value: "{value}"', value=shortened(value)))


def forbidden(path: Path, why: str) -> Fault:
    """The field must not be set here."""
    return Fault(path, later("Forbidden: {why}", why=later(why)))


def unknown_fields(data: Any, expected: Any, path: Path = ()) -> Iterator[Path]:
    """The path of every field that the struct lacks. Values that are not maps or lists as expected are skipped."""
    if get_origin(expected) in (Union, UnionType):
        expected = get_args(expected)[0]
    if get_origin(expected) is tuple and isinstance(data, list):
        for i, item in enumerate(data):
            yield from unknown_fields(item, get_args(expected)[0], (*path, i))
    elif isinstance(expected, type) and issubclass(expected, msgspec.Struct) and isinstance(data, dict):
        types = _hints(expected)
        for name, value in data.items():
            if name in types:
                yield from unknown_fields(value, types[name], (*path, name))
            else:
                yield (*path, name)


def decoded(data: Any, expected: type[P], path: Path, faults: list[Fault], unknown: list[Fault] | None = None) -> P:
    """The typed data, without unknown fields and values of the wrong type, which are appended to ``faults``.

    ``unknown``: if given, the list that takes the faults of unknown fields instead.
    """
    if not isinstance(data, dict):
        faults.append(Fault(path, "expected a map of fields"))
        return expected()
    valid, type_faults = validated(data, expected)
    faults += [Fault((*path, *fault.path), fault.message, fault.value) for fault in type_faults]
    unknown = faults if unknown is None else unknown
    unknown += [
        Fault((*path, *p), later('unknown field "{field}"', field=shortened(str(p[-1]))))
        for p in unknown_fields(data, expected)
    ]
    return msgspec.convert(valid, expected, dec_hook=decode_value)


@cache
def _hints(struct: type[msgspec.Struct]) -> dict[str, Any]:
    return get_type_hints(struct)
