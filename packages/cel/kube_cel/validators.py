"""Checks of constants after the types are known: durations, timestamps, patterns, literals of one type, formats.

cel-go v0.29.2: cel/validator.go, ext/formatting.go.
"""

from __future__ import annotations

from collections.abc import Iterator

from kube_cel.checker import Checked
from kube_cel.errors import Source
from kube_cel.formatting import STRING_CLAUSE, Clause, clauses, wrong_type
from kube_cel.functions import regex_problem
from kube_cel.kinds import Type, runtime_name
from kube_cel.times import to_duration, to_timestamp
from kube_cel.tree import Call, Expr, ListExpr, Literal, MapExpr, children
from kube_cel.values import Err


def validate(source: Source, tree: Expr, places: dict[int, int], checked: Checked) -> None:
    """Report what is wrong with the constants."""
    findings = _Found(source, places, checked)
    for node, exempt in _walk(tree):
        if isinstance(node, Call):
            findings.call(node)
        elif isinstance(node, ListExpr) and not exempt:
            findings.list(node)
        elif isinstance(node, MapExpr) and not exempt:
            findings.map(node)


def _walk(tree: Expr) -> Iterator[tuple[Expr, bool]]:
    """All nodes, and whether each is inside a call of format."""
    pending = [(tree, False)]
    while pending:
        node, exempt = pending.pop()
        yield node, exempt
        inside = exempt or (isinstance(node, Call) and node.function == "format")
        pending.extend((child, inside) for child in children(node))


class _Found:
    def __init__(self, source: Source, places: dict[int, int], checked: Checked) -> None:
        self.source = source
        self.places = places
        self.types = checked.types
        self.forms = checked.forms

    def report(self, node: Expr, message: str) -> None:
        self.source.report(self.places[node.id], message)

    def call(self, node: Call) -> None:
        if node.function == "format" and "string_format" in self.forms.get(node.id, ()):
            self.format(node)
        if node.function not in ("duration", "timestamp", "matches") or not node.args:
            return
        literal = node.args[0]
        if isinstance(literal, Literal) and not self.constant(node.function, literal):
            self.report(literal, f"invalid {node.function} argument")

    def constant(self, function: str, literal: Literal) -> bool:
        value = literal.value
        if function == "matches":
            return not isinstance(value, str) or regex_problem(value) is None
        if function == "duration":
            return isinstance(value, str) and not isinstance(to_duration(value), Err)
        valid = isinstance(value, str) or type(value) is int
        return valid and not isinstance(to_timestamp(value), Err)

    def list(self, node: ListExpr) -> None:
        first: Type | None = None
        for at, element in enumerate(node.elements):
            kind = self.types[element.id]
            if at in node.optional:
                kind = kind.params[0] if kind.params else kind
            if first is None:
                first = kind
            elif first != kind:
                self.report(element, f"expected type '{first}' but found '{kind}'")
                break

    def map(self, node: MapExpr) -> None:
        keys: Type | None = None
        values: Type | None = None
        for entry in node.entries:
            key, value = self.types[entry.key.id], self.types[entry.value.id]
            if entry.optional:
                value = value.params[0] if value.params else value
            if keys is None or values is None:
                keys, values = key, value
                continue
            if keys != key:
                self.report(entry.key, f"expected type '{keys}' but found '{key}'")
            if values != value:
                self.report(entry.value, f"expected type '{values}' but found '{value}'")

    # Formats with constant texts and a literal list of arguments.

    def format(self, node: Call) -> None:
        template, args = node.target, node.args[0] if node.args else None
        if not isinstance(template, Literal) or not isinstance(template.value, str) or not isinstance(args, ListExpr):
            return
        used = 0
        for clause in clauses(template.value, len(args.elements)):
            if isinstance(clause, str):
                continue
            used += 1
            if clause.problem:
                self.report(node, clause.problem)
                return
            wrong = self.argument(clause, args.elements[clause.at])
            if wrong is not None:
                self.report(wrong[0], f"error during formatting: {wrong[1]}")
                return
        if len(args.elements) > used:
            expected = f"(expected {used}, got {len(args.elements)})"
            self.report(node, f"too many arguments supplied to string.format {expected}")

    def argument(self, clause: Clause, arg: Expr) -> tuple[Expr, str] | None:
        kind = self.types[arg.id]
        if clause.letter == "s":
            bad = self.unprintable(arg)
            return (bad, STRING_CLAUSE + runtime_name(self.types[bad.id])) if bad is not None else None
        if kind.kind in ("dyn", "param"):
            return None
        message = wrong_type(clause.letter, kind.kind)
        return (arg, message + runtime_name(kind)) if message else None

    def unprintable(self, arg: Expr) -> Expr | None:
        """The part of an argument that %s cannot show."""
        kind = self.types[arg.id].kind
        if kind in ("any", "struct", "opaque", "error"):
            return arg
        if isinstance(arg, ListExpr):
            return next((bad for element in arg.elements if (bad := self.unprintable(element)) is not None), None)
        if isinstance(arg, MapExpr):
            parts = [part for entry in arg.entries for part in (entry.key, entry.value)]
            return next((bad for part in parts if (bad := self.unprintable(part)) is not None), None)
        return None
