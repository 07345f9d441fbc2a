"""Reading answers as Go decodes JSON: names of fields in any case, null for what is absent, but no other types."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kschedlab.extenders.extender import ExtenderError
from kschedlab.objects.quantity import INT64_MAX


def value(answer: Any, name: str) -> Any:
    """The field of that name, None if it is absent."""
    if answer is None:
        return None
    if not isinstance(answer, Mapping):
        raise ExtenderError(f"the extender answered {_short(answer)} where an object with {name} is expected")
    if name in answer:
        return answer[name]
    return next((found for key, found in answer.items() if key.lower() == name.lower()), None)


def text(answer: Any, name: str) -> str:
    """The text in the field, "" if it is absent."""
    return str(_checked(value(answer, name), str, name, "a text") or "")


def number(answer: Any, name: str) -> int:
    """The whole number in the field, 0 if it is absent."""
    found = int(_checked(value(answer, name), int, name, "a whole number") or 0)
    if not -INT64_MAX - 1 <= found <= INT64_MAX:
        raise ExtenderError(f"the extender answered {name} {found}: that number is too large")
    return found


def items(answer: Any, name: str) -> list[Any]:
    """The list in the field, empty if it is absent."""
    return list(_checked(value(answer, name), list, name, "a list") or ())


def mapping(answer: Any, name: str) -> dict[str, Any]:
    """The object in the field, empty if it is absent."""
    return dict(_checked(value(answer, name), dict, name, "an object") or {})


def _checked(found: Any, expected: type, name: str, words: str) -> Any:
    if found is None or (isinstance(found, expected) and not isinstance(found, bool)):
        return found
    raise ExtenderError(f"the extender answered {name} {_short(found)} where {words} is expected")


def _short(found: Any) -> str:
    shown = repr(found)
    return shown if len(shown) <= 60 else f"{shown[:57]}..."
