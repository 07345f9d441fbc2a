"""From a checked tree to functions that evaluate it and count its cost as the real planner's steps do.

cel-go v0.29.2: interpreter/planner.go, interpretable.go, decorators.go (constants are folded), runtimecost.go.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from kube_cel import costs, functions
from kube_cel.attributes import Attribute, Conditional, DeviceVariable, Eval, Qualifier, Relative, Variable
from kube_cel.checker import Checked
from kube_cel.numbers import text_of
from kube_cel.run import UNSET, Run
from kube_cel.tree import Call, Expr, Fold, Ident, ListExpr, Literal, MapExpr, Select
from kube_cel.values import (
    NO_OVERLOAD,
    Err,
    Growing,
    Key,
    Map,
    Optional,
    TypeValue,
    UInt,
    Value,
    equal,
    exact,
    go_type,
    is_number,
    key_of,
)


def logical(left: Eval, right: Eval, wanted: bool) -> Eval:
    """``||`` (wanted: true) and ``&&``: the wanted value on either side absorbs an error on the other."""

    def both(run: Run) -> Value:
        one = left(run)
        if one is wanted:
            return wanted
        other = right(run)
        if other is wanted:
            return wanted
        for value in (one, other):
            if type(value) is not bool:
                return value if isinstance(value, Err) else NO_OVERLOAD
        return not wanted

    return both


def alternative(left: Eval, right: Eval, unwrapped: bool) -> Eval:
    """``or`` and ``orValue``: the right side is evaluated only if the left one has no value; both cost nothing."""

    def choose(run: Run) -> Value:
        value = left(run)
        if type(value) is not Optional:
            return value if isinstance(value, Err) else NO_OVERLOAD
        if not value.present:
            return right(run)
        return value.value if unwrapped else value

    return choose


def equality(left: Eval, right: Eval, negated: bool) -> Eval:
    """``==`` and ``!=``: both sides are evaluated."""
    cost = costs.equality

    def compare(run: Run) -> Value:
        one, other = left(run), right(run)
        if isinstance(one, Err):
            result: Value = one
        elif isinstance(other, Err):
            result = other
        else:
            if isinstance(one, list | Map):
                run.work((one, other))
            result = equal(one, other)
            if negated:
                result = result is not True
        run.cost += cost(one, other, negated)
        return result

    return compare


def eager(parts: list[Eval], call: functions.Bound, cost: costs.CallCost) -> Eval:
    """All arguments are evaluated, also after an error."""

    def apply(run: Run) -> Value:
        values = [part(run) for part in parts]
        result = next((value for value in values if isinstance(value, Err)), None)
        if result is None:
            result = call(run, values)
        run.cost += cost(values, result)
        return result

    if len(parts) == 1:
        part = parts[0]

        def apply_one(run: Run) -> Value:
            values = [part(run)]
            result = values[0] if isinstance(values[0], Err) else call(run, values)
            run.cost += cost(values, result)
            return result

        return apply_one
    return apply


def one_by_one(parts: list[Eval], call: functions.Bound, cost: costs.CallCost) -> Eval:
    """The first error ends the call, which then costs nothing itself."""
    last = len(parts) - 1

    def apply(run: Run) -> Value:
        values: list[Value] = []
        for at, part in enumerate(parts):
            values.append(part(run))
            if isinstance(values[-1], Err):
                if at == last:
                    run.cost += cost(values, values[-1])
                return values[-1]
        result = call(run, values)
        run.cost += cost(values, result)
        return result

    return apply


_CONVERSIONS = {"bool", "bytes", "double", "duration", "dyn", "int", "string", "timestamp", "uint", "type"}
_NOT_OPTIONAL = "cannot initialize optional list element from non-optional value "
_INDEXES = ("_[_]", "_[?_]", "_?._")  # as fields, they note their values themselves
_PRIMITIVE = (bool, int, float, str)


class PlanError(Exception):
    """A constant part has no value, so the real program cannot be made."""


@dataclass(slots=True)
class PlannedPart:
    """A planned part. ``constant``: its value is known; ``attribute``: a path that can be continued."""

    eval: Eval
    constant: bool = False
    value: Value = None
    attribute: Attribute | None = None


class Program(NamedTuple):
    """``eval`` evaluates with a Run of that many slots."""

    eval: Eval
    slots: int


def plan(tree: Expr, checked: Checked, traced: bool = False) -> Program:
    """Plan the tree; raises PlanError. ``traced``: runs note the value of each part."""
    planner = _Planner(checked, traced)
    step = planner.plan(tree)
    return Program(step.eval, planner.slots)


class _Planner:
    def __init__(self, checked: Checked, traced: bool) -> None:
        self.checked = checked
        self.traced = traced
        self.slots = 0
        self.names: list[dict[str, tuple[int, Eval | None]]] = []

    def plan(self, expr: Expr) -> PlannedPart:
        step = self.part(expr)
        if self.traced and not (isinstance(expr, Select) or getattr(expr, "function", "") in _INDEXES):
            step.eval = _traced(step.eval, expr.id)
        return step

    def part(self, expr: Expr) -> PlannedPart:
        if isinstance(expr, Literal):
            return _constant(expr.value)
        if isinstance(expr, Ident):
            return self.ident(expr)
        if isinstance(expr, Select):
            return self.select(expr)
        if isinstance(expr, ListExpr):
            return self.make_list(expr)
        if isinstance(expr, MapExpr):
            return self.make_map(expr)
        if isinstance(expr, Fold):
            return self.fold(expr)
        assert isinstance(expr, Call)
        return self.call(expr)

    # Paths.

    def ident(self, expr: Ident) -> PlannedPart:
        if expr.id in self.checked.type_values:
            return _constant(TypeValue(self.checked.type_values[expr.id]))
        for scope in reversed(self.names):
            if expr.name in scope:
                if self.checked.types[expr.id].kind == "type":
                    raise PlanError(f"reference to undefined type: {expr.name}")
                return _path(Variable(*scope[expr.name]))
        return _path(DeviceVariable())

    def attribute_of(self, step: PlannedPart) -> PlannedPart:
        """The step as a path; evaluating a part that is none costs one unit more."""
        return step if step.attribute is not None else _path(Relative(step.eval))

    def select(self, expr: Select) -> PlannedPart:
        if expr.id in self.checked.type_values:
            return _constant(TypeValue(self.checked.type_values[expr.id]))
        step = self.attribute_of(self.plan(expr.operand))
        assert step.attribute is not None
        step.attribute.add(Qualifier(expr.id, expr.field, None, False, expr.test))
        return _path(step.attribute, expr.test)

    def index(self, expr: Call, operand: PlannedPart, key: PlannedPart, optional: bool) -> PlannedPart:
        step = self.attribute_of(operand)
        assert step.attribute is not None
        if key.constant:
            if type(key.value) not in (str, bool, float) and not isinstance(key.value, int):
                raise PlanError(f"invalid qualifier type: {go_type(key.value)}")
            qualifier = Qualifier(expr.id, key.value, None, optional)
        else:
            resolve = key.attribute.resolve if key.attribute is not None else key.eval
            qualifier = Qualifier(expr.id, None, resolve, optional)
        step.attribute.add(qualifier)
        return _path(step.attribute)

    # Lists and maps.

    def make_list(self, expr: ListExpr) -> PlannedPart:
        steps = [self.plan(element) for element in expr.elements]
        if all(step.constant for step in steps) and not expr.optional:
            return _constant([step.value for step in steps])
        evals, optional = [step.eval for step in steps], expr.optional

        def make(run: Run) -> Value:
            values: list[Value] = []
            for at, part in enumerate(evals):
                value = part(run)
                if isinstance(value, Err):
                    run.cost += costs.LIST
                    return value
                if at in optional:
                    if type(value) is not Optional:
                        run.cost += costs.LIST
                        return Err(_NOT_OPTIONAL + text_of(value))
                    if not value.present:
                        continue
                    value = value.value
                values.append(value)
            run.cost += costs.LIST
            return values

        return PlannedPart(make)

    def make_map(self, expr: MapExpr) -> PlannedPart:
        steps = [(self.plan(entry.key), self.plan(entry.value), entry.optional) for entry in expr.entries]
        if all(key.constant and value.constant and not optional for key, value, optional in steps):
            return _constant(Map((key.value, value.value) for key, value, _ in steps))
        evals = [(key.eval, value.eval, optional) for key, value, optional in steps]

        def make(run: Run) -> Value:
            entries: list[tuple[Value, Value]] = []
            for key_part, value_part, optional in evals:
                key = key_part(run)
                value = key if isinstance(key, Err) else value_part(run)
                if isinstance(value, Err):
                    run.cost += costs.MAP
                    return value
                if optional:
                    if type(value) is not Optional:
                        run.cost += costs.MAP
                        kind = f"optional entry '{text_of(key)}'"
                        return Err(f"cannot initialize {kind} from non-optional value {text_of(value)}")
                    if not value.present:
                        entries = [entry for entry in entries if equal(entry[0], key) is not True]
                        continue
                    value = value.value
                entries.append((key, value))
            result = Map(entries)
            run.cost += costs.MAP
            return result

        return PlannedPart(make)

    # Loops.

    def fold(self, expr: Fold) -> PlannedPart:
        init = self.plan(expr.init)
        over = self.plan(expr.range)
        accu, first, second = self.slots, self.slots + 1, self.slots + 2
        self.slots += 3
        start = _accumulator(init.eval)
        names: dict[str, tuple[int, Eval | None]] = {expr.accu: (accu, start)}
        inner = {**names, expr.var: (first, None)} | ({expr.var2: (second, None)} if expr.var2 else {})
        self.names.append(inner)
        condition, step = self.plan(expr.condition).eval, self.plan(expr.step).eval
        self.names[-1] = names
        result = self.plan(expr.result).eval
        self.names.pop()
        pairs, range_of = bool(expr.var2), over.eval

        def loop(run: Run) -> Value:
            slots = run.slots
            slots[accu] = UNSET
            items = range_of(run)
            if isinstance(items, Err):
                return items
            if not isinstance(items, list | Map):
                if pairs:
                    return Err(f"unsupported comprehension range type: {go_type(items)}")
                return Err(f"got '{go_type(items)}', expected iterable type")
            for item in _items(items, pairs):
                if pairs:
                    slots[first], slots[second] = item
                else:
                    slots[first] = item
                if condition(run) is False:
                    break
                slots[accu] = step(run)
                run.check()
            value = result(run)
            return list(value) if type(value) is Growing else value

        return PlannedPart(loop)

    # Calls.

    def call(self, expr: Call) -> PlannedPart:
        parts = expr.args if expr.target is None else [expr.target, *expr.args]
        steps = [self.plan(part) for part in parts]
        function = expr.function
        if function in ("_&&_", "_||_"):
            return PlannedPart(logical(steps[0].eval, steps[1].eval, function == "_||_"))
        if function == "_?_:_":
            yes, no = (self.branch(step) for step in steps[1:])
            return _path(Conditional(steps[0].eval, yes, no))
        if function in ("or", "orValue"):
            return PlannedPart(alternative(steps[0].eval, steps[1].eval, function == "orValue"))
        if function in ("_==_", "_!=_"):
            return PlannedPart(equality(steps[0].eval, steps[1].eval, function == "_!=_"))
        if function in _INDEXES:
            return self.index(expr, steps[0], steps[1], function != "_[_]")
        return self.function(expr, steps)

    def branch(self, step: PlannedPart) -> Attribute:
        return step.attribute if step.attribute is not None else Relative(step.eval)

    def function(self, expr: Call, steps: list[PlannedPart]) -> PlannedPart:
        forms = self.checked.forms[expr.id]
        form = forms[0] if len(forms) == 1 else ""
        call = functions.bind(expr.function, form)
        cost = costs.of_call(expr.function, form)
        constants = all(step.constant for step in steps)
        if form == "in_list" and steps[1].constant:
            member = self.membership(steps)
            if member is not None:
                return member
        if expr.function in _CONVERSIONS and len(steps) == 1 and constants:
            value = call(Run(None, 0), [steps[0].value])
            if isinstance(value, Err):
                raise PlanError(value.text)
            return _constant(value)
        if expr.function in ("matches", "find", "findAll") and steps[1].constant and isinstance(steps[1].value, str):
            problem = functions.regex_problem(steps[1].value)
            if problem:
                raise PlanError(problem)
            call = functions.with_constant_pattern(call)
        elif functions.evaluates_all(expr.function, form, len(steps)):
            return PlannedPart(eager([step.eval for step in steps], call, cost))
        return PlannedPart(one_by_one([step.eval for step in steps], call, cost))

    def membership(self, steps: list[PlannedPart]) -> PlannedPart | None:
        """``x in [constants]`` costs nothing but x."""
        items = steps[1].value
        if not items:
            return _constant(False)
        if not all(isinstance(item, _PRIMITIVE) for item in items):
            return None
        table, operand = {key for item in items for key in _equals(item)}, steps[0].eval

        def member(run: Run) -> Value:
            value = operand(run)
            return value if isinstance(value, Err) else key_of(value) in table

        return PlannedPart(member)


def _equals(item: Value) -> Iterator[Key]:
    """The keys of what equals a constant: a double also equals what is rounded to it."""
    yield key_of(item)
    if is_number(item):
        others = ((kind, exact(item, kind)) for kind in (int, UInt))
        yield from ((kind, number) for kind, number in others if number is not None)
        yield float, float(item)


def _traced(part: Eval, id: int) -> Eval:
    def note(run: Run) -> Value:
        value = part(run)
        assert run.trace is not None
        run.trace.append((id, value))
        return value

    return note


def _constant(value: Value) -> PlannedPart:
    return PlannedPart(lambda run: value, True, value)


def _path(attribute: Attribute, test: bool = False) -> PlannedPart:
    cost = attribute.costs - test
    resolve = attribute.resolve

    def walk(run: Run) -> Value:
        value = resolve(run)
        run.cost += cost
        if test and type(value) is Optional:
            return value.present
        return value

    return PlannedPart(walk, attribute=attribute)


def _accumulator(init: Eval) -> Eval:
    """Empty lists and maps grow in place."""

    def start(run: Run) -> Value:
        value = init(run)
        if isinstance(value, list) and not value:
            return Growing()
        if type(value) is Map and not len(value):
            return Map()
        return value

    return start


def _items(items: Value, pairs: bool) -> Value:
    if isinstance(items, list):
        return list(enumerate(items)) if pairs else items
    return list(items.items()) if pairs else list(items)
