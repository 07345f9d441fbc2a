"""A cell that is run again in the same kernel keeps the answer to its question."""

from __future__ import annotations

import sys
from typing import Any, NamedTuple


class Asking(NamedTuple):
    """Where something was asked. ``cell``: the front end's name of the cell; ``solution``: the right answer then."""

    cell: str
    question: str
    settings: str
    solution: str


given: dict[Asking, str | None] = {}
"""The answers until the kernel ends; None: it was opened without a prediction."""


def this_cell() -> str:
    """The name by which the front end knows the cell that runs now; "" where it says none, as in nbconvert."""
    shell: Any = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    kernel = getattr(shell, "kernel", None)
    parent: Any = {} if kernel is None else kernel.get_parent("shell") or {}
    return str(parent.get("metadata", {}).get("cellId", ""))
