"""Charts as plain data for plotly, each with a table that says the same without it."""

from __future__ import annotations

from typing import Any, TypeAlias

Figure: TypeAlias = dict[str, Any]
"""A figure as plotly reads it: ``data`` (traces) and ``layout``."""
