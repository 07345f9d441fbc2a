"""The costs of calls at run time, from the sizes of their arguments.

cel-go v0.29.2: interpreter/runtimecost.go, ext/lists.go, ext/sets.go; apiserver v0.37.0: pkg/cel/library/cost.go.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeAlias

from kube_cel.values import CancelledError, Duration, Foreign, Map, Timestamp, Value, go_type, size

LIST = 10
MAP = 30
_TRAVERSAL = 0.1
_REGEX = 0.25

_ADDERS = (int, float, str, bytes, Duration, Timestamp)

CallCost: TypeAlias = Callable[[list[Value], Value], int]


def _tenth(number: float) -> int:
    return math.ceil(number * _TRAVERSAL)


def equality(left: Value, right: Value, negated: bool) -> int:
    """``==`` and ``!=``: the shorter side is traversed; the types that Kubernetes adds cost one unit."""
    if isinstance(left, Foreign) and not negated:
        return 1
    shorter = min(size(left), size(right))
    return _tenth(shorter)


def _traversal(value: Value) -> int:
    """Going through a whole tree of data."""
    if isinstance(value, str):
        return int(len(value.encode("utf-8", "surrogatepass")) * _TRAVERSAL)
    if isinstance(value, bytes):
        return int(len(value) * _TRAVERSAL)
    if isinstance(value, list):
        return sum(map(_traversal, value))
    if isinstance(value, Map):
        return sum(_traversal(key) + _traversal(entry) for key, entry in value.items())
    return 1


def _one(args: list[Value], result: Value) -> int:
    return 1


def _first(factor: int) -> CallCost:
    return lambda args, result: _tenth(size(args[0]) * factor)


def _second(args: list[Value], result: Value) -> int:
    return _tenth(size(args[1]))


def _shorter(args: list[Value], result: Value) -> int:
    return _tenth(min(size(args[0]), size(args[1])))


def _both(args: list[Value], result: Value) -> int:
    return _tenth(size(args[0]) + size(args[1]))


def _regex(args: list[Value], result: Value) -> int:
    return _tenth(1.0 + size(args[0])) * math.ceil(size(args[1]) * _REGEX)


def _contains(args: list[Value], result: Value) -> int:
    return _tenth(size(args[0])) * _tenth(size(args[1]))


def _in_list(args: list[Value], result: Value) -> int:
    return size(args[1])


def _traverse(args: list[Value], result: Value) -> int:
    return _traversal(args[0])


def _join(args: list[Value], result: Value) -> int:
    return _tenth(size(result) * 2)


def _contains_ip(args: list[Value], result: Value) -> int:
    prefix = size(args[0])
    return _tenth(prefix + prefix)


def _contains_ip_text(args: list[Value], result: Value) -> int:
    return _contains_ip(args, result) + _tenth(size(args[1]))


def _contains_cidr(args: list[Value], result: Value) -> int:
    return _contains_ip(args, result) + _tenth(size(args[0])) + 1


def _contains_cidr_text(args: list[Value], result: Value) -> int:
    return _contains_cidr(args, result) + _tenth(size(args[1]))


def _validate(args: list[Value], result: Value) -> int:
    expression = getattr(args[0], "max_regex_size", None)
    if expression is None:
        return 1
    return _tenth(1.0 + size(args[1])) * math.ceil(expression * _REGEX)


def _new_list(factor: float, length: int) -> int:
    return int(length * (factor if factor >= 0 else 1.0)) + 1 + LIST


def _of_result(args: list[Value], result: Value) -> int:
    return _new_list(1, size(result))


def _flatten(args: list[Value], result: Value) -> int:
    depth = args[1] if len(args) == 2 else 1
    if type(depth) is not int:
        raise CancelledError(f"internal error: interface conversion: ref.Val is {go_type(depth)}, not types.Int")
    return _new_list(float(depth), size(args[0]))


def _self_compare(at: int) -> CallCost:
    def cost(args: list[Value], result: Value) -> int:
        items: Any = args[at]
        if not isinstance(items, list):
            raise CancelledError(
                f"internal error: interface conversion: {go_type(items)} is not traits.Lister: missing method "
                + ("Contains" if isinstance(items, _ADDERS) and type(items) is not bool else "Add")
            )
        factor = 2.0 + (_TRAVERSAL if items and isinstance(items[0], str | bytes) else 0)
        return _new_list(factor, len(items) ** 2)

    return cost


def _sets(factor: int) -> CallCost:
    return lambda args, result: 1 + size(args[0]) * size(args[1]) * factor


_OVERLOADS: dict[str, CallCost] = {
    "list_slice": _of_result,
    "lists_range": _of_result,
    "list_reverse": _of_result,
    "list_flatten": _flatten,
    "list_flatten_int": _flatten,
    "list_distinct": _self_compare(0),
    "list_sets_contains_list": _sets(1),
    "list_sets_intersects_list": _sets(1),
    "list_sets_equivalent_list": _sets(2),
    "cidr_ip": _one,
    "cidr_contains_ip_string": _contains_ip_text,
    "cidr_contains_cidr_string": _contains_cidr_text,
    "starts_with_string": _second,
    "ends_with_string": _second,
    "string_to_bytes": _first(1),
    "bytes_to_string": _first(1),
    "strings_quote": _first(1),
    "string_format": _first(1),
    "in_list": _in_list,
    "add_string": _both,
    "add_bytes": _both,
    "matches": _regex,
    "matches_string": _regex,
    "contains_string": _contains,
}
for _name in ("less", "greater", "less_equals", "greater_equals"):
    _OVERLOADS |= {f"{_name}_string": _shorter, f"{_name}_bytes": _shorter}

_FUNCTIONS: dict[str, CallCost] = {
    **dict.fromkeys(("isSorted", "sum", "max", "min", "indexOf", "lastIndexOf", "includes"), _traverse),
    **dict.fromkeys(("url", "lowerAscii", "upperAscii", "substring", "trim"), _first(1)),
    **dict.fromkeys(("cidr", "isIP", "isCIDR", "ip", "quantity", "isQuantity", "semver", "isSemver"), _first(1)),
    **dict.fromkeys(("replace", "split", "ip.isCanonical"), _first(2)),
    **dict.fromkeys(("find", "findAll"), _regex),
    "join": _join,
    "containsIP": _contains_ip,
    "containsCIDR": _contains_cidr,
    "validate": _validate,
}


def of_call(function: str, form: str) -> CallCost:
    """The cost of a call. ``form``: the overload if only one is possible; what depends on it is else one unit."""
    if form.startswith("list_") and form.endswith("_sort"):
        return _self_compare(0)
    if form.endswith("_sortByAssociatedKeys"):
        return _self_compare(1)
    return _OVERLOADS.get(form) or _FUNCTIONS.get(function) or _one
