"""Which argument of a call is not of the type that its function takes, told once the call has failed."""

from __future__ import annotations

import types
import typing
from collections.abc import Callable, Iterable
from types import FrameType
from typing import Any

from kschedlab.messages import say


def misfit(frame: FrameType) -> str | None:
    """What is wrong with the arguments of the function that runs in this frame; None if all of them fit."""
    function, code = _function(frame), frame.f_code
    if function is None:
        return None
    hints = _hints(function)
    for name in code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]:
        given = frame.f_locals.get(name)
        if name in hints and not fits(given, hints[name]):
            expected, found = _named(hints[name]), type(given).__name__
            return say("{name}: expected {expected}, got {given}", name=name, expected=expected, given=found)
    return None


def fits(value: object, hint: Any) -> bool:
    """Whether a value may be of this type. What takes more than a look at the value itself counts as fitting."""
    kind, parts = typing.get_origin(hint) or hint, typing.get_args(hint)
    if kind in (typing.Union, types.UnionType):
        return any(fits(value, part) for part in parts)
    if kind is typing.Literal:
        return value in parts
    if kind is float:
        kind = (int, float)
    try:
        return isinstance(value, kind)
    except TypeError:  # Any, a type variable, a protocol
        return True


def _function(frame: FrameType) -> Callable[..., Any] | None:
    """The function or method whose code runs in the frame, if its module knows it by its name."""
    found: Any = types.SimpleNamespace(**frame.f_globals)
    for part in frame.f_code.co_qualname.split("."):
        found = getattr(found, part, None)
    return found if getattr(found, "__code__", None) is frame.f_code else None


def _hints(function: Callable[..., Any]) -> dict[str, Any]:
    try:
        return typing.get_type_hints(function)
    except NameError:  # a type that is imported for mypy alone
        return {}


def _named(hint: Any) -> str:
    """The type as a reader calls it: "Mapping or None"."""
    kind, parts = typing.get_origin(hint) or hint, typing.get_args(hint)
    if kind in (typing.Union, types.UnionType):
        return _either(_named(part) for part in parts)
    if kind is typing.Literal:
        return _either(map(repr, parts))
    return "None" if kind is types.NoneType else str(getattr(kind, "__name__", kind))


def _either(names: Iterable[str]) -> str:
    return say(" or ").join(names)
