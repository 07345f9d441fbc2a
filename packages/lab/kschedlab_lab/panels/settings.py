"""Settings of a panel: a frozen dataclass whose fields describe their controls.

@dataclass(frozen=True)
class Settings(Restorable):
    replicas: int = slider("replicas", range(1, 10), 3)
    generation: str = choice("generation", ("v1.20", "v1.37"), "v1.37")
    budget: bool = switch("with a budget", True)
    step: int = steps("step", lambda settings: 2 * settings.replicas)
    node: str = typed("node", "none", suggestions=("node-a", "node-b"), read=known_node)
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import partial
from typing import Any, Literal, NoReturn, Self, TypeAlias

from kschedlab.messages import later, listed, say
from kschedlab.objects.problems import InputValueError, safe_text, shortened

Value: TypeAlias = Hashable
Kind: TypeAlias = Literal["slider", "choice", "switch", "steps", "typed"]
Last: TypeAlias = Callable[[Any], int]
"""From settings to their last step."""
FULL_WIDTH = str.maketrans("，：", ",:")
"""What a Chinese keyboard types for the marks of a state."""
NEXT = re.compile(r",(?=\s*(?:\w+\s*:|,|$))")
"""The comma before the next setting; a typed text may have others."""


@dataclass(frozen=True)
class Control:
    """One setting: its label, its allowed values, and how a value is written (with its unit).

    Labels and written values are English, and translated where they are shown: a state means the same in any language.
    ``folded``: is with the exact values.

    ``last``: for steps that depend on the other settings; ``values`` is empty then.
    ``reads``: for typed text, of which ``values`` are suggestions: the value that it means; ValueError for none.
    """

    label: str
    kind: Kind
    values: tuple[Value, ...]
    write: Callable[[Any], str] = str
    last: Last | None = None
    reads: Callable[[str], str] | None = None
    folded: bool = False

    def __post_init__(self) -> None:
        written = [self.write(value) for value in self.values]
        comma = NEXT if self.reads is not None else re.compile(",")
        wrong = [text for text in written if comma.search(text) or text.strip() != text or written.count(text) > 1]
        if wrong:
            raise ValueError(f"{self.label}: {wrong[0]!r} can't be read back; each value needs a text without commas")

    @property
    def counts_steps(self) -> bool:
        """Whether its values are the steps of something that is walked through."""
        return self.kind == "steps" and self.values == tuple(range(len(self.values)))

    def show(self, value: Any) -> str:
        """The value in the chosen language."""
        return say(self.write(value))

    def allowed(self, settings: Any) -> tuple[Value, ...]:
        """The allowed values, given the other settings."""
        return self.values if self.last is None else tuple(range(self.last(settings) + 1))

    def read(self, name: str, written: str, settings: Any) -> Value:
        """The value of this text. ValueError lists the allowed ones."""
        if self.reads is not None:
            return self._typed(name, written)
        found = [value for value in self.allowed(settings) if written in (self.write(value), self.show(value))]
        return found[0] if found else self._refuse(name, written, settings)

    def at(self, name: str, index: Any) -> Value:
        """The value at this index; typed text is its own index. ValueError if there is none."""
        if self.reads is not None:
            return self._typed(name, str(index))
        if self.last is not None:
            return int(index)
        if not 0 <= int(index) < len(self.values):
            raise InputValueError("{name}: there is no value number {index}", name=name, index=index)
        return self.values[int(index)]

    def check(self, name: str, value: Value, settings: Any) -> Value:
        """The value if it, or the text that writes it, is allowed. ValueError lists the allowed ones."""
        if self.reads is not None:
            if not isinstance(value, str):
                raise InputValueError("{name}: expected text, got {value}", name=name, value=_shown(value))
            return self._typed(name, value)
        if isinstance(value, str) and value not in self.values:
            return self.read(name, value, settings)
        allowed = self.allowed(settings)
        found = [each for each in allowed if _same(each, value)]
        known = type(value) in map(type, allowed)
        return found[0] if found else self._refuse(name, self.write(value) if known else _shown(value), settings)

    def _typed(self, name: str, written: str) -> str:
        assert self.reads is not None
        if NEXT.search(written):
            raise InputValueError(
                '{name}: "{written}" has a comma, which separates settings', name=name, written=written
            )
        return self.reads(written)

    def _refuse(self, name: str, written: str, settings: Any) -> NoReturn:
        values = self.allowed(settings)
        steps = say("the steps 0 to {last}", last=len(values) - 1)
        there = steps if self.counts_steps else listed(map(self.write, values))
        raise InputValueError('{name}: "{written}" is not one of {there}', name=name, written=written, there=there)


def _same(allowed: Value, given: Any) -> bool:
    """Whether the two are equal and of the same kind: True is not 1, and an array never equals a number."""
    is_one = isinstance(given, Hashable) and isinstance(given, bool) == isinstance(allowed, bool)
    return is_one and allowed == given


def _shown(value: object) -> str:
    """A value of a wrong type, as Python writes it."""
    return shortened(safe_text(repr(value)))


def _one_of(
    kind: Kind,
    label: str,
    values: Iterable[Value],
    default: Any,
    write: Callable[[Any], str] = str,
    folded: bool = False,
) -> Any:
    """A field of a :class:`Restorable` dataclass; ``write`` adds the unit to a value."""
    return _field(Control(label, kind, tuple(values), write, folded=folded), default)


slider = partial(_one_of, "slider")
choice = partial(_one_of, "choice")
"""One of several unordered values: buttons if they are few and short, else a dropdown."""
moments = partial(_one_of, "steps")
"""Values to be walked through one after the other, with First, Back, Next and Play."""


def switch(label: str, default: bool = False) -> Any:
    return _field(Control(label, "switch", (False, True), _on_or_off), default)


def _on_or_off(on: Any) -> str:
    return later("on") if on else later("off")


def steps(label: str, last: Last | int, default: int = 0) -> Any:
    """A step from 0 to ``last``, with First, Back, Next and Play.

    ``last`` may depend on the other settings (not on other steps); when these change, a later step becomes the last.
    """
    if isinstance(last, int):
        return _field(Control(label, "steps", tuple(range(last + 1))), default)
    return _field(Control(label, "steps", (), last=last), default)


def typed(label: str, default: str, suggestions: Iterable[str], read: Callable[[str], str]) -> Any:
    """A line of text. ``read``: from what is typed to the value that it means; ValueError says what is wrong."""
    values = tuple(each for each in suggestions if not NEXT.search(each))
    return field(default=default, metadata={"control": Control(label, "typed", values, reads=read)})


def _field(control: Control, default: Value) -> Any:
    if control.last is None and default not in control.values:
        raise ValueError(f"{control.label}: the default {default!r} is not one of its values")
    return field(default=default, metadata={"control": control})


class Restorable:
    """Settings that can be saved as a line of text and restored: ``priority: 500, started: 09:00``."""

    @classmethod
    def controls(cls) -> dict[str, Control]:
        """By name of the field, in their order."""
        return {each.name: each.metadata["control"] for each in fields(cls)}  # type: ignore[arg-type]  # see the class

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse the text of ``str()``; missing settings keep their defaults. ValueError says what is wrong."""
        if not isinstance(text, str):
            raise InputValueError(
                'expected settings as text, such as "{example}", got {value}', example=cls(), value=_shown(text)
            )
        parts = (part.partition(":") for part in NEXT.split(text.translate(FULL_WIDTH)) if part.strip())
        return cls()._with({name.strip(): written.strip() for name, _, written in parts}, Control.read)

    def changed(self, **changes: Any) -> Self:
        """These settings with some values changed. ValueError if a control does not allow a value."""
        return self._with(changes, Control.check)

    def _with(self, changes: Mapping[str, Any], take: Callable[[Control, str, Any, Self], Value]) -> Self:
        """Settings with a fixed set of values come first: the steps depend on them."""
        controls, settings = self.controls(), self
        if unknown := [name for name in changes if name not in controls]:
            there = listed(controls)
            raise InputValueError('"{name}" is not a setting; there are {there}', name=unknown[0], there=there)
        for name in sorted(changes, key=lambda name: controls[name].last is not None):
            value = take(controls[name], name, changes[name], settings)
            settings = replace(settings, **{name: value})  # type: ignore[type-var]  # see the class
        return settings.clamped()

    def indices(self) -> dict[str, Any]:
        """By name: the index of its value among the allowed ones; of typed text, the text itself."""
        found = {}
        for name, each in self.controls().items():
            value = getattr(self, name)
            found[name] = value if each.reads is not None else each.allowed(self).index(value)
        return found

    def at(self, indices: Mapping[str, Any]) -> Self:
        """These settings with the values at these indices. ValueError if there is no such control or value."""
        return self._with(indices, lambda control, name, index, _: control.at(name, index))

    def clamped(self) -> Self:
        """These settings, with steps limited to the last one."""
        controls = self.controls().items()
        last = {name: each.last(self) for name, each in controls if each.last is not None}
        beyond = {name: end for name, end in last.items() if getattr(self, name) > end}
        return replace(self, **beyond) if beyond else self  # type: ignore[type-var]  # see the class

    def __str__(self) -> str:
        return ", ".join(f"{name}: {each.write(getattr(self, name))}" for name, each in self.controls().items())


@dataclass(frozen=True)
class Nothing(Restorable):
    """No settings."""
