"""Operators and conversions (cel-go v0.29.2: common/stdlib/standard.go, common/types)."""

from __future__ import annotations

from collections.abc import Callable

from kube_cel import numbers, times
from kube_cel.numbers import text_of
from kube_cel.regex import RegexError, compile_regex
from kube_cel.values import (
    NO_OVERLOAD,
    Duration,
    Err,
    Function,
    Growing,
    Map,
    Timestamp,
    TypeValue,
    UInt,
    Value,
    compare,
    contains,
    is_number,
    size,
    type_name,
)

_TIMES = (Duration, Timestamp)
_ORDERED = (bool, int, UInt, float, str, bytes, Duration, Timestamp)


def untraited(function: str, value: Value) -> Err:
    """What an operator says of a value that it is not for; texts and times have methods, so it may be one of those."""
    return NO_OVERLOAD if type(value) in (str, *_TIMES) else Err(f"no such overload: {function}")


def _add(left: Value, right: Value) -> Value:
    if type(left) is Growing and isinstance(right, list):
        left.extend(right)
        return left
    if isinstance(left, list):
        return [*left, *right] if isinstance(right, list) else NO_OVERLOAD
    if type(left) in _TIMES:
        fits = type(right) is Duration or (type(right) is Timestamp and type(left) is Duration)
        return times.add(left, right) if fits else NO_OVERLOAD
    if type(left) not in (int, UInt, float, str, bytes):
        return untraited("_+_", left)
    if type(left) is not type(right):
        return NO_OVERLOAD
    return numbers.integer(left + right, left) if type(left) in (int, UInt) else left + right


def _subtract(left: Value, right: Value) -> Value:
    if type(left) in _TIMES:
        fits = type(right) is Duration or (type(right) is Timestamp and type(left) is Timestamp)
        return times.subtract(left, right) if fits else NO_OVERLOAD
    if not is_number(left):
        return untraited("_-_", left)
    if type(left) is not type(right):
        return NO_OVERLOAD
    return left - right if type(left) is float else numbers.integer(left - right, left)


def _multiply(left: Value, right: Value) -> Value:
    if not is_number(left):
        return untraited("_*_", left)
    if type(left) is not type(right):
        return NO_OVERLOAD
    return left * right if type(left) is float else numbers.integer(left * right, left)


def _arithmetic(function: str, operation: Callable[[Value, Value], Value]) -> Function:
    def apply(left: Value, right: Value) -> Value:
        if not is_number(left):
            return untraited(function, left)
        if type(left) is not type(right):
            return untraited(function, left) if function == "_%_" and type(left) is float else NO_OVERLOAD
        return operation(left, right)

    return apply


def _negate(value: Value) -> Value:
    if type(value) is float:
        return -value
    if type(value) is int:
        return numbers.integer(-value, value)
    if type(value) is Duration:
        return times.subtract(Duration(0), value)
    return NO_OVERLOAD if type(value) is bool else untraited("-_", value)


def _not(value: Value) -> Value:
    return not value if type(value) is bool else NO_OVERLOAD


def _order(function: str, wanted: tuple[int, ...]) -> Function:
    def apply(left: Value, right: Value) -> Value:
        if type(left) not in _ORDERED:
            return untraited(function, left)
        order = compare(left, right)
        return order if isinstance(order, Err) else order in wanted

    return apply


def _in(value: Value, container: Value) -> Value:
    if isinstance(container, list):
        return contains(container, value)
    if type(container) is Map:
        return container.find(value)[1]
    return NO_OVERLOAD


def _size(value: Value) -> Value:
    return size(value) if type(value) in (str, bytes, list, Map, Growing) else untraited("size", value)


def _matches(text: Value, pattern: Value) -> Value:
    if not isinstance(text, str):
        return untraited("matches", text)
    if not isinstance(pattern, str):
        return NO_OVERLOAD
    try:
        return compile_regex(pattern).search(text)
    except RegexError as error:
        return Err(str(error))


def _not_strictly_false(value: Value) -> Value:
    return value if type(value) is bool else True


def _texts(operation: Callable[[str, str], bool]) -> Function:
    def apply(text: Value, other: Value) -> Value:
        return operation(text, other) if isinstance(text, str) and isinstance(other, str) else NO_OVERLOAD

    return apply


SINGLETONS: dict[str, Function] = {
    "_+_": _add,
    "_-_": _subtract,
    "_*_": _multiply,
    "_/_": _arithmetic("_/_", numbers.divide),
    "_%_": _arithmetic("_%_", numbers.remainder),
    "-_": _negate,
    "!_": _not,
    "_<_": _order("_<_", (-1,)),
    "_<=_": _order("_<=_", (-1, 0)),
    "_>_": _order("_>_", (1,)),
    "_>=_": _order("_>=_", (1, 0)),
    "@in": _in,
    "size": _size,
    "type": lambda value: TypeValue(type_name(value)),
    "dyn": lambda value: value,
    "matches": _matches,
    "@not_strictly_false": _not_strictly_false,
    "startsWith": _texts(str.startswith),
    "endsWith": _texts(str.endswith),
    "contains": _texts(str.__contains__),
}


def _same(value: Value) -> Value:
    return value


def _to_bool(text: str) -> Value:
    if text in ("1", "t", "T", "true", "TRUE", "True"):
        return True
    if text in ("0", "f", "F", "false", "FALSE", "False"):
        return False
    return numbers.conversion_error("string", "bool")


def _decode(value: bytes) -> Value:
    try:
        return value.decode()
    except UnicodeDecodeError:
        return Err("invalid UTF-8 in bytes, cannot convert to string")


def _insert(target: Map, key: Value, value: Value) -> Value:
    if target.find(key)[1]:
        return Err(f"insert failed: key {text_of(key)} already exists")
    return target.grown(key, value)


def _insert_all(target: Map, entries: Map) -> Value:
    for key, value in list(entries.items()):
        result = _insert(target, key, value)
        if isinstance(result, Err):
            return result
    return target


CONVERSIONS: dict[str, Function] = {
    **{
        f"{kind}_to_{kind}": _same
        for kind in ("bool", "bytes", "double", "duration", "int64", "string", "timestamp", "uint64")
    },
    "string_to_bool": _to_bool,
    "string_to_bytes": str.encode,
    "int64_to_double": numbers.to_double,
    "string_to_double": numbers.to_double,
    "uint64_to_double": numbers.to_double,
    "string_to_duration": times.to_duration,
    "double_to_int64": numbers.to_int,
    "duration_to_int64": lambda value: value.nanos,
    "string_to_int64": numbers.to_int,
    "timestamp_to_int64": lambda value: value.nanos // 10**9,
    "uint64_to_int64": numbers.to_int,
    "bool_to_string": text_of,
    "bytes_to_string": _decode,
    "double_to_string": text_of,
    "duration_to_string": times.duration_text,
    "int64_to_string": str,
    "timestamp_to_string": times.timestamp_text,
    "uint64_to_string": str,
    "int64_to_timestamp": times.to_timestamp,
    "string_to_timestamp": times.to_timestamp,
    "double_to_uint64": numbers.to_uint,
    "int64_to_uint64": numbers.to_uint,
    "string_to_uint64": numbers.to_uint,
    "@mapInsert_map_key_value": _insert,
    "@mapInsert_map_map": _insert_all,
}
