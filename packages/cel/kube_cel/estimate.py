"""The highest cost that an expression can have, which the API server limits when an object is created.

cel-go v0.29.2: checker/cost.go, ext/lists.go, ext/sets.go; apiserver v0.37.0: pkg/cel/library/cost.go. What it knows of
sizes: the limits of the fields of a device (k8s.io/dynamic-resource-allocation v0.37.0: cel/compile.go).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from kube_cel.checker import Checked
from kube_cel.kinds import Type
from kube_cel.macros import UNUSED
from kube_cel.sizes import MOST, NO_SIZE, Range, fixed, limited, path_size
from kube_cel.tree import Call, Expr, Fold, Ident, ListExpr, Literal, MapExpr, Select

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
_CallEstimator: TypeAlias = Callable[[str, Argument | None, list[Argument]], Estimate | None]


def call_estimate(function: str, form: str, target: Argument | None, args: list[Argument]) -> Estimate:
    """(the cost of a call without its arguments, the size of its result)."""
    for table, key in ((_FORMS, form), (_FUNCTIONS, function), (_STANDARD, form)):
        estimator = table.get(key)
        if form.startswith("list_") and table is _FORMS and form.endswith(("_sort", "_sortByAssociatedKeys")):
            estimator = _sort
        if estimator is not None:
            answer = estimator(form, target, args)
            if answer is not None:
                return answer
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


def _sets(factor: float) -> _CallEstimator:
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


def _of_argument(factor: float, keeps_size: bool = False) -> _CallEstimator:
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


def _conversion(least: float, most: int, more: int = 0) -> _CallEstimator:
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


_FORMS: dict[str, _CallEstimator] = {
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
_FUNCTIONS: dict[str, _CallEstimator] = {
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
_STANDARD: dict[str, _CallEstimator] = {
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


# -- expressions

_ZERO = fixed(0)
_SCALARS = ("bool", "double", "duration", "int", "timestamp", "uint")


class Entries(NamedTuple):
    """The sizes of the elements of a list or map."""

    kind: str
    key: Range
    value: Range


class _Variable(NamedTuple):
    path: tuple[str, ...]
    size: Range | None
    entries: Entries | None


def estimate(tree: Expr, checked: Checked) -> Range:
    """The lowest and the highest cost."""
    return _Estimator(checked).cost(tree)


class _Estimator:
    def __init__(self, checked: Checked) -> None:
        self.types = checked.types
        self.forms = checked.forms
        self.paths: dict[int, tuple[str, ...]] = {}
        self.sizes: dict[int, Range] = {}
        self.entries: dict[int, Entries] = {}
        self.variables: dict[str, list[_Variable]] = {}

    def cost(self, expr: Expr) -> Range:
        if isinstance(expr, Ident):
            variable = self.variable(expr.name)
            self.paths[expr.id] = variable.path if variable else (expr.name,)
            return _ONE
        if isinstance(expr, Select):
            return self.select(expr)
        if isinstance(expr, Call):
            return self.call(expr)
        if isinstance(expr, ListExpr):
            return self.list(expr)
        if isinstance(expr, MapExpr):
            return self.map(expr)
        if isinstance(expr, Fold):
            return self.binding(expr) if _is_binding(expr) else self.fold(expr)
        return _ZERO

    # What is known of a part.

    def variable(self, name: str) -> _Variable | None:
        stack = self.variables.get(name)
        return stack[-1] if stack else None

    def path(self, expr: Expr) -> tuple[str, ...]:
        variable = self.variable(expr.name) if isinstance(expr, Ident) else None
        return variable.path if variable else self.paths.get(expr.id, ())

    def size(self, expr: Expr) -> Range | None:
        """The number of its characters or elements, if known."""
        if expr.id in self.sizes:
            return self.sizes[expr.id]
        size = _written_size(expr)
        if size is not None:
            return size
        size = path_size(self.path(expr))
        if size is not None:
            self.sizes[expr.id] = size
            return size
        if _is_scalar(self.types[expr.id]):
            return _ONE
        variable = self.variable(expr.name) if isinstance(expr, Ident) else None
        return variable.size if variable else None

    def size_or_unknown(self, expr: Expr) -> Range:
        return self.size(expr) or NO_SIZE

    def elements(self, expr: Expr) -> Entries | None:
        if expr.id in self.entries:
            return self.entries[expr.id]
        variable = self.variable(expr.name) if isinstance(expr, Ident) else None
        return variable.entries if variable else None

    def note(self, expr: Expr, size: Range | None, entries: Entries | None = None) -> None:
        if size is not None:
            self.sizes[expr.id] = size
        if entries is not None:
            self.entries[expr.id] = entries

    def node(self, expr: Expr) -> Argument:
        path = self.path(expr)
        if path and path[0] in ("@result", "__result__"):
            path = ()
        return Argument(expr, self.types[expr.id], path, self.size(expr))

    # The kinds of nodes.

    def select(self, expr: Select) -> Range:
        if expr.id not in self.paths and expr.operand.id not in self.types:
            return _ONE  # the name of a type
        cost = self.cost(expr.operand)
        if expr.test:
            return cost
        if self.types[expr.operand.id].kind in ("map", "struct", "param"):
            cost = cost + _ONE
        self.paths[expr.id] = (*self.path(expr.operand), expr.field)
        return cost

    def call(self, expr: Call) -> Range:
        if expr.function == "dyn":
            cost = self.cost(expr.args[0])
            self.note(expr, self.size(expr.args[0]), self.elements(expr.args[0]))
            return cost + _ONE
        costs = [self.cost(arg) for arg in expr.args]
        args = [self.node(arg) for arg in expr.args]
        total, target = _ZERO, None
        if expr.target is not None:
            total = self.cost(expr.target)
            target = self.node(expr.target)
        cost = Range(MOST, 0)
        result: Range | None = None
        for form in self.forms.get(expr.id, ()):
            each, size = self.form(expr, form, target, args, costs)
            cost = cost | each
            if size is not None:
                result = size if result is None else result | size
            if form in ("index_list", "index_map"):
                entries = self.elements(expr.args[0])
                result = entries.value if entries else None
                step = "@items" if form == "index_list" else "@values"
                self.paths[expr.id] = (*self.path(expr.args[0]), step)
            if result is None:
                result = self.size(expr)
        self.note(expr, result)
        return total + cost

    def form(
        self, expr: Call, form: str, target: Argument | None, args: list[Argument], costs: list[Range]
    ) -> tuple[Range, Range | None]:
        """(the cost of one form with its arguments, the size of its result)."""
        if form in ("logical_and", "logical_or"):
            return Range(costs[0].low, (costs[0] + costs[1]).high), None
        if form == "conditional":
            yes, no = self.elements(expr.args[1]), self.elements(expr.args[2])
            self.note(expr, None, _union(yes, no))
            either = self.size_or_unknown(expr.args[1]) | self.size_or_unknown(expr.args[2])
            return costs[0] + (costs[1] | costs[2]), either
        if form in ("add_string", "add_bytes", "add_list"):
            self.note(expr, None, _union(self.elements(expr.args[0]), self.elements(expr.args[1])))
        cost, size = call_estimate(expr.function, form, target, args)
        for each in costs:
            cost = cost + each
        return cost, size

    def list(self, expr: ListExpr) -> Range:
        cost = _ZERO
        size = Range(MOST if expr.elements else 0, 0)
        for element in expr.elements:
            cost = cost + self.cost(element)
            size = size | self.size_or_unknown(element)
        self.note(expr, None, Entries("list", _ONE, size))
        return cost + fixed(10)

    def map(self, expr: MapExpr) -> Range:
        cost = _ZERO
        keys = values = Range(MOST if expr.entries else 0, 0)
        for entry in expr.entries:
            cost = cost + self.cost(entry.key) + self.cost(entry.value)
            keys = keys | self.size_or_unknown(entry.key)
            values = values | self.size_or_unknown(entry.value)
        self.note(expr, None, Entries("map", keys, values))
        return cost + fixed(30)

    def push(self, name: str, variable: _Variable) -> None:
        self.variables.setdefault(name, []).append(variable)

    def fold(self, expr: Fold) -> Range:
        cost = self.cost(expr.range) + self.cost(expr.init)
        self.push(expr.accu, _Variable(self.path(expr.init), self.size(expr.init), self.elements(expr.init)))
        entries, path = self.elements(expr.range), self.path(expr.range)
        of_list = (entries.kind if entries else self.types[expr.range.id].kind) == "list"
        keys, values = (*path, "@indices" if of_list else "@keys"), (*path, "@items" if of_list else "@values")
        if expr.var2 and len(path) not in (0, 1, 2, 4, 8):
            keys = values  # Go appends both to one array, which is full at these lengths only
        key = _Variable(keys, entries.key if entries else None, None)
        value = _Variable(values, entries.value if entries else None, None)
        self.push(expr.var, key if expr.var2 or not of_list else value)
        if expr.var2:
            self.push(expr.var2, value)
        each = self.cost(expr.condition) + self.cost(expr.step)
        self.variables[expr.var].pop()
        if expr.var2:
            self.variables[expr.var2].pop()
        cost = cost + self.cost(expr.result)
        self.variables[expr.accu].pop()
        count = self.size_or_unknown(expr.range)
        if isinstance(expr.init, Literal):
            self.note(expr, self.size(expr.init))
        elif isinstance(expr.init, ListExpr | MapExpr):
            self.note(expr, count, self.elements(expr.step))
        return cost + count * each

    def binding(self, expr: Fold) -> Range:
        cost = self.cost(expr.range) + self.cost(expr.init)
        self.push(expr.accu, _Variable(self.path(expr.init), self.size(expr.init), self.elements(expr.init)))
        cost = cost + self.cost(expr.result)
        self.variables[expr.accu].pop()
        self.note(expr, self.size(expr.result), self.elements(expr.result))
        return cost


def _is_binding(expr: Fold) -> bool:
    return expr.var == UNUSED


def _union(one: Entries | None, other: Entries | None) -> Entries | None:
    if one is None or other is None:
        return None
    return Entries(one.kind, one.key | other.key, one.value | other.value)


def _written_size(expr: Expr) -> Range | None:
    """The size of what is written in the text."""
    if isinstance(expr, Literal):
        return fixed(len(expr.value) if isinstance(expr.value, str | bytes) else 1)
    if isinstance(expr, ListExpr):
        return fixed(len(expr.elements))
    return fixed(len(expr.entries)) if isinstance(expr, MapExpr) else None


def _is_scalar(kind: Type) -> bool:
    return kind.kind in _SCALARS or (kind.name == "optional_type" and _is_scalar(kind.params[0]))
