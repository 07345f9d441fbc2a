"""How operators and calls evaluate their arguments, what absorbs errors, and when the call itself costs something.

cel-go v0.29.2: interpreter/interpretable.go, interpreter/runtimecost.go, cel/library.go (``or`` and ``orValue``).
"""

from __future__ import annotations

from kube_cel import costs, functions
from kube_cel.attributes import Eval
from kube_cel.run import Run
from kube_cel.values import NO_OVERLOAD, Err, Map, Optional, Value, equal


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
