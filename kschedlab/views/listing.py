"""Shows the package's own source code where a lesson explains it, never a copy."""

from __future__ import annotations

from collections.abc import Callable
from inspect import getsource
from typing import Any


class Listing:
    """The source of a function or class, with its module."""

    def __init__(self, of: Callable[..., Any]) -> None:
        self.module = of.__module__
        self.source = getsource(of)

    def __repr__(self) -> str:
        return f"# {self.module}\n{self.source}"

    def _repr_markdown_(self) -> str:
        return f"```python\n{self!r}```"
