"""Paths such as ``device.attributes["domain"].name``: a start and qualifiers, which cost one unit each.

cel-go v0.29.2: interpreter/attributes.go, and interpreter/runtimecost.go for what each step costs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from kube_cel.numbers import text_of
from kube_cel.run import UNSET, Run
from kube_cel.values import (
    NO_OVERLOAD,
    NONE,
    Err,
    Map,
    Optional,
    UInt,
    Value,
    exact,
    go_type,
    is_number,
    type_name,
)

Eval: TypeAlias = Callable[[Run], Value]
_KEY_TYPES = (str, int, UInt, bool, float)


class Qualifier:
    """``.name`` or ``["name"]``: a constant, or an expression that gives the key."""

    __slots__ = ("hashed", "id", "key", "optional", "resolve", "test")

    def __init__(self, id: int, key: Value, resolve: Eval | None, optional: bool, test: bool = False) -> None:
        self.id = id
        self.key = key
        self.resolve = resolve
        self.optional = optional
        self.test = test
        # The common case, a constant text, is looked up without a detour.
        self.hashed = (str, key) if type(key) is str and not (optional or test) else None

    def apply(self, run: Run, value: Value) -> Value:
        """The part of the value, or an error; ``has()`` gives whether there is one."""
        if self.resolve is None:
            part, found = find(value, self.key, self.test)
            run.cost += 1
            if self.test and not isinstance(part, Err):
                part = found
        else:
            part = self._dynamic(run, value, False)[0]
            run.cost += 1
        if run.trace is not None:
            run.trace.append((self.id, part))
        return part

    def apply_if_present(self, run: Run, value: Value) -> tuple[Value, bool]:
        """(the part, whether there is one)."""
        if self.resolve is None:
            part, found = find(value, self.key, True)
        else:
            part, found = self._dynamic(run, value, True)
        if self.test and found:
            part = None
        if found:
            run.cost += 1
        if run.trace is not None:
            run.trace.append((self.id, part if found or isinstance(part, Err) else NONE))
        return part, found

    def _dynamic(self, run: Run, value: Value, presence: bool) -> tuple[Value, bool]:
        assert self.resolve is not None
        key = self.resolve(run)
        if isinstance(key, Err):
            return key, False
        if type(key) not in _KEY_TYPES:
            return Err(f"invalid qualifier type: {go_type(key)}"), False
        return find(value, key, presence)


def find(value: Value, key: Value, presence: bool) -> tuple[Value, bool]:
    """(the element or field, whether it exists). Without ``presence``, an error if it does not."""
    if type(value) is Map:
        part, found = value.get(key)
        if found or presence:
            return part, found
        return Err(f"no such key: {text_of(key)}"), False
    if isinstance(value, list):
        index = list_index(key)
        if isinstance(index, Err):
            return index, False
        if 0 <= index < len(value):
            return value[index], True
        return (None, False) if presence else (Err(f"index out of bounds: {text_of(key)}"), False)
    return (None, False) if presence else (Err(f"no such key: {text_of(key)}"), False)


def list_index(key: Value) -> Value:
    if not is_number(key):
        return Err(f"unsupported index type '{type_name(key)}' in list")
    index = exact(key, int)
    return Err(f"unsupported index value {text_of(key)} in list") if index is None else index


class Attribute:
    """Something that qualifiers can be added to. ``resolve`` gives its value or an error."""

    __slots__ = ("qualifiers",)
    costs = 1

    def __init__(self) -> None:
        self.qualifiers: list[Qualifier] = []

    def add(self, qualifier: Qualifier) -> None:
        """One step more of the path."""
        self.qualifiers.append(qualifier)

    def start(self, run: Run) -> Value:
        """The start of the path."""
        raise NotImplementedError

    def resolve(self, run: Run) -> Value:
        """The value at the end of the path."""
        value = self.start(run)
        if isinstance(value, Err) or not self.qualifiers:
            return value
        optional = False
        if type(value) is Optional:
            if not value.present:
                return NONE
            value, optional = value.value, True
        for qualifier in self.qualifiers:
            if qualifier.hashed is not None and type(value) is Map and not optional and run.trace is None:
                entry = value.entries.get(qualifier.hashed)
                if entry is not None:
                    value = entry[1]
                    run.cost += 1
                    continue
            optional = optional or qualifier.optional
            if not optional:
                value = qualifier.apply(run, value)
                if isinstance(value, Err):
                    return value
                continue
            value, found = qualifier.apply_if_present(run, value)
            if isinstance(value, Err):
                return value
            if not found:
                return NONE
        return Optional(True, value) if optional else value


class DeviceVariable(Attribute):
    """The variable ``device``."""

    __slots__ = ()

    def start(self, run: Run) -> Value:
        return run.device


class Variable(Attribute):
    """The variable of a macro. ``init`` makes an accumulator's first value, when it is first asked for."""

    __slots__ = ("init", "slot")

    def __init__(self, slot: int, init: Eval | None = None) -> None:
        super().__init__()
        self.slot = slot
        self.init = init

    def start(self, run: Run) -> Value:
        value = run.slots[self.slot]
        if value is UNSET and self.init is not None:
            value = run.slots[self.slot] = self.init(run)
        return value


class Relative(Attribute):
    """The value of an expression."""

    __slots__ = ("operand",)

    def __init__(self, operand: Eval) -> None:
        super().__init__()
        self.operand = operand

    def start(self, run: Run) -> Value:
        return self.operand(run)


class Conditional(Attribute):
    """``a ? b : c``: qualifiers go to both branches; choosing costs nothing."""

    __slots__ = ("condition", "no", "yes")
    costs = 0

    def __init__(self, condition: Eval, yes: Attribute, no: Attribute) -> None:
        super().__init__()
        self.condition = condition
        self.yes = yes
        self.no = no

    def add(self, qualifier: Qualifier) -> None:
        """One step more of both paths."""
        self.yes.add(qualifier)
        self.no.add(qualifier)

    def resolve(self, run: Run) -> Value:
        """The value at the end of the chosen path."""
        chosen = self.condition(run)
        if chosen is True:
            return self.yes.resolve(run)
        if chosen is False:
            return self.no.resolve(run)
        return chosen if isinstance(chosen, Err) else NO_OVERLOAD
