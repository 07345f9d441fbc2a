"""The syntax tree. Each node has an id; the parser keeps the place of each id (cel-go v0.29.2: common/ast)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from kube_cel.values import Value


@dataclass(slots=True)
class Literal:
    """A constant."""

    id: int
    value: Value


@dataclass(slots=True)
class Ident:
    """A variable or a type."""

    id: int
    name: str


@dataclass(slots=True)
class Select:
    """``operand.field``, or ``has(operand.field)`` if ``test``."""

    id: int
    operand: Expr
    field: str
    test: bool = False


@dataclass(slots=True)
class Call:
    """A function, an operator (``_+_``) or a method (with ``target``)."""

    id: int
    function: str
    target: Expr | None
    args: list[Expr]


@dataclass(slots=True)
class ListExpr:
    """``[a, ?b]``; ``optional``: the places of optional elements."""

    id: int
    elements: list[Expr]
    optional: frozenset[int] = frozenset()


@dataclass(slots=True)
class MapEntry:
    """One entry of a map."""

    key: Expr
    value: Expr
    optional: bool


@dataclass(slots=True)
class MapExpr:
    """``{key: value}``."""

    id: int
    entries: list[MapEntry]


@dataclass(slots=True)
class Message:
    """``Name{field: value}``."""

    id: int
    name: str
    values: list[Expr] = field(default_factory=list)


@dataclass(slots=True)
class Fold:
    """A loop with an accumulator: macros such as ``all`` and ``map`` become one."""

    id: int
    range: Expr
    var: str
    var2: str
    accu: str
    init: Expr
    condition: Expr
    step: Expr
    result: Expr


Expr: TypeAlias = Literal | Ident | Select | Call | ListExpr | MapExpr | Message | Fold


def children(expr: Expr) -> Iterator[Expr]:
    """The direct parts of a node, in the order in which they are written or run."""
    if isinstance(expr, Select):
        yield expr.operand
    elif isinstance(expr, Call):
        if expr.target is not None:
            yield expr.target
        yield from expr.args
    elif isinstance(expr, ListExpr):
        yield from expr.elements
    elif isinstance(expr, MapExpr):
        for entry in expr.entries:
            yield entry.key
            yield entry.value
    elif isinstance(expr, Message):
        yield from expr.values
    elif isinstance(expr, Fold):
        yield from (expr.range, expr.init, expr.condition, expr.step, expr.result)


class Parsed(NamedTuple):
    """``tree``: None if errors were reported. ``places`` of nodes, by id. ``written``: the calls that were macros."""

    tree: Expr | None
    places: dict[int, int]
    written: dict[int, Call]


def balanced(function: str, terms: list[Expr], ids: list[int], low: int, high: int) -> Expr:
    """The calls of a logical operator as a tree of little depth."""
    middle = (low + high + 1) // 2
    left = terms[middle] if middle == low else balanced(function, terms, ids, low, middle - 1)
    right = terms[middle + 1] if middle == high else balanced(function, terms, ids, middle + 1, high)
    return Call(ids[middle], function, None, [left, right])
