"""Functions on lists, sets and optional values.

k8s.io/apiserver v0.37.0: pkg/cel/library/lists.go; cel-go v0.29.2: ext/lists.go, ext/sets.go, cel/library.go.
"""

from __future__ import annotations

from functools import cmp_to_key
from itertools import pairwise

from kube_cel.numbers import text_of
from kube_cel.operators import SINGLETONS, untraited
from kube_cel.values import (
    NO_OVERLOAD,
    NONE,
    CancelledError,
    Duration,
    Err,
    Function,
    Map,
    Optional,
    Timestamp,
    UInt,
    Value,
    compare,
    contains,
    equal,
    go_type,
)

_COMPARABLE = (bool, int, UInt, float, str, bytes, Duration, Timestamp)
_ZEROS: dict[type, Value] = {UInt: UInt(0), float: 0.0, Duration: Duration(0)}
_ZERO_MOMENT = -62135596800 * 10**9


def _is_sorted(items: list[Value]) -> Value:
    if any(type(item) not in _COMPARABLE for item in items):
        return NO_OVERLOAD
    return not any(compare(one, other) == 1 for one, other in pairwise(items))


def _sum(items: list[Value]) -> Value:
    total: Value = _ZEROS.get(type(items[0]), 0) if items else 0
    for item in items:
        total = SINGLETONS["_+_"](total, item)
        if isinstance(total, Err):
            return NO_OVERLOAD if total.text == "no such overload" else total
    return total


def _extreme(name: str, preferred: int) -> Function:
    def find(items: list[Value]) -> Value:
        if any(type(item) not in _COMPARABLE for item in items):
            return NO_OVERLOAD
        if not items:
            return Err(f"{name} called on empty list")
        best = items[0]
        for item in items[1:]:
            if compare(best, item) == preferred:
                best = item
        return best

    return find


def _index_of(items: list[Value], value: Value) -> int:
    return next((at for at, item in enumerate(items) if equal(item, value) is True), -1)


def _last_index_of(items: list[Value], value: Value) -> int:
    return next((at for at in range(len(items) - 1, -1, -1) if equal(items[at], value) is True), -1)


def _includes(target: Value, value: Value) -> bool:
    if isinstance(target, list):
        return any(equal(item, value) is True for item in target)
    return equal(target, value) is True


def _slice(items: list[Value], start: int, end: int) -> Value:
    if start < 0 or end < 0:
        return Err(f"cannot slice({start}, {end}), negative indexes not supported")
    if start > end:
        return Err(f"cannot slice({start}, {end}), start index must be less than or equal to end index")
    if len(items) < end:
        return Err(f"cannot slice({start}, {end}), list is length {len(items)}")
    return items[start:end]


def _flatten(items: list[Value], depth: int = 1) -> Value:
    if depth < 0:
        return Err("level must be non-negative")
    while depth > 0 and any(isinstance(item, list) for item in items):
        flat: list[Value] = []
        for item in items:
            flat.extend(item if isinstance(item, list) else [item])
            if len(flat) > 3_000_000:
                return flat  # refused by its size
        items, depth = flat, depth - 1
    return list(items)


def _distinct(items: list[Value]) -> list[Value]:
    unique: list[Value] = []
    for item in items:
        if not any(equal(item, other) is True for other in unique):
            unique.append(item)
    return unique


def _range(count: int) -> Value:
    if count < 0:
        return Err(f"lists.range: size must be non-negative, got {count}")
    if count > 1_000_000:
        return Err(f"lists.range: size {count} exceeds maximum allowed (1000000)")
    return list(range(count))


def sort(items: Value) -> Value:
    """``list.sort()``."""
    return sort_by(items, items) if isinstance(items, list) else untraited("sort", items)


def sort_by(items: Value, keys: Value) -> Value:
    """The items in the order of their keys."""
    if not isinstance(items, list):
        return untraited("@sortByAssociatedKeys", items)
    if not isinstance(keys, list):
        raise CancelledError(
            f"internal error: interface conversion: {go_type(keys)} is not traits.Lister: missing method Contains"
        )
    if len(items) != len(keys):
        return Err(
            "@sortByAssociatedKeys() expected a list of the same size as the associated keys list, but got "
            f"{len(items)} and {len(keys)} elements respectively"
        )
    if not keys:
        return items
    if type(keys[0]) not in _COMPARABLE:
        return Err("list elements must be comparable")
    if any(type(key) is not type(keys[0]) for key in keys):
        return Err("list elements must have the same type")

    def less(one: int, other: int) -> int:
        return -(compare(keys[one], keys[other]) == -1)

    return [items[at] for at in sorted(range(len(keys)), key=cmp_to_key(less))]


def _contains_all(items: list[Value], others: list[Value]) -> bool:
    return all(contains(items, other) for other in others)


def _equivalent(one: list[Value], other: list[Value]) -> bool:
    return _contains_all(one, other) and _contains_all(other, one)


def _intersects(one: list[Value], other: list[Value]) -> bool:
    return any(contains(other, item) for item in one)


def _non_zero(value: Value) -> Value:
    if value is None or (isinstance(value, bool | int | float | str | bytes | list) and not value):
        return NONE
    if (type(value) is Map and not len(value)) or (type(value) is Duration and not value.nanos):
        return NONE
    if type(value) is Timestamp and value.nanos == _ZERO_MOMENT:
        return NONE
    return Optional(True, value)


def _unwrap(items: list[Value]) -> Value:
    for item in items:
        if type(item) is not Optional:
            return Err(f"value {text_of(item)} is not optional")
    return [item.value for item in items if item.present]


def _value(value: Optional) -> Value:
    return value.value if value.present else Err("optional.none() dereference")


FUNCTIONS: dict[str, Function] = {
    "isSorted": _is_sorted,
    "sum": _sum,
    "max": _extreme("max", -1),
    "min": _extreme("min", 1),
    "indexOf": _index_of,
    "lastIndexOf": _last_index_of,
    "includes": _includes,
    "slice": _slice,
    "flatten": _flatten,
    "distinct": _distinct,
    "lists.range": _range,
    "reverse": lambda items: items[::-1],
    "first": lambda items: Optional(True, items[0]) if items else NONE,
    "last": lambda items: Optional(True, items[-1]) if items else NONE,
    "sets.contains": _contains_all,
    "sets.equivalent": _equivalent,
    "sets.intersects": _intersects,
    "optional.none": lambda: NONE,
    "optional.of": lambda value: Optional(True, value),
    "optional.ofNonZeroValue": _non_zero,
    "optional.unwrap": _unwrap,
    "unwrapOpt": _unwrap,
    "value": _value,
    "hasValue": lambda value: value.present,
}
