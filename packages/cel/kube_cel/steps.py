"""An evaluation step by step: each part of an expression as text, with the values that it had."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from kube_cel.amounts import text_of_nanos
from kube_cel.errors import go_quote
from kube_cel.formatting import call_text
from kube_cel.kubernetes import QuantityValue, Semver
from kube_cel.numbers import format_double
from kube_cel.tree import Call, Expr, Ident, ListExpr, Literal, MapExpr, Select, children
from kube_cel.values import Err, Foreign, Map, Optional, UInt, Value

_PRECEDENCE = {"_?_:_": 1, "_||_": 2, "_&&_": 3, "_+_": 5, "_-_": 5, "_*_": 6, "_/_": 6, "_%_": 6, "!_": 7, "-_": 7}
_RELATIONS = ("_<_", "_<=_", "_>_", "_>=_", "_==_", "_!=_", "@in")
_MEMBER = 8
_LONGEST = 100


class EvaluatedPart(NamedTuple):
    """A part of an expression. ``values``: one for each time that it was evaluated, as text; empty if it never was.

    ``failed``: its last value is an error. ``depth``: how many parts are around it.
    """

    text: str
    values: tuple[str, ...]
    failed: bool
    depth: int


def steps_of(tree: Expr, written: Mapping[int, Call], trace: Sequence[tuple[int, Value]]) -> tuple[EvaluatedPart, ...]:
    """The parts in the order of their evaluation, from the inside out. Constants, also lists of them, and names are
    not steps.
    """
    values: dict[int, list[Value]] = {}
    for id, value in trace:
        values.setdefault(id, []).append(value)
    steps = []
    for expr, depth in _parts(tree, written, 0):
        had = values.get(expr.id, [])
        failed = bool(had) and isinstance(had[-1], Err)
        steps.append(EvaluatedPart(text_of(expr, written), tuple(map(value_text, had)), failed, depth))
    return tuple(steps)


def _parts(expr: Expr, written: Mapping[int, Call], depth: int) -> Iterator[tuple[Expr, int]]:
    call = written.get(expr.id)
    inside = children(expr) if call is None else _arguments(call, expr)
    for part in inside:
        yield from _parts(part, written, depth + 1)
    if depth == 0 or not (isinstance(expr, Literal | Ident) or _is_constant(expr)):
        yield expr, depth


def _is_constant(expr: Expr) -> bool:
    return isinstance(expr, ListExpr) and all(isinstance(each, Literal) for each in expr.elements)


def _arguments(call: Call, expr: Expr) -> Iterator[Expr]:
    """The expressions written inside a macro, without the names of its variables."""
    if call.function == "has":
        yield from children(expr)
        return
    if call.target is not None and not (isinstance(call.target, Ident) and call.target.name == "cel"):
        yield call.target
    yield from (arg for arg in call.args if not isinstance(arg, Ident))


def text_of(expr: Expr, written: Mapping[int, Call]) -> str:
    """The expression as one would write it."""
    return _text(expr, written, 0)


def _text(expr: Expr, written: Mapping[int, Call], around: int) -> str:
    call = written.get(expr.id) or expr
    if isinstance(call, Call) and (strength := _strength(call.function)):
        text = _operator(call, written, strength)
        return f"({text})" if strength < around else text
    return _operand(call, written)


def _operand(expr: Expr, written: Mapping[int, Call]) -> str:
    def list_of(parts: Sequence[Expr]) -> str:
        return ", ".join(_text(part, written, 0) for part in parts)

    if isinstance(expr, Literal):
        return value_text(expr.value)
    if isinstance(expr, Ident):
        return expr.name
    if isinstance(expr, Select):
        text = f"{_text(expr.operand, written, _MEMBER)}.{_field(expr.field)}"
        return f"has({text})" if expr.test else text
    if isinstance(expr, ListExpr):
        marked = ["?" * (at in expr.optional) + _text(each, written, 0) for at, each in enumerate(expr.elements)]
        return f"[{', '.join(marked)}]"
    if isinstance(expr, MapExpr):
        pairs = ["?" * e.optional + f"{_text(e.key, written, 0)}: {_text(e.value, written, 0)}" for e in expr.entries]
        return f"{{{', '.join(pairs)}}}"
    assert isinstance(expr, Call), "a loop is written as the call of its macro"
    target = "" if expr.target is None else _text(expr.target, written, _MEMBER) + "."
    return f"{target}{expr.function}({list_of(expr.args)})"


def _strength(function: str) -> int:
    if function in _RELATIONS:
        return 4
    return _MEMBER if function in ("_[_]", "_[?_]", "_?._") else _PRECEDENCE.get(function, 0)


def _operator(call: Call, written: Mapping[int, Call], strength: int) -> str:
    is_choice = call.function == "_?_:_"
    tight = [at < 2 if is_choice else at > 0 and strength not in (2, 3) for at in range(len(call.args))]
    parts = [_text(arg, written, strength + more) for arg, more in zip(call.args, tight, strict=True)]
    if is_choice:
        return f"{parts[0]} ? {parts[1]} : {parts[2]}"
    if call.function in ("!_", "-_"):
        return call.function[0] + parts[0]
    if call.function == "_?._":
        field = call.args[1]
        assert isinstance(field, Literal)
        return f"{parts[0]}.?{_field(field.value)}"
    if call.function in ("_[_]", "_[?_]"):
        index = _text(call.args[1], written, 0)
        return f"{parts[0]}[{'?' if call.function == '_[?_]' else ''}{index}]"
    sign = "in" if call.function == "@in" else call.function.strip("_")
    return f"{parts[0]} {sign} {parts[1]}"


def _field(name: str) -> str:
    return name if re.fullmatch("[A-Za-z_][A-Za-z0-9_]*", name) else f"`{name}`"


def value_text(value: Value) -> str:
    """A value as one would write it, shortened."""
    text = _value(value)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def _value(value: Value) -> str:
    if isinstance(value, Err):
        return value.text
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, str):
        return go_quote(value)
    if isinstance(value, UInt):
        return f"{int(value)}u"
    if isinstance(value, float):
        text = format_double(value)
        return f"{text}.0" if text.lstrip("-").isdecimal() else text
    if isinstance(value, list):
        return f"[{', '.join(map(_value, value[:20]))}]"
    if type(value) is Map:
        return "{" + ", ".join(f"{_value(key)}: {_value(each)}" for key, each in list(value.items())[:20]) + "}"
    return _special(value)


def _special(value: Value) -> str:
    if type(value) is Optional:
        return f"optional.of({_value(value.value)})" if value.present else "optional.none()"
    if (text := call_text(value)) is not None:
        return text
    if type(value) is QuantityValue:
        return f'quantity("{text_of_nanos(value.nanos)}")'
    if type(value) is Semver:
        pre = f"-{'.'.join(value.pre)}" if value.pre else ""
        return f'semver("{".".join(map(str, value.numbers))}{pre}")'
    return str(value.type_name) if isinstance(value, Foreign) else str(value)
