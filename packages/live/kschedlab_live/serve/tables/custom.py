"""The tables of custom kinds, whose columns are simple JSON paths.

v1.37: k8s.io/apiextensions-apiserver pkg/registry/customresource/tableconvertor.
"""

from __future__ import annotations

import re
from typing import Any

from kschedlab_live.serve.kinds import Custom
from kschedlab_live.serve.tables.cells import Columns, Data, maps, name_of, part, since

_STEP = re.compile(
    r"""\.((?:[^.\[\]\\]|\\.)+)|\[(\d{1,6})\]|\['([^']*)'\]|\[\?\(@\.(\w+)\s*==\s*["']([^"']*)["']\)\]"""
)
"""A field, an index, a quoted field, or the item of a list whose field has a value."""


def printed(custom: Custom) -> Columns:
    """The table of a custom kind."""
    paths = [(type, _steps(path)) for _, type, path in custom.columns]

    def cells(data: Data, now: int) -> list[Any]:
        return [name_of(data), *(_cell(type, _at(data, steps), now) for type, steps in paths)]

    types = {name.rstrip("*").replace("_", " "): type for name, type, _ in custom.columns if type != "date"}
    return Columns(" ".join(["Name", *(name for name, _, _ in custom.columns)]), cells, types)


def _cell(type: str, value: Any, now: int) -> Any:
    if value is None:
        return None
    if type == "date":
        return since(value, now)
    expected = {"integer": int, "number": int | float, "boolean": bool}.get(type)
    if expected is None:
        return value if isinstance(value, str) else str(value).lower() if isinstance(value, bool) else str(value)
    return value if isinstance(value, expected) else None


def _steps(path: str) -> list[re.Match[str]]:
    """The steps of a simple JSON path; one that leads nowhere if it is anything else."""
    steps, at = [], 0
    while at < len(path):
        step = _STEP.match(path, at)
        if step is None:
            return [*_STEP.finditer(". ")]
        steps.append(step)
        at = step.end()
    return steps


def _at(value: Any, steps: list[re.Match[str]]) -> Any:
    for field, index, quoted, key, wanted in (step.groups() for step in steps):
        if index is not None:
            value = value[int(index)] if isinstance(value, list) and int(index) < len(value) else None
        elif key is not None:
            chosen = [each for each in maps({"": value}, "") if each.get(key) == wanted]
            value = chosen[0] if chosen else None
        else:
            value = part(value, quoted if quoted is not None else re.sub(r"\\(.)", r"\1", field))
    return value
