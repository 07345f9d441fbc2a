"""Parameters of which `make test` runs a sample, and `make test-all` all."""

from collections.abc import Iterable
from typing import TypeVar

import pytest
from _pytest.mark import ParameterSet

T = TypeVar("T")


def sampled(values: Iterable[T], few: int) -> list[T | ParameterSet]:
    """All values as parameters; ``few`` of them, evenly spread and with the last, run always, the others nightly."""
    every = list(values)
    always = every[::-1][:: max(len(every) // few, 1)]
    return [value if value in always else pytest.param(value, marks=pytest.mark.nightly) for value in every]
