"""What a call may cost, and how large its result may be.

cel-go v0.29.2: checker/cost.go, ext/lists.go, ext/sets.go; apiserver v0.37.0: pkg/cel/library/cost.go.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from kube_cel.kinds import Type
from kube_cel.sizes import MOST, NO_SIZE, Range, fixed, limited, path_size
from kube_cel.tree import Expr, Literal

_ONE = fixed(1)
_TRAVERSAL = 0.1
_REGEX = 0.25


class Argument(NamedTuple):
    """An argument: the expression, its type, its path and its size."""

    expr: Expr
    kind: Type
    path: tuple[str, ...]
    known: Range | None

    @property
    def size(self) -> Range:
        """Its size, unknown if need be."""
        return self.known or NO_SIZE


Estimate: TypeAlias = tuple[Range, Range | None]
_Estimator: TypeAlias = Callable[[str, Argument | None, list[Argument]], Estimate | None]


def call(function: str, form: str, target: Argument | None, args: list[Argument]) -> Estimate:
    """(the cost of a call without its arguments, the size of its result)."""
    for table, key in ((_FORMS, form), (_FUNCTIONS, function), (_STANDARD, form)):
        estimator = table.get(key)
        if form.startswith("list_") and table is _FORMS and form.endswith(("_sort", "_sortByAssociatedKeys")):
            estimator = _sort
        if estimator is not None:
            estimate = estimator(form, target, args)
            if estimate is not None:
                return estimate
    return _ONE, None


def _element_size(node: Argument) -> Range:
    """The size of a list's elements, as far as their path tells."""
    size = path_size((*node.path, "@items")) if node.path else None
    return size or NO_SIZE


def _list(cost: float, size: Range) -> Estimate:
    return size.scaled(cost) + _ONE + fixed(10), size


def _literal_int(node: Argument, default: int) -> int:
    if not isinstance(node.expr, Literal) or type(node.expr.value) is not int:
        return default
    return max(node.expr.value, 0)


def _slice(form: str, target: Argument | None, args: list[Argument]) -> Estimate | None:
    if target is None:
        return None
    start, end = _literal_int(args[0], 0), _literal_int(args[1], target.size.high)
    return _list(1, fixed((end - start) % 2**64))


def _range(form: str, target: Argument | None, args: list[Argument]) -> Estimate:
    return _list(1, fixed(_literal_int(args[0], MOST)))


def _reverse(form: str, target: Argument | None, args: list[Argument]) -> Estimate | None:
    return _list(1, target.size) if target else None


def _flatten(form: str, target: Argument | None, args: list[Argument]) -> Estimate | None:
    depth = _literal_int(args[0], MOST) if args else 1
    return _list(float(depth), target.size) if target else None


def _distinct(form: str, target: Argument | None, args: list[Argument]) -> Estimate | None:
    return _list(2.0, target.size * target.size) if target else None


def _sort(form: str, target: Argument | None, args: list[Argument]) -> Estimate | None:
    if target is None:
        return None
    keys = args[0] if args else target
    factor = 2.0 + (_TRAVERSAL if "string" in form or "bytes" in form else 0)
    return _list(factor, keys.size * keys.size)


def _sets(factor: float) -> _Estimator:
    return lambda form, target, args: ((args[0].size * args[1].size).scaled(factor) + _ONE, None)


def _over_list(form: str, target: Argument | None, args: list[Argument]) -> Estimate | None:
    if target is None:
        return None
    if target.kind.params:
        each = _ONE
        if target.kind.params[0].kind in ("string", "bytes"):
            each = each + _element_size(target).scaled(_TRAVERSAL)
        return target.size * each, None
    if form == "list_includes_dyn_dyn":
        return target.size, None
    return target.size.scaled(_TRAVERSAL), None


def _of_argument(factor: float, keeps_size: bool = False) -> _Estimator:
    return lambda form, target, args: (args[0].size.scaled(factor), args[0].size if keeps_size else None)


def _of_target(form: str, target: Argument | None, args: list[Argument]) -> Estimate | None:
    return (target.size.scaled(_TRAVERSAL), target.size) if target else None


def _replace(form: str, target: Argument | None, args: list[Argument]) -> Estimate | None:
    if target is None:
        return None
    size, old, new = target.size, args[0].size, args[1].size
    if old.low == 0:
        most, kept_most = min(size.high + 1, MOST), size.high
    elif new.high <= old.low:
        most, kept_most = 0, size.high
    else:
        most, kept_most = math.ceil(float(size.high) / float(old.low)), 0
    if old.high == 0:
        least, kept_least = min(size.low + 1, MOST), size.low
    elif old.high <= new.low:
        least, kept_least = 0, size.low
    else:
        least, kept_least = math.ceil(float(size.low) / float(old.high)), 0
    result = Range(least, min(most, MOST)) * new + Range(kept_least, kept_most)
    return size.scaled(2 * _TRAVERSAL), result


def _split(form: str, target: Argument | None, args: list[Argument]) -> Estimate | None:
    if target is None:
        return None
    most = target.size.high
    if len(args) > 1 and isinstance(args[1].expr, Literal) and type(args[1].expr.value) is int:
        most = args[1].expr.value % 2**64
    return target.size.scaled(2 * _TRAVERSAL), limited(most)


def _join(form: str, target: Argument | None, args: list[Argument]) -> Estimate | None:
    if target is None:
        return None
    size = target.size * _element_size(target) if target.kind.params else fixed(0)
    if args:
        size = size + args[0].size * Range(max(target.size.low - 1, 0), max(target.size.high - 1, 0))
    return size.scaled(_TRAVERSAL), size


