"""Macros: calls that become other expressions, such as ``list.all(x, ...)`` a loop.

cel-go v0.29.2: parser/macro.go, cel/library.go (optMap), ext/comprehensions.go, ext/bindings.go, ext/lists.go (sortBy).
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Protocol, TypeAlias

from kube_cel.tree import Call, Expr, Fold, Ident, ListExpr, Literal, MapEntry, MapExpr, Message, Select
from kube_cel.values import Value

ACCU = "@result"  # no identifier can be spelled so
UNUSED = "#unused"
_SORT_INPUT = "@__sortBy_input__"


class MacroError(Exception):
    """The arguments do not fit the macro. ``id``: the node that is wrong."""

    def __init__(self, id: int, message: str) -> None:
        super().__init__(message)
        self.id = id
        self.message = message


class Ids(Protocol):
    """Gives ids to new nodes."""

    places: dict[int, int]

    def new_id(self, place: int) -> int:
        """A fresh id for a node at this place."""


def expand(ids: Ids, id: int, function: str, target: Expr | None, args: list[Expr]) -> Expr | None:
    """The call expanded by its macro, or None if it is not a macro. Raises MacroError."""
    macro = _MACROS.get((function, len(args), target is not None))
    return macro(_Maker(ids, ids.places[id]), target, args) if macro else None


class _Maker:
    """Makes nodes at the place of the macro."""

    def __init__(self, ids: Ids, place: int) -> None:
        self._ids = ids
        self._place = place

    def id(self) -> int:
        return self._ids.new_id(self._place)

    def accu(self) -> Expr:
        return self.ident(ACCU)

    def ident(self, name: str) -> Expr:
        return Ident(self.id(), name)

    def literal(self, value: Value) -> Expr:
        return Literal(self.id(), value)

    def call(self, function: str, *args: Expr) -> Expr:
        return Call(self.id(), function, None, list(args))

    def method(self, function: str, target: Expr, *args: Expr) -> Expr:
        return Call(self.id(), function, target, list(args))

    def list(self, *elements: Expr) -> Expr:
        return ListExpr(self.id(), list(elements))

    def fold(
        self,
        over: Expr,
        names: tuple[str, str],
        init: Expr,
        condition: Expr,
        step: Expr,
        result: Expr,
        accu: str = ACCU,
    ) -> Expr:
        return Fold(self.id(), over, names[0], names[1], accu, init, condition, step, result)

    def copied(self, expr: Expr) -> Expr:
        """The same tree with ids of its own."""
        twin = copy.copy(expr)
        twin.id = self._ids.new_id(self._ids.places.get(expr.id, self._place))
        if isinstance(twin, Select):
            twin.operand = self.copied(twin.operand)
        elif isinstance(twin, Call):
            twin.target = None if twin.target is None else self.copied(twin.target)
            twin.args = [self.copied(arg) for arg in twin.args]
        elif isinstance(twin, ListExpr):
            twin.elements = [self.copied(element) for element in twin.elements]
        elif isinstance(twin, MapExpr):
            twin.entries = [MapEntry(self.copied(e.key), self.copied(e.value), e.optional) for e in twin.entries]
        elif isinstance(twin, Message):
            twin.values = [self.copied(value) for value in twin.values]
        elif isinstance(twin, Fold):
            for part in ("range", "init", "condition", "step", "result"):
                setattr(twin, part, self.copied(getattr(twin, part)))
        return twin


_Macro: TypeAlias = Callable[[_Maker, Expr | None, list[Expr]], Expr | None]


def _has(make: _Maker, target: Expr | None, args: list[Expr]) -> Expr:
    if not isinstance(args[0], Select):
        raise MacroError(args[0].id, "invalid argument to has() macro")
    return Select(make.id(), args[0].operand, args[0].field, True)


def _simple_name(expr: Expr, message: str) -> str:
    if not isinstance(expr, Ident):
        raise MacroError(expr.id, message)
    return expr.name


def _one_name(args: list[Expr], message: str = "argument must be a simple name") -> tuple[str, str]:
    name = _simple_name(args[0], message)
    if name in (ACCU, "__result__"):
        raise MacroError(args[0].id, "iteration variable overwrites accumulator variable")
    return name, ""


def _two_names(args: list[Expr]) -> tuple[str, str]:
    first, second = (_simple_name(arg, "argument must be a simple name") for arg in args[:2])
    if first == second:
        raise MacroError(args[1].id, f"duplicate variable name: {first}")
    for arg, name in zip(args, (first, second), strict=False):
        if name in (ACCU, "__result__"):
            raise MacroError(arg.id, "iteration variable overwrites accumulator variable")
    return first, second


def _names(args: list[Expr], two: bool) -> tuple[str, str]:
    return _two_names(args) if two else _one_name(args)


def _all(make: _Maker, target: Expr | None, args: list[Expr]) -> Expr:
    assert target is not None
    names = _names(args, len(args) == 3)
    condition = make.call("@not_strictly_false", make.accu())
    step = make.call("_&&_", make.accu(), args[-1])
    return make.fold(target, names, make.literal(True), condition, step, make.accu())


def _exists(make: _Maker, target: Expr | None, args: list[Expr]) -> Expr:
    assert target is not None
    names = _names(args, len(args) == 3)
    condition = make.call("@not_strictly_false", make.call("!_", make.accu()))
    step = make.call("_||_", make.accu(), args[-1])
    return make.fold(target, names, make.literal(False), condition, step, make.accu())


def _exists_one(make: _Maker, target: Expr | None, args: list[Expr]) -> Expr:
    assert target is not None
    names = _names(args, len(args) == 3)
    more = make.call("_+_", make.accu(), make.literal(1))
    step = make.call("_?_:_", args[-1], more, make.accu())
    result = make.call("_==_", make.accu(), make.literal(1))
    return make.fold(target, names, make.literal(0), make.literal(True), step, result)


def _building(make: _Maker, target: Expr, names: tuple[str, str], init: Expr, step: Expr, filter: Expr | None) -> Expr:
    if filter is not None:
        step = make.call("_?_:_", filter, step, make.accu())
    return make.fold(target, names, init, make.literal(True), step, make.accu())


def _map(make: _Maker, target: Expr | None, args: list[Expr]) -> Expr:
    assert target is not None
    names = _one_name(args, "argument is not an identifier")
    step = make.call("_+_", make.accu(), make.list(args[-1]))
    return _building(make, target, names, make.list(), step, args[1] if len(args) == 3 else None)


def _filter(make: _Maker, target: Expr | None, args: list[Expr]) -> Expr:
    assert target is not None
    names = _one_name(args, "argument is not an identifier")
    step = make.call("_+_", make.accu(), make.list(args[0]))
    return _building(make, target, names, make.list(), step, args[1])


def _transform_list(make: _Maker, target: Expr | None, args: list[Expr]) -> Expr:
    assert target is not None
    names = _two_names(args)
    step = make.call("_+_", make.accu(), make.list(args[-1]))
    return _building(make, target, names, make.list(), step, args[2] if len(args) == 4 else None)


def _transform_map(make: _Maker, target: Expr | None, args: list[Expr]) -> Expr:
    assert target is not None
    names = _two_names(args)
    step = make.call("cel.@mapInsert", make.accu(), make.ident(names[0]), args[-1])
    return _building(make, target, names, MapExpr(make.id(), []), step, args[2] if len(args) == 4 else None)


def _transform_entries(make: _Maker, target: Expr | None, args: list[Expr]) -> Expr:
    assert target is not None
    names = _two_names(args)
    step = make.call("cel.@mapInsert", make.accu(), args[-1])
    return _building(make, target, names, MapExpr(make.id(), []), step, args[2] if len(args) == 4 else None)


def _binding(make: _Maker, name: str, init: Expr, result: Expr) -> Expr:
    """A variable: a loop over nothing whose accumulator it is."""
    return make.fold(make.list(), (UNUSED, ""), init, make.literal(False), make.ident(name), result, name)


def _bind(make: _Maker, target: Expr | None, args: list[Expr]) -> Expr | None:
    if not isinstance(target, Ident) or target.name != "cel":
        return None
    name = _simple_name(args[0], "cel.bind() variable names must be simple identifiers")
    return _binding(make, name, args[1], args[2])


def _optional(function: str, flat: bool) -> _Macro:
    def expand_optional(make: _Maker, target: Expr | None, args: list[Expr]) -> Expr:
        assert target is not None
        name = _simple_name(args[0], f"{function}() variable name must be a simple identifier")
        bound = _binding(make, name, make.method("value", make.copied(target)), args[1])
        some = bound if flat else make.call("optional.of", bound)
        return make.call("_?_:_", make.method("hasValue", target), some, make.call("optional.none"))

    return expand_optional


def _sort_by(make: _Maker, target: Expr | None, args: list[Expr]) -> Expr:
    assert target is not None
    if not isinstance(target, ListExpr | Select | Ident | Fold | Call):
        raise MacroError(
            target.id, "sortBy can only be applied to a list, identifier, comprehension, call or select expression"
        )
    keys = _map(make, make.ident(_SORT_INPUT), args)
    return _binding(make, _SORT_INPUT, target, make.method("@sortByAssociatedKeys", make.ident(_SORT_INPUT), keys))


# (name, number of arguments, whether a method)
_MACROS: dict[tuple[str, int, bool], _Macro] = {
    ("has", 1, False): _has,
    ("all", 2, True): _all,
    ("all", 3, True): _all,
    ("exists", 2, True): _exists,
    ("exists", 3, True): _exists,
    ("exists_one", 2, True): _exists_one,
    ("exists_one", 3, True): _exists_one,
    ("existsOne", 3, True): _exists_one,
    ("map", 2, True): _map,
    ("map", 3, True): _map,
    ("filter", 2, True): _filter,
    ("optMap", 2, True): _optional("optMap", flat=False),
    ("optFlatMap", 2, True): _optional("optFlatMap", flat=True),
    ("transformList", 3, True): _transform_list,
    ("transformList", 4, True): _transform_list,
    ("transformMap", 3, True): _transform_map,
    ("transformMap", 4, True): _transform_map,
    ("transformMapEntry", 3, True): _transform_entries,
    ("transformMapEntry", 4, True): _transform_entries,
    ("sortBy", 2, True): _sort_by,
    ("bind", 3, True): _bind,
}
