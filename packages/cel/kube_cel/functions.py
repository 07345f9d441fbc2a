"""From the name of a function to what it does: the forms of its overloads, and what happens with other types.

cel-go v0.29.2: common/decls/decls.go (type guards and dispatch), common/stdlib/standard.go.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from operator import is_
from typing import TypeAlias

from kube_cel import kubernetes, lists, network, operators, strings, times
from kube_cel.kinds import Type, runtime_name
from kube_cel.regex import RegexError, compile_regex
from kube_cel.run import Run, bounded
from kube_cel.signatures import Overload, overloads
from kube_cel.values import NO_OVERLOAD, Err, Function, Map, Value, type_name

Bound: TypeAlias = Callable[[Run, list[Value]], Value]

# Functions with one implementation for all types: it refuses types itself.
_SINGLETONS: dict[str, Function] = {**operators.SINGLETONS, "sort": lists.sort, "@sortByAssociatedKeys": lists.sort_by}
_OVERLOADS: dict[str, Function] = {**operators.CONVERSIONS, **strings.OVERLOADS, **kubernetes.OVERLOADS}
_FUNCTIONS: dict[str, Function] = {
    **lists.FUNCTIONS,
    **strings.FUNCTIONS,
    **kubernetes.FUNCTIONS,
    **network.FUNCTIONS,
    **{name: times.getter(name) for name in overloads() if re.match("get(FullYear|M|D|Hours|Seconds)", name)},
}
# Functions that go through their arguments: the work is counted, because costs do not cover all of it.
_CHEAP = set(operators.SINGLETONS) - {"@in", "_+_", "matches"}


@cache
def bind(function: str, form: str) -> Bound:
    """The function behind a call. ``form``: the overload, if only one is possible."""
    implementation = _SINGLETONS.get(function)
    if implementation is None:
        candidates = [o for o in overloads()[function] if not form or o.id == form]
        return _dispatch(function, [(o, _implementation(function, o)) for o in candidates])
    if function in _CHEAP:
        return lambda run, args: implementation(*args)
    return lambda run, args: _counted(run, implementation, args)


def _counted(run: Run, implementation: Function, args: list[Value]) -> Value:
    run.work(args)
    return bounded(implementation(*args))


def _implementation(function: str, overload: Overload) -> Function:
    return _OVERLOADS.get(overload.id) or _FUNCTIONS.get(function) or _refused


def _refused(*args: Value) -> Value:
    return NO_OVERLOAD  # functions of authorisation: no selector has their values


def _dispatch(function: str, candidates: list[tuple[Overload, Function]]) -> Bound:
    takes = _named_alike if function == "flatten" else fits  # ext/lists.go: flat lists are flattened, too

    def call(run: Run, args: list[Value]) -> Value:
        for overload, implementation in candidates:
            if len(overload.args) == len(args) and all(map(takes, overload.args, args)):
                return _counted(run, implementation, args)
        first, *others = map(type_name, args)
        if function == "flatten":
            first = {"map": "map(dyn, dyn)", "optional_type": "optional_type(dyn)"}.get(first, first)
            return Err(f"no such overload: {first}.{function}({', '.join(others)})")
        return Err(f"no such overload: {function}({', '.join((first, *others))})")

    return call


def _named_alike(kind: Type, value: Value) -> bool:
    return runtime_name(kind) == type_name(value)


def fits(kind: Type, value: Value) -> bool:
    """Whether a value is of a type; of lists and maps, the first elements decide."""
    if kind.kind in ("dyn", "param"):
        return True
    if not _named_alike(kind, value):
        return False
    if kind.kind == "list":
        return not value or fits(kind.params[0], value[0])
    if kind.kind == "map":
        assert isinstance(value, Map)
        return all(fits(kind.params[0], k) and fits(kind.params[1], v) for k, v in list(value.items())[:1])
    return True


def evaluates_all(function: str, form: str, count: int) -> bool:
    """Whether a call evaluates all arguments although one is an error."""
    if count > 2 or form in ("string_format", "list_slice"):
        return count <= 1
    return bool(form) or function in _SINGLETONS


def with_constant_pattern(call: Bound) -> Bound:
    """The real program has the pattern compiled then, and looks at the types of the other arguments itself."""
    kinds = (str, str, int)

    def checked(run: Run, args: list[Value]) -> Value:
        return call(run, args) if all(map(is_, map(type, args), kinds)) else NO_OVERLOAD

    return checked


def regex_problem(pattern: str) -> str | None:
    """The fault of a constant pattern."""
    try:
        compile_regex(pattern)
    except RegexError as error:
        return str(error)
    return None