def _find(form: str, target: Argument | None, args: list[Argument]) -> Estimate | None:
    if target is None:
        return None
    cost = (target.size + _ONE).scaled(_TRAVERSAL) * args[0].size.scaled(_REGEX)
    return cost, limited(target.size.high)


def _ip(form: str, target: Argument | None, args: list[Argument]) -> Estimate | None:
    if form == "cidr_ip":
        return _ONE, None
    return (args[0].size.scaled(_TRAVERSAL), None) if args else None


_BYTES = Range(4, 16)


def _contains_ip(form: str, target: Argument | None, args: list[Argument]) -> Estimate:
    cost = (_BYTES + _BYTES).scaled(_TRAVERSAL)
    return cost + args[0].size.scaled(_TRAVERSAL) if form.endswith("_string") else cost, None


def _contains_cidr(form: str, target: Argument | None, args: list[Argument]) -> Estimate:
    cost = (_BYTES + _BYTES).scaled(_TRAVERSAL) + _BYTES.scaled(_TRAVERSAL) + _ONE
    return cost + args[0].size.scaled(_TRAVERSAL) if form.endswith("_string") else cost, None


def _validate(form: str, target: Argument | None, args: list[Argument]) -> Estimate:
    return args[0].size.scaled(_TRAVERSAL).scaled(128 * _REGEX), None


def _equals(form: str, target: Argument | None, args: list[Argument]) -> Estimate | None:
    one, other = args[0].kind, args[1].kind
    if one != other or one.name not in _KUBERNETES:
        return None
    if one.name == "kubernetes.NamedFormat":
        return Range(1, 64).scaled(_TRAVERSAL), None
    if one.name == "kubernetes.URL":
        size = args[1].known
        return Range(1, size.high if size else 1).scaled(_TRAVERSAL), None
    return _ONE, None


_KUBERNETES = (
    "net.IP", "net.CIDR", "kubernetes.Quantity", "kubernetes.Semver", "kubernetes.NamedFormat", "kubernetes.URL",
)  # fmt: skip


def _format(form: str, target: Argument | None, args: list[Argument]) -> Estimate | None:
    return (target.size.scaled(_TRAVERSAL), None) if target else None


def _conversion(least: float, most: int, more: int = 0) -> _Estimator:
    def estimate(form: str, target: Argument | None, args: list[Argument]) -> Estimate:
        size = args[0].size
        return size.scaled(_TRAVERSAL), Range(int(size.low * least) + more, (size.high * most + more) % 2**64)

    return estimate


def _in_list(form: str, target: Argument | None, args: list[Argument]) -> Estimate:
    return args[1].size.scaled(1), None


def _matches(form: str, target: Argument | None, args: list[Argument]) -> Estimate:
    text, pattern = (target, args[0]) if target is not None else (args[0], args[1])
    return (text.size + _ONE).scaled(_TRAVERSAL) * pattern.size.scaled(_REGEX), None


def _contains(form: str, target: Argument | None, args: list[Argument]) -> Estimate | None:
    if target is None:
        return None
    return target.size.scaled(_TRAVERSAL) * args[0].size.scaled(_TRAVERSAL), None


def _add(form: str, target: Argument | None, args: list[Argument]) -> Estimate:
    size = args[0].size + args[1].size
    return _ONE if form == "add_list" else size.scaled(_TRAVERSAL), size


def _shorter(form: str, target: Argument | None, args: list[Argument]) -> Estimate:
    most = min(args[0].size.high, args[1].size.high)
    return Range(1 if most else 0, most).scaled(_TRAVERSAL), None


def _one(form: str, target: Argument | None, args: list[Argument]) -> Estimate:
    return _ONE, None


_FORMS: dict[str, _Estimator] = {
    "list_slice": _slice,
    "lists_range": _range,
    "list_reverse": _reverse,
    "list_flatten": _flatten,
    "list_flatten_int": _flatten,
    "list_distinct": _distinct,
    "list_sets_contains_list": _sets(1),
    "list_sets_intersects_list": _sets(1),
    "list_sets_equivalent_list": _sets(2),
}
_FUNCTIONS: dict[str, _Estimator] = {
    **dict.fromkeys(("isSorted", "sum", "max", "min", "indexOf", "lastIndexOf", "includes"), _over_list),
    **dict.fromkeys(("lowerAscii", "upperAscii", "substring", "trim"), _of_target),
    **dict.fromkeys(
        ("quantity", "isQuantity", "semver", "isSemver", "cidr", "isIP", "isCIDR"), _of_argument(_TRAVERSAL)
    ),
    "url": _of_argument(_TRAVERSAL, keeps_size=True),
    "ip.isCanonical": _of_argument(2 * _TRAVERSAL),
    "replace": _replace,
    "split": _split,
    "join": _join,
    "find": _find,
    "findAll": _find,
    "ip": _ip,
    "containsIP": _contains_ip,
    "containsCIDR": _contains_cidr,
    "validate": _validate,
    "_==_": _equals,
}
_STANDARD: dict[str, _Estimator] = {
    "string_format": _format,
    "string_to_bytes": _conversion(1, 4),
    "bytes_to_string": _conversion(0.25, 1),
    "strings_quote": _conversion(1, 2, 2),
    "starts_with_string": _of_argument(_TRAVERSAL),
    "ends_with_string": _of_argument(_TRAVERSAL),
    "in_list": _in_list,
    "matches": _matches,
    "matches_string": _matches,
    "contains_string": _contains,
    **dict.fromkeys(("add_string", "add_bytes", "add_list"), _add),
    **dict.fromkeys(("equals", "not_equals"), _shorter),
    **{
        f"{name}_{kind}": _shorter
        for name in ("less", "greater", "less_equals", "greater_equals")
        for kind in ("string", "bytes")
    },
}
