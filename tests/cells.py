"""Cells of a notebook in a test."""

from __future__ import annotations

import linecache
from typing import Any


def run_cell(text: str, **names: Any) -> dict[str, Any]:
    """Run this text as a notebook does: its lines can be read again. Returns what has a name then."""
    linecache.cache[text] = (len(text), None, text.splitlines(keepends=True), text)
    exec(compile(text, text, "exec"), names)
    return names
