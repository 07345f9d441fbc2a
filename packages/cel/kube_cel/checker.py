"""Types of all parts of an expression, and which forms of a function a call may mean.

cel-go v0.29.2: checker/checker.go.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from kube_cel.errors import Source, UnsupportedError
from kube_cel.kinds import (
    ANY,
    BOOL,
    BYTES,
    DEVICE,
    DOUBLE,
    DURATION,
    DYN,
    ERROR,
    INT,
    NEW_FUNCTIONS,
    NULL,
    STRING,
    TIMESTAMP,
    TYPE,
    UINT,
    Type,
    device_fields,
    list_of,
    map_of,
    optional_of,
    type_of,
    variable,
)
from kube_cel.signatures import Overload, overloads
from kube_cel.tree import Call, Expr, Fold, Ident, ListExpr, Literal, MapExpr, Message, Select
from kube_cel.values import UInt, Value

_NULLABLE = {"opaque", "struct", "duration", "timestamp"}
_WILD = {"dyn", "any", "error"}
_NESTED = {"opaque", "list", "map"}


class Substitutions:
    """What each type parameter stands for. A failed attempt leaves no trace."""

    def __init__(self) -> None:
        self._known: dict[Type, Type] = {}
        self._journal: list[tuple[Type, Type | None]] = []

    def assignable(self, one: Type, other: Type) -> bool:
        """Whether the types fit; parameters are bound if they do."""
        return self.all_assignable((one,), (other,))

    def all_assignable(self, ones: Sequence[Type], others: Sequence[Type]) -> bool:
        """Whether the types fit pairwise."""
        if len(ones) != len(others):
            return False
        self._journal.clear()
        if all(self._assignable(one, other) for one, other in zip(ones, others, strict=True)):
            return True
        for param, before in reversed(self._journal):
            if before is None:
                del self._known[param]
            else:
                self._known[param] = before
        return False

    def resolve(self, kind: Type, to_dyn: bool = False) -> Type:
        """The type with its parameters replaced; unknown ones become dyn if ``to_dyn``."""
        known = self._known.get(kind) if self._known else None
        if known is not None:
            return self.resolve(known, to_dyn)
        if kind.kind == "param":
            return DYN if to_dyn else kind
        if not kind.params:
            return kind
        return kind._replace(params=tuple([self.resolve(param, to_dyn) for param in kind.params]))

    def _bind(self, param: Type, kind: Type) -> None:
        self._journal.append((param, self._known.get(param)))
        self._known[param] = kind

    def _assignable(self, one: Type, other: Type) -> bool:
        if other.kind == "param":
            valid = self._substitutes(one, other)
            if valid is not None:
                return valid
        if one.kind == "param":
            return bool(self._substitutes(other, one))
        if one.kind in _WILD or other.kind in _WILD:
            return True
        if one.kind == "null" or other.kind == "null":
            rest = other if one.kind == "null" else one
            return rest.kind in _NULLABLE or rest.kind == "null"
        if one.kind == "type":
            return other.kind == "type"
        if one.kind in _NESTED:
            return (
                one.kind == other.kind
                and one.name == other.name
                and len(one.params) == len(other.params)
                and all(self._assignable(a, b) for a, b in zip(one.params, other.params, strict=True))
            )
        return one == other

    def _substitutes(self, kind: Type, param: Type) -> bool | None:
        """Whether the type can stand for the parameter; None if it mentions the parameter itself."""
        if kind == param:
            return True
        known = self._known.get(param)
        if known is not None:
            if kind == known:
                return True
            if not self._assignable(kind, known):
                return False
            general = most_general(kind, known)
            if not self._mentions(param, general):
                self._bind(param, general)
            return True
        if self._mentions(param, kind):
            return None
        self._bind(param, kind)
        return True

    def _mentions(self, param: Type, kind: Type) -> bool:
        if param == kind:
            return True
        if kind.kind == "param":
            known = self._known.get(kind)
            return known is not None and self._mentions(param, known)
        return kind.kind in (*_NESTED, "type") and any(self._mentions(param, part) for part in kind.params)


def most_general(one: Type, other: Type) -> Type:
    """The type of the two that says less."""
    return one if _says_less(one, other) else other


def _says_less(one: Type, other: Type) -> bool:
    if one.kind in ("dyn", "any", "param"):
        return True
    if other.kind in ("dyn", "any", "param") or one.kind != other.kind:
        return False
    if one.kind == "type":
        return True
    if one.kind in _NESTED:
        return (
            one.name == other.name
            and len(one.params) == len(other.params)
            and all(_says_less(a, b) for a, b in zip(one.params, other.params, strict=True))
        )
    return one == other


_LITERALS: dict[type, Type] = {
    bool: BOOL,
    int: INT,
    UInt: UINT,
    float: DOUBLE,
    str: STRING,
    bytes: BYTES,
    type(None): NULL,
}
TYPE_NAMES: dict[str, Type] = {
    **{t.name: t for t in (BOOL, BYTES, DOUBLE, INT, STRING, UINT)},
    "null_type": NULL,
    "type": TYPE,
    "list": list_of(DYN),
    "map": map_of(DYN, DYN),
    "google.protobuf.Duration": DURATION,
    "google.protobuf.Timestamp": TIMESTAMP,
    "optional_type": optional_of(variable("V")),
    "net.IP": Type("opaque", "net.IP"),
    "net.CIDR": Type("opaque", "net.CIDR"),
}


class Checked(NamedTuple):
    """The types, the forms of calls, and the identifiers that name types, by the ids of nodes."""

    types: dict[int, Type]
    forms: dict[int, tuple[str, ...]]
    type_values: dict[int, str]


def check(source: Source, tree: Expr, places: dict[int, int], new: bool) -> Checked:
    """Check the tree. Errors go to the source. Calls of qualified names (``optional.of``) lose their target.

    ``new``: as the API server checks a new object.
    """
    checker = _Checker(source, places, new)
    checker.check(tree)
    types = {id: checker.known.resolve(kind, to_dyn=True) for id, kind in checker.types.items()}
    return Checked(types, checker.forms, checker.type_values)


class _Checker:
    def __init__(self, source: Source, places: dict[int, int], new: bool) -> None:
        self.source = source
        self.device = device_fields(ANY if new else DYN)
        self.functions = {name: forms for name, forms in overloads().items() if not new or name not in NEW_FUNCTIONS}
        self.places = places
        self.types: dict[int, Type] = {}
        self.forms: dict[int, tuple[str, ...]] = {}
        self.type_values: dict[int, str] = {}
        self.known = Substitutions()
        self.scopes: list[dict[str, Type]] = []
        self._fresh = 0

    def report(self, expr: Expr, message: str) -> None:
        self.source.report(self.places[expr.id], message)

    def check(self, expr: Expr) -> None:
        if isinstance(expr, Literal):
            self.types[expr.id] = _literal(expr.value)
        elif isinstance(expr, Ident):
            self.ident(expr)
        elif isinstance(expr, Select):
            self.select(expr)
        elif isinstance(expr, Call):
            self.call(expr)
        elif isinstance(expr, ListExpr):
            self.list(expr)
        elif isinstance(expr, MapExpr):
            self.map(expr)
        elif isinstance(expr, Fold):
            self.fold(expr)
        else:
            self.message(expr)

    def fresh(self) -> Type:
        self._fresh += 1
        return variable(f"_var{self._fresh - 1}")

    def local(self, name: str) -> Type | None:
        return next((scope[name] for scope in reversed(self.scopes) if name in scope), None)

    # Identifiers and fields.

    def ident(self, expr: Ident) -> None:
        kind = self.lookup(expr.name)
        if kind is None:
            self.types[expr.id] = ERROR
            self.report(expr, f"undeclared reference to '{expr.name}' (in container '')")
            return
        self.types[expr.id] = kind
        bare = expr.name.removeprefix(".")
        if kind.kind == "type" and (expr.name != bare or self.local(bare) is None):
            self.type_values[expr.id] = bare
        if expr.name == bare or self.local(bare) is None:
            expr.name = bare

    def lookup(self, name: str) -> Type | None:
        local = self.local(name)
        if local is not None:
            return local
        bare = name.removeprefix(".")
        if bare == "device":
            return DEVICE
        return type_of(TYPE_NAMES[bare]) if bare in TYPE_NAMES else None

    def select(self, expr: Select) -> None:
        name = None if expr.test else _qualified(expr)
        if name and self.local(name.split(".")[0]) is None and name.removeprefix(".") in TYPE_NAMES:
            name = name.removeprefix(".")
            self.types[expr.id] = type_of(TYPE_NAMES[name])
            self.type_values[expr.id] = name
            return
        kind = self.field(expr, expr.operand, expr.field, optional=False)
        self.types[expr.id] = self.known.resolve(BOOL if expr.test else kind)

    def field(self, expr: Expr, operand: Expr, field: str, optional: bool) -> Type:
        self.check(operand)
        target = self.known.resolve(self.types[operand.id])
        wrapped = target.name == "optional_type"
        if wrapped:
            target = target.params[0]
        result = ERROR
        if target.kind == "map":
            result = target.params[1]
        elif target.kind == "struct":
            if target == DEVICE and field in self.device:
                result = self.device[field]
            elif target == DEVICE:
                self.report(expr, f"undefined field '{field}'")
            else:
                self.report(expr, f"unexpected failed resolution of '{target.name}'")
        elif target.kind == "param":
            self.known.assignable(DYN, target)
            result = DYN
        else:
            if target.kind not in ("dyn", "any", "error"):
                self.report(expr, f"type '{target}' does not support field selection")
            result = DYN
        return optional_of(result) if wrapped or optional else result

    # Calls.

    def call(self, expr: Call) -> None:
        if expr.function == "_?._":
            literal = expr.args[1]
            assert isinstance(literal, Literal)
            kind = self.field(expr, expr.args[0], literal.value, optional=True)
            self.types[literal.id] = STRING
            self.types[expr.id] = self.known.resolve(kind)
            self.forms[expr.id] = ("select_optional_field",)
            return
        for arg in expr.args:
            self.check(arg)
        if expr.target is not None:
            prefix = _qualified(expr.target)
            name = f"{prefix}.{expr.function}".removeprefix(".") if prefix else ""
            if name in self.functions:
                expr.target, expr.function = None, name
            else:
                self.check(expr.target)
        else:
            bare = expr.function.removeprefix(".")
            expr.function = bare if bare in self.functions else expr.function
        if expr.function not in self.functions:
            self.types[expr.id] = ERROR
            self.report(expr, f"undeclared reference to '{expr.function}' (in container '')")
            return
        self.resolve(expr, self.functions[expr.function])

    def resolve(self, expr: Call, candidates: list[Overload]) -> None:
        parts = expr.args if expr.target is None else [expr.target, *expr.args]
        kinds = [self.types[part.id] for part in parts]
        if expr.function in ("_&&_", "_||_"):
            self.logical(expr, kinds)
            return
        result: Type | None = None
        forms: list[str] = []
        for overload in candidates:
            if overload.member != (expr.target is not None):
                continue
            args, returned = self.instance(overload)
            if self.known.all_assignable(kinds, args):
                forms.append(overload.id)
                kind = self.known.resolve(returned)
                if result is None:
                    result = kind
                elif result.kind not in ("dyn", "any") and kind != result:
                    result = DYN
        if result is None:
            shown = [str(self.known.resolve(kind, to_dyn=True)) for kind in kinds]
            signature = f"({', '.join(shown)})" if expr.target is None else f"{shown[0]}.({', '.join(shown[1:])})"
            self.report(expr, f"found no matching overload for '{expr.function}' applied to '{signature}'")
            result = ERROR
        self.types[expr.id] = result
        self.forms[expr.id] = tuple(forms)

    def logical(self, expr: Call, kinds: list[Type]) -> None:
        failed = False
        for arg, kind in zip(expr.args, kinds, strict=True):
            if not self.known.assignable(kind, BOOL):
                self.report(arg, f"expected type 'bool' but found '{kind}'")
                failed = True
        self.types[expr.id] = ERROR if failed else BOOL
        self.forms[expr.id] = ("logical_and" if expr.function == "_&&_" else "logical_or",)

    def instance(self, overload: Overload) -> tuple[list[Type], Type]:
        """The overload with fresh parameters."""
        names: dict[Type, Type] = {}

        def fresh(kind: Type) -> Type:
            if kind.kind == "param":
                if kind not in names:
                    names[kind] = self.fresh()
                return names[kind]
            return kind._replace(params=tuple(map(fresh, kind.params))) if kind.params else kind

        return [fresh(arg) for arg in overload.args], fresh(overload.result)

    # Lists, maps, loops.

    def join(self, before: Type | None, kind: Type) -> Type:
        if before is None:
            return kind
        if self.known.assignable(before, kind):
            return most_general(before, kind)
        return DYN  # validators report literals of several types, except inside format()

    def unwrapped(self, expr: Expr, optional: bool) -> Type:
        kind = self.types[expr.id]
        if optional and kind.name == "optional_type":
            return kind.params[0]
        if optional and kind.kind not in ("dyn", "any"):
            self.report(expr, f"expected type '{optional_of(kind)}' but found '{kind}'")
        return kind

    def list(self, expr: ListExpr) -> None:
        kind: Type | None = None
        for at, element in enumerate(expr.elements):
            self.check(element)
            kind = self.join(kind, self.unwrapped(element, at in expr.optional))
        self.types[expr.id] = list_of(kind or self.fresh())

    def map(self, expr: MapExpr) -> None:
        key: Type | None = None
        value: Type | None = None
        for entry in expr.entries:
            self.check(entry.key)
            key = self.join(key, self.types[entry.key.id])
            self.check(entry.value)
            value = self.join(value, self.unwrapped(entry.value, entry.optional))
        self.types[expr.id] = map_of(key or self.fresh(), value or self.fresh())

    def fold(self, expr: Fold) -> None:
        self.check(expr.range)
        self.check(expr.init)
        over = self.known.resolve(self.types[expr.range.id])
        accu = self.types[expr.init.id]
        self.scopes.append({expr.accu: accu})
        first, second = self.loop_types(expr, over)
        self.scopes.append({expr.var: first, expr.var2: second} if expr.var2 else {expr.var: first})
        self.check(expr.condition)
        self.demand(expr.condition, BOOL)
        self.check(expr.step)
        self.demand(expr.step, accu)
        self.scopes.pop()
        self.check(expr.result)
        self.scopes.pop()
        self.types[expr.id] = self.known.resolve(self.types[expr.result.id])

    def loop_types(self, expr: Fold, over: Type) -> tuple[Type, Type]:
        """The types of the loop's variables."""
        if over.kind == "list":
            return (INT, over.params[0]) if expr.var2 else (over.params[0], ERROR)
        if over.kind == "map":
            return over.params[0], over.params[1]
        if over.kind in ("dyn", "error", "param"):
            self.known.assignable(DYN, over)
            return DYN, DYN
        self.report(
            expr.range,
            f"expression of type '{over}' cannot be range of a comprehension (must be list, map, or dynamic)",
        )
        return ERROR, ERROR

    def demand(self, expr: Expr, kind: Type) -> None:
        if not self.known.assignable(kind, self.types[expr.id]):
            self.report(expr, f"expected type '{kind}' but found '{self.types[expr.id]}'")

    def message(self, expr: Message) -> None:
        name = expr.name.removeprefix(".")
        if name.startswith("google.") or name in TYPE_NAMES:
            raise UnsupportedError(f"kube_cel does not evaluate messages such as {name}{{}}")
        self.types[expr.id] = ERROR
        self.report(expr, f"undeclared reference to '{expr.name}' (in container '')")


def _literal(value: Value) -> Type:
    return _LITERALS[type(value)]


def _qualified(expr: Expr) -> str | None:
    """``a.b.c`` if the expression is only names."""
    names: list[str] = []
    while isinstance(expr, Select) and not expr.test:
        names.append(expr.field)
        expr = expr.operand
    if not isinstance(expr, Ident):
        return None
    return ".".join([expr.name, *reversed(names)])
