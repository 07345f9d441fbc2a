"""Every combination of a panel's settings, for tests over all of them."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from typing import TypeVar

from kschedlab_lab.panels.settings import Restorable

S = TypeVar("S", bound=Restorable)


def each_of(kind: type[S]) -> Iterator[S]:
    """Every combination of values, each with all of its steps."""
    controls = kind.controls()
    fixed = {name: each.values for name, each in controls.items() if each.last is None}
    moving = {name: each for name, each in controls.items() if each.last is not None}
    for values in product(*fixed.values()):
        settings = kind(**dict(zip(fixed, values, strict=True)))
        for taken in product(*(each.allowed(settings) for each in moving.values())):
            yield replace(settings, **dict(zip(moving, taken, strict=True)))
