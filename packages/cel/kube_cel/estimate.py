"""The highest cost that an expression can have, which the API server limits when an object is created.

cel-go v0.29.2: checker/cost.go. What it knows of sizes: the limits of the fields of a device
(k8s.io/dynamic-resource-allocation v0.37.0: cel/compile.go), and what calls make of them (:mod:`estimated_calls`).
"""

from __future__ import annotations

from typing import NamedTuple

from kube_cel import estimated_calls
from kube_cel.checker import Checked
from kube_cel.estimated_calls import Argument
from kube_cel.kinds import Type
from kube_cel.macros import UNUSED
from kube_cel.sizes import MOST, NO_SIZE, Range, fixed, path_size
from kube_cel.tree import Call, Expr, Fold, Ident, ListExpr, Literal, MapExpr, Select

_ONE = fixed(1)
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
        """How many characters or elements it has, if that is known."""
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
        if expr.id not in self.paths and isinstance(expr.operand, Ident) and expr.operand.id not in self.types:
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
        cost, size = estimated_calls.call(expr.function, form, target, args)
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
        key = _Variable((*path, "@indices" if of_list else "@keys"), entries.key if entries else None, None)
        value = _Variable((*path, "@items" if of_list else "@values"), entries.value if entries else None, None)
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
