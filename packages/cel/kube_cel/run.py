"""One evaluation: what it has cost so far, its variables, and the limits that keep time and memory bounded."""

from __future__ import annotations

from typing import Any

from kube_cel.errors import UnsupportedError
from kube_cel.values import CancelledError, Value

COST_LIMIT = 1_000_000  # CELSelectorExpressionMaxCost in k8s.io/api/resource/v1
MAX_WORK = 20_000_000  # comparisons and the like; costs do not cover what is inside nested lists
MAX_ELEMENTS = 2_000_000
MAX_CHARACTERS = 10_000_000
UNSET = object()


class Run:
    """The state of one evaluation. ``slots``: the variables of macros, each at a place of its own."""

    __slots__ = ("cost", "device", "slots", "trace", "_work")

    def __init__(self, device: Value, slots: int, trace: list[tuple[int, Value]] | None = None) -> None:
        self.cost = 0
        self.device = device
        self.slots: list[Any] = [UNSET] * slots
        self.trace = trace
        self._work = 0

    def check(self) -> None:
        """End the evaluation if it has cost too much."""
        if self.cost > COST_LIMIT or self.cost < 0:
            raise CancelledError("operation cancelled: actual cost limit exceeded")

    def work(self, values: tuple[Value, ...] | list[Value]) -> None:
        """Count what goes through all elements of these values."""
        for value in values:
            kind = type(value)
            if kind is str:
                self._work += len(value) >> 6
            elif isinstance(value, list):
                self._work += len(value) + (_inside(value[0]) * len(value) if value else 0)
            elif hasattr(value, "items"):
                self._work += len(value)
        if self._work > MAX_WORK:
            raise UnsupportedError("the expression needs more than kube_cel's limit of comparisons")


def _inside(value: Value) -> int:
    return len(value) if isinstance(value, list) else 0


def check_length(characters: int) -> None:
    """Refuse a text that is too long to be kept."""
    if characters > MAX_CHARACTERS:
        raise UnsupportedError(f"the expression makes a string of more than {MAX_CHARACTERS} characters")


def bounded(value: Value) -> Value:
    """The value, unless it is too large to be kept."""
    if isinstance(value, str):
        check_length(len(value))
    if isinstance(value, list) and len(value) > MAX_ELEMENTS:
        raise UnsupportedError(f"the expression makes a list of more than {MAX_ELEMENTS} elements")
    return value
