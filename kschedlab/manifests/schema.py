"""Checks that plain data has the types of an object's fields. Reports every error; a decoder stops at the first.

As in the API, unknown fields are ignored, spaces around a quantity too, and ``null`` means absent (the empty string in
a map or list of strings, zero in a map or list of quantities, an empty item in a list).
"""

from __future__ import annotations

from decimal import Decimal
from functools import cache
from math import isfinite
from types import NoneType, UnionType
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

import msgspec

from kschedlab.messages import later
from kschedlab.objects.meta import Part, Time
from kschedlab.objects.problems import WRITTEN, Fault, Faults, Path, out_of_range, shortened
from kschedlab.objects.quantity import Quantity, QuantityError

_INVALID = object()
"""Replaces a value of the wrong type."""
_EMPTY: dict[Any, Any] = {str: "", Quantity: "0", int: 0, bool: False}
"""What ``null`` is in a list, by the type of its items; a map of fields for all others."""


def decode_value(expected: type, value: Any) -> Any:
    """Decode a :class:`Quantity` or :class:`Time` (msgspec's ``dec_hook``). ValueError if the value is invalid."""
    if expected is Quantity:
        return Quantity(value.strip()) if type(value) is str else _unquoted(value)
    if expected is Time and isinstance(value, str):
        return Time.parse(value)
    raise NotImplementedError(expected)


def _unquoted(value: Any) -> Quantity:
    """The quantity of a number, or of None, which means 0."""
    if value is None:
        return Quantity("0")
    if isinstance(value, float) and isfinite(value):
        value = Decimal(repr(value))
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        expected = later("{value} is not a quantity (expected a number such as 2, 500m or 1.5Gi)", value=WRITTEN)
        raise QuantityError("format", expected)
    if isinstance(value, int) and value.bit_length() > 256:
        raise QuantityError("range", later("{value} is not a quantity (it has too many digits)", value=WRITTEN))
    return Quantity(str(value))


def validated(data: dict[str, Any], expected: type[msgspec.Struct]) -> tuple[dict[str, Any], list[Fault]]:
    """The data without nulls and without values of the wrong type, and a fault for each of the latter."""
    faults = Faults()
    valid: dict[str, Any] = _validate(data, expected, (), faults)
    return valid, faults


@cache
def _fields(struct: type[msgspec.Struct]) -> dict[str, Any]:
    hints = get_type_hints(struct, include_extras=True)
    names = zip(struct.__struct_encode_fields__, struct.__struct_fields__, strict=True)
    return {written: hints[name] for written, name in names}


def _validate(data: Any, expected: Any, path: Path, faults: Faults) -> Any:
    origin = get_origin(expected)
    if expected is Any:
        return data
    if origin in (Union, UnionType):
        return _validate_union(data, get_args(expected), path, faults)
    if origin is tuple:
        return _validate_list(data, get_args(expected)[0], path, faults)
    if origin is dict:
        return _validate_map(data, get_args(expected)[1], path, faults)
    if isinstance(expected, type) and issubclass(expected, msgspec.Struct):
        return _validate_struct(data, expected, path, faults)
    return _validate_scalar(data, expected, path, faults)


def _validate_struct(data: Any, expected: type[msgspec.Struct], path: Path, faults: Faults) -> Any:
    if not isinstance(data, dict):
        faults.note(path, "expected a map of fields, not {given}", given=_type_name(data))
        return _INVALID
    types = _fields(expected)
    present = {name: value for name, value in data.items() if name in types and value is not None}
    fields = {name: _validate(value, types[name], (*path, name), faults) for name, value in present.items()}
    return {name: value for name, value in fields.items() if value is not _INVALID}


def _validate_list(data: Any, expected: Any, path: Path, faults: Faults) -> Any:
    if not isinstance(data, list | tuple):
        faults.note(path, "expected a list, not {given}", given=_type_name(data))
        return _INVALID
    plain = get_args(expected)[0] if get_origin(expected) is Annotated else expected
    empty: Any = _EMPTY.get(plain, {})
    items = [_validate(empty if v is None else v, expected, (*path, i), faults) for i, v in enumerate(data)]
    return [empty if value is _INVALID else value for value in items]


def _validate_map(data: Any, expected: Any, path: Path, faults: Faults) -> Any:
    if not isinstance(data, dict):
        faults.note(path, "expected a map, not {given}", given=_type_name(data))
        return _INVALID
    for key in data:
        if not isinstance(key, str):
            given = _type_name(key)
            message = later("the key {key!r} is {given}, not text: put it in quotes", key=key, given=given)
            faults.note(path, message)
    data = {key: value for key, value in data.items() if isinstance(key, str)}
    absent: Any = "" if expected is str else {} if isinstance(expected, type) and issubclass(expected, Part) else None
    entries = {k: _validate(absent if v is None else v, expected, (*path, k), faults) for k, v in data.items()}
    return {key: value for key, value in entries.items() if value is not _INVALID}


def _validate_union(data: Any, members: tuple[Any, ...], path: Path, faults: Faults) -> Any:
    if data is None and NoneType in members:
        return data
    types = [member for member in members if member is not NoneType]
    if isinstance(data, str) and str in types:
        return data
    return _validate(data, types[0], path, faults)


def _validate_scalar(data: Any, expected: Any, path: Path, faults: Faults) -> Any:
    limits: tuple[Any, ...] = ()
    if get_origin(expected) is Annotated:
        expected, *limits = get_args(expected)  # type: ignore[assignment]
    if expected is Quantity or expected is Time:
        fault = _decoding_fault(data, expected)
    elif type(data) is not expected:
        fault = _type_fault(data, expected)
    elif limits and not limits[0].ge <= data <= limits[0].le:
        fault = out_of_range(data, limits[0].ge, limits[0].le)
    else:
        return data
    if fault is None:
        return data
    faults.note(path, fault, str(data).lower() if isinstance(data, bool) else str(data))
    return _INVALID


def _decoding_fault(data: Any, expected: type) -> str | None:
    if isinstance(data, dict | list):
        return _not_expected(expected, data)
    try:
        decode_value(expected, data)
    except QuantityError as error:
        message: str = error.args[0]
        return message
    except (ValueError, NotImplementedError):
        return later("{value} is not a time such as 2024-01-31T12:00:00Z", value=_shown(data))
    return None


def _type_fault(data: Any, expected: Any) -> str:
    if isinstance(data, dict | list) or data is None:
        return _not_expected(expected, data)
    names = {"value": _shown(data), "given": _type_name(data), "expected": _wanted(expected)}
    if expected is not str:
        return later("{value} is {given}, not {expected}", **names)
    return later("{value} is {given}, not {expected}: put it in quotes ({quoted})", quoted=f'"{WRITTEN}"', **names)


def _not_expected(expected: Any, data: Any) -> str:
    return later("expected {expected}, not {given}", expected=_wanted(expected), given=_type_name(data))


def _wanted(expected: Any) -> str:
    names = {str: later("text"), bool: later("true or false"), Quantity: later("a quantity"), Time: later("a time")}
    return names.get(expected) or later("a whole number")


def _shown(data: Any) -> str:
    return later('"{text}"', text=shortened(data)) if isinstance(data, str) else WRITTEN


def _type_name(data: Any) -> str:
    if data is None:
        return later("nothing")
    if isinstance(data, int | float | Decimal):
        return later("true or false") if isinstance(data, bool) else later("a number")
    if isinstance(data, str):
        return later("text")
    if isinstance(data, list | tuple):
        return later("a list")
    return later("a map") if isinstance(data, dict) else later("a Python {name}", name=type(data).__name__)
