"""Does plain data have the shape of an object? Finds everything that is wrong, where a decoder stops at the first.

As in the API: unknown fields are passed over, ``null`` is absence (in a map of texts the empty text, in a map of
amounts zero).
"""

from __future__ import annotations

from decimal import Decimal
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

import msgspec

from kschedlab.objects.meta import Time
from kschedlab.objects.problems import WRITTEN, Fault, Path, quoted
from kschedlab.objects.quantity import Quantity, QuantityError

_WORDS: dict[Any, str] = {
    str: "text",
    int: "a whole number",
    bool: "true or false",
    Quantity: "a quantity",
    Time: "a time",
}
_UNFIT = object()
"""In place of what does not fit."""


def decode_value(wanted: type, value: Any) -> Any:
    """Make a :class:`Quantity` or a :class:`Time` (msgspec's ``dec_hook``). ValueError if the value is neither."""
    if wanted is Quantity:
        return Quantity(value) if type(value) is str else _unquoted(value)
    if wanted is Time and isinstance(value, str):
        return Time.parse(value)
    raise NotImplementedError(wanted)


def _unquoted(value: Any) -> Quantity:
    """A quantity that is not written as text: a number, or nothing, which is 0."""
    if value is None:
        return Quantity("0")
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        raise QuantityError("format", f"{WRITTEN} is not a quantity (expected a number such as 2, 500m or 1.5Gi)")
    if isinstance(value, int) and value.bit_length() > 256:
        raise QuantityError("range", f"{WRITTEN} is not a quantity (it has too many digits)")
    return Quantity(str(value))


def fitted(data: dict[str, Any], wanted: type[msgspec.Struct]) -> tuple[dict[str, Any], list[Fault]]:
    """The data without what stands for absence and without what does not fit, and the faults of that."""
    faults: list[Fault] = []
    fit: dict[str, Any] = _fit(data, wanted, (), faults)
    return fit, faults


@cache
def _fields(struct: type[msgspec.Struct]) -> dict[str, Any]:
    hints = get_type_hints(struct, include_extras=True)
    return {name: hints[name] for name in struct.__struct_fields__}


def _fit(data: Any, wanted: Any, path: Path, faults: list[Fault]) -> Any:
    origin = get_origin(wanted)
    if wanted is Any:
        return data
    if origin in (Union, UnionType):
        return _fit_union(data, get_args(wanted), path, faults)
    if origin is tuple:
        return _fit_list(data, get_args(wanted)[0], path, faults)
    if origin is dict:
        return _fit_map(data, get_args(wanted)[1], path, faults)
    if isinstance(wanted, type) and issubclass(wanted, msgspec.Struct):
        return _fit_struct(data, wanted, path, faults)
    return _fit_scalar(data, wanted, path, faults)


def _fit_struct(data: Any, wanted: type[msgspec.Struct], path: Path, faults: list[Fault]) -> Any:
    if not isinstance(data, dict):
        faults.append(Fault(path, f"a map of fields is expected here, not {_described(data)}"))
        return _UNFIT
    known = _fields(wanted)
    fit = {n: _fit(v, known[n], (*path, n), faults) for n, v in data.items() if n in known and v is not None}
    return {name: value for name, value in fit.items() if value is not _UNFIT}


def _fit_list(data: Any, wanted: Any, path: Path, faults: list[Fault]) -> Any:
    if not isinstance(data, list | tuple):
        faults.append(Fault(path, f"a list is expected here, not {_described(data)}"))
        return _UNFIT
    fit = [_fit(value, wanted, (*path, i), faults) for i, value in enumerate(data)]
    empty: Any = "" if wanted is str else {}
    return [empty if value is _UNFIT else value for value in fit]


def _fit_map(data: Any, wanted: Any, path: Path, faults: list[Fault]) -> Any:
    if not isinstance(data, dict):
        faults.append(Fault(path, f"a map is expected here, not {_described(data)}"))
        return _UNFIT
    absent = "" if wanted is str else None
    fit = {k: _fit(absent if v is None else v, wanted, (*path, k), faults) for k, v in data.items()}
    return {key: value for key, value in fit.items() if value is not _UNFIT}


def _fit_union(data: Any, members: tuple[Any, ...], path: Path, faults: list[Fault]) -> Any:
    kinds = [member for member in members if member is not NoneType]
    if isinstance(data, str) and str in kinds:
        return data
    return _fit(data, kinds[0], path, faults)


def _fit_scalar(data: Any, wanted: Any, path: Path, faults: list[Fault]) -> Any:
    limits: tuple[Any, ...] = ()
    if get_origin(wanted) is Annotated:
        wanted, *limits = get_args(wanted)  # type: ignore[assignment]
    if wanted is Quantity or wanted is Time:
        fault = _made_fault(data, wanted)
    elif type(data) is not wanted:
        fault = _mismatch(data, wanted)
    elif limits and not limits[0].ge <= data <= limits[0].le:
        fault = f"{data} is out of range: from {limits[0].ge} to {limits[0].le}"
    else:
        return data
    if fault is None:
        return data
    faults.append(Fault(path, fault, str(data).lower() if isinstance(data, bool) else str(data)))
    return _UNFIT


def _made_fault(data: Any, wanted: type) -> str | None:
    """Why the value is not a quantity or a time, if it is not."""
    if isinstance(data, dict | list):
        return f"{_WORDS[wanted]} is expected here, not {_described(data)}"
    try:
        decode_value(wanted, data)
    except QuantityError as error:
        return str(error)
    except (ValueError, NotImplementedError):
        return f"{_shown(data)} is not a time like 2024-01-31T12:00:00Z"
    return None


def _mismatch(data: Any, wanted: Any) -> str:
    if isinstance(data, dict | list) or data is None:
        return f"{_WORDS[wanted]} is expected here, not {_described(data)}"
    remedy = f": put it in quotes ({quoted(WRITTEN)})" if wanted is str else ""
    return f"{_shown(data)} is {_described(data)}, not {_WORDS[wanted]}{remedy}"


def _shown(data: Any) -> str:
    return quoted(data) if isinstance(data, str) else WRITTEN


def _described(data: Any) -> str:
    if data is None:
        return "nothing"
    if isinstance(data, bool):
        return "true or false"
    if isinstance(data, int | Decimal):
        return "a number"
    return "text" if isinstance(data, str) else "a map" if isinstance(data, dict) else "a list"
