"""Settings of a panel: a frozen dataclass whose fields say which slider moves them.

@dataclass(frozen=True)
class Settings(Restorable):
    replicas: int = slider("replicas", range(1, 10), 3)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, fields, replace
from itertools import product
from typing import Any, Self


@dataclass(frozen=True)
class Slider:
    """One setting: the text beside it, the values that it can take, and how a value is written (with its unit)."""

    label: str
    values: tuple[int, ...]
    write: Callable[[int], str]


def slider(label: str, values: Iterable[int], default: int, write: Callable[[int], str] = str) -> Any:
    """A field of a :class:`Restorable` dataclass that a slider moves."""
    return field(default=default, metadata={"slider": Slider(label, tuple(values), write)})


class Restorable:
    """Settings that can be written as a line of text and read back: ``priority: 500, started: 09:00``."""

    @classmethod
    def sliders(cls) -> dict[str, Slider]:
        """By name of the field, in their order."""
        return {each.name: each.metadata["slider"] for each in fields(cls)}  # type: ignore[arg-type]  # see the class

    @classmethod
    def grid(cls) -> Iterator[Self]:
        """Every combination of values."""
        sliders = cls.sliders()
        for values in product(*(each.values for each in sliders.values())):
            yield cls(**dict(zip(sliders, values, strict=True)))

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read what ``str()`` wrote; what it leaves out keeps its default. ValueError says what is wrong."""
        changes = {}
        for part in filter(str.strip, text.split(",")):
            name, _, written = (each.strip() for each in part.partition(":"))
            changes[name] = cls._read(name, written)
        return replace(cls(), **changes)  # type: ignore[type-var]  # see the class

    @classmethod
    def _read(cls, name: str, written: str) -> int:
        sliders = cls.sliders()
        if name not in sliders:
            raise ValueError(f'"{name}" is not a setting; there are {", ".join(sliders)}')
        values = {sliders[name].write(value): value for value in sliders[name].values}
        if written not in values:
            raise ValueError(f'{name}: "{written}" is not one of {", ".join(values)}')
        return values[written]

    def changed(self, **changes: int) -> Self:
        """These settings with some values changed. ValueError if a slider can't stand there."""
        for name, value in changes.items():
            self._read(name, self.sliders()[name].write(value) if name in self.sliders() else "")
        return replace(self, **changes)  # type: ignore[type-var]  # see the class

    def __str__(self) -> str:
        return ", ".join(f"{name}: {each.write(getattr(self, name))}" for name, each in self.sliders().items())
