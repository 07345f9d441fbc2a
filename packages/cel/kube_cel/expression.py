"""A selector of devices, compiled once and evaluated for many devices.

k8s.io/dynamic-resource-allocation v0.37.0: cel/compile.go, cel/errors.go.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache

from kube_cel import validators
from kube_cel.checker import Checked, check
from kube_cel.device import Device, device_value
from kube_cel.errors import CelError, Source, UnsupportedError
from kube_cel.estimate import estimate
from kube_cel.kinds import ANY, BOOL, DYN, Type, result_name
from kube_cel.parser import parse
from kube_cel.plan import PlanError, Program, plan
from kube_cel.run import COST_LIMIT, Run
from kube_cel.steps import EvaluatedPart, steps_of
from kube_cel.tree import Expr
from kube_cel.values import (
    CancelledError,
    Duration,
    Err,
    Foreign,
    Growing,
    Map,
    Optional,
    Timestamp,
    TypeValue,
    UInt,
    Value,
    type_name,
)

_REASONS: dict[type, str] = {
    int: "unsupported type conversion from 'int' to bool",
    UInt: "unsupported type conversion from 'uint' to bool",
    float: "type conversion error from Double to 'bool'",
    str: "unsupported native conversion from string to 'bool'",
    bytes: "type conversion error from Bytes to 'bool'",
    type(None): "type conversion error from 'null_type' to 'bool'",
    list: "type conversion error from list to 'bool'",
    Growing: "type conversion error from list to 'bool'",
    Map: "type conversion error from map to 'bool'",
    Duration: "type conversion error from 'Duration' to 'bool'",
    Timestamp: "type conversion error from 'Timestamp' to 'bool'",
    TypeValue: "type conversion not supported for 'type'",
}


def to_bool(value: Value) -> bool | Err:
    """The bool, or an error that names the type."""
    inner = value
    while type(inner) is Optional:
        if not inner.present:
            return Err(
                f"CEL result of type {type_name(value)} could not be converted to bool: optional.none() dereference"
            )
        inner = inner.value
    if type(inner) is bool:
        return inner
    reason = _REASONS.get(type(inner))
    if reason is None:
        assert isinstance(inner, Foreign)
        reason = f"type conversion error from '{inner.short}' to 'bool'"
    return Err(f"CEL result of type {type_name(value)} could not be converted to bool: {reason}")


_STACK = 20_000  # a nested expression needs more of Python's stack than the default gives
_KEPT_OUTCOMES = 200_000
_HINT = (
    ". consider using CEL optional chaining (.? followed by orValue()) "
    "or guarding the check with has() for optional fields"
)


class Expression:
    """A compiled selector. ``text``; ``kind``: the type of its result, ``bool`` or ``dyn``.

    ``new``: compiled as the API server compiles those of new objects. Raises CelError.
    """

    __slots__ = ("_checked", "_deep", "_places", "_program", "_traced", "_tree", "_written", "kind", "text")

    def __init__(self, text: str, new: bool = False) -> None:
        self.text = text
        self._deep = len(text) > 200
        with _deep_stack(True):
            source = Source(text)
            tree, self._places, self._written = parse(source)
            checked = check(source, tree, self._places, new) if tree is not None else None
            if tree is not None and checked is not None and not source.errors:
                validators.validate(source, tree, self._places, checked)
            if tree is None or checked is None or source.errors:
                raise CelError(f"compilation failed: {source.summary()}")
            self.kind: Type = checked.types[tree.id]
            if self.kind not in (BOOL, ANY if new else DYN):
                raise CelError(f"must evaluate to bool or the unknown type, not {result_name(self.kind)}")
            self._tree: Expr = tree
            self._checked: Checked = checked
            try:
                self._program: Program = plan(tree, checked)
            except PlanError as error:
                raise CelError(f"program instantiation failed: {error}") from None
        self._traced: Program | None = None

    def matches(self, driver: str, device: Device) -> bool:
        """Whether the selector selects the device of this driver. Raises CelError with the scheduler's text."""
        key = (id(self), id(device), driver)
        known = _outcomes.get(key)
        if known is None:
            outcome: bool | CelError
            try:
                outcome = self.evaluate(driver, device)[0]
            except CelError as error:
                outcome = error
            if len(_outcomes) >= _KEPT_OUTCOMES:
                _outcomes.clear()
            known = _outcomes[key] = (self, device, outcome)
        if isinstance(known[2], CelError):
            raise type(known[2])(str(known[2]), known[2].cost)
        return known[2]

    def evaluate(self, driver: str, device: Device) -> tuple[bool, int]:
        """(whether the device is selected, the cost in units of CEL); raises CelError."""
        run = Run(device_value(driver, device), self._program.slots)
        return self._finish(run, self._run(self._program, run)), run.cost

    def steps(self, driver: str, device: Device) -> tuple[EvaluatedPart, ...]:
        """Each part of the expression with the values that it had for the device; the whole comes last."""
        with _deep_stack(True):
            if self._traced is None:
                self._traced = plan(self._tree, self._checked, traced=True)
            run = Run(device_value(driver, device), self._traced.slots, [])
            self._run(self._traced, run)
            return steps_of(self._tree, self._written, run.trace or [])

    @property
    def highest_cost(self) -> int:
        """The highest cost that the API server estimates."""
        with _deep_stack(True):
            return estimate(self._tree, self._checked).high

    def _run(self, program: Program, run: Run) -> Value:
        try:
            with _deep_stack(self._deep):
                value = program.eval(run)
            run.check()
        except CancelledError as error:
            return Err(str(error))
        return value

    def _finish(self, run: Run, value: Value) -> bool:
        result = value if isinstance(value, Err) else to_bool(value)
        if isinstance(result, Err):
            raise CelError(result.text + (_HINT if "no such key:" in result.text else ""), run.cost)
        return bool(result)


# What was found before; expressions and devices are kept with it so that no other object gets their ids.
_outcomes: dict[tuple[int, int, str], tuple[Expression, Device, bool | CelError]] = {}


@lru_cache(maxsize=1024)
def _compiled(text: str) -> Expression | CelError:
    try:
        return Expression(text)
    except CelError as error:
        return error


def compile(text: str) -> Expression:
    """Compile a selector, or return the one that was compiled before. Raises CelError with the real text."""
    result = _compiled(text)
    if isinstance(result, CelError):
        raise type(result)(str(result))
    return result


MAX_LENGTH = 10 * 1024


@lru_cache(maxsize=1024)
def fault(text: str, lists: bool = False) -> str | None:
    """Why the API server refuses a new object with this selector, or None (v1.37: validateCELExpression).

    ``lists``: attributes may be lists, for which the feature gate DRAListTypeAttributes has to be on.
    """
    if len(text.encode("utf-8", "replace")) > MAX_LENGTH:
        return f"may not be more than {MAX_LENGTH} bytes"
    try:
        expression = Expression(text, new=not lists)
    except UnsupportedError:
        return None
    except CelError as error:
        return str(error)
    return "too complex, exceeds cost limit" if expression.highest_cost > COST_LIMIT else None


@contextmanager
def _deep_stack(deep: bool) -> Iterator[None]:
    if not deep:
        yield
        return
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, _STACK))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)
